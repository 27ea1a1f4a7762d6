from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from syntagma.language_model._ngrams import NGramScorer
from syntagma.neural._action_scorer import ActionScorer
from syntagma.transition._search import Search
from syntagma.transition._state import SearchTask

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

class Rows(Protocol):
    """Those of `encoder.SlotRows`."""

    @property
    def members(self) -> Sequence[Ints]: ...
    @property
    def words(self) -> Sequence[Floats]: ...
    @property
    def special(self) -> Sequence[Floats]: ...

class NeuralSearch(Search):
    def __init__(
        self,
        problem: SearchTask,
        width: int,
        scorer: ActionScorer,
        rows: Rows,
        pairs: Floats,
        *,
        ngram_scorer: NGramScorer | None = None,
        merging: bool = False,
        mirrored: bool = False,
        **others: object,
    ) -> None: ...
    def scored_actions(self) -> list[tuple[tuple[int, int, int, int], float]]: ...
    def move(self, action: tuple[int, int, int, int]) -> None: ...
