"""Syntagma orders words: from a bag of words and any syntax you know to the sentence and its tree.

>>> import syntagma
>>> english = syntagma.load("en")
>>> english.order(["book", "read", "the", "She", "."]).text
'She read the book .'
"""

from syntagma.best_first.settings import BestFirstSettings
from syntagma.errors import (
    FormatError,
    ModelError,
    OutputError,
    ProblemError,
    SyntagmaError,
    TrainingError,
    UnsatisfiableError,
)
from syntagma.evaluation.bleu import paired_bootstrap
from syntagma.evaluation.evaluate import Report, evaluate
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.linear.settings import LinearSettings
from syntagma.linearizer import Linearizer, ModelInfo, load
from syntagma.neural.settings import NeuralSettings
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, Token
from syntagma.results.realization import Realization
from syntagma.training.language_model import add_lm, train_lm
from syntagma.training.run import TrainingReport
from syntagma.training.train import train
from syntagma.treebanks.treebank import Sentence, read_treebank
from syntagma.version import VERSION

__all__ = [
    "BestFirstSettings",
    "FormatError",
    "LanguageModelSettings",
    "LinearSettings",
    "Linearization",
    "Linearizer",
    "ModelError",
    "ModelInfo",
    "NeuralSettings",
    "OutputError",
    "Problem",
    "ProblemError",
    "Realization",
    "Report",
    "Sentence",
    "SyntagmaError",
    "Token",
    "TrainingError",
    "TrainingReport",
    "UnsatisfiableError",
    "Word",
    "add_lm",
    "evaluate",
    "load",
    "paired_bootstrap",
    "read_treebank",
    "train",
    "train_lm",
]
__version__ = VERSION
