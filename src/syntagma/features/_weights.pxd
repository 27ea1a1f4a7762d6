"""Look-up of feature weights in a hash table; inline, because searches spend their time here."""

from libc.stdint cimport uint32_t, uint64_t

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
