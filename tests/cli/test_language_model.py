"""The command line with language models: they are trained, added, heard and left out."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from toys.treebank import SENTENCES, write_treebank

from syntagma import LinearSettings, train
from syntagma.cli.app import run
from syntagma.language_model.balance import Balance
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.models.model import add_language_model
from syntagma.training.language_model import WEIGHTS, read_lm, train_lm
from syntagma.transition.strategy import WeightedLanguageModel
from syntagma.treebanks.conditions import MAIN_CONDITIONS

Capture = pytest.CaptureFixture[str]

TINY = ["--order", "2", "--prune", "0", "--min-count", "1", "--tokenized"]
# Of the lines "a b" and "a"; the probabilities are worked out in training/test_language_model.py.
ARPA = {
    "<unk>": (0.125, 1.0),
    "<s>": (1.0, 0.5),
    "</s>": (0.375, 1.0),
    "a": (0.25, 0.5),
    "b": (0.25, 0.5),
    "<s> a": (0.625, None),
    "a </s>": (0.4375, None),
    "a b": (0.375, None),
    "b </s>": (0.6875, None),
}
PERPLEXITY = (0.625 * 0.375 * 0.6875 * 0.625 * 0.4375) ** (-1 / 5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def treebank(folder: Path) -> Path:
    return write_treebank(folder / "toy.conllu")


@pytest.fixture(scope="module")
def plain(folder: Path, treebank: Path) -> Path:
    path = folder / "plain.syntagma"
    train(treebank, treebank, path, settings=LinearSettings(epochs=4, beam=8), name="toy")
    return path


@pytest.fixture(scope="module")
def lm(folder: Path, treebank: Path) -> Path:
    path = folder / "toy.lm"
    train_lm([treebank], path, settings=LanguageModelSettings(prune=(0,), min_count=1))
    return path


@pytest.fixture(scope="module")
def fluent(folder: Path, plain: Path, lm: Path) -> Path:
    """A model whose language model counts half."""
    path = folder / "fluent.syntagma"
    language_model, about = read_lm(lm)
    balance = Balance(math.log(0.5), 0, 0, 0)
    add_language_model(path, plain, WeightedLanguageModel(language_model, balance), about)
    return path


@pytest.fixture(scope="module")
def backward(folder: Path, plain: Path) -> Path:
    """A model whose language model knows sentences from their end only, and has the last word."""
    text = folder / "backward.txt"
    sentences = [
        [token.rsplit("/", 3)[0] for token in line.split()]
        for line in SENTENCES.strip().splitlines()
    ]
    text.write_text("".join(" ".join(words[::-1]) + "\n" for words in sentences))
    settings = LanguageModelSettings(order=3, prune=(0,), min_count=1, tokenized=True)
    train_lm([text], folder / "backward.lm", settings=settings)
    path = folder / "backward.syntagma"
    balance = Balance(math.log(1e4), 0, 0, 0)
    add_language_model(
        path, plain, WeightedLanguageModel(read_lm(folder / "backward.lm")[0], balance), {}
    )
    return path


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.txt"
    path.write_text("a b\na\n")
    return path


# train-lm


def test_train_lm(tiny: Path, tmp_path: Path, capsys: Capture) -> None:
    output = tmp_path / "tiny.lm"
    assert run(["train-lm", str(tiny), "-o", str(output), *TINY, "--dev", str(tiny)]) == 0
    out, err = capsys.readouterr()
    assert out == (
        f"{output}: 5 + 4 n-grams from 3 words in 2 sentences\n"
        f"{tiny}: perplexity {PERPLEXITY:.2f}\n"
    )
    assert err == ""
    assert read_lm(output)[0].words == ("<unk>", "<s>", "</s>", "a", "b")


def test_train_lm_writes_arpa(tiny: Path, tmp_path: Path, capsys: Capture) -> None:
    output = tmp_path / "tiny.arpa"
    assert run(["train-lm", str(tiny), "-o", str(output), *TINY, "--dev", str(tiny)]) == 0
    assert capsys.readouterr().out.endswith(f"perplexity {PERPLEXITY:.2f}\n")
    lines = output.read_text(encoding="utf-8").splitlines()
    assert lines[:5] == ["\\data\\", "ngram 1=5", "ngram 2=4", "", "\\1-grams:"]
    assert lines[10:12] == ["", "\\2-grams:"]
    assert lines[16:] == ["", "\\end\\"]
    found = [line.split("\t") for line in [*lines[5:10], *lines[12:16]]]
    assert [fields[1] for fields in found] == list(ARPA)
    for log_prob, ngram, *backoff in found:
        prob, weight = ARPA[ngram]
        assert float(log_prob) == pytest.approx(math.log10(prob), abs=1e-6)
        expected = [] if weight is None else [math.log10(weight)]
        assert [float(each) for each in backoff] == pytest.approx(expected, abs=1e-6)


def test_train_lm_reads_texts_and_treebanks(
    treebank: Path, tmp_path: Path, capsys: Capture
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("The wug plogs. A wug zorps.\n")
    output = tmp_path / "both.lm"
    arguments = ["--min-count", "2", "--max-ngrams", "40", "--order", "4"]
    assert run(["train-lm", str(text), str(treebank), "--output", str(output), *arguments]) == 0
    out = capsys.readouterr().out
    match = re.fullmatch(r".*both\.lm: ([0-9 +]+) n-grams from 61 words in 12 sentences\n", out)
    assert match
    assert sum(map(int, match[1].split(" + "))) <= 40


@pytest.mark.parametrize("order", ["1", "2", "3", "4", "5"])
def test_train_lm_with_any_order(order: str, treebank: Path, tmp_path: Path) -> None:
    output = str(tmp_path / "toy.lm")
    assert run(["train-lm", str(treebank), "-o", output, "--order", order]) == 0


def test_train_lm_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Where other commands read files, "-" is the standard input."""
    output = tmp_path / "tiny.lm"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a b\na\n")))
    assert run(["train-lm", "-", "-o", str(output), *TINY]) == 0
    assert capsys.readouterr().out == f"{output}: 5 + 4 n-grams from 3 words in 2 sentences\n"
    assert read_lm(output)[1]["data"] == [{"name": "<stdin>"}]


