"""Which actions are legal in a state: exactly those after which it can be completed.

States and moves are in `_state`. Write s_m … s_1 s_0 for the stack, ρ for the buffer, gh(w) for the
given head. A tree has one derivation for each order of a word's arcs:

- eager (the default): left dependents first. A word with a right dependent takes no left one.
- lazy (L15 Table 1 and Algorithm 3): right dependents first. A word with a left dependent takes no
  right one: it is *closed*.

A word on the stack leaves it in two ways: as right dependent of the word below it, or as left
dependent of a word further up, which takes everything in between as well.

The eager order
---------------
The word further up is always one that is shifted later, and the word below never changes. From this
follows, for a stack word s:

- s has a given dependent in ρ ("pending"), or its given head lies directly below it, or it is
  the given root: everything placed above s until s leaves becomes a descendant of s.
- gh(s) is in ρ: everything between s and gh(s), hence everything above s, becomes a
  descendant of gh(s).

Each is a word that must dominate what is placed on top. These words are nested, so only the
innermost counts: `inner`. It cannot change while its word is covered, so it is kept in the
node. A word w can be brought under `inner` in two ways: the given arcs say so, or nothing of
w's component has been placed and its top has no given head ("fresh"), so that it may hang
anywhere. A component that has been begun is tied to where it was begun.

What w must take on its left is then `due` before anything else. That is what lies above its given
head on the stack, or down to its lowest given dependent, or everything if w is the given root.

The lazy order
--------------
A covered word s comes to the top again only by RIGHTARCs into it. So either it gets a right
dependent, and then everything above it becomes its descendant: what stands last above s on the
stack has its head on its left only if that is s or a descendant of s. Or it gets no further
dependent and goes to a word further up. For a word s to be covered, this means:

- s is not closed: it can do both. It must get a right dependent, hence dominate everything placed
  above, if it is pending or the given root, if its given head is on the stack, or if it still owes
  left arcs (`due`, counted as above), which it can take only when it is the top again.
- s is closed: it goes to a word further up. So its given head is not on the stack, it is not the
  given root, and nothing is due. Any word w that is shifted now can take it: w takes its left
  dependents after all of its right ones, so it is not yet committed.

In both cases, if gh(s) is in ρ, it must dominate everything above s, as in the eager order. Again
these words are nested and `inner` is the innermost.

LEFTARC closes s_0. So s_0 must not be pending, and if it is the given root, ρ must be empty,
because the rest would have to stand on its right. Whatever else is in ρ need not be under s_0.
RIGHTARC needs an s_1 that is not closed and an s_0 to which nothing is due. Either way the word
that leaves must have all that is given to be below it; then it may be a dependent of any word.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from syntagma.transition._state cimport (
    LEFTARC, NONE, RIGHTARC, ROOT, SHIFT, Action, Node, State, Task, apply, clear, copy_state, has,
    inner_above_top, lowest_bit, meet, pending,
)


cdef inline bint reducible(const Task* task, const State* state, int word, int head) noexcept nogil:
    """The word may become a dependent of `head` now."""
    cdef int given = task.words[word].head
    return (given == NONE or given == head) and not pending(task, state, word)


cdef bint fresh_root(const Task* task, const State* state) noexcept nogil:
    """The top of an untouched component may be the root."""
    return meet(state.fresh, task.roots, task.blocks)


cdef bint rootable(const Task* task, const State* state) noexcept nogil:
    """Some word that may be the root can still become it (no root is given; eager order).

    It is the bottom word, the top of an untouched component, the top of the component to which
    the lowest bound word is tied, or the top of the stack if it can take all that is below it.
    Lefts that are due count as taken.
    """
    cdef int i, word, head, below = state.size - 1 - state.stack[state.size - 1].due
    cdef int top = state.stack[state.size - 1].word
    cdef bint takes_all
    word = state.stack[0].word if below > 0 else top
    if task.words[word].head == NONE and task.words[word].may_be_root:
        return True
    if fresh_root(task, state):
        return True
    for i in range(below + 1):
        word = state.stack[i].word if i < below else top
        head = task.words[word].head
        if head >= 0 and has(state.buffer, head):
            if task.words[task.words[word].top].may_be_root:
                return True
            break
        if head != NONE or pending(task, state, word):
            break
    takes_all = (
        state.stack[state.size - 1].n_right == 0
        and task.words[top].head == NONE
        and task.words[top].may_be_root
    )
    for i in range(below):
        takes_all = takes_all and reducible(task, state, state.stack[i].word, top)
    return takes_all


cdef bint rootable_lazily(const Task* task, const State* state) noexcept nogil:
    """The same in the lazy order.

    A stack word can become the root if it can take all below it on its left, and all that is to
    come on its right: nothing below it is bound, nothing below it is due to a word above it, and it
    is not closed. So it stands no higher than the lowest bound word; if that is bound to a word in
    the buffer, the top of its component can become the root, too.
    """
    cdef int at, head, reach = state.size   # how far down the words above will take left dependents
    cdef bint closed, passed_over, found = False
    cdef const Node* node
    if fresh_root(task, state):
        return True
    for at in range(state.size - 1, -1, -1):
        node = state.stack + at
        head = task.words[node.word].head
        closed = node.n_left > 0
        passed_over = at >= reach
        if head >= 0 and has(state.buffer, head):
            found = task.words[task.words[node.word].top].may_be_root
        else:
            if node.due or (head >= 0 and not passed_over) or pending(task, state, node.word):
                found = False
            if (head == NONE and task.words[node.word].may_be_root and not passed_over
                    and (not closed or (at == state.size - 1 and state.shifted == task.n))):
                found = True
        reach = min(reach, at - node.due)
    return found


cdef bint stays_rootable(const Task* task, const State* state, Action action) noexcept nogil:
    """Whether a root is still possible after the action. It is, as long as the top of an untouched
    component may be it; otherwise this copies, which is rare."""
    cdef int i
    cdef uint64_t others
    for i in range(task.blocks):
        others = state.fresh[i] & task.roots[i]
        if action.kind == SHIFT:
            others &= ~task.component[action.word * task.blocks + i]
        if others:
            return True
    copy_state(task, state, task.scratch)
    apply(task, task.scratch, action)
    return (rootable_lazily if task.lazy else rootable)(task, task.scratch)


cdef inline bint arcs_first(const Task* task, const State* state) noexcept nogil:
    """An arc of the top must come before the next SHIFT."""
    cdef const Node* top = state.stack + state.size - 1
    cdef int head
    if not task.lazy or not top.n_left:
        return top.due and not task.lazy
    head = task.words[top.word].head
    return top.due or head == ROOT or (head >= 0 and not has(state.buffer, head))


cdef inline bint is_begun(const Task* task, const State* state, int word) noexcept nogil:
    """A word of this given subtree has been placed."""
    cdef int i
    cdef const uint64_t* below = task.descendants + word * task.blocks
    for i in range(task.blocks):
        if below[i] & ~state.buffer[i]:
            return True
    return not has(state.buffer, word)


cdef inline bint waits(
    const Task* task, const State* state, const uint64_t* required, const uint64_t* free
) noexcept nogil:
    """A word of the buffer that is required is not one of these."""
    cdef int i
    for i in range(task.blocks):
        if state.buffer[i] & required[i] & ~free[i]:
            return True
    return False


cdef void free_components(const Task* task, const State* state, int within) noexcept nogil:
    """The words of untouched components that can be begun before any word that is left, but for
    those of `within`, a begun one's subtree, or NONE."""
    cdef int i, k, word, blocks = task.blocks
    cdef bint changed = True
    cdef const uint64_t* required
    cdef uint64_t* free = task.free_components
    memcpy(free, state.fresh, blocks * sizeof(uint64_t))
    if within != NONE:
        free[within >> 6] |= <uint64_t>1 << (within & 63)
        for i in range(blocks):
            free[i] |= task.descendants[within * blocks + i]
    while changed:
        changed = False
        for k in range(task.bound_count):
            word = task.bound[k]
            required = task.required + k * blocks
            if task.words[word].top != word or not has(free, word):
                continue
            if waits(task, state, required, free):
                for i in range(blocks):
                    free[i] &= ~task.component[word * blocks + i]
                changed = True


