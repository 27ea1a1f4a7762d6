"""Where a judge fails: an error, or a warning and the result that is not judged."""

from __future__ import annotations

import math
import pickle
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from toys.models import model_of, toy_linearizer
from toys.network import toy_neural_linearizer

import syntagma
from syntagma.errors import ArgumentError, CancelledError, ModelError, ProblemError, SyntagmaWarning
from syntagma.judges import opening
from syntagma.judges.judging import JudgeErrors
from syntagma.judges.opening import open_judge
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.word import Word
from syntagma.request import Request
from syntagma.results.linearization import Linearization
from syntagma.server.served import load_models

LINEARIZERS: dict[str, Callable[[], Linearizer]] = {
    "linear": toy_linearizer,
    "neural": toy_neural_linearizer,
    "lifting": lambda: toy_neural_linearizer(lifting=True),
}
BAGS = [["w1", "w2", "w3"], ["w4", "w1", "w5", "w7"], ["w6"], ["w3", "w8", "w9", "w2", "w5"]]


class Failing:
    """Fails on texts with a word: raises, or returns this value."""

    def __init__(self, value: object, word: str = "", after: int = 0) -> None:
        self.value, self.word, self.after = value, word, after
        self.asked = 0

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        self.asked += 1
        if self.word not in " ".join(sentences) or self.asked <= self.after:
            return [-1.0 - len(each) / 10 for each in sentences]
        if isinstance(self.value, Exception):
            raise self.value
        return [self.value] * len(sentences)  # type: ignore[list-item]


class Guessing(Failing):
    """Reads a few sentences at a time; its guesses are of no use."""

    def open(self, sentences: Sequence[str]) -> Guessing:
        return self

    def read(self, rows: Sequence[int]) -> None:
        pass

    def log_probs(self, rows: Sequence[Any]) -> list[float]:
        return [-1.0] * len(rows)

    def guesses(self) -> Any:
        return self.value


FAULTS = [
    (math.nan, "gave nan for 'w"),
    (RuntimeError("out of memory"), r"failed \(RuntimeError: out of memory\)"),
    ("much", r"failed \(ValueError"),
    (None, r"failed \(TypeError"),
    (ProblemError("the sentence has 9 tokens"), "the sentence has 9 tokens"),
]


def judged(linearizer: Linearizer, judge: object, errors: JudgeErrors = "warn") -> Linearizer:
    opened = open_judge(judge, 1.0, errors)  # type: ignore[arg-type]
    return Linearizer(model_of(linearizer), None, opened)


def search(linearizer: Linearizer, bag: list[str]) -> list[Linearization]:
    """All that the search finds."""
    return list(linearizer.order(bag, beam=64, n_best=64))


@pytest.mark.parametrize("kind", LINEARIZERS)
@pytest.mark.parametrize(("value", "message"), FAULTS)
def test_results_are_those_without_a_judge(kind: str, value: object, message: str) -> None:
    plain = LINEARIZERS[kind]()
    expected = [search(plain, bag) for bag in BAGS]
    linearizer = judged(plain, Failing(value))
    with pytest.warns(SyntagmaWarning, match=f"not judged: 'w.*{message}") as caught:
        found = list(linearizer.order_many(BAGS, beam=64, n_best=64))
    assert [list(each) for each in found if isinstance(each, list)] == expected
    assert len({str(each.message) for each in caught}) == len(caught) == 3  # one has one word
    with pytest.raises((ModelError, ProblemError), match=message):
        judged(plain, Failing(value), "raise").order(BAGS[0], beam=64)


def test_a_failure_after_some_were_read_leaves_all_unjudged() -> None:
    plain = toy_linearizer()
    linearizer = judged(plain, Failing(math.nan, after=1))
    with pytest.warns(SyntagmaWarning, match="gave nan"):
        found = linearizer.order(BAGS[-1], beam=64, n_best=5)
    assert found == search(plain, BAGS[-1])[:5]


@pytest.mark.parametrize("threads", [1, 3])
def test_other_problems_are_judged(threads: int) -> None:
    linearizer = judged(toy_linearizer(), Failing(RuntimeError("no"), "w4"))
    with pytest.warns(SyntagmaWarning) as caught:
        found = list(linearizer.order_many(BAGS, beam=64, threads=threads))
    assert len(caught) == 1
    assert [bool(each.judged) for each in found if isinstance(each, Linearization)] == [
        *(True, False, False, True)
    ]


@pytest.mark.parametrize(
    "guesses", [[], [math.nan] * 6, ["x"] * 6, None, RuntimeError("no"), [0.0] * 5]
)
def test_guesses_are_checked(guesses: object) -> None:
    with pytest.raises(ModelError, match=r"the judge Guessing (gave|failed)"):
        judged(toy_linearizer(), Guessing(guesses), "raise").order(BAGS[0], beam=64)
    with pytest.warns(SyntagmaWarning):
        assert not judged(toy_linearizer(), Guessing(guesses)).order(BAGS[0], beam=64).judged


def test_realizing_warns_once_for_each_problem() -> None:
    english = syntagma.load("en", judge=Failing(math.inf), judge_errors="warn")
    lemmas = [Word(lemma="bark", tag="VBD", head=0), Word(lemma="dog", tag="NNS", head=1)]
    with pytest.warns(SyntagmaWarning) as caught:
        found = english.realize(lemmas, n_best=9)
    assert len(caught) == 1
    texts = {each.text for each in syntagma.load("en").realize(lemmas, n_best=9)}
    assert {each.text for each in found} == texts
    assert not any(each.linearization.judged for each in found)


def test_work_that_is_cancelled_is_no_failure() -> None:
    linearizer = judged(toy_linearizer(), Failing(CancelledError("stop")))
    request = Request(search="beam", beam=64)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SyntagmaWarning)
        with pytest.raises(CancelledError):
            list(linearizer.solve(BAGS, request))


def test_bad_arguments() -> None:
    judge: Any = Failing(0.0)
    with pytest.raises(ArgumentError, match="judge_errors must be one of raise, warn, not 'no'"):
        syntagma.load("en", judge=judge, judge_errors="no")  # type: ignore[arg-type]
    for load in (syntagma.load, lambda **given: load_models(["en"], **given)):
        with pytest.raises(ArgumentError, match="judge_errors goes with a judge"):
            load(judge_errors="warn")


def test_pickled_with_its_judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "my.gguf").touch()
    monkeypatch.setattr(
        opening, "_of_file", lambda path, name: opening._Opened(Failing(math.nan), name)
    )
    english = syntagma.load("en", judge=tmp_path / "my.gguf", judge_errors="warn")
    again = pickle.loads(pickle.dumps(english))
    assert again.judge is not None
    assert again.judge.errors == "warn"
