"""The updates of the averaged perceptron (L15 §3.1); epochs live in linear_training.py."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

import numpy as np

from syntagma.linear._features cimport Extractor, read_state, score_arc, score_shift, shift_base
from syntagma.linear._search cimport LinearScorer, LinearSearch
from syntagma.transition._search cimport Link
from syntagma.transition._state cimport (
    SHIFT, Action, SearchTask, State, apply, initial_state, reference_actions,
)
from syntagma.features._weights cimport TrainingWeights, Weights


cdef class Update:
    """Features to reward and to punish for one sentence; `correct` if there are none."""

    cdef vector[uint64_t] rewarded
    cdef vector[uint64_t] punished
    cdef readonly bint correct


cdef class Perceptron:
    """Learns the weights of a linear scorer."""

    cdef readonly TrainingWeights weights
    cdef LinearScorer scorer

    def __init__(self, templates, label_index, label_pool):
        nothing = Weights(np.zeros(1, np.uint32), np.zeros(1, np.float32))
        self.weights = TrainingWeights()
        self.scorer = LinearScorer(templates, nothing, label_index, label_pool)
        self.scorer.table = &self.weights.table

    def learn(
        self, SearchTask problem, order, heads, labels, tags, int width, bint max_violation
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
        x.sum.collected = collected
        if collected != NULL:
            x.sum.table = NULL
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
        x.sum.collected = NULL
        x.sum.table = search.scorer.table

    def apply(self, Update update):
        """One step of the perceptron."""
        cdef size_t i
        self.weights.steps += 1
        if update.correct:
            return
        self.weights.reserve(update.rewarded.size() + update.punished.size())
        with nogil:
            for i in range(update.rewarded.size()):
                self.weights.change(update.rewarded[i], 1.0)
            for i in range(update.punished.size()):
                self.weights.change(update.punished[i], -1.0)
