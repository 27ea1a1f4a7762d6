from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = Sequence[npt.NDArray[Any]]
# Words, words at the start of a sentence, log share, more than punctuation?, number of the name
NumberedForm = tuple[Sequence[int], Sequence[int], float, bool, int]

LONGEST: int
SENTENCE_START: int
SENTENCE_END: int

class NGrams:
    order: int
    def __init__(
        self,
        words: Arrays,
        log_probs: Arrays,
        backoffs: Arrays,
        starts: Arrays,
    ) -> None: ...
    def log_probs(self, words: Sequence[int], before: Sequence[int]) -> list[float]: ...
    def expected_costs(
        self, units: Sequence[Sequence[int]], firsts: Sequence[Sequence[int]] | None = None
    ) -> list[float]: ...

def unfold(
    bits: npt.NDArray[Any],
    stored: npt.NDArray[Any],
    counted: npt.NDArray[Any],
    many: npt.NDArray[Any],
    size: int,
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]] | None: ...
def rises(words: npt.NDArray[np.uint32], starts: npt.NDArray[np.uint32]) -> bool: ...

class NGramScorer:
    weight: float
    def __init__(
        self,
        model: NGrams,
        units: Sequence[Sequence[int]],
        expected_costs: Sequence[float],
        weight: float,
        alternatives: Sequence[Sequence[NumberedForm]] | None = None,
    ) -> None: ...

class BackwardNGramScorer(NGramScorer):
    def __init__(self, forward: NGramScorer) -> None: ...
