"""States of the transition system and its moves.

What is legal in a state is decided in `_legality`; the search over states is in `_search`; scores
come from `linear` and `neural`.
"""

from libc.stdint cimport int16_t, int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
from libcpp.vector cimport vector

import numpy as np

# State memory: the struct, then its arrays, in one block.

cdef size_t state_bytes(int n, int blocks) noexcept nogil:
    cdef size_t size = (
        sizeof(State) + 2 * blocks * sizeof(uint64_t) + n * sizeof(Node) + n * sizeof(int16_t)
    )
    return (size + 63) & ~(<size_t>63)


cdef void lay_out(State* state, int n, int blocks) noexcept nogil:
    state.buffer = <uint64_t*>(<char*>state + sizeof(State))
    state.fresh = state.buffer + blocks
    state.stack = <Node*>(state.fresh + blocks)
    state.tags = <int16_t*>(state.stack + n)


cdef void copy_state(const Task* task, const State* source, State* target) noexcept nogil:
    cdef uint64_t* buffer = target.buffer
    cdef uint64_t* fresh = target.fresh
    cdef Node* stack = target.stack
    cdef int16_t* tags = target.tags
    target[0] = source[0]
    target.buffer = buffer
    target.fresh = fresh
    target.stack = stack
    target.tags = tags
    memcpy(buffer, source.buffer, task.blocks * sizeof(uint64_t))
    memcpy(fresh, source.fresh, task.blocks * sizeof(uint64_t))
    memcpy(stack, source.stack, source.size * sizeof(Node))
    memcpy(tags, source.tags, task.n * sizeof(int16_t))


cdef void initial_state(const Task* task, State* state) noexcept nogil:
    cdef int i
    state.score = state.fluency = 0.0
    state.history = NONE
    state.size = 0
    state.shifted = 0
    state.gold = True
    state.w0 = state.w1 = state.w2 = NONE
    state.derivation = 0
    memset(state.buffer, 0, task.blocks * sizeof(uint64_t))
    memset(state.fresh, 0, task.blocks * sizeof(uint64_t))
    for i in range(task.n):
        state.buffer[i >> 6] |= <uint64_t>1 << (i & 63)
        if task.words[task.words[i].top].head == NONE:
            state.fresh[i >> 6] |= <uint64_t>1 << (i & 63)
        state.tags[i] = NONE


# Moves

cdef int inner_above_top(const Task* task, const State* state) noexcept nogil:
    """The innermost word that must dominate whatever is placed above the top, or NONE."""
    cdef const Node* top = state.stack + state.size - 1
    cdef int word = top.word
    cdef int head = task.words[word].head
    if (pending(task, state, word) or head == ROOT or (head >= 0 and not has(state.buffer, head))
            or (task.lazy and top.due)):
        return word
    if head >= 0:
        return head
    return state.stack[state.size - 2].inner if state.size > 1 else NONE


cdef int lefts_of(const Task* task, const State* state, int word) noexcept nogil:
    """How many stack words `word` must take as left dependents when it is shifted.

    All of them if it is the given root; all above its given head if that is on the stack;
    otherwise down to its lowest given dependent.
    """
    cdef int i
    cdef int head = task.words[word].head
    if head == ROOT:
        return state.size
    if head >= 0 and not has(state.buffer, head):
        for i in range(state.size - 1, -1, -1):
            if state.stack[i].word == head:
                return state.size - 1 - i
    if task.words[word].children_count:
        for i in range(state.size):
            if task.words[state.stack[i].word].head == word:
                return state.size - i
    return 0


