"""The search with the slot-based action scorer of the neural model.

The encoder (encoder.py) has turned every word into a vector and multiplied it with a matrix for
each slot, that is, for each place where the scorer reads an address. What is left to do for a
candidate is a few vector additions, one rectifier and one dot product:

    shift   u · max(0, Σ state slots + Σ candidate slots + sets + counts) + Σ pairs
    arcs    v · max(0, Σ arc slots) + bias + pair of S1 and S0

Scores are log-probabilities over the legal actions of the state; the only legal action of a state
scores 0. Which slots and pairs there are is data (`SLOTS` in parameters.py); what their names mean
is defined in _action_scorer.pxd.

A second such search, the reranker, scores finished derivations from either end.
"""

from libc.math cimport exp, log
from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp.algorithm cimport sort
from libcpp.string cimport string
from libcpp.utility cimport pair as numbered
from libcpp.vector cimport vector

from syntagma.neural._action_scorer import GROUPS

from syntagma.neural._action_scorer cimport (
    A, AH, AP, B, BUCKETS, DEPENDENTS, DEPENDENTS_SIZE, DEPTH, FAMILY, FAMILY_SIZE, L, LH, N_STATE,
    OF_CANDIDATE, OF_STATE, PATH, REST, S0, S1, SIDE, UNPLACED, ActionScorer, CandidateView, Pair,
    Slot, UnplacedSums, add_rows, add_scaled, bucket, find_unplaced, rectified_dot,
    resolve_candidate, resolve_family, resolve_state, row_of, unfixed_mean,
)
from syntagma.transition._clock cimport Clock
from syntagma.transition._legality cimport legal_leftarc, legal_rightarc, legal_shifts
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport (
    LEFTARC, NONE, RERANKED, RIGHTARC, ROOT, SHIFT, Action, Candidate, Finished, Link, Node,
    SearchTask, State, apply, initial_state, lowest_bit, mirror, reference_actions, steady_seconds,
)

cdef enum:
    # Bags with more words have sums of pair scores in integers, which are updated in O(n) where
    # sums in floats, as in training, are computed in O(n²) for each state.
    LARGE = 256
    MOVES_PER_LOOK = 64     # of a reranker, at the clock

cdef double DOUBT = 0.5     # an estimate may be twice what reranking will take


