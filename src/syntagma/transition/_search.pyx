"""Beam search over the transition system (L15 Algorithm 1), and the n best orders it finds.

Which actions are legal is decided in `_state`. Subclasses score them: `linear/_search`,
`neural/_search`; the n-gram scorer of a language model is in `language_model/_ngrams`. The search
after a dead end is in `_depth_first`.
"""

from collections import namedtuple

from libc.stdint cimport int16_t, int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.language_model._ngrams cimport Context, NGramScorer
from syntagma.transition._state cimport (
    LEFTARC, NONE, RIGHTARC, ROOT, SHIFT, Action, SearchTask, Node, State, apply, copy_state, has,
    initial_state, lay_out, legal_leftarc, legal_rightarc, legal_shifts, state_bytes,
)


# A sentence as a search found it. `order` holds word numbers; heads, tags and labels are by word
# number: the root's head is ROOT, what the scorer leaves open is NONE. `forms` says which of its
# forms each word of `order` takes; `fluency` is the weighted language model score, or None.
FoundTree = namedtuple("FoundTree", "score fluency order heads tags labels forms")


cdef enum:
    RERANKED = 16       # orders that are reranked, if no more are asked for
    MOST_TRIES = 4096   # derivations whose detours are followed to find different orders


cdef uint64_t HASH_BASE = 0x9E3779B97F4A7C15  # of the hashes of derivations


cdef inline Action action_of(const Candidate* candidate) noexcept nogil:
    return Action(candidate.kind, candidate.word, candidate.tag, candidate.label)


