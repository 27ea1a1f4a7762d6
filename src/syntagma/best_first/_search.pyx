"""Best-first search over edges (ZC15 Algorithms 1 and 4): an agenda, a chart, and any grammar."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from syntagma.best_first._edges cimport LEAF, Edge, Grammar, Proposal
from syntagma.transition._state cimport NONE


cdef class BestFirst:
    """One problem under search, once.

    The agenda holds edges that could be built, the chart those that were expanded. With `scaled`
    edges are compared by f(e) / |e| (§3.3), otherwise by f(e).
    """

    def __init__(self, Grammar grammar, int chart_size, bint scaled):
        if chart_size < 1:
            raise ValueError("a chart holds at least one edge")
        self.grammar = grammar
        self.chart_size = chart_size
        self.scaled = scaled

    cdef double rank(self, double score, int size) noexcept nogil:
        return score / size if self.scaled else score

    cdef double rank_of(self, int edge) noexcept nogil:
        return self.rank(self.grammar.edges[edge].score, self.grammar.edges[edge].size)

    cdef int size_of(self, const Proposal* by) noexcept nogil:
        """|e| of the proposed edge."""
        cdef int size = self.grammar.edges[by.left].size + (by.rule != LEAF)
        return size if by.right == NONE else size + self.grammar.edges[by.right].size

    cdef void push(self, const Proposal* by) noexcept nogil:
        self.put(by, 0, NONE)

    cdef void put(self, const Proposal* by, int version, int gold) noexcept nogil:
        """Put a proposal on the agenda, where its score says."""
        cdef AgendaItem item
        item.by = by[0]
        item.rank = self.rank(by.score, self.size_of(by))
        item.number = self.pushed
        item.version = version
        item.gold = gold
        self.pushed += 1
        self.agenda.push(item)

    cdef void begin(self) noexcept nogil:
        """Put the leaf edges on the agenda."""
        cdef Proposal by
        cdef int i
        self.grammar.lay_leaves()
        for i in range(<int>self.grammar.edges.size()):
            by.left = i
            by.right = NONE
            by.rule = LEAF
            by.label = self.grammar.edges[i].label
            by.score = self.grammar.edges[i].score
            self.push(&by)

    cdef void expand(self, int edge, double deadline) noexcept nogil:
        """Put on the agenda what the grammar makes of the edge, alone and with the chart."""
        cdef int i, other
        cdef size_t j
        self.grammar.proposals.clear()
        self.grammar.propose_unary(edge)
        for i in range(<int>self.chart.size()):
            other = self.chart[i]
            if self.grammar.can_join(edge, other):
                if self.grammar.may_precede(edge, other):
                    self.grammar.propose_binary(edge, other)
                if self.grammar.may_precede(other, edge):
                    self.grammar.propose_binary(other, edge)
                if deadline and steady_seconds() > deadline:
                    break
        # Of words that are there several times, a phrase may be joined with its own copy.
        if not self.grammar.repeated.empty() and self.grammar.can_join(edge, edge):
            self.grammar.propose_binary(edge, edge)
        for j in range(self.grammar.proposals.size()):
            self.push(&self.grammar.proposals[j])

    cdef int twin_in_chart(self, int edge) noexcept nogil:
        """The edge of the chart with the same signature (DPCHARTPRUNE), or NONE."""
        cdef uint64_t signature = self.grammar.signature(edge)
        if signature == 0 or self.signed.count(signature) == 0:
            return NONE
        return self.signed[signature]

    cdef int accept(self, int edge) noexcept nogil:
        """Add the edge to the chart; the number of the one that falls out of it, or NONE."""
        cdef uint64_t signature = self.grammar.signature(edge)
        cdef int i, worst = edge
        self.chart.push_back(edge)
        if signature:
            self.signed[signature] = edge
        if <int>self.chart.size() <= self.chart_size:
            return NONE
        for i in range(<int>self.chart.size()):
            # Of equal ones the new edge goes, or else the first to come.
            if self.rank_of(self.chart[i]) < self.rank_of(worst):
                worst = self.chart[i]
        self.remove(worst)
        return worst

    cdef void remove(self, int edge) noexcept nogil:
        cdef uint64_t signature = self.grammar.signature(edge)
        cdef size_t i
        for i in range(self.chart.size()):
            if self.chart[i] == edge:
                self.chart.erase(self.chart.begin() + i)
                break
        if signature and self.signed.count(signature) and self.signed[signature] == edge:
            self.signed.erase(signature)

    cdef void run(self, int wanted, long limit, double deadline) noexcept nogil:
        """Expand edges until so many results of different order are found, or a limit is reached;
        the first edge is always expanded. A limit of 0 is none."""
        cdef AgendaItem item
        cdef int edge, twin
        self.begin()
        while True:
            if self.agenda.empty():
                self.exhausted = True
                return
            item = self.agenda.pop()
            edge = self.grammar.build(&item.by)
            self.expansions += 1
            if self.grammar.is_goal(&self.grammar.edges[edge]):
                if self.is_new(edge):
                    self.goals.push_back(edge)
                    if <int>self.goals.size() >= wanted:
                        return
            else:
                twin = self.twin_in_chart(edge)
                if twin == NONE or self.rank_of(edge) > self.rank_of(twin):
                    if twin != NONE:
                        self.remove(twin)
                    self.expand(edge, deadline)
                    self.accept(edge)
            if (limit and self.expansions >= limit) or (deadline and steady_seconds() > deadline):
                return

    cdef void list_parts(self, int edge, vector[int32_t]* parts) noexcept nogil:
        """All edges of which an edge was built, itself first, each before its parts and the right
        one before the left one."""
        cdef vector[int32_t] stack
        cdef int at
        stack.push_back(edge)
        while not stack.empty():
            at = stack.back()
            stack.pop_back()
            parts.push_back(at)
            if self.grammar.edges[at].left != NONE:
                stack.push_back(self.grammar.edges[at].left)
            if self.grammar.edges[at].right != NONE:
                stack.push_back(self.grammar.edges[at].right)

    cdef void list_kinds(self, int edge, vector[int32_t]* kinds) noexcept nogil:
        """The kinds of its words from right to left."""
        cdef vector[int32_t] parts
        cdef const Edge* part
        cdef size_t i
        self.list_parts(edge, &parts)
        for i in range(parts.size()):
            part = &self.grammar.edges[parts[i]]
            if part.rule == LEAF:
                kinds.push_back(self.grammar.task.words[part.word].kind)

    cdef bint is_new(self, int edge) noexcept nogil:
        """No result found so far has its words in the same order."""
        cdef vector[int32_t] order, other
        cdef size_t i
        self.list_kinds(edge, &order)
        for i in range(self.goals.size()):
            other.clear()
            self.list_kinds(self.goals[i], &other)
            if order == other:
                return False
        return True

    cdef void join_pieces(self) noexcept nogil:
        """The default output (§3.4): the largest edge of the chart, then, to its right, every
        other one that can still be used, the largest first."""
        cdef vector[int32_t] rest = self.chart
        cdef int i, best, blocks = self.grammar.task.blocks
        cdef size_t at, j
        cdef vector[uint64_t] held, both
        cdef bint fits
        held.assign(blocks, 0)
        both.resize(blocks)
        while not rest.empty():
            at = 0
            for j in range(1, rest.size()):
                i = rest[j]
                best = rest[at]
                if self.grammar.edges[i].words > self.grammar.edges[best].words or (
                    self.grammar.edges[i].words == self.grammar.edges[best].words
                    and self.rank_of(i) > self.rank_of(best)
                ):
                    at = j
            best = rest[at]
            rest.erase(rest.begin() + at)
            if not self.grammar.unite(&held[0], &self.grammar.covered[best * blocks], &both[0]):
                continue
            fits = True
            for j in range(self.pieces.size()):
                fits = fits and self.grammar.may_precede(self.pieces[j], best)
            if fits:
                self.pieces.push_back(best)
                held.swap(both)

    def _result(self, edges):
        """(score, pieces) of edges that stand side by side."""
        cdef double score = 0.0
        cdef int size = 0
        pieces = []
        for edge in edges:
            pieces.append(self._nodes(edge))
            score += self.grammar.edges[edge].score
            size += self.grammar.edges[edge].size
        return self.rank(score, max(size, 1)), pieces

    def _nodes(self, int root):
        """An edge as a list of nodes, what it was built from before it."""
        cdef const Edge* edge
        cdef vector[int32_t] parts
        cdef int number
        self.list_parts(root, &parts)
        nodes, place = [], {NONE: NONE}
        for number in reversed(parts):
            edge = &self.grammar.edges[number]
            # An edge may be part of another twice, if words are there several times.
            place[number] = len(nodes)
            nodes.append((
                place[edge.left], place[edge.right], edge.rule, edge.label, edge.word, edge.tag,
            ))
        return nodes


def best_first_search(BestFirst search, int n_best=1, long limit=0, double seconds=0.0):
    """(finished, results): each result is its score and its pieces, each a list of nodes from the
    bottom up: (left, right, rule, label, word, tag), where left and right are places in the list.

    A search that is finished has results of one piece that hold all words, best first; one that
    reached its limit has one result, of which words may be missing.
    """
    cdef double deadline = steady_seconds() + seconds if seconds > 0 else 0.0
    with nogil:
        search.run(n_best, limit, deadline)
        if search.goals.empty():
            search.join_pieces()
    if search.goals.empty():
        return False, [search._result(search.pieces)]
    results = [search._result([goal]) for goal in search.goals]
    return True, sorted(results, key=lambda result: -result[0])
