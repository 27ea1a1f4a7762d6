"""Alternatives that differ in meaning or emphasis, chosen among the best results of a search by
how much they differ (`results/difference.py`)."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from syntagma.results.linearization import Linearization
from syntagma.results.realization import NBest, R

# Results that the search is asked for. A beam of the default width seldom finishes so many orders.
CANDIDATES = 256
LEAST_DIFFERENCE = 0.2
# The score that an alternative may lose against the best result, where scores are sums of
# log-probabilities: a compromise, see docs/lab/alternatives.md.
MOST_LOST = 10.0


def most_lost(scorer: str) -> float:
    """How much score an alternative may lose. The scores of a linear scorer are no
    log-probabilities and have no common scale, so there is no limit."""
    return MOST_LOST if scorer == "neural" else inf


def choose(
    results: Iterable[R],
    n_best: int,
    *,
    most_lost: float,
    least_difference: float = LEAST_DIFFERENCE,
) -> NBest[R]:
    """At most `n_best` of the results, which come best first: the best one, then each that differs
    enough from all that were chosen before it and does not lose too much.

    So a longer list begins with the shorter one.
    """
    from syntagma.results.difference import Profile, profile, profile_difference

    chosen: NBest[R] = NBest()
    profiles: list[Profile] = []
    for result in results:
        if len(chosen) == n_best or (chosen and chosen[0].score - result.score > most_lost):
            break
        candidate = (
            profile(result)
            if isinstance(result, Linearization)
            else profile(result.linearization, lemmas=True)  # the forms of results differ
        )
        if all(profile_difference(candidate, each) >= least_difference for each in profiles):
            chosen.append(result)
            profiles.append(candidate)
    return chosen
