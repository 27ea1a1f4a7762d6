"""Language model scores as features of edges (Zhang, Blackwood and Clark 2012), for both grammars.

What a junction gains is computed, and turned into features, in `_edges`.
"""

from __future__ import annotations

from syntagma.best_first._edges import FLUENCY_ATOMS, FLUENCY_SCOPES, Junctions
from syntagma.features._sparse import TemplateTable, read_table
from syntagma.language_model.packed import LanguageModel
from syntagma.transition.encoding import Encoding

# gain: the interval of what the language model gains at the junction of two phrases; start and end:
# the same where a complete sentence begins and ends.
TABLE = {"junction": "gain", "limits": "start; end"}


def fluency_templates() -> TemplateTable:
    rows = [row for scope, table in TABLE.items() for row in read_table(scope, table)]
    own = {"junction": ("gain",), "limits": ("start", "end")}
    return TemplateTable(rows, FLUENCY_ATOMS, {scope: own[scope] for scope in FLUENCY_SCOPES})


def find_junctions(language_model: LanguageModel, encoding: Encoding) -> Junctions:
    """The words of a problem, in all forms that they may take, as the language model sees them."""
    if encoding.choices is None:
        numbers = language_model.units(encoding.forms)
        return Junctions(language_model.ngrams, [(unit, unit, True) for unit in numbers])
    forms = [form for choice in encoding.choices for form in choice]
    return Junctions(
        language_model.ngrams,
        zip(
            language_model.units([form.text for form in forms]),
            language_model.units([form.initial for form in forms]),
            [form.spoken for form in forms],
            strict=True,
        ),
    )
