from syntagma.best_first._edges import Grammar

Node = tuple[int, int, int, int, int, int]

class BestFirst:
    grammar: Grammar
    chart_size: int
    scaled: bool
    expansions: int
    exhausted: bool
    def __init__(self, grammar: Grammar, chart_size: int, scaled: bool) -> None: ...

def best_first_search(
    search: BestFirst, n_best: int = ..., limit: int = ..., seconds: float = ...
) -> tuple[bool, list[tuple[float, list[list[Node]]]]]: ...
