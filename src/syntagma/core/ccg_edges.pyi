import numpy as np
import numpy.typing as npt

from syntagma.core.grammar import Grammar
from syntagma.core.state import EncodedProblem
from syntagma.core.templates import TemplateTable

CCG_ATOMS: tuple[str, ...]
CCG_SCOPES: tuple[str, ...]

class CcgRules:
    n_binary: int
    def __init__(
        self, binary: npt.NDArray[np.int32], unary: npt.NDArray[np.int32], categories: int
    ) -> None: ...

class CcgEdges(Grammar):
    def __init__(
        self,
        problem: EncodedProblem,
        templates: TemplateTable,
        rules: CcgRules,
        leaves: npt.NDArray[np.int32],
    ) -> None: ...
