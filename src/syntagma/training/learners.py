"""What a learner is, and which learner belongs to which settings.

The learners themselves are in the packages of their scorers: `linear/training.py`,
`neural/training.py` and `best_first/training.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy.typing as npt

from syntagma.best_first.settings import BestFirstSettings
from syntagma.best_first.training import GuidedLearner
from syntagma.errors import TrainingError
from syntagma.language_model.packed import LanguageModel
from syntagma.linear.settings import LinearSettings
from syntagma.linear.training import PerceptronLearner
from syntagma.models.model import Model, StoredScorer
from syntagma.neural.settings import NeuralSettings
from syntagma.realization.realizer import Realizer
from syntagma.realization.training import inflect_sentence, inflect_visit
from syntagma.request import Request
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import Sentence


class Learner(Protocol):
    """A scorer in training.

    `train` calls `begin` once, then `restore` if it resumes an interrupted run. For each of the
    remaining `epochs` it calls `pass_over`, `stored` (the model to measure and perhaps to keep)
    and `state` (the checkpoint). `request` is how dev BLEU is measured.
    """

    epochs: int
    request: Request

    def begin(
        self, sentences: Sequence[Sentence], pretrain: Sequence[Sequence[Sentence]]
    ) -> Vocabulary:
        """Take in the training data and return the vocabulary of the model."""

    def describe(self) -> dict[str, Any]:
        """The header fields that describe the scorer and are needed to load it."""

    def pass_over(self, number: int, on_sentence: Callable[[], None]) -> dict[str, float]:
        """Run epoch `number`, counted from 1, and return its figures (such as the loss)."""

    def stored(self) -> StoredScorer:
        """The scorer in its current state, as a model file holds it."""

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The checkpoint: all that another process needs to end with the same model."""

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from a checkpoint made by `state`."""


def check_learner(settings: Settings) -> None:
    """Raise if a package is missing that the learner of these settings needs."""
    if isinstance(settings, NeuralSettings) and find_spec("torch") is None:
        raise TrainingError(
            "a neural scorer is trained with PyTorch, which is not installed: "
            "pip install 'syntagma[train]', or train a linear one (--scorer linear)"
        )


def create_learner(
    settings: Settings,
    threads: int,
    start: Model | None = None,
    realizer: Realizer | None = None,
    language_model: LanguageModel | None = None,
) -> Learner:
    """Create the learner that the settings are for.

    Only a neural learner can have a model to start from, only a best-first one a language model.
    With a realizer, some visits of each epoch are from lemmas.
    """
    if isinstance(settings, NeuralSettings):
        return _neural_learner(settings, threads, start, realizer)
    inflect = None if realizer is None else partial(inflect_visit, realizer)
    if isinstance(settings, BestFirstSettings):
        return GuidedLearner(settings, inflect, language_model)
    assert isinstance(settings, LinearSettings)
    return PerceptronLearner(settings, threads, inflect)


def _neural_learner(
    settings: NeuralSettings, threads: int, start: Model | None, realizer: Realizer | None
) -> Learner:
    # Imported only here: PyTorch is optional and slow to load.
    training = import_module("syntagma.neural.training")
    learner: Learner = training.NeuralLearner(
        settings,
        threads,
        None if start is None else start.scorer,
        None if realizer is None else partial(inflect_sentence, realizer),
        # Tags of another column would be predicted wrongly.
        keep_tags=start is None or start.header["tag_column"] == settings.tag_column,
    )
    return learner
