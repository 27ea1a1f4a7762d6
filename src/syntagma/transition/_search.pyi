from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from syntagma.language_model._ngrams import NGramScorer
from syntagma.transition._clock import NO_LIMIT, Clock
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
    parts: dict[str, float]

class _Judge(Protocol):
    def judge(self, search: Search) -> None: ...

class Search:
    width: int
    merging: bool
    mirrored: bool
    narrowed: bool
    clock: Clock
    opposite: Search | None
    judges: tuple[_Judge, ...]
    def __init__(
        self,
        problem: SearchTask,
        width: int,
        /,
        *,
        ngram_scorer: NGramScorer | None = None,
        judges: Iterable[_Judge] = (),
        merging: bool = False,
        mirrored: bool = False,
    ) -> None: ...
    def trees(self) -> list[FoundTree]: ...
    def contribute(self, name: str, scores: Sequence[float]) -> None: ...
    def results(self, n_best: int) -> list[FoundTree]: ...
    def derivation(self, rank: int) -> list[Action]: ...

def beam_search(search: Search, n_best: int = 1, clock: Clock = NO_LIMIT) -> list[FoundTree]: ...
