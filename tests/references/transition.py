"""A slow, plain model of the transition system (L15 §3): state, moves, legality, derivations.

Legality is written down twice: by search for a way to complete the state, which is its definition,
and in closed form, as the compiled core has it. What satisfies a problem at all is the business of
brute_force.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from references.brute_force import Result, interchangeable
from syntagma.problem.problem import Problem

ROOT = -1
SHIFT, LEFTARC, RIGHTARC = range(3)
Arcs = Literal["eager", "lazy"]  # the order of a word's arcs
Action = tuple[int, int, int, int]  # kind, word, tag, label, as compiled searches have them


class Move(NamedTuple):
    """`word` is the 0-based word that SHIFT moves; -1 for the arcs."""

    kind: int
    word: int = -1


class State(NamedTuple):
    """All that the future depends on. Words are 0-based; the top is the last one of the stack.

    A stack word is `closed` to dependents on one side once it has one on the other: in the eager
    order to left ones, in the lazy order to right ones. In the eager order this matters for the top
    only: a word below the top can come to the top again only by taking a right dependent.
    """

    stack: tuple[int, ...]
    buffer: frozenset[int]
    arcs: Arcs = "eager"
    closed: frozenset[int] = frozenset()

    @property
    def finished(self) -> bool:
        return not self.buffer and len(self.stack) == 1

    def after(self, move: Move) -> State:
        stack, buffer, arcs, closed = self
        if move.kind == SHIFT:
            closed = closed if arcs == "lazy" else frozenset()
            return State((*stack, move.word), buffer - {move.word}, arcs, closed)
        below, top = stack[-2:]
        if move.kind == LEFTARC:
            closed = closed - {below} | {top} if arcs == "lazy" else frozenset()
            return State((*stack[:-2], top), buffer, arcs, closed)
        closed = closed - {top} if arcs == "lazy" else frozenset({below})
        return State(stack[:-1], buffer, arcs, closed)


@dataclass
class Given:
    """What a problem says, 0-based, in the words of the legality conditions."""

    head: list[int | None]  # a word, ROOT, or None if not given
    may_be_root: tuple[bool, ...]
    before: set[tuple[int, int]]  # the order constraints as stated
    predecessors: tuple[int, ...] | None  # their closure
    previous_twin: list[int | None]  # the interchangeable word that must go first
    arcs: Arcs

    @classmethod
    def of(cls, problem: Problem, arcs: Arcs = "eager") -> Given:
        n = len(problem.words)
        head = [None if w.head is None else w.head - 1 for w in problem.words]
        if problem.root is not None:
            head[problem.root - 1] = ROOT
        before = {(a - 1, b - 1) for a, b in problem.before}
        if problem.first is not None:
            before |= {(problem.first - 1, w) for w in range(n) if w != problem.first - 1}
        if problem.last is not None:
            before |= {(w, problem.last - 1) for w in range(n) if w != problem.last - 1}
        twin: list[int | None] = [None] * n
        for group in interchangeable(problem):
            for first, second in pairwise(group):
                twin[second - 1] = first - 1
        return cls(head, problem.may_be_root, before, problem.predecessors, twin, arcs)

    @property
    def start(self) -> State:
        return State((), frozenset(range(len(self.head))), self.arcs)

    def top(self, word: int) -> int:
        """The top of the given component of `word`."""
        while (head := self.head[word]) is not None and head != ROOT:
            word = head
        return word

    def is_ancestor(self, ancestor: int, word: int) -> bool:
        head = self.head[word]
        if head is None or head == ROOT:
            return False
        return head == ancestor or self.is_ancestor(ancestor, head)


# ---- legality by definition ------------------------------------------------------------------


class Exhaustive:
    """Legal = leads to a state from which some sequence of moves satisfies every constraint."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self._completable: dict[State, bool] = {}

    def legal(self, state: State) -> set[Move]:
        return {move for move in self._moves(state) if self.completable(state.after(move))}

    def completable(self, state: State) -> bool:
        known = self._completable.get(state)
        if known is None:
            if state.finished:
                known = self.given.may_be_root[state.stack[0]]
            else:
                known = any(self.completable(state.after(m)) for m in self._moves(state))
            self._completable[state] = known
        return known

    def _moves(self, state: State) -> Iterator[Move]:
        """Moves that break no constraint here and now, whatever becomes of them later."""
        given = self.given
        for word in state.buffer:
            if given.previous_twin[word] in state.buffer:
                continue
            if any((other, word) in given.before for other in state.buffer):
                continue
            yield Move(SHIFT, word)
        if len(state.stack) < 2:
            return
        below, top = state.stack[-2:]
        lazy = given.arcs == "lazy"
        if (lazy or top not in state.closed) and self._may_take(state, top, below):
            yield Move(LEFTARC)
        if not (lazy and below in state.closed) and self._may_take(state, below, top):
            yield Move(RIGHTARC)

    def _may_take(self, state: State, head: int, dependent: int) -> bool:
        """A popped word gets no more dependents and has the head it was given."""
        if self.given.head[dependent] not in (None, head):
            return False
        left_behind = state.buffer.union(state.stack)
        return all(self.given.head[word] != dependent for word in left_behind)


