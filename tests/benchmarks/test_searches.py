"""The benchmarks that train: samples, the two searches, what guides learning, on toy treebanks."""

from __future__ import annotations

import doctest
import json
import random
from pathlib import Path
from typing import Any

import guidance
import pytest
import records
import samples
import searches
from toys.benchmark_runs import SIZE, call, needs_matplotlib
from toys.ccg import DERIVATIONS, write_ccgbank
from toys.training_runs import Cut, cut_at
from toys.treebank import write_treebank

import syntagma
from syntagma.errors import FormatError, TrainingError
from syntagma.linearizer.linearizer import read_info
from syntagma.training.run import Epoch

CONDITIONS = ("none", "pos", "half", "tree", "labelled")


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("data") / "toy.conllu")


@pytest.fixture(scope="module")
def ccgbank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_ccgbank(tmp_path_factory.mktemp("data") / "toy.auto")


def options(treebank: Path, folder: Path, **others: object) -> list[object]:
    """What both benchmarks are called with."""
    given = {"train": treebank, "data": treebank, "folder": folder, "train-sentences": 8}
    given |= {"limit": 4, "epochs": 1, "unit-command": "echo 20.0 ms", **others}
    return [each for name, value in given.items() for each in (f"--{name}", value)]


def table_rows(page: Path) -> list[list[str]]:
    """The cells of all tables of a page, without headings."""
    rows: list[list[str]] = []
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ---"):
            rows.pop()
        elif line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def refuse(*_: Any, **__: Any) -> Any:
    raise AssertionError("made again")


def test_examples_in_docstrings() -> None:
    failed, tried = doctest.testmod(samples)
    assert tried
    assert not failed


def test_drawn_lists_are_fixed() -> None:
    assert samples.draw_indices(2001, 5) == sorted(random.Random(1).sample(range(2001), 5))
    assert samples.draw_indices(2001, 5) == [275, 1165, 1564, 1643, 1735]
    assert samples.draw_indices(3, 5) == [0, 1, 2]


def test_sentences_are_drawn_as_they_stand(treebank: Path, tmp_path: Path) -> None:
    blocks = treebank.read_text(encoding="utf-8").strip().split("\n\n")
    about = samples.draw(treebank, 4, tmp_path / "drawn.conllu", "dependency")
    chosen = [blocks[index] for index in samples.draw_indices(SIZE, 4)]
    assert (tmp_path / "drawn.conllu").read_text() == "\n\n".join(chosen) + "\n\n"
    assert (about["name"], about["sentences"], about["of"]) == ("toy.conllu", 4, SIZE)
    assert samples.draw(treebank, 4, tmp_path / "drawn.conllu", "dependency") == about
    with pytest.raises(TrainingError, match=r"drawn\.conllu holds other sentences"):
        samples.draw(treebank, 5, tmp_path / "drawn.conllu", "dependency")


def test_derivations_are_drawn_with_their_ids(ccgbank: Path, tmp_path: Path) -> None:
    lines = ccgbank.read_text(encoding="utf-8").splitlines(keepends=True)
    about = samples.draw(ccgbank, 3, tmp_path / "drawn.auto", "ccg")
    chosen = samples.draw_indices(len(DERIVATIONS), 3)
    expected = "".join(lines[2 * index] + lines[2 * index + 1] for index in chosen)
    assert (tmp_path / "drawn.auto").read_text() == expected
    assert about["of"] == len(DERIVATIONS)


