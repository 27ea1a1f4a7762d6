from typing import NamedTuple

from syntagma.language_model._ngrams import NGramScorer
from syntagma.transition._state import SearchTask

Action = tuple[int, int, int, int]

class FoundTree(NamedTuple):
    score: float
    fluency: float | None
    order: list[int]
    heads: list[int]
    tags: list[int]
    labels: list[int]
    forms: list[int]

class Search:
    width: int
    merging: bool
    mirrored: bool
    narrowed: bool
    opposite: Search | None
    def __init__(
        self,
        problem: SearchTask,
        width: int,
        /,
        *,
        ngram_scorer: NGramScorer | None = None,
        merging: bool = False,
        mirrored: bool = False,
    ) -> None: ...
    def results(self, n_best: int) -> list[FoundTree]: ...
    def derivation(self, rank: int) -> list[Action]: ...

def beam_search(
    search: Search, n_best: int = 1, seconds: float | None = None
) -> list[FoundTree]: ...
