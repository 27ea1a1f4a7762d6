"""The averaged perceptron's table and its updates (L15 §3.1); epochs live in linear_training.py."""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

import numpy as np

from syntagma.core.features cimport Extractor, read_state, score_arc, score_shift, shift_base
from syntagma.core.linear cimport LinearScorer, LinearSearch
from syntagma.core.search cimport Link
from syntagma.core.state cimport (
    SHIFT, Action, EncodedProblem, State, apply, initial_state, reference_actions,
)
from syntagma.core.weights cimport Slot, Table, Weights, fingerprint


cdef class Update:
    """Features to reward and to punish for one sentence; `correct` if there are none."""

    cdef vector[uint64_t] rewarded
    cdef vector[uint64_t] punished
    cdef readonly bint correct


cdef class Learner:
    """Weights under training: the slots the search reads, with full keys and averages beside them.

    w is the weight, u the sum of step x change: the average over T steps is w - u / T.
    """

    cdef LinearScorer scorer
    cdef Table table
    cdef object _slots, _keys, _sums
    cdef Slot* slots
    cdef uint64_t* keys
    cdef double* sums
    cdef uint64_t capacity
    cdef readonly uint64_t used
    cdef readonly uint64_t steps

    def __init__(self, templates, label_index, label_pool):
        nothing = Weights(np.zeros(1, np.uint32), np.zeros(1, np.float32))
        self.scorer = LinearScorer(templates, nothing, label_index, label_pool)
        self.scorer.table = &self.table
        self.used = self.steps = 0
        self._allocate(1 << 20)

    cdef _allocate(self, uint64_t capacity):
        slots, keys = np.zeros(capacity, np.uint64), np.zeros(capacity, np.uint64)
        sums = np.zeros(capacity)
        cdef uint64_t[::1] slot_view = slots
        cdef uint64_t[::1] key_view = keys
        cdef double[::1] sum_view = sums
        self._slots, self._keys, self._sums = slots, keys, sums
        self.slots = <Slot*>&slot_view[0]
        self.keys = &key_view[0]
        self.sums = &sum_view[0]
        self.capacity = capacity
        self.table.slots = self.slots
        self.table.mask = capacity - 1

    cdef uint64_t find(self, uint64_t key) noexcept nogil:
        """The slot of the key, or the empty one where it belongs.

        The search tells features apart by fingerprint, so this must, too.
        """
        cdef uint64_t at = key & self.table.mask
        cdef uint32_t wanted = fingerprint(key)
        while self.slots[at].fingerprint and self.slots[at].fingerprint != wanted:
            at = (at + 1) & self.table.mask
        return at

    def _grow(self):
        old = self._slots, self._keys, self._sums
        self._allocate(self.capacity * 2)
        self._insert(*old)

    def _insert(self, uint64_t[::1] slots, uint64_t[::1] keys, double[::1] sums):
        cdef Py_ssize_t i
        cdef uint64_t at
        cdef const Slot* old = <const Slot*>&slots[0]
        for i in range(keys.shape[0]):
            if old[i].fingerprint:
                at = self.find(keys[i])
                # Two features may have become one to the look-up: then they share the slot.
                self.slots[at].fingerprint = old[i].fingerprint
                self.slots[at].weight += old[i].weight
                self.keys[at] = keys[i]
                self.sums[at] += sums[i]

    cdef void change(self, uint64_t key, float by) noexcept nogil:
        cdef uint64_t at = self.find(key)
        if self.slots[at].fingerprint == 0:
            self.slots[at].fingerprint = fingerprint(key)
            self.keys[at] = key
            self.used += 1
        self.slots[at].weight += by
        self.sums[at] += by * <double>self.steps

    def learn(
        self, EncodedProblem problem, order, heads, labels, tags, int width, bint max_violation
    ):
        """Search with the current weights and compare with the reference: an Update.

        Early update: at the first step after which the reference is out of the beam. Max-violation:
        at the step where the best state leads the reference by most.
        """
        cdef LinearSearch search = LinearSearch(problem, width, self.scorer)
        cdef int32_t[::1] order_ = order, heads_ = heads, labels_ = labels, tags_ = tags
        cdef Update update = Update()
        cdef vector[Action] gold, best
        cdef vector[double] gold_scores
        cdef int i, j, steps, at = -1, at_link = -1
        cdef bint alive
        cdef double worst = 0.0, violation
        cdef Link link
        with nogil:
            reference_actions(search.task, &order_[0], &heads_[0], &labels_[0], &tags_[0], &gold)
            steps = gold.size()
            self.trace(search, &gold, steps, NULL, &gold_scores)
            for i in range(steps):
                if not search.advance(&gold[i]):
                    break
                alive = False
                for j in range(search.size):
                    alive = alive or search.current[j].gold
                if max_violation:
                    violation = search.current[0].score - gold_scores[i]
                    if not search.current[0].gold and (at < 0 or violation > worst):
                        worst = violation
                        at = i
                        at_link = search.current[0].history
                elif not alive:
                    at = i
                    at_link = search.current[0].history
                    break
            if at < 0 or (max_violation and search.current[0].gold):
                # The reference came through: compare the ends.
                at = steps - 1
                at_link = search.current[0].history
            i = at_link
            best.resize(at + 1)
            for j in range(at, -1, -1):
                link = search.links[i]
                best[j] = Action(link.kind, link.word, link.tag, link.label)
                i = link.parent
            update.correct = True
            for j in range(at + 1):
                if (best[j].kind != gold[j].kind or best[j].word != gold[j].word
                        or best[j].tag != gold[j].tag or best[j].label != gold[j].label):
                    update.correct = False
            if not update.correct:
                self.trace(search, &gold, at + 1, &update.rewarded, NULL)
                self.trace(search, &best, at + 1, &update.punished, NULL)
        return update

    cdef void trace(
        self, LinearSearch search, vector[Action]* actions, int steps, vector[uint64_t]* collected,
        vector[double]* scores
    ) noexcept nogil:
        """Take the actions from the start; collect their features, or their running score."""
        cdef State* state = search.following[0]
        cdef Extractor* x = search.extractor
        cdef Action action
        cdef double score, total = 0.0
        cdef int i
        initial_state(search.task, state)
        x.collected = collected
        if collected != NULL:
            x.table = NULL
        for i in range(steps):
            action = actions[0][i]
            read_state(x, state)
            if action.kind == SHIFT:
                score = shift_base(x)
                score += score_shift(x, state, action.word, action.tag)
            else:
                score = score_arc(x, state, action.kind, action.label)
            apply(search.task, state, action)
            total += score
            if scores != NULL:
                scores.push_back(total)
        x.collected = NULL
        x.table = search.scorer.table

    def apply(self, Update update):
        """One step of the perceptron."""
        cdef size_t i
        self.steps += 1
        if update.correct:
            return
        while self.used + update.rewarded.size() + update.punished.size() > self.capacity // 2:
            self._grow()
        with nogil:
            for i in range(update.rewarded.size()):
                self.change(update.rewarded[i], 1.0)
            for i in range(update.punished.size()):
                self.change(update.punished[i], -1.0)

    def averaged(self):
        """(keys, averaged weights) of the features whose average is not zero, sorted by key."""
        weights = self._slots.view(np.dtype([("fingerprint", np.uint32), ("weight", np.float32)]))
        average = weights["weight"] - self._sums / max(self.steps, 1)
        chosen = (weights["fingerprint"] != 0) & (np.abs(average) > 1e-9)
        keys = self._keys[chosen]
        order = np.argsort(keys)
        return keys[order], average[chosen][order].astype(np.float32)

    def state(self):
        """Everything needed to go on later, as arrays."""
        used = self._slots.view(np.uint32)[::2] != 0
        return {
            "slots": self._slots[used],
            "keys": self._keys[used],
            "sums": self._sums[used],
            "capacity_steps": np.array([self.capacity, self.steps], np.uint64),
        }

    def restore(self, arrays):
        capacity, steps = (int(x) for x in arrays["capacity_steps"])
        self._allocate(capacity)
        self._insert(*(np.array(arrays[name]) for name in ("slots", "keys", "sums")))
        self.used = len(arrays["keys"])
        self.steps = steps
