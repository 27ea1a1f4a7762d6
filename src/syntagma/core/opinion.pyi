from syntagma.core.neural import NeuralSearch
from syntagma.core.search import Search

class SecondOpinion(NeuralSearch):
    def weigh(self, search: Search) -> None: ...
