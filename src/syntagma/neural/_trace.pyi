from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.transition._state import SearchTask

Ints = npt.NDArray[np.int32]

def trace(
    task: SearchTask, order: Ints, heads: Ints, backward: bool = False, /
) -> dict[str, Any]: ...
