"""The compiled core: states and legality, features, beam search, perceptron updates; edges, their
grammars, best-first search and the learning that it guides."""

try:
    from syntagma.core.best_first import BestFirst, best_first_search
    from syntagma.core.ccg_edges import CCG_ATOMS, CCG_SCOPES, CcgEdges, CcgRules
    from syntagma.core.dependency_edges import (
        DEPENDENCY_ATOMS,
        DEPENDENCY_SCOPES,
        DependencyEdges,
    )
    from syntagma.core.features import ATOM_NAMES, SCOPE_NAMES, Templates
    from syntagma.core.fluency import Fluency, NGrams
    from syntagma.core.grammar import Grammar
    from syntagma.core.guided_learning import GuidedSearch
    from syntagma.core.learning import Learner, Update
    from syntagma.core.linear import Derivation, LinearScorer, LinearSearch
    from syntagma.core.neural import ActionScorer, NeuralSearch, describe, trace
    from syntagma.core.opinion import SecondOpinion
    from syntagma.core.search import Search, beam_search, depth_first_search
    from syntagma.core.state import EncodedProblem
    from syntagma.core.templates import TemplateTable
    from syntagma.core.weights import TrainingWeights, Weights, build_columns
except ModuleNotFoundError as error:
    if not (error.name or "").startswith("syntagma.core."):
        raise
    raise ImportError(
        "the compiled core of Syntagma is missing: build it with `pip install -e .` in the project"
    ) from error

__all__ = [
    "ATOM_NAMES",
    "CCG_ATOMS",
    "CCG_SCOPES",
    "DEPENDENCY_ATOMS",
    "DEPENDENCY_SCOPES",
    "SCOPE_NAMES",
    "ActionScorer",
    "BestFirst",
    "CcgEdges",
    "CcgRules",
    "DependencyEdges",
    "Derivation",
    "EncodedProblem",
    "Fluency",
    "Grammar",
    "GuidedSearch",
    "Learner",
    "LinearScorer",
    "LinearSearch",
    "NGrams",
    "NeuralSearch",
    "Search",
    "SecondOpinion",
    "TemplateTable",
    "Templates",
    "TrainingWeights",
    "Update",
    "Weights",
    "beam_search",
    "best_first_search",
    "build_columns",
    "depth_first_search",
    "describe",
    "trace",
]
