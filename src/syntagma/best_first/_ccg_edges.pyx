"""Edges of the CCG grammar (ZC15 §3): phrases are joined by the rules of a grammar that was
extracted from derivations (`ccg_grammar`).

Rules are numbered from 1, binary rules first. A binary rule says which child is the head. The
atoms of the features of Table 1 are computed here; the templates are in `templates`.
"""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from syntagma.best_first._edges cimport LEAF, MAX_EDGE_ATOMS, Edge, Edges, Proposal
from syntagma.transition._state cimport NONE, SearchTask
from syntagma.features._sparse cimport TemplateTable, finish, fold, instantiate_all

cdef enum:
    EDGE, PHRASE, BINARY, UNARY

CCG_SCOPES = ("edge", "phrase", "binary", "unary")

# Atoms, in the order of CCG_ATOMS below.
cdef enum:
    C, SIZE, Hw, Hp
    Lw, Lp, L2p, Rw, R2p, Rp
    RULE, Nw
    B2w, B2p, B2c, B1w, B1p, B1c, B0w, B0p, B0c, BNw, BNp, BNc
    ATOMS

CCG_ATOMS = (
    "c", "size", "hw", "hp",
    "lw", "lp", "l2p", "rw", "r2p", "rp",
    "rule", "nw",
    "B-2w", "B-2p", "B-2c", "B-1w", "B-1p", "B-1c", "Bw", "Bp", "Bc", "B+1w", "B+1p", "B+1c",
)
assert len(CCG_ATOMS) == ATOMS <= MAX_EDGE_ATOMS
assert len(CCG_SCOPES) == UNARY + 1


cdef class CcgRules:
    """The rules of a `CcgGrammar`, by their left categories."""

    cdef int n_binary
    cdef bint chains
    cdef const int32_t* binary
    cdef const int32_t* unary
    cdef object _arrays
    cdef vector[int32_t] binary_start   # for each left category, its first row
    cdef vector[int32_t] unary_start

    def __init__(self, grammar):
        cdef int32_t[:, ::1] joins = grammar.binary
        cdef int32_t[:, ::1] changes = grammar.unary
        cdef int i, categories = len(grammar.categories)
        self.n_binary = joins.shape[0]
        self.chains = grammar.chains
        self._arrays = (grammar.binary, grammar.unary)
        self.binary = &joins[0, 0] if joins.shape[0] else NULL
        self.unary = &changes[0, 0] if changes.shape[0] else NULL
        self.binary_start.assign(categories + 1, 0)
        self.unary_start.assign(categories + 1, 0)
        for i in range(joins.shape[0]):
            self.binary_start[joins[i, 0] + 1] += 1
        for i in range(changes.shape[0]):
            self.unary_start[changes[i, 0] + 1] += 1
        for i in range(categories):
            self.binary_start[i + 1] += self.binary_start[i]
            self.unary_start[i + 1] += self.unary_start[i]

    cdef int first_of(self, int left, int right) noexcept nogil:
        """The first row that joins the two categories, or the row where it would be inserted."""
        cdef int low = self.binary_start[left], high = self.binary_start[left + 1], middle
        while low < high:
            middle = (low + high) // 2
            if self.binary[4 * middle + 1] < right:
                low = middle + 1
            else:
                high = middle
        return low


