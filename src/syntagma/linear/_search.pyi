import numpy as np
import numpy.typing as npt

from syntagma.features._weights import Weights
from syntagma.language_model._ngrams import NGramScorer
from syntagma.linear._features import Templates
from syntagma.transition._search import Action, Search
from syntagma.transition._state import SearchTask

class LinearScorer:
    templates: Templates
    weights: Weights
    def __init__(
        self,
        templates: Templates,
        weights: Weights,
        label_index: npt.NDArray[np.int32],
        label_pool: npt.NDArray[np.int32],
    ) -> None: ...

class LinearSearch(Search):
    def __init__(
        self,
        problem: SearchTask,
        width: int,
        scorer: LinearScorer,
        /,
        *,
        ngram_scorer: NGramScorer | None = None,
        merging: bool = False,
    ) -> None: ...

class DerivationWalk:
    def __init__(self, problem: SearchTask, scorer: LinearScorer) -> None: ...
    @property
    def finished(self) -> bool: ...
    def legal(self) -> list[Action]: ...
    def apply(self, action: Action) -> None: ...
    def score(self, action: Action) -> float: ...
    def features(self, action: Action) -> list[int]: ...
