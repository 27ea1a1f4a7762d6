"""Alternatives that differ in meaning or emphasis, chosen among the best results of a search by
score and by how much they differ (`results/difference.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heapreplace
from math import inf

from syntagma.results.linearization import Linearization
from syntagma.results.realization import NBest, R

# Results that the search is asked for. A beam of the default width seldom finishes so many orders.
CANDIDATES = 256


@dataclass(frozen=True, slots=True)
class Rule:
    """What `choose` weighs; docs/lab/alternatives.md has the figures behind the numbers."""

    least_difference: float = 0.2  # results that differ less are alike
    likeness: float = 2.0  # the score that a result loses by being like one chosen before, at most
    doubt: float = 1.0  # a result that scores at most this much less than the best loses nothing
    most_lost: float = 10.0  # the score that an alternative may lose, likeness included


# The scores of a linear scorer are no log-probabilities and have no common scale: whatever they
# score, results that are alike are left out, and no others.
WITHOUT_SCALE = Rule(likeness=inf, doubt=-inf, most_lost=inf)


def rule_of(scorer: str) -> Rule:
    """The rule for the results of a scorer."""
    return Rule() if scorer == "neural" else WITHOUT_SCALE


def choose(results: Sequence[R], n_best: int, rule: Rule) -> NBest[R]:
    """At most `n_best` of the results, which come best first: the best one, then again and again
    that of the highest score less what its likeness to those chosen before takes from it (maximal
    marginal relevance: Carbonell & Goldstein 1998).

    So a longer list begins with the shorter one. A result that is left out scores at most
    `likeness` more than each that is chosen, unless it has the words of one in their order.
    """
    from syntagma.results.difference import Profile, profile, profile_difference

    chosen: NBest[R] = NBest()
    profiles: list[Profile] = []  # of those chosen
    own: dict[int, Profile] = {}  # of others, by rank
    # By rank, with how many of those chosen it was compared, and the least difference from them.
    compared = [(0, 1.0)] * len(results)
    # What each loses. It loses more with each choice, so the first is next if it is up to date.
    queue = [(results[0].score - result.score, rank) for rank, result in enumerate(results)]
    while queue and len(chosen) < n_best:
        lost, rank = queue[0]
        if lost > rule.most_lost:
            break
        result = results[rank]
        count, least = compared[rank]
        if rank not in own:
            own[rank] = (
                profile(result)
                if isinstance(result, Linearization)
                else profile(result.linearization, lemmas=True)  # the forms of results differ
            )
        if count == len(chosen):
            heappop(queue)
            chosen.append(result)
            profiles.append(own[rank])
            continue
        least = min(least, *(profile_difference(own[rank], each) for each in profiles[count:]))
        compared[rank] = len(chosen), least
        lost = results[0].score - result.score
        if least < rule.least_difference and lost > rule.doubt:
            lost += rule.likeness * (1 - least / rule.least_difference)
        if least == 0 or lost == inf:
            heappop(queue)
        else:
            heapreplace(queue, (lost, rank))
    return chosen
