"""The C types of this room: words, states, actions and tasks; candidates and links of a search.

Names follow the papers: stack σ, buffer ρ; S(i) is the i-th word of the stack from the top, L and R
are its outermost dependents. What is missing is -1, so that code that reads features does not
branch.
"""

from libc.stdint cimport int16_t, int32_t, uint64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.language_model._ngrams cimport Context

cdef enum:
    SHIFT = 0
    LEFTARC = 1
    RIGHTARC = 2

cdef enum:
    NONE = -1       # not given, not there
    ROOT = -2       # a given head: the root of the sentence

cdef struct Word:
    int32_t form        # vocabulary number; 0: unknown
    int32_t tag         # given tag or NONE
    int32_t head        # given head (index, ROOT or NONE)
    int32_t label       # given label or NONE
    int32_t kind        # words of one kind have the same form (for a fixed order)
    int32_t twin        # the interchangeable word listed before this one, or NONE
    int32_t shape
    int32_t suffix
    int32_t may_be_root
    int32_t tags_start  # candidate tags: tag_pool[tags_start : tags_start + tags_count]
    int32_t tags_count
    int32_t top         # top of the given component
    int32_t children_start
    int32_t children_count

cdef struct Node:
    # A word on the stack with the dependents that the templates look at.
    int16_t word
    int16_t l, l2, r, r2        # outermost, second outermost dependents
    int16_t r_label             # of the arc to r
    int16_t n_left, n_right
    int16_t inner               # what must dominate everything placed above; fixed while covered
    int16_t due                 # stack words below that it must still take on its left

cdef struct State:
    double score
    int history                 # index of the last link of its derivation
    int size                    # of the stack
    int shifted
    bint gold                   # structure and tags so far are those of the reference
    int w0, w1, w2              # the last words placed
    uint64_t derivation         # a hash of all actions that led here, forms apart
    Context context             # of the n-gram scorer, if there is one
    double fluency              # log-probability of the words placed and their forms' shares
    Node* stack
    uint64_t* buffer            # bit set: not yet shifted
    uint64_t* fresh             # bit set: words of untouched components whose top may hang anywhere
    int16_t* tags               # chosen tag per shifted word

cdef struct Task:
    # A problem as the search sees it. Bit sets have `blocks` 64-bit words.
    int n
    int blocks
    int root                    # the given root or NONE
    bint lazy                   # the order of arcs: right ones first
    bint root_restricted        # no root is given and some top word may not be it
    bint labels_given           # some arc label is given
    int arcs_given              # 0: no arc is given, 1: some, 2: all
    const Word* words
    const int32_t* tag_pool
    const int32_t* children     # given dependents, by head
    const uint64_t* dependents      # bit set of given dependents, per word
    const uint64_t* descendants     # bit set of given descendants, per word
    const uint64_t* component       # bit set of the given component, per word
    const uint64_t* predecessors    # bit set of what must stand before, per word; or NULL
    const int32_t* bound            # words whose given subtree must stand behind other words
    int bound_count                 # of them; 0 if the tree is whole
    const uint64_t* required        # bit set of these other words, per word of `bound`
    const uint64_t* crossing        # of them, those that cannot stand within the subtree
    uint64_t* free_components       # to work in: those that can be begun within another one
    const uint64_t* roots           # bit set of the tops that may be the root
    const int32_t* fixed            # the kind at each position, NONE for any; or NULL
    State* scratch                  # to try a move in; NULL unless root_restricted

cdef struct Action:
    int32_t kind
    int32_t word
    int32_t tag
    int32_t label

cdef extern from "compiler.h" nogil:
    int lowest_bit(uint64_t x)

cdef extern from "transition/search.h" nogil:
    cppclass Candidate:
        double score
        int32_t parent, kind, word, tag, label, form
        Candidate()
    void keep_best(vector[Candidate]& candidates, size_t width) except +
    cppclass Link:
        int32_t parent, kind, word, tag, label, form, merged, variant
        uint64_t derivation
        double score, fluency
        Link()
    cppclass Finished:
        double score, syntax, fluency
        int32_t level, place
        bint leads
        vector[int32_t] links
        vector[double] parts
        Finished() except +
    cppclass Detour:
        double score, fluency
        int32_t found, base, position, link, variant
        Detour()
    cppclass Detours:
        Detours() except +
        void begin(const Detour& end) except +
        void push(const Detour& detour, size_t room) except +
        bint pop(size_t room, Detour* best)
    cppclass Signatures:
        Signatures() except +
        int32_t add(const string& key, int32_t number) except +
        void clear()
    void rank_finished(vector[Finished]& finished) except +
    cppclass DeadStates:
        DeadStates() except +
        bint holds(const string& key)
        void add(const string& key) except +
    void keep_first_of_each_move(vector[Candidate]& candidates) except +
    double steady_seconds()

cdef enum:
    RERANKED = 16       # orders that compete for the first rank

cdef struct Lattice:
    # All links of a search, its last states, and how a derivation is read.
    const vector[Link]* links
    const vector[Detour]* ends
    const Task* task
    const int32_t* names        # the number of the text of each form, or NULL
    double weight, expected     # of the language model, if there is one

cdef inline int S(const State* state, int i) noexcept nogil:
    """The i-th word of the stack from the top."""
    return state.stack[state.size - 1 - i].word if i < state.size else NONE

cdef inline int L(const State* state, int i, int n) noexcept nogil:
    """The n-th leftmost dependent of S(i), for n = 1 or 2."""
    if i >= state.size:
        return NONE
    return state.stack[state.size - 1 - i].l if n == 1 else state.stack[state.size - 1 - i].l2

cdef inline int R(const State* state, int i, int n) noexcept nogil:
    """The n-th rightmost dependent of S(i), for n = 1 or 2."""
    if i >= state.size:
        return NONE
    return state.stack[state.size - 1 - i].r if n == 1 else state.stack[state.size - 1 - i].r2

cdef inline bint has(const uint64_t* bits, int i) noexcept nogil:
    return (bits[i >> 6] >> (i & 63)) & 1

cdef inline void clear(uint64_t* bits, int i) noexcept nogil:
    bits[i >> 6] &= ~(<uint64_t>1 << (i & 63))

cdef inline bint meet(const uint64_t* a, const uint64_t* b, int blocks) noexcept nogil:
    cdef int i
    for i in range(blocks):
        if a[i] & b[i]:
            return True
    return False

cdef inline bint pending(const Task* task, const State* state, int word) noexcept nogil:
    """A given dependent of the word is still in the buffer."""
    return meet(task.dependents + word * task.blocks, state.buffer, task.blocks)

cdef size_t state_bytes(int n, int blocks) noexcept nogil
cdef void lay_out(State* state, int n, int blocks) noexcept nogil
cdef void copy_state(const Task* task, const State* source, State* target) noexcept nogil
cdef void initial_state(const Task* task, State* state) noexcept nogil
cdef int inner_above_top(const Task* task, const State* state) noexcept nogil
cdef void apply(const Task* task, State* state, Action action) noexcept nogil
cdef int mirror(
    const Task* task, vector[int32_t]* order, vector[int32_t]* heads
) except -1 nogil
cdef int reference_actions(
    const Task* task, const int32_t* order, const int32_t* heads, const int32_t* labels,
    const int32_t* tags, vector[Action]* actions
) except -1 nogil

cdef class SearchTask:
    cdef Task task
    cdef readonly int n
    cdef readonly bint partly_fixed     # only the first words of an order are given
    cdef object _arrays
