import numpy as np
import numpy.typing as npt

from syntagma.features._sparse import TrainingWeights
from syntagma.linear._search import LinearParameters, Templates
from syntagma.transition._search import Action
from syntagma.transition._state import SearchTask
from syntagma.transition.encoding import FormArrays

class Update:
    correct: bool

class Perceptron:
    weights: TrainingWeights
    def __init__(
        self,
        templates: Templates,
        label_index: npt.NDArray[np.int32],
        label_pool: npt.NDArray[np.int32],
        lazy: bool = False,
        every_label: bool = False,
    ) -> None: ...
    def learn(
        self,
        problem: SearchTask,
        order: npt.NDArray[np.int32],
        heads: npt.NDArray[np.int32],
        labels: npt.NDArray[np.int32],
        tags: npt.NDArray[np.int32],
        width: int,
        max_violation: bool,
        forms: FormArrays | None = None,
    ) -> Update: ...
    def apply(self, update: Update) -> None: ...

class DerivationWalk:
    finished: bool
    def __init__(
        self, problem: SearchTask, scorer: LinearParameters, forms: FormArrays | None = None
    ) -> None: ...
    def legal(self) -> list[Action]: ...
    def apply(self, action: Action) -> None: ...
    def score(self, action: Action) -> float: ...
    def features(self, action: Action) -> list[int]: ...
