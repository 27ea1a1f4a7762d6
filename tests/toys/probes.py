"""Searches run by the tests, and their results as derivations: scores with actions.

`decode_actions` replays actions one by one; the library reads the same trees off the compiled
search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from references.transition import LEFTARC, SHIFT, Action

from syntagma.language_model._ngrams import NGramScorer
from syntagma.results.linearization import Linearization
from syntagma.transition import _search
from syntagma.transition._depth_first import depth_first_search
from syntagma.transition._search import FoundTree, Search
from syntagma.transition._state import SearchTask
from syntagma.transition.encoding import ROOT, Encoding, decode
from syntagma.transition.vocabulary import Vocabulary

Results = list[tuple[float, list[Action]]]


def beam_search(search: Search, n_best: int = 1) -> Results:
    """The n best derivations."""
    return derivations(search, _search.beam_search(search, n_best))


def derivations(search: Search, found: Sequence[FoundTree]) -> Results:
    return [(each.score, search.derivation(rank)) for rank, each in enumerate(found)]


class Probe:
    """A search that is opened when it is run, with a language model or without."""

    def __init__(self, open_search: Callable[..., Search]) -> None:
        self._open = open_search
        self._found: list[FoundTree] = []

    @classmethod
    def plain(cls, task: SearchTask, width: int) -> Probe:
        """Without any scorer."""
        return cls(partial(Search, task, width))

    def open(self, ngram_scorer: NGramScorer | None = None, *, merging: bool = False) -> Search:
        return self._open(ngram_scorer=ngram_scorer, merging=merging)

    def run(
        self, n_best: int = 1, *, merging: bool = False, ngram_scorer: NGramScorer | None = None
    ) -> Results:
        search = self.open(ngram_scorer, merging=merging)
        self._found = _search.beam_search(search, n_best)
        return derivations(search, self._found)

    def depth_first(
        self, limit: int, ngram_scorer: NGramScorer | None = None, *, merging: bool = False
    ) -> tuple[Results, bool]:
        search = self.open(ngram_scorer, merging=merging)
        self._found, exhausted = depth_first_search(search, limit)
        return derivations(search, self._found), exhausted

    def forms(self, rank: int) -> list[int]:
        """The number of the form that each word of a result takes."""
        return self._found[rank].forms

    def fluency(self, rank: int) -> float | None:
        return self._found[rank].fluency


def decode_actions(
    encoding: Encoding,
    vocabulary: Vocabulary,
    score: float,
    actions: Sequence[Action],
    forms: Sequence[int] = (),
) -> Linearization:
    """The linearization that a derivation builds, replayed action by action."""
    n = len(encoding.order)
    order: list[int] = []
    stack: list[int] = []
    heads, tags, labels = [ROOT] * n, [-1] * n, [-1] * n
    for kind, word, tag, label in actions:
        if kind == SHIFT:
            stack.append(word)
            order.append(word)
            tags[word] = tag
            continue
        dependent = stack.pop(-2) if kind == LEFTARC else stack.pop()
        heads[dependent], labels[dependent] = stack[-1], label
    found = FoundTree(score, None, order, heads, tags, labels, list(forms) or [0] * n, {})
    return decode(encoding, vocabulary, found)
