from collections.abc import Sequence

from syntagma.best_first._edges import Grammar
from syntagma.best_first._search import BestFirst, Node
from syntagma.features._weights import TrainingWeights

class GuidedSearch(BestFirst):
    updates: int
    def __init__(
        self,
        grammar: Grammar,
        chart_size: int,
        scaled: bool,
        weights: TrainingWeights,
        gold: Sequence[Node],
        margin: bool,
        expand_negatives: bool,
    ) -> None: ...
    def learn(self, limit: int) -> bool: ...
