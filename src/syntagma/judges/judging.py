"""How a judge ranks the results of a problem: score + weight · log P(sentence as people write it).

How much it counts, and how much it reads, depends on what the problem gives. Of the best results of
a search, those are read that may come first: to begin with those of the highest scores, then those
that look best after what was read. Results that were not read follow in levels, each read as a
whole, as they are reranked (`transition/_lattice`). So a longer list begins with the shorter one.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Protocol, TypeVar, runtime_checkable

from syntagma.errors import (
    CancelledError,
    ModelError,
    SyntagmaError,
    SyntagmaWarning,
    brief,
    shown,
    warn,
)
from syntagma.request import MAX_BEAM
from syntagma.results.linearization import Linearization
from syntagma.transition._clock import Clock, TimeIsUp
from syntagma.transition.encoding import Encoding

PART: Final = "judge"  # of the score
_TOGETHER = 8  # sentences that are read before the next ones are chosen
T = TypeVar("T")
JudgeErrors = Literal["raise", "warn"]

_MANY, _TOO_MANY = 16, 40  # words of a bag between which as much is read as the settings say
_DIGITS = 4  # of log-probabilities; what a runtime computes beyond is noise


class SentenceModel(Protocol):
    """What can be a judge: a model of sentences as people write them."""

    def log_probs(self, sentences: Sequence[str]) -> Sequence[float]:
        """The log-probability of each sentence."""


@runtime_checkable
class GradualModel(SentenceModel, Protocol):
    """One that reads some sentences of a problem and guesses what it would say of the others."""

    def open(self, sentences: Sequence[str]) -> GradualReading:
        """Sentences that are to be read a few at a time."""


class GradualReading(Protocol):
    """Sentences of a problem, of which a judge reads a few at a time."""

    def read(self, rows: Sequence[int]) -> None:
        """Read these sentences."""

    def log_probs(self, rows: Sequence[int]) -> Sequence[float]:
        """The log-probabilities of sentences that were read."""

    def guesses(self) -> Sequence[float]:
        """Those of all sentences, guessed from what was read."""


class _Listed:
    """The sentences of a model that cannot guess."""

    def __init__(self, model: SentenceModel, sentences: Sequence[str]) -> None:
        self._model, self._sentences = model, sentences
        self._known: dict[int, float] = {}

    def read(self, rows: Sequence[int]) -> None:
        rows = sorted(rows, key=lambda row: (len(self._sentences[row]), self._sentences[row]))
        values = self._model.log_probs([self._sentences[row] for row in rows])
        if len(values) != len(rows):
            raise ValueError(f"{len(values)} numbers for {len(rows)} sentences")
        self._known.update(zip(rows, values, strict=True))

    def log_probs(self, rows: Sequence[int]) -> list[float]:
        return [self._known[row] for row in rows]

    def guesses(self) -> list[float]:
        return [0.0] * len(self._sentences)


@dataclass(frozen=True, slots=True)
class Share:
    """What a judge does for one kind of problem: the weight of its log-probabilities, how many
    results it chooses from, and how many of these it reads."""

    weight: float
    pool: int
    read: int


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The share of a judge by what a problem gives: a labelled tree, a tree, something, nothing but
    words. Where the first order scores more than `lead` higher than the second, nothing is read."""

    labelled: Share
    tree: Share
    some: Share
    none: Share
    lead: float = math.inf

    def of(self, encoding: Encoding) -> Share:
        """The share in a problem. Few words have few orders that are worth reading; of many words,
        each order takes long to read."""
        if encoding.is_tree:
            return self.labelled if encoding.shares[2] == 1 else self.tree
        whole = self.some if any(encoding.shares) else self.none
        words = len(encoding.order)
        part = min(1.0, words / _MANY)
        pool = math.ceil(part * whole.pool)
        read = math.ceil(min(part, _TOO_MANY / words) * whole.read)
        return Share(whole.weight, pool, min(read, pool))

    def with_weight(self, weight: float) -> JudgeSettings:
        """The same with one weight, whatever a problem gives."""
        shares = {name: replace(getattr(self, name), weight=weight) for name in KINDS}
        return replace(self, **shares)

    def __str__(self) -> str:
        weights = [getattr(self, name).weight for name in KINDS]
        return "/".join(f"{each:g}" for each in (weights[:1] if len({*weights}) == 1 else weights))


KINDS: Final = ("labelled", "tree", "some", "none")


