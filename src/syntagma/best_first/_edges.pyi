from collections.abc import Sequence

from syntagma.features._sparse import TemplateTable, Weights
from syntagma.language_model._ngrams import NGrams, NGramScorer, NumberedForm
from syntagma.transition._state import SearchTask

LEAF_RULE: int
FLUENCY_SCOPES: tuple[str, ...]
FLUENCY_ATOMS: tuple[str, ...]

class Junctions(NGramScorer):
    def __init__(
        self,
        model: NGrams,
        units: Sequence[Sequence[int]],
        alternatives: Sequence[Sequence[NumberedForm]] | None = None,
    ) -> None: ...

class Edges:
    problem: SearchTask
    def __init__(self, problem: SearchTask, templates: TemplateTable) -> None: ...
    def use(self, weights: Weights) -> None: ...
    def use_language_model(self, junctions: Junctions, templates: TemplateTable) -> None: ...
