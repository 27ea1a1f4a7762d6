"""What a search may spend, and that each of the two refuses what the other one spends."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from toys.edges import train_edges
from toys.models import toy_linearizer

from syntagma.cli.app import run
from syntagma.evaluation.evaluate import evaluate
from syntagma.linearizer.linearizer import Linearizer, load
from syntagma.models import installed
from syntagma.request import MAX_BEAM, MAX_EXPANSIONS, MAX_TIMEOUT, Request
from syntagma.treebanks.treebank import Sentence

BAG = ["ran", "We", "."]
SENTENCE = Sentence(("We", "ran", "."), ("PRP", "VBD", "."), (2, 0, 2), ("nsubj", "root", "punct"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_edges(tmp_path_factory.mktemp("model"), "dependency")


@pytest.fixture(scope="module")
def best_first(model: Path) -> Linearizer:
    return load(model, search="best-first")


# ---- efforts ---------------------------------------------------------------------------------


def test_any_part_of_an_effort_may_be_left_to_the_strategy() -> None:
    Request(beam=1)
    Request(beam=MAX_BEAM)
    Request(search="best-first", timeout=1e-9, expansions=1)
    Request(search="best-first", timeout=MAX_TIMEOUT, expansions=MAX_EXPANSIONS)


@pytest.mark.parametrize(
    ("spent", "message"),
    [
        ({"beam": 0}, "beam must be between 1 and 1024, not 0"),
        ({"beam": -1}, "beam must be between 1 and 1024, not -1"),
        ({"beam": 1025}, "beam must be between 1 and 1024, not 1025"),
        ({"expansions": 0}, "expansions must be between 1 and 1000000000, not 0"),
        ({"expansions": 10**9 + 1}, "expansions must be between 1 and 1000000000, not 1000000001"),
        ({"timeout": 0.0}, "timeout must be more than 0 and at most 86400 seconds, not 0.0"),
        ({"timeout": -1.0}, "timeout must be more than 0 and at most 86400 seconds, not -1.0"),
        ({"timeout": 86401.0}, "timeout must be more than 0 .*, not 86401.0"),
        ({"timeout": math.inf}, "timeout must be more than 0 .*, not inf"),
        ({"timeout": math.nan}, "timeout must be more than 0 .*, not nan"),
    ],
)
def test_efforts_that_make_no_sense(
    spent: dict[str, Any], message: str, best_first: Linearizer
) -> None:
    with pytest.raises(ValueError, match=message):
        Request(**spent)
    for linearizer in (toy_linearizer(), best_first):
        with pytest.raises(ValueError, match=message):
            linearizer.order(BAG, **spent)


# ---- the budget of the other search ----------------------------------------------------------


@pytest.mark.parametrize("spent", [{"expansions": 9}, {"beam": 4, "expansions": 9}])
def test_a_beam_search_has_no_expansions(spent: dict[str, Any]) -> None:
    toy = toy_linearizer()
    message = "beam search takes no expansions: limit it by beam or timeout"
    with pytest.raises(ValueError, match=message):
        toy.order(BAG, **spent)
    with pytest.raises(ValueError, match=message):
        next(toy.order_many([BAG], **spent))


@pytest.mark.parametrize("spent", [{"beam": 4}, {"beam": 4, "timeout": 1.0}])
def test_a_best_first_search_has_no_beam(spent: dict[str, Any], best_first: Linearizer) -> None:
    message = "best-first search has no beam: limit it by timeout or expansions"
    with pytest.raises(ValueError, match=message):
        best_first.order(BAG, **spent)
    with pytest.raises(ValueError, match=message):
        next(best_first.order_many([BAG], **spent))
    with pytest.raises(ValueError, match=message):
        evaluate(best_first, [SENTENCE], ["none"], **spent)


@pytest.mark.parametrize("command", [["order", "a", "b"], ["evaluate", "--data", "/nowhere"]])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--search", "best-first", "--beam", "4"], "best-first search has no --beam"),
        (["--search", "beam", "--timeout", "0"], "--timeout"),
        (["--timeout", "soon"], "--timeout"),
        (["--expansions", "9"], "beam search takes no --expansions"),
        (["--search", "best-first", "--timeout", "0"], "--timeout"),
        (["--search", "best-first", "--timeout", "nan"], "--timeout"),
        (["--search", "best-first", "--timeout", "soon"], "--timeout"),
        (["--search", "best-first", "--expansions", "0"], "--expansions"),
        (["--search", "best-first", "--expansions", "1.5"], "--expansions"),
        (["--search", "depth-first"], "depth-first"),
    ],
)
def test_the_command_line_refuses_it_in_one_line(
    command: list[str], options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


# ---- which search ----------------------------------------------------------------------------


def test_there_are_two_searches() -> None:
    with pytest.raises(ValueError, match="search must be one of beam, best-first, not 'a-star'"):
        load("en", search="a-star")  # type: ignore[arg-type]


def test_each_search_has_a_default_model(
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(installed, "SHIPPED", tmp_path)
    shipped = Path(shutil.copy(model, tmp_path / "en-best-first.syntagma"))
    linearizer = load(search="best-first")
    assert (linearizer.search, linearizer.info.path) == ("best-first", shipped)
    assert run(["order", "--search", "best-first", "sang", "She", "."]) == 0
    assert capsys.readouterr().out == "She sang .\n"
    assert run(["order", "sang", "She", "."]) == 2
    assert "no model named 'en' is installed (installed: en-best-first" in capsys.readouterr().err


def test_the_effort_is_part_of_a_signature(best_first: Linearizer) -> None:
    assert Request().describe_budget() == {"beam": "auto"}
    assert Request(beam=8).describe_budget() == {"beam": 8}
    assert Request(timeout=2.0).describe_budget() == {"beam": "auto", "timeout": 2.0}
    kind: dict[str, Any] = {"search": "best-first"}
    assert Request(**kind).describe_budget() == {**kind, "timeout": 5.0}
    for spent in ({"timeout": 1}, {"expansions": 9}, {"timeout": 0.5, "expansions": 9}):
        assert Request(**kind, **spent).describe_budget() == {**kind, **spent}
    [figures] = evaluate(best_first, [SENTENCE], ["none"], expansions=50).figures
    assert "|search:best-first|expansions:50|" in figures.signature
