from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from syntagma.language_model._ngrams import NGramScorer
from syntagma.transition._search import Search
from syntagma.transition._state import SearchTask

Floats = npt.NDArray[np.float32]

VECTOR_MULTIPLE: int

class ActionScorer:
    hidden: int
    arc_hidden: int
    columns: int
    n_pairs: int
    def __init__(
        self,
        state: Sequence[str],
        arc: Sequence[str],
        candidate: Sequence[str],
        sets: Sequence[str],
        pairs: Sequence[tuple[str, str]],
        counts: Floats,
        shift_out: Floats,
        arc_out: Floats,
        arc_bias: Floats,
    ) -> None: ...

class NeuralSearch(Search):
    def __init__(
        self,
        problem: SearchTask,
        width: int,
        scorer: ActionScorer,
        rows: Floats,
        pairs: Floats,
        *,
        ngram_scorer: NGramScorer | None = None,
        merging: bool = False,
        **others: object,
    ) -> None: ...
    def scored_actions(self) -> list[tuple[tuple[int, int, int, int], float]]: ...
    def move(self, action: tuple[int, int, int, int]) -> None: ...
