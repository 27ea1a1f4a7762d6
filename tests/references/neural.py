"""A slow, plain model of the neural scorer: what it looks at in a state, and what actions score.

Legality and the word that must dominate what comes next are those of references/transition.py; a
word that is not there is NOTHING, what is before the first word START.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from references.transition import (
    LEFTARC,
    RIGHTARC,
    ROOT,
    SHIFT,
    Action,
    ClosedForm,
    Given,
    Move,
    State,
)
from syntagma.neural.parameters import SlotTable
from syntagma.problem.problem import Problem

NOTHING, START = -2, -1  # as indices: the two rows after those of the words

Array = npt.NDArray[np.float64]


def bucket(count: int) -> int:
    """0, 1, 2, 3, 4, 5-7, 8-14, 15 and more."""
    steps = (0, 1, 2, 3, 4, 5, 8, 15)
    return max(number for number, least in enumerate(steps) if count >= least)


def tree_of(actions: list[Action]) -> tuple[list[int], list[int]]:
    """Order and heads; the root has -2."""
    order = [word for kind, word, _, _ in actions if kind == SHIFT]
    heads = [-2] * len(order)
    stack: list[int] = []
    for kind, word, _, _ in actions:
        if kind == SHIFT:
            stack.append(word)
        else:
            dependent = stack.pop(-2 if kind == LEFTARC else -1)
            heads[dependent] = stack[-1]
    return order, heads


def turned(given: Given, order: list[int], heads: list[int]) -> tuple[list[int], list[int]]:
    """The sentence and its tree from right to left; interchangeable words keep their order."""
    leader: list[int] = []
    for word, twin in enumerate(given.previous_twin):
        leader.append(word if twin is None else leader[twin])
    left = list(range(len(order)))
    renamed: dict[int, int] = {}
    for word in reversed(order):
        renamed[word] = next(each for each in left if leader[each] == leader[word])
        left.remove(renamed[word])
    turned_heads = [0] * len(heads)
    for word, head in enumerate(heads):
        turned_heads[renamed[word]] = renamed.get(head, head)
    return [renamed[word] for word in reversed(order)], turned_heads


def canonical_moves(order: list[int], heads: list[int]) -> Iterator[Move]:
    """The canonical derivation: every arc as soon as its dependent is complete."""
    missing = [heads.count(word) for word in range(len(heads))]
    stack: list[int] = []
    for word in order:
        yield Move(SHIFT, word)
        stack.append(word)
        while len(stack) > 1:
            below, top = stack[-2:]
            if heads[below] == top and not missing[below]:
                yield Move(LEFTARC)
                missing[top] -= 1
                del stack[-2]
            elif heads[top] == below and not missing[top]:
                yield Move(RIGHTARC)
                missing[below] -= 1
                stack.pop()
            else:
                break


@dataclass
class Configuration:
    """A state with the arcs built so far; words are 0-based indices of the problem."""

    problem: Problem
    placed: list[int] = field(default_factory=list)
    lefts: dict[int, list[int]] = field(default_factory=dict)  # from the inside out
    rights: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.given = Given.of(self.problem)
        self.legality = ClosedForm(self.given)
        self.state: State = self.given.start

    def legal(self) -> set[Move]:
        return self.legality.legal(self.state)

    def apply(self, move: Move) -> None:
        if move.kind == SHIFT:
            self.placed.append(move.word)
        else:
            below, top = self.state.stack[-2:]
            if move.kind == LEFTARC:
                self.lefts.setdefault(top, []).append(below)
            else:
                self.rights.setdefault(below, []).append(top)
        self.state = self.state.after(move)

    # ---- what the scorer looks at ------------------------------------------------------------

    def head(self, word: int) -> int | None:
        """The given head, if it is a word."""
        head = self.given.head[word]
        return None if head == ROOT else head

    def unplaced(self) -> list[int]:
        return sorted(self.state.buffer)

    def state_addresses(self) -> dict[str, int]:
        stack = self.state.stack
        found = {f"S{i}": word for i, word in enumerate(reversed(stack[-4:]))}
        for i, word in enumerate(reversed(stack[-2:])):
            for side, dependents in (("l", self.lefts), ("r", self.rights)):
                outermost = list(reversed(dependents.get(word, [])))[: 2 - i]
                for name, dependent in zip(("", "2"), outermost, strict=False):
                    found[f"S{i}{side}{name}"] = dependent
        for name, place in (("w0", 1), ("w-1", 2), ("w-2", 3)):
            found[name] = self.placed[-place] if len(self.placed) >= place else START
        if stack:
            head, inner = self.head(stack[-1]), self.legality.inner(self.state, stack)
            found |= {} if head is None else {"S0h": head}
            found |= {} if inner is None else {"inner": inner}
        return found

    def climb(self, word: int) -> list[int]:
        """From the word to A: to the first one whose head is not given or the root, or is placed,
        or is the given head of S0 as well."""
        stack, path = self.state.stack, [word]
        while True:
            head = self.head(path[-1])
            if head is None or head not in self.state.buffer:
                return path
            if stack and self.head(stack[-1]) == head:
                return path
            path.append(head)

    def candidate_addresses(self, word: int) -> dict[str, int]:
        path, stack = self.climb(word), self.state.stack
        found = {"L": word, "A": path[-1]}
        for name, of in (("Lh", word), ("Ah", path[-1])):
            if (head := self.head(of)) is not None:
                found[name] = head
        if len(path) > 1:
            found["B"] = path[-2]
        if stack and "Ah" in found:
            if found["Ah"] == stack[-1]:
                found["Ap"] = self.rights.get(stack[-1], [START])[-1]
            elif self.head(stack[-1]) == found["Ah"] and found["Ah"] in self.state.buffer:
                found["Ap"] = stack[-1]
        return found

    def dependents(self, word: int) -> set[int]:
        """The given dependents that are not yet placed."""
        return {w for w in self.state.buffer if self.given.head[w] == word}

    def sets(self, word: int) -> dict[str, set[int]]:
        path = self.climb(word)
        head = self.head(path[-1])
        family = set()
        if head is not None:
            family = (self.dependents(head) | {head}) & self.state.buffer - {path[-1]}
        return {
            "unplaced": set(self.state.buffer),
            "family": family,
            "dependents": self.dependents(word),
            "path": set(path[1:-1]),
        }

    def counts(self, word: int) -> dict[str, int]:
        sets, head = self.sets(word), self.given.head[word]
        side = 0 if head is None else 1 if head == ROOT else 3 if head in self.state.buffer else 2
        return {
            "rest": bucket(len(sets["unplaced"])),
            "family": bucket(len(sets["family"])),
            "dependents": bucket(len(sets["dependents"])),
            "depth": bucket(len(self.climb(word)) - 1),
            "side": side,
        }


@dataclass
class ReferenceScorer:
    """The scores of actions from what is precomputed for each word and each pair of words."""

    slots: SlotTable
    rows: Mapping[str, Array]  # by part of the slot table: [words + 2, slots, hidden]
    pairs: Array  # [pairs + 2, words + 2, words + 2]
    counts: Mapping[str, Array]  # by name: [buckets, hidden]
    shift_out: Array
    arc_out: Array
    arc_bias: Array

    def score(self, configuration: Configuration, move: Move) -> float:
        if move.kind == SHIFT:
            return self.score_shift(configuration, move.word)
        return self.score_arc(configuration, move.kind)

    def log_probabilities(self, configuration: Configuration) -> dict[Move, float]:
        moves = sorted(configuration.legal())
        scores = np.array([self.score(configuration, move) for move in moves])
        scores -= np.log(np.exp(scores - scores.max()).sum()) + scores.max()
        return dict(zip(moves, scores.tolist(), strict=True))

    def score_shift(self, configuration: Configuration, word: int) -> float:
        at = configuration.state_addresses()
        candidate = configuration.candidate_addresses(word)
        sets, counts = configuration.sets(word), configuration.counts(word)
        hidden = self._gather("state", self.slots.state, at)
        hidden = hidden + self._gather("candidate", self.slots.candidate, candidate)
        for slot, name in enumerate(self.slots.sets):
            members = self.rows["sets"][sorted(sets[name]), slot]
            if len(members):
                hidden = hidden + (members.sum(0) if name == "path" else members.mean(0))
        for name, count in counts.items():
            hidden = hidden + self.counts[name][count]
        score = float(self.shift_out @ np.maximum(hidden, 0))
        for table, (first, second) in zip(self.pairs, self.slots.pairs, strict=False):
            row = table[candidate.get(first, NOTHING)]
            if second in sets:
                values = row[sorted(sets[second])]
                score += float(values.mean() if second == "unplaced" else values.sum())
            else:
                score += float(row[(at | candidate).get(second, NOTHING)])
        return score

    def score_arc(self, configuration: Configuration, kind: int) -> float:
        at, which = configuration.state_addresses(), (LEFTARC, RIGHTARC).index(kind)
        hidden = np.maximum(self._gather("arc", self.slots.arc, at), 0)
        pair = self.pairs[len(self.slots.pairs) + which, at["S1"], at["S0"]]
        return float(self.arc_out[which] @ hidden + self.arc_bias[which] + pair)

    def _gather(self, part: str, slots: Sequence[str], at: Mapping[str, int]) -> Array:
        rows = self.rows[part]
        total: Array = np.zeros(rows.shape[2])
        for slot, name in enumerate(slots):
            total = total + rows[at.get(name, NOTHING), slot]
        return total
