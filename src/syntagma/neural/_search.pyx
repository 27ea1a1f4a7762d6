"""The slot-based action scorer of the neural model, and the search with it.

An address names a word of a state, or of a word that may be shifted in it. The encoder
(neural_model.py) has turned every word into a vector and multiplied it with a matrix for each
slot, that is, for each place where an address is read; what is left to do for a candidate is a
few additions, one rectifier and one dot product:

    shift   u · max(0, Σ state slots + Σ candidate slots + sets + counts) + Σ pairs
    arcs    v · max(0, Σ arc slots) + bias + pair of S1 and S0

Scores are log-probabilities over the legal actions of the state; a move without alternative
costs nothing. Which slots and pairs there are is data (slots.py); what each name means is here.
"""

from libc.math cimport exp, log
from libc.stdint cimport int16_t, int32_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp.string cimport string
from libcpp.vector cimport vector

import numpy as np

from syntagma.transition._search cimport Search
from syntagma.transition._state cimport (
    LEFTARC, NONE, RIGHTARC, ROOT, SHIFT, Action, SearchTask, Node, State, Task, Word, apply,
    has, inner_above_top, legal_leftarc, legal_rightarc, legal_shifts, lowest_bit,
    mirror, reference_actions,
)
from syntagma.neural._vectors cimport LANES, add_rows, add_scaled, rectified_dot

cdef enum:
    S0, S1, S2, S3, S0L, S0L2, S0R, S0R2, S1L, S1R, W0, W1, W2, S0H, INNER

# S0h: the given head of S0. inner: the word that must dominate what comes next (state.pyx).
STATE_ADDRESSES = (
    "S0", "S1", "S2", "S3", "S0l", "S0l2", "S0r", "S0r2", "S1l", "S1r", "w0", "w-1", "w-2",
    "S0h", "inner",
)

cdef enum:
    L, LH, A, AH, AP, B

# L: the word to be shifted. A: the ancestor of L, or L itself, whose family has been begun.
# Ap: the member of A's family that was placed last. B: the dependent of A above L.
# h: the given head.
CANDIDATE_ADDRESSES = ("L", "Lh", "A", "Ah", "Ap", "B")

cdef enum:
    UNPLACED, FAMILY, DEPENDENTS, PATH

# Not yet placed: all words; A's head and its other dependents; dependents of L. The path is what
# lies between L and A. Vectors of a path are added up, those of the other sets averaged.
SET_NAMES = ("unplaced", "family", "dependents", "path")

cdef enum:
    REST, FAMILY_SIZE, DEPENDENTS_SIZE, DEPTH, SIDE

COUNT_NAMES = ("rest", "family", "dependents", "depth", "side")
COUNT_BUCKETS = BUCKETS
VECTOR_MULTIPLE = LANES

cdef enum:
    # What the second address of a pair is.
    OF_STATE, OF_CANDIDATE, OF_SET


cdef inline int bucket(int count) noexcept nogil:
    if count < 5:
        return count
    return 5 if count < 8 else 6 if count < 15 else 7


cdef inline int present(const Task* task, int word) noexcept nogil:
    """The row of a word that may be missing."""
    return task.n if word < 0 else word


cdef void state_addresses(const Task* task, const State* state, int32_t* out) noexcept nogil:
    """Rows of words: n stands for nothing, n + 1 for what is before the first word."""
    cdef const Node* top
    cdef int i
    for i in range(N_STATE):
        out[i] = task.n
    out[W0] = task.n + 1 if state.w0 < 0 else state.w0
    out[W1] = task.n + 1 if state.w1 < 0 else state.w1
    out[W2] = task.n + 1 if state.w2 < 0 else state.w2
    if state.size == 0:
        return
    top = state.stack + state.size - 1
    for i in range(min(state.size, 4)):
        out[S0 + i] = (top - i).word
    out[S0L] = present(task, top.l)
    out[S0L2] = present(task, top.l2)
    out[S0R] = present(task, top.r)
    out[S0R2] = present(task, top.r2)
    out[S0H] = present(task, task.words[top.word].head)
    out[INNER] = present(task, inner_above_top(task, state))
    if state.size > 1:
        out[S1L] = present(task, (top - 1).l)
        out[S1R] = present(task, (top - 1).r)


