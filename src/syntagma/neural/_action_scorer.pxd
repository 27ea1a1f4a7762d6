"""Types of the neural action scorer: its slots and pairs."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from syntagma.neural._addresses cimport N_CANDIDATE, N_SETS

cdef enum:
    # What the second address of a pair is.
    OF_STATE, OF_CANDIDATE, OF_SET

cdef struct Pair:
    # A table of scores and where to look in it: a candidate address, and a state address, a
    # candidate address or a set (the kind of the second).
    int32_t table, first, kind, second

cdef struct Slot:
    # An address or a set, a number of GROUPS, and the first column among those of the group; the
    # column is -1 if the table has no such slot.
    int32_t address, group, column

cdef class ActionScorer:
    cdef readonly int hidden, arc_hidden, columns
    cdef readonly int n_pairs
    cdef readonly dict groups                           # of GROUPS, the columns of each
    cdef vector[Slot] state, arc
    cdef Slot candidate[N_CANDIDATE]
    cdef Slot sets[N_SETS]
    cdef vector[Pair] word_pairs, family_pairs          # those that depend on L, or only on A
    cdef int32_t unplaced_table                         # the table of (L, unplaced), or -1
    cdef const float* counts                            # [N_COUNTS, BUCKETS, hidden]
    cdef const float* shift_out                         # [hidden]
    cdef const float* arc_out                           # [2, arc_hidden]
    cdef const float* arc_bias                          # [2]
    cdef object _arrays
    cdef vector[Slot] lay_out(self, chosen, names, int size, group=*) except *
