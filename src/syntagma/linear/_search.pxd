"""Types of the linear scorer's search, shared with training (`_perceptron`)."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from syntagma.linear._features cimport Extractor, FormRow, Templates
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport State, Task
from syntagma.features._sparse cimport Table, Weights

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
