from collections.abc import Sequence

from syntagma.best_first._edges import Edges
from syntagma.best_first._search import BestFirst
from syntagma.best_first.derivations import DerivationNode
from syntagma.features._sparse import TrainingWeights

class GuidedSearch(BestFirst):
    updates: int
    def __init__(
        self,
        edges: Edges,
        chart_size: int,
        scaled: bool,
        weights: TrainingWeights,
        gold: Sequence[DerivationNode],
        margin: bool,
        expand_negatives: bool,
        first_update: bool = False,
        by_size: bool = False,
    ) -> None: ...
    def learn(self, limit: int) -> bool: ...