cdef void apply(const Task* task, State* state, Action action) noexcept nogil:
    cdef Node* s0
    cdef Node* s1
    cdef int i, word, due
    if action.kind == SHIFT:
        word = action.word
        due = lefts_of(task, state, word)
        state.buffer[word >> 6] &= ~(<uint64_t>1 << (word & 63))
        for i in range(task.blocks):
            state.fresh[i] &= ~task.component[word * task.blocks + i]
        if state.size:
            state.stack[state.size - 1].inner = inner_above_top(task, state)
        s0 = state.stack + state.size
        s0.word = word
        s0.l = s0.l2 = s0.r = s0.r2 = NONE
        s0.r_label = NONE
        s0.n_left = s0.n_right = 0
        s0.inner = NONE
        s0.due = due
        state.size += 1
        state.tags[word] = action.tag
        state.shifted += 1
        state.w2 = state.w1
        state.w1 = state.w0
        state.w0 = word
        return
    s0 = state.stack + state.size - 1
    s1 = s0 - 1
    if action.kind == LEFTARC:
        # Taken from the inside out: each new left dependent is the outermost.
        s0.l2 = s0.l
        s0.l = s1.word
        s0.n_left += 1
        if s0.due:
            s0.due -= 1
        s1[0] = s0[0]
    else:
        s1.r2 = s1.r
        s1.r = s0.word
        s1.r_label = action.label
        s1.n_right += 1
    state.size -= 1


cdef int reference_actions(
    const Task* task, const int32_t* order, const int32_t* heads, const int32_t* labels,
    const int32_t* tags, vector[Action]* actions
) except -1 nogil:
    """The canonical derivation of a projective tree: every arc as soon as it is possible.

    In the lazy order, a word takes its left dependents when it has all of its right ones.
    """
    cdef vector[int] stack
    cdef vector[int] open_dependents, open_rights
    cdef int i, s0, s1
    open_dependents.assign(task.n, 0)
    open_rights.assign(task.n, 0)
    for i in range(task.n):
        if heads[i] >= 0:
            open_dependents[heads[i]] += 1
    if task.lazy:
        # A right dependent is one whose head stands before it.
        for i in range(task.n):
            if heads[order[i]] >= 0:
                open_rights[heads[order[i]]] += 1
            open_rights[order[i]] = 0
    for i in range(task.n):
        actions.push_back(Action(SHIFT, order[i], tags[order[i]], NONE))
        stack.push_back(order[i])
        while stack.size() > 1:
            s0 = stack[stack.size() - 1]
            s1 = stack[stack.size() - 2]
            if heads[s1] == s0 and open_rights[s0] == 0:
                actions.push_back(Action(LEFTARC, NONE, NONE, labels[s1]))
                stack[stack.size() - 2] = s0
                open_dependents[s0] -= 1
            elif heads[s0] == s1 and open_dependents[s0] == 0:
                actions.push_back(Action(RIGHTARC, NONE, NONE, labels[s0]))
                open_dependents[s1] -= 1
                open_rights[s1] -= 1
            else:
                break
            stack.pop_back()
    return 0


cdef int mirror(
    const Task* task, vector[int32_t]* order, vector[int32_t]* heads
) except -1 nogil:
    """Reverse a sentence and its tree, to be read from right to left.

    Of interchangeable words the first is shifted first in either direction, so they trade places.
    """
    cdef vector[int32_t] counterpart, followed, turned, chain
    cdef int i, word
    counterpart.resize(task.n)
    followed.assign(task.n, 0)
    for i in range(task.n):
        if task.words[i].twin != NONE:
            followed[task.words[i].twin] = 1
    for i in range(task.n):
        if followed[i]:
            continue
        chain.clear()
        word = i
        while word != NONE:
            chain.push_back(word)
            word = task.words[word].twin
        for word in range(<int>chain.size()):
            counterpart[chain[word]] = chain[chain.size() - 1 - word]
    turned.resize(task.n)
    for i in range(task.n):
        turned[i] = counterpart[order[0][task.n - 1 - i]]
    order.swap(turned)
    for i in range(task.n):
        word = heads[0][i]
        turned[counterpart[i]] = counterpart[word] if word >= 0 else word
    heads.swap(turned)
    return 0