cdef class NeuralSearch(Search):
    """A search whose actions an ActionScorer scores.

    `rows` (see `SlotRows`) holds what each word, nothing and the start add to the hidden layer in
    every slot. `pairs` [pairs + 2, n + 2, n + 2] holds the tables of the pairs, then those of
    LEFTARC and RIGHTARC.
    """

    def __cinit__(
        self, SearchTask problem, int width, ActionScorer scorer, rows, pairs, *, judges=(), **_
    ):
        cdef const float[:, :, ::1] pairs_ = pairs
        cdef int n = self.task.n, size = scorer.hidden, word, group
        cdef float* part
        cdef float* simple
        if pairs.shape != (scorer.n_pairs + 2, n + 2, n + 2):
            raise ValueError("there must be a table for each pair and for both arcs")
        self.scorer = scorer
        self.rows.resize(len(GROUPS) * (n + 2))
        for group, columns in enumerate(scorer.groups.values()):
            self.take_rows(
                group, len(columns), rows.members[group], rows.words[group], rows.special[group]
            )
        self.pairs = &pairs_[0, 0, 0]
        self._arrays = (rows, pairs)
        self.unfixed = self.task[0]
        self.unfixed.fixed = NULL
        self.state_part.resize(size)
        self.static_part.resize(n * size)
        self.simple_part.resize(n * size)
        self.family_part.resize(n * size)
        self.family_score.resize(n)
        self.family_expansion.assign(n, 0)
        self.head_family_sum.resize(n * size)
        self.head_family_expansion.assign(n, 0)
        self.varying_part.resize(size)
        self.buffers.resize(4 * n)
        self.view.family = self.buffers.data()
        self.view.dependents = self.buffers.data() + n
        self.view.path = self.buffers.data() + 2 * n
        self.unplaced = self.buffers.data() + 3 * n
        for word in range(n):
            part = &self.static_part[word * size]
            self.add_address(L, word, part)
            self.add_address(LH, row_of(self.task, self.task.words[word].head), part)
            simple = &self.simple_part[word * size]
            memcpy(simple, part, size * sizeof(float))
            self.add_address(B, n, simple)
            add_scaled(simple, self.count_row(DEPTH, 0), 1.0, size)
            add_scaled(simple, self.count_row(DEPENDENTS_SIZE, 0), 1.0, size)
            if self.task.words[word].head < 0:
                self.start_family_part(word, n, n, 0)
        # About half of a derivation is a prefix of another one.
        self.closing = len(judges) * RERANKED / 2.0
        if scorer.unplaced_table >= 0:
            if n > LARGE:
                self.unplaced_sums = new UnplacedSums()
                self.unplaced_sums.begin(self.pair_row(scorer.unplaced_table, 0), n, width)
                self.unfixed_scores.resize(n)
            else:
                self.unplaced_means.begin(self.pair_row(scorer.unplaced_table, 0), n, width)

    def __dealloc__(self):
        del self.unplaced_sums

    cdef int take_rows(
        self, int group, int columns, const int32_t[::1] members, const float[:, ::1] rows,
        const float[:, ::1] special
    ) except -1:
        """Remember where the rows of a group of slots are."""
        cdef int i, n = self.task.n
        cdef const float** at = &self.rows[group * (n + 2)]
        if (rows.shape[0] != members.shape[0] or rows.shape[1] != columns
                or special.shape[0] != 2 or special.shape[1] != columns):
            raise ValueError("there must be a row for each member, for nothing and for the start")
        for i in range(n + 1):
            at[i] = &special[0, 0]      # never read for a word
        at[n + 1] = &special[1, 0]
        for i in range(<int>members.shape[0]):
            if not 0 <= members[i] < n:
                raise ValueError(f"there is no word {members[i]}")
            at[members[i]] = &rows[i, 0]
        return 0

    cdef const float* row(self, int word, const Slot* slot) noexcept nogil:
        return self.rows[slot.group * (self.task.n + 2) + word] + slot.column

    cdef const float* count_row(self, int which, int value) noexcept nogil:
        return self.scorer.counts + (which * BUCKETS + value) * self.scorer.hidden

    cdef const float* pair_row(self, int table, int first) noexcept nogil:
        cdef int rows = self.task.n + 2
        return self.pairs + (<size_t>table * rows + first) * rows

    cdef void add_address(self, int address, int word, float* target) noexcept nogil:
        cdef const Slot* slot = &self.scorer.candidate[address]
        if slot.column >= 0:
            add_scaled(target, self.row(word, slot), 1.0, self.scorer.hidden)

    cdef void add_set(
        self, int which, const int32_t* words, int count, float by, float* target
    ) noexcept nogil:
        cdef int i
        cdef const Slot* slot = &self.scorer.sets[which]
        if slot.column >= 0:
            for i in range(count):
                add_scaled(target, self.row(words[i], slot), by, self.scorer.hidden)

    cdef int compute_state_part(self, const State* state) except -1 nogil:
        """Compute what all SHIFTs of a state share."""
        cdef int i, count, size = self.scorer.hidden
        cdef float* part = self.state_part.data()
        cdef const float* rows[N_STATE]
        cdef const float* row
        self.expansion += 1
        row = self.count_row(REST, bucket(self.task.n - state.shifted))
        memcpy(part, row, size * sizeof(float))
        for i in range(<int>self.scorer.state.size()):
            rows[i] = self.row(self.at[self.scorer.state[i].address], &self.scorer.state[i])
        add_rows(part, rows, self.scorer.state.size(), size)
        count = find_unplaced(self.task, state, self.unplaced)
        self.add_set(UNPLACED, self.unplaced, count, <float>1.0 / count, part)
        if self.scorer.unplaced_table >= 0:
            self.compute_unplaced_scores(state, count)
        return 0

    cdef int compute_unplaced_scores(self, const State* state, int count) except -1 nogil:
        """Compute the mean pair score of each word that can be shifted with the unplaced words."""
        cdef int i, word
        cdef const int64_t* sums
        if self.unplaced_sums == NULL:
            self.unplaced_scores = self.unplaced_means.of(
                state.buffer, self.unplaced, count, self.words.data(), self.words.size()
            )
            return 0
        sums = self.unplaced_sums.of(state.buffer, state.w0)
        for i in range(<int>self.words.size()):
            word = self.words[i]
            self.unfixed_scores[word] = unfixed_mean(sums[word], count)
        self.unplaced_scores = self.unfixed_scores.data()
        return 0

    cdef void compute_head_family_sum(self, int head) noexcept nogil:
        """Sum over the unplaced words among a head and its dependents, once per state.

        These are the family in the view, and A itself.
        """
        cdef float* total = &self.head_family_sum[head * self.scorer.hidden]
        if self.head_family_expansion[head] != self.expansion:
            self.head_family_expansion[head] = self.expansion
            memset(total, 0, self.scorer.hidden * sizeof(float))
            self.add_set(FAMILY, self.view.family, self.view.n_family, 1.0, total)
            self.add_set(FAMILY, &self.view.at[A], 1, 1.0, total)

    cdef void compute_family_part(self, const State* state) noexcept nogil:
        """Compute what all candidates with this A share in a state."""
        cdef CandidateView* view = &self.view
        cdef int i, j, a = view.at[A], size = self.scorer.hidden
        cdef float* part = &self.family_part[a * size]
        cdef float score = 0
        cdef const Pair* pair
        cdef const float* row
        resolve_family(self.task, state, view)
        if self.task.words[a].head >= 0:
            self.start_family_part(a, view.at[AH], view.at[AP], view.n_family)
        if view.n_family and self.scorer.sets[FAMILY].column >= 0:
            # The mean over the family: the sum that the members of a family share, less A.
            self.compute_head_family_sum(view.at[AH])
            row = &self.head_family_sum[view.at[AH] * size]
            add_scaled(part, row, <float>1.0 / view.n_family, size)
            self.add_set(FAMILY, &view.at[A], 1, <float>-1.0 / view.n_family, part)
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
        self.family_score[a] = score
        self.family_expansion[a] = self.expansion

    cdef void start_family_part(self, int a, int head, int last, int size) noexcept nogil:
        """Write the family part of A but for the mean over its family."""
        cdef float* part = &self.family_part[a * self.scorer.hidden]
        memcpy(
            part, self.count_row(FAMILY_SIZE, bucket(size)), self.scorer.hidden * sizeof(float)
        )
        self.add_address(A, a, part)
        self.add_address(AH, head, part)
        self.add_address(AP, last, part)

    cdef float score_shift(self, const State* state, int word) noexcept nogil:
        cdef CandidateView* view = &self.view
        cdef int i, j, count = 4, size = self.scorer.hidden
        cdef float* varying = self.varying_part.data()
        cdef const float* rows[5]
        cdef const float* row
        cdef const Pair* pair
        cdef float score
        resolve_candidate(self.task, state, word, view)
        if self.family_expansion[view.at[A]] != self.expansion:
            self.compute_family_part(state)
        rows[0] = self.state_part.data()
        rows[1] = &self.family_part[view.at[A] * size]
        rows[2] = self.count_row(SIDE, view.side)
        if view.depth == 0 and view.n_dependents == 0:
            rows[3] = &self.simple_part[word * size]
        else:
            rows[3] = &self.static_part[word * size]
            rows[4] = varying
            count = 5
            row = self.count_row(DEPTH, bucket(view.depth))
            memcpy(varying, row, size * sizeof(float))
            row = self.count_row(DEPENDENTS_SIZE, bucket(view.n_dependents))
            add_scaled(varying, row, 1.0, size)
            self.add_address(B, view.at[B], varying)
            self.add_set(PATH, view.path, view.n_path, 1.0, varying)
            if view.n_dependents:
                self.add_set(
                    DEPENDENTS, view.dependents, view.n_dependents,
                    <float>1.0 / view.n_dependents, varying,
                )
        score = rectified_dot(rows, count, self.scorer.shift_out, size)
        score += self.family_score[view.at[A]]
        if self.scorer.unplaced_table >= 0:
            score += self.unplaced_scores[word]
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
        """The scores of LEFTARC and RIGHTARC."""
        cdef int i, size = self.scorer.arc_hidden
        cdef const float* rows[N_STATE]
        for i in range(<int>self.scorer.arc.size()):
            rows[i] = self.row(self.at[self.scorer.arc[i].address], &self.scorer.arc[i])
        for i in range(2):
            out[i] = self.scorer.arc_bias[i] + rectified_dot(
                rows, self.scorer.arc.size(), self.scorer.arc_out + i * size, size
            ) + self.pair_row(self.scorer.n_pairs + i, self.at[S1])[self.at[S0]]

    cdef int expand(self, State* state, int parent) except -1 nogil:
        """Add all legal actions to the candidates.

        If an order is given, its next word still competes with the next words of all other
        orders: otherwise scores of different orders would not be comparable.
        """
        cdef int i, word
        cdef uint64_t rest
        cdef bint left = legal_leftarc(self.task, state), right = legal_rightarc(self.task, state)
        cdef float arcs[2]
        cdef double best, total
        cdef int fixed = NONE
        if self.task.fixed != NULL and state.shifted < self.task.n:
            fixed = self.task.fixed[state.shifted]
        if self.unplaced_sums != NULL:
            # Also where the sums are not needed: those of the next states follow from them.
            self.unplaced_sums.of(state.buffer, state.w0)
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
            resolve_state(self.task, state, self.at)
            best = -1e30
            if left or right:
                self.score_arcs(arcs)
                best = max(arcs[0] if left else best, arcs[1] if right else best)
            if self.words.size():
                self.compute_state_part(state)
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
        return 0

    cdef int sign_words(self, const State* state, string* key) except -1 nogil:
        """What the scorer reads of the stack: no number of dependents, no chosen tag or label."""
        cdef int i
        cdef const Node* node
        cdef int16_t seen[8]
        for i in range(state.size):
            node = state.stack + i
            seen[0] = node.word
            seen[1] = node.l
            seen[2] = node.l2
            seen[3] = node.r
            seen[4] = node.r2
            seen[5] = node.inner
            seen[6] = node.n_right > 0
            seen[7] = node.due
            key.append(<const char*>seen, sizeof(seen))
        return 0

    def scored_actions(self):
        """The legal actions (kind, word, tag, label) of the first state with their scores."""
        self.candidates.clear()
        self.expand(self.current[0], 0)
        return [
            ((c.kind, c.word, c.tag, c.label), c.score - self.current[0].score)
            for c in self.candidates
        ]

    def move(self, action):
        """Apply an action to the first state."""
        apply(self.task, self.current[0], Action(action[0], action[1], action[2], action[3]))


