"""An acceptance: whether an order of the words is a good one and, if not, where it goes wrong.

`linearizer.acceptance` finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from syntagma.results.linearization import Linearization

Verdict = Literal["same", "as good", "worse"]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The verdict on an order of the words of a problem.

    `verdict` is "same" if `words`, the order that was judged, is the sentence of `best`; "as good"
    if its loss is within the margin; else "worse". `margin` is the loss that is accepted for each
    pair of neighbours among the words.

    `given` is the order with its best tree and its score; None if it breaks a constraint of the
    problem. `broken` then says which.

    `share` is the share of its adjacencies, those with the start and the end of the sentence
    included, that are in the nearest acceptable order: of all orders within the margin that were
    found, the one with which it shares most. It is 1 only if the order is accepted.

    The rest is there only if the order is worse. The cost of a word is how much the score of the
    best order that begins with the words before it exceeds that of the best order that begins with
    the word, too. `position` is the 1-based place of the word that costs most, of those before
    which an acceptable order was still possible; the first of several. `hint` is the best order
    that begins with the words before it, which is acceptable. `costs` are the costs of all words,
    whose sum is the loss; there are none if the order has more than 40 words or time was limited.

    `narrowed` says that a time limit narrowed the beam of a search, which may have changed the
    verdict.
    """

    verdict: Verdict
    words: tuple[str, ...]
    best: Linearization
    given: Linearization | None
    margin: float
    share: float = 1.0
    position: int | None = None
    hint: Linearization | None = None
    costs: tuple[float, ...] = ()
    broken: tuple[str, ...] = ()
    narrowed: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the order is the best one or as good."""
        return self.verdict != "worse"

    @property
    def loss(self) -> float:
        """How much better the best order scores; infinite if the order breaks a constraint.

        Negative if the order scores better than the best one that the search found.
        """
        return float("inf") if self.given is None else self.best.score - self.given.score

    @property
    def allowed(self) -> float:
        """The largest loss that is accepted: `margin` for each pair of neighbours."""
        return self.margin * (len(self.words) - 1)

    @property
    def text(self) -> str:
        """The order that was judged, forms separated by spaces."""
        return " ".join(self.words)

    @property
    def adjacency(self) -> tuple[str | None, str] | None:
        """The word at `position` and the word before it, None at the start of the sentence."""
        if self.position is None:
            return None
        before = self.words[self.position - 2] if self.position > 1 else None
        return before, self.words[self.position - 1]

    @property
    def continuation(self) -> tuple[str, ...]:
        """The words of the hint from `position` on."""
        if self.hint is None or self.position is None:
            return ()
        return self.hint.words[self.position - 1 :]

    def __str__(self) -> str:
        if self.verdict == "same":
            return f"same: {self.text!r} is the best order"
        if self.verdict == "as good":
            return f"as good: {self.text!r} is as good as {self.best.text!r}"
        place = ""
        if self.adjacency is not None:
            before, word = self.adjacency
            after = f"its first word {word!r}" if before is None else f"{word!r} after {before!r}"
            place = f"goes wrong at {after}"
        parts = [f"worse: {self.text!r} {place}", *self.broken]
        if self.hint is not None:
            parts.append(f"better: {self.hint.text!r}")
        return "; ".join([*parts, f"{self.share:.0%} of its adjacencies are right"])


def shared_adjacencies(words: Sequence[str], others: Sequence[str]) -> float:
    """The share of the adjacencies of `words` that `others`, the same words, has as well.

    From left to right, `words` is cut into the longest pieces that `others` still has; what is
    between two pieces is not shared. So each word is matched once, and only the same order has
    share 1. Counting pairs of words would not tell these two orders apart:

    >>> order = ["the", "dog", "bit", "the", "man", "in", "the", "park"]
    >>> shared_adjacencies(["the", "man", "in", "the", "dog", "bit", "the", "park"], order)
    0.6666666666666666
    """
    one, other = [None, *words, None], [None, *others, None]
    free = [True] * len(other)
    places: dict[str | None, list[int]] = {}
    for place, word in enumerate(other):
        places.setdefault(word, []).append(place)

    def length(start: int, place: int) -> int:
        """How long `one` from `start` on and the free words of `other` from `place` on agree."""
        end = place
        while end < len(other) and free[end] and other[end] == one[start + end - place]:
            end += 1
        return end - place

    start = pieces = 0
    while start < len(one):
        place = max(places[one[start]], key=partial(length, start))
        agreed = length(start, place)
        free[place : place + agreed] = [False] * agreed
        start += agreed
        pieces += 1
    return (len(one) - pieces) / (len(one) - 1)
