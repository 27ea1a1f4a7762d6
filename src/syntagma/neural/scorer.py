"""The neural scorer: opens searches over encoded problems and labels the trees that they find.

The encoder (`encoder`) turns words into vectors, the compiled search (`_search`) scores actions by
them, and a second action scorer, from right to left, reranks the results (`_reranker`). A second
network may help to rerank those of trees. `stored` loads a scorer from a model file, `training`
trains one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from syntagma.language_model._ngrams import BackwardNGramScorer, NGramScorer
from syntagma.neural._action_scorer import COUNT_BUCKETS, COUNT_NAMES, ActionScorer
from syntagma.neural._encoder import Matrix
from syntagma.neural._reranker import Reranker
from syntagma.neural._search import NeuralSearch
from syntagma.neural.encoder import Encoder, SlotRows, WordVectors
from syntagma.neural.lexicon import Lexicon
from syntagma.neural.parameters import DIRECTIONS, Dimensions, EmbeddingTable, Floats
from syntagma.neural.slots import SLOTS, SlotTable
from syntagma.transition._search import FoundTree, Search
from syntagma.transition._state import SearchTask
from syntagma.transition.encoding import Encoding
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
        problem: SearchTask,
        width: int,
        action_scorer: ActionScorer,
        rows: SlotRows,
        pairs: Floats,
        *,
        words: WordVectors,
        encoding: Encoding,
        label_arcs: Callable[[Floats, Sequence[tuple[int, int]]], list[int]],
        judges: Sequence[Reranker],
        ngram_scorer: NGramScorer | None = None,
        merging: bool = False,
        mirrored: bool = False,
    ) -> None:
        self.words = words
        self.encoding = encoding
        self.label_arcs = label_arcs

    def results(self, n_best: int) -> list[FoundTree]:
        encoding, completed = self.encoding, []
        for found in super().results(n_best):
            heads = [
                given if lifted else head
                for head, given, lifted in zip(
                    found.heads, encoding.given_heads, encoding.lifts, strict=True
                )
            ]
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

    `tables` (by field) and `weights` (by name) are the parameters of `parameter_shapes`. `second`
    is a network with the same vocabulary and lexicon, which only helps to rerank orders of trees.
    """

    batch = 8
    chooses_forms = False  # it sees each lemma in its likeliest form
    max_words = 2000  # pair tables grow with the square of the length: 350 MB for 2000 words

    def __init__(
        self,
        dimensions: Dimensions,
        slots: SlotTable,
        lexicon: Lexicon,
        vocabulary: Vocabulary,
        tables: Mapping[str, EmbeddingTable],
        weights: Mapping[str, Floats],
        second: NeuralScorer | None = None,
    ) -> None:
        self.second = second
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
        counts_shape = (len(COUNT_NAMES), COUNT_BUCKETS, dimensions.hidden)
        self._action_scorers = [
            ActionScorer(
                slots.state,
                slots.arc,
                slots.candidate,
                slots.sets,
                slots.pairs,
                w[f"{prefix}counts"].reshape(counts_shape),
                w[f"{prefix}shift_out"],
                w[f"{prefix}arc_out"],
                w[f"{prefix}arc_bias"],
            )
            for prefix in DIRECTIONS
        ]
        self.slot_groups = list(self._action_scorers[0].groups.values())  # both have the same slots
        self.encoder = Encoder(dimensions, lexicon, vocabulary, tables, weights, self.slot_groups)

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
        return cls(dimensions, SLOTS, lexicon, vocabulary, tables, weights)

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
        *,
        merging: bool = True,
    ) -> Iterator[RerankedSearch]:
        """A search over each problem; the problems are encoded together."""
        encoded = self.encoder.encode(encodings)
        seconds = self._second_readings(encodings)
        for encoding, width, ngram_scorer, words in zip(
            encodings, widths, ngram_scorers, encoded, strict=True
        ):
            open_search = partial(
                RerankedSearch,
                words=words,
                encoding=encoding,
                label_arcs=self.label,
                merging=merging,
            )
            task, mirrored = encoding.task, encoding.task.mirrored()
            readings = [self._directions(words)]
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

    def _second_readings(self, encodings: Sequence[Encoding]) -> Iterator[list[Readings]]:
        """Those of the second network, if there is one, for each tree among the problems."""
        trees = [encoding for encoding in encodings if encoding.is_tree]
        if self.second is None:
            yield from ([] for _ in trees)
        else:
            for words in self.second.encoder.encode(trees):
                yield [self.second._directions(words)]

    def _directions(self, words: WordVectors) -> Readings:
        """What a search or a reranker scores actions by, for each of DIRECTIONS."""
        return [
            (scorer, *rows_and_pairs)
            for scorer, rows_and_pairs in zip(self._action_scorers, words.directions, strict=True)
        ]

    def label(self, vectors: Floats, arcs: Sequence[tuple[int, int]]) -> list[int]:
        """The best label of each arc; an arc is a pair (head, dependent)."""
        unknown = len(self.vocabulary.labels)
        if not arcs or not unknown:  # a model of one-word sentences has no labels
            return [unknown] * len(arcs)
        ends = vectors[np.array(arcs)].reshape(len(arcs), -1)
        scores = self._label_out(np.maximum(self._arc_ends(ends), 0))
        chosen: list[int] = scores.argmax(axis=1).tolist()
        return chosen
