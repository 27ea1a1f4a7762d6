"""Beam search over the transition system (L15 Algorithm 1) and its depth-first last resort.

Which moves are legal is state.pyx's business; what they score, that of the searches that build on
this one, in linear.pyx and neural.pyx, and of a language model that listens to them (fluency.pyx).
"""

from libc.stdint cimport int16_t, int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.language_model._ngrams cimport Context, NGramScorer
from syntagma.transition._state cimport (
    LEFTARC, NONE, RIGHTARC, SHIFT, Action, SearchTask, Node, State, Task, apply, copy_state,
    has, initial_state, lay_out, legal_leftarc, legal_rightarc, legal_shifts, state_bytes,
)


cdef enum:
    RERANKED = 16       # orders that are compared in the end, if no more are asked for
    MOST_TRIES = 4096   # derivations whose detours are looked at for different orders


cdef uint64_t BASE = 0x9E3779B97F4A7C15  # of the numbers of derivations


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

    def __cinit__(self, SearchTask problem, int width, *_):
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
        self.begin(self.current[0])
        self.size = 1

    def __dealloc__(self):
        free(self.memory)
        free(self.current)
        free(self.following)
        free(self.shifts)

    def listen(self, NGramScorer fluency):
        """Let a language model have its say in what words are worth, from the start."""
        self.fluency = fluency
        self.begin(self.current[0])

    cdef void begin(self, State* state) noexcept nogil:
        initial_state(self.task, state)
        if self.fluency is not None:
            self.fluency.begin(&state.context)

    cdef void take(self, State* state, Candidate* candidate) noexcept nogil:
        """Apply a candidate to a copy of its parent."""
        apply(self.task, state, action_of(candidate))
        state.score = candidate.score
        state.derivation = state.derivation * BASE + 4 * (candidate.word + 2) + candidate.kind
        if self.fluency is not None and candidate.kind == SHIFT:
            state.fluency += self.fluency.place(&state.context, candidate.form)
            if state.shifted == self.task.n:
                state.fluency += self.fluency.end(&state.context)

    cdef void add(self, State* state, int parent, Action action, double score) noexcept nogil:
        """Add a candidate; of a word that may take several forms, one for each."""
        cdef Candidate candidate
        cdef int form
        candidate.score = state.score + score
        candidate.parent = parent
        candidate.kind = action.kind
        candidate.word = action.word
        candidate.tag = action.tag
        candidate.label = action.label
        candidate.form = NONE
        if self.fluency is None or action.kind != SHIFT:
            self.candidates.push_back(candidate)
            return
        for form in range(self.fluency.forms[action.word], self.fluency.forms[action.word + 1]):
            self.candidates.push_back(candidate)
            self.add_form(state, &self.candidates.back(), form)

    cdef void add_form(
        self, const State* state, Candidate* candidate, int form
    ) noexcept nogil:
        """A language model counts by how much likelier than expected a word is in its place: so
        states with few and with many words placed can be compared."""
        cdef Context context
        cdef double score
        if state.shifted + 1 < self.task.n:
            score = self.fluency.cost(&state.context, form)
        else:
            context = state.context
            score = self.fluency.place(&context, form) + self.fluency.end(&context)
            score -= self.fluency.outlook[self.task.n]
        candidate.form = form
        candidate.score += self.fluency.weight * (score - self.fluency.outlook[candidate.word])

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

    cdef void sign(self, const State* state, string* key) noexcept nogil:
        """Write down all that scorer and language model may see of a state, now and later."""
        key.clear()
        self.sign_words(state, key)
        key.append(<const char*>state.buffer, self.task.blocks * sizeof(uint64_t))
        key.append(<const char*>&state.lefts_due, sizeof(int))
        key.append(<const char*>&state.w0, sizeof(int))
        key.append(<const char*>&state.w1, sizeof(int))
        key.append(<const char*>&state.w2, sizeof(int))
        if self.fluency is not None:
            key.append(<const char*>&state.context, sizeof(Context))

    cdef void sign_words(self, const State* state, string* key) noexcept nogil:
        """What a scorer may see of the stack and of the words placed."""
        key.append(<const char*>state.stack, state.size * sizeof(Node))
        key.append(<const char*>state.tags, self.task.n * sizeof(int16_t))

    cdef int32_t link(
        self, int32_t parent, Candidate* candidate, const State* state
    ) noexcept nogil:
        cdef Link link
        link.parent = parent
        link.kind = candidate.kind
        link.word = candidate.word
        link.tag = candidate.tag
        link.label = candidate.label
        link.form = candidate.form
        link.merged = link.variant = NONE
        link.derivation = state.derivation
        link.score = candidate.score
        link.fluency = state.fluency
        self.links.push_back(link)
        return self.links.size() - 1

    cdef void merge(self, int32_t link, int32_t first) noexcept nogil:
        """Remember a link that led to the same state as another, which was better; if it differs
        from one of those remembered in forms only, as a variant of that."""
        cdef int32_t other = first
        while other >= 0 and self.fluency is not None and self.fluency.names.size():
            if self.links[other].derivation == self.links[link].derivation:
                self.links[link].variant = self.links[other].variant
                self.links[other].variant = link
                return
            other = self.links[other].merged
        self.links[link].merged = self.links[first].merged
        self.links[first].merged = link

    cdef bint advance(self, const Action* gold) noexcept nogil:
        """One step of the beam; False if no state has a legal action.

        States that are built as `gold` says (labels apart) carry the gold mark on.
        """
        cdef int i
        cdef Candidate* candidate
        cdef State* parent
        cdef State* state
        cdef State** swap
        cdef string key
        cdef int32_t first
        self.candidates.clear()
        for i in range(self.size):
            self.expand(self.current[i], i)
        if self.candidates.empty():
            return False
        keep_best(self.candidates, 2 * self.width if self.merging else self.width)
        self.signatures.clear()
        self.size = 0
        for i in range(<int>self.candidates.size()):
            candidate = &self.candidates[i]
            parent = self.current[candidate.parent]
            state = self.following[self.size]
            copy_state(self.task, parent, state)
            self.take(state, candidate)
            state.history = self.link(parent.history, candidate, state)
            if self.merging:
                self.sign(state, &key)
                first = self.signatures.add(key, state.history)
                if first != state.history:
                    self.merge(state.history, first)
                    continue
            state.gold = gold != NULL and parent.gold and (
                candidate.kind == gold.kind
                and candidate.word == gold.word
                and candidate.tag == gold.tag
            )
            self.size += 1
            if self.size == self.width:
                break
        swap = self.current
        self.current = self.following
        self.following = swap
        return True

    cdef void conclude(self, int n_best) noexcept nogil:
        """List the best derivation of each of the best orders, and, if more than one is asked for
        and words may take several forms, of each of the best sentences."""
        cdef Signatures known
        self.finished.clear()
        self.gather(max(n_best, RERANKED), False, &known)
        if n_best > 1 and self.fluency is not None and self.fluency.names.size():
            self.gather(n_best, True, &known)
        self.rank()

    cdef void gather(self, int wanted, bint variants, Signatures* known) noexcept nogil:
        """Add so many derivations, also those that were merged into others on the way: of different
        orders, or, with variants, of different sentences. Those that are known count, but are not
        added again."""
        cdef Detours detours
        cdef Detour detour, best
        cdef Finished finished
        cdef Signatures listed
        cdef vector[vector[int32_t]] paths
        cdef int i, chain
        cdef int32_t link, other
        detour.base = NONE
        detour.position = 0
        detour.found = 0
        detour.variant = False
        for i in range(self.size):
            detour.link = self.current[i].history
            detour.score = self.current[i].score
            detour.fluency = self.current[i].fluency
            detours.push(detour)
            detour.found += 1
        while not detours.empty() and wanted:
            best = detours.top()
            detours.pop()
            if paths.size() >= MOST_TRIES and best.base != NONE:
                continue
            finished.links.clear()
            if best.base != NONE:
                finished.links.insert(
                    finished.links.end(), paths[best.base].begin(),
                    paths[best.base].begin() + best.position,
                )
            link = best.link
            while link >= 0:
                finished.links.push_back(link)
                link = self.links[link].parent
            wanted -= self.note(&finished, &best, variants, &listed, known)
            if paths.size() >= MOST_TRIES:
                continue
            # What the link that the detour took was chosen from, it has been compared with already.
            for i in range(best.position, <int>finished.links.size()):
                link = finished.links[i]
                for chain in range(1 + variants):
                    if i == best.position and best.base != NONE and chain <= best.variant:
                        continue
                    other = self.links[link].variant if chain else self.links[link].merged
                    while other >= 0:
                        detour.base = paths.size()
                        detour.position = i
                        detour.link = other
                        detour.variant = chain
                        detour.score = best.score + self.links[other].score - self.links[link].score
                        detour.fluency = (
                            best.fluency + self.links[other].fluency - self.links[link].fluency
                        )
                        detours.push(detour)
                        detour.found += 1
                        other = self.links[other].variant if chain else self.links[other].merged
            paths.push_back(finished.links)

    cdef bint note(
        self, Finished* finished, const Detour* by, bint variants, Signatures* listed,
        Signatures* known
    ) noexcept nogil:
        """Whether the order of a derivation, or, with variants, its sentence, was not listed yet;
        it is kept unless the sentence is known."""
        cdef string order, sentence
        cdef int i
        cdef int32_t kind
        cdef const Link* link
        cdef double rest = 0.0, weight = 0.0
        for i in range(<int>finished.links.size()):
            link = &self.links[finished.links[i]]
            if link.kind == SHIFT:
                kind = self.task.words[link.word].kind
                order.append(<const char*>&kind, sizeof(int32_t))
                if self.fluency is not None and self.fluency.names.size():
                    kind = self.fluency.names[link.form]
                sentence.append(<const char*>&kind, sizeof(int32_t))
        if listed.add(sentence if variants else order, by.found) != by.found:
            return False
        if known.add(sentence, self.finished.size()) != <int>self.finished.size():
            return True
        if self.fluency is not None:
            rest, weight = self.fluency.rest, self.fluency.weight
        finished.fluency = by.fluency
        finished.syntax = by.score - weight * (by.fluency - rest)
        self.finished.push_back(finished[0])
        return True

    cdef void rank(self) noexcept nogil:
        """Put the finished derivations in order, best first."""
        cdef double weight = 0.0
        cdef int i
        if self.fluency is not None:
            weight = self.fluency.weight
        for i in range(<int>self.finished.size()):
            self.finished[i].score = self.finished[i].syntax + weight * self.finished[i].fluency
        sort_finished(self.finished)

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
        cdef DeadStates dead
        cdef bint found = False
        choices.resize(steps)
        chosen.assign(steps, 0)
        self.links.clear()
        state = <State*>memory
        lay_out(state, self.task.n, self.task.blocks)
        self.begin(state)
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
            self.take(after, &candidate)
            depth += 1
        if found:
            copy_state(self.task, state, self.current[0])
            for depth in range(steps):
                candidate = choices[depth][chosen[depth] - 1]
                state = <State*>(memory + (depth + 1) * self.bytes)
                self.link(depth - 1, &candidate, state)
            self.current[0].history = steps - 1
            self.size = 1
        return found

    def finish(self, actions):
        """The actions with the tags and labels that the search left open, if it leaves any."""
        return actions

    def results(self, int n_best):
        """(score, actions) of the best finished derivations of different orders, best first."""
        found = []
        for i in range(min(n_best, <int>self.finished.size())):
            actions = []
            for link in reversed(self.finished[i].links):
                at = self.links[link]
                actions.append((at.kind, at.word, at.tag, at.label))
            found.append((self.finished[i].score, actions))
        return found

    def forms(self, int rank):
        """Which of its forms each word of a result takes, in their order; for `results`."""
        found = []
        for link in reversed(self.finished[rank].links):
            at = self.links[link]
            if at.kind == SHIFT:
                found.append(0 if self.fluency is None else at.form - self.fluency.forms[at.word])
        return found


def beam_search(Search search, int n_best=1):
    """The n best (score, actions), or an empty list if the whole beam came to a dead end."""
    cdef int steps = 2 * search.task.n - 1
    with nogil:
        while steps and search.advance(NULL):
            steps -= 1
        if not steps:
            search.conclude(n_best)
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
        if found:
            search.conclude(1)
    free(memory)
    return (search.results(1) if found else []), work < limit
