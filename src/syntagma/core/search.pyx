"""Beam search over the transition system (L15 Algorithm 1) and its depth-first last resort.

Which moves are legal is state.pyx's business, what they score features.pyx's.
"""

from libc.stdint cimport int16_t, int32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.core.features cimport (
    Extractor, Templates, read_state, score_arc, score_shift, shift_base,
)
from syntagma.core.state cimport (
    LEFTARC, NONE, RIGHTARC, SHIFT, Action, EncodedProblem, State, Task, Word, apply, copy_state,
    has, initial_state, lay_out, legal_leftarc, legal_rightarc, legal_shifts,
    lowest_bit, state_bytes,
)
from syntagma.core.weights cimport Weights

cdef class Scorer:
    """Templates, weights, and the labels to try for an arc.

    `label_index[kind - 1, head tag, dependent tag]` is (start, count) in `label_pool`.
    """

    def __init__(self, Templates templates, Weights weights, label_index, label_pool):
        cdef int32_t[:, :, :, ::1] index = label_index
        cdef int32_t[::1] pool = label_pool
        self.templates = templates
        self.weights = weights
        self.table = &weights.table
        self.n_tags = index.shape[1]
        self.label_index = &index[0, 0, 0, 0]
        self.label_pool = &pool[0]
        self._arrays = (label_index, label_pool)


cdef inline Action action_of(const Candidate* candidate) noexcept nogil:
    return Action(candidate.kind, candidate.word, candidate.tag, candidate.label)


cdef string state_key(const Task* task, const State* state) noexcept nogil:
    """What the legal continuations of a state depend on: stack, buffer, the top's right side."""
    cdef string key
    cdef int i
    for i in range(state.size):
        key.append(<const char*>&state.stack[i].word, sizeof(int16_t))
    key.append(<const char*>state.buffer, task.blocks * sizeof(uint64_t))
    key.push_back(1 if state.size and state.stack[state.size - 1].n_right else 0)
    key.append(<const char*>&state.lefts_due, sizeof(int))
    return key