@pytest.mark.parametrize("text", ["(<L NP N N w NP>)\n", "ID=1\n\nID=2\n(<L", "ID=1\n"])
def test_malformed_derivations(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.auto"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"a\.auto: not a line 'ID=…' and a derivation"):
        list(samples.entries(path))


def test_units_of_different_times() -> None:
    note = samples.unit_note([[20.0, 22.0], [30.0, 30.0]])
    assert note == "machine unit before and after each: 21.0 to 30.0 ms"
    assert samples.unit_note([[], []]).startswith("no machine unit")


def test_several_tables_and_columns_without_a_group() -> None:
    table = records.Table("toy", "given", [("", ("BLEU", "ms"))], [["none", "1.0", "2"]])
    assert "| given | BLEU | ms |\n" in table.markdown()


@pytest.mark.slow
def test_searches(
    treebank: Path,
    ccgbank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, page, record = (tmp_path / name for name in ("kept", "s.md", "s.json"))
    given = options(treebank, folder, json=record, markdown=page)
    given += ["--ccg-train", ccgbank, "--ccg-data", ccgbank, "--timeouts", 0.5, 1]
    call(monkeypatch, "searches.py", *given)
    searches.main()
    printed = capsys.readouterr()
    assert "Two searches: 4 sentences drawn from toy.conllu; trained on 8 sentences" in printed.out
    assert "machine unit before and after each: 20.0 to 20.0 ms" in printed.out
    assert "best-first, 0.5 s: BLEU " in printed.out
    assert "|search:best-first|timeout:0.5|" in printed.out
    assert "beam.syntagma: training" in printed.err
    rows = table_rows(page)
    assert [row[0] for row in rows[:15]] == [
        f"{condition}, {search}"
        for condition in CONDITIONS
        for search in ("beam", "best-first, 0.5 s", "best-first, 1 s")
    ]
    assert [row[0] for row in rows[15:17]] == ["none, 1-10", "labelled, 1-10"]
    assert [row[0] for row in rows[17:27]] == [
        f"{condition}, {length}"
        for condition in ("none", "labelled")
        for length in ("<5", "<10", "<15", "<30", "all")
    ]
    assert [row[0] for row in rows[27:-4]][::12] == ["none, 2", "labelled, 2"]
    assert [row[0] for row in rows[-4:]] == [
        *("none, 0.5 s", "none, 1 s", "pos, 0.5 s", "pos, 1 s"),
    ]
    assert [len(row) for row in (rows[0], rows[15], rows[17], rows[27])] == [7, 5, 10, 5]
    assert rows[0][3:5] == ["100.0", "0"]  # a beam leaves no word out
    kept = json.loads(record.read_text(encoding="utf-8"))
    assert kept["searches"]["sample"]["train"]["sentences"] == 8
    for each in kept["searches"]["figures"]["best-first, 0.5 s"]:
        assert each["timeout"] == 0.5
        assert each["wall_ms"] > 0
        assert 0 <= each["unfinished"] <= each["sentences"] == 4

    # What was measured is not measured again, what is missing is.
    text = page.read_text(encoding="utf-8")
    call(monkeypatch, "searches.py", *given)
    with monkeypatch.context() as changed:
        changed.setattr(searches, "measure", refuse)
        changed.setattr(syntagma, "train", refuse)
        searches.main()
    assert page.read_text(encoding="utf-8") == text
    assert "ccg.syntagma: there already, not trained again" in capsys.readouterr().err
    figures = samples.read_json(folder / "searches.json")
    assert len(figures) == 15 + 4
    del figures[next(name for name in figures if name.endswith("0.5 s, half"))]
    samples.write_json(folder / "searches.json", figures)
    searches.main()
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "syntagma:" not in line] == ["best-first, 0.5 s: half"]
    assert len(samples.read_json(folder / "searches.json")) == 15 + 4


@pytest.mark.slow
@needs_matplotlib
def test_searches_drawn(treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plot, page = tmp_path / "s.svg", tmp_path / "s.md"
    given = [*options(treebank, tmp_path / "kept", plot=plot, markdown=page), "--timeouts", 0.5]
    call(monkeypatch, "searches.py", *given, "--conditions", "pos", "labelled")
    searches.main()
    drawn = plot.read_text(encoding="utf-8")
    assert "given: labelled; coverage by words in the sentence" in drawn
    assert "given: labelled; spans by words in the span" in drawn
    assert "best-first, 0.5 s" in drawn
    assert "given: pos" not in drawn
    call(monkeypatch, "searches.py", *given, "--conditions", "pos")
    plot.unlink()
    searches.main()  # nothing in detail
    assert not plot.exists()
    assert [row[0] for row in table_rows(page)] == ["pos, beam", "pos, best-first, 0.5 s"]


def test_models_of_other_settings_are_refused(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(monkeypatch, "guidance.py", *options(treebank, tmp_path), "--settings", "scaled")
    guidance.main()
    call(monkeypatch, "guidance.py", *options(treebank, tmp_path, epochs=2), "--settings", "scaled")
    with pytest.raises(TrainingError, match=r"dependency-scaled\.syntagma was trained with other"):
        guidance.main()


@pytest.mark.parametrize(
    ("others", "message"),
    [
        (["--ccg-train", "a.auto"], "need each other"),
        (["--grammars", "ccg"], "ccg needs --ccg-train"),
        (["--limit", 0], "at least 1"),
    ],
)
def test_options_that_do_not_fit(
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    others: list[object],
    message: str,
) -> None:
    call(monkeypatch, "guidance.py", *options(treebank, tmp_path), *others)
    with pytest.raises(SystemExit):
        guidance.main()
    assert message in capsys.readouterr().err


def test_ccg_needs_a_condition_without_arcs(
    treebank: Path,
    ccgbank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = ["--ccg-train", ccgbank, "--ccg-data", ccgbank, "--conditions", "tree"]
    call(monkeypatch, "searches.py", *options(treebank, tmp_path), *given)
    with pytest.raises(SystemExit):
        searches.main()
    assert "none or pos is measured" in capsys.readouterr().err


def test_settings_differ_as_the_papers_say() -> None:
    settings = {name: guidance.settings_of("ccg", name, 7) for name in guidance.SETTINGS}
    assert {each.update for name, each in settings.items() if name != "perceptron"} == {"margin"}
    assert [name for name, each in settings.items() if each.scaled] == [
        *("scaled-negatives", "scaled", "final"),
    ]
    assert [name for name, each in settings.items() if each.negatives] == [
        *("scaled-negatives", "standard-negatives", "final"),
    ]
    assert [name for name, each in settings.items() if not each.averaged] == ["final"]
    assert {(each.epochs, each.tag_column) for each in settings.values()} == {(7, "upos")}


@pytest.mark.slow
def test_guidance(
    treebank: Path,
    ccgbank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, page, record = (tmp_path / name for name in ("kept", "g.md", "g.json"))
    given = options(treebank, folder, epochs=2, json=record, markdown=page)
    given += ["--ccg-train", ccgbank, "--ccg-data", ccgbank]

    def run(*others: object) -> list[list[str]]:
        call(monkeypatch, "guidance.py", *given, *others)
        guidance.main()
        return table_rows(page)

    with pytest.raises(SystemExit, match="holds no epochs yet"):
        run("--settings")

    # Cut off after an epoch: the table shows how far it came, and the next run goes on.
    with monkeypatch.context() as changed:
        changed.setattr(Epoch, "line", cut_at(1))
        with pytest.raises(Cut):
            run("--settings", "final", "--grammars", "ccg")
    assert [row[:3] for row in run("--settings")[:1]] == [["ccg, final", "1 of 2", "1"]]
    assert not (folder / "ccg-final.syntagma").exists()
    capsys.readouterr()
    rows = run("--settings", "final", "--grammars", "ccg")
    assert rows[0][:2] == ["ccg, final", "2 of 2"]
    said = capsys.readouterr()
    assert [line[:7] for line in said.err.splitlines() if "BLEU" in line] == ["epoch 2"]
    assert (folder / "ccg-final.syntagma").exists()

    # What others have trained in the folder is in the table, and not trained again.
    rows = run("--settings", "scaled-negatives", "perceptron", "final")
    names = [
        f"{grammar}, {name}"
        for grammar in ("dependency", "ccg")
        for name in ("scaled-negatives", "perceptron", "final")
    ]
    assert [row[0] for row in rows] == 3 * names
    said = capsys.readouterr()
    assert "ccg-final.syntagma: there already, not trained again" in said.err
    assert "dependency: 4 sentences drawn from toy.conllu; trained on 8" in said.out
    assert "ccg: 4 sentences drawn from toy.auto; trained on 8" in said.out
    assert "at most 1000 expansions per sentence" in said.out
    assert rows[3][-3:] == ["", "", ""]  # no arcs for CCG
    kept = json.loads(record.read_text(encoding="utf-8"))["runs"]
    for row, by_epoch, each in zip(rows, rows[len(names) :], kept, strict=False):
        epochs = each["epochs"]
        header = read_info(folder / f"{each['grammar']}-{each['name']}.syntagma").header
        assert header["figures"]["epoch"] == int(row[2])
        assert header["figures"]["dev"] == epochs[int(row[2]) - 1]["bleu"]
        assert by_epoch[1:] == [f"{guidance.mean_bleu(epoch):.2f}" for epoch in epochs]
        assert [epoch["units_ms"] for epoch in epochs] == [[20.0, 20.0]] * 2

    call(monkeypatch, "guidance.py", *given[:-4], "--settings")  # no CCG data this time
    guidance.main()
    assert table_rows(page) == rows
    (folder / "ccg-final.json").unlink()
    assert "ccg, final" not in [row[0] for row in run("--settings")]
    assert "ccg-final.json is missing" in capsys.readouterr().err


@pytest.mark.slow
@needs_matplotlib
def test_guidance_drawn(treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plot = tmp_path / "g.svg"
    given = options(treebank, tmp_path, plot=plot)
    call(monkeypatch, "guidance.py", *given, "--settings", "standard", "standard-negatives")
    guidance.main()
    drawn = plot.read_text(encoding="utf-8")
    assert "dependency: mean BLEU" in drawn
    assert "dependency: CPU seconds of an epoch" in drawn
    assert "standard, negatives" in drawn
