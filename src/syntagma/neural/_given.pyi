import numpy as np
import numpy.typing as npt

from syntagma.transition._state import SearchTask

Ints = npt.NDArray[np.int32]

RELATION_NAMES: tuple[str, ...]
GIVEN_FIELDS: tuple[str, ...]
HEAD_STATES: int

def read_given(task: SearchTask, n_tags: int, n_labels: int, /) -> tuple[Ints, Ints]: ...