def bound_subtrees(predecessors, descendants, own, heads, tops):
    """(words, required, crossing): words whose given subtree must stand behind other words, and,
    as bit sets, these others, and those among them that cannot stand within the subtree.

    Such a word is of the subtree's own component, or of one of which one word precedes and another
    one follows the same word of the subtree.
    """
    n, blocks = predecessors.shape
    _, components = np.unique(tops, return_inverse=True)
    grouped = np.argsort(components, kind="stable")
    starts = np.searchsorted(components[grouped], np.arange(components.max() + 1))
    before = np.unpackbits(predecessors.view(np.uint8), axis=1, bitorder="little")[:, :n]
    between = np.zeros_like(predecessors)
    inner = np.flatnonzero(before.any(axis=1) & before.any(axis=0))
    crossing = np.logical_or.reduceat(before[inner][:, grouped], starts, axis=1)
    crossing &= np.logical_or.reduceat(before.T[inner][:, grouped], starts, axis=1)
    crossing[np.arange(len(inner)), components[inner]] = False
    bits = np.zeros((len(inner), 64 * blocks), bool)
    bits[:, :n] = crossing[:, components]
    between[inner] = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    required = predecessors.copy()
    counts = np.unpackbits(descendants.view(np.uint8), axis=1).sum(axis=1)
    for word in np.argsort(counts, kind="stable"):  # dependents have fewer descendants
        if heads[word] >= 0:
            required[heads[word]] |= required[word]
            between[heads[word]] |= between[word]
    required &= ~descendants
    words = np.arange(n)
    required[words, words >> 6] &= ~(np.uint64(1) << (words & 63).astype(np.uint64))
    bound = np.flatnonzero((counts > 0) & required.any(axis=1))
    return bound.astype(np.int32), required[bound], (required & (between | own))[bound]


NOT_GIVEN, ROOT_HEAD = NONE, ROOT   # for Python, so that no number is defined twice