# add-lm


@pytest.mark.slow
def test_add_lm(plain: Path, lm: Path, treebank: Path, tmp_path: Path, capsys: Capture) -> None:
    output = tmp_path / "out.syntagma"
    arguments = ["add-lm", str(plain), str(lm), str(treebank), "--output", str(output)]
    assert run([*arguments, "--limit", "3", "--threads", "2"]) == 0
    out, err = capsys.readouterr()
    *lines, last = out.splitlines()
    assert [line.split(": ")[0] for line in lines] == list(MAIN_CONDITIONS)
    points = ", ".join(rf"[0-9.]+ at {weight:g}" for weight in WEIGHTS)
    for line in lines:
        assert re.fullmatch(rf"[a-z]+: weight [0-9.]+; BLEU {points}", line)
    assert last == f"{output}: the model with its language model"
    assert err == ""
    assert read_lm(output)[1]["tuning"]["weights"] == list(WEIGHTS)


def test_add_lm_takes_an_arpa_file(
    plain: Path, tiny: Path, treebank: Path, tmp_path: Path, capsys: Capture
) -> None:
    arpa, output = str(tmp_path / "tiny.arpa"), str(tmp_path / "out.syntagma")
    assert run(["train-lm", str(tiny), "-o", arpa, *TINY]) == 0
    assert run(["add-lm", str(plain), arpa, str(treebank), "-o", output, "--limit", "1"]) == 0
    assert read_lm(output)[0].words == ("<unk>", "<s>", "</s>", "a", "b")
    capsys.readouterr()
    assert run(["info", output]) == 0
    assert "tiny.arpa" in capsys.readouterr().out


# order, score, evaluate, info


def test_order_with_and_without_the_language_model(backward: Path, capsys: Capture) -> None:
    arguments = ["order", "--model", str(backward), "sang", "She", "."]
    assert run(arguments) == 0
    assert capsys.readouterr().out == ". sang She\n"
    assert run([*arguments, "--no-lm"]) == 0
    assert capsys.readouterr().out == "She sang .\n"


def test_no_lm_is_no_error_without_a_language_model(plain: Path, capsys: Capture) -> None:
    arguments = ["order", "--model", str(plain), "sang", "She", ".", "--format", "json"]
    assert run(arguments) == 0
    before = capsys.readouterr().out
    assert run([*arguments, "--no-lm"]) == 0
    assert capsys.readouterr().out == before
    assert "fluency" not in json.loads(before)


