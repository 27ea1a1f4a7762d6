"""Beam search over the transition system (L15 Algorithm 1) and its depth-first last resort.

Which moves are legal is state.pyx's business; what they score, that of the searches that build on
this one, in linear.pyx and neural.pyx.
"""

from libc.stdint cimport int16_t, uint64_t
from libc.stdlib cimport free, malloc
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.core.state cimport (
    LEFTARC, NONE, RIGHTARC, SHIFT, Action, EncodedProblem, State, Task, apply, copy_state, has,
    initial_state, lay_out, legal_leftarc, legal_rightarc, legal_shifts, state_bytes,
)


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
    """One problem under search, once. The beam holds states; derivations hang together by links."""

    def __cinit__(self, EncodedProblem problem, int width, *_):
        cdef int i
        if width < 1:
            raise ValueError("a beam holds at least one state")
        self.problem = problem
        self.task = &problem.task
        self.width = width
        self.bytes = state_bytes(self.task.n, self.task.blocks)
        self.memory = <char*>malloc(2 * width * self.bytes)
        self.current = <State**>malloc(width * sizeof(State*))
        self.following = <State**>malloc(width * sizeof(State*))
        self.shifts = <uint64_t*>malloc(self.task.blocks * sizeof(uint64_t))
        if not (self.memory and self.current and self.following and self.shifts):
            raise MemoryError()
        for i in range(width):
            self.current[i] = <State*>(self.memory + 2 * i * self.bytes)
            self.following[i] = <State*>(self.memory + (2 * i + 1) * self.bytes)
            lay_out(self.current[i], self.task.n, self.task.blocks)
            lay_out(self.following[i], self.task.n, self.task.blocks)
        initial_state(self.task, self.current[0])
        self.size = 1

    def __dealloc__(self):
        free(self.memory)
        free(self.current)
        free(self.following)
        free(self.shifts)

    cdef void add(self, State* state, int parent, Action action, double score) noexcept nogil:
        cdef Candidate candidate
        candidate.score = state.score + score
        candidate.parent = parent
        candidate.kind = action.kind
        candidate.word = action.word
        candidate.tag = action.tag
        candidate.label = action.label
        self.candidates.push_back(candidate)

    cdef void expand(self, State* state, int parent) noexcept nogil:
        """Add a candidate for every legal action of the state; here all are worth the same."""
        cdef int word
        legal_shifts(self.task, state, self.shifts)
        for word in range(self.task.n):
            if has(self.shifts, word):
                self.add(state, parent, Action(SHIFT, word, NONE, NONE), 0.0)
        if legal_leftarc(self.task, state):
            self.add(state, parent, Action(LEFTARC, NONE, NONE, NONE), 0.0)
        if legal_rightarc(self.task, state):
            self.add(state, parent, Action(RIGHTARC, NONE, NONE, NONE), 0.0)

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

    def finish(self, actions):
        """The actions with the tags and labels that the search left open, if it leaves any."""
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


def beam_search(Search search, int n_best=1):
    """The n best (score, actions), or an empty list if the whole beam came to a dead end."""
    cdef int steps = 2 * search.task.n - 1
    with nogil:
        while steps and search.advance(NULL):
            steps -= 1
    return [] if steps else search.results(n_best)


def depth_first_search(Search search, long limit):
    """(results, exhausted): one complete derivation if there is one within the work limit."""
    cdef long work = 0
    cdef bint found
    cdef char* memory = <char*>malloc(2 * search.task.n * search.bytes)
    if not memory:
        raise MemoryError()
    with nogil:
        found = search.depth_first(memory, limit, &work)
    free(memory)
    return (search.results(1) if found else []), work < limit
