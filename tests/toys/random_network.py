"""Action scorers with random weights and random input, compiled and as the slow reference."""

from __future__ import annotations

from itertools import accumulate
from random import Random
from typing import Any

import numpy as np
from references.brute_force import Orders, random_heads, random_problem, without_unknown
from references.neural import ReferenceScorer
from references.transition import Action

from syntagma.neural._action_scorer import COUNT_BUCKETS, COUNT_NAMES, VECTOR_MULTIPLE, ActionScorer
from syntagma.neural._search import NeuralSearch, Reranker
from syntagma.neural.encoder import Occupants, SlotRows
from syntagma.neural.parameters import SlotTable
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.transition.encoding import Encoding
from toys.models import relist, toy_vocabulary


class RandomNetwork:
    """Random weights behind a slot table, and random input for each problem."""

    def __init__(self, rng: Random, slots: SlotTable, scale: float = 1.0) -> None:
        self.slots = slots
        self.hidden = VECTOR_MULTIPLE * rng.randint(1, 2)
        self.arc_hidden = VECTOR_MULTIPLE * rng.randint(1, 2)
        self.scale = scale
        self.random = np.random.default_rng(rng.randrange(1 << 32))
        self.counts = self.draw(len(COUNT_NAMES), COUNT_BUCKETS, self.hidden)
        self.shift_out, self.arc_out = self.draw(self.hidden), self.draw(2, self.arc_hidden)
        self.arc_bias = self.draw(2)
        self.scorer = ActionScorer(
            *(slots.state, slots.arc, slots.candidate, slots.sets, slots.pairs),
            *(self.counts, self.shift_out, self.arc_out, self.arc_bias),
        )

    def draw(self, *shape: int) -> Any:
        return (0.5 * self.scale * self.random.standard_normal(shape)).astype(np.float32)

    def read(self, encoding: Encoding) -> Input:
        """Random input for a problem."""
        n = len(encoding.order)
        tables = len(self.slots.pairs) + 2
        rows, pairs = self.draw(n + 2, self.scorer.columns), self.draw(tables, n + 2, n + 2)
        return Input(self, encoding, rows, pairs)


class Input:
    """A problem and the random numbers that stand for what an encoder makes of it."""

    def __init__(self, network: RandomNetwork, encoding: Encoding, rows: Any, pairs: Any) -> None:
        self.network, self.encoding, self.rows, self.pairs = network, encoding, rows, pairs

    def search(self, width: int = 1) -> NeuralSearch:
        rows = self.slot_rows()
        return NeuralSearch(self.encoding.task, width, self.network.scorer, rows, self.pairs)

    def reranker(self) -> Reranker:
        rows = self.slot_rows()
        return Reranker(self.encoding.task.mirrored(), 1, self.network.scorer, rows, self.pairs)

    def slot_rows(self) -> SlotRows:
        """The rows of the words that can stand in the slots; the reference has those of all."""
        heads = np.array(self.encoding.heads, np.int32)
        [members] = Occupants(heads, *np.array([[0], [len(heads)]], np.int32)).members
        groups = [
            np.ascontiguousarray(self.rows[:, columns])
            for columns in self.network.scorer.groups.values()
        ]
        words = [rows[chosen] for rows, chosen in zip(groups, members, strict=True)]
        return SlotRows(members, tuple(words), tuple(rows[-2:] for rows in groups))

    def replay(self, actions: tuple[Action, ...]) -> NeuralSearch:
        search = self.search()
        for action in actions:
            search.move(action)
        return search

    def reference(self) -> ReferenceScorer:
        network, slots = self.network, self.network.slots
        size, arc_size, n = network.hidden, network.arc_hidden, len(self.rows)
        parts = (
            ("state", len(slots.state), size),
            ("arc", len(slots.arc), arc_size),
            ("candidate", len(slots.candidate), size),
            ("sets", len(slots.sets), size),
        )
        ends = list(accumulate(count * wide for _, count, wide in parts))
        blocks = np.split(self.rows.astype(np.float64), ends[:-1], axis=1)
        return ReferenceScorer(
            slots,
            {
                name: block.reshape(n, count, wide)
                for (name, count, wide), block in zip(parts, blocks, strict=True)
            },
            self.pairs[:, :n, :n].astype(np.float64),
            dict(zip(COUNT_NAMES, network.counts.astype(np.float64), strict=True)),
            *(a.astype(np.float64) for a in (network.shift_out, network.arc_out, network.arc_bias)),
        )


def listed(encoding: Encoding) -> Problem:
    """The problem as the search sees it, its words in the order of the search task."""
    listed = relist(encoding.problem, encoding.order)
    vocabulary = toy_vocabulary()
    return without_unknown(listed, vocabulary.tags, vocabulary.labels)


def draw_problem(rng: Random, max_words: int, orders: Orders) -> Problem:
    """Half of the problems have random arcs; the others are deep or wide trees, mostly given."""
    problem = random_problem(rng, max_words, orders)
    if rng.random() < 0.5 or problem.before or problem.first or problem.last:
        return problem
    heads = random_heads(rng, len(problem.words))
    share = rng.choice((0.7, 1.0))
    return Problem(
        tuple(
            Word(word.form, word.tag, head if rng.random() < share else None)
            for word, head in zip(problem.words, heads, strict=True)
        )
    )
