"""The best-first search, shared with its learner (`_guided_learning`)."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from syntagma.best_first._edges cimport Edges, Proposal
from syntagma.transition._clock cimport Clock

cdef struct AgendaItem:
    double rank
    int64_t number              # ties: first pushed, first popped
    Proposal by
    int32_t version             # of the weights that it was scored with
    int32_t gold                # index among the gold items, or NONE

cdef class BestFirst:
    cdef readonly Edges edges
    cdef readonly int chart_size
    cdef readonly bint scaled
    cdef readonly bint by_size          # the limit of the chart holds for each number of words
    cdef readonly int64_t expansions
    cdef readonly bint exhausted        # the agenda ran empty
    cdef Clock clock
    cdef vector[AgendaItem] agenda      # a heap
    cdef int64_t pushed
    cdef vector[int32_t] chart          # expanded edges, in order of expansion
    cdef unordered_map[uint64_t, int32_t] by_signature  # edges of the chart
    cdef vector[int32_t] goals
    cdef vector[int32_t] pieces

    cdef double rank(self, double score, int size) noexcept nogil
    cdef double rank_of(self, int edge) noexcept nogil
    cdef int size_of(self, const Proposal* by) noexcept nogil
    cdef int push(self, const Proposal* by) except -1 nogil
    cdef int put(self, const Proposal* by, int version, int gold) except -1 nogil
    cdef int put_item(self, const AgendaItem& item) except -1 nogil
    cdef int pop_item(self, AgendaItem* item) except -1 nogil
    cdef int begin(self) except -1 nogil
    cdef int expand(self, int edge) except -1 nogil
    cdef int twin_in_chart(self, int edge) noexcept nogil
    cdef int keep(self, int edge) except -1 nogil
    cdef int accept(self, int edge) except -2 nogil
    cdef void remove(self, int edge) noexcept nogil
    cdef int run(self, int wanted, int64_t limit) except -1 nogil
    cdef bint is_new(self, int edge) except -1 nogil
    cdef int list_parts(self, int edge, vector[int32_t]* parts) except -1 nogil
    cdef int list_kinds(self, int edge, vector[int32_t]* kinds) except -1 nogil
    cdef int join_pieces(self) except -1 nogil
