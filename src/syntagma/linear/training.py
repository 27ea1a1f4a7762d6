"""Training of the linear scorer: epochs of the averaged perceptron over a treebank (L15 §3.1).

The search and the update of one sentence are compiled, in `_perceptron`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.linear._perceptron import Perceptron, Update
from syntagma.linear._search import READINGS_LIMIT
from syntagma.linear.scorer import StoredLinearScorer
from syntagma.linear.settings import LinearSettings
from syntagma.linear.templates import templates
from syntagma.request import Request
from syntagma.transition.encoding import form_arrays
from syntagma.transition.training import (
    describe_vocabulary,
    encode_training,
    prepare,
)
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence
from syntagma.treebanks.visits import InflectVisit, of_lemmas, shuffled, visit


class PerceptronLearner:
    """Learns a linear scorer.

    Threads share the sentences of a batch, which are searched with the same weights. The size of
    batches affects the model, the number of threads does not.

    Figure of an epoch: `correct`, the share of sentences that needed no update.
    """

    def __init__(
        self, settings: LinearSettings, threads: int, inflect: InflectVisit | None = None
    ) -> None:
        """`inflect` turns a problem into one of lemmas; with it, some visits of each epoch learn to
        choose forms, too."""
        self.settings = settings
        self.inflect = inflect
        self.threads = threads
        self.epochs = settings.epochs
        self.request = Request(beam=settings.beam)

    def begin(
        self, sentences: Sequence[Sentence], pretrain: Sequence[Sequence[Sentence]]
    ) -> Vocabulary:
        self.sentences, self.vocabulary = prepare(self.settings, sentences)
        self.templates = templates(self.settings.features, forms=self.inflect is not None)
        self.perceptron = Perceptron(
            self.templates,
            self.vocabulary.label_index,
            self.vocabulary.label_pool,
            self.settings.arcs == "lazy",
            self.settings.every_label,
        )
        return self.vocabulary

    def describe(self) -> dict[str, Any]:
        described = {
            "feature_set": self.settings.features,
            "arcs": self.settings.arcs,
            "templates": list(self.templates.texts),
            **describe_vocabulary(self.vocabulary),
        }
        if self.settings.every_label:
            described["every_label"] = True
        if not self.settings.merging:
            described["merging"] = False
        if self.inflect is not None:
            described["chooses_forms"] = True
        return described

    def pass_over(self, number: int, on_sentence: Callable[[], None]) -> dict[str, float]:
        visits = shuffled(self.settings, number, len(self.sentences))
        correct = 0
        with ThreadPoolExecutor(self.threads) as pool:
            for start in range(0, len(visits), self.settings.batch):
                batch = visits[start : start + self.settings.batch]
                learn = partial(self._learn, number)
                updates = list(pool.map(learn, batch))  # all of them, before any weight changes
                for update in updates:
                    self.perceptron.apply(update)
                    correct += update.correct
                    on_sentence()
        return {"correct": correct / len(visits)}

    def stored(self) -> StoredLinearScorer:
        keys, weights = self.perceptron.weights.averaged()
        settings = self.settings
        return StoredLinearScorer.of(
            keys, weights, settings.max_features, quantized=settings.quantized
        )

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return self.perceptron.weights.state()

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.perceptron.weights.restore(arrays)

    def _learn(self, number: int, index: int) -> Update:
        sentence = self.sentences[index]
        problem = visit(self.settings, number, index, sentence)
        inflected = None
        if self.inflect is not None and of_lemmas(self.settings, number, index):
            inflected = self.inflect(sentence, problem)
            problem = inflected.problem
        alternatives = None if inflected is None else inflected.alternatives
        encoding, gold = encode_training(sentence, problem, self.vocabulary, alternatives)
        readings, forms = gold.tags, None
        if inflected is not None:
            chosen = np.zeros(len(sentence), np.int32)  # by number, as in the reference
            chosen[gold.order] = inflected.chosen
            readings = gold.tags + chosen * (len(self.vocabulary.tags) + 1)
            if readings.max() < READINGS_LIMIT:
                taken = [(word, int(chosen[word]), int(tag)) for word, tag in enumerate(gold.tags)]
                forms = form_arrays(encoding, self.vocabulary, taken)
            else:  # a huge tag set: the order of the likeliest forms
                readings = gold.tags
        return self.perceptron.learn(
            encoding.task,
            gold.order,
            gold.heads,
            gold.labels,
            readings,
            self.settings.beam,
            self.settings.update == "max-violation",
            forms,
        )
