"""Types of the neural scorer's search and of its reranker."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from syntagma.neural._action_scorer cimport (
    N_STATE, ActionScorer, CandidateView, Slot, UnplacedMeans, UnplacedSums,
)
from syntagma.transition._clock cimport Clock
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport State, Task

cdef class NeuralSearch(Search):
    # The hidden layer of a SHIFT is a sum of parts that are computed as rarely as possible:
    #     state + family + count SIDE + static + varying
    # For a simple candidate (L is A and has no unplaced dependents) the last two are one, which
    # never changes: the simple part.
    cdef ActionScorer scorer
    cdef Task unfixed                   # the task without the order that is given
    cdef vector[const float*] rows      # [groups, n + 2]: by group and word, nothing, the start
    cdef const float* pairs             # [n_pairs + 2, n + 2, n + 2]
    cdef object _arrays
    cdef int32_t at[N_STATE]            # addresses of the state under expansion
    cdef CandidateView view             # of the candidate being scored
    cdef vector[float] state_part       # [hidden]
    cdef vector[float] family_part      # [n, hidden]: per A; it never changes if A has no head
    cdef vector[float] family_score     # per A, the scores of its pairs
    cdef vector[long] family_expansion  # the expansion for which these two hold
    cdef vector[float] head_family_sum  # [n, hidden]: per head, over it and its dependents
    cdef vector[long] head_family_expansion     # the expansion for which it holds
    cdef vector[float] static_part      # [n, hidden]: L and its head
    cdef vector[float] simple_part      # [n, hidden]
    cdef vector[float] varying_part     # [hidden]: B, path, dependents and the counts of both
    cdef const float* unplaced_scores   # per word, its mean pair score with the unplaced words
    cdef UnplacedMeans unplaced_means   # such scores
    cdef UnplacedSums* unplaced_sums    # the same for large bags, or NULL
    cdef vector[float] unfixed_scores   # from these sums
    cdef vector[int32_t] buffers        # of the view, and the unplaced words
    cdef int32_t* unplaced
    cdef vector[int32_t] words          # that can be shifted
    cdef vector[double] scores          # of these SHIFTs
    cdef long expansion                 # number of the state under expansion
    cdef int take_rows(
        self, int group, int columns, const int32_t[::1] members, const float[:, ::1] rows,
        const float[:, ::1] special
    ) except -1
    cdef const float* row(self, int word, const Slot* slot) noexcept nogil
    cdef const float* count_row(self, int which, int value) noexcept nogil
    cdef const float* pair_row(self, int table, int first) noexcept nogil
    cdef void add_address(self, int address, int word, float* target) noexcept nogil
    cdef void add_set(
        self, int which, const int32_t* words, int count, float by, float* target
    ) noexcept nogil
    cdef int compute_state_part(self, const State* state) except -1 nogil
    cdef int compute_unplaced_scores(self, const State* state, int count) except -1 nogil
    cdef void compute_head_family_sum(self, int head) noexcept nogil
    cdef void compute_family_part(self, const State* state) noexcept nogil
    cdef void start_family_part(self, int a, int head, int last, int size) noexcept nogil
    cdef float score_shift(self, const State* state, int word) noexcept nogil
    cdef void score_arcs(self, float* out) noexcept nogil

cdef class Reranker(NeuralSearch):
    cdef vector[int32_t] last           # the moves of the last derivation that was scored
    cdef vector[double] sums            # the score after each of them
    cdef double share                   # in the syntax score
    cdef bint same_way                  # works from the same end as the search
    cdef int rerank(self, Search search) except -1 nogil
    cdef int read(
        self, Search search, const vector[int32_t]& links, vector[int32_t]* moves
    ) except -1 nogil
    cdef bint score(
        self, Clock clock, const vector[int32_t]& moves, double* score
    ) except -1 nogil
