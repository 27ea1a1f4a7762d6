"""Types of the n-gram model and of the n-gram scorer of one search."""

from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

cdef enum:
    MAX_ORDER = 5
    START = 1       # <s>
    END = 2         # </s>

cdef struct Context:
    # The last words placed: nodes[k] is the n-gram of the last k + 1 of them, or -1 if the model
    # does not have it or nothing depends on it.
    int32_t nodes[MAX_ORDER - 1]
    int32_t begun               # 1 once one of them is more than punctuation

cdef inline void forget(Context* context) noexcept nogil:
    cdef int i
    context.begun = 0
    for i in range(MAX_ORDER - 1):
        context.nodes[i] = -1

cdef struct Level:
    # The n-grams of one order, sorted by context, then by word.
    const uint32_t* words
    const float* log_probs
    const float* backoffs           # NULL in the highest order
    const uint32_t* starts          # of the n-grams that extend each; NULL in the highest order

cdef class NGrams:
    cdef readonly int order
    cdef Level levels[MAX_ORDER]
    cdef object _arrays
    cdef int32_t find(self, int level, int32_t node, uint32_t word) noexcept nogil
    cdef double log_prob(self, const Context* context, uint32_t word) noexcept nogil
    cdef void extend(self, Context* context, uint32_t word) noexcept nogil
    cdef int add_expected_costs(
        self, const vector[vector[uint32_t]]& units, const vector[vector[uint32_t]]& firsts,
        vector[double]* found
    ) except -1 nogil

cdef struct Cost:
    Context context
    int32_t form                # -1: nothing is remembered here
    double cost

cdef class NGramScorer:
    cdef NGrams model
    cdef readonly double weight         # the language model weight
    cdef vector[uint32_t] numbers       # of the words of all forms, one after the other
    cdef vector[int32_t] starts         # where each form begins: as first word, then elsewhere
    cdef vector[int32_t] forms          # where the forms of each unit begin
    cdef vector[double] log_shares      # of each form among those of its unit
    cdef vector[char] spoken            # whether a form is more than punctuation
    cdef vector[int32_t] names          # identical forms share a number; empty without alternatives
    cdef vector[double] expected_costs  # expected cost of each unit and, last, of the end
    cdef double expected_total          # their sum
    cdef vector[Cost] remembered        # by a hash of context and form
    cdef add_form(self, first, form)
    cdef void begin(self, Context* context) noexcept nogil
    cdef double cost(self, const Context* context, int form) noexcept nogil
    cdef double place(self, Context* context, int form) noexcept nogil
    cdef double add_words(self, Context* context, int form, double total) noexcept nogil
    cdef double end(self, const Context* context) noexcept nogil
    cdef double look_up(self, const Context* context, int form) noexcept nogil

cdef class BackwardNGramScorer(NGramScorer):
    cdef vector[int32_t] leaders        # of each unit: the first one with the same words
    cdef vector[double] provisional     # for the first word of each unit and, last, for the end
    cdef int span                       # words whose costs depend on the word before all of them
    cdef double correction(
        self, const Context* context, const uint32_t* words, int count
    ) noexcept nogil
