from syntagma.features._templates import TemplateTable
from syntagma.features._weights import Weights
from syntagma.transition._state import SearchTask

LEAF_RULE: int

class Edges:
    problem: SearchTask
    def __init__(self, problem: SearchTask, templates: TemplateTable) -> None: ...
    def use(self, weights: Weights) -> None: ...
