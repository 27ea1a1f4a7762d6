"""How a judge ranks the results of a problem: score + weight · log P(sentence as people write it).

The weight depends on what the problem gives. Results are judged in levels, as they are reranked
(`transition/_lattice`): those that compete for the first rank, as many again, then twice as many
each time. So a longer list begins with the shorter one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, Protocol

from syntagma.errors import ModelError, SyntagmaError, brief, shown
from syntagma.results.linearization import Linearization
from syntagma.transition._clock import Clock, TimeIsUp
from syntagma.transition.encoding import Encoding

PART: Final = "judge"  # of the score
_LEVEL, _LEVEL_OF_TREES = 32, 12  # orders that compete for the first rank
_CHARACTERS = 500  # of the sentences that are read together: 125 tokens; more are no faster
_DIGITS = 4  # of log-probabilities; what a runtime computes beyond is noise


class SentenceModel(Protocol):
    """What can be a judge: a model of sentences as people write them."""

    def log_probs(self, sentences: Sequence[str]) -> Sequence[float]:
        """The log-probability of each sentence."""


@dataclass(frozen=True, slots=True)
class JudgeWeights:
    """The weights of a judge, by what a problem gives: a labelled tree, a tree, something, nothing
    but words."""

    labelled: float
    tree: float
    some: float
    none: float

    def of(self, encoding: Encoding) -> float:
        """The weight for a problem."""
        if encoding.is_tree:
            return self.labelled if encoding.shares[2] == 1 else self.tree
        return self.some if any(encoding.shares) else self.none

    def __str__(self) -> str:
        values = list(asdict(self).values())
        return "/".join(f"{value:g}" for value in (values[:1] if len({*values}) == 1 else values))


@dataclass(frozen=True, slots=True)
class SentenceJudge:
    """A model of sentences as a judge of the results of a problem.

    `about` are the fields of signatures that say which model it is. `spell` writes a result as
    people do. Where the first order scores more than `lead` higher than the second, nothing is
    judged.
    """

    model: SentenceModel
    weights: JudgeWeights
    about: dict[str, str]
    lead: float = math.inf
    spell: Callable[[Linearization], str] = str

    def wanted(self, encoding: Encoding, n_best: int) -> int:
        """Whole levels, down to that of the last one asked for; a given order is not judged."""
        if encoding.fixed:
            return n_best
        size = _LEVEL_OF_TREES if encoding.is_tree else _LEVEL
        while size < n_best:
            size *= 2
        return size

    def rank(
        self, encoding: Encoding, found: list[Linearization], n_best: int, clock: Clock
    ) -> list[Linearization]:
        """When time is over, nothing is judged: scores with and without the judge cannot be
        compared."""
        if encoding.fixed or len(found) < 2 or found[0].score - found[1].score > self.lead:
            return found[:n_best]
        weight, ranked, start = self.weights.of(encoding), list[Linearization](), 0
        while start < min(n_best, len(found)):
            end = self.wanted(encoding, start + 1)
            level = found[start:end]
            texts = [self.spell(each) for each in level]
            known = self._log_probs(texts, clock)
            if known is None:
                return [replace(each, narrowed=True) for each in found[:n_best]]
            parts = [weight * known[text] for text in texts]
            judged = [
                replace(each, score=each.score + part, judged=(*each.judged, (PART, part)))
                for each, part in zip(level, parts, strict=True)
            ]
            ranked += sorted(judged, key=lambda each: -each.score)
            start = end
        return ranked[:n_best]

    def _log_probs(self, texts: Sequence[str], clock: Clock) -> dict[str, float] | None:
        """The log-probability of each text; None if time was over first.

        Each text is read once, together with others of the same problem in an order of their own:
        neither other problems nor the order of the list can change a digit.
        """
        known: dict[str, float] = {}
        for batch in _batches(sorted({*texts}, key=lambda text: (len(text), text))):
            try:
                if clock.over:
                    return None
                clock.check()
            except TimeIsUp:
                return None
            known.update(zip(batch, self._read(batch), strict=True))
        return known

    def _read(self, batch: list[str]) -> list[float]:
        name = brief(self.about["judge"])
        try:
            values = [round(float(value), _DIGITS) for value in self.model.log_probs(batch)]
        except SyntagmaError:
            raise
        except Exception as error:  # whatever a model of somebody else raises
            raise ModelError(
                f"the judge {name} failed ({type(error).__name__}: {error}); "
                "order without a judge, or use another"
            ) from error
        if len(values) != len(batch):
            raise ModelError(f"the judge {name} gave {len(values)} numbers for {len(batch)} texts")
        for text, value in zip(batch, values, strict=True):
            if not math.isfinite(value):
                raise ModelError(
                    f"the judge {name} gave {value} for {shown(text)}: it must be a number that is "
                    "finite; order without a judge, or use another"
                )
        return values


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in batches of limited length; they come shortest first."""
    batch: list[str] = []
    for text in texts:
        if batch and (len(batch) + 1) * len(text) > _CHARACTERS:
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch
