"""Edges of the best-first search, and what a grammar tells the search about them (ZC15 §3.2, §4.2).

An edge is a phrase with its derivation. Edges are numbered in the order in which they are built;
its ends and its head are given by the leaf edges that stand there.
"""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from syntagma.transition._state cimport SearchTask, Task
from syntagma.features._templates cimport Sum, TemplateSet, TemplateTable
from syntagma.features._weights cimport Weights

cdef enum:
    LEAF = 0            # the rule of leaf edges; the grammars number their own from 1
    ENDS = 3            # how many words of each end the features may look at
    MAX_EDGE_ATOMS = 64

cdef struct Edge:
    double score                # f(e)
    int32_t size                # |e|: actions taken to build it
    int32_t words
    int32_t left, right         # what it was built from, or NONE
    int32_t rule
    int32_t label               # of the new arc, or the category
    int32_t head                # leaf edge of the head word
    int32_t first[ENDS]         # leaf edges from the left end inwards, or NONE
    int32_t last[ENDS]          # and from the right end
    uint64_t hash               # equal for equivalent edges: same string, same derivation
    int32_t word, tag           # of a leaf edge
    # The dependency grammar's view of the head word: its outermost dependents, how many there are,
    # its neighbours, how many words stand before it, and the tags on its sides.
    int32_t l, l2, r, r2
    int32_t n_left, n_right
    int32_t before, after
    int32_t place
    uint64_t tags_before, tags_after

cdef extern from * nogil:
    """
    #include <cstdint>
    // An edge that could be built. Of a leaf edge, which is there already, `left` is its number.
    struct Proposal {
        int32_t left, right, rule, label;
        double score;           // f of the edge
    };
    """
    struct Proposal:
        int32_t left, right, rule, label
        double score

cdef class Grammar:
    cdef readonly SearchTask problem
    cdef const Task* task
    cdef const TemplateSet* set
    cdef TemplateTable templates
    cdef Weights weights
    cdef Sum* sum
    cdef uint64_t atoms[MAX_EDGE_ATOMS]
    cdef vector[Edge] edges
    cdef vector[uint64_t] covered       # bit set of the words of each edge
    cdef vector[uint64_t] preceding     # bit set of what must precede some word of each edge
    cdef vector[Proposal] proposals
    cdef vector[int32_t] leaders        # the first of the words that each is interchangeable with
    cdef vector[int32_t] repeated       # leaders that stand for several words
    cdef vector[uint64_t] members       # bit set of the words of each of those
    cdef vector[uint64_t] scratch

    cdef int add_leaf(self, int word, int tag, int label) noexcept nogil
    cdef void compose(self, const Proposal* by, Edge* edge) noexcept nogil
    cdef int build(self, const Proposal* by) noexcept nogil
    cdef bint unite(
        self, const uint64_t* left, const uint64_t* right, uint64_t* union
    ) noexcept nogil
    cdef bint can_join(self, int a, int b) noexcept nogil
    cdef bint may_precede(self, int left, int right) noexcept nogil
    cdef void propose(
        self, int left, int right, int rule, int label, double own
    ) noexcept nogil
    cdef uint64_t word_atom(self, int leaf) noexcept nogil
    cdef uint64_t tag_atom(self, int leaf) noexcept nogil

    # What a grammar defines.
    cdef void lay_leaves(self) noexcept nogil
    cdef void propose_unary(self, int edge) noexcept nogil
    cdef void propose_binary(self, int left, int right) noexcept nogil
    cdef void complete(self, Edge* edge) noexcept nogil
    cdef void extract(self, const Edge* edge) noexcept nogil
    cdef uint64_t signature(self, int edge) noexcept nogil
    cdef bint is_goal(self, const Edge* edge) noexcept nogil

cdef uint64_t leaf_hash(int leader, int tag, int label) noexcept nogil
cdef uint64_t join_hash(uint64_t left, uint64_t right, int rule, int label) noexcept nogil
cdef uint64_t normalized(int number) noexcept nogil