cdef int unplaced_dependents(
    const Task* task, const State* state, int head, int but, int32_t* out
) noexcept nogil:
    cdef int i, child, count = 0
    cdef const Word* family = &task.words[head]
    for i in range(family.children_start, family.children_start + family.children_count):
        child = task.children[i]
        if child != but and has(state.buffer, child):
            out[count] = child
            count += 1
    return count


cdef void look(const Task* task, const State* state, int word, View* view) noexcept nogil:
    """Resolve the addresses of a candidate, and its sets but the family."""
    cdef int a = word, below = task.n, head, top_head = NONE
    cdef const Node* top = NULL
    if state.size:
        top = state.stack + state.size - 1
        top_head = task.words[top.word].head
    view.n_path = view.depth = 0
    while True:
        head = task.words[a].head
        if head < 0 or head == top_head or not has(state.buffer, head):
            break
        if view.depth:
            view.path[view.n_path] = a
            view.n_path += 1
        below = a
        a = head
        view.depth += 1
    view.at[L] = word
    view.at[LH] = present(task, task.words[word].head)
    view.at[A] = a
    view.at[AH] = present(task, head)
    view.at[AP] = task.n
    view.at[B] = below
    if head >= 0 and top != NULL:
        if head == top_head and has(state.buffer, head):
            view.at[AP] = top.word
        elif head == top.word:
            view.at[AP] = top.r if top.n_right else task.n + 1
    view.n_dependents = unplaced_dependents(task, state, word, NONE, view.dependents)
    head = task.words[word].head
    view.side = 0 if head == NONE else 1 if head == ROOT else 2 + has(state.buffer, head)


cdef void find_family(const Task* task, const State* state, View* view) noexcept nogil:
    """What is unplaced of A's head and its other dependents."""
    cdef int head = view.at[AH]
    view.n_family = 0
    if head < task.n:
        view.n_family = unplaced_dependents(task, state, head, view.at[A], view.family)
        if has(state.buffer, head):
            view.family[view.n_family] = head
            view.n_family += 1


cdef int find_unplaced(const Task* task, const State* state, int32_t* out) noexcept nogil:
    cdef int i, count = 0
    cdef uint64_t rest
    for i in range(task.blocks):
        rest = state.buffer[i]
        while rest:
            out[count] = i * 64 + lowest_bit(rest)
            count += 1
            rest &= rest - 1
    return count


