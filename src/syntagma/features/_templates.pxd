"""Feature templates hashed into keys, and the sum of the weights of those keys; what the atoms are
is the business of features.pyx (states) and of the grammars (edges)."""

from libc.stdint cimport int8_t, uint64_t
from libcpp.vector cimport vector

from syntagma.features._weights cimport MEMO_SIZE, Memo, Table, sum_weights

cdef enum:
    MAX_ATOMS = 6
    MAX_TEMPLATES = 320
    MAX_SCOPES = 8
    MAX_KEYS = 2048

cdef struct Template:
    uint64_t seed
    int8_t n_atoms
    int8_t atoms[MAX_ATOMS]     # in rising order

cdef struct TemplateSet:
    # Templates sorted by scope; scope s occupies [bounds[s], bounds[s + 1]).
    int bounds[MAX_SCOPES + 1]
    Template templates[MAX_TEMPLATES]

cdef struct Sum:
    const Table* table          # weights are summed if it is not NULL ...
    vector[uint64_t]* collected  # ... features collected if this is not NULL
    double total
    int count
    uint64_t keys[MAX_KEYS]
    float values[MAX_KEYS]
    int missing[MAX_KEYS]
    Memo memo[MEMO_SIZE]

cdef inline uint64_t fold(uint64_t key, uint64_t atom) noexcept nogil:
    key = (key + atom) * <uint64_t>0x9E3779B97F4A7C15
    return key ^ (key >> 32)

cdef inline void drain(Sum* sum) noexcept nogil:
    if sum.collected != NULL:
        sum.collected.insert(sum.collected.end(), sum.keys, sum.keys + sum.count)
    if sum.table != NULL:
        sum.total += sum_weights(
            sum.table, sum.memo, sum.keys, sum.count, sum.values, sum.missing
        )
    sum.count = 0

cdef inline void make_room(Sum* sum) noexcept nogil:
    """For as many keys as there may be templates."""
    if sum.count > MAX_KEYS - MAX_TEMPLATES:
        drain(sum)

cdef inline void add_key(Sum* sum, uint64_t key) noexcept nogil:
    sum.keys[sum.count] = key
    sum.count += 1

cdef inline double finish(Sum* sum) noexcept nogil:
    cdef double total
    drain(sum)
    total = sum.total
    sum.total = 0.0
    return total

cdef inline void instantiate_all(
    const TemplateSet* set, int scope, const uint64_t* atoms, Sum* sum
) noexcept nogil:
    """Add the features of the scope's templates, for the atoms as they stand; an atom that is 0
    silences every template that names it."""
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