cdef void drop_unclosable(const Task* task, const State* state, uint64_t* out) noexcept nogil:
    """Clear the bits of words of given subtrees that can no longer be placed without a gap.

    Once a word of a given subtree is placed, the rest of it comes before all other words but those
    of untouched components. So if a word of an untouched subtree must stand behind another word,
    that word is placed, or in the subtree, or in another untouched component that can be placed
    within the subtree.
    """
    cdef int i, k, word, blocks = task.blocks
    cdef const uint64_t* required
    free_components(task, state, NONE)
    for k in range(task.bound_count):
        word = task.bound[k]
        required = task.required + k * blocks
        if is_begun(task, state, word):
            continue
        if not meet(state.buffer, task.crossing + k * blocks, blocks):
            if not waits(task, state, required, task.free_components):
                continue
            if not has(state.fresh, word):
                # What waits for this subtree can be begun within it.
                free_components(task, state, word)
                i = waits(task, state, required, task.free_components)
                free_components(task, state, NONE)
                if not i:
                    continue
        clear(out, word)
        for i in range(blocks):
            out[i] &= ~task.descendants[word * blocks + i]


cdef void shift_candidates(const Task* task, const State* state, uint64_t* out) noexcept nogil:
    """Set the bits of words of which `may_shift` decides."""
    cdef int i, d, blocks = task.blocks
    cdef const uint64_t* below
    memcpy(out, state.buffer, blocks * sizeof(uint64_t))
    if state.size:
        if arcs_first(task, state):
            memset(out, 0, blocks * sizeof(uint64_t))
            return
        d = inner_above_top(task, state)
        if d != NONE:
            below = task.descendants + d * blocks
            for i in range(blocks):
                out[i] &= below[i] | state.fresh[i]
            if has(state.buffer, d):
                out[d >> 6] |= <uint64_t>1 << (d & 63)
    if task.bound_count:
        drop_unclosable(task, state, out)


