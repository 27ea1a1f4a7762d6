"""Types and entry points of feature extraction."""

from libc.stdint cimport int8_t, int16_t, uint64_t
from libcpp.vector cimport vector

from syntagma.core.state cimport Action, State, Task
from syntagma.core.weights cimport MEMO_SIZE, Memo, Table

cdef enum:
    MAX_ATOMS = 6
    MAX_TEMPLATES = 320
    MAX_KEYS = 2048
    FAMILIES = 16               # families remembered per state
    MAX_RELATED = 16            # ancestors X per candidate, siblings Y per X

cdef struct Template:
    uint64_t seed
    int8_t n_state              # atoms of the state come first and are hashed once per state
    int8_t n_atoms
    int8_t atoms[MAX_ATOMS]

cdef struct TemplateSet:
    # Templates sorted by scope; scope s occupies [bounds[s], bounds[s + 1]).
    bint atomic                 # SHIFT-word-tag is one action (l15)
    int bounds[7]
    Template templates[MAX_TEMPLATES]

cdef struct Family:
    # The given dependents of a head: how many are unplaced, and how often each label and tag
    # (number modulo 64) occurs among the placed (0) and the unplaced (1).
    int head
    int unplaced
    uint64_t sets[2][2]         # [label or tag][side]
    int16_t counts[2][2][64]

cdef struct Extractor:
    const Task* task
    const TemplateSet* set
    const Table* table          # weights are summed if it is not NULL ...
    vector[uint64_t]* collected  # ... features collected if this is not NULL
    double total
    int count
    uint64_t atoms[128]
    Family families[FAMILIES]   # by head modulo FAMILIES
    uint64_t prefix[MAX_TEMPLATES]
    uint64_t keys[MAX_KEYS]
    float values[MAX_KEYS]
    int missing[MAX_KEYS]
    Memo memo[MEMO_SIZE]

cdef void read_state(Extractor* x, const State* state) noexcept nogil
cdef double shift_base(Extractor* x) noexcept nogil
cdef double score_shift(Extractor* x, const State* state, int word, int tag) noexcept nogil
cdef double score_arc(Extractor* x, const State* state, int kind, int label) noexcept nogil

cdef class Templates:
    cdef TemplateSet set
    cdef readonly tuple texts
