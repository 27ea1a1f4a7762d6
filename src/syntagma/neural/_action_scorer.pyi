from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.transition._state import SearchTask

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

STATE_ADDRESSES: tuple[str, ...]
CANDIDATE_ADDRESSES: tuple[str, ...]
SET_NAMES: tuple[str, ...]
COUNT_NAMES: tuple[str, ...]
COUNT_BUCKETS: int
VECTOR_MULTIPLE: int
GROUPS: tuple[str, ...]

class ActionScorer:
    hidden: int
    arc_hidden: int
    columns: int
    n_pairs: int
    groups: dict[str, list[int]]
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

def trace(
    task: SearchTask, order: Ints, heads: Ints, backward: bool = False, /
) -> dict[str, Any]: ...
