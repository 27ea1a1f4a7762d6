import numpy as np
import numpy.typing as npt

from syntagma.best_first._edges import Edges
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.features._sparse import TemplateTable
from syntagma.transition._state import SearchTask

CCG_ATOMS: tuple[str, ...]
CCG_SCOPES: tuple[str, ...]

class CcgRules:
    def __init__(self, grammar: CcgGrammar) -> None: ...

class CcgEdges(Edges):
    def __init__(
        self,
        problem: SearchTask,
        templates: TemplateTable,
        rules: CcgRules,
        leaves: npt.NDArray[np.int32],
    ) -> None: ...
