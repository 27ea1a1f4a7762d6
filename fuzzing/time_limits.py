"""The target `time-limits`: order constraints mixed with partial trees that leave words free, each
problem with a time limit. The limit is kept, and whatever order comes back is legal.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from random import Random
from typing import Any

from fuzzing.problems import (
    FORMS,
    LABELS,
    TAGS,
    hold,
    model_of_kind,
    problem_of,
    projective_order,
)
from syntagma import Linearization, Linearizer, Problem, SyntagmaError
from syntagma.errors import UnsatisfiableError
from syntagma.results.linearization import violations

KINDS = ("en", "neural", "neural", "linear", "linear", "best-first")
TIMEOUTS = (0.001, 0.005, 0.01, 0.01, 0.02, 0.05)
# The limit is kept within a fifth and a tenth of a second; what is far beyond is a finding, because
# machines are noisy. Processor time counts.
MOST, BEYOND = 2.0, 0.5


class TimeLimits:
    """Problems that have a solution, and problems that need not have one."""

    def case(self, rng: Random) -> bytes:
        sound = rng.random() < 0.7
        case = {
            "kind": rng.choice(KINDS),
            "sound": sound,
            "problem": _mixed(rng, sound=sound),
            "timeout": rng.choice(TIMEOUTS),
            "n_best": rng.choice((1, 1, 5)),
            "accept": rng.random() < 0.15,
        }
        return json.dumps(case).encode()

    def run(self, data: bytes) -> None:
        case = json.loads(data)
        model = model_of_kind(case["kind"])  # before the clock runs
        found: Sequence[Linearization] = ()
        refused: SyntagmaError | None = None
        seconds = 0.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                problem = problem_of(case["problem"])
                began = time.process_time()
                try:
                    found = _answer(model, problem, case)
                finally:
                    seconds = time.process_time() - began
            except SyntagmaError as error:
                refused = error
        limit = MOST * case["timeout"] + BEYOND
        assert seconds <= limit, f"{seconds:.2f} s, where the limit is {case['timeout']} s"
        gave_up = isinstance(refused, UnsatisfiableError) and refused.limit_reached
        assert refused is None or gave_up or not case["sound"], f"sound, but refused: {refused}"
        for each in found:
            hold(problem, each, tree=True)
            assert not each.finished or not violations(each), violations(each)


def _answer(model: Linearizer, problem: Problem, case: dict[str, Any]) -> Sequence[Linearization]:
    """The orders that a model finds in time; none if it judges one."""
    if case["accept"] and case["kind"] != "best-first":
        forms = [word.form for word in problem.words]
        model.accept(problem, forms, margin=0.5, timeout=case["timeout"])
        return ()
    n_best: int = case["n_best"]
    return model.order(problem, n_best=n_best, timeout=case["timeout"])


def _mixed(rng: Random, *, sound: bool) -> dict[str, Any]:
    """A part of a random tree, and pairs of words as they stand in one of its projective orders;
    if it need not be sound, some the other way around."""
    n = rng.choice((3, 5, 8, rng.randint(4, 16), rng.randint(10, 40), rng.randint(20, 80)))
    heads = [0] * n
    listed = rng.sample(range(1, n + 1), n)
    for i in range(1, n):
        heads[listed[i] - 1] = listed[rng.randrange(max(0, i - rng.choice((1, 3, n))), i)]
    order = projective_order(rng, heads, heads.index(0) + 1)
    attached, labelled = rng.choice((0.2, 0.5, 0.8)), rng.choice((0.0, 0.0, 0.3))
    few = rng.sample(FORMS, rng.choice((2, len(FORMS))))
    words = [
        (
            rng.choice(few),
            rng.choice(TAGS) if rng.random() < 0.3 else None,
            head if rng.random() < attached else None,
            rng.choice(LABELS[:-1]) if head and rng.random() < labelled else None,
        )
        for head in heads
    ]
    before = set()
    for _ in range(rng.choice((1, 3, n // 2, n, 3 * n))):
        a, b = sorted(rng.sample(range(n), 2))
        back = not sound and rng.random() < 0.2
        before.add((order[b], order[a]) if back else (order[a], order[b]))
    ends = {"first": order[0], "last": order[-1]}
    given = {name: word if rng.random() < 0.1 else None for name, word in ends.items()}
    return {"words": words, "before": sorted(before), **given}
