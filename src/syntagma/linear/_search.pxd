"""The C types of this room: feature extraction and search, shared with training (`_perceptron`)."""

from libc.stdint cimport int8_t, int32_t, uint64_t
from libcpp.vector cimport vector

from syntagma.features._sparse cimport (
    MAX_TEMPLATES, Sum, Table, TemplateSet, TemplateTable, Weights,
)
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport State, Task

cdef enum:
    FAMILIES = 16               # families cached per state
    MAX_RELATED = 16            # ancestors X per candidate, siblings Y per X

cdef struct Family:
    # The given dependents of a head: how many are unplaced. The sets of their labels and tags are
    # in Extractor.sets.
    int head
    int unplaced

cdef struct FormRow:
    # A form that a word may take: `transition.encoding.FormRow`.
    int32_t form, shape, suffix, kind, share, tags_start, tags_count

cdef struct Extractor:
    const Task* task
    # The forms that the words may take: those of word i are rows first_forms[i] to
    # first_forms[i + 1]. NULL without a choice. With one, SHIFT chooses a *reading*, a form and a
    # tag, and the tag of an action or of a state is the number of a reading: the index of the form
    # times `n_tags`, plus the tag.
    const int32_t* first_forms
    const FormRow* form_rows
    int n_tags
    const TemplateSet* set
    const int8_t* n_state       # atoms of the state come first and are hashed once per state
    bint atomic                 # SHIFT-word-tag is one action (l15)
    Sum sum
    uint64_t atoms[128]
    Family families[FAMILIES]   # by head modulo FAMILIES
    # For each family the labels (0) and tags (1) of the placed (0) and the unplaced (1) that occur
    # at least once (0) and at least twice (1): sets of `set_blocks` words of 64 bits each.
    uint64_t* sets
    int set_blocks
    int member_mask             # 63 if members are taken modulo 64, else -1
    uint64_t prefix[MAX_TEMPLATES]

cdef void read_state(Extractor* x, const State* state) noexcept nogil
cdef double shift_base(Extractor* x) noexcept nogil
cdef double score_shift(Extractor* x, const State* state, int word, int tag) noexcept nogil
cdef double score_arc(Extractor* x, const State* state, int kind, int label) noexcept nogil

cdef class Templates(TemplateTable):
    cdef int8_t n_state[MAX_TEMPLATES]
    cdef bint atomic

cdef class LinearParameters:
    cdef readonly Templates templates
    cdef readonly Weights weights
    cdef const Table* table
    cdef int n_tags
    cdef const int32_t* label_index
    cdef const int32_t* label_pool
    cdef readonly bint lazy
    cdef bint every_label, wide_sets
    cdef object _arrays

cdef class LinearSearch(Search):
    cdef LinearParameters scorer
    cdef Extractor* extractor
    cdef Task lazy_task
    # The forms that the words may take, if there is a choice: `transition.encoding.form_arrays`.
    cdef vector[int32_t] form_starts
    cdef vector[FormRow] form_rows
    cdef vector[int32_t] form_tags
    cdef vector[int32_t] form_names
    cdef use_forms(self, forms)
    cdef int add_readings(self, State* state, int parent, int word, double base) except -1 nogil
    cdef const int32_t* proposals(self, State* state, int kind) noexcept nogil
    cdef double best_arc(self, State* state, int kind, int32_t* label) noexcept nogil
