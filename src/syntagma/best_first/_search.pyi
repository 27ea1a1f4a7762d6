from syntagma.best_first._edges import Edges
from syntagma.best_first.grammars import DerivationNode
from syntagma.transition._clock import Clock

class BestFirst:
    edges: Edges
    expansions: int
    exhausted: bool
    def __init__(
        self, edges: Edges, chart_size: int, scaled: bool, by_size: bool = False
    ) -> None: ...

def best_first_search(
    search: BestFirst, n_best: int = ..., limit: int = ..., clock: Clock = ...
) -> tuple[bool, list[tuple[float, list[list[DerivationNode]]]]]: ...
