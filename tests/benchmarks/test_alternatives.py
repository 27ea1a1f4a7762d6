"""The benchmark of alternatives that differ, on a toy treebank."""

from __future__ import annotations

import json
from pathlib import Path

import alternatives
import pytest
from toys.benchmark_runs import call

from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization, Token

KINDS = ("plain", "diverse")


def order_of(text: str, score: float, subject: str) -> Linearization:
    """Words that depend on `saw`; one is its subject."""
    words = text.split()
    root = words.index("saw") + 1
    tokens = [
        Token(
            form,
            "X",
            0 if place == root else root,
            "root" if place == root else "nsubj" if form == subject else "dep",
            sorted(words).index(form) + 1,
        )
        for place, form in enumerate(words, start=1)
    ]
    return Linearization(tuple(tokens), score, Problem.of(sorted(words)))


def test_figures_of_lists() -> None:
    lists = alternatives.Lists()
    best = order_of("we saw her , now", -1.0, "we")
    comma = order_of("we , saw her now", -1.5, "we")
    lists.add(
        [
            best,
            order_of("we , saw her now", -2.0, "we"),  # a moved comma
            order_of("now , we saw her", -3.0, "we"),  # another opening
            order_of("her , saw we now", -6.0, "her"),  # another subject and opening
            order_of("saw we her , now", -7.0, "we"),  # an inversion, which opens otherwise
        ],
        [best, comma, comma, comma, comma],
        ["we", "saw", "her", "now"],
    )
    lists.add([best], [best, comma], ["now", "we", "saw", "her"])
    figures = lists.figures()
    assert figures["found"] == 3.0
    assert figures["repeated"] == 25.0
    assert figures["subject"] == 25.0
    assert figures["opening"] == 75.0
    assert figures["inversion"] == 25.0
    assert figures["main_clause"] == 75.0
    assert figures["lost"] == pytest.approx((1 + 2 + 5 + 6) / 4)
    assert figures["lost_by_choice"] == pytest.approx((0.5 + 1.5 + 4.5 + 5.5) / 4)
    assert figures["gold"] == 50.0
    assert (figures["missed"], figures["recovered"]) == (0, 0)


def test_an_order_that_is_not_the_best_is_missed_or_recovered() -> None:
    lists = alternatives.Lists()
    best, other = order_of("we saw her now", -1.0, "we"), order_of("her saw we now", -2.0, "her")
    plain = [best, other]
    lists.add([best, other], plain, ["her", "saw", "we", "now"])
    lists.add([best], plain, ["her", "saw", "we", "now"])
    lists.add([best], plain, ["we", "saw", "her", "now"])  # not missed
    lists.add([best], plain, ["now", "saw", "her", "we"])  # not found at all
    figures = lists.figures()
    assert (figures["missed"], figures["recovered"]) == (2, 1)


@pytest.mark.slow
def test_alternatives(
    fluent: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    record, page = tmp_path / "a.json", tmp_path / "a.md"
    options = ["--words", 3, 9, "--limit", 4, "--json", record, "--markdown", page]
    call(monkeypatch, "alternatives.py", fluent, "--data", treebank, *options)
    alternatives.main()
    assert (
        "4 sentences of 3 to 9 words, 5 alternatives, model toy, beam auto"
        in capsys.readouterr().out
    )
    rows = [line.split("|")[1].strip() for line in page.read_text().splitlines() if "|" in line]
    names = [f"{condition}, {kind}" for condition in ("none", "pos", "tree") for kind in KINDS]
    assert rows[2:8] == names
    figures = json.loads(record.read_text())["conditions"]["none"]
    assert figures["diverse"]["repeated"] == 0.0
    assert figures["plain"]["found"] >= figures["diverse"]["found"] >= 1.0
    # The linearizer chooses by this rule.
    assert {**figures["diverse"], "ms": 0.0} == figures["as it ships"]


def test_plain_text_is_bags(
    fluent: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "sentences.txt").write_text("We saw her.\nShe left.\nIt isn't here now.\n")
    record = tmp_path / "a.json"
    options = ["--data", tmp_path / "sentences.txt", "--words", 4, 9, "--json", record]
    call(monkeypatch, "alternatives.py", fluent, *options)
    alternatives.main()
    assert "sentences.txt: 2 sentences of 4 to 9 words" in capsys.readouterr().out
    assert list(json.loads(record.read_text())["conditions"]) == ["none"]


def test_no_sentence_of_that_length(
    model: Path, treebank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(monkeypatch, "alternatives.py", model, "--data", treebank, "--words", 90, 99)
    with pytest.raises(SystemExit, match="no sentence has 90 to 99 words"):
        alternatives.main()


def test_a_broken_constraint_ends_the_run() -> None:
    good = order_of("we saw her", -1.0, "we")
    broken = Linearization(good.tokens, -1.0, Problem.of(["her", "saw", "we"], first=1))
    alternatives.check(good.problem, [good])
    with pytest.raises(SystemExit, match="broken constraints"):
        alternatives.check(broken.problem, [good, broken])