def test_json_has_the_parts_of_the_score(fluent: Path, capsys: Capture) -> None:
    arguments = ["order", "-m", str(fluent), "sang", "She", ".", "-f", "json"]
    assert run(arguments) == 0
    result = json.loads(capsys.readouterr().out)
    assert list(result) == ["id", "text", "score", "syntax", "fluency", "parts", "words"]
    assert result["parts"] == {name: result[name] for name in ("syntax", "fluency")}
    assert result["score"] == pytest.approx(result["syntax"] + result["fluency"])
    assert run([*arguments, "--n-best", "3"]) == 0
    several = json.loads(capsys.readouterr().out)["n_best"]
    assert several[0] == {key: result[key] for key in result if key != "id"}
    for each in several:
        assert each["score"] == pytest.approx(each["syntax"] + each["fluency"])
    assert run([*arguments, "--no-lm"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["id", "text", "score", "words"]


ORDERS = ["--order", "She sang .", "--order", "sang She .", "--order", "She . sang"]


def test_score_shows_both_parts(fluent: Path, lm: Path, capsys: Capture) -> None:
    assert run(["score", "--model", str(fluent), *ORDERS]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert run(["score", "--model", str(fluent), *ORDERS, "--no-lm"]) == 0
    alone = dict(line.split("\t")[::-1] for line in capsys.readouterr().out.splitlines())
    assert rows[0][-1] == "She sang ."
    assert [float(row[0]) for row in rows] == sorted((float(row[0]) for row in rows), reverse=True)
    language_model, _ = read_lm(lm)
    for total, syntax, fluency, text in rows:
        assert float(total) == pytest.approx(float(syntax) + float(fluency), abs=2e-4)
        assert syntax == alone[text]
        expected = 0.5 * sum(language_model.score(text.split(" ")))
        assert float(fluency) == pytest.approx(expected, abs=1e-4)


def test_score_shows_both_parts_in_json(fluent: Path, capsys: Capture) -> None:
    assert run(["score", "--model", str(fluent), *ORDERS, "--format", "json"]) == 0
    in_json = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert run(["score", "--model", str(fluent), *ORDERS]) == 0
    in_text = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert len(in_json) == 3
    for result, row in zip(in_json, in_text, strict=True):
        parts = [result[name] for name in ("score", "syntax", "fluency")]
        assert parts[0] == pytest.approx(parts[1] + parts[2])
        assert [*(f"{part:.4f}" for part in parts), result["text"]] == row


def test_a_phrase_is_heard_as_its_words(fluent: Path, capsys: Capture) -> None:
    fluency = []
    for words in (["She", "sang", "."], ["She sang", "."]):
        arguments = ["score", "-m", str(fluent), *words, "--order", "She sang .", "-f", "json"]
        assert run(arguments) == 0
        fluency.append(json.loads(capsys.readouterr().out)["fluency"])
    assert fluency[0] == pytest.approx(fluency[1])


@pytest.fixture(scope="module")
def figures(backward: Path, treebank: Path, folder: Path) -> list[dict[str, Any]]:
    """What `evaluate` finds with the language model and without it."""
    found = []
    for more in ([], ["--no-lm"]):
        record = folder / "figures.json"
        arguments = ["evaluate", "-m", str(backward), "-d", str(treebank), "-c", "none"]
        assert run([*arguments, "--json", str(record), *more]) == 0
        found.append(json.loads(record.read_text())["conditions"][0])
    return found


def test_evaluate_with_and_without_the_language_model(figures: list[dict[str, Any]]) -> None:
    with_it, without = figures
    assert with_it["bleu"] < 20 < without["bleu"]
    assert with_it["violations"] == without["violations"] == 0


def test_signatures_tell_whether_the_language_model_was_heard(
    figures: list[dict[str, Any]],
) -> None:
    """A signature says how to get a figure again."""
    with_it, without = figures
    assert with_it["signature"] != without["signature"]
    assert "lm:left out" in without["signature"]
    assert "lm:" not in with_it["signature"]


def test_info_shows_the_scorer_and_the_language_model(
    fluent: Path, plain: Path, capsys: Capture
) -> None:
    assert run(["info", "--all", str(fluent)]) == 0
    shown = capsys.readouterr().out.splitlines()
    names = [re.split(r"  +", line)[0] for line in shown]
    assert {"name", "scorer", "features", "settings", "sha256"} <= set(names)
    about = [line for line in shown if line.startswith("language model")]
    for what in ("toy.conllu", "ngrams", "order 4", "balance"):
        assert what in " ".join(about)
    assert {
        f"language model {key}" for key in ("data", "sentences", "words", "settings", "balance")
    } <= set(names)
    assert run(["info", "--all", str(plain)]) == 0
    assert "language model" not in capsys.readouterr().out


# Errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train-lm", "TEXT"], "--output"),
        (["train-lm", "-o", "OUT"], "TEXT"),
        (
            ["train-lm", "TEXT", "-o", "OUT", "--prune", "few"],
            "--prune takes numbers separated by commas",
        ),
        (
            ["train-lm", "TEXT", "-o", "OUT", "--prune", ""],
            "--prune takes numbers separated by commas",
        ),
        (
            ["train-lm", "TEXT", "-o", "OUT", "--prune", "0,,1"],
            "--prune takes numbers separated by commas",
        ),
        (["train-lm", "TEXT", "-o", "OUT", "--prune", "0,2,1"], "must not decrease"),
        (["train-lm", "TEXT", "-o", "OUT", "--prune", "-1"], "must not be negative"),
        (["train-lm", "TEXT", "-o", "OUT", "--prune", "0,0,0,0,0"], "5 pruning thresholds"),
        (["train-lm", "TEXT", "-o", "OUT", "--order", "6"], "--order"),
        (["train-lm", "TEXT", "-o", "OUT", "--min-count", "0"], "--min-count"),
        (["train-lm", "TEXT", "-o", "OUT", "--max-ngrams", "2"], "cannot prune to 2 n-grams"),
        (["train-lm", "NOWHERE", "-o", "OUT"], "NOWHERE: cannot read the file"),
        (["train-lm", "EMPTY", "-o", "OUT"], "EMPTY"),
        (["train-lm", "BAD", "-o", "OUT"], "BAD:2: not UTF-8"),
        (["train-lm", "TEXT", "-o", "NOWHERE/OUT"], "cannot write NOWHERE/OUT"),
        (["train-lm", "TEXT", "-o", "."], "cannot write .: it is a folder"),
        (["train-lm", "TEXT", "-o", "OUT.gz"], "OUT.gz: a language model cannot be written"),
        (["train-lm", "TEXT", "-o", "OUT", "--dev", "NOWHERE"], "NOWHERE: cannot read the file"),
        (["add-lm", "PLAIN", "LM", "DEV", "-o", "NOWHERE/OUT"], "cannot write NOWHERE/OUT"),
        (["add-lm", "PLAIN", "LM", "-o", "OUT"], "DEV"),
        (["add-lm", "zorpish", "LM", "DEV", "-o", "OUT"], "no model named 'zorpish'"),
        (["add-lm", "LM", "LM", "DEV", "-o", "OUT"], "LM: a language model by itself"),
        (["add-lm", "PLAIN", "NOWHERE", "DEV", "-o", "OUT"], "NOWHERE: cannot be read"),
        (["add-lm", "PLAIN", "TEXT", "DEV", "-o", "OUT"], "is this an ARPA file?"),
        (["add-lm", "PLAIN", "PLAIN", "DEV", "-o", "OUT"], "train one: syntagma train-lm"),
        (["add-lm", "PLAIN", "LM", "NOWHERE", "-o", "OUT"], "NOWHERE: cannot read the file"),
        (["add-lm", "PLAIN", "LM", "EMPTY", "-o", "OUT"], "EMPTY: empty treebank: no sentences"),
        (["add-lm", "PLAIN", "LM", "TEXT", "-o", "OUT"], "TEXT:1: 1 column instead of 10"),
        (["add-lm", "PLAIN", "LM", "DEV", "-o", "OUT", "--limit", "0"], "--limit"),
        (["order", "-m", "LM", "a"], "LM: a language model by itself"),
    ],
)
def test_every_error_is_one_line(
    arguments: list[str],
    message: str,
    plain: Path,
    lm: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("TEXT").write_text("The wug plogs.\n")
    Path("BAD").write_bytes(b"The wug\nplo\xffgs\n")
    Path("EMPTY").write_text("\n\n")
    # By relative paths, which messages show.
    for name, path in (("PLAIN", plain), ("LM", lm), ("DEV", treebank)):
        Path(name).symlink_to(path)
    files = {"PLAIN": "./PLAIN", "LM": "./LM"}
    arguments = [arguments[0], *(files.get(each, each) for each in arguments[1:])]
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err.replace(f"{tmp_path}/", "")
    assert err.count("\n") == 1
    assert not Path("OUT").exists()


@pytest.mark.parametrize("dev", ["EMPTY", "NOWHERE"])
def test_a_text_without_perplexity(
    dev: str, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("EMPTY").write_text("\n")
    assert run(["train-lm", str(tiny), "-o", "OUT", *TINY, "--dev", dev]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert dev in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["order", "score", "evaluate"])
def test_help_knows_of_the_language_model(command: str, capsys: Capture) -> None:
    assert run([command, "--help"]) == 0
    assert "--no-lm" in capsys.readouterr().out
