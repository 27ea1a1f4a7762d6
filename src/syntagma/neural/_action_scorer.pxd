"""The C types of this room: addresses, slots and pairs of the action scorer; arithmetic on vectors.

An address names a word of a state (S0, its leftmost dependent, ...) or of a candidate, a word that
may be shifted in that state (its given head, ...). It resolves to a row: the number of the word, n
for nothing, n + 1 for what is before the first word. Search and training trace share these
functions; they are inline because the search calls them for every candidate.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from syntagma.transition._state cimport (
    NONE, ROOT, L as left_of, Node, R as right_of, S, State, Task, Word, has, inner_above_top,
    lowest_bit,
)

cdef enum:
    # State addresses. S0H: the given head of S0. INNER: the word that must dominate the words
    # placed next (transition/_state.pyx).
    S0, S1, S2, S3, S0L, S0L2, S0R, S0R2, S1L, S1R, W0, W1, W2, S0H, INNER
    N_STATE

cdef enum:
    # Candidate addresses. L: the word to be shifted. A: the first word, from L upwards along given
    # heads, whose head is not given, is the root, is placed, or is the given head of S0 as well.
    # LH, AH: the given heads of L and A. AP: the member of A's family (AH and its dependents) that
    # was placed last. B: the word on the way from L to A that is a dependent of A.
    L, LH, A, AH, AP, B
    N_CANDIDATE

cdef enum:
    # Sets of words. UNPLACED: all words of the buffer. FAMILY: A's head and its other dependents,
    # as far as they are unplaced. DEPENDENTS: the unplaced given dependents of L. PATH: the words
    # between L and A.
    UNPLACED, FAMILY, DEPENDENTS, PATH
    N_SETS

cdef enum:
    # Counts of a candidate: the sizes of the sets (REST is that of UNPLACED), the DEPTH of L below
    # A, and what is known of L's head (SIDE): not given, root, placed, unplaced.
    REST, FAMILY_SIZE, DEPENDENTS_SIZE, DEPTH, SIDE
    N_COUNTS

cdef enum:
    BUCKETS = 8     # that a count can fall into

cdef struct CandidateView:
    # What the scorer sees of a candidate. The sets lie in buffers for n words each.
    int32_t at[N_CANDIDATE]
    int depth, side
    int n_family, n_dependents, n_path
    int32_t* family
    int32_t* dependents
    int32_t* path

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

cdef extern from "vectors.h" nogil:
    cppclass Kernels:
        const char* instructions
    const int LANES
    const int PANEL
    const char* COMPILER
    const Kernels chosen
    void add_scaled(float* target, const float* row, float by, int size)
    void add_scaled_bytes(float* target, const int8_t* row, float by, int size)
    void add_rows(float* target, const float** rows, int count, int size)
    float rectified_dot(const float** rows, int count, const float* out, int size)
    float sum(const float* x, int size)
    void multiply(
        const float* x, int64_t rows, int size, const float* panels, const float* bias, int to,
        float* out
    )
    float centre_and_square(
        const float* x, float mean, float* centred, float* squares, int size
    )
    void scale_and_shift(
        float* x, float by, const float* weight, const float* bias, int size
    )

cdef extern from "unplaced.h" nogil:
    cppclass UnplacedMeans:
        void begin(const float* scores, int words, int width) except +
        const float* of(
            const uint64_t* unplaced_set, const int32_t* unplaced, int count,
            const int32_t* wanted, int n_wanted,
        )
    cppclass UnplacedSums:
        UnplacedSums() except +
        void begin(const float* scores, int words, int width)
        const int64_t* of(const uint64_t* unplaced, int last) except +
    float unfixed_mean(int64_t sum, int count)

cdef inline int bucket(int count) noexcept nogil:
    """0, 1, 2, 3, 4, 5-7, 8-14, 15 and more."""
    if count < 5:
        return count
    return 5 if count < 8 else 6 if count < 15 else 7

cdef inline int row_of(const Task* task, int word) noexcept nogil:
    """The row of a word that may be missing."""
    return task.n if word < 0 else word

cdef inline void resolve_state(const Task* task, const State* state, int32_t* out) noexcept nogil:
    """The rows of all state addresses."""
    cdef int i
    for i in range(4):
        out[S0 + i] = row_of(task, S(state, i))
    out[S0L] = row_of(task, left_of(state, 0, 1))
    out[S0L2] = row_of(task, left_of(state, 0, 2))
    out[S0R] = row_of(task, right_of(state, 0, 1))
    out[S0R2] = row_of(task, right_of(state, 0, 2))
    out[S1L] = row_of(task, left_of(state, 1, 1))
    out[S1R] = row_of(task, right_of(state, 1, 1))
    out[W0] = task.n + 1 if state.w0 < 0 else state.w0
    out[W1] = task.n + 1 if state.w1 < 0 else state.w1
    out[W2] = task.n + 1 if state.w2 < 0 else state.w2
    out[S0H] = out[INNER] = task.n
    if state.size:
        out[S0H] = row_of(task, task.words[S(state, 0)].head)
        out[INNER] = row_of(task, inner_above_top(task, state))

cdef inline int find_unplaced(const Task* task, const State* state, int32_t* out) noexcept nogil:
    """List the words of the buffer; returns their number."""
    cdef int i, count = 0
    cdef uint64_t rest
    for i in range(task.blocks):
        rest = state.buffer[i]
        while rest:
            out[count] = i * 64 + lowest_bit(rest)
            count += 1
            rest &= rest - 1
    return count

cdef inline int find_unplaced_dependents(
    const Task* task, const State* state, int head, int excluded, int32_t* out
) noexcept nogil:
    """List the unplaced given dependents of a head but one; returns their number."""
    cdef int i, child, count = 0
    cdef const Word* word = &task.words[head]
    for i in range(word.children_start, word.children_start + word.children_count):
        child = task.children[i]
        if child != excluded and has(state.buffer, child):
            out[count] = child
            count += 1
    return count

cdef inline void resolve_candidate(
    const Task* task, const State* state, int word, CandidateView* view
) noexcept nogil:
    """Fill in the view of a candidate, except for the family of A."""
    cdef int a = word, below = task.n, head, top_head = NONE
    cdef const Node* top = NULL
    if state.size:
        top = state.stack + state.size - 1
        top_head = task.words[top.word].head
    view.n_path = view.depth = 0
    while True:
        head = task.words[a].head
        if head < 0 or head == top_head or not has(state.buffer, head):
            break
        if view.depth:
            view.path[view.n_path] = a
            view.n_path += 1
        below = a
        a = head
        view.depth += 1
    view.at[L] = word
    view.at[LH] = row_of(task, task.words[word].head)
    view.at[A] = a
    view.at[AH] = row_of(task, head)
    view.at[AP] = task.n
    view.at[B] = below
    if head >= 0 and top != NULL:
        if head == top_head and has(state.buffer, head):
            view.at[AP] = top.word
        elif head == top.word:
            view.at[AP] = top.r if top.n_right else task.n + 1
    view.n_dependents = find_unplaced_dependents(task, state, word, NONE, view.dependents)
    head = task.words[word].head
    view.side = 0 if head == NONE else 1 if head == ROOT else 2 + has(state.buffer, head)

cdef inline void resolve_family(
    const Task* task, const State* state, CandidateView* view
) noexcept nogil:
    """Fill in the family of A. It is separate because candidates below one A share it."""
    cdef int head = view.at[AH]
    view.n_family = 0
    if head < task.n:
        view.n_family = find_unplaced_dependents(task, state, head, view.at[A], view.family)
        if has(state.buffer, head):
            view.family[view.n_family] = head
            view.n_family += 1

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