cdef class SearchTask:
    """A problem in numbers: the arrays behind a Task.

    `words` has one row per word and the first eleven fields of Word as columns; words are numbered
    in canonical order. `predecessors` holds a bit mask per word; `fixed`, for scoring a given
    order, the kind of the word at each position, or NOT_GIVEN where any word may stand.
    """

    def __init__(self, words, tag_pool, root, predecessors=None, fixed=None):
        if words.shape[0] > 32767:
            raise ValueError("words are numbered in 16 bits: a problem has at most 32767")
        cdef int n = words.shape[0], blocks = (words.shape[0] + 63) // 64
        cdef int32_t[::1] pool = tag_pool
        fields = np.zeros((n, sizeof(Word) // sizeof(int32_t)), np.int32)
        fields[:, :11] = words
        children = np.zeros(n, np.int32)
        sets = np.zeros((3, n, blocks), np.uint64)
        tops = np.zeros(blocks, np.uint64)
        cdef int32_t[:, ::1] table = fields
        cdef int32_t[::1] child_list = children
        cdef uint64_t[:, :, ::1] bits = sets
        cdef uint64_t[::1] roots = tops
        cdef Word* array = <Word*>&table[0, 0]
        cdef int i, up, steps, position = 0, arcs = 0
        cdef bint labels_given = False
        cdef bint restricted = False
        for i in range(n):
            up = i
            while array[up].head >= 0:
                up = array[up].head
                bits[1, up, i >> 6] |= <uint64_t>1 << (i & 63)
            array[i].top = up
            if array[i].head >= 0:
                bits[0, array[i].head, i >> 6] |= <uint64_t>1 << (i & 63)
                array[array[i].head].children_count += 1
                labels_given = labels_given or array[i].label >= 0
            arcs += array[i].head != NONE
            if array[i].head == NONE and array[i].may_be_root:
                roots[i >> 6] |= <uint64_t>1 << (i & 63)
            restricted = restricted or (array[i].head == NONE and not array[i].may_be_root)
        for i in range(n):
            array[i].children_start = position
            position += array[i].children_count
            array[i].children_count = 0
        for i in range(n):
            up = array[i].head
            if up >= 0:
                child_list[array[up].children_start + array[up].children_count] = i
                array[up].children_count += 1
            bits[2, array[i].top, i >> 6] |= <uint64_t>1 << (i & 63)
        for i in range(n):
            if array[i].top != i:
                for steps in range(blocks):
                    bits[2, i, steps] = bits[2, array[i].top, steps]
        self.n = n
        self.task.n = n
        self.task.blocks = blocks
        self.task.root = root
        self.task.lazy = False
        self.task.root_restricted = root < 0 and restricted
        self.task.labels_given = labels_given
        self.task.arcs_given = 0 if arcs == 0 else 2 if arcs >= n - 1 else 1
        self.task.words = array
        self.task.tag_pool = &pool[0]
        self.task.children = &child_list[0]
        self.task.dependents = &bits[0, 0, 0]
        self.task.descendants = &bits[1, 0, 0]
        self.task.component = &bits[2, 0, 0]
        self.task.roots = &roots[0]
        self.task.predecessors = self.task.required = NULL
        self.task.bound_count = 0
        self.task.fixed = NULL
        self._arrays = [fields, tag_pool, children, sets, tops]
        if self.task.root_restricted:
            self.task.scratch = <State*>malloc(state_bytes(n, blocks))
            if self.task.scratch == NULL:
                raise MemoryError()
            lay_out(self.task.scratch, n, blocks)
        cdef uint64_t[:, ::1] before, required, crossing
        cdef uint64_t[::1] free_components
        cdef int32_t[::1] kinds, bound
        if predecessors is not None:
            masks = b"".join([mask.to_bytes(8 * blocks, "little") for mask in predecessors])
            masks = np.frombuffer(bytearray(masks), np.uint64).reshape(n, blocks)
            before = masks
            self.task.predecessors = &before[0, 0]
            self._arrays.append(masks)
            if arcs + (root < 0) < n:   # of a whole tree, the closure of predecessors says all
                numbers, outside, between = bound_subtrees(
                    masks, sets[1], sets[2], fields[:, 2], fields[:, 11]
                )
                if len(numbers):
                    bound, required, crossing = numbers, outside, between
                    work = np.zeros(blocks, np.uint64)
                    free_components = work
                    self.task.bound = &bound[0]
                    self.task.bound_count = len(numbers)
                    self.task.required = &required[0, 0]
                    self.task.crossing = &crossing[0, 0]
                    self.task.free_components = &free_components[0]
                    self._arrays += [numbers, outside, between, work]
        if fixed is not None:
            kinds = fixed
            self.partly_fixed = bool((fixed == NONE).any())
            self.task.fixed = &kinds[0]
            self._arrays.append(fixed)

    def with_heads(self, heads, twins, predecessors=None):
        """The same problem with other given heads, and what follows from them."""
        words = self._arrays[0][:, :11].copy()
        words[:, 2], words[:, 5] = heads, twins
        fixed = None
        if self.task.fixed != NULL:
            fixed = self._arrays[len(self._arrays) - 1]
        return SearchTask(words, self._arrays[1], self.task.root, predecessors, fixed)

    def mirrored(self):
        """The same problem, to be read from right to left."""
        if self.task.predecessors == NULL and self.task.fixed == NULL:
            return self
        predecessors = fixed = None
        if self.task.predecessors != NULL:
            bits = np.unpackbits(self._arrays[5].view(np.uint8), axis=1, bitorder="little")
            followers = np.packbits(bits[:, :self.n].T, axis=1, bitorder="little")
            predecessors = [int.from_bytes(row.tobytes(), "little") for row in followers]
        if self.task.fixed != NULL:
            fixed = self._arrays[len(self._arrays) - 1][::-1].copy()
        words = self._arrays[0][:, :11].copy()
        return SearchTask(words, self._arrays[1], self.task.root, predecessors, fixed)

    def __dealloc__(self):
        free(self.task.scratch)
