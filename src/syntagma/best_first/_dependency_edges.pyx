"""Edges of the dependency grammar (ZC15 §4): two phrases are joined by an arc between their heads.

A word takes its right dependents before its left ones, each side from the inside out, so that every
projective tree has exactly one derivation. Given arcs are kept: a word with a given head is only
attached to that head, and no word is attached before it has all its given dependents.

Labels that are not given are chosen arc by arc. No feature looks at a label later, so only the best
one is proposed.

Where words may take several forms, each form has leaf edges of its own (§5.7). They cover the same
word, so that no phrase can have two of them. All of them score 0: their features count as soon as
they are joined with something. Otherwise the form that is best by itself would be expanded first,
and the search would mostly end before the others.

The atoms of the features of Table 2 are computed here; the templates are in `templates`.
"""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from syntagma.best_first._edges cimport LEAF, MAX_EDGE_ATOMS, Edge, Edges, Proposal, normalized
from syntagma.transition._state cimport NONE, SearchTask, Word, lowest_bit
from syntagma.features._sparse cimport TemplateTable, finish, instantiate_all

cdef enum:
    HEAD_LEFT = 1               # the head of the left phrase takes that of the right one
    HEAD_RIGHT = 2

cdef enum:
    EDGE, ARC, BETWEEN, COMPLETED, BOUNDARY, SENTENCE, LABELLED_ARC, LABELLED_BETWEEN, FORM

DEPENDENCY_SCOPES = (
    "edge", "arc", "between", "completed", "boundary", "sentence", "labelled arc",
    "labelled between", "form",
)

# Atoms, in the order of DEPENDENCY_ATOMS below.
cdef enum:
    Hw, Hp, SIZE
    Mw, Mp, DIR, DIST, Sw, Sp, S2p, MLp, MRp, HNp, MNp
    Bp
    LABEL
    Cw, Cp, CLw, CLp, CRw, CRp, LVAL, RVAL
    B2w, B2p, B1w, B1p, B0w, B0p, BNw, BNp
    W0, P0, W1, P1, P2, E0w, E0p, E1w, E1p, E2p
    SHARE
    ATOMS

DEPENDENCY_ATOMS = (
    "hw", "hp", "size",
    "mw", "mp", "dir", "dist", "sw", "sp", "s2p", "mlp", "mrp", "hnp", "mnp",
    "bp",
    "label",
    "cw", "cp", "clw", "clp", "crw", "crp", "lval", "rval",
    "B-2w", "B-2p", "B-1w", "B-1p", "Bw", "Bp", "B+1w", "B+1p",
    "w0", "p0", "w1", "p1", "p2", "w-1", "p-1", "w-2", "p-2", "p-3",
    "share",
)
assert len(DEPENDENCY_ATOMS) == ATOMS <= MAX_EDGE_ATOMS
assert len(DEPENDENCY_SCOPES) == FORM + 1
HEAD_LEFT_RULE, HEAD_RIGHT_RULE = HEAD_LEFT, HEAD_RIGHT     # for Python


