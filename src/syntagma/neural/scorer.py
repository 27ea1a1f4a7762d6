"""The neural scorer: opens searches over encoded problems and labels the trees that they find.

The encoder (`encoder`) turns words into vectors, the compiled search (`_search`) scores actions by
them, and a second action scorer, from right to left, reranks the results. `stored` loads a scorer
from a model file, `training` trains one.

There may be up to three networks with one lexicon. One that learns every condition sees few bags;
one that was fine-tuned on bags and partial trees is better at them. A second network for trees,
which has learned apart from the first, helps it to rerank. All share the lexicon, its tables and
the vocabulary, which are most of a model file; their dimensions may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from syntagma.language_model._ngrams import BackwardNGramScorer, NGramScorer
from syntagma.neural._action_scorer import COUNT_BUCKETS, COUNT_NAMES, ActionScorer
from syntagma.neural._encoder import Matrix
from syntagma.neural._search import NeuralSearch, Reranker
from syntagma.neural.encoder import Encoder, SlotRows, WordVectors
from syntagma.neural.lexicon import Lexicon
from syntagma.neural.parameters import DIRECTIONS, SLOTS, Dimensions, EmbeddingTable, Floats
from syntagma.transition._clock import NO_LIMIT, Clock
from syntagma.transition._search import FoundTree, Search
from syntagma.transition._state import SearchTask
from syntagma.transition.encoding import Encoding
from syntagma.transition.lifting import unlifted
from syntagma.transition.vocabulary import Vocabulary

BEAM = 64
TREE_BEAM = 16  # where all arcs are given, fewer orders are left to choose from
SECOND_NETWORK = 0.4  # its share in the score of an order of a tree, if there is one

Readings = Sequence[tuple[ActionScorer, SlotRows, Floats]]  # by what actions are scored, either way


class RerankedSearch(NeuralSearch):
    """A search whose results are reranked, and whose tags and labels are chosen at the end.

    The actions of the search carry neither tags nor labels. The first of its judges reads each
    finished sentence in the other direction; the score of one network is the mean of both. Words
    that were lifted return to their given heads.
    """

    def __init__(
        self,
        *reading: Any,
        words: WordVectors,
        encoding: Encoding,
        label_arcs: Callable[[Floats, Sequence[tuple[int, int]]], list[int]],
        **others: Any,
    ) -> None:
        self.words = words
        self.encoding = encoding
        self.label_arcs = label_arcs

    def results(self, n_best: int) -> list[FoundTree]:
        encoding, completed = self.encoding, list[FoundTree]()
        for found in super().results(n_best):
            if completed and self.clock.over:
                self.narrowed = True
                break
            heads = unlifted(encoding, found.heads)
            labels = list(found.labels)
            dependents = [word for word, head in enumerate(heads) if head >= 0]
            if all(word.deprel is not None for word in encoding.problem.words):
                dependents = []  # the results have the labels that are given
            arcs = [(heads[word], word) for word in dependents]
            chosen = self.label_arcs(self.words.vectors, arcs)
            for word, label in zip(dependents, chosen, strict=True):
                labels[word] = label
            tags = self.words.tags.tolist()
            completed.append(found._replace(heads=heads, tags=tags, labels=labels))
        return completed


NO_ROLE, SUBJECT, OBJECT, INDIRECT_OBJECT = range(4)
ROLES = {"nsubj": SUBJECT, "csubj": SUBJECT, "obj": OBJECT, "iobj": INDIRECT_OBJECT}


def role_of(label: str) -> int:
    """The role that only one dependent of a head has; subjects of outer clauses are others."""
    function, _, subtype = label.partition(":")
    return NO_ROLE if subtype == "outer" else ROLES.get(function, NO_ROLE)


def _rivals(heads: Sequence[int], roles: Sequence[int]) -> list[tuple[int, list[int]]]:
    """(role, arcs) for each head and role that several arcs have."""
    found: dict[tuple[int, int], list[int]] = {}
    for arc, (head, role) in enumerate(zip(heads, roles, strict=True)):
        if role != NO_ROLE:
            found.setdefault((head, role), []).append(arc)
    return [(role, which) for (_, role), which in found.items() if len(which) > 1]


def searched_both_ways(encoding: Encoding) -> bool:
    """Whether there is a search from right to left beside that from left to right.

    It pays where arcs are missing. It cannot choose forms, which depend on what stands first, nor
    complete an order of which the first words are given.
    """
    return not encoding.is_tree and not encoding.has_choices and not encoding.task.partly_fixed


def rerankers(
    task: SearchTask, mirrored: SearchTask, readings: Sequence[Readings]
) -> list[Reranker]:
    """Those of a search over `task`; `readings` are those of each network, first from the end where
    the search begins.

    Each mixes its score r into the sum s before it, (1 − share) s + share r. So the network of the
    search reads with ½ from either end, and a second one with SECOND_NETWORK / 2 from either end.
    """
    (_, other_way), *further = readings
    judges = [Reranker(mirrored, 1, *other_way)]
    for same_way, other_way in further:
        half = SECOND_NETWORK / 2
        judges += [
            Reranker(task, 1, *same_way, share=half / (1 - half), same_way=True),
            Reranker(mirrored, 1, *other_way, share=half),
        ]
    return judges


class NeuralScorer:
    """A trained network; opens searches over encoded problems.

    `tables` (by field) and `weights` (by name) are the parameters of `parameter_shapes`. With
    `bags`, it leaves all problems but trees to that network; with `second`, that network helps to
    rerank orders of trees (`join_networks`).
    """

    batch = 8
    chooses_forms = False  # it sees each lemma in its likeliest form
    max_words = 2000  # pair tables grow with the square of the length: 350 MB for 2000 words

    def __init__(
        self,
        dimensions: Dimensions,
        lexicon: Lexicon,
        vocabulary: Vocabulary,
        tables: Mapping[str, EmbeddingTable],
        weights: Mapping[str, Floats],
    ) -> None:
        self.bags: NeuralScorer | None = None
        self.second: NeuralScorer | None = None
        self.dimensions = dimensions
        self.lexicon = lexicon
        self.vocabulary = vocabulary
        self._tables = tables
        self.lifts = "lifted" in tables  # it has learned orders that are not projective
        self._weights = w = weights
        self._arc_ends = Matrix(
            np.vstack([w["labels.head"], w["labels.dependent"]]), w["labels.bias"]
        )
        self._label_out = Matrix(w["labels.out.weight"], w["labels.out.bias"])
        roles = np.array([role_of(label) for label in vocabulary.labels], np.int32)
        self._roles = roles if NO_ROLE in roles else np.zeros_like(roles)
        counts_shape = (len(COUNT_NAMES), COUNT_BUCKETS, dimensions.hidden)
        self._action_scorers = [
            ActionScorer(
                *SLOTS,
                w[f"{prefix}counts"].reshape(counts_shape),
                w[f"{prefix}shift_out"],
                w[f"{prefix}arc_out"],
                w[f"{prefix}arc_bias"],
            )
            for prefix in DIRECTIONS
        ]
        slot_groups = list(self._action_scorers[0].groups.values())  # both have the same slots
        self.encoder = Encoder(dimensions, lexicon, vocabulary, tables, weights, slot_groups)

    @classmethod
    def from_parameters(
        cls,
        dimensions: Dimensions,
        lexicon: Lexicon,
        vocabulary: Vocabulary,
        parameters: Mapping[str, Floats],
    ) -> NeuralScorer:
        """A scorer with parameters in full precision, as `parameters` returns them."""
        tables, weights = {}, {}
        for name, parameter in parameters.items():
            if name.startswith("tables."):
                tables[name.removeprefix("tables.")] = EmbeddingTable(parameter)
            else:
                weights[name] = parameter
        return cls(dimensions, lexicon, vocabulary, tables, weights)

    def lift_scores(self, search: Search) -> Floats | None:
        """How far each word is lifted: log-probabilities [n, steps], or None if none can be."""
        return search.words.lifting if isinstance(search, RerankedSearch) else None

    def parameters(self) -> dict[str, Floats]:
        """All parameters in 32 bits, by the names of `parameter_shapes`."""
        tables = {f"tables.{name}": table.as_floats() for name, table in self._tables.items()}
        return {**tables, **self._weights}

    def beam(self, is_tree: bool) -> int:
        """The beam width beyond which results hardly improve."""
        return TREE_BEAM if is_tree else BEAM

    def searches(
        self,
        encodings: Sequence[Encoding],
        widths: Sequence[int],
        ngram_scorers: Sequence[NGramScorer | None],
        clock: Clock = NO_LIMIT,
        *,
        merging: bool = True,
    ) -> Iterator[RerankedSearch]:
        """A search over each problem; those of one network are encoded together."""
        owners = [self if each.is_tree or self.bags is None else self.bags for each in encodings]
        encoded = {
            network: network.encoder.encode(
                [each for each, owner in zip(encodings, owners, strict=True) if owner is network],
                clock,
            )
            for network in {*owners}
        }
        seconds = self._second_readings(encodings, clock)
        for encoding, network, width, ngram_scorer in zip(
            encodings, owners, widths, ngram_scorers, strict=True
        ):
            words = next(encoded[network])
            open_search = partial(
                RerankedSearch,
                words=words,
                encoding=encoding,
                label_arcs=network.label,
                merging=merging,
            )
            task, mirrored = encoding.task, encoding.task.mirrored()
            readings = [network._directions(words)]
            if encoding.is_tree:
                readings.extend(next(seconds))
            forward, backward = readings[0]
            search = open_search(
                task,
                width,
                *forward,
                judges=rerankers(task, mirrored, readings),
                ngram_scorer=ngram_scorer,
            )
            if searched_both_ways(encoding):
                search.opposite = open_search(
                    mirrored,
                    width,
                    *backward,
                    judges=rerankers(mirrored, task, [each[::-1] for each in readings]),
                    ngram_scorer=ngram_scorer and BackwardNGramScorer(ngram_scorer),
                    mirrored=True,
                )
            yield search

    def _second_readings(
        self, encodings: Sequence[Encoding], clock: Clock
    ) -> Iterator[list[Readings]]:
        """Those of the second network, if there is one, for each tree among the problems."""
        if (second := self.second) is None:
            return repeat([])
        trees = [encoding for encoding in encodings if encoding.is_tree]
        return ([second._directions(words)] for words in second.encoder.encode(trees, clock))

    def _directions(self, words: WordVectors) -> Readings:
        """What a search or a reranker scores actions by, for each of DIRECTIONS."""
        return [
            (scorer, *rows_and_pairs)
            for scorer, rows_and_pairs in zip(self._action_scorers, words.directions, strict=True)
        ]

    def label(self, vectors: Floats, arcs: Sequence[tuple[int, int]]) -> list[int]:
        """The best label of each arc; an arc is a pair (head, dependent).

        A head has at most one subject, object and indirect object. If several arcs compete for a
        role, the one that would lose most without it has it.
        """
        unknown = len(self.vocabulary.labels)
        if not arcs or not unknown:  # a model of one-word sentences has no labels
            return [unknown] * len(arcs)
        ends = vectors[np.array(arcs)].reshape(len(arcs), -1)
        scores = self._label_out(np.maximum(self._arc_ends(ends), 0))
        chosen, roles = scores.argmax(axis=1), self._roles
        while rivals := _rivals([head for head, _ in arcs], roles[chosen].tolist()):
            for role, which in rivals:
                others = np.where(roles == role, -np.inf, scores[which])
                keeps = which[int((scores[which].max(axis=1) - others.max(axis=1)).argmax())]
                for arc in which:
                    if arc != keeps:
                        scores[arc, roles == role] = -np.inf
                        chosen[arc] = scores[arc].argmax()
        labels: list[int] = chosen.tolist()
        return labels


def networks_of(scorer: NeuralScorer) -> dict[str, NeuralScorer]:
    """The networks of a scorer, by what they are specialised in; a single one is `trees`."""
    networks = {"trees": scorer, "bags": scorer.bags, "second": scorer.second}
    return {kind: network for kind, network in networks.items() if network is not None}


def join_networks(networks: Mapping[str, NeuralScorer]) -> NeuralScorer:
    """A scorer with these networks, the inverse of `networks_of`."""
    scorer = networks["trees"]
    scorer.bags, scorer.second = networks.get("bags"), networks.get("second")
    return scorer


def starting_network(scorer: NeuralScorer, specialize: str) -> NeuralScorer:
    """The network that training starts from: the one that is specialised or, if there is none yet,
    the general network."""
    return networks_of(scorer).get(specialize, scorer)