cdef class Search:
    """A search over one problem; it is run once.

    The beam holds states; a derivation is a chain of links. With `merging`, states that neither
    scorer can tell apart become one.
    """

    def __cinit__(
        self,
        SearchTask problem,
        int width,
        *_,
        NGramScorer ngram_scorer=None,
        bint merging=False,
        **__,
    ):
        cdef int i
        if width < 1:
            raise ValueError("a beam holds at least one state")
        self.problem = problem
        self.task = &problem.task
        self.width = width
        self.ngram_scorer = ngram_scorer
        self.merging = merging
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

    cdef void begin(self, State* state) noexcept nogil:
        initial_state(self.task, state)
        if self.ngram_scorer is not None:
            self.ngram_scorer.begin(&state.context)

    cdef void take(self, State* state, Candidate* candidate) noexcept nogil:
        """Apply a candidate to a copy of its parent."""
        apply(self.task, state, action_of(candidate))
        state.score = candidate.score
        state.derivation = state.derivation * HASH_BASE + 4 * (candidate.word + 2) + candidate.kind
        if self.ngram_scorer is not None and candidate.kind == SHIFT:
            state.fluency += self.ngram_scorer.place(&state.context, candidate.form)
            if state.shifted == self.task.n:
                state.fluency += self.ngram_scorer.end(&state.context)

    cdef void add(self, State* state, int parent, Action action, double score) noexcept nogil:
        """Add a candidate; for a word that may take several forms, one per form."""
        cdef Candidate candidate
        cdef const int32_t* forms
        cdef int form
        candidate.score = state.score + score
        candidate.parent = parent
        candidate.kind = action.kind
        candidate.word = action.word
        candidate.tag = action.tag
        candidate.label = action.label
        candidate.form = NONE
        if self.ngram_scorer is None or action.kind != SHIFT:
            self.candidates.push_back(candidate)
            return
        forms = &self.ngram_scorer.forms[action.word]
        for form in range(forms[0], forms[1]):
            self.candidates.push_back(candidate)
            self.add_form(state, &self.candidates.back(), form)

    cdef void add_form(
        self, const State* state, Candidate* candidate, int form
    ) noexcept nogil:
        """Score a form by how much more probable it is in its place than expected, so that states
        with few and with many placed words can be compared."""
        cdef Context context
        cdef double score, expected = self.ngram_scorer.expected_costs[candidate.word]
        if state.shifted + 1 < self.task.n:
            score = self.ngram_scorer.cost(&state.context, form)
        else:
            context = state.context
            score = self.ngram_scorer.place(&context, form) + self.ngram_scorer.end(&context)
            score -= self.ngram_scorer.expected_costs[self.task.n]
        candidate.form = form
        candidate.score += self.ngram_scorer.weight * (score - expected)

    cdef void expand(self, State* state, int parent) noexcept nogil:
        """Add a candidate for every legal action of the state; without a scorer, all score 0."""
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
        """Write down everything that scorer and language model can see of a state, now or later."""
        key.clear()
        self.sign_words(state, key)
        key.append(<const char*>state.buffer, self.task.blocks * sizeof(uint64_t))
        key.append(<const char*>&state.lefts_due, sizeof(int))
        key.append(<const char*>&state.w0, sizeof(int))
        key.append(<const char*>&state.w1, sizeof(int))
        key.append(<const char*>&state.w2, sizeof(int))
        if self.ngram_scorer is not None:
            key.append(<const char*>&state.context, sizeof(Context))

    cdef void sign_words(self, const State* state, string* key) noexcept nogil:
        """Append what a scorer can see of the stack and of the placed words."""
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
        """Remember a link that led to the same state as a better one; if it differs from a link
        remembered before in forms only, as a variant of that one."""
        cdef int32_t other = first
        while other >= 0 and self.ngram_scorer is not None and self.ngram_scorer.names.size():
            if self.links[other].derivation == self.links[link].derivation:
                self.links[link].variant = self.links[other].variant
                self.links[other].variant = link
                return
            other = self.links[other].merged
        self.links[link].merged = self.links[first].merged
        self.links[first].merged = link

    cdef bint advance(self, const Action* gold) noexcept nogil:
        """One step of the beam; False if no state has a legal action.

        A state keeps its gold mark if it was built by the gold action (labels apart).
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
        """List the best derivation of each of the best orders and, if several results are asked for
        and words may take several forms, of each of the best sentences."""
        cdef Signatures known
        self.finished.clear()
        self.gather(max(n_best, RERANKED), False, &known)
        if n_best > 1 and self.ngram_scorer is not None and self.ngram_scorer.names.size():
            self.gather(n_best, True, &known)
        self.rank()

    cdef void gather(self, int wanted, bint variants, Signatures* known) noexcept nogil:
        """Add `wanted` derivations of different orders (with variants: of different sentences),
        including those that were merged into others on the way. Known ones count, but are not added
        again."""
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
            # The alternatives of the link that the detour took were followed before.
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
        """Whether the order of a derivation (with variants: its sentence) was not listed before.

        The derivation is kept unless its sentence is known.
        """
        cdef string order, sentence
        cdef int i
        cdef int32_t kind
        cdef const Link* link
        cdef double expected = 0.0, weight = 0.0
        for i in range(<int>finished.links.size()):
            link = &self.links[finished.links[i]]
            if link.kind == SHIFT:
                kind = self.task.words[link.word].kind
                order.append(<const char*>&kind, sizeof(int32_t))
                if self.ngram_scorer is not None and self.ngram_scorer.names.size():
                    kind = self.ngram_scorer.names[link.form]
                sentence.append(<const char*>&kind, sizeof(int32_t))
        if listed.add(sentence if variants else order, by.found) != by.found:
            return False
        if known.add(sentence, self.finished.size()) != <int>self.finished.size():
            return True
        if self.ngram_scorer is not None:
            expected, weight = self.ngram_scorer.expected_total, self.ngram_scorer.weight
        finished.fluency = by.fluency
        finished.syntax = by.score - weight * (by.fluency - expected)
        self.finished.push_back(finished[0])
        return True

    cdef void rank(self) noexcept nogil:
        """Put the finished derivations in order, best first."""
        cdef double weight = 0.0
        cdef int i
        if self.ngram_scorer is not None:
            weight = self.ngram_scorer.weight
        for i in range(<int>self.finished.size()):
            self.finished[i].score = self.finished[i].syntax + weight * self.finished[i].fluency
        sort_finished(self.finished)

    cdef double language_model_score(self, const vector[int32_t]& links) noexcept nogil:
        """The weighted log-probability of the sentence of a derivation, without shares of forms."""
        cdef Context context
        cdef double total = 0.0
        cdef int i
        cdef const Link* link
        self.ngram_scorer.begin(&context)
        for i in range(<int>links.size() - 1, -1, -1):
            link = &self.links[links[i]]
            if link.kind == SHIFT:
                total = self.ngram_scorer.add_words(&context, link.form, total)
        return self.ngram_scorer.weight * (total + self.ngram_scorer.end(&context))

    cdef found_tree(self, const Finished* finished):
        """The sentence and the tree of a finished derivation."""
        cdef vector[int32_t] stack
        cdef const Link* link
        cdef int i, dependent
        order, forms = [], []
        heads, tags, labels = [ROOT] * self.task.n, [NONE] * self.task.n, [NONE] * self.task.n
        for i in range(<int>finished.links.size() - 1, -1, -1):
            link = &self.links[finished.links[i]]
            if link.kind == SHIFT:
                stack.push_back(link.word)
                order.append(link.word)
                tags[link.word] = link.tag
                forms.append(
                    0 if self.ngram_scorer is None
                    else link.form - self.ngram_scorer.forms[link.word]
                )
                continue
            dependent = stack.back()
            stack.pop_back()
            if link.kind == LEFTARC:
                dependent, stack[stack.size() - 1] = stack.back(), dependent
            heads[dependent] = stack.back()
            labels[dependent] = link.label
        fluency = None
        if self.ngram_scorer is not None:
            fluency = self.language_model_score(finished.links)
        return FoundTree(finished.score, fluency, order, heads, tags, labels, forms)

    def results(self, int n_best):
        """The best finished sentences with their trees, best first."""
        return [
            self.found_tree(&self.finished[i])
            for i in range(min(n_best, <int>self.finished.size()))
        ]

    def derivation(self, int rank):
        """The actions (kind, word, tag, label) of a finished derivation."""
        actions = []
        for link in reversed(self.finished[rank].links):
            at = self.links[link]
            actions.append((at.kind, at.word, at.tag, at.label))
        return actions


def beam_search(Search search, int n_best=1):
    """The n best sentences with their trees; none if the whole beam came to a dead end."""
    cdef int steps = 2 * search.task.n - 1
    with nogil:
        while steps and search.advance(NULL):
            steps -= 1
        if not steps:
            search.conclude(n_best)
    return [] if steps else search.results(n_best)
