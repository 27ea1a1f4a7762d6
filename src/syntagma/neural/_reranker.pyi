from typing import Any

from syntagma.neural._search import NeuralSearch
from syntagma.transition._search import Search

class Reranker(NeuralSearch):
    def __init__(self, *reading: Any, share: float = 0.5, same_way: bool = False) -> None: ...
    def judge(self, search: Search) -> None: ...
