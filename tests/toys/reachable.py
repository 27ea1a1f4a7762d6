"""Everything that legal moves of the compiled core lead to."""

from __future__ import annotations

from references.brute_force import Result
from references.transition import RIGHTARC, SHIFT, Action, Arcs

from syntagma.linear._perceptron import DerivationWalk
from syntagma.linear.scorer import LinearScorer
from syntagma.transition._state import SearchTask
from toys.models import few_templates, make_scorer, toy_vocabulary

UNWEIGHTED: dict[Arcs, LinearScorer] = {
    "eager": make_scorer(few_templates(), toy_vocabulary()),
    "lazy": make_scorer(few_templates(), toy_vocabulary(), arcs="lazy"),
}


def reachable(encoded: SearchTask, arcs: Arcs) -> tuple[list[Result], int]:
    """The results of all sequences of legal moves in the core, and the number of dead ends."""
    results: list[Result] = []
    agenda: list[tuple[Action, ...]] = [()]
    dead_ends = 0
    while agenda:
        actions = agenda.pop()
        derivation = DerivationWalk(encoded, UNWEIGHTED[arcs])
        for action in actions:
            derivation.apply(action)
        while not derivation.finished:
            by_move = {action[:2]: action for action in derivation.legal()}  # any tag, any label
            if not by_move:
                dead_ends += 1
                break
            *others, action = by_move.values()
            agenda += [(*actions, other) for other in others]
            actions = (*actions, action)
            derivation.apply(action)
        else:
            results.append(read_off(actions))
    return results, dead_ends


def read_off(actions: tuple[Action, ...]) -> Result:
    """(order, heads) that a derivation builds, 1-based."""
    order: list[int] = []
    stack: list[int] = []
    heads: dict[int, int] = {}
    for kind, word, _, _ in actions:
        if kind == SHIFT:
            order.append(word + 1)
            stack.append(word + 1)
        else:
            dependent = stack.pop(-1 if kind == RIGHTARC else -2)
            heads[dependent] = stack[-1]
    return tuple(order), tuple(heads.get(word, 0) for word in range(1, len(order) + 1))
