from syntagma.features._templates import TemplateTable
from syntagma.features._weights import Weights
from syntagma.transition._state import EncodedProblem

class Grammar:
    problem: EncodedProblem
    def __init__(self, problem: EncodedProblem, templates: TemplateTable) -> None: ...
    def use(self, weights: Weights) -> None: ...
