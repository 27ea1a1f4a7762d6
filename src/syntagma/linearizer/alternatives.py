"""Alternatives that differ in meaning or emphasis, chosen among the best results of a search.

How much two results differ is measured in `results/difference.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import TypeVar

from syntagma.results.difference import profile, profile_difference
from syntagma.results.linearization import Linearization

# The results that alternatives are chosen from. A beam of the default width finishes fewer.
CANDIDATES = 256
LEAST_DIFFERENCE = 0.25
# Log-probability that an alternative may lose against the best order. Scores of a linear scorer
# are not log-probabilities and have no common scale.
MOST_LOST = {"neural": 10.0}

R = TypeVar("R")


def choose(
    results: Iterable[R],
    n_best: int,
    scorer: str,
    linearization: Callable[[R], Linearization],
) -> list[R]:
    """At most `n_best` of the results, which come best first: the best, then again and again the
    next one that differs enough from every one chosen before and does not lose too much.

    So a longer list begins with the shorter one.
    """
    chosen: list[R] = []
    profiles = []
    best = 0.0
    for result in results:
        if len(chosen) == n_best:
            break
        found = linearization(result)
        if not chosen:
            best = found.score
        elif best - found.score > MOST_LOST.get(scorer, inf):
            continue
        candidate = profile(found)
        if all(profile_difference(candidate, each) >= LEAST_DIFFERENCE for each in profiles):
            chosen.append(result)
            profiles.append(candidate)
    return chosen