cdef class Reranker(NeuralSearch):
    """Scores finished derivations by those that build the same sentences from the other end.

    Its task is that of the search, mirrored; that of the search itself if it works `same_way`, from
    the same end with another network. It ignores given orders.
    """

    def __cinit__(self, *_, double share=0.5, bint same_way=False, **__):
        self.task = &self.unfixed
        self.share = share
        self.same_way = same_way

    def judge(self, Search search):
        """Give this scorer its share in the syntax score of each finished derivation."""
        with nogil:
            self.rerank(search)

    cdef int rerank(self, Search search) except -1 nogil:
        """Score derivations in sorted order, so that `score` can reuse their common prefixes.

        When time is short, only the best ones are scored, and the others are dropped, because
        scores of one direction and means of two cannot be compared. If there is no time for any,
        the best one keeps its score of one direction.
        """
        cdef vector[numbered[vector[int32_t], int]] derivations
        cdef Finished* finished
        cdef vector[double] scores
        cdef double seconds, left
        cdef size_t i
        # About half of a derivation is a prefix of another one. The estimate may be too high.
        seconds = search.mean_seconds * self.task.n
        left = search.clock.end - steady_seconds()
        if left < DOUBT * seconds * search.finished.size():
            search.finished.resize(<size_t>max(1.0, left / seconds))
            search.narrowed = True
        derivations.resize(search.finished.size())
        for i in range(derivations.size()):
            self.read(search, search.finished[i].links, &derivations[i].first)
            derivations[i].second = i
        sort(derivations.begin(), derivations.end())
        scores.assign(derivations.size(), 0.0)
        for i in range(derivations.size()):
            if not self.score(search.clock, derivations[i].first, &scores[derivations[i].second]):
                search.finished.resize(1)
                search.narrowed = True
                return search.rank()
        for i in range(scores.size()):
            finished = &search.finished[i]
            finished.syntax *= 1 - self.share
            finished.syntax += self.share * scores[i]
        return search.rank()

    cdef int read(
        self, Search search, const vector[int32_t]& links, vector[int32_t]* moves
    ) except -1 nogil:
        """The moves that build the sentence of a derivation from the end where this scorer begins.

        A SHIFT is the number of its word, an arc its kind as a negative number.
        """
        cdef vector[int32_t] order, heads, open_, stack
        cdef vector[Action] actions
        cdef const Link* link
        cdef int i
        heads.assign(self.task.n, ROOT)
        for i in range(<int>links.size() - 1, -1, -1):
            link = &search.links[links[i]]
            if link.kind == SHIFT:
                order.push_back(link.word)
                stack.push_back(link.word)
                continue
            if link.kind == LEFTARC:
                heads[stack[stack.size() - 2]] = stack.back()
                stack[stack.size() - 2] = stack.back()
            else:
                heads[stack.back()] = stack[stack.size() - 2]
            stack.pop_back()
        if not self.same_way:
            mirror(self.task, &order, &heads)
        open_.assign(self.task.n, NONE)
        reference_actions(
            self.task, order.data(), heads.data(), open_.data(), open_.data(), &actions
        )
        for i in range(<int>actions.size()):
            moves.push_back(actions[i].word if actions[i].kind == SHIFT else -actions[i].kind)
        return 0

    cdef bint score(
        self, Clock clock, const vector[int32_t]& moves, double* score
    ) except -1 nogil:
        """Find the log-probability of a derivation; its common prefix with the last one is reused.
        False if time was over first."""
        cdef State* state = self.current[0]
        cdef Candidate* candidate
        cdef Action action
        cdef size_t i, j
        initial_state(self.task, state)
        for i in range(moves.size()):
            action = Action(SHIFT, moves[i], NONE, NONE)
            if moves[i] < 0:
                action = Action(-moves[i], NONE, NONE, NONE)
            if i >= self.last.size() or self.last[i] != moves[i]:
                if i % MOVES_PER_LOOK == MOVES_PER_LOOK - 1:
                    clock.look()
                    if clock.is_over():
                        return False
                self.last.resize(i)
                self.last.push_back(moves[i])
                self.sums.resize(i)
                self.candidates.clear()
                self.sums.push_back(state.score)
                self.expand(state, 0)
                for j in range(self.candidates.size()):
                    candidate = &self.candidates[j]
                    if candidate.kind == action.kind and candidate.word == action.word:
                        self.sums[i] = candidate.score
            state.score = self.sums[i]
            apply(self.task, state, action)
        score[0] = state.score
        return True
