"""The neural scorer of a model: a set encoder in NumPy before the compiled action scorer.

The encoder turns each word into a vector in the light of everything that is given: embeddings of
what is known of the word, then transformer layers over the set of words, without positions, whose
attention is biased by the given relation between two words. After one of the layers it guesses the
tags and labels that are not given, and reads its guesses in the layers after it.

It is trained by `neural_training`, whose PyTorch network computes the same; what is done with the
vectors in a search is core/neural.pyx and core/opinion.pyx.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError
from syntagma.files.packing import pack_lines, unpack_lines
from syntagma.neural._encoder import (
    Matrix,
    add_byte_rows,
    add_rows,
    attend,
    normalise,
    pair_tables,
)
from syntagma.neural._reranker import Reranker
from syntagma.neural._search import (
    COUNT_BUCKETS,
    COUNT_NAMES,
    RELATION_NAMES,
    VECTOR_MULTIPLE,
    ActionScorer,
    NeuralSearch,
    describe,
)
from syntagma.neural.slots import SLOTS, SlotTable
from syntagma.problem.problem import Problem
from syntagma.problem.shape import shape
from syntagma.transition.encoding import LEFTARC, SHIFT, Action, Encoding
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

LEXICAL = ("form", "lower", "suffix", "shape")
FIELDS = (*LEXICAL, "tag", "label", "head", "dependents", "descendants")
TAG, LABEL = FIELDS.index("tag"), FIELDS.index("label")
_HEAD_STATES = 3  # unknown, a word, the root


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Sizes of the network; those of its tables follow from the vocabulary."""

    width: int = 160
    layers: int = 3
    heads: int = 8
    feedforward: int = 320
    hidden: int = 160
    arc_hidden: int = 64
    rank: int = 32
    label_hidden: int = 128
    guess_after: int = 1  # the layer after which tags and labels are guessed


SLOT_PARTS = ("state", "arc", "candidate", "sets")
ARCS = 2  # LEFTARC, RIGHTARC
# Prefixes of the parameters of the action scorer, of which there are two: one goes from left to
# right; the other, from right to left, has a second opinion on what the first has found.
DIRECTIONS = ("", "backward.")
BEAM = 64
TREE_BEAM = 16
SPECIAL = 2  # rows after the words of a problem: nothing, start


def parameter_shapes(
    d: Dimensions, slots: SlotTable, sizes: Mapping[str, int]
) -> dict[str, tuple[int, ...]]:
    """All parameters of the network by name; vectors are rows, so a matrix is [from, to].

    `sizes` are those of `table_sizes`.
    """
    n_tags, n_labels = sizes["tag"] - 2, sizes["label"] - 2
    shapes: dict[str, tuple[int, ...]] = {}

    def linear(name: str, before: int, after: int) -> None:
        shapes[f"{name}.weight"] = (before, after)
        shapes[f"{name}.bias"] = (after,)

    def norm(name: str) -> None:
        shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (d.width,)

    for name in FIELDS:
        shapes[f"tables.{name}"] = (sizes[name], d.width)
    norm("norm")
    for i in range(d.layers):
        norm(f"layers.{i}.norm1")
        linear(f"layers.{i}.qkv", d.width, 3 * d.width)
        shapes[f"layers.{i}.attention"] = (sizes["relations"], d.heads)
        linear(f"layers.{i}.out", d.width, d.width)
        norm(f"layers.{i}.norm2")
        linear(f"layers.{i}.up", d.width, d.feedforward)
        linear(f"layers.{i}.down", d.feedforward, d.width)
    norm("guess.norm")
    linear("guess.tag", d.width, n_tags)
    linear("guess.label", d.width, n_labels + 1)  # the last: the root's
    shapes["guess.label_head"] = (d.width, n_labels + 1)
    shapes["guess.no_head"] = (d.width,)
    shapes["guess.tag_vectors"] = (n_tags, d.width)
    shapes["guess.label_vectors"] = (n_labels + 1, d.width)
    norm("norm_out")
    shapes["special"] = (SPECIAL, d.width)
    for prefix in DIRECTIONS:
        shapes[f"{prefix}slots.state"] = (d.width, len(slots.state) * d.hidden)
        shapes[f"{prefix}slots.arc"] = (d.width, len(slots.arc) * d.arc_hidden)
        shapes[f"{prefix}slots.candidate"] = (d.width, len(slots.candidate) * d.hidden)
        shapes[f"{prefix}slots.sets"] = (d.width, len(slots.sets) * d.hidden)
        both = (d.width, (len(slots.pairs) + ARCS) * d.rank)
        shapes[f"{prefix}pairs.first"] = shapes[f"{prefix}pairs.second"] = both
        shapes[f"{prefix}counts"] = (len(COUNT_NAMES) * COUNT_BUCKETS, d.hidden)
        shapes[f"{prefix}shift_out"] = (d.hidden,)
        shapes[f"{prefix}arc_out"] = (ARCS, d.arc_hidden)
        shapes[f"{prefix}arc_bias"] = (ARCS,)
    shapes["labels.head"] = shapes["labels.dependent"] = (d.width, d.label_hidden)
    shapes["labels.bias"] = (d.label_hidden,)
    linear("labels.out", d.label_hidden, n_labels)
    return shapes