cdef class Search:
    """One problem under search. The beam holds states; derivations hang together by links."""

    def __cinit__(self, EncodedProblem problem, Scorer scorer, int width):
        cdef int i
        if width < 1:
            raise ValueError("a beam holds at least one state")
        self.problem = problem
        self.scorer = scorer
        self.task = &problem.task
        self.width = width
        self.bytes = state_bytes(self.task.n, self.task.blocks)
        self.memory = <char*>malloc(2 * width * self.bytes)
        self.current = <State**>malloc(width * sizeof(State*))
        self.following = <State**>malloc(width * sizeof(State*))
        self.shifts = <uint64_t*>malloc(self.task.blocks * sizeof(uint64_t))
        self.extractor = <Extractor*>calloc(1, sizeof(Extractor))
        if not (self.memory and self.current and self.following and self.shifts and self.extractor):
            raise MemoryError()
        for i in range(width):
            self.current[i] = <State*>(self.memory + 2 * i * self.bytes)
            self.following[i] = <State*>(self.memory + (2 * i + 1) * self.bytes)
            lay_out(self.current[i], self.task.n, self.task.blocks)
            lay_out(self.following[i], self.task.n, self.task.blocks)
        self.extractor.task = self.task
        self.extractor.set = &scorer.templates.set
        self.extractor.table = scorer.table
        initial_state(self.task, self.current[0])
        self.size = 1

    def __dealloc__(self):
        free(self.memory)
        free(self.current)
        free(self.following)
        free(self.shifts)
        free(self.extractor)

    cdef void add(self, State* state, int parent, Action action, double score) noexcept nogil:
        cdef Candidate candidate
        candidate.score = state.score + score
        candidate.parent = parent
        candidate.kind = action.kind
        candidate.word = action.word
        candidate.tag = action.tag
        candidate.label = action.label
        self.candidates.push_back(candidate)

    cdef double best_arc(self, State* state, int kind, int32_t* label) noexcept nogil:
        """Score of the arc with its given label, or with the best of those the model proposes.

        Only the best is kept: labels that are not given shall not split the beam.
        """
        cdef int s0 = state.stack[state.size - 1].word, s1 = state.stack[state.size - 2].word
        cdef int dependent = s1 if kind == LEFTARC else s0
        cdef int head = s0 if kind == LEFTARC else s1
        cdef int i, tags = self.scorer.n_tags
        cdef const int32_t* proposals
        cdef double score, best = 0.0
        if self.task.words[dependent].label != NONE:
            label[0] = self.task.words[dependent].label
            return score_arc(self.extractor, state, kind, label[0])
        proposals = self.scorer.label_index + 2 * (
            ((kind - 1) * tags + state.tags[head]) * tags + state.tags[dependent]
        )
        label[0] = NONE
        for i in range(proposals[0], proposals[0] + proposals[1]):
            score = score_arc(self.extractor, state, kind, self.scorer.label_pool[i])
            if label[0] == NONE or score > best:
                label[0] = self.scorer.label_pool[i]
                best = score
        return best

    cdef void expand(self, State* state, int parent) noexcept nogil:
        """Add a candidate for every legal action of the state."""
        cdef int i, j, word
        cdef uint64_t rest
        cdef const Word* w
        cdef Action action
        cdef double base = 0.0
        cdef bint based = False
        read_state(self.extractor, state)
        legal_shifts(self.task, state, self.shifts)
        for i in range(self.task.blocks):
            rest = self.shifts[i]
            while rest:
                word = i * 64 + lowest_bit(rest)
                rest &= rest - 1
                if not based:
                    base = shift_base(self.extractor)
                    based = True
                w = &self.task.words[word]
                for j in range(w.tags_start, w.tags_start + w.tags_count):
                    action = Action(SHIFT, word, self.task.tag_pool[j], NONE)
                    self.add(state, parent, action,
                             base + score_shift(self.extractor, state, word, action.tag))
        for i in range(LEFTARC, RIGHTARC + 1):
            if (legal_leftarc if i == LEFTARC else legal_rightarc)(self.task, state):
                action = Action(i, NONE, NONE, NONE)
                base = self.best_arc(state, i, &action.label)
                self.add(state, parent, action, base)

    cdef bint advance(self, const Action* gold) noexcept nogil:
        """One step of the beam; False if no state has a legal action.

        States that are built as `gold` says (labels apart) carry the gold mark on.
        """
        cdef int i
        cdef Candidate* candidate
        cdef State* parent
        cdef State* state
        cdef Link link
        cdef State** swap
        self.candidates.clear()
        for i in range(self.size):
            self.expand(self.current[i], i)
        if self.candidates.empty():
            return False
        keep_best(self.candidates, self.width)
        for i in range(<int>self.candidates.size()):
            candidate = &self.candidates[i]
            parent = self.current[candidate.parent]
            state = self.following[i]
            copy_state(self.task, parent, state)
            apply(self.task, state, action_of(candidate))
            state.score = candidate.score
            state.history = self.links.size()
            state.gold = gold != NULL and parent.gold and (
                candidate.kind == gold.kind
                and candidate.word == gold.word
                and candidate.tag == gold.tag
            )
            link.parent = parent.history
            link.kind = candidate.kind
            link.word = candidate.word
            link.tag = candidate.tag
            link.label = candidate.label
            self.links.push_back(link)
        self.size = self.candidates.size()
        swap = self.current
        self.current = self.following
        self.following = swap
        return True

    cdef bint depth_first(self, char* memory, long limit, long* work) noexcept nogil:
        """Look for one complete derivation, best action first, expanding at most `limit` states.

        One tag a word is enough, and a state that led nowhere is not tried again: what is legal
        does not depend on tags, labels, or how a stack was built. `memory` holds a state per step.
        Where it succeeds, the beam is that one state; `work` counts the states expanded.
        """
        cdef int depth = 0, steps = 2 * self.task.n - 1
        cdef vector[vector[Candidate]] choices
        cdef vector[size_t] chosen
        cdef State* state
        cdef State* after
        cdef Candidate candidate
        cdef Link link
        cdef DeadStates dead
        cdef bint found = False
        choices.resize(steps)
        chosen.assign(steps, 0)
        self.links.clear()
        state = <State*>memory
        lay_out(state, self.task.n, self.task.blocks)
        initial_state(self.task, state)
        work[0] = 0
        while depth >= 0:
            state = <State*>(memory + depth * self.bytes)
            if depth == steps:
                found = True
                break
            if chosen[depth] == 0:
                if work[0] >= limit:
                    break
                work[0] += 1
                self.candidates.clear()
                if not dead.holds(state_key(self.task, state)):
                    self.expand(state, 0)
                keep_best(self.candidates, self.candidates.size())
                keep_first_of_each_move(self.candidates)
                choices[depth] = self.candidates
            if chosen[depth] == choices[depth].size():
                dead.add(state_key(self.task, state))
                chosen[depth] = 0
                depth -= 1
                continue
            candidate = choices[depth][chosen[depth]]
            chosen[depth] += 1
            after = <State*>(memory + (depth + 1) * self.bytes)
            lay_out(after, self.task.n, self.task.blocks)
            copy_state(self.task, state, after)
            apply(self.task, after, action_of(&candidate))
            after.score = candidate.score
            depth += 1
        if found:
            copy_state(self.task, state, self.current[0])
            for depth in range(steps):
                candidate = choices[depth][chosen[depth] - 1]
                link.parent = depth - 1
                link.kind = candidate.kind
                link.word = candidate.word
                link.tag = candidate.tag
                link.label = candidate.label
                self.links.push_back(link)
            self.current[0].history = steps - 1
            self.size = 1
        return found

    cdef list derivation(self, int link):
        actions = []
        while link >= 0:
            at = self.links[link]
            actions.append((at.kind, at.word, at.tag, at.label))
            link = at.parent
        actions.reverse()
        return actions

    def results(self, int n_best):
        """(score, actions) of the best complete states with distinct word orders, best first."""
        found = []
        seen = set()
        for i in range(self.size):
            actions = self.derivation(self.current[i].history)
            shifted = (word for kind, word, _, _ in actions if kind == SHIFT)
            order = tuple(self.task.words[word].kind for word in shifted)
            if order not in seen:
                seen.add(order)
                found.append((self.current[i].score, actions))
                if len(found) == n_best:
                    break
        return found