cdef class CcgEdges(Edges):
    """CCG derivations over one problem; `leaves` has rows (word, tag, category)."""

    cdef CcgRules rules
    cdef const int32_t* leaves
    cdef int n_leaves
    cdef object _leaves

    def __init__(self, SearchTask problem, TemplateTable templates, CcgRules rules, leaves):
        cdef int32_t[:, ::1] rows = leaves
        self.rules = rules
        self.leaves = &rows[0, 0]
        self.n_leaves = rows.shape[0]
        self._leaves = leaves

    cdef int add_leaves(self) except -1 nogil:
        cdef int i
        cdef const int32_t* row
        for i in range(self.n_leaves):
            row = self.leaves + 3 * i
            if self.leaders[row[0]] == row[0]:
                self.add_leaf(row[0], row[1], row[2])
        return 0

    cdef int propose_unary(self, int edge) except -1 nogil:
        cdef int i, result, category = self.items[edge].label
        for i in range(self.rules.unary_start[category], self.rules.unary_start[category + 1]):
            result = self.rules.unary[2 * i + 1]
            if self.may_become(edge, result):
                self.propose_rule(edge, NONE, 1 + self.rules.n_binary + i, result)
        return 0

    cdef bint may_become(self, int edge, int category) noexcept nogil:
        """Whether a unary rule with this result may be applied to an edge: a chain of such rules
        must not return to one of its categories, or it could be endless."""
        if self.items[edge].rule <= self.rules.n_binary:
            return True
        if not self.rules.chains:
            return False
        while self.items[edge].rule > self.rules.n_binary:
            if self.items[edge].label == category:
                return False
            edge = self.items[edge].left
        return self.items[edge].label != category

    cdef int propose_binary(self, int left, int right) except -1 nogil:
        cdef int a = self.items[left].label, b = self.items[right].label
        cdef int i = self.rules.first_of(a, b)
        while i < self.rules.binary_start[a + 1] and self.rules.binary[4 * i + 1] == b:
            self.propose_rule(left, right, 1 + i, self.rules.binary[4 * i + 2])
            i += 1
        return 0

    cdef int propose_rule(self, int left, int right, int rule, int category) except -1 nogil:
        cdef Edge edge
        cdef Proposal by = Proposal(left, right, rule, category, 0.0)
        self.compose(&by, &edge)
        self.extract(&edge)
        return self.propose(left, right, rule, category, finish(self.sum))

    cdef void complete(self, Edge* edge) noexcept nogil:
        cdef int part = edge.left
        if edge.right != NONE and self.rules.binary[4 * (edge.rule - 1) + 3]:
            part = edge.right
        edge.head = self.items[part].head

    cdef inline void put_entry(self, int atom, int leaf) noexcept nogil:
        """Set the atom of a word and the two following ones: its tag and its category."""
        self.put_word(atom, leaf)
        self.atoms[atom + 2] = 0 if leaf == NONE else self.items[leaf].label + 1

    cdef void extract(self, const Edge* edge) noexcept nogil:
        cdef uint64_t* atoms = self.atoms
        cdef const Edge* left
        cdef const Edge* right
        cdef int other
        atoms[C] = edge.label + 1
        atoms[SIZE] = edge.words
        self.put_word(Hw, edge.head)
        instantiate_all(self.set, EDGE, atoms, self.sum)
        self.extract_fluency(edge)
        if edge.words > 1:
            self.put_word(Lw, edge.first[0])
            atoms[L2p] = self.tag_atom(edge.first[1])
            atoms[Rw] = self.word_atom(edge.last[0])
            atoms[Rp] = self.tag_atom(edge.last[0])
            atoms[R2p] = self.tag_atom(edge.last[1])
            instantiate_all(self.set, PHRASE, atoms, self.sum)
        if edge.rule == LEAF:
            return
        atoms[RULE] = edge.rule
        if edge.right == NONE:
            instantiate_all(self.set, UNARY, atoms, self.sum)
            return
        left = &self.items[edge.left]
        right = &self.items[edge.right]
        other = right.head if edge.head == left.head else left.head
        atoms[Nw] = self.word_atom(other)
        self.put_entry(B2w, left.last[1])
        self.put_entry(B1w, left.last[0])
        self.put_entry(B0w, right.first[0])
        self.put_entry(BNw, right.first[1])
        instantiate_all(self.set, BINARY, atoms, self.sum)

    cdef uint64_t leaf_key(self, int leaf) noexcept nogil:
        if leaf == NONE:
            return 1
        return fold(fold(2, self.items[leaf].word + 1), self.items[leaf].tag + 1)

    cdef uint64_t signature(self, int edge) noexcept nogil:
        """Category, head word with its tag, words, and the two words at either end with their tags
        (§3.2)."""
        cdef const Edge* e = &self.items[edge]
        cdef uint64_t key = fold(fold(3, e.label + 1), self.leaf_key(e.head))
        cdef int i
        for i in range(2):
            key = fold(fold(key, self.leaf_key(e.first[i])), self.leaf_key(e.last[i]))
        for i in range(self.task.blocks):
            key = fold(key, self.covered[edge * self.task.blocks + i])
        return key | 1
