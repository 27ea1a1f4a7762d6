from syntagma.best_first._junctions import Junctions
from syntagma.features._templates import TemplateTable
from syntagma.features._weights import Weights
from syntagma.transition._state import SearchTask

LEAF_RULE: int
FLUENCY_SCOPES: tuple[str, ...]
FLUENCY_ATOMS: tuple[str, ...]

class Edges:
    problem: SearchTask
    def __init__(self, problem: SearchTask, templates: TemplateTable) -> None: ...
    def use(self, weights: Weights) -> None: ...
    def use_language_model(self, junctions: Junctions, templates: TemplateTable) -> None: ...
