"""The network in PyTorch, with its losses: what `encoder` and `_search` compute, for training.

Only training imports this module. Its input is built in `batches`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from syntagma.neural._action_scorer import (
    CANDIDATE_ADDRESSES,
    COUNT_BUCKETS,
    COUNT_NAMES,
    STATE_ADDRESSES,
)
from syntagma.neural._encoder import RELATION_NAMES
from syntagma.neural.batches import Batch, Steps
from syntagma.neural.parameters import (
    ARCS,
    DIRECTIONS,
    FIELDS,
    INPUTS,
    LABEL,
    NOTHING,
    SLOTS,
    SPECIAL,
    TAG,
    Dimensions,
    parameter_shapes,
)

_NEVER = -1e9  # score of an illegal action
_EXCLUDED = -1e4  # attention score of padding
_FORM, _LOWER, _SUFFIX = FIELDS.index("form"), FIELDS.index("lower"), FIELDS.index("suffix")
_SELF, _SIBLING = RELATION_NAMES.index("self"), RELATION_NAMES.index("sibling")


def initial_parameters(d: Dimensions, sizes: Mapping[str, int]) -> dict[str, Tensor]:
    """Random parameters; some attention heads start biased to heads, dependents and siblings."""
    n_arcs = sizes["label"]
    to_head, to_dependent = slice(-2 * n_arcs, -n_arcs), slice(-n_arcs, None)
    parameters = {}
    for full_name, shape in parameter_shapes(d, sizes, lifting=True).items():
        name = full_name.removeprefix("backward.")
        if "norm" in name and name.endswith("weight"):
            value = torch.ones(shape)
        elif name.endswith("bias") or name == "guess.no_head":
            value = torch.zeros(shape)
        elif name.endswith("attention"):
            value = torch.zeros(shape)
            value[to_head, 0] = value[to_dependent, 1] = value[_SIBLING, 2] = 3.0
            value[_SELF, 3] = 2.0
            value[to_head, 5] = value[to_dependent, 6] = 1.5
        elif name == "special":
            value = 0.5 * torch.randn(shape)
        elif name.startswith("tables."):
            value = (0.05 if shape[0] > 1000 else 0.1) * torch.randn(shape)
        elif name in ("counts", "guess.tag_vectors", "guess.label_vectors"):
            value = 0.1 * torch.randn(shape)
        elif name.startswith("slots."):
            value = 0.5 / math.sqrt(d.width) * torch.randn(shape)
        elif name.startswith("pairs."):
            value = 0.4 / math.sqrt(d.width) * torch.randn(shape)
        elif name in ("shift_out", "arc_out"):
            value = torch.randn(shape) / math.sqrt(shape[-1])
        else:
            value = (2 * torch.rand(shape) - 1) / math.sqrt(shape[0])
        parameters[full_name] = value
    return parameters


class Network:
    """Computes what `encoder.Encoder` and `_search.NeuralSearch` compute, with gradients."""

    def __init__(
        self,
        d: Dimensions,
        parameters: Mapping[str, Tensor],
        dropout: float = 0.0,
        word_dropout: float = 0.0,
    ) -> None:
        self.d = d
        self.w = parameters
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.training = True
        self._inputs = [name for each in INPUTS if (name := f"tables.{each}") in parameters]
        self._state = torch.tensor([STATE_ADDRESSES.index(name) for name in SLOTS.state])
        self._arc = torch.tensor([STATE_ADDRESSES.index(name) for name in SLOTS.arc])
        self._candidate = torch.tensor([CANDIDATE_ADDRESSES.index(n) for n in SLOTS.candidate])

    def losses(self, batch: Batch) -> dict[str, Tensor]:
        """Mean cross-entropies of the actions, of the tags and labels that are not given, and of
        how far words are lifted."""
        vectors, tag_scores, guessed = self.encode(batch)
        vectors = self._drop(vectors, self.dropout * 2 / 3)
        rows = torch.cat([self.w["special"], vectors[batch.mask]])
        held_tags, held_labels = batch.tags >= 0, batch.labels >= 0
        heads, dependents, labels = batch.arcs_to_label.T
        forward, backward = (
            _cross_entropy(self.scores(steps, vectors, rows, prefix), steps.gold)
            for prefix, steps in zip(DIRECTIONS, batch.directions, strict=True)
        )
        return {
            "action": forward,
            "backward": backward,
            "tag": _cross_entropy(tag_scores[batch.mask][held_tags], batch.tags[held_tags]),
            "guess": _cross_entropy(guessed[batch.mask][held_labels], batch.labels[held_labels]),
            "label": _cross_entropy(self.label_scores(rows[heads], rows[dependents]), labels),
            "lift": _cross_entropy(self.lift_scores(rows, batch.liftable), batch.liftable[:, -1]),
        }

    def encode(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """(vectors [B, N, width], tag scores, label scores)."""
        w, d, drop = self.w, self.d, self.dropout
        size, span, _ = batch.fields.shape
        fields = self._drop_words(batch.fields)
        h = torch.zeros(size, span, d.width)
        for i, name in enumerate(FIELDS):
            h = h + look_up(w[f"tables.{name}"], fields[..., i])
        if self._inputs:
            bags = fields[..., len(FIELDS) :].reshape(size * span, -1) - NOTHING  # 0: zeros
            rows = torch.cat([torch.zeros(1, d.width), *(w[name] for name in self._inputs)])
            h = h + F.embedding_bag(bags, rows, mode="sum").view(size, span, d.width)
        h = h + F.embedding(batch.lifts, w["tables.lifted"])
        h = self._drop(self._norm("norm", h), drop)
        padding = ~batch.mask[:, None, None, :] * _EXCLUDED
        for i in range(d.layers):
            layer = f"layers.{i}"
            z = self._linear(f"{layer}.qkv", self._norm(f"{layer}.norm1", h))
            q, k, v = z.view(size, span, 3, d.heads, -1).permute(2, 0, 3, 1, 4)
            bias = F.embedding(batch.relations, w[f"{layer}.attention"]).permute(0, 3, 1, 2)
            z = F.scaled_dot_product_attention(q, k, v, attn_mask=bias + padding)
            z = z.transpose(1, 2).reshape(size, span, d.width)
            h = h + self._drop(self._linear(f"{layer}.out", z), drop)
            z = F.relu(self._linear(f"{layer}.up", self._norm(f"{layer}.norm2", h)))
            h = h + self._drop(self._linear(f"{layer}.down", self._drop(z, drop / 2)), drop)
            if i == d.guess_after:
                z = self._norm("guess.norm", h)
                below = torch.cat([z, w["guess.no_head"].expand(size, 1, d.width)], 1)
                heads = batch.given_heads[..., None].expand(size, span, d.width)
                tag_scores = self._linear("guess.tag", z)
                label_scores = self._linear("guess.label", z)
                label_scores = label_scores + below.gather(1, heads) @ w["guess.label_head"]
                unknown_tag = fields[..., TAG] == len(w["tables.tag"]) - 1
                unknown_label = fields[..., LABEL] == len(w["tables.label"]) - 1
                tags = torch.softmax(tag_scores, -1) @ w["guess.tag_vectors"]
                labels = torch.softmax(label_scores, -1) @ w["guess.label_vectors"]
                h = h + unknown_tag[..., None] * tags + unknown_label[..., None] * labels
        return self._norm("norm_out", h), tag_scores, label_scores

    def scores(self, steps: Steps, vectors: Tensor, rows: Tensor, prefix: str) -> Tensor:
        """Scores of all actions of all steps [T, columns + 2]; those of illegal ones are `_NEVER`.

        `prefix` is one of DIRECTIONS.
        """
        d = self.d

        def w(name: str) -> Tensor:
            return self.w[prefix + name]

        size, span, _ = vectors.shape
        span += SPECIAL
        padded = torch.cat([vectors, self.w["special"].expand(size, SPECIAL, d.width)], 1)
        first = (padded @ w("pairs.first")).view(size, span, -1, d.rank).permute(0, 2, 1, 3)
        second = (padded @ w("pairs.second")).view(size, span, -1, d.rank).permute(0, 2, 3, 1)
        tables = first @ second * d.rank**-0.5
        places = tables.reshape(-1)

        sets = (rows @ w("slots.sets")).view(-1, d.hidden)

        def gather(part: str, chosen: Tensor, hidden: int) -> Tensor:
            """Sum the rows' parts in each slot."""
            parts = (rows @ w(f"slots.{part}")).view(-1, hidden)
            number = chosen.shape[1]
            return F.embedding_bag(chosen * number + torch.arange(number), parts, mode="sum")

        def gather_set(name: str) -> Tensor:
            members, starts = steps.sets[name]
            mode = "sum" if name == "path" else "mean"
            number = SLOTS.sets.index(name)
            return F.embedding_bag(members * len(SLOTS.sets) + number, sets, starts, mode=mode)

        base = gather("state", steps.states[:, self._state], d.hidden) + gather_set("unplaced")
        hidden = F.embedding(steps.steps, base)
        hidden = hidden + gather("candidate", steps.candidates[:, self._candidate], d.hidden)
        counts = steps.counts + torch.arange(len(COUNT_NAMES)) * COUNT_BUCKETS
        hidden = hidden + F.embedding_bag(counts, w("counts"), mode="sum")
        for name in ("family", "dependents", "path"):
            if len(steps.sets[name][0]):
                hidden = hidden + gather_set(name)
        shifts = F.relu(hidden) @ w("shift_out")
        shifts = shifts + places.gather(0, steps.pairs.view(-1)).view(steps.pairs.shape).sum(1)
        shifts = shifts.index_add(0, steps.set_pair_of, places.gather(0, steps.set_pairs))
        unplaced = tables[:, SLOTS.pairs.index(("L", "unplaced"))].transpose(1, 2)
        unplaced = F.embedding_bag(
            steps.unplaced, unplaced.reshape(-1, span), steps.sets["unplaced"][1], mode="mean"
        )
        shifts = shifts + unplaced.reshape(-1).gather(0, steps.steps * span + steps.words)

        arcs = F.relu(gather("arc", steps.states[:, self._arc], d.arc_hidden)) @ w("arc_out").T
        arcs = arcs + w("arc_bias") + places.gather(0, steps.arc_pairs.view(-1)).view(-1, ARCS)
        arcs = torch.where(steps.legal_arcs, arcs, torch.tensor(_NEVER))
        scores = torch.full((len(steps.gold), steps.columns), _NEVER)
        return torch.cat([scores.index_put((steps.steps, steps.column), shifts), arcs], 1)

    def label_scores(self, heads: Tensor, dependents: Tensor) -> Tensor:
        w = self.w
        hidden = heads @ w["labels.head"] + dependents @ w["labels.dependent"] + w["labels.bias"]
        return self._linear("labels.out", F.relu(hidden))

    def lift_scores(self, rows: Tensor, liftable: Tensor) -> Tensor:
        """How far each of the words is lifted; steps that are not possible are `_NEVER`."""
        ends = rows[liftable[:, :3]].flatten(1)
        scores = self._linear("lift.out", F.relu(self._linear("lift.ends", ends)))
        beyond = torch.arange(scores.shape[1]) > liftable[:, 3:4]
        return scores.masked_fill(beyond, _NEVER)

    def _drop(self, x: Tensor, rate: float) -> Tensor:
        """Dropout with random bytes: on a CPU five times as fast as PyTorch's own."""
        dropped = min(round(256 * rate), 255)
        if not self.training or not dropped:
            return x
        bits = torch.empty(-(-x.numel() // 8), dtype=torch.int64).random_(-(2**63), None)
        bytes_ = bits.view(torch.uint8)[: x.numel()].view(x.shape)
        return x * ((bytes_ >= dropped) * (256 / (256 - dropped)))

    def _drop_words(self, fields: Tensor) -> Tensor:
        """Word dropout: replace forms, forms with lower-case forms, or suffixes by unknown."""
        if not self.training:
            return fields
        rate = self.word_dropout
        fields = fields.clone()
        draw = torch.rand(fields.shape[:2])
        fields[..., _FORM][draw < rate] = 0
        fields[..., _LOWER][draw < 0.6 * rate] = 0
        fields[..., _SUFFIX][torch.rand(fields.shape[:2]) < rate / 6] = 0
        return fields

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.w[f"{name}.weight"] + self.w[f"{name}.bias"]

    def _norm(self, name: str, x: Tensor) -> Tensor:
        return F.layer_norm(x, x.shape[-1:], self.w[f"{name}.weight"], self.w[f"{name}.bias"])


class _LookUp(torch.autograd.Function):
    """Rows of a table; their gradients are added to that of the table in place.

    PyTorch's own embedding fills a table of zeros first: a tenth of the time of training with a
    large lexicon.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, numbers: Tensor) -> Tensor:
        ctx.gradient = table.grad
        ctx.save_for_backward(numbers)
        return F.embedding(numbers, table)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, None]:
        [numbers] = ctx.saved_tensors
        [rows] = gradients
        ctx.gradient.index_add_(0, numbers.reshape(-1), rows.reshape(-1, rows.shape[-1]))
        return None, None


def look_up(table: Tensor, numbers: Tensor) -> Tensor:
    """The rows of a table with these numbers."""
    if table.grad is None:
        return F.embedding(numbers, table)
    found: Tensor = _LookUp.apply(table, numbers)  # type: ignore[no-untyped-call]
    return found


def _cross_entropy(scores: Tensor, gold: Tensor) -> Tensor:
    return F.cross_entropy(scores, gold) if len(gold) else scores.sum()


@contextmanager
def torch_at_work(threads: int, seed: int) -> Iterator[None]:
    """PyTorch with these threads and this seed; its state is global, and is left as it was found.

    It draws random numbers on the CPU only.
    """
    threads_before = torch.get_num_threads()
    state_before = torch.get_rng_state()
    try:
        torch.set_num_threads(threads)
        torch.default_generator.manual_seed(seed % (1 << 63))
        yield
    finally:
        torch.set_rng_state(state_before)
        torch.set_num_threads(threads_before)