class Lexicon:
    """Numbers for forms, lower-case forms, suffixes and shapes; 0 stands for the unknown."""

    def __init__(self, names: Mapping[str, Sequence[str]]) -> None:
        self.names = names
        self._tables = [
            {name: i for i, name in enumerate(names[table], start=1)} for table in LEXICAL
        ]
        self._cache: dict[str, tuple[int, ...]] = {}

    @classmethod
    def of_treebank(cls, sentences: Iterable[Sentence], min_count: int) -> Lexicon:
        counts: list[Counter[str]] = [Counter() for _ in LEXICAL]
        for form, count in Counter(f for s in sentences for f in s.forms).items():
            for table, name in zip(counts, _lexical_names(form), strict=True):
                table[name] += count
        return cls(
            {
                table: sorted(name for name, count in seen.items() if name and count >= min_count)
                for table, seen in zip(LEXICAL, counts, strict=True)
            }
        )

    def numbers(self, form: str) -> tuple[int, ...]:
        found = self._cache.get(form)
        if found is None:
            if len(self._cache) > 1 << 16:
                self._cache.clear()
            found = tuple(
                table.get(name, 0)
                for table, name in zip(self._tables, _lexical_names(form), strict=True)
            )
            self._cache[form] = found
        return found

    def sizes(self) -> dict[str, int]:
        return {table: len(self.names[table]) + 1 for table in LEXICAL}


def _lexical_names(form: str) -> tuple[str, str, str, str]:
    """A phrase goes by its last word, in English most often its head. A form in lower case is not
    listed twice."""
    word = form.rpartition(" ")[2]
    lower = word.lower()
    return "" if word == lower else word, lower, lower[-3:], shape(form)


def table_sizes(lexicon: Lexicon, vocabulary: Vocabulary) -> dict[str, int]:
    """Rows of the embedding table of each field, and of the attention bias (`relations`)."""
    n_tags, n_labels = len(vocabulary.tags) + 2, len(vocabulary.labels) + 2
    return {
        **lexicon.sizes(),
        "tag": n_tags,
        "label": n_labels,
        "head": _HEAD_STATES,
        "dependents": COUNT_BUCKETS,
        "descendants": COUNT_BUCKETS,
        "relations": len(RELATION_NAMES) + 2 * n_labels,
    }


def read_fields(
    encoding: Encoding, lexicon: Lexicon, vocabulary: Vocabulary
) -> tuple[Ints, Ints, Ints]:
    """(fields [n, 9], relations [n, n], given heads [n], -1 where there is none)."""
    given, relations = describe(encoding.task, len(vocabulary.tags), len(vocabulary.labels))
    words = encoding.problem.words
    lexical = np.array([lexicon.numbers(words[at].form) for at in encoding.order], np.int32)
    number = {at + 1: i for i, at in enumerate(encoding.order)}
    heads = [number.get(words[at].head or 0, -1) for at in encoding.order]
    return np.hstack([lexical, given]), relations, np.array(heads, np.int32)


