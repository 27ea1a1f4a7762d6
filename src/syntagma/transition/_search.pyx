"""Beam search over the transition system (L15 Algorithm 1).

Which actions are legal is decided in `_legality`. Subclasses score them: `linear/_search`,
`neural/_search`; the n-gram scorer of a language model is in `language_model/_ngrams`. The n best
orders are read off in `_lattice`. The search after a dead end is in `_depth_first`.
"""

import heapq
from collections import namedtuple

from libc.stdint cimport int16_t, int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.language_model._ngrams cimport Context, NGramScorer
from syntagma.transition._clock cimport Clock
from syntagma.transition._lattice cimport list_orders
from syntagma.transition._legality cimport (
    first_legal_shift, legal_leftarc, legal_rightarc, legal_shifts,
)
from syntagma.transition._state cimport (
    LEFTARC, NONE, RIGHTARC, ROOT, SHIFT, Action, Candidate, Detour, Finished, Lattice, Link, Node,
    SearchTask, State, apply, copy_state, has, initial_state, keep_best, lay_out, mirror,
    rank_finished, state_bytes, steady_seconds,
)

from syntagma.transition._clock import NO_LIMIT


# A sentence as a search found it. `order` holds word numbers; heads, tags and labels are by word
# number: the root's head is ROOT, what the scorer leaves open is NONE. `forms` says which of its
# forms each word of `order` takes; `fluency` is the weighted language model score, or None; `parts`
# are what judges added to the score, by name.
FoundTree = namedtuple("FoundTree", "score fluency order heads tags labels forms parts")


cdef double INFINITE = float("inf")

cdef enum:
    RECENT = 8          # steps whose times tell how long the next ones will take
    FIRST_LOOK = 64     # expansions before the first estimate: those at the start are slow
    STATES_PER_LOOK = 4  # at the clock

# The words left to place, and with them the time of a step, go down towards the end.
cdef double LATER_STEPS = 0.6
# At most this share of the time is set aside for what follows the beam search.
cdef double MOST_CLOSING = 1.0 / 3
# An estimate may be twice what a search will take. The beam is not narrowed while the time left may
# be enough, so that a limit that is not reached changes nothing.
cdef double DOUBT = 0.5
# Before the first estimate, a search may take this share of its time.
cdef double EARLY = 0.05

cdef uint64_t HASH_BASE = 0x9E3779B97F4A7C15  # of the hashes of derivations


cdef inline Action action_of(const Candidate* candidate) noexcept nogil:
    return Action(candidate.kind, candidate.word, candidate.tag, candidate.label)