@dataclass(frozen=True, slots=True)
class SentenceJudge:
    """A model of sentences as a judge of the results of a problem.

    `about` are the fields of signatures that say which model it is. `spell` writes a result as
    people do. Where the model fails, `errors` are raised, or the results are not judged, and a
    warning says why. `digest` is the SHA-256 of the model's file.
    """

    model: SentenceModel
    settings: JudgeSettings
    about: dict[str, str]
    spell: Callable[[Linearization], str] = str
    errors: JudgeErrors = "raise"
    digest: str = ""
    # The last problem of each thread that was not judged: realizing asks for the same one again.
    _failed: threading.local = field(
        default_factory=threading.local, init=False, repr=False, compare=False
    )

    def beam(self, encoding: Encoding) -> int:
        """The width of a beam that holds what is to be chosen from."""
        return 1 if encoding.fixed else min(2 * self.settings.of(encoding).pool, MAX_BEAM)

    def wanted(self, encoding: Encoding, n_best: int) -> int:
        """Whole levels, down to that of the last one asked for; a given order is not judged."""
        if encoding.fixed:
            return n_best
        size = self.settings.of(encoding).pool
        while size < n_best:
            size *= 2
        return size

    def rank(
        self, encoding: Encoding, found: list[Linearization], n_best: int, clock: Clock
    ) -> list[Linearization]:
        """When time is over, nothing is judged: scores with and without the judge cannot be
        compared."""
        lead = self.settings.lead
        if encoding.fixed or len(found) < 2 or found[0].score - found[1].score > lead:
            return found[:n_best]
        if getattr(self._failed, "encoding", None) is encoding:
            return found[:n_best]
        share = self.settings.of(encoding)
        try:
            pool = sorted(found[: share.pool], key=_by_score)
            first, rest = self._first(pool, share, clock)
            rest += found[share.pool :]
            ranked, size = first, share.pool
            while len(ranked) < n_best and rest:
                level = rest[: size - len(ranked)]
                if level:
                    reading = self._open(level)
                    ranked += self._judged(reading, level, range(len(level)), share, clock)
                rest, size = rest[len(level) :], 2 * size
        except TimeIsUp:
            return [replace(each, narrowed=True) for each in found[:n_best]]
        except CancelledError:
            raise
        except SyntagmaError as error:
            if self.errors == "raise":
                raise
            self._failed.encoding = encoding
            warn(SyntagmaWarning(f"not judged: {shown(self.spell(found[0]))}: {error}"))
            return found[:n_best]
        return ranked[:n_best]

    def _first(
        self, pool: Sequence[Linearization], share: Share, clock: Clock
    ) -> tuple[list[Linearization], list[Linearization]]:
        """Those of a pool that were read, best first, and the others."""
        reading = self._open(pool)
        left = list(range(len(pool)))
        judged: list[Linearization] = []
        while left and len(judged) < share.read:
            rows = left[: min(_TOGETHER, share.read - len(judged))]
            judged += self._judged(reading, pool, rows, share, clock)
            guesses = self._numbers(reading.guesses, pool, range(len(pool)))
            expected = {row: pool[row].score + share.weight * guesses[row] for row in left}
            left = sorted(left[len(rows) :], key=lambda row: -expected[row])
        return sorted(judged, key=_by_score), [pool[row] for row in sorted(left)]

    def _open(self, results: Sequence[Linearization]) -> GradualReading:
        texts = [self.spell(each) for each in results]
        model = self.model
        if isinstance(model, GradualModel):
            return self._checked(lambda: model.open(texts))
        return _Listed(model, texts)

    def _judged(
        self,
        reading: GradualReading,
        results: Sequence[Linearization],
        rows: Sequence[int],
        share: Share,
        clock: Clock,
    ) -> list[Linearization]:
        """These results with what the judge says of them, best first."""
        if clock.over:
            raise TimeIsUp
        clock.check()
        self._checked(lambda: reading.read(rows))
        judged = []
        values = self._numbers(lambda: reading.log_probs(rows), results, rows)
        for row, value in zip(rows, values, strict=True):
            each, part = results[row], share.weight * round(value, _DIGITS)
            parts = (*each.judged, (PART, part))
            judged.append(replace(each, score=each.score + part, judged=parts))
        return sorted(judged, key=_by_score)

    def _numbers(
        self,
        ask: Callable[[], Sequence[float]],
        results: Sequence[Linearization],
        rows: Sequence[int],
    ) -> list[float]:
        """What a model answers, if it is a finite number for each of these results."""

        def numbers() -> list[float]:
            values = [float(value) for value in ask()]
            if len(values) != len(rows):
                raise ValueError(f"{len(values)} numbers for {len(rows)} sentences")
            return values

        values = self._checked(numbers)
        for row, value in zip(rows, values, strict=True):
            if not math.isfinite(value):
                raise ModelError(
                    f"the judge {brief(self.about['judge'])} gave {value} for "
                    f"{shown(self.spell(results[row]))}: it must be a number that is finite; "
                    "order without a judge, or use another"
                )
        return values

    def _checked(self, ask: Callable[[], T]) -> T:
        """What a model answers; whatever it raises is one clear error."""
        try:
            return ask()
        except SyntagmaError:
            raise
        except Exception as error:
            raise ModelError(
                f"the judge {brief(self.about['judge'])} failed ({type(error).__name__}: {error}); "
                "order without a judge, or use another"
            ) from error


def _by_score(result: Linearization) -> float:
    return -result.score
