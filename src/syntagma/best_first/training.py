"""The epochs of learning guided by best-first search (ZC15 §3.5); its updates are compiled, in
core/guided_learning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from syntagma.best_first._guided_learning import GuidedSearch
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.model import StoredEdges, edge_grammar
from syntagma.best_first.settings import BestFirstSettings
from syntagma.features._weights import TrainingWeights
from syntagma.linear.scorer import StoredWeights
from syntagma.transition.budget import SearchBudget
from syntagma.transition.training import encode_training, learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence
from syntagma.treebanks.visits import shuffled, visit


class GuidedLearner:
    """Learns the weights of edges.

    Its figures: `found`, the share of sentences whose gold result was reached within the limit,
    and how many `updates` and `expansions` a sentence took.
    """

    def __init__(self, settings: BestFirstSettings) -> None:
        self.settings = settings
        self.epochs = settings.epochs
        self.budget = SearchBudget(expansions=settings.dev_expansions)

    def begin(
        self, sentences: Sequence[Sentence], pretrain: Sequence[Sequence[Sentence]]
    ) -> Vocabulary:
        self.sentences = sentences
        self.vocabulary = learn_vocabulary(sentences)
        self.ccg: CcgGrammar | None = None
        if self.settings.grammar == "ccg":
            derivations = (each.derivation for each in sentences)
            self.ccg = CcgGrammar.of_derivations(filter(None, derivations), self.vocabulary)
        self.grammar = edge_grammar(self.vocabulary, self.ccg)
        self.weights = TrainingWeights()
        return self.vocabulary

    def describe(self) -> dict[str, Any]:
        return {
            "search": "best-first",
            "grammar": self.settings.grammar,
            "chart": self.settings.chart,
            "scaled": self.settings.scaled,
            "templates": list(self.grammar.templates.texts),
        }

    def pass_over(self, number: int, on_sentence: Callable[[], None]) -> dict[str, float]:
        settings = self.settings
        visits = shuffled(settings, number, len(self.sentences))
        found = updates = expansions = 0
        for index in visits:
            sentence = self.sentences[index]
            problem = visit(settings, number, index, sentence)
            encoding, reference = encode_training(sentence, problem, self.vocabulary)
            edges, gold = self.grammar.taught_edges(encoding, reference, sentence.derivation)
            search = GuidedSearch(
                edges,
                settings.chart,
                settings.scaled,
                self.weights,
                gold,
                settings.update == "margin",
                settings.negatives,
            )
            found += search.learn(settings.expansions)
            self.weights.steps += 1
            updates += search.updates
            expansions += search.expansions
            on_sentence()
        count = len(visits)
        return {
            "found": found / count,
            "updates": updates / count,
            "expansions": expansions / count,
        }

    def stored(self) -> StoredEdges:
        weights = self.weights.averaged() if self.settings.averaged else self.weights.final()
        return StoredEdges(StoredWeights.of(*weights, self.settings.max_features), self.ccg)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return self.weights.state()

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.weights.restore(arrays)
