"""Types of the reranker."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from syntagma.neural._search cimport NeuralSearch
from syntagma.transition._search cimport Search

cdef class Reranker(NeuralSearch):
    cdef vector[int32_t] last           # the moves of the last derivation that was scored
    cdef vector[double] sums            # the score after each of them
    cdef double share                   # in the syntax score
    cdef bint same_way                  # works from the same end as the search
    cdef int rerank(self, Search search) except -1 nogil
    cdef int read(
        self, Search search, const vector[int32_t]& links, vector[int32_t]* moves
    ) except -1 nogil
    cdef double score(self, const vector[int32_t]& moves) except? -1 nogil
