import numpy as np
import numpy.typing as npt

from syntagma.core.features import Templates
from syntagma.core.state import EncodedProblem
from syntagma.core.weights import Weights

Action = tuple[int, int, int, int]
Results = list[tuple[float, list[Action]]]

class Scorer:
    templates: Templates
    weights: Weights
    def __init__(
        self,
        templates: Templates,
        weights: Weights,
        label_index: npt.NDArray[np.int32],
        label_pool: npt.NDArray[np.int32],
    ) -> None: ...

def beam_search(
    problem: EncodedProblem, scorer: Scorer, width: int, n_best: int = 1
) -> Results: ...
def depth_first_search(
    problem: EncodedProblem, scorer: Scorer, limit: int
) -> tuple[Results, bool]: ...

class Derivation:
    def __init__(self, problem: EncodedProblem, scorer: Scorer) -> None: ...
    @property
    def finished(self) -> bool: ...
    def legal(self) -> list[Action]: ...
    def apply(self, action: Action) -> None: ...
    def score(self, action: Action) -> float: ...
    def features(self, action: Action) -> list[int]: ...
