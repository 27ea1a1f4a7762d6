from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from syntagma.features._sparse import TemplateTable, Weights
from syntagma.language_model._ngrams import NGramScorer
from syntagma.transition._search import Search
from syntagma.transition._state import SearchTask
from syntagma.transition.encoding import FormArrays

READINGS_LIMIT: int

ATOM_NAMES: tuple[str, ...]
SCOPE_NAMES: tuple[str, ...]

class Templates(TemplateTable):
    def __init__(self, templates: Sequence[tuple[str, tuple[str, ...]]], atomic: bool) -> None: ...

class LinearParameters:
    templates: Templates
    weights: Weights
    lazy: bool
    def __init__(
        self,
        templates: Templates,
        weights: Weights,
        label_index: npt.NDArray[np.int32],
        label_pool: npt.NDArray[np.int32],
        lazy: bool = False,
        every_label: bool = False,
        wide_sets: bool = True,
    ) -> None: ...

class LinearSearch(Search):
    def __init__(
        self,
        problem: SearchTask,
        width: int,
        scorer: LinearParameters,
        /,
        *,
        ngram_scorer: NGramScorer | None = None,
        merging: bool = False,
        forms: FormArrays | None = None,
    ) -> None: ...