cdef inline bint may_shift(const Task* task, const State* state, int word) noexcept nogil:
    """What is left to decide of a candidate."""
    if task.words[word].twin != NONE and has(state.buffer, task.words[word].twin):
        return False
    if task.predecessors != NULL and meet(
        task.predecessors + word * task.blocks, state.buffer, task.blocks
    ):
        return False
    if task.fixed != NULL and not task.fixed[state.shifted] in (NONE, task.words[word].kind):
        return False
    return not task.root_restricted or stays_rootable(
        task, state, Action(SHIFT, word, NONE, NONE)
    )


cdef void legal_shifts(const Task* task, State* state, uint64_t* out) noexcept nogil:
    """Set the bits of the words that may be shifted.

    Validity: no arc of the top must come first; with d = inner above the top, d is NONE or w itself
    or a given ancestor of w, or w is fresh; nothing that must stand before w is in the buffer, and
    the given subtrees that w begins can be closed; w's twin is not in the buffer.
    """
    cdef int i, word
    cdef uint64_t rest
    shift_candidates(task, state, out)
    for i in range(task.blocks):
        rest = out[i]
        while rest:
            word = i * 64 + lowest_bit(rest)
            if not may_shift(task, state, word):
                clear(out, word)
            rest &= rest - 1


cdef int first_legal_shift(const Task* task, State* state, uint64_t* out) noexcept nogil:
    """The first word that may be shifted, or NONE; `out` is overwritten."""
    cdef int i, word
    cdef uint64_t rest
    shift_candidates(task, state, out)
    for i in range(task.blocks):
        rest = out[i]
        while rest:
            word = i * 64 + lowest_bit(rest)
            if may_shift(task, state, word):
                return word
            rest &= rest - 1
    return NONE


cdef bint legal_leftarc(const Task* task, State* state) noexcept nogil:
    """Validity: S1 is free to leave and does not govern S0.

    Eager: S0 has no right dependent. Lazy: nothing is due to S1, S0 is not pending, and if it is
    the given root, the buffer is empty.
    """
    cdef const Node* s0
    cdef const Node* s1
    if state.size < 2:
        return False
    s0 = state.stack + state.size - 1
    s1 = s0 - 1
    if not task.lazy:
        if s0.due:
            return True
        if s0.n_right:
            return False
    elif s1.due or pending(task, state, s0.word) or (
        task.words[s0.word].head == ROOT and state.shifted < task.n
    ):
        return False
    if task.words[s0.word].head == s1.word or not reducible(task, state, s1.word, s0.word):
        return False
    return not task.root_restricted or stays_rootable(
        task, state, Action(LEFTARC, NONE, NONE, NONE)
    )


cdef bint legal_rightarc(const Task* task, State* state) noexcept nogil:
    """Validity: nothing is due to S0, S0 is reducible to S1. Lazy: S1 has no left dependent."""
    cdef const Node* s0
    cdef const Node* s1
    if state.size < 2:
        return False
    s0 = state.stack + state.size - 1
    s1 = s0 - 1
    if s0.due or (task.lazy and s1.n_left) or not reducible(task, state, s0.word, s1.word):
        return False
    return not task.root_restricted or stays_rootable(
        task, state, Action(RIGHTARC, NONE, NONE, NONE)
    )
