"""The parameters of the network: its dimensions and slots, the names and shapes that follow from
them, and embedding tables in 32 or 8 bits.

The encoder (`encoder`) and the action scorer (`scorer`) compute with them, `network` does so for
training; `stored` checks those of a model file against this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from syntagma.neural._action_scorer import COUNT_BUCKETS, COUNT_NAMES
from syntagma.neural._encoder import (
    GIVEN_FIELDS,
    HEAD_STATES,
    RELATION_NAMES,
    add_byte_rows,
    add_rows,
)
from syntagma.neural.lexicon import LEXICAL, Lexicon
from syntagma.transition.lifting import MOST_STEPS
from syntagma.transition.vocabulary import Vocabulary

Floats = npt.NDArray[np.float32]

# What the encoder reads of a word; each field has an embedding table.
FIELDS = (*LEXICAL, *GIVEN_FIELDS)
TAG, LABEL = FIELDS.index("tag"), FIELDS.index("label")
# What it reads besides, if the model has learned it: the UPOS tag, and the values of morphological
# features, whose embeddings are added up. The header of a model lists those that it reads.
INPUTS = ("upos", "features")
NOTHING = -1  # in a column of INPUTS that a word does not need

SPECIAL = 2  # rows after those of the words of a problem: one for nothing, one for the start
SLOT_PARTS = ("state", "arc", "candidate", "sets")
ARCS = 2  # LEFTARC, RIGHTARC
# Prefixes of the parameters of the two action scorers: the first works from left to right, the
# second from right to left, to rerank what the first has found.
DIRECTIONS = ("", "backward.")
# The parameters that all networks of a model file have in common.
SHARED = frozenset(f"tables.{table}" for table in LEXICAL)


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Sizes of the network; those of its tables follow from lexicon and vocabulary."""

    width: int = 160
    layers: int = 3
    heads: int = 8
    feedforward: int = 320
    hidden: int = 160
    arc_hidden: int = 64
    rank: int = 32
    label_hidden: int = 128
    guess_after: int = 1  # the layer after which tags and labels are guessed


class SlotTable(NamedTuple):
    """Which words of a state and of a candidate the action scorer looks at, as data.

    _action_scorer.pxd defines what the names mean; `ActionScorer` checks them.

    `state` and `candidate` addresses and the `sets` feed the hidden layer of SHIFTs, `arc`
    addresses that of arcs. `pairs` add to the scores of SHIFTs.
    """

    state: tuple[str, ...]
    arc: tuple[str, ...]
    candidate: tuple[str, ...]
    sets: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, list[str]]:
        """For the header of a model file."""
        names = {**self._asdict(), "pairs": map(" ".join, self.pairs)}
        return {part: list(each) for part, each in names.items()}


SLOTS = SlotTable(
    state=(
        *("S0", "S1", "S2", "S3", "S0l", "S0l2", "S0r", "S0r2", "S1l", "S1r"),
        *("w0", "w-1", "w-2", "S0h", "inner"),
    ),
    arc=("S0", "S1", "S2", "S0l", "S0r", "S1l", "S1r", "w0", "S0h", "inner"),
    candidate=("L", "Lh", "A", "Ah", "Ap", "B"),
    sets=("unplaced", "family", "dependents", "path"),
    pairs=(
        ("L", "w0"),
        ("L", "w-1"),
        ("L", "S0"),
        ("A", "Ap"),
        ("A", "S0"),
        ("A", "S1"),
        ("A", "family"),
        ("L", "dependents"),
        ("L", "unplaced"),
    ),
)


def table_sizes(lexicon: Lexicon, vocabulary: Vocabulary) -> dict[str, int]:
    """Rows of the embedding table of each field, and of the attention biases (`relations`).

    Tags and labels have two rows more than the vocabulary: the root's label (tags: unused), not
    given. Each of INPUTS has one more: not given.
    """
    n_tags, n_labels = len(vocabulary.tags) + 2, len(vocabulary.labels) + 2
    inputs = {name: len(names) + 1 for name, names in input_names(vocabulary).items()}
    return {
        **lexicon.sizes(),
        "tag": n_tags,
        "label": n_labels,
        "head": HEAD_STATES,
        "dependents": COUNT_BUCKETS,
        "descendants": COUNT_BUCKETS,
        "relations": len(RELATION_NAMES) + 2 * n_labels,
        **inputs,
    }


def input_names(vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    """What the vocabulary knows of each of INPUTS that a model with it reads."""
    known = {"upos": vocabulary.upos, "features": vocabulary.features}
    return {name: known[name] for name in INPUTS if known[name]}


def parameter_shapes(
    d: Dimensions, sizes: Mapping[str, int], *, lifting: bool = False
) -> dict[str, tuple[int, ...]]:
    """The shapes of all parameters by name; vectors are rows, so a matrix is [from, to].

    `sizes` are those of `table_sizes`. With `lifting`, there are those that networks before 0.11 do
    not have: how far a word is lifted, and the embedding of that.
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
        shapes[f"{prefix}slots.state"] = (d.width, len(SLOTS.state) * d.hidden)
        shapes[f"{prefix}slots.arc"] = (d.width, len(SLOTS.arc) * d.arc_hidden)
        shapes[f"{prefix}slots.candidate"] = (d.width, len(SLOTS.candidate) * d.hidden)
        shapes[f"{prefix}slots.sets"] = (d.width, len(SLOTS.sets) * d.hidden)
        both = (d.width, (len(SLOTS.pairs) + ARCS) * d.rank)
        shapes[f"{prefix}pairs.first"] = shapes[f"{prefix}pairs.second"] = both
        shapes[f"{prefix}counts"] = (len(COUNT_NAMES) * COUNT_BUCKETS, d.hidden)
        shapes[f"{prefix}shift_out"] = (d.hidden,)
        shapes[f"{prefix}arc_out"] = (ARCS, d.arc_hidden)
        shapes[f"{prefix}arc_bias"] = (ARCS,)
    shapes["labels.head"] = shapes["labels.dependent"] = (d.width, d.label_hidden)
    shapes["labels.bias"] = (d.label_hidden,)
    linear("labels.out", d.label_hidden, n_labels)
    for name in INPUTS:
        if name in sizes:
            shapes[f"tables.{name}"] = (sizes[name], d.width)
    if lifting:
        shapes["tables.lifted"] = (MOST_STEPS + 1, d.width)
        linear("lift.ends", 3 * d.width, d.arc_hidden)  # of a word, its head, and the head of that
        linear("lift.out", d.arc_hidden, MOST_STEPS + 1)
    return shapes


@dataclass(frozen=True, slots=True)
class EmbeddingTable:
    """Rows of 32-bit floats or, with a scale for each row, of 8-bit integers."""

    rows: npt.NDArray[Any]
    scales: Floats | None = None

    @classmethod
    def quantised(cls, rows: Floats) -> EmbeddingTable:
        """Round to 8 bits; the scale of a row to 16, as model files store it."""
        scales = (np.abs(rows).max(axis=1) / 127).astype(np.float16).astype(np.float32)
        safe = np.where(scales > 0, scales, 1)
        return cls(np.clip(np.rint(rows / safe[:, None]), -127, 127).astype(np.int8), scales)

    def as_floats(self) -> Floats:
        rows = self.rows.astype(np.float32)
        return rows if self.scales is None else rows * self.scales[:, None]

    def add_to(self, out: Floats, numbers: npt.NDArray[np.int32]) -> None:
        """Add row `numbers[i]` of the table to row i of `out`."""
        if self.scales is None:
            add_rows(out, self.rows, numbers)
        else:
            add_byte_rows(out, self.rows, self.scales, numbers)
