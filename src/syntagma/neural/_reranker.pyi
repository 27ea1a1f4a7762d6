from syntagma.neural._search import NeuralSearch
from syntagma.transition._search import Search

class SecondOpinion(NeuralSearch):
    def weigh(self, search: Search) -> None: ...
