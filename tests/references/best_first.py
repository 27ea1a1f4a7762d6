"""A slow reference for best-first search over edges and for guided learning (ZC15 Algorithms 1 to
4). Scores are added in the same order as in the compiled search.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import accumulate

import numpy as np

from references.edges import LEAF, NONE, Edge, Grammar, Node, Tree, Weigh, total, tree_of


@dataclass(order=True)
class Item:
    """An edge on the agenda, best first; ties: first pushed, first popped."""

    order: tuple[float, int]
    edge: Edge = field(compare=False)
    version: int = field(compare=False, default=0)

    @property
    def rank(self) -> float:
        return -self.order[0]


class Search:
    """Algorithms 1 and 4."""

    def __init__(
        self,
        grammar: Grammar,
        weigh: Weigh,
        chart_size: int,
        scaled: bool,
        by_size: bool = False,
    ) -> None:
        self.by_size = by_size
        self.grammar = grammar
        self.weigh = weigh
        self.chart_size = chart_size
        self.scaled = scaled
        self.agenda: list[Item] = []
        self.chart: list[Edge] = []
        self.goals: list[Edge] = []
        self.pushed = 0
        self.expansions = 0
        self.exhausted = False
        self.version = 0

    def rank(self, edge: Edge) -> float:
        return edge.score / edge.size if self.scaled else edge.score

    def push(self, edge: Edge) -> None:
        heappush(self.agenda, Item((-self.rank(edge), self.pushed), edge, self.version))
        self.pushed += 1

    def begin(self) -> None:
        for edge in self.grammar.leaves():
            edge.score = total(edge.keys, self.weigh)
            edge.version = self.version
            self.push(edge)

    def expand(self, edge: Edge) -> None:
        bag, found = self.grammar.bag, self.grammar.unary(edge)
        for other in self.chart:
            if bag.fits(edge, other):
                for left, right in ((edge, other), (other, edge)):
                    if bag.may_precede(left, right):
                        found += self.grammar.binary(left, right, self.weigh)
        if bag.fits(edge, edge):
            found += self.grammar.binary(edge, edge, self.weigh)
        for new in found:
            new.score = 0.0
            for keys in self.grammar.parts_of_sum(new):
                new.score += total(keys, self.weigh)
            for part in new.parts:
                new.score += part.score
            new.version = self.version
            self.push(new)

    def twin(self, edge: Edge) -> Edge | None:
        """The edge of the chart with the same DP signature, the latest if there are several."""
        signature = self.grammar.signature(edge)
        if signature is None:
            return None
        same = [each for each in self.chart if self.grammar.signature(each) == signature]
        return same[-1] if same else None

    def accept(self, edge: Edge) -> Edge | None:
        """Add an edge; the edge that is pruned, if any: the worst, of ties the new one,
        or else the oldest."""
        self.chart.append(edge)
        rivals = [
            each for each in self.chart if not self.by_size or len(each.leaves) == len(edge.leaves)
        ]
        if len(rivals) <= self.chart_size:
            return None
        worst = min((edge, *rivals), key=self.rank)
        self.chart.remove(worst)
        return worst

    def run(self, wanted: int = 1, limit: int = 0) -> Search:
        self.begin()
        while not limit or self.expansions < limit:
            if not self.agenda:
                self.exhausted = True
                break
            edge = heappop(self.agenda).edge
            self.expansions += 1
            if self.grammar.is_goal(edge):
                forms = self.grammar.bag.forms
                if all(forms([edge]) != forms([other]) for other in self.goals):
                    self.goals.append(edge)
                if len(self.goals) == wanted:
                    break
                continue
            twin = self.twin(edge)
            if twin is not None:
                if self.rank(edge) <= self.rank(twin):
                    continue
                self.chart.remove(twin)
            self.expand(edge)
            self.accept(edge)
        return self

    def default_output(self) -> list[Edge]:
        """§3.4: the largest edge, then greedily every other one that fits, to the right."""
        bag = self.grammar.bag
        pieces: list[Edge] = []
        for edge in sorted(self.chart, key=lambda edge: (-len(edge.leaves), -self.rank(edge))):
            if bag.fits(*pieces, edge) and all(bag.may_precede(piece, edge) for piece in pieces):
                pieces.append(edge)
        return pieces

    def results(self) -> list[tuple[float, list[Edge]]]:
        if self.goals:  # as they were found; none scores more than the one before it
            scores = accumulate(map(self.rank, self.goals), min)
            return [(score, [goal]) for score, goal in zip(scores, self.goals, strict=True)]
        pieces = self.default_output()
        score = 0.0
        for piece in pieces:
            score += piece.score
        return [(score / sum(piece.size for piece in pieces) if self.scaled else score, pieces)]


def all_edges(grammar: Grammar, weigh: Weigh) -> dict[Tree, Edge]:
    """Every edge that can be built, without search or pruning."""
    bag = grammar.bag
    found: dict[Tree, Edge] = {}
    phrases: list[Edge] = []
    waiting = grammar.leaves()
    while waiting:
        edge = waiting.pop()
        assert edge.tree not in found, "one derivation for each tree"
        edge.score = sum(part.score for part in edge.parts) + total(edge.keys, weigh)
        found[edge.tree] = edge
        if len(edge.leaves) == bag.n:
            continue
        phrases.append(edge)
        waiting += grammar.unary(edge)
        for other in phrases:
            if bag.fits(edge, other):
                for left, right in dict.fromkeys(((edge, other), (other, edge))):
                    if bag.may_precede(left, right):
                        waiting += grammar.binary(left, right, weigh)
    return found


# ---- learning --------------------------------------------------------------------------------


class LearnedWeights:
    """Weights in single precision, as in the compiled learner, and sums for their averages."""

    def __init__(self) -> None:
        self.values: defaultdict[int, np.float32] = defaultdict(np.float32)
        self.sums: defaultdict[int, float] = defaultdict(float)
        self.steps = 0

    def weigh(self, key: int) -> float:
        return float(self.values[key]) if key in self.values else 0.0

    def change(self, key: int, by: float) -> None:
        self.values[key] += np.float32(by)
        self.sums[key] += float(np.float32(by)) * self.steps

    def averaged(self) -> dict[int, float]:
        """The mean of the weights over all steps."""
        return {key: float(self.values[key]) - self.sums[key] / self.steps for key in self.values}


class Learner(Search):
    """Algorithm 3, or without `expand_negatives` Algorithm 2; with `first_update` it ends after the
    first update.

    After an update the edges of the chart and the gold edges on the agenda are rescored at once,
    other edges when they are popped.
    """

    def __init__(
        self,
        grammar: Grammar,
        chart_size: int,
        scaled: bool,
        weights: LearnedWeights,
        gold: Sequence[Node],
        margin: bool,
        expand_negatives: bool,
        first_update: bool = False,
        by_size: bool = False,
    ) -> None:
        super().__init__(grammar, weights.weigh, chart_size, scaled, by_size)
        self.first_update = first_update
        self.weights = weights
        self.margin = margin
        self.expand_negatives = expand_negatives
        leader = grammar.bag.leader
        self.gold: set[Tree] = set()
        led = [(*node[:4], leader[node[4]] if node[2] == LEAF else NONE, node[5]) for node in gold]
        for end in range(1, len(led) + 1):
            self.gold.add(tree_of(led[:end]))
        self.waiting: dict[Edge, int] = {}  # gold edges on the agenda, with their current number
        self.updates: list[tuple[Edge, Edge]] = []
        self.fallen = self.overtaken = 0  # gold edges that were pruned, or beaten by a signature

    def is_gold(self, edge: Edge) -> bool:
        return edge.tree in self.gold

    def push(self, edge: Edge) -> None:
        if self.is_gold(edge):
            self.waiting[edge] = self.pushed
        super().push(edge)

    def pop(self) -> Edge | None:
        while self.agenda:
            item = heappop(self.agenda)
            edge = item.edge
            if self.is_gold(edge):
                if self.waiting.get(edge) == item.order[1]:
                    del self.waiting[edge]
                    return edge
                continue
            if item.version == self.version:
                return edge
            self.refresh(edge)
            if self.rank(edge) >= item.rank:
                return edge
            heappush(self.agenda, Item((-self.rank(edge), item.order[1]), edge, self.version))
        return None

    def refresh(self, edge: Edge) -> None:
        if edge.version != self.version:
            score = 0.0
            for part in edge.parts:
                self.refresh(part)
                score += part.score
            edge.score = score + total(edge.keys, self.weigh)
            edge.version = self.version

    def update(self, positive: Edge, negative: Edge) -> None:
        gain, loss = (1 / edge.size if self.scaled else 1.0 for edge in (positive, negative))
        changes: defaultdict[int, float] = defaultdict(float)
        for key in positive.all_keys:
            changes[key] += gain
        for key in negative.all_keys:
            changes[key] -= loss
        changed = [(key, changes[key]) for key in sorted(changes) if abs(changes[key]) > 1e-12]
        if not changed:
            return
        factor = 1.0
        if self.margin:
            lead = positive.score * gain - negative.score * loss
            squares = 0.0
            for _, change in changed:
                squares += change * change
            factor = (1.0 - lead) / squares
        if factor <= 0:
            return
        self.updates.append((positive, negative))
        for key, change in changed:
            self.weights.change(key, factor * change)
        self.version += 1
        for edge in (*self.chart, positive, negative):
            self.refresh(edge)
        for edge in self.waiting:
            self.refresh(edge)
            self.push(edge)

    def learn(self, limit: int) -> bool:
        self.begin()
        while self.expansions < limit and (edge := self.pop()) is not None:
            self.expansions += 1
            if self.is_gold(edge):
                if self.grammar.is_goal(edge):
                    return True
            else:
                if not self.waiting:
                    return False
                self.update(min(self.waiting, key=self.rank), edge)
                if self.first_update and self.updates:
                    return False
                if not self.expand_negatives or len(edge.leaves) == self.grammar.bag.n:
                    continue
            twin = self.twin(edge)
            if twin is not None and not (self.is_gold(edge) and self.is_gold(twin)):
                winner, loser = (edge, twin) if self.rank(edge) > self.rank(twin) else (twin, edge)
                if self.is_gold(loser):
                    self.overtaken += 1
                    self.update(loser, winner)
                    winner = loser
                if winner is twin:
                    continue
                self.chart.remove(twin)
            self.expand(edge)
            fallen = self.accept(edge)
            if fallen is not None and self.is_gold(fallen):
                self.fallen += 1
                negatives = [each for each in self.chart if not self.is_gold(each)]
                if negatives:
                    best = max(negatives, key=self.rank)
                    self.update(fallen, best)
                    self.chart.remove(best)
                self.chart.append(fallen)
        return False
