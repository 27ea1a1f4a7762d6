"""Syntagma orders words: from a bag of words and any syntax you know to the sentence and its tree.

>>> import syntagma
>>> english = syntagma.load("en")
>>> english.order(["barked", "dog", "the", "."]).text
'the dog barked .'
"""

from syntagma.errors import (
    FormatError,
    ModelError,
    OutputError,
    ProblemError,
    SyntagmaError,
    TrainingError,
    UnsatisfiableError,
)
from syntagma.linearization import Linearization, Token
from syntagma.linearizer import Linearizer, ModelInfo, load
from syntagma.problem import Problem, Word

__version__ = "0.1.0"
