"""Learning guided by best-first search (ZC15 §3.5): epochs over a treebank, gold derivations, and
the extraction of a CCG grammar from derivations (§3.1).

The updates of one sentence are compiled, in `_guided_learning`.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from syntagma.best_first._dependency_edges import HEAD_LEFT_RULE, HEAD_RIGHT_RULE
from syntagma.best_first._edges import LEAF_RULE as LEAF
from syntagma.best_first._edges import Edges
from syntagma.best_first._guided_learning import GuidedSearch
from syntagma.best_first.ccg_grammar import CcgGrammar, Int32, LexicalEntry
from syntagma.best_first.grammars import DependencyEdgeGrammar, DerivationNode, edge_grammar
from syntagma.best_first.settings import BestFirstSettings
from syntagma.best_first.strategy import StoredEdgeScorer, find_junctions
from syntagma.best_first.templates import fluency_templates
from syntagma.ccg.derivation import Derivation
from syntagma.errors import SyntagmaWarning, shown
from syntagma.features._sparse import TrainingWeights
from syntagma.features.stored_weights import StoredWeights
from syntagma.language_model.packed import LanguageModel
from syntagma.request import Request
from syntagma.transition._state import NOT_GIVEN as NONE
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

# On EWT's dev set, the lexicon proposes 6 categories per word on average if tags are given, and the
# gold category is among them for 96.7% of the words; without tags it proposes 11 pairs of tag and
# category, and the gold pair is among them for 95.0%. (RARE = 10: 96.3% of 5.6, 94.7% of 10.3.)
RARE = 20  # forms seen less often may have categories that they were not seen with
MAX_CATEGORIES = 20  # per tag
MIN_SHARE = 0.005  # rarer pairs of a form, and rarer categories of a tag, are not proposed

T = TypeVar("T", bound=Hashable)


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
        settings = self.settings
        about: dict[str, Any] = {
            "search": "best-first",
            "grammar": settings.grammar,
            "chart": settings.chart,
            "scaled": settings.scaled,
        }
        if settings.chart_by_size:
            about["chart_by_size"] = True
        tables = [self.grammar.templates, *([self.fluency] if self.fluency else [])]
        about["templates"] = [text for table in tables for text in table.texts]
        about |= describe_vocabulary(self.vocabulary)
        if self.ccg is not None:
            about |= {"heads": settings.heads or "rule", "unreachable": self.unreachable}
        return about

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
            search = GuidedSearch(edges, self.weights, gold, settings)
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
            leaves = (
                []
                if forms is None
                else [(node[4], node[3], node[5]) for node in nodes if node[2] == LEAF]
            )
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
            at = _add(nodes, (at, done[dependent], HEAD_LEFT_RULE, labels[dependent], NONE, NONE))
        for dependent in reversed(lefts[word]):
            at = _add(nodes, (done[dependent], at, HEAD_RIGHT_RULE, labels[dependent], NONE, NONE))
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


def extract_grammar(derivations: Iterable[Derivation], vocabulary: Vocabulary) -> CcgGrammar:
    """The grammar of the derivations; the vocabulary must contain their tags.

    It has every instance of a binary or unary rule that occurs in the derivations, and no other.
    Unary rules may be applied on top of each other if they ever are in the derivations. A rule that
    occurs with its head on the left and on the right gives two rules.
    """
    names: set[str] = set()
    binary: set[tuple[str, str, str, int]] = set()
    unary: set[tuple[str, str]] = set()
    words: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    chains = False
    for derivation in derivations:
        chains = chains or any(len(chain) > 2 for chain in derivation.unary_chains)
        for node in derivation.nodes:
            names.add(node.category)
            if len(node.children) == 2:
                left, right = node.children
                binary.add((left.category, right.category, node.category, node.head_side))
            elif node.children:
                unary.add((node.children[0].category, node.category))
            elif node.form is not None and node.tag is not None:
                words[node.form][node.tag, node.category] += 1
    categories = sorted(names)
    number = {category: i for i, category in enumerate(categories)}
    forms: dict[str, Counter[LexicalEntry]] = {
        form: Counter(
            {
                (vocabulary.tag_numbers[tag], number[category]): count
                for (tag, category), count in words[form].items()
            }
        )
        for form in sorted(words)
    }
    rare = frozenset(form for form, counts in forms.items() if counts.total() < RARE)
    return CcgGrammar(
        categories,
        _rows(((number[a], number[b], number[c], side) for a, b, c, side in binary), 4),
        _rows(((number[a], number[b]) for a, b in unary), 2),
        {form: _most_frequent(counts) for form, counts in forms.items()},
        rare,
        _categories_by_tag(forms, rare, len(vocabulary.tags)),
        chains=chains,
    )


def returns(chain: Sequence[str]) -> bool:
    """Whether a chain of unary rules, from its lowest category on, returns to one of its
    categories, so that no search builds it. It may begin with a rule X -> X."""
    return any(category in chain[:place] for place, category in enumerate(chain) if place > 1)


def is_derivable(derivation: Derivation, grammar: CcgGrammar) -> bool:
    """Whether a search with the grammar can build the derivation, given the leaves."""
    for chain in derivation.unary_chains:
        if returns(chain) or (len(chain) > 2 and not grammar.chains):
            return False
    numbers = grammar.category_numbers
    for node in derivation.nodes:
        below = (child.category for child in node.children)
        side = (node.head_side,) if len(node.children) == 2 else ()
        rule = (*(numbers.get(category) for category in (*below, node.category)), *side)
        if node.children and rule not in grammar.rule_numbers:
            return False
    return True


def count_unreachable(sentences: Sequence[Sentence], grammar: CcgGrammar) -> int:
    """The number of gold derivations that a search with the grammar cannot build; warn of them."""
    faulty = [
        each
        for each in sentences
        if each.derivation is not None and not is_derivable(each.derivation, grammar)
    ]
    if faulty:
        first = faulty[0].id or shown(" ".join(faulty[0].forms))
        warnings.warn(
            f"{len(faulty)} of {len(sentences)} gold derivations are unreachable, because a chain "
            f"of unary rules returns to a category, as in X -> Y -> X; the first: {first}",
            SyntagmaWarning,
            stacklevel=2,
        )
    return len(faulty)


def _rows(rules: Iterable[tuple[int, ...]], width: int) -> Int32:
    return np.array(sorted(rules), np.int32).reshape(-1, width)


def _most_frequent(counts: Counter[T], limit: int | None = None) -> tuple[T, ...]:
    """The items by frequency, ties in sorted order; rare ones are dropped, but never the first."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]
    least = MIN_SHARE * counts.total()
    return tuple(item for i, (item, count) in enumerate(ranked) if i == 0 or count >= least)


def _categories_by_tag(
    forms: Mapping[str, Counter[LexicalEntry]], rare: frozenset[str], size: int
) -> list[tuple[int, ...]]:
    """The categories of each tag: those of its rare forms, or of all its forms if none is rare.

    The last list is for unknown tags: the categories of rare forms with any tag.
    """
    of_rare = [Counter[int]() for _ in range(size + 1)]
    of_all = [Counter[int]() for _ in range(size + 1)]
    for form, counts in forms.items():
        for (tag, category), count in counts.items():
            for each in (tag, size):
                of_all[each][category] += count
                if form in rare:
                    of_rare[each][category] += count
    chosen = [
        _most_frequent(some or every, MAX_CATEGORIES)
        for some, every in zip(of_rare, of_all, strict=True)
    ]
    return [categories or chosen[size] or (0,) for categories in chosen]
