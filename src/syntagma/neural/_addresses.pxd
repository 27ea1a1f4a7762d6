"""What the neural scorer looks at: the addresses of words in a state, and the view of a candidate.

An address names a word of a state (S0, its leftmost dependent, ...) or of a candidate, a word that
may be shifted in that state (its given head, ...). It resolves to a row: the number of the word, n
for nothing, n + 1 for what is before the first word. The names are in _addresses.pyx. Search and
training trace share these functions; they are inline because the search calls them for every
candidate.
"""

from libc.stdint cimport int32_t, uint64_t

from syntagma.transition._state cimport (
    NONE, ROOT, Node, State, Task, Word, has, inner_above_top, lowest_bit,
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
    cdef const Node* top
    cdef int i
    for i in range(N_STATE):
        out[i] = task.n
    out[W0] = task.n + 1 if state.w0 < 0 else state.w0
    out[W1] = task.n + 1 if state.w1 < 0 else state.w1
    out[W2] = task.n + 1 if state.w2 < 0 else state.w2
    if state.size == 0:
        return
    top = state.stack + state.size - 1
    for i in range(min(state.size, 4)):
        out[S0 + i] = (top - i).word
    out[S0L] = row_of(task, top.l)
    out[S0L2] = row_of(task, top.l2)
    out[S0R] = row_of(task, top.r)
    out[S0R2] = row_of(task, top.r2)
    out[S0H] = row_of(task, task.words[top.word].head)
    out[INNER] = row_of(task, inner_above_top(task, state))
    if state.size > 1:
        out[S1L] = row_of(task, (top - 1).l)
        out[S1R] = row_of(task, (top - 1).r)


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
