"""Look-up of feature weights; inline, because the search spends its time here."""

from libc.stdint cimport uint32_t, uint64_t

cdef struct Slot:
    uint32_t fingerprint    # 0: empty
    float weight

cdef struct Table:
    const Slot* slots
    uint64_t mask

cdef extern from * nogil:
    """
    #define syntagma_prefetch(p) __builtin_prefetch(p)
    """
    void prefetch "syntagma_prefetch"(const void* p)

cdef inline uint32_t fingerprint(uint64_t key) noexcept nogil:
    cdef uint32_t high = <uint32_t>(key >> 32)
    return high if high else 1

cdef inline double sum_weights(const Table* table, const uint64_t* keys, int count) noexcept nogil:
    """The summed weight of the features. All slots are fetched ahead before the first is read."""
    cdef int i
    cdef uint64_t at
    cdef uint32_t wanted
    cdef double total = 0.0
    for i in range(count):
        prefetch(table.slots + (keys[i] & table.mask))
    for i in range(count):
        at = keys[i] & table.mask
        wanted = fingerprint(keys[i])
        while table.slots[at].fingerprint:
            if table.slots[at].fingerprint == wanted:
                total += table.slots[at].weight
                break
            at = (at + 1) & table.mask
    return total

cdef class Weights:
    cdef Table table
    cdef object _array