cdef class Search:
    """A search over one problem; it is run once.

    The beam holds states; a derivation is a chain of links. With `merging`, states that are the
    same to both scorers become one. A `mirrored` search works from right to left. Its task, scorer
    and language model do, too; its results are sentences like those of its `opposite`.
    """

    def __cinit__(
        self,
        SearchTask problem,
        int width,
        *_,
        NGramScorer ngram_scorer=None,
        judges=(),
        bint merging=False,
        bint mirrored=False,
        **__,
    ):
        cdef int i
        if width < 1:
            raise ValueError("a beam holds at least one state")
        self.problem = problem
        self.task = &problem.task
        self.width = width
        self.ngram_scorer = ngram_scorer
        if ngram_scorer is not None:
            self.first_forms = ngram_scorer.forms.data()
            if ngram_scorer.names.size():
                self.names = ngram_scorer.names.data()
        self.judges = tuple(judges)
        self.clock = NO_LIMIT
        self.part_names = []
        self.merging = merging
        self.mirrored = mirrored
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
        self.limit = width

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

    cdef int add(self, State* state, int parent, Action action, double score) except -1 nogil:
        """Add a candidate; for a word that may take several forms, one per form."""
        cdef int form
        if self.ngram_scorer is None or action.kind != SHIFT:
            return self.add_in_form(state, parent, action, score, NONE)
        for form in range(self.first_forms[action.word], self.first_forms[action.word + 1]):
            self.add_in_form(state, parent, action, score, form)
        return 0

    cdef int add_in_form(
        self, State* state, int parent, Action action, double score, int form
    ) except -1 nogil:
        """Add a candidate; for SHIFT in this form, if words have forms."""
        cdef Candidate candidate
        candidate.score = state.score + score
        candidate.parent = parent
        candidate.kind = action.kind
        candidate.word = action.word
        candidate.tag = action.tag
        candidate.label = action.label
        candidate.form = form
        self.candidates.push_back(candidate)
        if self.ngram_scorer is not None and action.kind == SHIFT:
            self.add_form(state, &self.candidates.back(), form)
        return 0

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

    cdef int expand(self, State* state, int parent) except -1 nogil:
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
        return 0

    cdef int expand_late(self, State* state) except -1 nogil:
        """Add one legal action, unscored."""
        cdef int word
        if legal_rightarc(self.task, state):
            return self.add(state, 0, Action(RIGHTARC, NONE, NONE, NONE), 0.0)
        if legal_leftarc(self.task, state):
            return self.add(state, 0, Action(LEFTARC, NONE, NONE, NONE), 0.0)
        word = first_legal_shift(self.task, state, self.shifts)
        if word != NONE:
            self.add(state, 0, Action(SHIFT, word, NONE, NONE), 0.0)
        return 0

    cdef int sign(self, const State* state, string* key) except -1 nogil:
        """Write down everything that scorer and language model can see of a state, now or later."""
        key.clear()
        self.sign_words(state, key)
        key.append(<const char*>state.buffer, self.task.blocks * sizeof(uint64_t))
        key.append(<const char*>&state.w0, sizeof(int))
        key.append(<const char*>&state.w1, sizeof(int))
        key.append(<const char*>&state.w2, sizeof(int))
        if self.ngram_scorer is not None:
            key.append(<const char*>&state.context, sizeof(Context))
        return 0

    cdef int sign_words(self, const State* state, string* key) except -1 nogil:
        """Append what a scorer can see of the stack and of the placed words."""
        key.append(<const char*>state.stack, state.size * sizeof(Node))
        key.append(<const char*>state.tags, self.task.n * sizeof(int16_t))
        return 0

    cdef int32_t link(
        self, int32_t parent, Candidate* candidate, const State* state
    ) except -1 nogil:
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
        while other >= 0 and self.names != NULL:
            if self.links[other].derivation == self.links[link].derivation:
                self.links[link].variant = self.links[other].variant
                self.links[other].variant = link
                return
            other = self.links[other].merged
        self.links[link].merged = self.links[first].merged
        self.links[first].merged = link

    cdef bint advance(self, const Action* gold) except -1 nogil:
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
        if self.clock.is_late():
            self.narrowed = True
            self.limit = 1
            self.expand_late(self.current[0])
        else:
            for i in range(self.size):
                self.clock.look()
                if (i % STATES_PER_LOOK == STATES_PER_LOOK - 1 and self.clock.is_over()
                        and not self.candidates.empty()):
                    self.narrowed = True
                    break
                self.expand(self.current[i], i)
        if self.candidates.empty():
            return False
        if self.limit < self.width and <int>self.candidates.size() > self.limit:
            self.narrowed = True
        keep_best(self.candidates, 2 * self.limit if self.merging else self.limit)
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
                and (candidate.label == gold.label or not self.labels_are_actions)
            )
            self.size += 1
            if self.size == self.limit:
                break
            if i % STATES_PER_LOOK == STATES_PER_LOOK - 1 and self.clock.is_late():
                self.narrowed = True
                break
        swap = self.current
        self.current = self.following
        self.following = swap
        return True

    cdef int run(self) except -1 nogil:
        """Take all steps; returns how many are left after a dead end.

        With a time limit, the beam is kept as wide as the time left allows. It holds at least one
        state, so the search ends with a complete sentence. Once it is late, steps are not scored.
        """
        cdef int size, i = 0, steps = 2 * self.task.n - 1
        cdef double now, last, per_state, started = steady_seconds()
        cdef double recent[RECENT]
        cdef double expanded = 0.0
        last = started
        while steps:
            size = self.size
            if not self.advance(NULL):
                break
            steps -= 1
            if self.clock.end == INFINITE:
                continue
            now = steady_seconds()
            expanded += size
            self.mean_seconds = (now - started) / expanded
            # The fastest of the last steps: a pause of the machine must not count.
            recent[i % RECENT] = (now - last) / size
            i += 1
            per_state = recent[0]
            for size in range(1, min(i, RECENT)):
                per_state = min(per_state, recent[size])
            last = now
            if expanded >= FIRST_LOOK or now - started > EARLY * (self.clock.end - started):
                self.limit = self.affordable(steps, per_state)
        return steps

    cdef int affordable(self, int steps, double seconds) noexcept nogil:
        """How many states each of these steps may expand, if an expansion takes that long now."""
        cdef double left = self.clock.end - steady_seconds()
        cdef double closing = self.closing * (2 * self.task.n - 1) * self.mean_seconds
        cdef double per_width = steps * seconds * LATER_STEPS
        if left <= 0:
            return 1
        if left >= DOUBT * (self.width * per_width + closing):
            return self.width
        return <int>min(
            <double>self.width, max(1.0, (left - min(MOST_CLOSING * left, closing)) / per_width)
        )

    cdef int conclude(self, int n_best) except -1 nogil:
        """List the best finished derivations of different orders, or sentences."""
        cdef Lattice lattice
        cdef vector[Detour] ends
        cdef Detour end
        cdef int i
        for i in range(self.size):
            end.found = i
            end.base = NONE
            end.position = 0
            end.variant = False
            end.link = self.current[i].history
            end.score = self.current[i].score
            end.fluency = self.current[i].fluency
            ends.push_back(end)
        lattice.links = &self.links
        lattice.ends = &ends
        lattice.task = self.task
        lattice.names = self.names
        lattice.weight = lattice.expected = 0.0
        if self.ngram_scorer is not None:
            lattice.weight = self.ngram_scorer.weight
            lattice.expected = self.ngram_scorer.expected_total
        if not list_orders(&lattice, self.clock, n_best, &self.finished):
            self.narrowed = True
        return self.rank()

    cdef int rank(self) except -1 nogil:
        """Add up the score of each finished derivation, and put them in order, best first.

        This is the only place where parts of a score meet: syntax, in which rerankers have a share,
        fluency, and what other judges contribute.
        """
        cdef double weight = 0.0
        cdef double part
        cdef int i
        if self.ngram_scorer is not None:
            weight = self.ngram_scorer.weight
        for i in range(<int>self.finished.size()):
            self.finished[i].score = self.finished[i].syntax + weight * self.finished[i].fluency
            for part in self.finished[i].parts:
                self.finished[i].score += part
        rank_finished(self.finished)
        return 0

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
        cdef vector[int32_t] stack, order, heads
        cdef const Link* link
        cdef int i, dependent
        forms = []
        heads.assign(self.task.n, ROOT)
        tags, labels = [NONE] * self.task.n, [NONE] * self.task.n
        for i in range(<int>finished.links.size() - 1, -1, -1):
            link = &self.links[finished.links[i]]
            if link.kind == SHIFT:
                stack.push_back(link.word)
                order.push_back(link.word)
                tags[link.word] = link.tag
                forms.append(
                    0 if self.first_forms == NULL else link.form - self.first_forms[link.word]
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
        if self.mirrored:
            mirror(self.task, &order, &heads)
            forms.reverse()
        parts = dict(zip(self.part_names, finished.parts))
        return FoundTree(finished.score, fluency, order, heads, tags, labels, forms, parts)

    def trees(self):
        """All finished sentences with their trees, best first, as judges read them."""
        return [self.found_tree(&self.finished[i]) for i in range(<int>self.finished.size())]

    def contribute(self, str name, scores):
        """Add a part to the score of each of `trees`, and rank them anew."""
        if len(scores) != <int>self.finished.size():
            raise ValueError(f"{len(scores)} scores for {self.finished.size()} orders")
        self.part_names.append(name)
        for i, score in enumerate(scores):
            self.finished[i].parts.push_back(score)
        self.rank()

    def results(self, int n_best):
        """The best finished sentences with their trees, best first, once all judges were heard."""
        for judge in self.judges:
            judge.judge(self)
        found = []
        for i in range(min(n_best, <int>self.finished.size())):
            if found and self.clock.is_over():
                self.narrowed = True
                break
            found.append(self.found_tree(&self.finished[i]))
        return found

    def derivation(self, int rank):
        """The actions (kind, word, tag, label) of a finished derivation."""
        actions = []
        for link in reversed(self.finished[rank].links):
            at = self.links[link]
            actions.append((at.kind, at.word, at.tag, at.label))
        return actions


def beam_search(Search search, int n_best=1, Clock clock=NO_LIMIT):
    """The n best sentences with their trees; none if the whole beam came to a dead end.

    The beam is narrowed as needed to end in time. The results of a search and of its opposite
    compete by their scores; they share the time.
    """
    if search.opposite is None:
        return search_one_way(search, n_best, clock)
    found = search_one_way(search, n_best, clock.part(2))
    if found and clock.is_over():
        search.narrowed = True
        return found
    others = search_one_way(search.opposite, n_best, clock)
    search.narrowed = search.narrowed or search.opposite.narrowed
    return best_of(found, others, search.problem, n_best)


cdef best_of(found, others, SearchTask problem, int n_best):
    """The best sentences of two lists, each once; of equal ones that of the first list.

    The list whose next one is better gives it, so that a longer list begins with the shorter one.
    """
    best = {}
    for each in heapq.merge(found, others, key=lambda found: -found.score):
        best.setdefault(tuple([problem.task.words[word].kind for word in each.order]), each)
    return list(best.values())[:n_best]


cdef search_one_way(Search search, int n_best, Clock clock):
    cdef int left
    search.clock = clock
    if clock.is_over():
        search.limit = 1
    with nogil:
        left = search.run()
        if not left:
            search.conclude(n_best)
    return [] if left else search.results(n_best)
