"""`--format svg` and `--format html`: one picture, or a page of any number of problems."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from toys.ccg import DERIVATIONS
from toys.linearizer import FakeLinearizer, fake_load
from toys.pictures import read_picture

import syntagma.linearizer.linearizer
from syntagma.cli.app import run
from syntagma.errors import SyntagmaError
from syntagma.problem.problem import Problem
from syntagma.realization.detokenization import Detokenizer
from syntagma.request import Request
from syntagma.results.drawing.html import PAGE_END, PAGE_START
from syntagma.results.linearization import Linearization
from syntagma.results.realization import NBest, Realization

Capture = pytest.CaptureFixture[str]
Stdin = Callable[[str], None]
ONE_ONLY = (
    "error: an SVG document shows one problem, and there are more: use --format html for a page "
    "of all\n"
)


class FakeRealizer(FakeLinearizer):
    def solve(
        self, problems: Iterable[Problem | SyntagmaError], request: Request, **options: Any
    ) -> Iterator[Any]:
        if request.operation == "order":
            yield from super().solve(problems, request, **options)
            return
        given = (
            problem
            if isinstance(problem, SyntagmaError)
            else Problem.of([word.lemma or "" for word in problem.words])
            for problem in problems
        )
        for result in super().solve(given, request, **options):
            if isinstance(result, NBest):
                yield NBest(map(spell, result))
            else:
                yield result if isinstance(result, SyntagmaError) else spell(result)


def spell(linearization: Linearization) -> Realization:
    return Realization(linearization, Detokenizer().spell(linearization.words))


@pytest.fixture(autouse=True)
def linearizer(monkeypatch: pytest.MonkeyPatch) -> FakeRealizer:
    fake = FakeRealizer()
    monkeypatch.setattr(syntagma.linearizer.linearizer, "load", fake_load(fake))
    return fake


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Stdin:
    def feed(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return feed


def solved(linearizer: FakeLinearizer, words: list[str], n_best: int | None = None) -> object:
    (result,) = linearizer.solve([Problem.of(words)], Request(n_best=n_best))
    return result


# svg


def test_the_picture_is_that_of_the_api(linearizer: FakeRealizer, capsys: Capture) -> None:
    assert run(["order", "young", "foxes", "--format", "svg"]) == 0
    result = solved(linearizer, ["young", "foxes"])
    assert isinstance(result, Linearization)
    assert capsys.readouterr().out == result.to_svg() == result._repr_svg_()


def test_the_n_best_in_one_picture(linearizer: FakeRealizer, capsys: Capture) -> None:
    assert run(["order", "b", "a", "--format", "svg", "--n-best", "2"]) == 0
    result = solved(linearizer, ["b", "a"], n_best=2)
    assert isinstance(result, NBest)
    out = capsys.readouterr().out
    assert out == result.to_svg()
    picture = read_picture(out)
    assert [box.text for box in picture.of("form")] == ["a", "b", "b", "a"]
    assert [box.text for box in picture.of("rank")] == ["1. score -1.0000", "2. score -1.0000"]


def test_realize(capsys: Capture) -> None:
    assert run(["realize", "b", ".", "--format", "svg"]) == 0
    picture = read_picture(capsys.readouterr().out)
    assert [box.text for box in picture.of("form")] == [".", "b"]
    assert len(picture.of("caption")) == 1
    assert run(["realize", "b", "a", "--format", "svg", "--n-best", "2"]) == 0
    assert len(read_picture(capsys.readouterr().out).of("caption")) == 2


def test_score(capsys: Capture) -> None:
    orders = ["--order", "aa b", "--order", "b aa"]
    assert run(["score", *orders, "--format", "svg"]) == 0
    picture = read_picture(capsys.readouterr().out)
    assert [box.text for box in picture.of("form")] == ["aa", "b", "b", "aa"]
    assert [box.text for box in picture.of("rank")] == ["1. score -1.0000", "2. score -2.0000"]
    assert run(["score", "--order", "a", "--format", "html"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(PAGE_START)
    assert out.endswith(PAGE_END)
    assert out.count("<svg") == 1


def test_a_second_problem_is_refused(stdin: Stdin, capsys: Capture) -> None:
    stdin("b a\nc\nd\n")
    assert run(["order", "--format", "svg"]) == 2
    out, error = capsys.readouterr()
    assert error == ONE_ONLY
    assert [box.text for box in read_picture(out).of("form")] == ["a", "b"]  # still a document


@pytest.mark.parametrize("on_error", ["stop", "skip"])
@pytest.mark.parametrize("command", ["order", "realize"])
def test_of_two_problems_no_file_is_written(
    command: str, on_error: str, stdin: Stdin, tmp_path: Path, capsys: Capture
) -> None:
    stdin("b a\nc\n")
    output = ["--output", str(tmp_path / "out.svg"), "--on-error", on_error]
    assert run([command, "--format", "svg", *output]) == 2
    assert capsys.readouterr().err.endswith(ONE_ONLY)
    assert not list(tmp_path.iterdir())


def test_a_file_of_one_problem(
    stdin: Stdin, tmp_path: Path, linearizer: FakeRealizer, capsys: Capture
) -> None:
    stdin("b a\n")
    path = tmp_path / "out.svg"
    assert run(["order", "--format", "svg", "--output", str(path)]) == 0
    result = solved(linearizer, ["b", "a"])
    assert isinstance(result, Linearization)
    assert path.read_text(encoding="utf-8") == result.to_svg()


def test_one_problem_beside_skipped_ones(stdin: Stdin, capsys: Capture) -> None:
    stdin('["a", 1]\n["b"]\n')
    options = ["--input-format", "json", "--on-error", "skip"]
    assert run(["order", "--format", "svg", *options]) == 0
    assert read_picture(capsys.readouterr().out).title == "b"


def test_nothing_but_skipped_problems(stdin: Stdin, tmp_path: Path, capsys: Capture) -> None:
    stdin('["a", 1]\n')
    options = ["--input-format", "json", "--on-error", "skip"]
    output = ["--output", str(tmp_path / "out.svg")]
    assert run(["order", "--format", "svg", *options, *output]) == 2
    assert "error: no result to draw" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_ccg_derivation(
    linearizer: FakeRealizer, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    derivation = DERIVATIONS["imperative"]

    def solve(
        problems: Iterable[Problem], request: Request, **options: object
    ) -> Iterator[Linearization]:
        for problem in problems:
            yield Linearization((), 0.0, problem, derivations=(derivation,))

    monkeypatch.setattr(linearizer, "solve", solve)
    assert run(["order", "!", "run", "--search", "best-first", "--format", "svg"]) == 0
    picture = read_picture(capsys.readouterr().out)
    assert [box.text for box in picture.of("form")] == ["run", "!"]
    assert "\\NP" in " ".join(box.text for box in picture.of("category"))


def test_text_goes_without_pictures(capsys: Capture) -> None:
    assert run(["order", "a", "--text", "--format", "svg"]) == 2
    assert "--text goes with --format text" in capsys.readouterr().err


# html


def test_a_page(stdin: Stdin, capsys: Capture) -> None:
    stdin("b a\nb a\nd c\n")
    assert run(["order", "--format", "html"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(PAGE_START)
    assert out.endswith(PAGE_END)
    assert re.findall(r"<h2.*?>(.*?)</h2>", out) == ["a b", "a b", "c d"]
    names = re.findall(r'<svg .*? id="(.*?)"', out)
    assert len(set(names)) == 3
    for svg in re.findall(r"<svg.*?</svg>", out, re.DOTALL):
        read_picture(svg)


def test_a_page_of_tables(stdin: Stdin, capsys: Capture) -> None:
    stdin("b a\nc\n")
    assert run(["realize", "--format", "html", "--n-best", "2"]) == 0
    out = capsys.readouterr().out
    assert out.count("<table") == 2
    assert re.findall(r"<summary>(.*?)</summary>", out) == ["a b", "b a", "c"]


def test_a_page_without_results(stdin: Stdin, capsys: Capture) -> None:
    stdin('["a", 1]\n')
    assert run(["order", "--format", "html", "--input-format", "json", "--on-error", "skip"]) == 0
    assert capsys.readouterr().out == PAGE_START + PAGE_END


class Reading(io.StringIO):
    """A pipe whose reader leaves after the first section."""

    def write(self, text: str) -> int:
        if "</section>" in self.getvalue():
            raise BrokenPipeError
        return super().write(text)


def test_a_page_is_written_as_results_come(
    linearizer: FakeRealizer, stdin: Stdin, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin("b a\n" * 1000)
    out = Reading()
    monkeypatch.setattr(sys, "stdout", out)
    assert run(["order", "--format", "html"]) == 0
    assert out.getvalue().count("<section>") == 1
    assert linearizer.pulled == 2