@dataclass(frozen=True, slots=True)
class Table:
    """An embedding table, its rows in 8 bits, each with a scale, or as they are."""

    rows: npt.NDArray[Any]
    scales: npt.NDArray[np.float32] | None = None

    @classmethod
    def quantised(cls, rows: Floats) -> Table:
        scales = (np.abs(rows).max(axis=1) / 127).astype(np.float16).astype(np.float32)
        safe = np.where(scales > 0, scales, 1)
        return cls(np.clip(np.rint(rows / safe[:, None]), -127, 127).astype(np.int8), scales)

    def as_floats(self) -> Floats:
        rows = self.rows.astype(np.float32)
        return rows if self.scales is None else rows * self.scales[:, None]

    def add_to(self, out: Floats, numbers: Ints) -> None:
        """Add to each row of `out` the row with its number."""
        if self.scales is None:
            add_rows(out, self.rows, numbers)
        else:
            add_byte_rows(out, self.rows, self.scales, numbers)


@dataclass(frozen=True, slots=True)
class WordVectors:
    """What the encoder makes of one problem."""

    vectors: Floats  # [n, width]
    tags: Ints  # the best guess for each word
    directions: tuple[tuple[Floats, Floats], ...]  # for NeuralSearch: rows, pairs


class SlotSearch(NeuralSearch):
    """A search that leaves open tags and labels, and remembers what the encoder made of them.

    Finished sentences are read once more, from right to left; their scores are the means of both
    directions'.
    """

    words: WordVectors
    scorer: NeuralScorer
    reranker: Reranker

    def results(self, n_best: int) -> list[tuple[float, list[Action]]]:
        self.reranker.rerank(self)
        return super().results(n_best)

    def finish(self, actions: list[Action]) -> list[Action]:
        stack: list[int] = []
        arcs: list[tuple[int, int]] = []
        for kind, word, _, _ in actions:
            if kind == SHIFT:
                stack.append(word)
            elif kind == LEFTARC:
                arcs.append((stack[-1], stack.pop(-2)))
            else:
                dependent = stack.pop()
                arcs.append((stack[-1], dependent))
        labels = iter(self.scorer.label(self.words.vectors, arcs))
        tags = self.words.tags.tolist()
        return [
            (kind, word, tags[word], -1) if kind == SHIFT else (kind, word, -1, next(labels))
            for kind, word, _, _ in actions
        ]