cdef class ActionScorer:
    """A slot table and the weights behind it.

    `state`, `arc`, `candidate`, `sets` name the slots; `pairs` are (candidate address, address or
    set), each with a table of scores.
    """

    def __init__(
        self, state, arc, candidate, sets, pairs, counts, shift_out, arc_out, arc_bias
    ):
        cdef const float[:, :, ::1] counts_ = counts
        cdef const float[::1] shift_out_ = shift_out, arc_bias_ = arc_bias
        cdef const float[:, ::1] arc_out_ = arc_out
        cdef Pair pair
        if counts.shape[:2] != (N_COUNTS, BUCKETS) or arc_out.shape[0] != 2 or len(arc_bias) != 2:
            raise ValueError("the weights of the action scorer have another shape than its slots")
        self.hidden = counts_.shape[2]
        self.arc_hidden = arc_out_.shape[1]
        if self.hidden % LANES or self.arc_hidden % LANES or len(shift_out) != self.hidden:
            raise ValueError(f"hidden layers must hold a multiple of {LANES} units")
        if not arc:
            raise ValueError("an arc must be scored by at least one slot")
        self.state = numbers(state, STATE_ADDRESSES)
        self.arc = numbers(arc, STATE_ADDRESSES)
        self.candidate = numbers(candidate, CANDIDATE_ADDRESSES)
        self.sets = numbers(sets, SET_NAMES)
        first = (len(state) * self.hidden + len(arc) * self.arc_hidden)
        for i, name in enumerate(CANDIDATE_ADDRESSES):
            at = candidate.index(name) if name in candidate else -1
            self.candidate_column[i] = -1 if at < 0 else first + at * self.hidden
        first += len(candidate) * self.hidden
        for i, name in enumerate(SET_NAMES):
            at = sets.index(name) if name in sets else -1
            self.set_column[i] = -1 if at < 0 else first + at * self.hidden
        self.columns = first + len(sets) * self.hidden
        self.n_pairs = len(pairs)
        self.outlook = -1
        if len(set(pairs)) < len(pairs):
            raise ValueError("a pair is listed twice")
        for table, (left, right) in enumerate(pairs):
            pair.table = table
            pair.first = number(left, CANDIDATE_ADDRESSES)
            if right == "unplaced":
                if left != "L":
                    raise ValueError("only L can be paired with the unplaced words")
                self.outlook = table
                continue
            if right in STATE_ADDRESSES:
                pair.kind, pair.second = OF_STATE, number(right, STATE_ADDRESSES)
            elif right in CANDIDATE_ADDRESSES:
                pair.kind, pair.second = OF_CANDIDATE, number(right, CANDIDATE_ADDRESSES)
            elif (left, right) in (("A", "family"), ("L", "dependents")):
                pair.kind, pair.second = OF_SET, number(right, SET_NAMES)
            else:
                raise ValueError(f"there is no pair of {left!r} and {right!r}")
            if left == "A" and right not in ("L", "Lh", "B"):
                self.family_pairs.push_back(pair)
            else:
                self.word_pairs.push_back(pair)
        self.counts = &counts_[0, 0, 0]
        self.shift_out = &shift_out_[0]
        self.arc_out = &arc_out_[0, 0]
        self.arc_bias = &arc_bias_[0]
        self._arrays = (counts, shift_out, arc_out, arc_bias)


def number(name, names):
    if name not in names:
        raise ValueError(f"there is no address {name!r}; there are {', '.join(names)}")
    return names.index(name)


def numbers(chosen, names):
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"a slot is listed twice in {', '.join(chosen)}")
    return [number(name, names) for name in chosen]


