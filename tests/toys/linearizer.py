"""A linearizer without a model for tests of what lies around it: it sorts words alphabetically.

Every word depends on the next one, every tag is `X`, every label `dep`, and longer words cost more.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations
from pathlib import Path
from typing import Any

from syntagma.errors import ProblemError, SyntagmaError
from syntagma.problem.problem import Problem
from syntagma.request import Request
from syntagma.results.linearization import Linearization, Token
from syntagma.results.realization import NBest
from syntagma.treebanks.conditions import MAIN_CONDITIONS

HEADER: dict[str, Any] = {
    "name": "fake",
    "language": "en",
    "licence": "CC0",
    "attribution": "nobody",
    "data": [{"name": "toy.conllu", "sha256": "00ff", "sentences": 3, "words": 17}],
    "start": {"name": "older", "data": [{"name": "toy.conllu", "words": 17}]},
    "tag_column": "xpos",
    "templates": ["S0w", "S1w"],
    "figures": {"none": 12.5, "labelled": 80.0},
}


@dataclass
class FakeInfo:
    path: Path | None = None
    size: int = 2_500_000
    header: dict[str, Any] = field(default_factory=lambda: dict(HEADER))
    name: str = "fake"


@dataclass
class FakeLinearizer:
    """Orders alphabetically; `pulled` counts the problems taken from the input so far."""

    info: FakeInfo = field(default_factory=FakeInfo)
    tag_column: str = "xpos"
    max_words: int = 2000
    has_language_model: bool = False
    lifts: bool = False
    judge: None = None
    search: str = "beam"
    conditions: tuple[str, ...] = MAIN_CONDITIONS
    pulled: int = 0

    def solve(
        self,
        problems: Iterable[Problem | SyntagmaError],
        request: Request,
        *,
        threads: int = 1,
        on_error: str = "raise",
    ) -> Iterator[Linearization | NBest[Linearization] | SyntagmaError]:
        n_best = request.n_best
        for problem in problems:
            self.pulled += 1
            if isinstance(problem, SyntagmaError):
                yield problem
            elif len(problem.words) > request.max_words:
                yield ProblemError(f"{len(problem.words)} words, but at most {request.max_words}")
            elif n_best is None:
                yield _arranged(problem, _alphabetical(problem))
            else:
                orders: Iterable[Sequence[int]] = permutations(_alphabetical(problem))
                if request.diverse:  # alternatives differ in their first words
                    orders = {order[0]: order for order in list(orders)[::-1]}.values()
                yield NBest(_arranged(problem, order) for order in islice(orders, n_best))

    def score(
        self, problem: Problem, order: Sequence[str], *, projective: bool = False
    ) -> Linearization:
        forms = [word.form for word in problem.words]
        if sorted(forms) != sorted(order):
            raise ProblemError(f"the order {order} does not have the words of the bag")
        return _arranged(problem, [forms.index(form) for form in order])


def fake_load(linearizer: FakeLinearizer) -> Callable[..., FakeLinearizer]:
    """What stands for `syntagma.load`: it takes what that takes."""

    def load(
        model: str | Path | None = None,
        *,
        search: str = "beam",
        language_model: bool = True,
        judge: None = None,
        judge_weight: None = None,
        judge_errors: str = "raise",
    ) -> FakeLinearizer:
        linearizer.search = search
        return linearizer

    return load


def _alphabetical(problem: Problem) -> list[int]:
    return sorted(range(len(problem.words)), key=lambda index: problem.words[index].form)


def _arranged(problem: Problem, order: Sequence[int]) -> Linearization:
    size = len(order)
    tokens = tuple(
        Token(
            form=problem.words[index].form,
            tag=problem.words[index].tag or "X",
            head=place + 1 if place < size else 0,
            deprel="dep" if place < size else "root",
            source=index + 1,
        )
        for place, index in enumerate(order, start=1)
    )
    cost = sum(place * len(token.form) for place, token in enumerate(tokens))
    return Linearization(tokens, -float(cost), problem)
