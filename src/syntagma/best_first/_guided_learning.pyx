"""Learning guided by best-first search (ZC15 §3.5, Algorithms 2 and 3): the updates for one
sentence. Epochs are in `training`.

After an update, the edges of the chart and the gold edges on the agenda are rescored at once. Other
edges on the agenda are rescored when they are popped, and pushed back if their rank has dropped.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset
from libcpp.algorithm cimport sort
from libcpp.unordered_set cimport unordered_set
from libcpp.vector cimport vector

from syntagma.best_first._edges cimport LEAF, Edge, Edges, Proposal, join_hash, leaf_hash
from syntagma.best_first._search cimport AgendaItem, BestFirst
from syntagma.transition._state cimport NONE
from syntagma.features._sparse cimport MAX_KEYS, TrainingWeights, drain, finish

cdef struct GoldItem:
    # A gold edge on the agenda.
    Proposal by
    double rank
    long number                 # of its valid agenda item; earlier items are void
    bint waiting                # not expanded yet


cdef class GuidedSearch(BestFirst):
    """A search over one sentence that updates the weights so that gold edges are ranked first.

    `gold` is the gold derivation, as a list of nodes like the pieces of `best_first_search`. The
    settings are a `BestFirstSettings`. The update `margin` is the smallest one after which the gold
    edge leads by 1. With `negatives`, learning follows Algorithm 3, otherwise Algorithm 2. With
    `first_update`, the search ends after its first update (§4.4, on Zhang 2013).
    """

    cdef TrainingWeights weights
    cdef bint margin, expand_negatives, first_update
    cdef int version
    cdef readonly int updates
    cdef unordered_set[uint64_t] gold   # hashes of the gold edges
    cdef vector[GoldItem] gold_items
    cdef vector[uint64_t] keys          # own features of all edges, one edge after the other
    cdef vector[size_t] ends            # for each edge, where its features end
    cdef vector[int32_t] versions       # for each edge, the version of the weights in its score
    cdef vector[char] is_gold           # for each edge

    def __init__(self, Edges edges, TrainingWeights weights, gold, settings):
        BestFirst.__init__(self, edges, settings.chart, settings.scaled, settings.chart_by_size)
        self.weights = weights
        self.margin = settings.update == "margin"
        self.expand_negatives = settings.negatives
        self.first_update = settings.first_update
        edges.sum.table = &weights.table
        cdef vector[uint64_t] hashes
        cdef int left, right, rule, label, word, tag
        for left, right, rule, label, word, tag in gold:
            if rule == LEAF:
                hashes.push_back(leaf_hash(edges.leaders[word], tag, label))
            else:
                hashes.push_back(join_hash(
                    hashes[left], hashes[right] if right != NONE else 0, rule, label
                ))
            self.gold.insert(hashes.back())

    cdef int push(self, const Proposal* by) except -1 nogil:
        """Put a proposal on the agenda; gold ones are recognised by the hash of their edge."""
        cdef GoldItem gold
        cdef uint64_t hash = self.edges.items[by.left].hash
        if by.rule != LEAF:
            hash = join_hash(
                hash, self.edges.items[by.right].hash if by.right != NONE else 0,
                by.rule, by.label,
            )
        if self.gold.count(hash):
            gold.by = by[0]
            gold.waiting = True
            self.gold_items.push_back(gold)
            return self.place(self.gold_items.size() - 1)
        return self.put(by, self.version, NONE)

    cdef int place(self, int number) except -1 nogil:
        """Put a gold edge on the agenda, ranked by its score; its earlier items become void."""
        cdef GoldItem* gold = &self.gold_items[number]
        gold.rank = self.rank(gold.by.score, self.size_of(&gold.by))
        gold.number = self.pushed
        return self.put(&gold.by, self.version, number)

    cdef bint pop(self, AgendaItem* item) except -1 nogil:
        """Pop the best edge of the agenda under the current weights; False if it is empty."""
        cdef double rank
        cdef const GoldItem* gold
        while not self.agenda.empty():
            self.pop_item(item)
            if item.gold != NONE:
                gold = &self.gold_items[item.gold]
                if gold.waiting and gold.number == item.number:
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
            self.put_item(item[0])
        return False

    cdef double rescored(self, const Proposal* by) noexcept nogil:
        """The score of the proposed edge under the current weights."""
        cdef Edge edge
        cdef double score
        self.refresh(by.left)
        if by.rule == LEAF:
            return self.edges.items[by.left].score
        score = self.edges.items[by.left].score
        if by.right != NONE:
            self.refresh(by.right)
            score += self.edges.items[by.right].score
        self.edges.compose(by, &edge)
        self.edges.extract(&edge)
        return score + finish(self.edges.sum)

    cdef void refresh(self, int edge) noexcept nogil:
        """Recompute the score of an edge, after those of its parts."""
        cdef size_t i = self.ends[edge - 1] if edge else 0
        cdef double score = 0.0
        if self.versions[edge] == self.version:
            return
        if self.edges.items[edge].left != NONE:
            self.refresh(self.edges.items[edge].left)
            score += self.edges.items[self.edges.items[edge].left].score
        if self.edges.items[edge].right != NONE:
            self.refresh(self.edges.items[edge].right)
            score += self.edges.items[self.edges.items[edge].right].score
        while i < self.ends[edge]:
            self.edges.sum.keys[self.edges.sum.count] = self.keys[i]
            self.edges.sum.count += 1
            i += 1
            if self.edges.sum.count == MAX_KEYS:
                drain(self.edges.sum)
        self.edges.items[edge].score = score + finish(self.edges.sum)
        self.versions[edge] = self.version

    cdef int collect(self, const Edge* edge, vector[uint64_t]* keys) except -1 nogil:
        """Append the edge's own features φ."""
        self.edges.sum.table = NULL
        self.edges.sum.collected = keys
        self.edges.extract(edge)
        finish(self.edges.sum)
        self.edges.sum.table = &self.weights.table
        self.edges.sum.collected = NULL
        if self.edges.sum.failed:
            with gil:
                raise MemoryError()
        return 0

    cdef int record(self, int edge, bint gold) except -1 nogil:
        """Record what learning needs to know about a new edge."""
        self.collect(&self.edges.items[edge], &self.keys)
        self.ends.push_back(self.keys.size())
        self.versions.push_back(self.version)
        self.is_gold.push_back(gold)
        return 0

    cdef int gather(self, int edge, vector[uint64_t]* keys) except -1 nogil:
        """Append all features Φ of the edge, those of its parts included."""
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
        return 0

    cdef int least_gold(self) noexcept nogil:
        """MINGOLD: the index of the lowest-ranked gold edge on the agenda, or NONE."""
        cdef int i, least = NONE
        for i in range(<int>self.gold_items.size()):
            if self.gold_items[i].waiting and (
                least == NONE or self.gold_items[i].rank < self.gold_items[least].rank
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
        """UPDATEPARAMETERS with a positive example on the agenda."""
        cdef vector[uint64_t] keys
        cdef Edge edge
        if by.rule == LEAF:
            self.update_by_edge(by.left, negative)
            return
        self.gather(by.left, &keys)
        if by.right != NONE:
            self.gather(by.right, &keys)
        self.edges.compose(by, &edge)
        self.collect(&edge, &keys)
        self.update(&keys, by.score, self.size_of(by), negative)

    cdef update_by_edge(self, int positive, int negative):
        """UPDATEPARAMETERS with two edges that are built."""
        cdef vector[uint64_t] keys
        cdef const Edge* edge = &self.edges.items[positive]
        self.gather(positive, &keys)
        self.update(&keys, edge.score, edge.size, negative)
        self.refresh(positive)  # it may not be in the chart

    cdef update(self, vector[uint64_t]* positive, double score, int size, int negative):
        """Add Φ(e+) - Φ(e-) to the weights, each Φ(e) divided by |e| if scores are scaled. With
        `margin`, the difference is multiplied so that e+ leads by 1. Then RECOMPUTESCORES."""
        cdef Edges edges = self.edges
        cdef const Edge* edge = &edges.items[negative]
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
        memset(edges.sum.memo, 0, sizeof(edges.sum.memo))
        for i in range(self.chart.size()):
            self.refresh(self.chart[i])
        self.refresh(negative)
        for k in range(<int>self.gold_items.size()):
            if self.gold_items[k].waiting:
                self.gold_items[k].by.score = self.rescored(&self.gold_items[k].by)
                self.place(k)

    def learn(self, int64_t limit):
        """Search and update until the gold result is found or `limit` edges were popped, or after
        the first update; return whether it was found."""
        cdef AgendaItem item
        cdef Edges edges = self.edges
        cdef int edge, twin, loser, least, fallen
        cdef bint gold
        self.begin()
        for edge in range(<int>edges.items.size()):
            self.record(edge, self.gold.count(edges.items[edge].hash))
        while self.expansions < limit and not (self.first_update and self.updates):
            if not self.pop(&item):
                break
            self.expansions += 1
            gold = item.gold != NONE
            edge = edges.build(&item.by)
            if item.by.rule != LEAF:
                self.record(edge, gold)
            if gold:
                self.gold_items[item.gold].waiting = False
                if edges.is_goal(&edges.items[edge]):
                    return True
            else:
                least = self.least_gold()
                if least == NONE:
                    return False
                self.update_by_item(&self.gold_items[least].by, edge)
                if self.first_update or not self.expand_negatives:
                    continue
                if edges.items[edge].words == edges.task.n:
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
            self.expand(edge)
            fallen = self.accept(edge)
            if fallen != NONE and self.is_gold[fallen]:
                negative = self.best_negative()
                if negative is not None:
                    self.update_by_edge(fallen, negative)
                    self.remove(negative)
                self.keep(fallen)
        return False
