from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from syntagma.core.grammar import Grammar
from syntagma.core.state import EncodedProblem
from syntagma.core.templates import TemplateTable

DEPENDENCY_ATOMS: tuple[str, ...]
DEPENDENCY_SCOPES: tuple[str, ...]

class DependencyEdges(Grammar):
    def __init__(
        self,
        problem: EncodedProblem,
        templates: TemplateTable,
        label_index: npt.NDArray[np.int32],
        label_pool: npt.NDArray[np.int32],
        labels: Sequence[int] | None = None,
    ) -> None: ...