cdef class DependencyEdges(Edges):
    """Projective dependency trees over one problem.

    `label_index[side, head tag, dependent tag]` is (start, count) in `label_pool`: the labels to
    try. In training, the gold label of each word is given, too, and added to those.

    `forms` are the forms that the words may take, if there is a choice: the number of the first
    form of each word, the rows of all forms (the fields of a `FormRow`), and the tags to try.
    Without `wide_sets`, sets of tags are taken modulo 64.
    """

    cdef int n_tags
    cdef const int32_t* label_index
    cdef const int32_t* label_pool
    cdef object _arrays
    cdef vector[vector[int32_t]] gold_labels    # by leader
    cdef vector[int32_t] unit_shares, tags_start, tags_count, form_tags     # empty without a choice
    # Sets of tags have `tag_blocks` words of 64 bits. For each edge, the set of the tags before its
    # head, then that of those after it.
    cdef int tag_blocks, tag_mask
    cdef vector[uint64_t] tag_sets
    cdef vector[uint64_t] between       # tags between the two words of an arc

    def __init__(
        self, SearchTask problem, TemplateTable templates, label_index, label_pool,
        gold_labels=None, forms=None, bint wide_sets=True,
    ):
        cdef int32_t[:, :, :, ::1] index = label_index
        cdef int32_t[::1] pool = label_pool
        self.n_tags = index.shape[1]
        self.label_index = &index[0, 0, 0, 0]
        self.label_pool = &pool[0]
        self._arrays = (label_index, label_pool)
        self.gold_labels.resize(self.task.n)
        if gold_labels is not None:
            for leader, label in sorted({*zip(self.leaders, gold_labels)}):
                self.gold_labels[leader].push_back(label)
        self.tag_blocks = (self.n_tags + 63) // 64 if wide_sets else 1
        self.tag_mask = -1 if wide_sets else 63
        self.between.resize(self.tag_blocks)
        if forms is not None:
            self._use_forms(*forms)

    def _use_forms(self, first_units, rows, tags):
        self.first_units = first_units
        self.form_tags = tags
        self.unit_atoms.clear()
        self.unit_kinds.clear()
        for form, shape, suffix, kind, share, start, count in rows:
            self._add_unit(form, shape, suffix, kind)
            self.unit_shares.push_back(share)
            self.tags_start.push_back(start)
            self.tags_count.push_back(count)

    cdef int add_leaves(self) except -1 nogil:
        cdef int word, i, unit, first
        cdef const Word* w
        for word in range(self.task.n):
            if self.leaders[word] != word:
                continue
            w = &self.task.words[word]
            if self.first_units.empty():
                for i in range(w.tags_start, w.tags_start + w.tags_count):
                    self.add_leaf(word, self.task.tag_pool[i], NONE)
                continue
            for unit in range(self.first_units[word], self.first_units[word + 1]):
                first = self.tags_start[unit]
                for i in range(first, first + self.tags_count[unit]):
                    self.add_leaf(word, self.form_tags[i], unit - self.first_units[word])
        return 0

    cdef bint allowed(self, int head_edge, int dependent_edge) noexcept nogil:
        """Whether the head of one edge may take the head of the other as its dependent."""
        cdef int head = self.items[self.items[head_edge].head].word
        cdef int dependent = self.items[self.items[dependent_edge].head].word
        cdef const Word* w = &self.task.words[dependent]
        cdef int i, blocks = self.task.blocks
        if w.head != NONE and w.head != head or dependent == self.task.root:
            return False
        for i in range(blocks):
            if (self.task.dependents[dependent * blocks + i]
                    & ~self.covered[dependent_edge * blocks + i]):
                return False
        return True

    cdef int propose_binary(self, int left, int right) except -1 nogil:
        if self.items[left].n_left == 0 and self.allowed(left, right):
            self.propose_arc(left, right, HEAD_LEFT)
        if self.allowed(right, left):
            self.propose_arc(left, right, HEAD_RIGHT)
        return 0

    cdef int propose_arc(self, int left, int right, int rule) except -1 nogil:
        """Propose the arc with its given label, or with the best of those to try."""
        cdef Proposal by
        cdef Edge edge
        cdef const Edge* head = &self.items[self.items[left if rule == HEAD_LEFT else right].head]
        cdef const Edge* dependent
        cdef const int32_t* labels
        cdef int i, label, best = NONE
        cdef double base, score, best_score = 0.0
        dependent = &self.items[self.items[right if rule == HEAD_LEFT else left].head]
        by = Proposal(left, right, rule, self.task.words[dependent.word].label, 0.0)
        self.compose(&by, &edge)
        self.extract_parts(&edge)
        self.extract_phrase(&edge)
        self.extract_fluency(&edge)
        self.extract_arc(&edge)
        base = finish(self.sum)
        if by.label != NONE:
            return self.propose(left, right, rule, by.label, base + self.labelled(by.label))
        labels = self.label_index + 2 * (
            ((rule == HEAD_LEFT) * self.n_tags + head.tag) * self.n_tags + dependent.tag
        )
        for i in range(labels[0], labels[0] + labels[1]):
            score = self.labelled(self.label_pool[i])
            if best == NONE or score > best_score:
                best = self.label_pool[i]
                best_score = score
        self.propose(left, right, rule, best, base + best_score)
        for i in range(<int>self.gold_labels[dependent.word].size()):
            label = self.gold_labels[dependent.word][i]
            if label != best:
                self.propose(left, right, rule, label, base + self.labelled(label))
        return 0

    cdef double labelled(self, int label) noexcept nogil:
        """The score of the label's features, given the current atoms."""
        self.extract_label(label)
        return finish(self.sum)

    cdef void complete(self, Edge* edge) noexcept nogil:
        cdef const Edge* left = &self.items[edge.left]
        cdef const Edge* right = &self.items[edge.right]
        cdef const Edge* head = left if edge.rule == HEAD_LEFT else right
        cdef const Edge* other = right if edge.rule == HEAD_LEFT else left
        edge.head = head.head
        edge.l, edge.l2, edge.r, edge.r2 = head.l, head.l2, head.r, head.r2
        edge.n_left, edge.n_right = head.n_left, head.n_right
        edge.before, edge.after = head.before, head.after
        edge.place = head.place
        if edge.rule == HEAD_LEFT:
            edge.r2 = edge.r
            edge.r = other.head
            edge.n_right += 1
            if edge.after == NONE:
                edge.after = right.first[0]
        else:
            edge.l2 = edge.l
            edge.l = other.head
            edge.n_left += 1
            edge.place += left.words
            if edge.before == NONE:
                edge.before = left.last[0]

    cdef int note(self, int edge) except -1 nogil:
        """The sets of the tags before and after the head."""
        cdef int i, head, other, tag, own, blocks = self.tag_blocks
        cdef uint64_t* sets
        self.tag_sets.resize((edge + 1) * 2 * blocks, 0)
        if self.items[edge].rule == LEAF:
            return 0
        head, other = self.items[edge].left, self.items[edge].right
        own = edge * 2 * blocks + blocks        # where the dependent's tags are added
        if self.items[edge].rule != HEAD_LEFT:
            head, other = other, head
            own -= blocks
        sets = &self.tag_sets[0]
        for i in range(2 * blocks):
            sets[edge * 2 * blocks + i] = sets[head * 2 * blocks + i]
        for i in range(blocks):
            sets[own + i] |= sets[other * 2 * blocks + i] | sets[(other * 2 + 1) * blocks + i]
        tag = self.items[self.items[other].head].tag & self.tag_mask
        sets[own + (tag >> 6)] |= <uint64_t>1 << (tag & 63)
        return 0

    cdef void extract(self, const Edge* edge) noexcept nogil:
        if edge.rule == LEAF:
            if not self.is_open(edge):
                self.extract_phrase(edge)
            elif self.task.n == 1:
                self.extract_form(edge)
            self.extract_fluency(edge)
        else:
            self.extract_parts(edge)
            self.extract_phrase(edge)
            self.extract_fluency(edge)
            self.extract_arc(edge)
            self.extract_label(edge.label)

    cdef bint is_open(self, const Edge* leaf) noexcept nogil:
        """Whether the word has other forms than this one."""
        return not self.unit_shares.empty() and self.unit_shares[leaf.unit]

    cdef void extract_parts(self, const Edge* edge) noexcept nogil:
        """Features of forms that have not counted yet."""
        cdef const Edge* left = &self.items[edge.left]
        cdef const Edge* right = &self.items[edge.right]
        if left.rule == LEAF and self.is_open(left):
            self.extract_form(left)
        if right.rule == LEAF and self.is_open(right):
            self.extract_form(right)

    cdef void extract_form(self, const Edge* leaf) noexcept nogil:
        self.extract_phrase(leaf)
        self.atoms[SHARE] = self.unit_shares[leaf.unit]
        instantiate_all(self.set, FORM, self.atoms, self.sum)

    cdef void extract_phrase(self, const Edge* edge) noexcept nogil:
        """Features that any edge has, and those of complete sentences."""
        self.put_word(Hw, edge.head)
        self.atoms[SIZE] = normalized(edge.words)
        instantiate_all(self.set, EDGE, self.atoms, self.sum)
        if edge.words == self.task.n:
            self.extract_sentence(edge)

    cdef void extract_arc(self, const Edge* edge) noexcept nogil:
        """Features of a new arc without its label; leaves the atoms for `extract_label`."""
        cdef uint64_t* atoms = self.atoms
        cdef const Edge* left = &self.items[edge.left]
        cdef const Edge* right = &self.items[edge.right]
        cdef const Edge* dependent = right if edge.rule == HEAD_LEFT else left
        cdef const Edge* head = left if edge.rule == HEAD_LEFT else right
        cdef int i, distance, sibling, sibling2
        cdef int towards_head = left.after if left.after != NONE else right.first[0]
        cdef int towards_left = right.before if right.before != NONE else left.last[0]
        distance = left.words + right.place - left.place
        if edge.rule == HEAD_LEFT:
            sibling, sibling2 = head.r, head.r2
            atoms[DIR] = 2
            atoms[DIST] = 10 + normalized(distance)
            atoms[HNp] = self.tag_atom(towards_head)
            atoms[MNp] = self.tag_atom(towards_left)
        else:
            sibling, sibling2 = head.l, head.l2
            atoms[DIR] = 1
            atoms[DIST] = normalized(distance)
            atoms[HNp] = self.tag_atom(towards_left)
            atoms[MNp] = self.tag_atom(towards_head)
        self.put_word(Mw, dependent.head)
        self.put_word(Sw, sibling)
        atoms[S2p] = self.tag_atom(sibling2)
        atoms[MLp] = self.tag_atom(dependent.l)
        atoms[MRp] = self.tag_atom(dependent.r)
        instantiate_all(self.set, ARC, atoms, self.sum)
        for i in range(self.tag_blocks):
            self.between[i] = (
                self.tag_sets[(edge.left * 2 + 1) * self.tag_blocks + i]
                | self.tag_sets[edge.right * 2 * self.tag_blocks + i]
            )
        self.extract_between(BETWEEN)
        self.extract_completed(dependent)
        self.put_word(B2w, left.last[1])
        self.put_word(B1w, left.last[0])
        self.put_word(B0w, right.first[0])
        self.put_word(BNw, right.first[1])
        instantiate_all(self.set, BOUNDARY, atoms, self.sum)

    cdef void extract_between(self, int scope) noexcept nogil:
        """Features of each tag between the two words of an arc."""
        cdef uint64_t rest
        cdef int i
        for i in range(self.tag_blocks):
            rest = self.between[i]
            while rest:
                self.atoms[Bp] = 1 + 64 * i + lowest_bit(rest)
                rest &= rest - 1
                instantiate_all(self.set, scope, self.atoms, self.sum)

    cdef void extract_label(self, int label) noexcept nogil:
        """Features of a label of the arc that was extracted last."""
        self.atoms[LABEL] = label + 1
        instantiate_all(self.set, LABELLED_ARC, self.atoms, self.sum)
        self.extract_between(LABELLED_BETWEEN)

    cdef void extract_completed(self, const Edge* edge) noexcept nogil:
        """Features of a word that has all of its dependents."""
        self.put_word(Cw, edge.head)
        self.put_word(CLw, edge.l)
        self.put_word(CRw, edge.r)
        self.atoms[LVAL] = 1 + edge.n_left
        self.atoms[RVAL] = 1 + edge.n_right
        instantiate_all(self.set, COMPLETED, self.atoms, self.sum)

    cdef void extract_sentence(self, const Edge* edge) noexcept nogil:
        """Features of a complete sentence, including those of its root as a completed word."""
        self.extract_completed(edge)
        self.put_word(W0, edge.first[0])
        self.put_word(W1, edge.first[1])
        self.atoms[P2] = self.tag_atom(edge.first[2])
        self.put_word(E0w, edge.last[0])
        self.put_word(E1w, edge.last[1])
        self.atoms[E2p] = self.tag_atom(edge.last[2])
        instantiate_all(self.set, SENTENCE, self.atoms, self.sum)

    cdef bint is_goal(self, const Edge* edge) noexcept nogil:
        return (
            edge.words == self.task.n
            and self.task.words[self.items[edge.head].word].may_be_root
        )
