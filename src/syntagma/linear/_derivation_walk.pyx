"""For tests: one derivation action by action, with its legal actions, scores and features.

No search uses it. Tests compare it with the slow references in `tests/references`. Legality is
decided in `transition/_legality`.
"""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from syntagma.linear._features cimport Extractor, read_state, score_arc, score_shift, shift_base
from syntagma.linear._search cimport LinearParameters, LinearSearch
from syntagma.transition._legality cimport legal_leftarc, legal_rightarc, legal_shifts
from syntagma.transition._state cimport (
    LEFTARC, NONE, RIGHTARC, S, SHIFT, Action, SearchTask, State, Task, apply, has,
)


cdef class DerivationWalk:
    """One derivation, action by action: what is legal, what it scores, which features it has."""

    cdef LinearSearch search
    cdef int steps

    def __init__(self, SearchTask problem, LinearParameters scorer, forms=None):
        self.search = LinearSearch(problem, 1, scorer, forms=forms)
        self.steps = 0

    @property
    def finished(self):
        return self.steps == 2 * self.search.task.n - 1

    def legal(self):
        """All legal actions (kind, word, tag, label), with every tag and label to try."""
        cdef State* state = self.search.current[0]
        cdef const Task* task = self.search.task
        cdef const int32_t* proposals
        cdef int i, kind
        actions = []
        legal_shifts(task, state, self.search.shifts)
        for word in range(task.n):
            if has(self.search.shifts, word) and not self.search.form_rows.empty():
                actions += [(SHIFT, word, reading, NONE) for reading in self._readings(word)]
            elif has(self.search.shifts, word):
                first = task.words[word].tags_start
                for i in range(first, first + task.words[word].tags_count):
                    actions.append((SHIFT, word, task.tag_pool[i], NONE))
        for kind in range(LEFTARC, RIGHTARC + 1):
            if not (legal_leftarc if kind == LEFTARC else legal_rightarc)(task, state):
                continue
            proposals = self.search.proposals(state, kind)
            if proposals == NULL:
                given = task.words[S(state, kind == LEFTARC)].label
                actions.append((kind, NONE, NONE, given))
                continue
            for i in range(proposals[0], proposals[0] + proposals[1]):
                actions.append((kind, NONE, NONE, self.search.scorer.label_pool[i]))
        return actions

    def _readings(self, int word):
        cdef int form, i, first = self.search.form_starts[word]
        for form in range(first, self.search.form_starts[word + 1]):
            start = self.search.form_rows[form].tags_start
            for i in range(start, start + self.search.form_rows[form].tags_count):
                yield (form - first) * self.search.scorer.n_tags + self.search.form_tags[i]

    def apply(self, action):
        cdef Action move = Action(action[0], action[1], action[2], action[3])
        apply(self.search.task, self.search.current[0], move)
        self.steps += 1

    def _score(self, action):
        cdef State* state = self.search.current[0]
        cdef Extractor* x = self.search.extractor
        read_state(x, state)
        if action[0] == SHIFT:
            return shift_base(x) + score_shift(x, state, action[1], action[2])
        return score_arc(x, state, action[0], action[3])

    def score(self, action):
        return self._score(action)

    def features(self, action):
        """The 64-bit keys of the features of an action in this state."""
        cdef vector[uint64_t] keys
        self.search.extractor.sum.collected = &keys
        self._score(action)
        self.search.extractor.sum.collected = NULL
        return list(keys)