cdef class NeuralSearch(Search):
    """A search whose candidates an ActionScorer scores.

    `rows` holds for each word, then for nothing and for the start, its part in every slot;
    `pairs` the tables of the pairs, then those of LEFTARC and RIGHTARC.
    """

    def __cinit__(self, SearchTask problem, int width, ActionScorer scorer, rows, pairs):
        cdef const float[:, ::1] rows_ = rows
        cdef const float[:, :, ::1] pairs_ = pairs
        cdef int n = self.task.n, size = scorer.hidden, word, head
        if rows_.shape[0] != n + 2 or rows_.shape[1] != scorer.columns:
            raise ValueError("there must be a row for each word, for nothing and for the start")
        if pairs.shape != (scorer.n_pairs + 2, n + 2, n + 2):
            raise ValueError("there must be a table for each pair and for both arcs")
        self.scorer = scorer
        self.rows = &rows_[0, 0]
        self.pairs = &pairs_[0, 0, 0]
        self._arrays = (rows, pairs)
        self.unfixed = self.task[0]
        self.unfixed.fixed = NULL
        self.base.resize(size)
        self.outlook.resize(n)
        self.own.resize(n * size)
        self.plain.resize(n * size)
        self.kin.resize(n * size)
        self.kin_score.resize(n)
        self.kin_of.assign(n, 0)
        self.clan.resize(n * size)
        self.clan_of.assign(n, 0)
        self.extra.resize(size)
        self.arc_hidden.resize(scorer.arc_hidden)
        self.buffers.resize(4 * n)
        self.view.family = self.buffers.data()
        self.view.dependents = self.buffers.data() + n
        self.view.path = self.buffers.data() + 2 * n
        self.unplaced = self.buffers.data() + 3 * n
        for word in range(n):
            head = present(self.task, self.task.words[word].head)
            self.add_address(L, word, &self.own[word * size])
            self.add_address(LH, head, &self.own[word * size])
            memcpy(&self.plain[word * size], &self.own[word * size], size * sizeof(float))
            self.add_address(B, n, &self.plain[word * size])
            add_scaled(&self.plain[word * size], self.count(DEPTH, 0), 1.0, size)
            add_scaled(&self.plain[word * size], self.count(DEPENDENTS_SIZE, 0), 1.0, size)

    cdef const float* row(self, int word, int column) noexcept nogil:
        return self.rows + <size_t>word * self.scorer.columns + column

    cdef const float* count(self, int which, int value) noexcept nogil:
        return self.scorer.counts + (which * BUCKETS + value) * self.scorer.hidden

    cdef const float* pair_row(self, int table, int first) noexcept nogil:
        cdef int rows = self.task.n + 2
        return self.pairs + (<size_t>table * rows + first) * rows

    cdef void add_address(self, int address, int word, float* target) noexcept nogil:
        cdef int column = self.scorer.candidate_column[address]
        if column >= 0:
            add_scaled(target, self.row(word, column), 1.0, self.scorer.hidden)

    cdef void add_set(
        self, int which, const int32_t* words, int count, float by, float* target
    ) noexcept nogil:
        cdef int i, column = self.scorer.set_column[which]
        if column >= 0:
            for i in range(count):
                add_scaled(target, self.row(words[i], column), by, self.scorer.hidden)

    cdef void read_state(self, const State* state) noexcept nogil:
        """What all SHIFTs of a state share."""
        cdef int i, j, word, count, size = self.scorer.hidden
        cdef float* base = self.base.data()
        cdef const float* rows[N_STATE]
        cdef const float* row
        self.expansion += 1
        memcpy(base, self.count(REST, bucket(self.task.n - state.shifted)), size * sizeof(float))
        for i in range(<int>self.scorer.state.size()):
            rows[i] = self.row(self.at[self.scorer.state[i]], i * size)
        add_rows(base, rows, self.scorer.state.size(), size)
        count = find_unplaced(self.task, state, self.unplaced)
        self.add_set(UNPLACED, self.unplaced, count, <float>1.0 / count, base)
        if self.scorer.outlook >= 0:
            for i in range(<int>self.words.size()):
                word = self.words[i]
                row = self.pair_row(self.scorer.outlook, word)
                self.outlook[word] = 0
                for j in range(count):
                    self.outlook[word] += row[self.unplaced[j]]
                self.outlook[word] /= count

    cdef void read_clan(self, int head) noexcept nogil:
        """Add up what is unplaced of a head and its dependents, once for all of them: the family
        of the A that the view has, and that A."""
        cdef float* clan = &self.clan[head * self.scorer.hidden]
        if self.clan_of[head] != self.expansion:
            self.clan_of[head] = self.expansion
            memset(clan, 0, self.scorer.hidden * sizeof(float))
            self.add_set(FAMILY, self.view.family, self.view.n_family, 1.0, clan)
            self.add_set(FAMILY, &self.view.at[A], 1, 1.0, clan)

    cdef void read_family(self, const State* state) noexcept nogil:
        """What all candidates below A share in this state."""
        cdef View* view = &self.view
        cdef int i, j, a = view.at[A], size = self.scorer.hidden
        cdef float* kin = &self.kin[a * size]
        cdef float score = 0
        cdef const Pair* pair
        cdef const float* row
        find_family(self.task, state, view)
        memcpy(kin, self.count(FAMILY_SIZE, bucket(view.n_family)), size * sizeof(float))
        self.add_address(A, a, kin)
        self.add_address(AH, view.at[AH], kin)
        self.add_address(AP, view.at[AP], kin)
        if view.n_family and self.scorer.set_column[FAMILY] >= 0:
            self.read_clan(view.at[AH])
            add_scaled(kin, &self.clan[view.at[AH] * size], <float>1.0 / view.n_family, size)
            self.add_set(FAMILY, &view.at[A], 1, <float>-1.0 / view.n_family, kin)
        for i in range(<int>self.scorer.family_pairs.size()):
            pair = &self.scorer.family_pairs[i]
            row = self.pair_row(pair.table, a)
            if pair.kind == OF_STATE:
                score += row[self.at[pair.second]]
            elif pair.kind == OF_CANDIDATE:
                score += row[view.at[pair.second]]
            else:
                for j in range(view.n_family):
                    score += row[view.family[j]]
        self.kin_score[a] = score
        self.kin_of[a] = self.expansion

    cdef float score_shift(self, const State* state, int word) noexcept nogil:
        cdef View* view = &self.view
        cdef int i, j, count = 4, size = self.scorer.hidden
        cdef float* extra = self.extra.data()
        cdef const float* rows[5]
        cdef const float* row
        cdef const Pair* pair
        cdef float score
        look(self.task, state, word, view)
        if self.kin_of[view.at[A]] != self.expansion:
            self.read_family(state)
        rows[0] = self.base.data()
        rows[1] = &self.kin[view.at[A] * size]
        rows[2] = self.count(SIDE, view.side)
        if view.depth == 0 and view.n_dependents == 0:
            rows[3] = &self.plain[word * size]
        else:
            rows[3] = &self.own[word * size]
            rows[4] = extra
            count = 5
            memcpy(extra, self.count(DEPTH, bucket(view.depth)), size * sizeof(float))
            add_scaled(extra, self.count(DEPENDENTS_SIZE, bucket(view.n_dependents)), 1.0, size)
            self.add_address(B, view.at[B], extra)
            self.add_set(PATH, view.path, view.n_path, 1.0, extra)
            if view.n_dependents:
                self.add_set(
                    DEPENDENTS, view.dependents, view.n_dependents,
                    <float>1.0 / view.n_dependents, extra,
                )
        score = rectified_dot(rows, count, self.scorer.shift_out, size)
        score += self.kin_score[view.at[A]]
        if self.scorer.outlook >= 0:
            score += self.outlook[word]
        for i in range(<int>self.scorer.word_pairs.size()):
            pair = &self.scorer.word_pairs[i]
            row = self.pair_row(pair.table, view.at[pair.first])
            if pair.kind == OF_STATE:
                score += row[self.at[pair.second]]
            elif pair.kind == OF_CANDIDATE:
                score += row[view.at[pair.second]]
            else:
                for j in range(view.n_dependents):
                    score += row[view.dependents[j]]
        return score

    cdef void score_arcs(self, float* out) noexcept nogil:
        """LEFTARC, RIGHTARC."""
        cdef int i, size = self.scorer.arc_hidden
        cdef int first = self.scorer.state.size() * self.scorer.hidden
        cdef const float* rows[N_STATE]
        for i in range(<int>self.scorer.arc.size()):
            rows[i] = self.row(self.at[self.scorer.arc[i]], first + i * size)
        for i in range(2):
            out[i] = self.scorer.arc_bias[i] + rectified_dot(
                rows, self.scorer.arc.size(), self.scorer.arc_out + i * size, size
            ) + self.pair_row(self.scorer.n_pairs + i, self.at[S1])[self.at[S0]]

    cdef void expand(self, State* state, int parent) noexcept nogil:
        """Where one order is asked for, its words compete with those of the other orders, too: else
        the scores of different orders could not be compared."""
        cdef int i, word
        cdef uint64_t rest
        cdef bint left = legal_leftarc(self.task, state), right = legal_rightarc(self.task, state)
        cdef float arcs[2]
        cdef double best, total
        cdef int fixed = NONE
        if self.task.fixed != NULL and state.shifted < self.task.n:
            fixed = self.task.fixed[state.shifted]
        legal_shifts(&self.unfixed, state, self.shifts)
        self.words.clear()
        self.scores.clear()
        for i in range(self.task.blocks):
            rest = self.shifts[i]
            while rest:
                self.words.push_back(i * 64 + lowest_bit(rest))
                rest &= rest - 1
        best = total = 0.0
        if <int>self.words.size() + left + right > 1:
            state_addresses(self.task, state, self.at)
            best = -1e30
            if left or right:
                self.score_arcs(arcs)
                best = max(arcs[0] if left else best, arcs[1] if right else best)
            if self.words.size():
                self.read_state(state)
                for i in range(<int>self.words.size()):
                    self.scores.push_back(self.score_shift(state, self.words[i]))
                    best = max(best, self.scores[i])
            for i in range(<int>self.scores.size()):
                total += exp(self.scores[i] - best)
            if left:
                total += exp(arcs[0] - best)
            if right:
                total += exp(arcs[1] - best)
            best += log(total)
        else:
            self.scores.assign(self.words.size(), 0.0)
            arcs[0] = arcs[1] = 0.0
        for i in range(<int>self.words.size()):
            word = self.words[i]
            if fixed == NONE or fixed == self.task.words[word].kind:
                self.add(state, parent, Action(SHIFT, word, NONE, NONE), self.scores[i] - best)
        if left:
            self.add(state, parent, Action(LEFTARC, NONE, NONE, NONE), arcs[0] - best)
        if right:
            self.add(state, parent, Action(RIGHTARC, NONE, NONE, NONE), arcs[1] - best)

    cdef void sign_words(self, const State* state, string* key) noexcept nogil:
        """The scorer does not count dependents, and knows no tags or labels but those given."""
        cdef int i
        cdef const Node* node
        cdef int16_t seen[7]
        for i in range(state.size):
            node = state.stack + i
            seen[0] = node.word
            seen[1] = node.l
            seen[2] = node.l2
            seen[3] = node.r
            seen[4] = node.r2
            seen[5] = node.inner
            seen[6] = node.n_right > 0
            key.append(<const char*>seen, sizeof(seen))

    def look_inside(self):
        """The legal actions (kind, word, tag, label) of the first state, with their scores."""
        self.candidates.clear()
        self.expand(self.current[0], 0)
        return [
            ((c.kind, c.word, c.tag, c.label), c.score - self.current[0].score)
            for c in self.candidates
        ]

    def move(self, action):
        """Apply an action to the first state."""
        apply(self.task, self.current[0], Action(action[0], action[1], action[2], action[3]))