# ---- legality in closed form -----------------------------------------------------------------


class ClosedForm:
    """The conditions of the compiled core, read from the state alone.

    A stack word leaves either as right dependent of the word directly below it or as left dependent
    of a word shifted later, and what lies below it does not change meanwhile. So a stack word
    *binds* all that is placed above it while it is there to a dominating word:

    - to itself, if given dependents of it are in the buffer, if its given head is below it (it must
      wait for RIGHTARC, so all above ends up under it), or if it is the given root;
    - to its given head, if that is in the buffer, for this head will take it and all above it.

    A word that binds nothing (no given head, all given dependents taken) can leave at any time.
    """

    def __init__(self, given: Given) -> None:
        self.given = given
        tops = [w for w, head in enumerate(given.head) if head is None]
        restricted = not all(given.may_be_root[w] for w in tops)
        self.root_restricted = restricted and ROOT not in given.head
        words = range(len(given.head))
        self.component = [{v for v in words if given.top(v) == given.top(w)} for w in words]

    def legal(self, state: State) -> set[Move]:
        if self.lefts_due(state):
            return {Move(LEFTARC)}
        moves = {Move(SHIFT, w) for w in state.buffer if self.may_shift(state, w)}
        if self.may_left_arc(state):
            moves.add(Move(LEFTARC))
        if self.may_right_arc(state):
            moves.add(Move(RIGHTARC))
        if self.root_restricted:
            moves = {move for move in moves if self.rootable(state.after(move))}
        return moves

    def pending(self, state: State, word: int) -> bool:
        """Given dependents of the word are still to come."""
        return any(self.given.head[w] == word for w in state.buffer)

    def fresh(self, state: State, word: int) -> bool:
        """Nothing of the word's component has been shifted, and any head will do for its top."""
        anywhere = self.given.head[self.given.top(word)] != ROOT
        return anywhere and self.component[word] <= state.buffer

    def binds(self, state: State, word: int) -> int | None:
        """The word that must dominate all that is placed above this stack word."""
        head = self.given.head[word]
        if self.pending(state, word) or head == ROOT or head in state.stack:
            return word
        return head

    def inner(self, state: State, words: tuple[int, ...]) -> int | None:
        """The innermost binding of these stack words: it implies those below."""
        bindings = [d for w in words if (d := self.binds(state, w)) is not None]
        return bindings[-1] if bindings else None

    def lefts_due(self, state: State) -> int:
        """How many left dependents the top must take before anything else happens.

        Down to its lowest given dependent, or down to its given head, or all if it is the root.
        """
        if not state.stack or state.stack[-1] in state.closed:
            return 0
        return self._lefts(state.stack)

    def _lefts(self, stack: tuple[int, ...]) -> int:
        *others, top = stack
        head = self.given.head[top]
        if head == ROOT:
            return len(others)
        if head in others:
            return len(others) - 1 - others.index(head)
        below = [self.given.head[w] == top for w in others]
        return len(others) - below.index(True) if any(below) else 0

    def may_shift(self, state: State, word: int) -> bool:
        """What the stack binds must hold of the word, or be made to hold by attaching its top."""
        given = self.given
        if given.previous_twin[word] in state.buffer:
            return False
        if given.predecessors and any(given.predecessors[word] >> w & 1 for w in state.buffer):
            return False
        if not self.may_begin(state, word):
            return False
        inner = self.inner(state, state.stack)
        return (
            inner is None
            or inner == word
            or given.is_ancestor(inner, word)
            or self.fresh(state, word)
        )

    def may_begin(self, state: State, word: int) -> bool:
        """Between two words of a given subtree there are only words of the subtree and of
        components that were untouched when it was begun. So all else that must precede one of its
        words is placed before the first one."""
        given = self.given
        if not given.predecessors or all(head is None for head in given.head):
            return True
        for top in range(len(given.head)):
            if top != word and not given.is_ancestor(top, word):
                continue
            subtree = {v for v in self.component[top] if v == top or given.is_ancestor(top, v)}
            if subtree <= state.buffer and not self.can_close(state, subtree):
                return False
        return True

    def can_close(self, state: State, subtree: set[int]) -> bool:
        """What must precede words of the subtree can be placed within it."""
        free = {frozenset(self.component[v]) for v in state.buffer if self.fresh(state, v)}
        while waiting := {
            each for each in free if not self.needed(state, each) <= subtree.union(*free)
        }:
            free -= waiting
        own = self.component[min(subtree)]
        needed = self.needed(state, subtree)
        return needed <= set[int]().union(*free) - own and not any(
            self.lies_within(word, self.component[other]) for word in subtree for other in needed
        )

    def needed(self, state: State, words: Set[int]) -> set[int]:
        """The other words left that must precede one of these."""
        before = self.given.predecessors or ()
        return {v for v in state.buffer - words if any(before[w] >> v & 1 for w in words)}

    def lies_within(self, word: int, component: Set[int]) -> bool:
        """The word must stand between two of the component."""
        before = self.given.predecessors or ()
        return any(before[word] >> v & 1 for v in component) and any(
            before[v] >> word & 1 for v in component
        )

    def may_left_arc(self, state: State) -> bool:
        """The word below binds nothing (lefts that are due do not come here)."""
        if len(state.stack) < 2 or state.stack[-1] in state.closed:
            return False
        below, top = state.stack[-2:]
        return self.binds(state, below) is None and self.given.head[top] != below

    def may_right_arc(self, state: State) -> bool:
        if len(state.stack) < 2:
            return False
        below, top = state.stack[-2:]
        return self.given.head[top] in (None, below) and not self.pending(state, top)

    def rootable(self, state: State) -> bool:
        """Some word that may be the root can still become it."""
        for _ in range(self.lefts_due(state)):
            state = state.after(Move(LEFTARC))
        given, may = self.given, self.given.may_be_root
        if may[state.stack[0]]:
            return True
        if any(self.fresh(state, w) and may[given.top(w)] for w in state.buffer):
            return True
        # A component whose top is to come can end up over everything if nothing below it binds.
        lowest = next((w for w in state.stack if self.binds(state, w) is not None), None)
        if lowest is not None and given.head[lowest] in state.buffer and may[given.top(lowest)]:
            return True
        # The top can take all that is below it.
        *others, top = state.stack
        return top not in state.closed and may[top] and self.inner(state, tuple(others)) is None


