from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from syntagma.best_first._edges import Edges
from syntagma.features._sparse import TemplateTable
from syntagma.transition._state import SearchTask
from syntagma.transition.encoding import FormArrays

DEPENDENCY_ATOMS: tuple[str, ...]
DEPENDENCY_SCOPES: tuple[str, ...]
HEAD_LEFT_RULE: int
HEAD_RIGHT_RULE: int

class DependencyEdges(Edges):
    def __init__(
        self,
        problem: SearchTask,
        templates: TemplateTable,
        label_index: npt.NDArray[np.int32],
        label_pool: npt.NDArray[np.int32],
        gold_labels: Sequence[int] | None = None,
        forms: FormArrays | None = None,
        wide_sets: bool = True,
    ) -> None: ...