def beam_search(EncodedProblem problem, Scorer scorer, int width, int n_best=1):
    """The n best (score, actions), or an empty list if the whole beam came to a dead end."""
    cdef Search search = Search(problem, scorer, width)
    cdef int steps = 2 * search.task.n - 1
    with nogil:
        while steps and search.advance(NULL):
            steps -= 1
    return [] if steps else search.results(n_best)


def depth_first_search(EncodedProblem problem, Scorer scorer, long limit):
    """(results, exhausted): one complete derivation if there is one within the work limit."""
    cdef Search search = Search(problem, scorer, 1)
    cdef long work = 0
    cdef bint found
    cdef char* memory = <char*>malloc(2 * search.task.n * search.bytes)
    if not memory:
        raise MemoryError()
    with nogil:
        found = search.depth_first(memory, limit, &work)
    free(memory)
    return (search.results(1) if found else []), work < limit


cdef class Derivation:
    """A derivation taken move by move, to look inside the core."""

    cdef Search search
    cdef int steps

    def __init__(self, EncodedProblem problem, Scorer scorer):
        self.search = Search(problem, scorer, 1)
        self.steps = 0

    @property
    def finished(self):
        return self.steps == 2 * self.search.task.n - 1

    def legal(self):
        """All legal actions (kind, word, tag, label), with every tag and label to choose from."""
        cdef State* state = self.search.current[0]
        cdef const Task* task = self.search.task
        cdef const int32_t* proposals
        cdef int i, kind, tags = self.search.scorer.n_tags
        actions = []
        legal_shifts(task, state, self.search.shifts)
        for word in range(task.n):
            if has(self.search.shifts, word):
                first = task.words[word].tags_start
                for i in range(first, first + task.words[word].tags_count):
                    actions.append((SHIFT, word, task.tag_pool[i], NONE))
        for kind in range(LEFTARC, RIGHTARC + 1):
            if not (legal_leftarc if kind == LEFTARC else legal_rightarc)(task, state):
                continue
            s0, s1 = state.stack[state.size - 1].word, state.stack[state.size - 2].word
            head, dependent = (s0, s1) if kind == LEFTARC else (s1, s0)
            if task.words[dependent].label != NONE:
                actions.append((kind, NONE, NONE, task.words[dependent].label))
                continue
            proposals = self.search.scorer.label_index + 2 * (
                ((kind - 1) * tags + state.tags[head]) * tags + state.tags[dependent]
            )
            for i in range(proposals[0], proposals[0] + proposals[1]):
                actions.append((kind, NONE, NONE, self.search.scorer.label_pool[i]))
        return actions

    def apply(self, action):
        cdef Action move = Action(action[0], action[1], action[2], action[3])
        apply(self.search.task, self.search.current[0], move)
        self.steps += 1

    def _score(self, action):
        cdef State* state = self.search.current[0]
        cdef Extractor* x = self.search.extractor
        read_state(x, state)
        if action[0] == SHIFT:
            return shift_base(x) + score_shift(x, state, action[1], action[2])
        return score_arc(x, state, action[0], action[3])

    def score(self, action):
        return self._score(action)

    def features(self, action):
        """The 64-bit keys of the features of an action in this state."""
        cdef vector[uint64_t] keys
        self.search.extractor.collected = &keys
        self._score(action)
        self.search.extractor.collected = NULL
        return list(keys)
