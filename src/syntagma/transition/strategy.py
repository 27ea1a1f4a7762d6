"""Interfaces of a search: a `Strategy` is what the linearizer knows of a model, a `Scorer` what a
beam search knows of it, a `Judge` contributes to the ranking of finished orders of a search, a
`ResultJudge` to that of the results of a problem.

To add a judge, write a class with the method `judge`, and open it in `Model.strategy`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from syntagma.errors import SyntagmaError
from syntagma.language_model._ngrams import NGramScorer
from syntagma.language_model.balance import Balance
from syntagma.language_model.packed import LanguageModel
from syntagma.request import Request, SearchName
from syntagma.results.linearization import Linearization
from syntagma.transition._clock import NO_LIMIT, Clock
from syntagma.transition._search import Search
from syntagma.transition.encoding import Encoding
from syntagma.transition.lifting import Floats


class Strategy(Protocol):
    """A search with a scorer; this is all that the linearizer knows about the inside of a model.

    Searching `batch` problems together is fastest; problems may have at most `max_words` words.
    `takes_arcs`: whether heads and labels can be given. `chooses_forms`: whether scores distinguish
    the forms of a lemma, so that the search can choose among them. `lifts`: whether orders of given
    trees may be other than projective.
    """

    name: SearchName
    batch: int
    max_words: int
    takes_arcs: bool
    chooses_forms: bool
    lifts: bool

    def beam(self, is_tree: bool) -> int:
        """The beam width that the model chooses, by whether all arcs are given. Raises `ModelError`
        if the search has no beam, and so cannot score given orders."""

    def search(
        self, encodings: Sequence[Encoding], request: Request, n_best: int, clock: Clock = NO_LIMIT
    ) -> Iterator[list[Linearization] | SyntagmaError]:
        """At most `n_best` results of each problem, best first, or the error that explains why
        there is none. Several problems share the clock."""


class Scorer(Protocol):
    """Opens searches that score their actions.

    Encoding `batch` problems together is fastest; problems may have at most `max_words` words.
    `chooses_forms`: whether its scores distinguish the forms that a word may take. `lifts`: whether
    it knows how far words are lifted.
    """

    batch: int
    max_words: int
    chooses_forms: bool
    lifts: bool

    def lift_scores(self, search: Search) -> Floats | None:
        """Log-probabilities [word, steps] of how far words are lifted; None if they cannot be."""

    def beam(self, is_tree: bool) -> int:
        """The beam width beyond which little is gained."""

    def searches(
        self,
        encodings: Sequence[Encoding],
        widths: Sequence[int],
        ngram_scorers: Sequence[NGramScorer | None],
        clock: Clock = NO_LIMIT,
        *,
        merging: bool = True,
    ) -> Iterator[Search]:
        """A search for each problem; no result depends on which problems come together. Raises
        `TimeIsUp`.

        With `merging`, states that look the same to the scorers become one.
        """


class ResultJudge(Protocol):
    """Reads the results of a problem, whichever of its searches found them, and ranks them anew.

    A problem may take several searches: from both ends, with several liftings, with wider beams.
    What costs much per sentence, or may find no time, judges all their results together, or none.
    Built in is `judges.judging.SentenceJudge`.
    """

    def beam(self, encoding: Encoding) -> int:
        """The least width of a beam that holds what the judge chooses from."""

    def wanted(self, encoding: Encoding, n_best: int) -> int:
        """How many results the searches are to find, so that `n_best` can be chosen from them."""

    def rank(
        self, encoding: Encoding, found: list[Linearization], n_best: int, clock: Clock
    ) -> list[Linearization]:
        """At most `n_best` of the results, best first; a judged one says so in its parts."""


class Judge(Protocol):
    """Reads the finished orders of a search and contributes to their scores.

    It may read the words and trees of `search.trees()` and give each a part of the score, a
    weighted log-probability, by `search.contribute(name, scores)`. The parts are added up in one
    place (`Search.rank`), and results list them by name. Built in are the rerankers of the neural
    scorer, which mix what they read into the part `syntax`: the same network from the other end,
    and a second one. The part `fluency` of the n-gram model is known when an order is finished. No
    judge sees an order that breaks a constraint, or can add one.
    """

    def judge(self, search: Search) -> None: ...


@dataclass(frozen=True, slots=True)
class WeightedLanguageModel:
    """A language model; its weight depends on how much syntax a problem gives."""

    language_model: LanguageModel
    balance: Balance

    def ngram_scorer(self, encoding: Encoding) -> NGramScorer:
        """The n-gram scorer of one search."""
        weight = self.balance.weight(*encoding.shares)
        return self.language_model.ngram_scorer(encoding.forms, weight, encoding.choices)
