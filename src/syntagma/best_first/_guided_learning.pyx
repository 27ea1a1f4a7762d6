"""Learning guided by best-first search (ZC15 §3.5, Algorithms 2 and 3); epochs live in
best_first_training.py.

Scores are recomputed after each update, those of the chart and of the gold edges on the agenda at
once, any other when it comes to the top: then it may turn out to belong further down.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset
from libcpp.algorithm cimport sort
from libcpp.unordered_set cimport unordered_set
from libcpp.vector cimport vector

from syntagma.best_first._search cimport AgendaItem, BestFirst
from syntagma.best_first._edges cimport LEAF, Edge, Grammar, Proposal, join_hash, leaf_hash
from syntagma.transition._state cimport NONE
from syntagma.features._templates cimport MAX_KEYS, drain, finish
from syntagma.features._weights cimport TrainingWeights

cdef struct GoldItem:
    # A gold edge on the agenda, until it is expanded.
    Proposal by
    double rank
    long number                 # of its place on the agenda; those it had before are void
    bint waiting


cdef class GuidedSearch(BestFirst):
    """A search over one sentence, by which weights learn to put gold edges first.

    `gold` is the derivation of the sentence as `best_first_search` returns derivations. `margin`:
    the smallest change after which the gold edge leads by 1, or else the perceptron's.
    `expand_negatives`: Algorithm 3, or else 2.
    """

    cdef TrainingWeights weights
    cdef bint margin, expand_negatives
    cdef int version
    cdef readonly int updates
    cdef unordered_set[uint64_t] gold
    cdef vector[GoldItem] golds
    cdef vector[uint64_t] keys          # own features of each edge that was built ...
    cdef vector[size_t] ends            # ... up to here
    cdef vector[int32_t] versions       # of the weights that edges were scored with
    cdef vector[char] is_gold           # edges

    def __init__(
        self, Grammar grammar, int chart_size, bint scaled, TrainingWeights weights, gold,
        bint margin, bint expand_negatives,
    ):
        BestFirst.__init__(self, grammar, chart_size, scaled)
        self.weights = weights
        self.margin = margin
        self.expand_negatives = expand_negatives
        grammar.sum.table = &weights.table
        cdef vector[uint64_t] hashes
        cdef int left, right, rule, label, word, tag
        for left, right, rule, label, word, tag in gold:
            if rule == LEAF:
                hashes.push_back(leaf_hash(grammar.leaders[word], tag, label))
            else:
                hashes.push_back(join_hash(
                    hashes[left], hashes[right] if right != NONE else 0, rule, label
                ))
            self.gold.insert(hashes.back())

    cdef void push(self, const Proposal* by) noexcept nogil:
        """Put a proposal on the agenda; gold ones are known by what they would be."""
        cdef GoldItem gold
        cdef uint64_t hash = self.grammar.edges[by.left].hash
        if by.rule != LEAF:
            hash = join_hash(
                hash, self.grammar.edges[by.right].hash if by.right != NONE else 0,
                by.rule, by.label,
            )
        if self.gold.count(hash):
            gold.by = by[0]
            gold.waiting = True
            self.golds.push_back(gold)
            self.place(self.golds.size() - 1)
        else:
            self.put(by, self.version, NONE)

    cdef void place(self, int number) noexcept nogil:
        """Put a gold edge where its score says; the place that it had before is void."""
        cdef GoldItem* gold = &self.golds[number]
        gold.rank = self.rank(gold.by.score, self.size_of(&gold.by))
        gold.number = self.pushed
        self.put(&gold.by, self.version, number)

    cdef bint pop(self, AgendaItem* item) noexcept nogil:
        """The best edge of the agenda by the current weights; False if it is empty."""
        cdef double rank
        while not self.agenda.empty():
            item[0] = self.agenda.pop()
            if item.gold != NONE:
                if self.golds[item.gold].waiting and self.golds[item.gold].number == item.number:
                    return True
                continue
            if item.version == self.version:
                return True
            item.version = self.version
            item.by.score = self.rescored(&item.by)
            rank = self.rank(item.by.score, self.size_of(&item.by))
            if rank >= item.rank:
                item.rank = rank
                return True
            item.rank = rank
            self.agenda.push(item[0])
        return False

    cdef double rescored(self, const Proposal* by) noexcept nogil:
        """What the proposed edge scores by the current weights."""
        cdef Edge edge
        cdef double score
        self.refresh(by.left)
        if by.rule == LEAF:
            return self.grammar.edges[by.left].score
        score = self.grammar.edges[by.left].score
        if by.right != NONE:
            self.refresh(by.right)
            score += self.grammar.edges[by.right].score
        self.grammar.compose(by, &edge)
        self.grammar.extract(&edge)
        return score + finish(self.grammar.sum)

    cdef void refresh(self, int edge) noexcept nogil:
        """Recompute the score of an edge, after those of its parts."""
        cdef size_t i = self.ends[edge - 1] if edge else 0
        cdef double score = 0.0
        if self.versions[edge] == self.version:
            return
        if self.grammar.edges[edge].left != NONE:
            self.refresh(self.grammar.edges[edge].left)
            score += self.grammar.edges[self.grammar.edges[edge].left].score
        if self.grammar.edges[edge].right != NONE:
            self.refresh(self.grammar.edges[edge].right)
            score += self.grammar.edges[self.grammar.edges[edge].right].score
        while i < self.ends[edge]:
            self.grammar.sum.keys[self.grammar.sum.count] = self.keys[i]
            self.grammar.sum.count += 1
            i += 1
            if self.grammar.sum.count == MAX_KEYS:
                drain(self.grammar.sum)
        self.grammar.edges[edge].score = score + finish(self.grammar.sum)
        self.versions[edge] = self.version

    cdef void collect(self, const Edge* edge, vector[uint64_t]* keys) noexcept nogil:
        """Append the edge's own features."""
        self.grammar.sum.table = NULL
        self.grammar.sum.collected = keys
        self.grammar.extract(edge)
        finish(self.grammar.sum)
        self.grammar.sum.table = &self.weights.table
        self.grammar.sum.collected = NULL

    cdef void note(self, int edge, bint gold) noexcept nogil:
        """Keep what learning needs to know of an edge that was built."""
        self.collect(&self.grammar.edges[edge], &self.keys)
        self.ends.push_back(self.keys.size())
        self.versions.push_back(self.version)
        self.is_gold.push_back(gold)

    cdef void gather(self, int edge, vector[uint64_t]* keys) noexcept nogil:
        """Append all features Φ of an edge."""
        cdef vector[int32_t] parts
        cdef size_t i
        cdef int at
        self.list_parts(edge, &parts)
        for i in range(parts.size()):
            at = parts[i]
            keys.insert(
                keys.end(), self.keys.begin() + (self.ends[at - 1] if at else 0),
                self.keys.begin() + self.ends[at],
            )

    cdef int least_gold(self) noexcept nogil:
        """MINGOLD: the number of the lowest-ranked gold edge on the agenda, or NONE."""
        cdef int i, least = NONE
        for i in range(<int>self.golds.size()):
            if self.golds[i].waiting and (
                least == NONE or self.golds[i].rank < self.golds[least].rank
            ):
                least = i
        return least

    cdef best_negative(self):
        """MAXNONGOLD: the highest-ranked edge of the chart that is not gold, or None."""
        found = None
        for edge in self.chart:
            if not self.is_gold[edge] and (
                found is None or self.rank_of(edge) > self.rank_of(found)
            ):
                found = edge
        return found

    cdef update_by_item(self, const Proposal* by, int negative):
        """UPDATEPARAMETERS, the positive example being on the agenda."""
        cdef vector[uint64_t] keys
        cdef Edge edge
        if by.rule == LEAF:
            self.update_by_edge(by.left, negative)
            return
        self.gather(by.left, &keys)
        if by.right != NONE:
            self.gather(by.right, &keys)
        self.grammar.compose(by, &edge)
        self.collect(&edge, &keys)
        self.update(&keys, by.score, self.size_of(by), negative)

    cdef update_by_edge(self, int positive, int negative):
        """UPDATEPARAMETERS for two edges."""
        cdef vector[uint64_t] keys
        cdef const Edge* edge = &self.grammar.edges[positive]
        self.gather(positive, &keys)
        self.update(&keys, edge.score, edge.size, negative)
        self.refresh(positive)  # which need not be in the chart

    cdef update(self, vector[uint64_t]* positive, double score, int size, int negative):
        """Change the weights by Φ(e+) - Φ(e-), each divided by |e| if scores are scaled: as it is
        (perceptron), or by as much as makes e+ lead by 1 (margin). Then RECOMPUTESCORES."""
        cdef Grammar grammar = self.grammar
        cdef const Edge* edge = &grammar.edges[negative]
        cdef vector[uint64_t] other, keys
        cdef vector[double] changes
        cdef double gain = 1.0 / size if self.scaled else 1.0
        cdef double loss = 1.0 / edge.size if self.scaled else 1.0
        cdef double norm = 0.0, change, factor = 1.0
        cdef size_t i = 0, j = 0
        cdef uint64_t key
        cdef int k
        self.gather(negative, &other)
        sort(positive.begin(), positive.end())
        sort(other.begin(), other.end())
        while i < positive.size() or j < other.size():
            if j == other.size() or (i < positive.size() and positive[0][i] <= other[j]):
                key = positive[0][i]
            else:
                key = other[j]
            change = 0.0
            while i < positive.size() and positive[0][i] == key:
                change += gain
                i += 1
            while j < other.size() and other[j] == key:
                change -= loss
                j += 1
            if change > 1e-12 or change < -1e-12:
                keys.push_back(key)
                changes.push_back(change)
                norm += change * change
        if self.margin and norm > 0.0:
            factor = (edge.score * loss - score * gain + 1.0) / norm
        if norm == 0.0 or factor <= 0.0:
            return
        self.updates += 1
        self.weights.reserve(keys.size())
        for i in range(keys.size()):
            self.weights.change(keys[i], <float>(factor * changes[i]))
        self.version += 1
        memset(grammar.sum.memo, 0, sizeof(grammar.sum.memo))
        for i in range(self.chart.size()):
            self.refresh(self.chart[i])
        self.refresh(negative)
        for k in range(<int>self.golds.size()):
            if self.golds[k].waiting:
                self.golds[k].by.score = self.rescored(&self.golds[k].by)
                self.place(k)

    def learn(self, long limit):
        """Search and update until the gold result is found, or so many edges were taken off the
        agenda; whether it was found."""
        cdef AgendaItem item
        cdef Grammar grammar = self.grammar
        cdef int edge, twin, loser, least, fallen
        cdef bint gold
        self.begin()
        for edge in range(<int>grammar.edges.size()):
            self.note(edge, self.gold.count(grammar.edges[edge].hash))
        while self.expansions < limit and self.pop(&item):
            self.expansions += 1
            gold = item.gold != NONE
            edge = grammar.build(&item.by)
            if item.by.rule != LEAF:
                self.note(edge, gold)
            if gold:
                self.golds[item.gold].waiting = False
                if grammar.is_goal(&grammar.edges[edge]):
                    return True
            else:
                least = self.least_gold()
                if least == NONE:
                    return False
                self.update_by_item(&self.golds[least].by, edge)
                if not self.expand_negatives or grammar.edges[edge].words == grammar.task.n:
                    continue
            twin = self.twin_in_chart(edge)
            if twin != NONE and not (gold and self.is_gold[twin]):
                loser = twin if self.rank_of(edge) > self.rank_of(twin) else edge
                if self.is_gold[loser]:
                    self.update_by_edge(loser, twin if loser == edge else edge)
                    loser = twin if loser == edge else edge
                if loser == edge:
                    continue
                self.remove(twin)
            self.expand(edge, 0.0)
            fallen = self.accept(edge)
            if fallen != NONE and self.is_gold[fallen]:
                negative = self.best_negative()
                if negative is not None:
                    self.update_by_edge(fallen, negative)
                    self.remove(negative)
                self.restore(fallen)
        return False

    cdef void restore(self, int edge) noexcept nogil:
        """Put a gold edge back into the chart, however full it is."""
        cdef uint64_t signature = self.grammar.signature(edge)
        self.chart.push_back(edge)
        if signature:
            self.signed[signature] = edge
