"""Learning guided by best-first search (ZC15 §3.5): epochs over a treebank, and gold derivations.

The updates of one sentence are compiled, in `_guided_learning`; the CCG grammar is extracted by
`grammar_extraction`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from syntagma.best_first._edges import Edges
from syntagma.best_first._guided_learning import GuidedSearch
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.derivations import HEAD_LEFT, HEAD_RIGHT, LEAF, NONE, DerivationNode
from syntagma.best_first.fluency import find_junctions, fluency_templates
from syntagma.best_first.grammar_extraction import count_unreachable, extract_grammar
from syntagma.best_first.grammars import DependencyEdgeGrammar, edge_grammar
from syntagma.best_first.scorer import StoredEdgeScorer
from syntagma.best_first.settings import BestFirstSettings
from syntagma.ccg.derivation import Derivation
from syntagma.features._sparse import TrainingWeights
from syntagma.features.stored_weights import StoredWeights
from syntagma.language_model.packed import LanguageModel
from syntagma.request import Request
from syntagma.transition.encoding import Encoding
from syntagma.transition.training import (
    Reference,
    describe_vocabulary,
    encode_training,
    prepare,
)
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence
from syntagma.treebanks.visits import InflectVisit, of_lemmas, shuffled, visit


class GuidedLearner:
    """Learns the weights of edge features.

    Figures of an epoch: `found`, the share of sentences whose gold result was reached within the
    search budget, and the mean numbers of `updates` and `expansions` per sentence; for CCG, the
    number of `unreachable` gold derivations if there are any.

    With `inflect`, some visits of each epoch learn to choose forms, too (§5.7). With a language
    model, edges have its scores as features.
    """

    def __init__(
        self,
        settings: BestFirstSettings,
        inflect: InflectVisit | None = None,
        language_model: LanguageModel | None = None,
    ) -> None:
        self.settings = settings
        self.inflect = inflect
        self.language_model = language_model
        self.fluency = None if language_model is None else fluency_templates()
        self.epochs = settings.epochs
        self.request = Request(search="best-first", expansions=settings.dev_expansions)

    def begin(
        self, sentences: Sequence[Sentence], pretrain: Sequence[Sequence[Sentence]]
    ) -> Vocabulary:
        self.sentences, self.vocabulary = prepare(self.settings, sentences)
        self.ccg: CcgGrammar | None = None
        self.unreachable = 0  # gold derivations that the search cannot build
        if self.settings.grammar == "ccg":
            derivations = (each.derivation for each in sentences)
            self.ccg = extract_grammar(filter(None, derivations), self.vocabulary)
            self.unreachable = count_unreachable(sentences, self.ccg)
        self.grammar = edge_grammar(self.vocabulary, self.ccg, forms=self.inflect is not None)
        self.weights = TrainingWeights()
        return self.vocabulary

    def describe(self) -> dict[str, Any]:
        ccg = (
            {}
            if self.ccg is None
            else {"heads": self.settings.heads or "rule", "unreachable": self.unreachable}
        )
        return {
            "search": "best-first",
            "grammar": self.settings.grammar,
            "chart": self.settings.chart,
            "scaled": self.settings.scaled,
            **({"chart_by_size": True} if self.settings.chart_by_size else {}),
            "templates": [
                *self.grammar.templates.texts,
                *(self.fluency.texts if self.fluency else ()),
            ],
            **describe_vocabulary(self.vocabulary),
            **ccg,
        }

    def pass_over(self, number: int, on_sentence: Callable[[], None]) -> dict[str, float]:
        settings = self.settings
        visits = shuffled(settings, number, len(self.sentences))
        found = updates = expansions = 0
        for index in visits:
            sentence = self.sentences[index]
            problem = visit(settings, number, index, sentence)
            alternatives, forms = None, None
            if self.inflect is not None and of_lemmas(settings, number, index):
                inflected = self.inflect(sentence, problem)
                problem, alternatives = inflected.problem, inflected.alternatives
                forms = inflected.chosen
            encoding, reference = encode_training(sentence, problem, self.vocabulary, alternatives)
            edges, gold = self._gold_edges(encoding, reference, sentence.derivation, forms)
            if self.language_model is not None and self.fluency is not None:
                junctions = find_junctions(self.language_model, encoding)
                edges.use_language_model(junctions, self.fluency)
            search = GuidedSearch(
                edges,
                settings.chart,
                settings.scaled,
                self.weights,
                gold,
                settings.update == "margin",
                settings.negatives,
                settings.first_update,
                settings.chart_by_size,
            )
            found += search.learn(settings.expansions)
            self.weights.steps += 1
            updates += search.updates
            expansions += search.expansions
            on_sentence()
        count = len(visits)
        figures = {
            "found": found / count,
            "updates": updates / count,
            "expansions": expansions / count,
        }
        if self.unreachable:
            figures["unreachable"] = self.unreachable
        return figures

    def _gold_edges(
        self,
        encoding: Encoding,
        reference: Reference,
        derivation: Derivation | None,
        forms: Sequence[int] | None,
    ) -> tuple[Edges, list[DerivationNode]]:
        """The edges over a training problem, all gold ones included, and the gold derivation.

        `forms` are the indices of the gold forms from left to right, if there is a choice.
        """
        if isinstance(self.grammar, DependencyEdgeGrammar):
            nodes = tree_nodes(reference, forms)
            leaves = []
            if forms is not None:
                leaves = [
                    (word, form, tag) for _, _, rule, form, word, tag in nodes if rule == LEAF
                ]
            return self.grammar.edges(encoding, reference.labels.tolist(), leaves), nodes
        assert derivation is not None
        nodes = derivation_nodes(derivation, reference, self.grammar.grammar)
        rows = [(word, tag, label) for _, _, rule, label, word, tag in nodes if rule == LEAF]
        return self.grammar.edges(encoding, rows), nodes

    def stored(self) -> StoredEdgeScorer:
        weights = self.weights.averaged() if self.settings.averaged else self.weights.final()
        settings = self.settings
        stored = StoredWeights.of(*weights, settings.max_features, quantized=settings.quantized)
        return StoredEdgeScorer(stored, self.ccg)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return self.weights.state()

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.weights.restore(arrays)


def tree_nodes(reference: Reference, forms: Sequence[int] | None = None) -> list[DerivationNode]:
    """The derivation of a gold tree: each word takes its right dependents, then its left ones,
    each side from the inside out. `forms` are the indices of the gold forms from left to right."""
    order, heads = reference.order.tolist(), reference.heads.tolist()
    labels, tags = reference.labels.tolist(), reference.tags.tolist()
    rights: defaultdict[int, list[int]] = defaultdict(list)
    lefts: defaultdict[int, list[int]] = defaultdict(list)
    seen: set[int] = set()
    for word in order:
        side = rights if heads[word] in seen else lefts
        side[heads[word]].append(word)
        seen.add(word)
    top_down = [word for word in order if heads[word] < 0]
    for word in top_down:  # the list grows during the loop
        top_down += [*lefts[word], *rights[word]]
    chosen = dict(zip(order, forms, strict=True)) if forms is not None else {}
    nodes: list[DerivationNode] = []
    done: dict[int, int] = {}  # word: its node with all its dependents
    for word in reversed(top_down):
        at = _add(nodes, (NONE, NONE, LEAF, chosen.get(word, NONE), word, tags[word]))
        for dependent in rights[word]:
            at = _add(nodes, (at, done[dependent], HEAD_LEFT, labels[dependent], NONE, NONE))
        for dependent in reversed(lefts[word]):
            at = _add(nodes, (done[dependent], at, HEAD_RIGHT, labels[dependent], NONE, NONE))
        done[word] = at
    return nodes


def derivation_nodes(
    derivation: Derivation, reference: Reference, grammar: CcgGrammar
) -> list[DerivationNode]:
    """A gold CCG derivation; its words are those of the reference from left to right."""
    words = iter(reference.order.tolist())
    tags = reference.tags.tolist()
    nodes: list[DerivationNode] = []
    waiting: list[tuple[int, int]] = []  # (node, category) without a parent yet, left to right
    for node in derivation.bottom_up:
        category = grammar.category_numbers[node.category]
        if not node.children:
            word = next(words)
            at = _add(nodes, (NONE, NONE, LEAF, category, word, tags[word]))
        else:
            parts = waiting[-len(node.children) :]
            del waiting[-len(node.children) :]
            side = (node.head_side,) if len(parts) == 2 else ()
            rule = grammar.rule_numbers[*(part[1] for part in parts), category, *side]
            right = parts[1][0] if len(parts) == 2 else NONE
            at = _add(nodes, (parts[0][0], right, rule, category, NONE, NONE))
        waiting.append((at, category))
    return nodes


def _add(nodes: list[DerivationNode], node: DerivationNode) -> int:
    nodes.append(node)
    return len(nodes) - 1
