"""Reranks the results of a search with another scorer, which works from either end."""

from libc.stdint cimport int32_t
from libcpp.algorithm cimport sort
from libcpp.utility cimport pair as numbered
from libcpp.vector cimport vector

from syntagma.neural._search cimport NeuralSearch
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport (
    LEFTARC, NONE, ROOT, SHIFT, Action, Candidate, Finished, Link, State, apply, initial_state,
    mirror, reference_actions, steady_seconds,
)


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
        scores of one direction and means of two cannot be compared. When it is over, the best one
        keeps its score of one direction.
        """
        cdef vector[numbered[vector[int32_t], int]] derivations
        cdef Finished* finished
        cdef double seconds, left
        cdef int i
        if search.deadline:
            # About half of a derivation is a prefix of another one.
            seconds = search.mean_seconds * self.task.n
            left = search.deadline - steady_seconds()
            if left < seconds * search.finished.size():
                i = <int>(left / seconds) if left > 0 else 0
                search.finished.resize(min(search.finished.size(), <size_t>max(i, 1)))
                search.narrowed = True
                if not i:
                    return search.rank()
        derivations.resize(search.finished.size())
        for i in range(<int>derivations.size()):
            self.read(search, search.finished[i].links, &derivations[i].first)
            derivations[i].second = i
        sort(derivations.begin(), derivations.end())
        for i in range(<int>derivations.size()):
            finished = &search.finished[derivations[i].second]
            finished.syntax *= 1 - self.share
            finished.syntax += self.share * self.score(derivations[i].first)
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

    cdef double score(self, const vector[int32_t]& moves) except? -1 nogil:
        """The log-probability of a derivation; its common prefix with the last one is reused."""
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
        return state.score
