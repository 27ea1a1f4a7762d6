"""Types of the neural scorer's search."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from syntagma.transition._search cimport Search
from syntagma.transition._state cimport State, Task

cdef enum:
    N_STATE = 15
    N_CANDIDATE = 6
    N_SETS = 4
    N_COUNTS = 5
    BUCKETS = 8

cdef struct Pair:
    # A table of scores, and where to look: a candidate address, and a state address, a candidate
    # address or a set.
    int32_t table, first, kind, second

cdef class ActionScorer:
    cdef readonly int hidden, arc_hidden, columns
    cdef readonly int n_pairs
    cdef vector[int32_t] state, arc, candidate, sets    # addresses, in the order of the columns
    cdef int32_t candidate_column[N_CANDIDATE]          # -1: not in the table
    cdef int32_t set_column[N_SETS]
    cdef vector[Pair] word_pairs, family_pairs          # those that depend on L, or only on A
    cdef int32_t outlook                                # the table of (L, unplaced), or -1
    cdef const float* counts                            # [N_COUNTS, BUCKETS, hidden]
    cdef const float* shift_out                         # [hidden]
    cdef const float* arc_out                           # [2, arc_hidden]
    cdef const float* arc_bias                          # [2]
    cdef object _arrays

cdef struct View:
    # What the scorer sees of a candidate. The sets lie in buffers for n words each.
    int32_t at[N_CANDIDATE]
    int depth, side
    int n_family, n_dependents, n_path
    int32_t* family
    int32_t* dependents
    int32_t* path

cdef class NeuralSearch(Search):
    cdef ActionScorer scorer
    cdef Task unfixed                   # the problem without the order that is asked for
    cdef const float* rows              # [n + 2, columns]
    cdef const float* pairs             # [n_pairs + 2, n + 2, n + 2]
    cdef object _arrays
    cdef int32_t at[N_STATE]            # addresses of the state under expansion
    cdef vector[float] base             # its part of the hidden layer
    cdef vector[float] outlook          # per word, its mean score with the unplaced words
    cdef vector[float] own              # [n, hidden]: what never changes of a candidate
    cdef vector[float] plain            # [n, hidden]: own, if the word is A and has no dependents
    cdef vector[float] kin              # [n, hidden]: the part of A and its family
    cdef vector[float] kin_score        # per A, the scores of its pairs
    cdef vector[long] kin_of            # the expansion for which `kin` holds
    cdef vector[float] clan             # [n, hidden]: a head and its dependents, those unplaced
    cdef vector[long] clan_of           # the expansion for which `clan` holds
    cdef vector[float] extra            # the part of path and dependents
    cdef vector[float] arc_hidden
    cdef vector[int32_t] buffers        # of the view, and the unplaced words
    cdef View view                      # of the candidate being scored
    cdef int32_t* unplaced
    cdef vector[int32_t] words
    cdef vector[double] scores
    cdef long expansion
    cdef const float* row(self, int word, int column) noexcept nogil
    cdef const float* count(self, int which, int value) noexcept nogil
    cdef const float* pair_row(self, int table, int first) noexcept nogil
    cdef void add_address(self, int address, int word, float* target) noexcept nogil
    cdef void add_set(
        self, int which, const int32_t* words, int count, float by, float* target
    ) noexcept nogil
    cdef void read_state(self, const State* state) noexcept nogil
    cdef void read_clan(self, int head) noexcept nogil
    cdef void read_family(self, const State* state) noexcept nogil
    cdef float score_shift(self, const State* state, int word) noexcept nogil
    cdef void score_arcs(self, float* out) noexcept nogil
