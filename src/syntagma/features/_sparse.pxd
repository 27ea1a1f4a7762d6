"""The C types of this room: weight tables, feature templates, sets of tags or labels.

Functions are inline, because searches spend their time here. Atoms are computed by the users:
`linear/_search` (states), `best_first/_*_edges` (edges).
"""

from libc.stdint cimport int8_t, int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

# Weights

cdef struct Slot:
    uint32_t fingerprint    # 0: empty
    float weight

cdef struct Table:
    const Slot* slots
    uint64_t mask

cdef extern from "compiler.h" nogil:
    void prefetch(const void* p)

cdef inline uint32_t fingerprint(uint64_t key) noexcept nogil:
    cdef uint32_t high = <uint32_t>(key >> 32)
    return high if high else 1

cdef enum:
    MEMO_SIZE = 1 << 14

cdef struct Memo:
    # A cache of recent look-ups, by key. The states of a beam share most of their features, and
    # unlike the table this fits into the CPU's caches: it halves the time of a search.
    uint64_t key
    float weight

cdef inline float look_up(const Table* table, uint64_t key) noexcept nogil:
    cdef uint64_t at = key & table.mask
    cdef uint32_t wanted = fingerprint(key)
    while table.slots[at].fingerprint:
        if table.slots[at].fingerprint == wanted:
            return table.slots[at].weight
        at = (at + 1) & table.mask
    return 0.0

cdef inline double sum_weights(
    const Table* table, Memo* memo, const uint64_t* keys, int count, float* values, int* missing
) noexcept nogil:
    """The sum of the weights of the features. All slots that are not in the memo are prefetched
    before the first one is read. `values` and `missing` are scratch space for `count` items."""
    cdef int i, misses = 0
    cdef Memo* place
    cdef double total = 0.0
    for i in range(count):
        place = memo + (keys[i] & (MEMO_SIZE - 1))
        if place.key == keys[i]:
            values[i] = place.weight
        else:
            prefetch(table.slots + (keys[i] & table.mask))
            missing[misses] = i
            misses += 1
    for i in range(misses):
        place = memo + (keys[missing[i]] & (MEMO_SIZE - 1))
        place.key = keys[missing[i]]
        place.weight = values[missing[i]] = look_up(table, place.key)
    for i in range(count):
        total += values[i]
    return total

# Templates, hashed into keys

cdef extern from * nogil:
    """
    #include <cstdint>
    #include <new>
    #include <vector>
    static inline bool append_keys(std::vector<uint64_t>* all, const uint64_t* keys, int count) {
        try {
            all->insert(all->end(), keys, keys + count);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }
    """
    bint append_keys(vector[uint64_t]* all, const uint64_t* keys, int count)

cdef enum:
    MAX_ATOMS = 6
    MAX_TEMPLATES = 320
    MAX_SCOPES = 9
    MAX_KEYS = 2048

cdef struct Template:
    uint64_t seed
    int8_t n_atoms
    int8_t atoms[MAX_ATOMS]     # ascending

cdef struct TemplateSet:
    # Templates sorted by scope; scope s occupies [bounds[s], bounds[s + 1]).
    int bounds[MAX_SCOPES + 1]
    Template templates[MAX_TEMPLATES]

cdef struct Sum:
    const Table* table          # if not NULL, weights are summed
    vector[uint64_t]* collected  # if not NULL, keys are collected
    bint failed                 # there was no memory for collected keys
    double total
    int count
    uint64_t keys[MAX_KEYS]
    float values[MAX_KEYS]
    int missing[MAX_KEYS]
    Memo memo[MEMO_SIZE]

cdef inline uint64_t fold(uint64_t key, uint64_t atom) noexcept nogil:
    """Extend a hash by one atom."""
    key = (key + atom) * <uint64_t>0x9E3779B97F4A7C15
    return key ^ (key >> 32)

cdef inline uint64_t word_key(int32_t form, int32_t shape, int32_t suffix) noexcept nogil:
    """A word as an atom that is never absent: its form, or its shape and suffix if the form is
    unknown (0)."""
    return form if form else fold(fold(2, shape), suffix)

cdef inline void drain(Sum* sum) noexcept nogil:
    """Sum or collect the pending keys."""
    if sum.collected != NULL:
        if not append_keys(sum.collected, sum.keys, sum.count):
            sum.failed = True
    if sum.table != NULL:
        sum.total += sum_weights(
            sum.table, sum.memo, sum.keys, sum.count, sum.values, sum.missing
        )
    sum.count = 0

cdef inline void make_room(Sum* sum) noexcept nogil:
    """Make room for one key per template."""
    if sum.count > MAX_KEYS - MAX_TEMPLATES:
        drain(sum)

cdef inline void add_key(Sum* sum, uint64_t key) noexcept nogil:
    sum.keys[sum.count] = key
    sum.count += 1

cdef inline double finish(Sum* sum) noexcept nogil:
    """The total since the last call."""
    cdef double total
    drain(sum)
    total = sum.total
    sum.total = 0.0
    return total

cdef inline void instantiate_all(
    const TemplateSet* set, int scope, const uint64_t* atoms, Sum* sum
) noexcept nogil:
    """Add the features of the scope's templates for these atoms; templates with an atom that is 0
    (absent) are skipped."""
    cdef int i, j
    cdef uint64_t key, atom
    cdef const Template* template
    make_room(sum)
    for i in range(set.bounds[scope], set.bounds[scope + 1]):
        template = &set.templates[i]
        key = template.seed
        for j in range(template.n_atoms):
            atom = atoms[template.atoms[j]]
            if atom == 0:
                key = 0
                break
            key = fold(key, atom)
        if key:
            add_key(sum, key)

# Sets of tags or labels as atoms, exact for any number of members. A set is a bit set in blocks of
# 64. After it, in as many blocks, come the members that were added more than once, so that one of
# them can be left out again.

cdef inline void add_member(uint64_t* set, int blocks, int member) noexcept nogil:
    cdef uint64_t bit = <uint64_t>1 << (member & 63)
    set += member >> 6
    set[blocks] |= set[0] & bit
    set[0] |= bit

cdef inline void toggle_single(uint64_t* set, int blocks, int member) noexcept nogil:
    """Take out a member that was added once, or put it back."""
    set += member >> 6
    set[0] ^= ~set[blocks] & (<uint64_t>1 << (member & 63))

cdef inline uint64_t set_atom(const uint64_t* set, int blocks, bint* empty) noexcept nogil:
    """The atom of a set; members below 64 are hashed as one word, however many blocks there are.
    `empty` is cleared if the set has a member."""
    cdef uint64_t key = fold(1, set[0])
    cdef int i
    empty[0] = empty[0] and set[0] == 0
    for i in range(1, blocks):
        if set[i]:
            key = fold(fold(key, i), set[i])
            empty[0] = False
    return key | 1

# Classes

cdef class TemplateTable:
    cdef TemplateSet set
    cdef readonly tuple texts

cdef class Weights:
    cdef Table table
    cdef object _array

cdef class TrainingWeights:
    cdef Table table            # the view that searches read
    cdef object _slots, _keys, _sums
    cdef Slot* slots
    cdef uint64_t* keys
    cdef double* sums
    cdef uint64_t capacity
    cdef readonly uint64_t used
    cdef public uint64_t steps
    cdef _allocate(self, uint64_t capacity)
    cdef uint64_t find(self, uint64_t key) noexcept nogil
    cdef void change(self, uint64_t key, float by) noexcept nogil
