from syntagma.core.state import EncodedProblem
from syntagma.core.templates import TemplateTable
from syntagma.core.weights import Weights

class Grammar:
    problem: EncodedProblem
    def __init__(self, problem: EncodedProblem, templates: TemplateTable) -> None: ...
    def use(self, weights: Weights) -> None: ...
