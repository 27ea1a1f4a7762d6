"""Types of the language model's view of edges."""

from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from syntagma.language_model._ngrams cimport Context, NGrams

cdef class Junctions:
    cdef NGrams model
    cdef vector[uint32_t] numbers       # of the words of all units, one after the other
    cdef vector[int32_t] starts         # where each unit begins: as first word, then elsewhere
    cdef vector[char] spoken            # whether a unit is more than punctuation
    cdef double gain(
        self, const int32_t* left, int n_left, const int32_t* right, int n_right
    ) noexcept nogil
    cdef double start_gain(self, const int32_t* units, int n) noexcept nogil
    cdef double end_gain(self, const int32_t* units, int n) noexcept nogil
    cdef double gain_after(
        self, Context* context, const int32_t* units, int n, bint begun
    ) noexcept nogil
    cdef void read(self, Context* context, int unit) noexcept nogil
