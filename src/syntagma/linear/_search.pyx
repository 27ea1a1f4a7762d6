"""Beam search with a linear scorer (P16): the score of an action is the sum of the weights of its
features, which `_features` extracts. The search itself is the one of `transition/_search`."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free

from syntagma.linear._features cimport (
    Extractor, Templates, read_state, score_arc, score_shift, shift_base,
)
from syntagma.transition._legality cimport legal_leftarc, legal_rightarc, legal_shifts
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport (
    LEFTARC, NONE, RIGHTARC, SHIFT, Action, SearchTask, State, Word, lowest_bit,
)
from syntagma.features._weights cimport Weights


cdef class LinearParameters:
    """What a linear scorer consists of: templates, weights, the labels to try for an arc, and the
    order of arcs that the weights were learned for.

    `label_index[kind - 1, head tag, dependent tag]` is (start, count) in `label_pool`.
    """

    def __init__(
        self, Templates templates, Weights weights, label_index, label_pool, bint lazy=False
    ):
        cdef int32_t[:, :, :, ::1] index = label_index
        cdef int32_t[::1] pool = label_pool
        self.templates = templates
        self.weights = weights
        self.table = &weights.table
        self.n_tags = index.shape[1]
        self.label_index = &index[0, 0, 0, 0]
        self.label_pool = &pool[0]
        self.lazy = lazy
        self._arrays = (label_index, label_pool)


cdef class LinearSearch(Search):
    """A beam search whose actions are scored with `LinearParameters`."""

    def __cinit__(self, SearchTask problem, int width, LinearParameters scorer, **_):
        self.scorer = scorer
        self.extractor = <Extractor*>calloc(1, sizeof(Extractor))
        if not self.extractor:
            raise MemoryError()
        if scorer.lazy:
            self.lazy_task = self.task[0]
            self.lazy_task.lazy = True
            self.task = &self.lazy_task
        self.extractor.task = self.task
        self.extractor.set = &scorer.templates.set
        self.extractor.n_state = scorer.templates.n_state
        self.extractor.atomic = scorer.templates.atomic
        self.extractor.sum.table = scorer.table

    def __dealloc__(self):
        free(self.extractor)

    cdef double best_arc(self, State* state, int kind, int32_t* label) noexcept nogil:
        """The score of the arc with its given label, or else with the best of the labels to try.

        Only the best label is kept, so that alternative labels do not crowd the beam.
        """
        cdef int s0 = state.stack[state.size - 1].word, s1 = state.stack[state.size - 2].word
        cdef int dependent = s1 if kind == LEFTARC else s0
        cdef int head = s0 if kind == LEFTARC else s1
        cdef int i, tags = self.scorer.n_tags
        cdef const int32_t* proposals
        cdef double score, best = 0.0
        if self.task.words[dependent].label != NONE:
            label[0] = self.task.words[dependent].label
            return score_arc(self.extractor, state, kind, label[0])
        proposals = self.scorer.label_index + 2 * (
            ((kind - 1) * tags + state.tags[head]) * tags + state.tags[dependent]
        )
        label[0] = NONE
        for i in range(proposals[0], proposals[0] + proposals[1]):
            score = score_arc(self.extractor, state, kind, self.scorer.label_pool[i])
            if label[0] == NONE or score > best:
                label[0] = self.scorer.label_pool[i]
                best = score
        return best

    cdef int expand(self, State* state, int parent) except -1 nogil:
        """Add a candidate for every legal action in the state."""
        cdef int i, j, word
        cdef uint64_t rest
        cdef const Word* w
        cdef Action action
        cdef double base = 0.0
        cdef bint based = False
        read_state(self.extractor, state)
        legal_shifts(self.task, state, self.shifts)
        for i in range(self.task.blocks):
            rest = self.shifts[i]
            while rest:
                word = i * 64 + lowest_bit(rest)
                rest &= rest - 1
                if not based:
                    base = shift_base(self.extractor)
                    based = True
                w = &self.task.words[word]
                for j in range(w.tags_start, w.tags_start + w.tags_count):
                    action = Action(SHIFT, word, self.task.tag_pool[j], NONE)
                    self.add(state, parent, action,
                             base + score_shift(self.extractor, state, word, action.tag))
        for i in range(LEFTARC, RIGHTARC + 1):
            if (legal_leftarc if i == LEFTARC else legal_rightarc)(self.task, state):
                action = Action(i, NONE, NONE, NONE)
                base = self.best_arc(state, i, &action.label)
                self.add(state, parent, action, base)
        return 0