class NeuralScorer:
    """Opens searches over encodings; `tables` and `weights` are those of `parameter_shapes`."""

    batch = 8
    max_words = 2000  # tables of pairs grow with the square: 350 MB

    def __init__(
        self,
        dimensions: Dimensions,
        slots: SlotTable,
        lexicon: Lexicon,
        vocabulary: Vocabulary,
        tables: Mapping[str, Table],
        weights: Mapping[str, Floats],
    ) -> None:
        self.dimensions = dimensions
        self.lexicon = lexicon
        self._vocabulary = vocabulary
        self._tables = tables
        self._weights = w = weights
        self._linear = {
            name.removesuffix(".weight"): Matrix(weight, w[name.removesuffix("weight") + "bias"])
            for name, weight in w.items()
            if weight.ndim == 2 and name.endswith(".weight")
        }
        self._label_head = Matrix(w["guess.label_head"])
        self._tag_vectors = Matrix(w["guess.tag_vectors"])
        self._label_vectors = Matrix(w["guess.label_vectors"])
        self._arc_ends = Matrix(
            np.vstack([w["labels.head"], w["labels.dependent"]]), w["labels.bias"]
        )
        self._attention = [
            np.ascontiguousarray(w[f"layers.{i}.attention"].T) for i in range(dimensions.layers)
        ]
        scale = np.float32(dimensions.rank**-0.5)
        self._slots, self._pairs, self._actions = [], [], []
        for prefix in DIRECTIONS:
            parts = [w[f"{prefix}slots.{part}"] for part in SLOT_PARTS]
            self._slots.append(Matrix(np.hstack(parts)))
            ends = [w[f"{prefix}pairs.first"] * scale, w[f"{prefix}pairs.second"]]
            self._pairs.append(Matrix(np.hstack(ends)))
            self._actions.append(
                ActionScorer(
                    slots.state,
                    slots.arc,
                    slots.candidate,
                    slots.sets,
                    slots.pairs,
                    w[f"{prefix}counts"].reshape(
                        len(COUNT_NAMES), COUNT_BUCKETS, dimensions.hidden
                    ),
                    w[f"{prefix}shift_out"],
                    w[f"{prefix}arc_out"],
                    w[f"{prefix}arc_bias"],
                )
            )

    def parameters(self) -> dict[str, Floats]:
        """All parameters, by the names of `parameter_shapes`."""
        tables = {f"tables.{name}": table.as_floats() for name, table in self._tables.items()}
        return {**tables, **self._weights}

    def beam(self, problem: Problem) -> int:
        """Where all arcs are given, little is left to choose from."""
        return TREE_BEAM if all(word.head is not None for word in problem.words) else BEAM

    def searches(
        self, encodings: Sequence[Encoding], widths: Sequence[int]
    ) -> Iterator[SlotSearch]:
        for encoding, width, encoded in zip(encodings, widths, self.encode(encodings), strict=True):
            forward, backward = (
                (actions, rows, pairs)
                for actions, (rows, pairs) in zip(self._actions, encoded.directions, strict=True)
            )
            search = SlotSearch(encoding.task, width, *forward)
            search.words, search.scorer = encoded, self
            search.reranker = Reranker(encoding.task, 1, *backward)
            yield search

    def label(self, vectors: Floats, arcs: Sequence[tuple[int, int]]) -> list[int]:
        """The best label of each arc, a pair of head and dependent."""
        unknown = len(self._vocabulary.labels)
        if not arcs or not unknown:  # a model of one-word sentences has no labels
            return [unknown] * len(arcs)
        ends = vectors[np.array(arcs)].reshape(len(arcs), -1)
        scores = self._linear["labels.out"](np.maximum(self._arc_ends(ends), 0))
        chosen: list[int] = scores.argmax(axis=1).tolist()
        return chosen

    def encode(self, encodings: Sequence[Encoding]) -> Iterator[WordVectors]:
        """Encode several problems; what becomes of one does not depend on the others.

        Their words are rows of one matrix, those of each problem followed by two for nothing and
        for the start.
        """
        if not encodings:
            return
        lengths = np.array([len(encoding.order) for encoding in encodings], np.int32)
        ends = np.cumsum(lengths + SPECIAL, dtype=np.int32)
        starts = ends - lengths - SPECIAL
        fields = np.zeros((ends[-1], len(FIELDS)), np.int32)
        heads = np.full(ends[-1], ends[-1], np.int32)
        relations = []
        for encoding, start, n in zip(encodings, starts, lengths, strict=True):
            words = slice(start, start + n)
            fields[words], relation, given = read_fields(encoding, self.lexicon, self._vocabulary)
            relations.append(relation.reshape(-1))
            heads[words] = np.where(given < 0, ends[-1], start + given)
        vectors, tags = self._transform(
            np.ascontiguousarray(fields.T), np.concatenate(relations), heads, starts, lengths
        )
        for end in ends:
            vectors[end - SPECIAL : end] = self._weights["special"]
        rows = [slots(vectors) for slots in self._slots]
        ends_of_pairs = [pairs(vectors) for pairs in self._pairs]
        tables = self._actions[0].n_pairs + ARCS
        for start, end in zip(starts, ends, strict=True):
            yield WordVectors(
                vectors[start : end - SPECIAL],
                tags[start : end - SPECIAL],
                tuple(
                    (row[start:end], pair_tables(both[start:end], tables))
                    for row, both in zip(rows, ends_of_pairs, strict=True)
                ),
            )

    def _transform(
        self, fields: Ints, relations: Ints, heads: Ints, starts: Ints, lengths: Ints
    ) -> tuple[Floats, Ints]:
        """(vectors, tags): the transformer over the rows of several problems."""
        d, linear = self.dimensions, self._linear
        h = np.zeros((fields.shape[1], d.width), np.float32)
        for name, numbers in zip(FIELDS, fields, strict=True):
            self._tables[name].add_to(h, numbers)
        h = self._norm("norm", h)
        tags = np.empty(len(h), np.int32)
        for i in range(d.layers):
            layer = f"layers.{i}"
            qkv = linear[f"{layer}.qkv"](self._norm(f"{layer}.norm1", h))
            h += linear[f"{layer}.out"](attend(qkv, relations, self._attention[i], starts, lengths))
            up = linear[f"{layer}.up"](self._norm(f"{layer}.norm2", h))
            h += linear[f"{layer}.down"](np.maximum(up, 0, out=up))
            if i == d.guess_after:
                tags = self._guess(h, fields, heads)
        return self._norm("norm_out", h), tags

    def _guess(self, h: Floats, fields: Ints, heads: Ints) -> Ints:
        """Guess tags and labels, add what is guessed where nothing is given; the best tags."""
        z = self._norm("guess.norm", h)
        tag_scores = self._linear["guess.tag"](z)
        unknown = fields[TAG] == len(self._vocabulary.tags) + 1
        if unknown.any():
            h[unknown] += self._tag_vectors(_softmax(tag_scores[unknown]))
        unknown = fields[LABEL] == len(self._vocabulary.labels) + 1
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


