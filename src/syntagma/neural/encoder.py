"""The set encoder: turns the words of a problem into vectors, in NumPy and compiled loops.

Each word gets the sum of the embeddings of its fields: what is known or given about it. A word has
any number of morphological features, so they take as many columns as they need. Transformer layers
over the set of words follow. They have no positions; the given relation between two words biases
their attention. After one of the layers the encoder guesses the tags and labels that are not given,
and the layers after it read its guesses.

What words add to the hidden layers of the action scorers follows from their vectors (`SlotRows`),
and so does how far each word of a given tree is lifted (`LiftHead`; `transition.lifting` says what
a lifting is, and chooses among them).

The compiled arithmetic is `_encoder`. `network` computes the same in PyTorch, for training. What a
search does with the vectors: `scorer` and `_search`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from syntagma.neural._action_scorer import GROUPS
from syntagma.neural._encoder import (
    RELATION_NAMES,
    Matrix,
    add_bags,
    attend,
    normalise,
    pair_tables,
    read_given,
)
from syntagma.neural.lexicon import LEXICAL, Lexicon
from syntagma.neural.parameters import (
    DIRECTIONS,
    FIELDS,
    INPUTS,
    LABEL,
    NOTHING,
    SLOT_PARTS,
    TAG,
    Dimensions,
    EmbeddingTable,
    Floats,
)
from syntagma.transition._clock import NO_LIMIT, Clock
from syntagma.transition.encoding import NONE, Encoding
from syntagma.transition.lifting import MOST_STEPS, room_of
from syntagma.transition.vocabulary import Vocabulary

Ints = npt.NDArray[np.int32]

MOST_WORDS = 256  # that are encoded together, unless one problem has more


class SlotRows(NamedTuple):
    """The rows of one problem for one action scorer, by group of slots (GROUPS).

    A row is the vector of a word times the matrix of a group. Only words that can stand in these
    slots have one.
    """

    members: tuple[Ints, ...]  # the words that have rows
    words: tuple[Floats, ...]  # [members, columns]: their rows
    special: tuple[Floats, ...]  # [2, columns]: those of nothing and of the start


class Occupants:
    """Which words of a batch can stand in the slots of each group."""

    def __init__(self, heads: Ints, starts: Ints, lengths: Ints) -> None:
        """`heads` are the given heads of the words of all problems, one problem after the other,
        as numbers in their problem; `starts` and `lengths` say where the problems are."""
        first = np.repeat(starts, lengths)
        free = heads == NONE
        governs = np.zeros(len(heads), bool)
        governs[(heads + first)[heads >= 0]] = True
        chosen = {
            "any": np.ones(len(heads), bool),
            "arcs": np.repeat(np.logical_or.reduceat(free, starts), lengths),
            "linked": governs | ~free,
            "heads": governs,
        }
        self.words = [np.flatnonzero(chosen[group]) for group in GROUPS]
        bounds = [np.searchsorted(words, [*starts, len(heads)]).tolist() for words in self.words]
        self.parts = [
            [slice(bound[i], bound[i + 1]) for bound in bounds] for i in range(len(starts))
        ]
        numbers = [(words - first[words]).astype(np.int32) for words in self.words]
        self.members = [
            tuple(number[part] for number, part in zip(numbers, parts, strict=True))
            for parts in self.parts
        ]


class LiftHead:
    """How far words are lifted: a hidden layer over a word, its head and the head of its head."""

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self._ends = Matrix(weights["lift.ends.weight"], weights["lift.ends.bias"])
        self._out = Matrix(weights["lift.out.weight"], weights["lift.out.bias"])

    def scores(self, vectors: Floats, heads: Sequence[int]) -> Floats | None:
        """Log-probabilities [n, steps]; None if no word can be lifted.

        Steps for which not enough ancestors are given are impossible: minus infinity.
        """
        room = room_of(heads)
        words = [word for word, steps in enumerate(room) if steps]
        if not words:
            return None
        ends = [(word, heads[word], heads[heads[word]]) for word in words]
        hidden = self._ends(vectors[np.array(ends)].reshape(len(words), -1))
        logits = self._out(np.maximum(hidden, 0, out=hidden))
        steps = np.arange(MOST_STEPS + 1)
        logits[steps > np.array([room[word] for word in words])[:, None]] = -np.inf
        logits -= logits.max(axis=1, keepdims=True)
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        scores = np.full((len(heads), MOST_STEPS + 1), -np.inf, np.float32)
        scores[:, 0] = 0.0
        scores[words] = logits
        return scores


def read_fields(
    encoding: Encoding, lexicon: Lexicon, vocabulary: Vocabulary
) -> tuple[Ints, Ints, Ints]:
    """The input of the encoder: (fields [n, 9 or more], relations [n, n], given heads [n]).

    After FIELDS follow the columns of `_read_inputs`. A head that is not given is negative; so is
    that of the root.
    """
    given, relations = read_given(encoding.task, len(vocabulary.tags), len(vocabulary.labels))
    # A word that is lifted keeps the arc to its given head, beside that to the lifted one.
    labels, downwards = given[:, LABEL - len(LEXICAL)], len(vocabulary.labels) + 2
    for word, steps in enumerate(encoding.lifts):
        if steps:
            head, upwards = encoding.given_heads[word], len(RELATION_NAMES) + labels[word]
            relations[word, head], relations[head, word] = upwards, upwards + downwards
    lexical = np.array([lexicon.numbers(form) for form in encoding.forms], np.int32)
    fields = np.hstack([lexical, given, *_read_inputs(encoding, vocabulary)])
    return fields, relations, np.array(encoding.heads, np.int32)


def _read_inputs(encoding: Encoding, vocabulary: Vocabulary) -> list[Ints]:
    """The columns of INPUTS, if the model reads any: rows of their tables, one below the other.

    The last row of each table stands for not given. Columns that a word does not need are NOTHING.
    """
    if not encoding.known:
        return []
    first = len(vocabulary.upos) + 1 if vocabulary.upos else 0
    rows: list[list[int]] = []
    for word in encoding.known:
        row = []
        if vocabulary.upos:
            row.append(vocabulary.upos_numbers[word.upos] if word.upos else first - 1)
        if vocabulary.features and word.features is None:
            row.append(first + len(vocabulary.features))
        elif vocabulary.features and word.features:
            values = word.features.split("|")
            row.extend(first + vocabulary.feature_numbers[value] for value in values)
        rows.append(row)
    longest = max(map(len, rows))
    return [np.array([[*row, *[NOTHING] * (longest - len(row))] for row in rows], np.int32)]


def blank_fields(shape: tuple[int, ...], fields: Sequence[Ints]) -> Ints:
    """Fields of rows that are not words yet, with as many columns as the widest of these."""
    blank = np.zeros((*shape, max(each.shape[1] for each in fields)), np.int32)
    blank[..., len(FIELDS) :] = NOTHING
    return blank


@dataclass(frozen=True, slots=True)
class WordVectors:
    """What the encoder makes of one problem."""

    vectors: Floats  # [n, width]
    tags: Ints  # [n]: the most probable tag of each word
    # For each of DIRECTIONS the vectors multiplied with the matrices of the slots and pairs:
    # the rows and the pair tables of a NeuralSearch.
    directions: tuple[tuple[SlotRows, Floats], ...]
    lifting: Floats | None = None  # [n, steps]: log-probabilities, see `LiftHead`


class Encoder:
    """The set encoder with its parameters; see `parameter_shapes` for their names."""

    def __init__(
        self,
        dimensions: Dimensions,
        lexicon: Lexicon,
        vocabulary: Vocabulary,
        tables: Mapping[str, EmbeddingTable],
        weights: Mapping[str, Floats],
        slot_groups: Sequence[Sequence[int]],
    ) -> None:
        """`slot_groups` are the columns of each group of slots (`ActionScorer.groups`)."""
        self._dimensions = dimensions
        self._lexicon = lexicon
        self._vocabulary = vocabulary
        self._tables = tables
        none = np.empty((0, dimensions.width), np.float32)
        inputs = [tables[name].as_floats() for name in INPUTS if name in tables]
        self._inputs = np.vstack([none, *inputs])
        self._weights = w = weights
        self._linear = {
            name.removesuffix(".weight"): Matrix(weight, w[name.removesuffix("weight") + "bias"])
            for name, weight in w.items()
            if weight.ndim == 2
            and name.endswith(".weight")
            and not name.startswith(("labels.", "lift."))
        }
        self._lift_head = LiftHead(w) if "lifted" in tables else None
        self._label_head = Matrix(w["guess.label_head"])
        self._tag_vectors = Matrix(w["guess.tag_vectors"])
        self._label_vectors = Matrix(w["guess.label_vectors"])
        self._attention = [
            np.ascontiguousarray(w[f"layers.{i}.attention"].T) for i in range(dimensions.layers)
        ]
        scale = np.float32(dimensions.rank**-0.5)
        self._slots, self._pairs, self._special_ends = [], [], []
        for prefix in DIRECTIONS:
            parts = np.hstack([w[f"{prefix}slots.{part}"] for part in SLOT_PARTS])
            matrices = [Matrix(np.ascontiguousarray(parts[:, group])) for group in slot_groups]
            special = tuple(matrix(w["special"]) for matrix in matrices)
            self._slots.append((matrices, special))
            ends = [w[f"{prefix}pairs.first"] * scale, w[f"{prefix}pairs.second"]]
            self._pairs.append(pairs := Matrix(np.hstack(ends)))
            self._special_ends.append(pairs(w["special"]))

    def encode(
        self, encodings: Sequence[Encoding], clock: Clock = NO_LIMIT
    ) -> Iterator[WordVectors]:
        """Encode several problems; the vectors of one do not depend on the others. Raises
        `TimeIsUp`.

        The words of all problems are rows of one matrix, of at most MOST_WORDS unless a problem has
        more.
        """
        sizes = accumulate(len(encoding.order) for encoding in encodings)
        fitting = max(1, sum(size <= MOST_WORDS for size in sizes))
        if fitting < len(encodings):
            yield from self.encode(encodings[:fitting], clock)
            yield from self.encode(encodings[fitting:], clock)
            return
        if not encodings:
            return
        lengths = np.array([len(encoding.order) for encoding in encodings], np.int32)
        ends = np.cumsum(lengths, dtype=np.int32)
        starts = ends - lengths
        inputs = [read_fields(each, self._lexicon, self._vocabulary) for each in encodings]
        fields = blank_fields((int(ends[-1]),), [each for each, _, _ in inputs])
        for (given, _, _), start, end in zip(inputs, starts, ends, strict=True):
            fields[start:end, : given.shape[1]] = given
        heads = np.concatenate([given_heads for _, _, given_heads in inputs])
        lifts = np.array([steps for encoding in encodings for steps in encoding.lifts], np.int32)
        vectors, tags = self._transform(
            fields,
            np.concatenate([relation.reshape(-1) for _, relation, _ in inputs]),
            np.where(heads < 0, ends[-1], heads + np.repeat(starts, lengths)),
            np.minimum(lifts, MOST_STEPS),
            starts,
            lengths,
            clock,
        )
        occupants = Occupants(heads, starts, lengths)
        rows = zip(*self._slot_rows(vectors, occupants, clock), strict=True)
        pair_ends = [pairs(vectors, clock) for pairs in self._pairs]
        n_tables = self._pairs[0].after // (2 * self._dimensions.rank)
        for encoding, start, end, its_rows in zip(encodings, starts, ends, rows, strict=True):
            lifting = None
            if self._lift_head is not None and encoding.liftings is not None:
                lifting = self._lift_head.scores(vectors[start:end], encoding.heads)
            tables = [
                pair_tables(np.concatenate([both[start:end], special]), n_tables, clock)
                for both, special in zip(pair_ends, self._special_ends, strict=True)
            ]
            yield WordVectors(
                vectors[start:end],
                tags[start:end],
                tuple(zip(its_rows, tables, strict=True)),
                lifting,
            )

    def _slot_rows(
        self, vectors: Floats, occupants: Occupants, clock: Clock
    ) -> Iterator[list[SlotRows]]:
        """The rows of each problem of a batch, for each action scorer."""
        for matrices, special in self._slots:
            products = [
                matrix(vectors if len(words) == len(vectors) else vectors[words], clock)
                for matrix, words in zip(matrices, occupants.words, strict=True)
            ]
            found = []
            for members, parts in zip(occupants.members, occupants.parts, strict=True):
                rows = (product[part] for product, part in zip(products, parts, strict=True))
                found.append(SlotRows(members, tuple(rows), special))
            yield found

    def _transform(
        self,
        fields: Ints,
        relations: Ints,
        heads: Ints,
        lifts: Ints,
        starts: Ints,
        lengths: Ints,
        clock: Clock,
    ) -> tuple[Floats, Ints]:
        """(vectors, tags): the transformer over the rows of several problems."""
        d, linear = self._dimensions, self._linear
        h = np.zeros((len(fields), d.width), np.float32)
        for name, numbers in zip(FIELDS, fields.T, strict=False):
            self._tables[name].add_to(h, np.ascontiguousarray(numbers))
        add_bags(h, self._inputs, fields[:, len(FIELDS) :])
        if self._lift_head is not None:
            self._tables["lifted"].add_to(h, lifts)
        h = self._norm("norm", h)
        tags = np.empty(len(h), np.int32)
        for i in range(d.layers):
            layer = f"layers.{i}"
            qkv = linear[f"{layer}.qkv"](self._norm(f"{layer}.norm1", h), clock)
            mixed = attend(qkv, relations, self._attention[i], starts, lengths, clock)
            h += linear[f"{layer}.out"](mixed, clock)
            up = linear[f"{layer}.up"](self._norm(f"{layer}.norm2", h), clock)
            h += linear[f"{layer}.down"](np.maximum(up, 0, out=up), clock)
            if i == d.guess_after:
                tags = self._guess(h, fields, heads)
        return self._norm("norm_out", h), tags

    def _guess(self, h: Floats, fields: Ints, heads: Ints) -> Ints:
        """Add guesses to `h` where tags or labels are not given; return the most probable tags."""
        z = self._norm("guess.norm", h)
        tag_scores = self._linear["guess.tag"](z)
        unknown = fields[:, TAG] == len(self._vocabulary.tags) + 1
        if unknown.any():
            h[unknown] += self._tag_vectors(_softmax(tag_scores[unknown]))
        unknown = fields[:, LABEL] == len(self._vocabulary.labels) + 1
        if unknown.any():
            with_none = np.vstack([z, self._weights["guess.no_head"]])
            label_scores = self._linear["guess.label"](z[unknown])
            label_scores += self._label_head(with_none[heads[unknown]])
            h[unknown] += self._label_vectors(_softmax(label_scores))
        tags: Ints = tag_scores.argmax(axis=1).astype(np.int32)
        return tags

    def _norm(self, name: str, x: Floats) -> Floats:
        return normalise(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])


def _softmax(x: Floats) -> Floats:
    x = np.exp(x - x.max(-1, keepdims=True))
    x /= x.sum(-1, keepdims=True)
    return x
