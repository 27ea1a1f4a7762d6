from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.language_model._ngrams import NGramScorer
from syntagma.neural._action_scorer import ActionScorer
from syntagma.neural.encoder import SlotRows
from syntagma.transition._search import Search
from syntagma.transition._state import SearchTask

class NeuralSearch(Search):
    def __init__(
        self,
        problem: SearchTask,
        width: int,
        scorer: ActionScorer,
        rows: SlotRows,
        pairs: npt.NDArray[np.float32],
        *,
        ngram_scorer: NGramScorer | None = None,
        merging: bool = False,
        mirrored: bool = False,
        **others: object,
    ) -> None: ...
    def scored_actions(self) -> list[tuple[tuple[int, int, int, int], float]]: ...
    def move(self, action: tuple[int, int, int, int]) -> None: ...

class Reranker(NeuralSearch):
    def __init__(self, *reading: Any, share: float = 0.5, same_way: bool = False) -> None: ...
    def judge(self, search: Search) -> None: ...