# What is given, for the encoder

cdef enum:
    UNRELATED, SELF, SIBLING, ANCESTOR, DESCENDANT, COMPONENT, LABELLED

RELATION_NAMES = ("unrelated", "self", "sibling", "ancestor", "descendant", "component")


def describe(SearchTask problem, int n_tags, int n_labels):
    """(fields, relations): what is given of each word, and of each pair of words.

    Fields are tag and label (the last number: not given), whether the head is unknown, a word or
    the root, and how many dependents and descendants are given. A relation is one of
    RELATION_NAMES, or, after those, the label of the arc to the head, or of the arc from it.
    """
    cdef const Task* task = &problem.task
    cdef int n = task.n, i, j, k, head
    fields = np.empty((n, 5), np.int32)
    relations = np.zeros((n, n), np.int32)
    cdef int32_t[:, ::1] field = fields, relation = relations
    cdef const Word* word
    cdef const uint64_t* below
    cdef int n_arcs = n_labels + 2
    with nogil:
        for i in range(n):
            word = &task.words[i]
            field[i, 0] = n_tags + 1 if word.tag == NONE else word.tag
            field[i, 1] = n_labels + 1 if word.label == NONE else word.label
            field[i, 2] = 0 if word.head == NONE else 2 if word.head == ROOT else 1
            field[i, 3] = bucket(word.children_count)
            below = task.descendants + i * task.blocks
            k = 0
            for j in range(n):
                if has(below, j):
                    k += j != i
                    relation[j, i] = ANCESTOR
                    relation[i, j] = DESCENDANT
            field[i, 4] = bucket(k)
        for i in range(n):
            head = task.words[i].head
            for j in range(n):
                if i == j:
                    relation[i, j] = SELF
                elif head >= 0 and task.words[j].head == head:
                    relation[i, j] = SIBLING
                elif relation[i, j] == UNRELATED and task.words[i].top == task.words[j].top:
                    relation[i, j] = COMPONENT
            if head >= 0:
                relation[i, head] = LABELLED + field[i, 1]
                relation[head, i] = LABELLED + n_arcs + field[i, 1]
    return fields, relations


