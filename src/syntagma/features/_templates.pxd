"""Hashing of feature templates into keys, and the sum of the weights of those keys.

Atoms are computed by the users: `linear/_features` (states), `best_first/_*_edges` (edges).
"""

from libc.stdint cimport int8_t, int32_t, uint64_t
from libcpp.vector cimport vector

from syntagma.features._weights cimport MEMO_SIZE, Memo, Table, sum_weights

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

cdef class TemplateTable:
    cdef TemplateSet set
    cdef readonly tuple texts
