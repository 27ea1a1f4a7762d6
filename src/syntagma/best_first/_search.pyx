"""Best-first search over edges (ZC15 Algorithms 1 and 4): the agenda and the chart.

Which edges can be built is up to the grammar (`_dependency_edges`, `_ccg_edges`).
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport pop_heap, push_heap
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from math import inf

from syntagma.best_first._edges cimport LEAF, Edge, Edges, Proposal
from syntagma.transition._clock cimport Clock
from syntagma.transition._state cimport NONE

from syntagma.transition._clock import NO_LIMIT


cdef bint is_lower(const AgendaItem& a, const AgendaItem& b) noexcept nogil:
    return a.rank < b.rank if a.rank != b.rank else a.number > b.number


cdef class BestFirst:
    """A search over one problem, to be run once.

    The agenda holds edges that can be built, the chart edges that were expanded. With `scaled`,
    edges are ranked by f(e) / |e| (§3.3), otherwise by f(e). The chart holds at most `chart_size`
    edges; with `by_size`, as many for each number of words, as in the papers before (§3.4).
    """

    def __init__(self, Edges edges, int chart_size, bint scaled, bint by_size=False):
        if chart_size < 1:
            raise ValueError("a chart holds at least one edge")
        self.edges = edges
        self.chart_size = chart_size
        self.scaled = scaled
        self.by_size = by_size
        self.clock = NO_LIMIT

    cdef double rank(self, double score, int size) noexcept nogil:
        return score / size if self.scaled else score

    cdef double rank_of(self, int edge) noexcept nogil:
        return self.rank(self.edges.items[edge].score, self.edges.items[edge].size)

    cdef int size_of(self, const Proposal* by) noexcept nogil:
        """|e| of the proposed edge."""
        cdef int size = self.edges.items[by.left].size + (by.rule != LEAF)
        return size if by.right == NONE else size + self.edges.items[by.right].size

    cdef int push(self, const Proposal* by) except -1 nogil:
        return self.put(by, 0, NONE)

    cdef int put(self, const Proposal* by, int version, int gold) except -1 nogil:
        """Put a proposal on the agenda, ranked by its score."""
        cdef double rank = self.rank(by.score, self.size_of(by))
        self.pushed += 1
        return self.put_item(AgendaItem(rank, self.pushed - 1, by[0], version, gold))

    cdef int put_item(self, const AgendaItem& item) except -1 nogil:
        self.agenda.push_back(item)
        push_heap(self.agenda.begin(), self.agenda.end(), &is_lower)
        return 0

    cdef int pop_item(self, AgendaItem* item) except -1 nogil:
        """Take the highest-ranked item off the agenda."""
        pop_heap(self.agenda.begin(), self.agenda.end(), &is_lower)
        item[0] = self.agenda.back()
        self.agenda.pop_back()
        return 0

    cdef int begin(self) except -1 nogil:
        """Put the leaf edges on the agenda."""
        cdef Proposal by
        cdef int i
        self.edges.add_leaves()
        for i in range(<int>self.edges.items.size()):
            by = Proposal(i, NONE, LEAF, self.edges.items[i].label, self.edges.items[i].score)
            self.push(&by)
        return 0

    cdef int expand(self, int edge) except -1 nogil:
        """Put on the agenda every edge built from this one, alone or with an edge of the chart."""
        cdef int i, other
        cdef size_t j
        self.edges.proposals.clear()
        self.edges.propose_unary(edge)
        for i in range(<int>self.chart.size()):
            other = self.chart[i]
            if self.edges.can_join(edge, other):
                if self.edges.may_precede(edge, other):
                    self.edges.propose_binary(edge, other)
                if self.edges.may_precede(other, edge):
                    self.edges.propose_binary(other, edge)
                if self.clock.is_over():
                    break
        # A phrase of repeated words may be joined with its own copy.
        if not self.edges.repeated.empty() and self.edges.can_join(edge, edge):
            self.edges.propose_binary(edge, edge)
        for j in range(self.edges.proposals.size()):
            self.push(&self.edges.proposals[j])
        return 0

    cdef int twin_in_chart(self, int edge) noexcept nogil:
        """The edge of the chart with the same signature (DPCHARTPRUNE), or NONE."""
        cdef uint64_t signature = self.edges.signature(edge)
        if signature == 0 or self.by_signature.count(signature) == 0:
            return NONE
        return self.by_signature[signature]

    cdef int keep(self, int edge) except -1 nogil:
        """Add the edge to the chart, even if the chart is full."""
        cdef uint64_t signature = self.edges.signature(edge)
        self.chart.push_back(edge)
        if signature:
            self.by_signature.erase(signature)
            self.by_signature.insert(pair[uint64_t, int32_t](signature, edge))
        return 0

    cdef int accept(self, int edge) except -2 nogil:
        """Add the edge to the chart; return the edge pruned to make room, or NONE."""
        cdef int i, worst = edge, rivals = 0, words = self.edges.items[edge].words
        self.keep(edge)
        if <int>self.chart.size() <= self.chart_size:
            return NONE
        for i in range(<int>self.chart.size()):
            if self.by_size and self.edges.items[self.chart[i]].words != words:
                continue
            rivals += 1
            # Ties: the new edge is pruned, or else the oldest.
            if self.rank_of(self.chart[i]) < self.rank_of(worst):
                worst = self.chart[i]
        if rivals <= self.chart_size:
            return NONE
        self.remove(worst)
        return worst

    cdef void remove(self, int edge) noexcept nogil:
        cdef uint64_t signature = self.edges.signature(edge)
        cdef size_t i
        for i in range(self.chart.size()):
            if self.chart[i] == edge:
                self.chart.erase(self.chart.begin() + i)
                break
        if self.by_signature.count(signature) and self.by_signature[signature] == edge:
            self.by_signature.erase(signature)

    cdef int run(self, int wanted, int64_t limit) except -1 nogil:
        """Expand edges until `wanted` different sentences are found or a limit is reached.

        At least one edge is expanded. A limit of 0 means no limit.
        """
        cdef AgendaItem item
        cdef int edge, twin
        if self.pushed == 0:
            self.begin()
        while True:
            if self.agenda.empty():
                self.exhausted = True
                return 0
            self.pop_item(&item)
            edge = self.edges.build(&item.by)
            self.expansions += 1
            if self.edges.is_goal(&self.edges.items[edge]):
                if self.is_new(edge):
                    self.goals.push_back(edge)
                    if <int>self.goals.size() >= wanted:
                        return 0
            else:
                twin = self.twin_in_chart(edge)
                if twin == NONE or self.rank_of(edge) > self.rank_of(twin):
                    if twin != NONE:
                        self.remove(twin)
                    self.expand(edge)
                    self.accept(edge)
            self.clock.look()
            if (limit and self.expansions >= limit) or self.clock.is_over():
                return 0

    cdef int list_parts(self, int edge, vector[int32_t]* parts) except -1 nogil:
        """All edges that an edge is built from, itself included; each before its parts, the right
        part before the left one."""
        cdef vector[int32_t] stack
        cdef int at
        stack.push_back(edge)
        while not stack.empty():
            at = stack.back()
            stack.pop_back()
            parts.push_back(at)
            if self.edges.items[at].left != NONE:
                stack.push_back(self.edges.items[at].left)
            if self.edges.items[at].right != NONE:
                stack.push_back(self.edges.items[at].right)
        return 0

    cdef int list_kinds(self, int edge, vector[int32_t]* kinds) except -1 nogil:
        """The kinds of the edge's units from right to left."""
        cdef vector[int32_t] parts
        cdef const Edge* part
        cdef size_t i
        self.list_parts(edge, &parts)
        for i in range(parts.size()):
            part = &self.edges.items[parts[i]]
            if part.rule == LEAF:
                kinds.push_back(self.edges.unit_kinds[part.unit])
        return 0

    cdef bint is_new(self, int edge) except -1 nogil:
        """Whether no result found so far is the same sentence."""
        cdef vector[int32_t] order, other
        cdef size_t i
        self.list_kinds(edge, &order)
        for i in range(self.goals.size()):
            other.clear()
            self.list_kinds(self.goals[i], &other)
            if order == other:
                return False
        return True

    cdef int join_pieces(self) except -1 nogil:
        """The default output (§3.4): the largest edge of the chart and, to its right, the largest
        of the remaining edges that fits, repeatedly."""
        cdef vector[int32_t] rest
        cdef int i, best, blocks = self.edges.task.blocks
        cdef size_t at, j
        cdef vector[uint64_t] held, both
        cdef bint fits
        self.pieces.clear()
        rest.assign(self.chart.begin(), self.chart.end())
        held.assign(blocks, 0)
        both.resize(blocks)
        while not rest.empty():
            at = 0
            for j in range(1, rest.size()):
                i = rest[j]
                best = rest[at]
                if self.edges.items[i].words > self.edges.items[best].words or (
                    self.edges.items[i].words == self.edges.items[best].words
                    and self.rank_of(i) > self.rank_of(best)
                ):
                    at = j
            best = rest[at]
            rest.erase(rest.begin() + at)
            if not self.edges.unite(&held[0], &self.edges.covered[best * blocks], &both[0]):
                continue
            fits = True
            for j in range(self.pieces.size()):
                fits = fits and self.edges.may_precede(self.pieces[j], best)
            if fits:
                self.pieces.push_back(best)
                held.swap(both)
        return 0

    def _result(self, edges):
        """(score, pieces) of edges that are put side by side."""
        cdef double score = 0.0
        cdef int size = 0
        pieces = []
        for edge in edges:
            pieces.append(self._nodes(edge))
            score += self.edges.items[edge].score
            size += self.edges.items[edge].size
        return self.rank(score, max(size, 1)), pieces

    def _nodes(self, int root):
        """The derivation of an edge as a list of nodes, parts first."""
        cdef const Edge* edge
        cdef vector[int32_t] parts
        cdef int number
        self.list_parts(root, &parts)
        nodes, place = [], {NONE: NONE}
        for number in reversed(parts):
            edge = &self.edges.items[number]
            # With repeated words, an edge can be a part of another edge twice.
            place[number] = len(nodes)
            nodes.append((
                place[edge.left], place[edge.right], edge.rule, edge.label, edge.word, edge.tag,
            ))
        return nodes


def best_first_search(BestFirst search, int n_best=1, int64_t limit=0, Clock clock=NO_LIMIT):
    """Run a search: (finished, results).

    A result is a score and a list of pieces. A piece is the derivation of one phrase: nodes (left,
    right, rule, label, word, tag) from the bottom up, where left and right are indices of nodes.

    Each result of a finished search is one piece with all words. Results are listed as they were
    found, so that a longer list begins with the shorter one; none scores more than the one before
    it. A search that reached its limit has one result, in which words may be missing; called again,
    it resumes. The limit on expansions is for all calls together, the clock for each call.
    """
    search.clock = clock
    with nogil:
        search.run(n_best, limit)
        if search.goals.empty():
            search.join_pieces()
    if search.goals.empty():
        return False, [search._result(search.pieces)]
    results = []
    least = inf
    for goal in search.goals:
        score, pieces = search._result([goal])
        least = min(least, score)
        results.append((least, pieces))
    return True, results
