"""The averaged perceptron over a treebank (L15 §3.1): what `training` has the linear scorer learn.

Searches and updates are compiled, in core/learning.pyx.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy.typing as npt

from syntagma.linear._perceptron import Perceptron, Update
from syntagma.linear.scorer import StoredWeights
from syntagma.linear.settings import LinearSettings
from syntagma.linear.templates import templates
from syntagma.transition.budget import SearchBudget
from syntagma.transition.training import encode_training, learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence
from syntagma.treebanks.visits import shuffled, visit

# Sentences searched with the same weights before they are updated: threads share the work of a
# batch, and its size, unlike their number, may influence the model.
BATCH = 8


class PerceptronLearner:
    """Learns a linear scorer; its figure is `correct`, the share of sentences without update."""

    def __init__(self, settings: LinearSettings, threads: int) -> None:
        self.settings = settings
        self.threads = threads
        self.epochs = settings.epochs
        self.budget = SearchBudget(beam=settings.beam)

    def begin(
        self, sentences: Sequence[Sentence], pretrain: Sequence[Sequence[Sentence]]
    ) -> Vocabulary:
        self.sentences = sentences
        self.vocabulary = learn_vocabulary(sentences)
        self.templates = templates(self.settings.features)
        self.learner = Perceptron(
            self.templates, self.vocabulary.label_index, self.vocabulary.label_pool
        )
        return self.vocabulary

    def describe(self) -> dict[str, Any]:
        return {"feature_set": self.settings.features, "templates": list(self.templates.texts)}

    def pass_over(self, number: int, on_sentence: Callable[[], None]) -> dict[str, float]:
        visits = shuffled(self.settings, number, len(self.sentences))
        correct = 0
        with ThreadPoolExecutor(self.threads) as pool:
            for start in range(0, len(visits), BATCH):
                batch = visits[start : start + BATCH]
                learn = partial(self._learn, number)
                updates = list(pool.map(learn, batch))  # all of them, before weights change
                for update in updates:
                    self.learner.apply(update)
                    correct += update.correct
                    on_sentence()
        return {"correct": correct / len(visits)}

    def stored(self) -> StoredWeights:
        return StoredWeights.of(*self.learner.weights.averaged(), self.settings.max_features)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return self.learner.weights.state()

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.learner.weights.restore(arrays)

    def _learn(self, number: int, index: int) -> Update:
        sentence = self.sentences[index]
        problem = visit(self.settings, number, index, sentence)
        encoding, reference = encode_training(sentence, problem, self.vocabulary)
        return self.learner.learn(
            encoding.task,
            reference.order,
            reference.heads,
            reference.labels,
            reference.tags,
            self.settings.beam,
            self.settings.update == "max-violation",
        )
