import numpy as np
import numpy.typing as npt

from syntagma.best_first._edges import Edges
from syntagma.features._sparse import TemplateTable
from syntagma.transition._state import SearchTask

CCG_ATOMS: tuple[str, ...]
CCG_SCOPES: tuple[str, ...]

class CcgRules:
    n_binary: int
    chains: bool
    def __init__(
        self,
        binary: npt.NDArray[np.int32],
        unary: npt.NDArray[np.int32],
        categories: int,
        chains: bool = False,
    ) -> None: ...

class CcgEdges(Edges):
    def __init__(
        self,
        problem: SearchTask,
        templates: TemplateTable,
        rules: CcgRules,
        leaves: npt.NDArray[np.int32],
    ) -> None: ...
