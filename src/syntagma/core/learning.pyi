from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.core.features import Templates
from syntagma.core.state import EncodedProblem

class Update:
    correct: bool

class Learner:
    used: int
    steps: int
    def __init__(
        self,
        templates: Templates,
        label_index: npt.NDArray[np.int32],
        label_pool: npt.NDArray[np.int32],
    ) -> None: ...
    def learn(
        self,
        problem: EncodedProblem,
        order: npt.NDArray[np.int32],
        heads: npt.NDArray[np.int32],
        labels: npt.NDArray[np.int32],
        tags: npt.NDArray[np.int32],
        width: int,
        max_violation: bool,
    ) -> Update: ...
    def apply(self, update: Update) -> None: ...
    def averaged(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]: ...
    def state(self) -> dict[str, npt.NDArray[Any]]: ...
    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None: ...
