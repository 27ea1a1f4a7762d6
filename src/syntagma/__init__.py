"""Syntagma orders words: from a bag of words and any syntax you know to the sentence and its tree.

>>> import syntagma
>>> english = syntagma.load("en")
>>> english.order(["book", "read", "the", "She", "."]).text
'She read the book .'

The public names are loaded when they are first used, so that importing the package is cheap and
ordering loads nothing that only training needs.

Docstrings and comments cite the papers behind the code as L15 (Liu et al. 2015), P16 (Puduppully et
al. 2016) and ZC15 (Zhang & Clark 2015); `docs/how-it-works.md` gives their titles.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in typing, which takes longer to import than all the rest here

if TYPE_CHECKING:
    from syntagma.batches.batch import BatchReport as BatchReport
    from syntagma.batches.batch import batch as batch
    from syntagma.best_first.settings import BestFirstSettings as BestFirstSettings
    from syntagma.errors import ArgumentError as ArgumentError
    from syntagma.errors import CancelledError as CancelledError
    from syntagma.errors import FormatError as FormatError
    from syntagma.errors import ModelError as ModelError
    from syntagma.errors import OutputError as OutputError
    from syntagma.errors import PackageError as PackageError
    from syntagma.errors import ProblemError as ProblemError
    from syntagma.errors import SyntagmaError as SyntagmaError
    from syntagma.errors import SyntagmaWarning as SyntagmaWarning
    from syntagma.errors import TrainingError as TrainingError
    from syntagma.errors import UnsatisfiableError as UnsatisfiableError
    from syntagma.evaluation.bleu import compare_systems as compare_systems
    from syntagma.evaluation.bleu import paired_bootstrap as paired_bootstrap
    from syntagma.evaluation.evaluate import Report as Report
    from syntagma.evaluation.evaluate import evaluate as evaluate
    from syntagma.language_model.settings import LanguageModelSettings as LanguageModelSettings
    from syntagma.linear.settings import LinearSettings as LinearSettings
    from syntagma.linearizer.linearizer import Linearizer as Linearizer
    from syntagma.linearizer.linearizer import ModelInfo as ModelInfo
    from syntagma.linearizer.linearizer import load as load
    from syntagma.models.installed import InstalledModel as InstalledModel
    from syntagma.models.installed import installed_models as installed_models
    from syntagma.models.model import Margin as Margin
    from syntagma.models.packaging import package as package
    from syntagma.neural.settings import NeuralSettings as NeuralSettings
    from syntagma.problem.problem import Problem as Problem
    from syntagma.problem.word import Word as Word
    from syntagma.request import Request as Request
    from syntagma.results.acceptance import Acceptance as Acceptance
    from syntagma.results.difference import difference as difference
    from syntagma.results.linearization import Linearization as Linearization
    from syntagma.results.linearization import Token as Token
    from syntagma.results.realization import NBest as NBest
    from syntagma.results.realization import Realization as Realization
    from syntagma.sweeps.train_many import TrainManyReport as TrainManyReport
    from syntagma.sweeps.train_many import train_many as train_many
    from syntagma.sweeps.tune import TuningReport as TuningReport
    from syntagma.sweeps.tune import tune as tune
    from syntagma.training.language_model import add_lm as add_lm
    from syntagma.training.language_model import train_lm as train_lm
    from syntagma.training.margin import fit_margin as fit_margin
    from syntagma.training.presets import paper_settings as paper_settings
    from syntagma.training.run import TrainingReport as TrainingReport
    from syntagma.training.train import train as train
    from syntagma.treebanks.conversion import ConversionReport as ConversionReport
    from syntagma.treebanks.conversion import convert as convert
    from syntagma.treebanks.statistics import TreebankStatistics as TreebankStatistics
    from syntagma.treebanks.statistics import stats as stats
    from syntagma.treebanks.treebank import Sentence as Sentence
    from syntagma.treebanks.treebank import read_treebank as read_treebank

__version__ = "0.12.0"

# The public names by the module that defines them.
_MODULES = {
    "batches.batch": "BatchReport batch",
    "best_first.settings": "BestFirstSettings",
    "errors": (
        "ArgumentError CancelledError FormatError ModelError OutputError PackageError "
        "ProblemError SyntagmaError SyntagmaWarning TrainingError UnsatisfiableError"
    ),
    "evaluation.bleu": "compare_systems paired_bootstrap",
    "evaluation.evaluate": "Report evaluate",
    "language_model.settings": "LanguageModelSettings",
    "linear.settings": "LinearSettings",
    "linearizer.linearizer": "Linearizer ModelInfo load",
    "models.installed": "InstalledModel installed_models",
    "models.model": "Margin",
    "models.packaging": "package",
    "neural.settings": "NeuralSettings",
    "problem.problem": "Problem",
    "problem.word": "Word",
    "request": "Request",
    "results.acceptance": "Acceptance",
    "results.difference": "difference",
    "results.linearization": "Linearization Token",
    "results.realization": "NBest Realization",
    "sweeps.train_many": "TrainManyReport train_many",
    "sweeps.tune": "TuningReport tune",
    "training.language_model": "add_lm train_lm",
    "training.margin": "fit_margin",
    "training.presets": "paper_settings",
    "training.run": "TrainingReport",
    "training.train": "train",
    "treebanks.conversion": "ConversionReport convert",
    "treebanks.statistics": "TreebankStatistics stats",
    "treebanks.treebank": "Sentence read_treebank",
}
_HOMES = {name: f"syntagma.{home}" for home, names in _MODULES.items() for name in names.split()}
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'syntagma' has no attribute {name!r}")
    try:
        value: object = getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        package, _, module = (error.name or "").rpartition(".")
        if package.startswith("syntagma.") and module.startswith("_"):
            raise ImportError(
                "the compiled modules of Syntagma are missing: build them with `make build`"
            ) from error
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
