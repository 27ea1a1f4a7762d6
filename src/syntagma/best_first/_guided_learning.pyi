from collections.abc import Sequence

from syntagma.best_first._edges import Edges
from syntagma.best_first._search import BestFirst
from syntagma.best_first.grammars import DerivationNode
from syntagma.best_first.settings import BestFirstSettings
from syntagma.features._sparse import TrainingWeights

class GuidedSearch(BestFirst):
    updates: int
    def __init__(
        self,
        edges: Edges,
        weights: TrainingWeights,
        gold: Sequence[DerivationNode],
        settings: BestFirstSettings,
    ) -> None: ...
    def learn(self, limit: int) -> bool: ...
