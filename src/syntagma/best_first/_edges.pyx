"""Building edges, for any grammar. The two grammars: `_dependency_edges`, `_ccg_edges`; the search
over edges: `_search`.

Interchangeable words (same form, same constraints) count as one word that can be used several
times: an edge with k of them has the bits of the first k. So the same phrase is not built again
from other copies of its words.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from syntagma.transition._state cimport NONE, SearchTask, meet
from syntagma.language_model._ngrams cimport Context, NGrams, NGramScorer, forget
from syntagma.features._sparse cimport (
    TemplateTable, Weights, finish, fold, instantiate_all, word_key,
)


cdef extern from "compiler.h" nogil:
    int count_bits(uint64_t x)


LEAF_RULE = LEAF    # for Python, so that no number is defined twice

FLUENCY_SCOPES = ("junction", "limits")
FLUENCY_ATOMS = ("gain", "start", "end")
assert len(FLUENCY_SCOPES) == FLUENCY_SCOPES_COUNT
assert len(FLUENCY_ATOMS) == FLUENCY_ATOMS_COUNT


cdef uint64_t leaf_hash(int leader, int tag, int label) noexcept nogil:
    return fold(fold(fold(0x51ED270B, leader + 2), tag + 2), label + 2)


cdef uint64_t join_hash(uint64_t left, uint64_t right, int rule, int label) noexcept nogil:
    return fold(fold(fold(fold(left, 1), right), rule + 2), label + 2)


cdef uint64_t normalized(int number) noexcept nogil:
    """NORM of ZC15 Table 2."""
    if number <= 5:
        return number
    return 6 if number <= 10 else 7 if number <= 20 else 8 if number <= 40 else 9


cdef uint64_t interval(double gain) noexcept nogil:
    """The interval of a gain of the language model: half a nat each from -4 to 8."""
    cdef double place = (gain + 4.0) / 0.5
    return 1 if place < 0.0 else 26 if place >= 24.0 else 2 + <int>place


cdef class Junctions(NGramScorer):
    """What a language model says about two phrases side by side: language model scores of edges, as
    Zhang, Blackwood and Clark (2012) use them.

    The gain of a junction is log P(right | left) - log P(right): how much likelier the first words
    of the right phrase are after the last words of the left one. The sum of the gains of all
    junctions of a phrase is its log-probability, less that of its words one by one. So a phrase can
    be compared with its parts, and all orders of the same words with each other.

    Units are the forms of a scorer, in all forms that the words of a problem may take.
    """

    def __init__(self, NGrams model, units, alternatives=None):
        NGramScorer.__init__(self, model, units, [], 0.0, alternatives)

    cdef double gain(
        self, const int32_t* left, int n_left, const int32_t* right, int n_right
    ) noexcept nogil:
        """`left` are the last units of the left phrase, from its end; `right` the first of the
        right one."""
        cdef Context context
        self.read(&context, left, n_left)
        return self.gain_after(&context, right, n_right)

    cdef double start_gain(self, const int32_t* units, int n) noexcept nogil:
        """The gain of the first units of a sentence after its start."""
        cdef Context context
        self.begin(&context)
        return self.gain_after(&context, units, n)

    cdef double end_gain(self, const int32_t* units, int n) noexcept nogil:
        """The gain of the end of a sentence after its last units, which are listed from its end."""
        cdef Context context, nothing
        self.read(&context, units, n)
        forget(&nothing)
        return self.end(&context) - self.end(&nothing)

    cdef double gain_after(self, Context* context, const int32_t* units, int n) noexcept nogil:
        cdef Context alone
        cdef int i
        cdef double total = 0.0
        forget(&alone)
        alone.begun = 1
        for i in range(n):
            total = self.add_words(context, units[i], total)
            total = -self.add_words(&alone, units[i], -total)
        return total

    cdef void read(self, Context* context, const int32_t* units, int n) noexcept nogil:
        """The context after units that are listed from the end."""
        cdef int i, j
        forget(context)
        context.begun = 1
        for i in range(n - 1, -1, -1):
            for j in range(self.starts[2 * units[i] + 1], self.starts[2 * units[i] + 2]):
                self.model.extend(context, self.numbers[j])


cdef class Edges:
    """The edges over one problem, and how more are built. Subclasses are grammars."""

    def __cinit__(self, SearchTask problem, TemplateTable templates, *_):
        cdef int i, j, leader
        self.problem = problem
        self.task = &problem.task
        self.templates = templates
        self.set = &templates.set
        self.sum = <Sum*>calloc(1, sizeof(Sum))
        if not self.sum:
            raise MemoryError()
        for i in range(self.task.n):
            j = self.task.words[i].twin
            leader = i if j == NONE else self.leaders[j]
            self.leaders.push_back(leader)
            if j == leader:
                self.repeated.push_back(leader)
            self._add_unit(
                self.task.words[i].form, self.task.words[i].shape, self.task.words[i].suffix,
                self.task.words[i].kind,
            )
        self.scratch.resize(self.task.blocks)
        self.members.assign(self.repeated.size() * self.task.blocks, 0)
        for i in range(self.task.n):
            for j in range(<int>self.repeated.size()):
                if self.leaders[i] == self.repeated[j]:
                    self.members[j * self.task.blocks + (i >> 6)] |= <uint64_t>1 << (i & 63)

    def __dealloc__(self):
        free(self.sum)

    def _add_unit(self, int form, int shape, int suffix, int kind):
        self.unit_atoms.push_back(word_key(form, shape, suffix))
        self.unit_kinds.push_back(kind)

    def use(self, Weights weights):
        """Score edges with these weights."""
        self.weights = weights
        self.sum.table = &weights.table
        memset(self.sum.memo, 0, sizeof(self.sum.memo))

    def use_language_model(self, Junctions junctions, TemplateTable templates):
        """Let junctions of phrases have features of the language model."""
        self.junctions = junctions
        self.fluency = templates

    cdef int add_leaf(self, int word, int tag, int label) except -1 nogil:
        """Add a leaf edge; return its number."""
        cdef Edge edge
        cdef int i, number = self.items.size()
        memset(&edge, 0, sizeof(Edge))
        edge.size = edge.words = 1
        edge.left = edge.right = NONE
        edge.rule = LEAF
        edge.label = label
        edge.head = edge.first[0] = edge.last[0] = number
        for i in range(1, ENDS):
            edge.first[i] = edge.last[i] = NONE
        edge.hash = leaf_hash(word, tag, label)
        edge.word = word
        edge.tag = tag
        edge.unit = word if self.first_units.empty() else self.first_units[word] + label
        edge.l = edge.l2 = edge.r = edge.r2 = edge.before = edge.after = NONE
        self.items.push_back(edge)
        self.covered.resize(self.items.size() * self.task.blocks, 0)
        self.covered[number * self.task.blocks + (word >> 6)] |= <uint64_t>1 << (word & 63)
        if self.task.predecessors != NULL:
            for i in range(self.task.blocks):
                self.preceding.push_back(self.task.predecessors[word * self.task.blocks + i])
        self.note(number)
        self.extract(&self.items[number])
        self.items[number].score = finish(self.sum)
        return number

    cdef void compose(self, const Proposal* by, Edge* edge) noexcept nogil:
        """Fill in the proposed edge; its score is the proposal's."""
        cdef const Edge* left = &self.items[by.left]
        cdef const Edge* right
        cdef int i
        edge.score = by.score
        edge.left = by.left
        edge.right = by.right
        edge.rule = by.rule
        edge.label = by.label
        edge.word = edge.tag = edge.unit = NONE
        if by.right == NONE:
            edge.size = left.size + 1
            edge.words = left.words
            edge.head = left.head
            for i in range(ENDS):
                edge.first[i] = left.first[i]
                edge.last[i] = left.last[i]
            edge.hash = join_hash(left.hash, 0, by.rule, by.label)
        else:
            right = &self.items[by.right]
            edge.size = left.size + right.size + 1
            edge.words = left.words + right.words
            for i in range(ENDS):
                edge.first[i] = left.first[i] if i < left.words else right.first[i - left.words]
                edge.last[i] = right.last[i] if i < right.words else left.last[i - right.words]
            edge.hash = join_hash(left.hash, right.hash, by.rule, by.label)
        self.complete(edge)

    cdef int build(self, const Proposal* by) except -1 nogil:
        """Build the proposed edge, unless it is a leaf; return its number."""
        cdef Edge edge
        cdef int i, blocks = self.task.blocks, number = self.items.size()
        cdef uint64_t* both
        if by.rule == LEAF:
            return by.left
        self.compose(by, &edge)
        self.items.push_back(edge)
        self.covered.resize((number + 1) * blocks)
        both = &self.covered[number * blocks]
        if by.right == NONE:
            for i in range(blocks):
                both[i] = self.covered[by.left * blocks + i]
        else:
            self.unite(&self.covered[by.left * blocks], &self.covered[by.right * blocks], both)
        if self.task.predecessors != NULL:
            self.preceding.resize((number + 1) * blocks)
            for i in range(blocks):
                self.preceding[number * blocks + i] = self.preceding[by.left * blocks + i] | (
                    self.preceding[by.right * blocks + i] if by.right != NONE else 0
                )
        self.note(number)
        return number

    cdef bint unite(
        self, const uint64_t* left, const uint64_t* right, uint64_t* union
    ) noexcept nogil:
        """The words of two edges together; False if they use a word more often than it occurs."""
        cdef int i, j, blocks = self.task.blocks, copies
        cdef const uint64_t* members
        cdef uint64_t rest
        cdef bint apart = True
        for i in range(blocks):
            union[i] = left[i] | right[i]
            apart = apart and not (left[i] & right[i])
        if apart:
            return True
        for j in range(<int>self.repeated.size()):
            members = &self.members[j * blocks]
            copies = 0
            for i in range(blocks):
                copies += count_bits(left[i] & members[i]) + count_bits(right[i] & members[i])
            for i in range(blocks):
                rest = members[i]
                while rest and copies:
                    union[i] |= rest & -rest
                    rest &= rest - 1
                    copies -= 1
            if copies:
                return False
        # Both may hold a word if it is repeated.
        for i in range(blocks):
            rest = left[i] & right[i]
            for j in range(<int>self.repeated.size()):
                rest &= ~self.members[j * blocks + i]
            if rest:
                return False
        return True

    cdef bint can_join(self, int a, int b) noexcept nogil:
        """Whether the two edges together use no word more often than it occurs."""
        cdef int blocks = self.task.blocks
        return self.unite(
            &self.covered[a * blocks], &self.covered[b * blocks], &self.scratch[0]
        )

    cdef bint may_precede(self, int left, int right) noexcept nogil:
        """Whether no order constraint puts a word of the right edge before one of the left edge."""
        cdef int blocks = self.task.blocks
        if self.task.predecessors == NULL:
            return True
        return not meet(&self.preceding[left * blocks], &self.covered[right * blocks], blocks)

    cdef int propose(
        self, int left, int right, int rule, int label, double own
    ) except -1 nogil:
        """Add a proposal; `own` is the score of its own features, without those of its parts."""
        cdef double score = own + self.items[left].score
        if right != NONE:
            score += self.items[right].score
        self.proposals.push_back(Proposal(left, right, rule, label, score))
        return 0

    cdef void extract_fluency(self, const Edge* edge) noexcept nogil:
        """Features of the language model, if there is one: of the junction of the edge's parts and,
        if it has all words, of where the sentence begins and ends."""
        cdef uint64_t atoms[FLUENCY_ATOMS_COUNT]
        cdef int32_t left[ENDS]
        cdef int32_t right[ENDS]
        cdef int n_left, n_right
        if self.junctions is None or edge.rule != LEAF and edge.right == NONE:
            return
        if edge.right != NONE:
            n_left = self.list_units(self.items[edge.left].last, left)
            n_right = self.list_units(self.items[edge.right].first, right)
            atoms[GAIN] = interval(self.junctions.gain(left, n_left, right, n_right))
            instantiate_all(&self.fluency.set, JUNCTION, atoms, self.sum)
        if edge.words == self.task.n:
            n_left = self.list_units(edge.last, left)
            n_right = self.list_units(edge.first, right)
            atoms[START_GAIN] = interval(self.junctions.start_gain(right, n_right))
            atoms[END_GAIN] = interval(self.junctions.end_gain(left, n_left))
            instantiate_all(&self.fluency.set, LIMITS, atoms, self.sum)

    cdef int list_units(self, const int32_t* leaves, int32_t* units) noexcept nogil:
        """The units at an end of an edge; how many they are."""
        cdef int i
        for i in range(ENDS):
            if leaves[i] == NONE:
                return i
            units[i] = self.items[leaves[i]].unit
        return ENDS

    cdef int add_leaves(self) except -1 nogil:
        """Add the leaf edges; of interchangeable words, only those of the first."""
        return 0

    cdef int propose_unary(self, int edge) except -1 nogil:
        """Propose every edge built from one phrase."""
        return 0

    cdef int propose_binary(self, int left, int right) except -1 nogil:
        """Propose every edge that joins two adjacent phrases."""
        return 0

    cdef void complete(self, Edge* edge) noexcept nogil:
        """Fill in the fields of an edge that depend on the grammar."""
        pass

    cdef int note(self, int edge) except -1 nogil:
        """Record what the grammar needs to know of a new edge beyond its fields."""
        return 0

    cdef void extract(self, const Edge* edge) noexcept nogil:
        """Add the features φ of the edge's last action to the sum."""
        pass

    cdef uint64_t signature(self, int edge) noexcept nogil:
        """The DP signature: of edges with equal signatures only the best is kept; 0: no pruning."""
        return 0

    cdef bint is_goal(self, const Edge* edge) noexcept nogil:
        """Whether the edge is a complete result."""
        return edge.words == self.task.n
