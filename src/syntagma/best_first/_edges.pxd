"""The C types of this room: edges (ZC15 §3.2, §4.2) and proposals.

An edge is a phrase with its derivation. Edges are numbered in the order in which they are built.
The words at its ends and its head word are given by the numbers of their leaf edges.
"""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from syntagma.language_model._ngrams cimport Context, NGramScorer
from syntagma.transition._state cimport NONE, SearchTask, Task
from syntagma.features._sparse cimport Sum, TemplateSet, TemplateTable, Weights

cdef enum:
    LEAF = 0            # the rule of leaf edges; each grammar numbers its own rules from 1
    ENDS = 3            # words at either end that features may look at
    MAX_EDGE_ATOMS = 64

# Scopes and atoms of the language model's features, for both grammars.
cdef enum:
    JUNCTION, LIMITS, FLUENCY_SCOPES_COUNT
cdef enum:
    GAIN, START_GAIN, END_GAIN, FLUENCY_ATOMS_COUNT

cdef struct Edge:
    double score                # f(e)
    int32_t size                # |e|: actions taken to build it
    int32_t words
    int32_t left, right         # the edges it was built from, or NONE
    int32_t rule
    int32_t label               # of the new arc, or the category
    int32_t head                # leaf edge of the head word
    int32_t first[ENDS]         # leaf edges from the left end inwards, or NONE
    int32_t last[ENDS]          # leaf edges from the right end inwards, or NONE
    uint64_t hash               # equal for equivalent edges: same string, same derivation
    int32_t word, tag           # of a leaf edge
    int32_t unit                # of a leaf edge: the word in one of its forms
    # Only for the dependency grammar, about the head word: its outermost and second outermost
    # dependents, their numbers, its neighbours, its offset in the phrase.
    int32_t l, l2, r, r2
    int32_t n_left, n_right
    int32_t before, after
    int32_t place

cdef struct Proposal:
    # An edge that can be built. Leaf edges exist already: `left` is then the edge's own number.
    int32_t left, right, rule, label
    double score                # f of the edge

cdef class Junctions(NGramScorer):
    cdef double gain(
        self, const int32_t* left, int n_left, const int32_t* right, int n_right
    ) noexcept nogil
    cdef double start_gain(self, const int32_t* units, int n) noexcept nogil
    cdef double end_gain(self, const int32_t* units, int n) noexcept nogil
    cdef double gain_after(self, Context* context, const int32_t* units, int n) noexcept nogil
    cdef void read(self, Context* context, const int32_t* units, int n) noexcept nogil

cdef class Edges:
    cdef readonly SearchTask problem
    cdef const Task* task
    cdef const TemplateSet* set
    cdef TemplateTable templates
    cdef Weights weights
    cdef Sum* sum
    cdef uint64_t atoms[MAX_EDGE_ATOMS]
    cdef vector[Edge] items             # all edges built so far, by number
    cdef vector[uint64_t] covered       # for each edge, the bit set of its words
    cdef vector[uint64_t] preceding     # for each edge, the words that must precede one of its own
    cdef vector[Proposal] proposals
    cdef vector[int32_t] leaders        # for each word, the first it is interchangeable with
    cdef vector[int32_t] repeated       # leaders of more than one word
    cdef vector[uint64_t] members       # for each of those, the bit set of its words
    cdef vector[uint64_t] scratch
    # Units are words in one of their forms. Without a choice of forms, they are the words.
    cdef vector[int32_t] first_units    # for each word, its first; empty without a choice
    cdef vector[uint64_t] unit_atoms
    cdef vector[int32_t] unit_kinds     # units of one kind are written alike
    cdef Junctions junctions            # of the language model, or None
    cdef TemplateTable fluency

    cdef int add_leaf(self, int word, int tag, int label) except -1 nogil
    cdef void compose(self, const Proposal* by, Edge* edge) noexcept nogil
    cdef int build(self, const Proposal* by) except -1 nogil
    cdef bint unite(
        self, const uint64_t* left, const uint64_t* right, uint64_t* union
    ) noexcept nogil
    cdef bint can_join(self, int a, int b) noexcept nogil
    cdef bint may_precede(self, int left, int right) noexcept nogil
    cdef int propose(
        self, int left, int right, int rule, int label, double own
    ) except -1 nogil
    cdef void extract_fluency(self, const Edge* edge) noexcept nogil
    cdef int list_units(self, const int32_t* leaves, int32_t* units) noexcept nogil
    cdef inline uint64_t word_atom(self, int leaf) noexcept nogil:
        return 0 if leaf == NONE else self.unit_atoms[self.items[leaf].unit]

    cdef inline uint64_t tag_atom(self, int leaf) noexcept nogil:
        return 0 if leaf == NONE else self.items[leaf].tag + 1

    cdef inline void put_word(self, int atom, int leaf) noexcept nogil:
        """Set the atom of a word and the following one, that of its tag."""
        self.atoms[atom] = self.word_atom(leaf)
        self.atoms[atom + 1] = self.tag_atom(leaf)

    # What each grammar overrides. Whatever may allocate memory may fail.
    cdef int add_leaves(self) except -1 nogil
    cdef int propose_unary(self, int edge) except -1 nogil
    cdef int propose_binary(self, int left, int right) except -1 nogil
    cdef void complete(self, Edge* edge) noexcept nogil
    cdef int note(self, int edge) except -1 nogil
    cdef void extract(self, const Edge* edge) noexcept nogil
    cdef uint64_t signature(self, int edge) noexcept nogil
    cdef bint is_goal(self, const Edge* edge) noexcept nogil

cdef uint64_t leaf_hash(int leader, int tag, int label) noexcept nogil
cdef uint64_t join_hash(uint64_t left, uint64_t right, int rule, int label) noexcept nogil
cdef uint64_t normalized(int number) noexcept nogil
