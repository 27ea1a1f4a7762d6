"""Search with the linear model: features score the candidates (P16), arc by arc with its label."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libcpp.vector cimport vector

from syntagma.linear._features cimport (
    Extractor, Templates, read_state, score_arc, score_shift, shift_base,
)
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport (
    LEFTARC, NONE, RIGHTARC, SHIFT, Action, SearchTask, State, Task, Word, apply, has,
    legal_leftarc, legal_rightarc, legal_shifts, lowest_bit,
)
from syntagma.features._weights cimport Weights


cdef class LinearScorer:
    """Templates, weights, and the labels to try for an arc.

    `label_index[kind - 1, head tag, dependent tag]` is (start, count) in `label_pool`.
    """

    def __init__(self, Templates templates, Weights weights, label_index, label_pool):
        cdef int32_t[:, :, :, ::1] index = label_index
        cdef int32_t[::1] pool = label_pool
        self.templates = templates
        self.weights = weights
        self.table = &weights.table
        self.n_tags = index.shape[1]
        self.label_index = &index[0, 0, 0, 0]
        self.label_pool = &pool[0]
        self._arrays = (label_index, label_pool)


cdef class LinearSearch(Search):
    """A search whose candidates a LinearScorer scores."""

    def __cinit__(self, SearchTask problem, int width, LinearScorer scorer, **_):
        self.scorer = scorer
        self.extractor = <Extractor*>calloc(1, sizeof(Extractor))
        if not self.extractor:
            raise MemoryError()
        self.extractor.task = self.task
        self.extractor.set = &scorer.templates.set
        self.extractor.n_state = scorer.templates.n_state
        self.extractor.atomic = scorer.templates.atomic
        self.extractor.sum.table = scorer.table

    def __dealloc__(self):
        free(self.extractor)

    cdef double best_arc(self, State* state, int kind, int32_t* label) noexcept nogil:
        """Score of the arc with its given label, or with the best of those the model proposes.

        Only the best is kept: labels that are not given shall not split the beam.
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

    cdef void expand(self, State* state, int parent) noexcept nogil:
        """Add a candidate for every legal action of the state."""
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


cdef class DerivationWalk:
    """A derivation taken move by move, to look inside the core."""

    cdef LinearSearch search
    cdef int steps

    def __init__(self, SearchTask problem, LinearScorer scorer):
        self.search = LinearSearch(problem, 1, scorer)
        self.steps = 0

    @property
    def finished(self):
        return self.steps == 2 * self.search.task.n - 1

    def legal(self):
        """All legal actions (kind, word, tag, label), with every tag and label to choose from."""
        cdef State* state = self.search.current[0]
        cdef const Task* task = self.search.task
        cdef const int32_t* proposals
        cdef int i, kind, tags = self.search.scorer.n_tags
        actions = []
        legal_shifts(task, state, self.search.shifts)
        for word in range(task.n):
            if has(self.search.shifts, word):
                first = task.words[word].tags_start
                for i in range(first, first + task.words[word].tags_count):
                    actions.append((SHIFT, word, task.tag_pool[i], NONE))
        for kind in range(LEFTARC, RIGHTARC + 1):
            if not (legal_leftarc if kind == LEFTARC else legal_rightarc)(task, state):
                continue
            s0, s1 = state.stack[state.size - 1].word, state.stack[state.size - 2].word
            head, dependent = (s0, s1) if kind == LEFTARC else (s1, s0)
            if task.words[dependent].label != NONE:
                actions.append((kind, NONE, NONE, task.words[dependent].label))
                continue
            proposals = self.search.scorer.label_index + 2 * (
                ((kind - 1) * tags + state.tags[head]) * tags + state.tags[dependent]
            )
            for i in range(proposals[0], proposals[0] + proposals[1]):
                actions.append((kind, NONE, NONE, self.search.scorer.label_pool[i]))
        return actions

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
