"""The averaged perceptron (L15 §3.1): search and update for one sentence. Epochs: `training`.

`DerivationWalk` is for tests, which compare it with the slow references in `tests/references`.
"""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

import numpy as np

from syntagma.linear._search cimport (
    Extractor, LinearParameters, LinearSearch, read_state, score_arc, score_shift, shift_base,
)
from syntagma.transition._state cimport (
    SHIFT, Action, Candidate, Link, SearchTask, State, apply, initial_state, reference_actions,
)
from syntagma.features._sparse cimport TrainingWeights, Weights


cdef double score_action(Extractor* x, const State* state, Action action) noexcept nogil:
    cdef double base
    read_state(x, state)
    if action.kind == SHIFT:
        base = shift_base(x)
        return base + score_shift(x, state, action.word, action.tag)
    return score_arc(x, state, action.kind, action.label)


cdef class Update:
    """The features of one sentence whose weights go up or down; `correct`: there are none."""

    cdef vector[uint64_t] promoted
    cdef vector[uint64_t] demoted
    cdef readonly bint correct


cdef class Perceptron:
    """Learns the weights of a linear scorer."""

    cdef readonly TrainingWeights weights
    cdef LinearParameters scorer

    def __init__(
        self, templates, label_index, label_pool, bint lazy=False, bint every_label=False
    ):
        unused = Weights(np.zeros(1, np.uint32), np.zeros(1, np.float32))
        self.weights = TrainingWeights()
        self.scorer = LinearParameters(
            templates, unused, label_index, label_pool, lazy, every_label
        )
        self.scorer.table = &self.weights.table

    def learn(
        self, SearchTask problem, order, heads, labels, tags, int width, bint max_violation,
        forms=None,
    ):
        """Search with the current weights and compare the result with the gold derivation.

        With `forms` (those of a `LinearSearch`), tags are the numbers of readings.

        Early update: at the first step where the gold derivation falls out of the beam.
        Max-violation: at the step where the best state leads the gold one by the largest margin.
        """
        cdef LinearSearch search = LinearSearch(problem, width, self.scorer, forms=forms)
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
                # The gold derivation stayed in the beam: compare complete derivations.
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
                self.trace(search, &gold, at + 1, &update.promoted, NULL)
                self.trace(search, &best, at + 1, &update.demoted, NULL)
        if search.extractor.sum.failed:
            raise MemoryError()
        return update

    cdef int trace(
        self, LinearSearch search, vector[Action]* actions, int steps, vector[uint64_t]* collected,
        vector[double]* scores
    ) except -1 nogil:
        """Replay the actions from the initial state; collect their features, or running scores."""
        cdef State* state = search.following[0]
        cdef Extractor* x = search.extractor
        cdef Action action
        cdef double total = 0.0
        cdef int i
        initial_state(search.task, state)
        x.sum.collected = collected
        if collected != NULL:
            x.sum.table = NULL
        for i in range(steps):
            action = actions[0][i]
            total += score_action(x, state, action)
            apply(search.task, state, action)
            if scores != NULL:
                scores.push_back(total)
        x.sum.collected = NULL
        x.sum.table = search.scorer.table
        return 0

    def apply(self, Update update):
        """Change the weights: one step of the perceptron."""
        cdef size_t i
        self.weights.steps += 1
        if update.correct:
            return
        self.weights.reserve(update.promoted.size() + update.demoted.size())
        with nogil:
            for i in range(update.promoted.size()):
                self.weights.change(update.promoted[i], 1.0)
            for i in range(update.demoted.size()):
                self.weights.change(update.demoted[i], -1.0)


cdef Action as_action((int, int, int, int) action):
    return Action(action[0], action[1], action[2], action[3])


cdef class DerivationWalk:
    """One derivation, action by action: what is legal, what it scores, which features it has.

    An action is (kind, word, tag, label); with `forms`, tags are the numbers of readings.
    """

    cdef LinearSearch search
    cdef int steps

    def __init__(self, SearchTask problem, LinearParameters scorer, forms=None):
        self.search = LinearSearch(problem, 1, scorer, forms=forms)
        self.search.labels_are_actions = True
        self.steps = 0

    @property
    def finished(self):
        return self.steps == 2 * self.search.task.n - 1

    def legal(self):
        """All legal actions, with every tag and label to try."""
        cdef Candidate each
        self.search.candidates.clear()
        self.search.expand(self.search.current[0], 0)
        return [(each.kind, each.word, each.tag, each.label) for each in self.search.candidates]

    def apply(self, action):
        apply(self.search.task, self.search.current[0], as_action(action))
        self.steps += 1

    def score(self, action):
        return score_action(self.search.extractor, self.search.current[0], as_action(action))

    def features(self, action):
        """The 64-bit keys of the features of an action in this state."""
        cdef vector[uint64_t] keys
        self.search.extractor.sum.collected = &keys
        self.score(action)
        self.search.extractor.sum.collected = NULL
        return list(keys)
