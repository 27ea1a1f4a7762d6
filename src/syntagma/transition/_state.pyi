from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

NOT_GIVEN: int
ROOT_HEAD: int

class SearchTask:
    n: int
    partly_fixed: bool
    def __init__(
        self,
        words: npt.NDArray[np.int32],
        tag_pool: npt.NDArray[np.int32],
        root: int,
        predecessors: Sequence[int] | None = None,
        fixed: npt.NDArray[np.int32] | None = None,
    ) -> None: ...
    def with_heads(
        self,
        heads: Sequence[int],
        twins: Sequence[int],
        predecessors: Sequence[int] | None = None,
    ) -> SearchTask: ...
    def mirrored(self) -> SearchTask: ...
