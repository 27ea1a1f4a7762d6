"""`syntagma accept` and `syntagma fit-margin`: golden outputs, streams, errors, a tiny model."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toys.treebank import write_treebank

from syntagma import LinearSettings, load, train
from syntagma.cli.app import run
from syntagma.models.model import Margin

Capture = pytest.CaptureFixture[str]
Stdin = Callable[[str], None]
Accept = Callable[..., int]

BEST = "The cook hid a pear ."
WORSE = "cook The hid a pear ."
BOTH = json.dumps({"id": "s1", "words": BEST.split(), "order": WORSE})


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("data") / "toy.conllu")


@pytest.fixture(scope="module")
def model(treebank: Path) -> Path:
    """A model without a margin, from too small a treebank."""
    path = treebank.with_name("toy.syntagma")
    train(treebank, treebank, path, settings=LinearSettings(epochs=4, beam=8), name="toy")
    return path


@pytest.fixture
def accept(model: Path) -> Accept:
    def call(*arguments: str, margin: str = "1") -> int:
        return run(["accept", "--model", str(model), "--margin", margin, *arguments])

    return call


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Stdin:
    def feed(content: str) -> None:
        data = io.TextIOWrapper(io.BytesIO(content.encode()))
        monkeypatch.setattr(sys, "stdin", data)

    return feed


def test_text(accept: Accept, capsys: Capture) -> None:
    assert accept("--order", BEST, "--order", WORSE) == 0
    assert capsys.readouterr().out == (
        "same: 'The cook hid a pear .' is the best order\n"
        "worse: 'cook The hid a pear .' goes wrong at its first word 'cook'; "
        "better: 'The cook hid a pear .'; 57% of its adjacencies are right\n"
    )
    assert accept("--order", WORSE, margin="10000") == 0
    assert capsys.readouterr().out == (
        "as good: 'cook The hid a pear .' is as good as 'The cook hid a pear .'\n"
    )


def test_json(accept: Accept, model: Path, capsys: Capture) -> None:
    assert accept("--order", WORSE, "--format", "json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    expected = load(model).accept(WORSE.split(), WORSE.split(), margin=1)
    trees = {name: found.pop(name) for name in ("best", "given", "hint")}
    assert [trees[name]["text"] for name in ("best", "given", "hint")] == [BEST, WORSE, BEST]
    assert trees["given"]["score"] == expected.given.score if expected.given else False
    assert [word["head"] for word in trees["best"]["words"]] == [*expected.best.heads]
    assert found == {
        "id": None,
        "text": WORSE,
        "verdict": "worse",
        "accepted": False,
        "loss": expected.loss,
        "allowed": 5.0,
        "margin": 1.0,
        "share": 4 / 7,
        "where": {"position": 1, "after": None, "word": "cook"},
        "continuation": BEST.split(),
        "costs": [*expected.costs],
    }
    assert accept("--order", BEST, "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["accepted"], found["share"]) == ("same", True, 1)
    assert found.keys().isdisjoint({"where", "continuation", "costs", "hint", "broken"})


def test_what_is_infinite_is_null(accept: Accept, stdin: Stdin, capsys: Capture) -> None:
    stdin(json.dumps({"words": BEST.split(), "first": 1, "order": WORSE}))
    assert accept("--input-format", "json", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["loss"], found["given"]) == (None, None)
    assert found["costs"] == [None, 0, 0, 0, 0, 0]
    assert found["broken"] == ["word 1 'The' does not stand first"]


@pytest.mark.parametrize(
    "order", [WORSE, WORSE.split(), [2, 1, 3, 4, 5, 6]], ids=["text", "forms", "indices"]
)
def test_json_lines(accept: Accept, stdin: Stdin, capsys: Capture, order: object) -> None:
    stdin(json.dumps({"id": "s1", "words": BEST.split(), "order": order}) + "\n" + BOTH + "\n")
    assert accept("--input-format", "json", "--format", "json", "--threads", "2") == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == second
    assert (first["id"], first["text"], first["verdict"]) == ("s1", WORSE, "worse")


def test_words_and_files(
    accept: Accept, treebank: Path, tmp_path: Path, stdin: Stdin, capsys: Capture
) -> None:
    assert accept(*BEST.split(), "--order", BEST) == 0
    stdin(f"{BEST}\n{WORSE}\n")
    assert accept() == 0
    lines = tmp_path / "orders.jsonl"
    lines.write_text(f'{{"order": "{BEST}"}}\n{{"order": ["She", "sang", "."]}}\n')
    assert accept("--file", str(lines)) == 0
    problem = tmp_path / "problem.json"
    problem.write_text(json.dumps({"words": BEST.split(), "last": 2}))
    assert accept("--file", str(problem), "--order", BEST) == 0
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        *("same", "same", "worse", "same", "same", "worse")
    ]
    assert accept("--file", str(treebank), "--file", str(lines)) == 0
    assert len(capsys.readouterr().out.splitlines()) == 12


def test_a_terminal_is_told_what_to_type(
    accept: Accept, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    terminal = io.TextIOWrapper(io.BytesIO(f"{BEST}\n".encode()))
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    assert accept() == 0
    assert capsys.readouterr().err.startswith("Type one sentence per line; end with Ctrl-D.\n")


def test_phrases_and_raw_text(accept: Accept, stdin: Stdin, capsys: Capture) -> None:
    assert accept("New York", "York", "--order", "York New York", margin="999") == 0
    stdin('{"words": ["New York", "York"], "order": "York New York"}')
    assert accept("--input-format", "json", "--format", "json", margin="999") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [word["form"] for word in json.loads(lines[1])["given"]["words"]] == ["York", "New York"]
    assert accept("--tokenize", "--order", "She sang.", margin="999") == 0
    stdin("She sang.\n")
    assert accept("--tokenize", margin="999") == 0
    stdin('{"order": "She sang."}')
    assert accept("--tokenize", "--input-format", "json", margin="999") == 0
    assert capsys.readouterr().out == "same: 'She sang .' is the best order\n" * 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "blank line"),
        ('["a", "b"]', "expected an object with the key 'order', found a list"),
        ('"a b"', "expected an object with the key 'order', found a string"),
        ('{"words": ["a"]}', "the key 'order' is missing"),
        ('{"words": ["a"], "order": null}', "order: expected a string or a list, found null"),
        (
            '{"words": ["a"], "order": {"a": 1}}',
            "order: expected a string or a list, found an object",
        ),
        (
            '{"words": ["a"], "order": [null]}',
            "order[0]: expected a form or an index of a word, found null",
        ),
        (
            '{"words": ["a"], "order": [true]}',
            "order[0]: expected a form or an index of a word, found true or false",
        ),
        (
            '{"words": ["a"], "order": [1.0]}',
            "order[0]: expected a form or an index of a word, found a number",
        ),
        ('{"order": [1]}', "the key 'words' is missing, which an order by indices needs"),
        ('{"order": []}', "empty bag"),
        ('{"order": ""}', "empty bag"),
        ('{"words": ["a"], "order": [2]}', "an order by indices must contain each of 1 to 1 once"),
        ('{"words": ["a"], "order": ["b"]}', "the word 'a' of the bag is missing"),
        ('{"words": ["a"], "order": ["a", 1]}', "by forms or by indices, not by both"),
        ('{"words": ["a"], "order": "a", "orders": 1}', "unknown key 'orders'; known are words,"),
        ('{"words": ["a"], "order": "a", "order": "a"}', "duplicate key 'order'"),
    ],
)
def test_bad_lines(accept: Accept, stdin: Stdin, capsys: Capture, line: str, message: str) -> None:
    stdin(f"{BOTH}\n{line}\n{BOTH}\n")
    assert accept("--input-format", "json") == 2
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert err.startswith("error: <stdin>:2: ")
    assert message in err
    stdin(f"{BOTH}\n{line}\n{BOTH}\n")
    assert accept("--input-format", "json", "--on-error", "skip") == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert message in err
    assert err.endswith("skipped 1 of 3 problems: <stdin>:2\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "b"], 'give at least one order: --order "the dog barked"'),
        (["a", "--order", "a", "--file", "f"], "give words or --file, not both"),
        (["--order", "a", "--file", "f", "--file", "g"], "with --order, give one --file"),
        (["--order", "a", "--format", "tree"], "tree"),
        (
            ["--order", "a", "--margin", "-1"],
            "'--margin': -1.0 is not in the range x>=0",
        ),
        (
            ["--order", "a", "--margin", "nan"],
            "--margin must be a number that is 0 or more, not nan",
        ),
        (["--order", "a", "--max-words", "0"], "'--max-words': 0 is not in the range x>=1"),
        (["a", "--order", "b"], "the word 'a' of the bag is missing in the given order"),
        (["--order", ""], "empty bag"),
        (["--file", "no-such-file"], "no-such-file: cannot read the file"),
        (["--file", "trees.conllu", "--tokenize"], "--tokenize is for plain text"),
    ],
)
def test_bad_arguments(accept: Accept, capsys: Capture, arguments: list[str], message: str) -> None:
    assert accept(*arguments) == 2
    assert message in capsys.readouterr().err


def test_one_problem_with_orders(accept: Accept, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "bags.txt"
    path.write_text("a b\nc d\n")
    assert accept("--file", str(path), "--order", "a b") == 2
    assert "more than one problem; accept --order takes one at a time" in capsys.readouterr().err


def test_models_that_cannot_judge(model: Path, capsys: Capture) -> None:
    assert run(["accept", "--model", str(model), "--order", BEST]) == 2
    assert capsys.readouterr().err == (
        "error: the model toy has no margin for acceptable orders: give one (margin=, --margin), "
        "or let the model learn one: syntagma fit-margin\n"
    )
    assert run(["accept", "--model", "en-best-first", "--order", BEST]) == 2
    assert "a model for best-first search" in capsys.readouterr().err


def test_output_to_a_file(accept: Accept, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "verdicts.txt"
    assert accept("--order", BEST, "--output", str(path)) == 0
    assert path.read_text() == f"same: {BEST!r} is the best order\n"
    assert capsys.readouterr().out == ""


def test_fit_margin(model: Path, treebank: Path, tmp_path: Path, capsys: Capture) -> None:
    dev, output = tmp_path / "dev.conllu", tmp_path / "my.syntagma"
    dev.write_text(treebank.read_text() * 3)
    assert run(["fit-margin", str(model), str(dev), "--output", str(output)]) == 0
    out = capsys.readouterr().out
    margin = Margin.from_json(load(output).info.header["margin"])
    assert out == (
        f"without language model: margin {margin.loss:g}; accepted are {margin.attested:.1%} of 30 "
        f"sentences, and {margin.swapped:.1%} with two words swapped\n"
        f"{output}: the model with its margin\n"
    )
    assert run(["accept", "--model", str(output), "--order", BEST]) == 0
    assert run(["info", str(output)]) == 0
    assert f"margin        {margin.loss:g} (" in capsys.readouterr().out
    assert run(["fit-margin", str(model), str(treebank), "--output", str(output)]) == 2
    assert "from at least 20 sentences" in capsys.readouterr().err
    assert run(["fit-margin", "en-best-first", str(dev), "--output", str(output)]) == 2
    assert "best-first search cannot score orders" in capsys.readouterr().err
