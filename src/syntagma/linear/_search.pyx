"""Beam search with a linear scorer (P16): the score of an action is the sum of the weights of its
features, which `_features` extracts. The search itself is the one of `transition/_search`."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free

from syntagma.linear._features cimport (
    Extractor, FormRow, Templates, prepare_sets, read_state, score_arc, score_shift, shift_base,
    tag_of,
)
from syntagma.transition._legality cimport legal_leftarc, legal_rightarc, legal_shifts
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport (
    LEFTARC, NONE, RIGHTARC, S, SHIFT, Action, Finished, SearchTask, State, Word, lowest_bit,
)
from syntagma.features._sparse cimport Weights


cdef class LinearParameters:
    """What a linear scorer consists of: templates, weights, the labels to try for an arc, and the
    order of arcs that the weights were learned for.

    `label_index[kind - 1, head tag, dependent tag]` is (start, count) in `label_pool`. With
    `every_label`, each label to try is an action of its own; otherwise only the best one is, so
    that alternative labels do not crowd the beam. Models without `wide_sets` take sets of labels
    and of tags modulo 64, as they were trained.
    """

    def __init__(
        self, Templates templates, Weights weights, label_index, label_pool, bint lazy=False,
        bint every_label=False, bint wide_sets=True,
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
        self.every_label = every_label
        self.wide_sets = wide_sets
        self._arrays = (label_index, label_pool)


cdef enum:
    MAX_READINGS = 1 << 15      # numbers of readings fit into the tags of a state

READINGS_LIMIT = MAX_READINGS   # for Python


cdef class LinearSearch(Search):
    """A beam search whose actions are scored with `LinearParameters`.

    `forms` are the forms that the words may take, if SHIFT is to choose among them by the features
    of each: those of `transition.encoding.form_arrays`. SHIFT then chooses a reading: a form together
    with a tag (`_features.pxd`).
    """

    def __cinit__(
        self, SearchTask problem, int width, LinearParameters scorer, *_, forms=None, **__
    ):
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
        prepare_sets(self.extractor, scorer.n_tags, scorer.wide_sets)
        self.labels_are_actions = scorer.every_label
        if forms is not None:
            self.use_forms(forms)

    cdef use_forms(self, forms):
        cdef FormRow row
        self.form_starts, rows, self.form_tags = forms
        for form, shape, suffix, kind, share, start, count in rows:
            row = FormRow(form, shape, suffix, kind, share, start, count)
            self.form_rows.push_back(row)
            self.form_names.push_back(kind)
        self.extractor.first_forms = self.form_starts.data()
        self.extractor.form_rows = self.form_rows.data()
        self.extractor.n_tags = self.scorer.n_tags
        self.first_forms = self.form_starts.data()
        self.names = self.form_names.data()

    def __dealloc__(self):
        if self.extractor:
            free(self.extractor.sets)
        free(self.extractor)

    cdef const int32_t* proposals(self, State* state, int kind) noexcept nogil:
        """Start and number, in the pool, of the labels to try; NULL if the label is given."""
        cdef int s0 = S(state, 0), s1 = S(state, 1)
        cdef int dependent = s1 if kind == LEFTARC else s0
        cdef int head = s0 if kind == LEFTARC else s1
        cdef int tags = self.scorer.n_tags
        if self.task.words[dependent].label != NONE:
            return NULL
        return self.scorer.label_index + 2 * (
            ((kind - 1) * tags + tag_of(self.extractor, state, head)) * tags
            + tag_of(self.extractor, state, dependent)
        )

    cdef double best_arc(self, State* state, int kind, int32_t* label) noexcept nogil:
        """The score of the arc with its given label, or else with the best of the labels to try."""
        cdef const int32_t* proposals = self.proposals(state, kind)
        cdef int i
        cdef double score, best = 0.0
        if proposals == NULL:
            label[0] = self.task.words[S(state, kind == LEFTARC)].label
            return score_arc(self.extractor, state, kind, label[0])
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
        cdef const int32_t* proposals
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
                if not self.form_rows.empty():
                    self.add_readings(state, parent, word, base)
                    continue
                w = &self.task.words[word]
                for j in range(w.tags_start, w.tags_start + w.tags_count):
                    action = Action(SHIFT, word, self.task.tag_pool[j], NONE)
                    self.add(state, parent, action,
                             base + score_shift(self.extractor, state, word, action.tag))
        for i in range(LEFTARC, RIGHTARC + 1):
            if (legal_leftarc if i == LEFTARC else legal_rightarc)(self.task, state):
                action = Action(i, NONE, NONE, NONE)
                proposals = self.proposals(state, i) if self.labels_are_actions else NULL
                if proposals != NULL:
                    for j in range(proposals[0], proposals[0] + proposals[1]):
                        action.label = self.scorer.label_pool[j]
                        self.add(state, parent, action,
                                 score_arc(self.extractor, state, i, action.label))
                    continue
                base = self.best_arc(state, i, &action.label)
                self.add(state, parent, action, base)
        return 0

    cdef int add_readings(self, State* state, int parent, int word, double base) except -1 nogil:
        """Add a candidate for every form of the word with every tag of it."""
        cdef int form, i, reading
        cdef const FormRow* row
        cdef Action action
        for form in range(self.form_starts[word], self.form_starts[word + 1]):
            row = &self.form_rows[form]
            for i in range(row.tags_start, row.tags_start + row.tags_count):
                reading = (form - self.form_starts[word]) * self.scorer.n_tags + self.form_tags[i]
                if reading >= MAX_READINGS:
                    continue
                action = Action(SHIFT, word, reading, NONE)
                self.add_in_form(
                    state, parent, action,
                    base + score_shift(self.extractor, state, word, reading), form,
                )
        return 0

    cdef found_tree(self, const Finished* finished):
        found = Search.found_tree(self, finished)
        if self.form_rows.empty():
            return found
        return found._replace(tags=[tag % self.scorer.n_tags for tag in found.tags])
