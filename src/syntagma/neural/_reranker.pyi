from syntagma.neural._search import NeuralSearch
from syntagma.transition._search import Search

class Reranker(NeuralSearch):
    def rerank(self, search: Search, share: float) -> None: ...