class LazyClosedForm(ClosedForm):
    """The same for the lazy order, in which a word takes its right dependents first.

    A word that takes a left dependent is closed: it takes no right one any more. Something can be
    placed above a closed word only if a word shifted later is to take it on its left; so it binds
    what is above to its given head, or not at all.

    A word that is not closed may wait for its left dependents. While it owes some (`due`), it must
    come to the top again, so all that is placed above it becomes its descendant.
    """

    def legal(self, state: State) -> set[Move]:
        moves = {Move(SHIFT, w) for w in state.buffer if self.may_shift(state, w)}
        if len(state.stack) > 1:
            if self.may_left_arc(state):
                moves.add(Move(LEFTARC))
            if self.may_right_arc(state):
                moves.add(Move(RIGHTARC))
        if self.root_restricted:
            moves = {move for move in moves if self.rootable(state.after(move))}
        return moves

    def due(self, state: State, word: int) -> int:
        """How many of the stack words below this one are to become its left dependents."""
        return self._lefts(state.stack[: state.stack.index(word) + 1])

    def binds(self, state: State, word: int) -> int | None:
        head = self.given.head[word]
        below = state.stack[: state.stack.index(word)]
        if self.pending(state, word) or self.due(state, word) or head == ROOT or head in below:
            return word
        return head

    def complete(self, state: State, word: int) -> bool:
        """All that is given to be below the word is."""
        return not self.pending(state, word) and not self.due(state, word)

    def may_shift(self, state: State, word: int) -> bool:
        """As in the eager order; but a closed top that is to go to its left, or that must take
        more on its left, does so first."""
        if state.stack and (top := state.stack[-1]) in state.closed:
            head = self.given.head[top]
            if head == ROOT or head in state.stack or self.due(state, top):
                return False
        return super().may_shift(state, word)

    def may_left_arc(self, state: State) -> bool:
        """The word below can leave; the top needs no right dependent, neither a given one nor, if
        it is the given root, the rest of the words."""
        head = self.given.head
        below, top = state.stack[-2:]
        if self.pending(state, top) or (head[top] == ROOT and state.buffer):
            return False
        return head[below] in (None, top) and head[top] != below and self.complete(state, below)

    def may_right_arc(self, state: State) -> bool:
        below, top = state.stack[-2:]
        return (
            below not in state.closed
            and self.given.head[top] in (None, below)
            and self.complete(state, top)
        )

    def rootable(self, state: State) -> bool:
        """A stack word can become the root if it can take all below on its left, and what is to
        come on its right."""
        given, may = self.given, self.given.may_be_root
        if any(self.fresh(state, w) and may[given.top(w)] for w in state.buffer):
            return True
        for at, word in enumerate(state.stack):
            if given.head[word] in state.buffer:
                return may[given.top(word)]
            passed_over = any(
                above - self.due(state, other) <= at
                for above, other in enumerate(state.stack[at + 1 :], at + 1)
            )
            open_to_the_rest = word not in state.closed or (
                word == state.stack[-1] and not state.buffer
            )
            if may[word] and given.head[word] is None and open_to_the_rest and not passed_over:
                return True
            if self.binds(state, word) == word:
                return False
        return False


def closed_form(given: Given) -> ClosedForm:
    return LazyClosedForm(given) if given.arcs == "lazy" else ClosedForm(given)


# ---- derivations -----------------------------------------------------------------------------


def reachable(legality: Exhaustive | ClosedForm) -> tuple[list[Result], list[State]]:
    """The results of all sequences of legal moves (each should be there once), and dead ends."""
    results: list[Result] = []
    dead_ends: list[State] = []
    n = len(legality.given.head)

    def walk(state: State, order: tuple[int, ...], heads: dict[int, int]) -> None:
        if state.finished:
            by_word = tuple(heads.get(w, ROOT) + 1 for w in range(n))
            results.append((tuple(w + 1 for w in order), by_word))
            return
        moves = legality.legal(state)
        if not moves:
            dead_ends.append(state)
        for move in moves:
            if move.kind == SHIFT:
                walk(state.after(move), (*order, move.word), heads)
            else:
                below, top = state.stack[-2:]
                arc = {below: top} if move.kind == LEFTARC else {top: below}
                walk(state.after(move), order, heads | arc)

    walk(legality.given.start, (), {})
    return results, dead_ends