@dataclass(frozen=True, slots=True)
class StoredNetwork:
    """A network as a model file holds it: large tables in 8 bits, the rest in 16."""

    SECTIONS: ClassVar = frozenset({f"lexicon.{table}" for table in LEXICAL})

    names: Mapping[str, Sequence[str]]  # of the lexicon
    arrays: Mapping[str, npt.NDArray[Any]]

    @classmethod
    def of(cls, lexicon: Lexicon, parameters: Mapping[str, Floats]) -> StoredNetwork:
        arrays: dict[str, npt.NDArray[Any]] = {}
        for name, parameter in parameters.items():
            if name in _QUANTISED:
                table = Table.quantised(parameter)
                arrays[f"network.{name}"] = table.rows
                arrays[f"network.{name}.scales"] = np.asarray(table.scales, np.float16)
            else:
                arrays[f"network.{name}"] = parameter.astype(np.float16)
        return cls(lexicon.names, arrays)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        packed = {f"lexicon.{table}": pack_lines(self.names[table]) for table in LEXICAL}
        return {**packed, **self.arrays}

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> StoredNetwork:
        return cls(
            {table: unpack_lines(arrays[f"lexicon.{table}"]) for table in LEXICAL},
            {name: array for name, array in arrays.items() if name.startswith("network.")},
        )

    def describe(self) -> dict[str, Any]:
        sizes = (array.size for name, array in self.arrays.items() if not name.endswith(".scales"))
        return {"parameters": int(sum(sizes))}

    def scorer(self, header: dict[str, Any], vocabulary: Vocabulary) -> NeuralScorer:
        if header.get("slots") != SLOTS.to_json():
            raise ModelError(
                "the model was trained with other slots than this version has; "
                "train it again or install the version that made it"
            )
        dimensions = _dimensions(header.get("dimensions"))
        lexicon = Lexicon(self.names)
        shapes = parameter_shapes(dimensions, SLOTS, table_sizes(lexicon, vocabulary))
        tables, weights = {}, {}
        for name, expected in shapes.items():
            if name in _QUANTISED:
                rows = self._array(name, np.int8, expected)
                scales = self._array(f"{name}.scales", np.float16, expected[:1])
                tables[name.removeprefix("tables.")] = Table(rows, scales.astype(np.float32))
                continue
            parameter = self._array(name, np.float16, expected).astype(np.float32)
            if name.startswith("tables."):
                tables[name.removeprefix("tables.")] = Table(parameter)
            else:
                weights[name] = parameter
        expected_sections = len(shapes) + len(_QUANTISED)
        if len(self.arrays) != expected_sections:
            raise ModelError(f"the network has {len(self.arrays)} arrays, not {expected_sections}")
        return NeuralScorer(dimensions, SLOTS, lexicon, vocabulary, tables, weights)

    def _array(self, name: str, dtype: type, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        array = self.arrays.get(f"network.{name}")
        if array is None or array.shape != shape or array.dtype != dtype:
            raise ModelError(
                f"the network has no parameter {name} of shape {shape} and type {dtype.__name__}; "
                "train it again or install the version that made it"
            )
        if not np.isfinite(array).all():
            raise ModelError(f"the parameter {name} of the network is not finite")
        return array


def _dimensions(given: object) -> Dimensions:
    """The sizes that a header states, if a network can have them."""
    if not isinstance(given, dict) or given.keys() != asdict(Dimensions()).keys():
        raise ModelError("the header does not state the dimensions of the network; train it again")
    if any(type(size) is not int or not 0 <= size <= 1 << 16 for size in given.values()):
        raise ModelError("a dimension of the network is not a number from 0 to 65536")
    d = Dimensions(**given)
    if (
        min(d.width, d.layers, d.heads, d.hidden, d.arc_hidden, d.rank) < 1
        or d.width % d.heads
        or d.hidden % VECTOR_MULTIPLE
        or d.arc_hidden % VECTOR_MULTIPLE
        or d.guess_after >= d.layers
    ):
        raise ModelError("the dimensions of the network do not fit together")
    return d


_QUANTISED = frozenset(f"tables.{table}" for table in LEXICAL)


def scorer_of(
    dimensions: Dimensions,
    lexicon: Lexicon,
    vocabulary: Vocabulary,
    parameters: Mapping[str, Floats],
) -> NeuralScorer:
    """A scorer with the parameters just as they are."""
    tables = {name: Table(parameters[f"tables.{name}"]) for name in FIELDS}
    return NeuralScorer(dimensions, SLOTS, lexicon, vocabulary, tables, parameters)


def grow(
    parameters: Mapping[str, Floats], before: Vocabulary, after: Vocabulary
) -> dict[str, Floats]:
    """Parameters for a vocabulary with more tags and labels.

    A new label begins as the general one (`obl:tmod` as `obl`); else what is new begins as what is
    unknown, and is not guessed.
    """
    tags = [before.tag_numbers.get(tag, -1) for tag in after.tags]
    labels = [
        before.label_numbers.get(label, before.label_numbers.get(label.partition(":")[0], -1))
        for label in after.labels
    ]
    n_tags, n_labels = len(before.tags), len(before.labels)
    given_tags = [*(n_tags if tag < 0 else tag for tag in tags), n_tags, n_tags + 1]
    given = [*(n_labels if label < 0 else label for label in labels), n_labels, n_labels + 1]
    n_relations = len(RELATION_NAMES)
    relations = [
        *range(n_relations),
        *(n_relations + label for label in given),
        *(n_relations + n_labels + 2 + label for label in given),
    ]
    grown = dict(parameters)
    for name, rows in (
        ("tables.tag", given_tags),
        ("tables.label", given),
        ("guess.tag_vectors", tags),
        ("guess.label_vectors", [*labels, n_labels]),
        *((name, relations) for name in parameters if name.endswith(".attention")),
    ):
        grown[name] = _chosen(parameters[name], rows, 0.0)
    for name, columns in (
        ("guess.tag.", tags),
        ("guess.label.", [*labels, n_labels]),
        ("guess.label_head", [*labels, n_labels]),
        ("labels.out.", labels),
    ):
        for each in (each for each in parameters if each.startswith(name)):
            unlikely = _UNLIKELY if each.endswith("bias") else 0.0
            grown[each] = np.ascontiguousarray(_chosen(parameters[each].T, columns, unlikely).T)
    return grown


_UNLIKELY = -5.0


def _chosen(rows: Floats, numbers: Sequence[int], otherwise: float) -> Floats:
    """The rows with these numbers; for a negative one a row of the other value."""
    extended = np.concatenate([rows, np.full_like(rows[:1], otherwise)])
    chosen: Floats = extended[np.array(numbers)]
    return chosen


def describe_network(dimensions: Dimensions) -> dict[str, Any]:
    """What the header of a model says of its network."""
    return {"dimensions": asdict(dimensions), "slots": SLOTS.to_json()}