# Training

def trace(SearchTask problem, order, heads, backward=False):
    """What the scorer sees along the canonical derivation, as arrays of word numbers; or, backward,
    along that of the sentence read from right to left.

    Steps without alternative are left out. A step has state addresses, unplaced words, which arcs
    are legal, and the index of the chosen candidate (negative: -1 LEFTARC, -2 RIGHTARC); a
    candidate has a step, addresses, counts, and the three other sets. Sets are pairs (members,
    start of each).
    """
    cdef const Task* task = &problem.task
    cdef Search search = Search(problem, 1)
    cdef State* state = search.current[0]
    cdef vector[int32_t] order_ = order, heads_ = heads, open_
    cdef vector[Action] gold
    cdef vector[int32_t] states, arcs, chosen, steps, candidates, counts
    cdef vector[int32_t] sets[N_SETS]
    cdef vector[int32_t] starts[N_SETS]
    cdef vector[int32_t] buffers, unplaced
    cdef int32_t at[N_STATE]
    cdef View view
    cdef int i, word, n_shifts, n_steps = 0, want
    cdef bint left, right, backward_ = backward
    buffers.resize(3 * task.n)
    view.family = buffers.data()
    view.dependents = buffers.data() + task.n
    view.path = buffers.data() + 2 * task.n
    unplaced.resize(task.n)
    with nogil:
        if backward_:
            mirror(task, &order_, &heads_)
        open_.assign(task.n, NONE)
        reference_actions(task, order_.data(), heads_.data(), open_.data(), open_.data(), &gold)
        for i in range(<int>gold.size()):
            legal_shifts(task, state, search.shifts)
            left = legal_leftarc(task, state)
            right = legal_rightarc(task, state)
            n_shifts = 0
            for word in range(task.n):
                n_shifts += has(search.shifts, word)
            if n_shifts + left + right > 1:
                state_addresses(task, state, at)
                states.insert(states.end(), at, at + N_STATE)
                collect(&sets[UNPLACED], &starts[UNPLACED], unplaced.data(),
                        find_unplaced(task, state, unplaced.data()))
                want = -1 if gold[i].kind == LEFTARC else -2
                for word in range(task.n):
                    if not has(search.shifts, word):
                        continue
                    if gold[i].kind == SHIFT and gold[i].word == word:
                        want = steps.size()
                    look(task, state, word, &view)
                    find_family(task, state, &view)
                    candidates.insert(candidates.end(), view.at, view.at + N_CANDIDATE)
                    counts.push_back(bucket(task.n - state.shifted))
                    counts.push_back(bucket(view.n_family))
                    counts.push_back(bucket(view.n_dependents))
                    counts.push_back(bucket(view.depth))
                    counts.push_back(view.side)
                    collect(&sets[FAMILY], &starts[FAMILY], view.family, view.n_family)
                    collect(&sets[DEPENDENTS], &starts[DEPENDENTS], view.dependents,
                            view.n_dependents)
                    collect(&sets[PATH], &starts[PATH], view.path, view.n_path)
                    steps.push_back(n_steps)
                arcs.push_back(left)
                arcs.push_back(right)
                chosen.push_back(want)
                n_steps += 1
            apply(task, state, gold[i])
    return {
        "states": to_array(&states).reshape(-1, N_STATE),
        "arcs": to_array(&arcs).reshape(-1, 2),
        "chosen": to_array(&chosen),
        "steps": to_array(&steps),
        "candidates": to_array(&candidates).reshape(-1, N_CANDIDATE),
        "counts": to_array(&counts).reshape(-1, N_COUNTS),
        **{name: (to_array(&sets[i]), to_array(&starts[i])) for i, name in enumerate(SET_NAMES)},
    }


cdef void collect(
    vector[int32_t]* members, vector[int32_t]* starts, const int32_t* words, int count
) noexcept nogil:
    starts.push_back(members.size())
    members.insert(members.end(), words, words + count)


cdef to_array(vector[int32_t]* values):
    array = np.empty(values.size(), np.int32)
    cdef int32_t[::1] view = array
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(int32_t))
    return array
