"""Types of the n-gram model and of what it says of the words of one problem."""

from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

cdef enum:
    MAX_ORDER = 5

cdef struct Context:
    # The last words placed: nodes[k] is the n-gram of the last k + 1 of them, or -1 where the
    # model has none that matters.
    int32_t nodes[MAX_ORDER - 1]
    int32_t begun               # 1 once one of them is more than punctuation

cdef struct Level:
    # The n-grams of one order, sorted by context, then by word.
    const uint32_t* words
    const float* log_probs
    const float* backoffs           # NULL in the highest order
    const uint32_t* starts          # of the n-grams that go on from each; NULL in the highest

cdef class NGrams:
    cdef readonly int order
    cdef Level levels[MAX_ORDER]
    cdef object _arrays
    cdef int32_t find(self, int level, int32_t node, uint32_t word) noexcept nogil
    cdef double log_prob(self, const Context* context, uint32_t word) noexcept nogil
    cdef void extend(self, Context* context, uint32_t word) noexcept nogil
    cdef void look_out(
        self, const vector[vector[uint32_t]]& units, const vector[vector[uint32_t]]& firsts,
        vector[double]* found
    ) noexcept nogil

cdef class NGramScorer:
    cdef NGrams model
    cdef readonly double weight         # of its log-probabilities in the score
    cdef vector[uint32_t] numbers       # of the words of all forms, one after the other
    cdef vector[int32_t] starts         # where those of each form begin; as first word, then else
    cdef vector[int32_t] forms          # where the forms of each unit begin
    cdef vector[double] log_shares      # of each form among those of its unit
    cdef vector[char] spoken            # whether a form is more than punctuation
    cdef vector[int32_t] names          # forms with the same one are the same; none: no choice
    cdef vector[double] outlook         # what each unit is expected to cost, the end after them
    cdef double rest                    # what everything is expected to cost
    cdef void add_form(self, first, form)
    cdef void begin(self, Context* context) noexcept nogil
    cdef double cost(self, const Context* context, int form) noexcept nogil
    cdef double place(self, Context* context, int form) noexcept nogil
    cdef double add_words(self, Context* context, int form, double total) noexcept nogil
    cdef double end(self, const Context* context) noexcept nogil
