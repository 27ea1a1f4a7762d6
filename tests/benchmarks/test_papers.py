"""The papers' experiments on toy treebanks: every table, resuming, the page, published numbers."""

from __future__ import annotations

import doctest
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import papers
import papers_cells
import papers_experiments
import papers_page
import papers_systems
import papers_tables
import pytest
from papers_cells import Measurement, Training
from shared_data import PAPERS
from toys.benchmark_runs import SIZE, call, needs_matplotlib
from toys.ccg import write_ccgbank
from toys.treebank import write_treebank

import syntagma


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("data") / "toy.conllu")


def options(treebank: Path, folder: Path, *others: object) -> list[object]:
    given: list[object] = ["--quick", "--train", treebank, "--dev", treebank, "--test", treebank]
    given += ["--folder", folder, "--epochs", 1, "--timeouts", 0.05, 0.1, "--unit-command", ""]
    return [*given, "--dev-sentences", 2, "--test-sentences", 2, "--limits-sentences", 1, *others]


def refuse(*_: Any, **__: Any) -> Any:
    raise AssertionError("made again")


@pytest.mark.parametrize("module", [papers_cells, papers_page])
def test_examples_in_docstrings(module: Any) -> None:
    failed, tried = doctest.testmod(module)
    assert tried
    assert not failed


@pytest.mark.slow
@needs_matplotlib
def test_every_table_and_figure(
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The whole command on toy treebanks, then again from what it kept, then the page alone."""
    ccgbank = write_ccgbank(tmp_path / "toy.auto")
    folder, page = tmp_path / "kept", tmp_path / "docs" / "papers.md"
    page.parent.mkdir()
    page.write_text("# Papers\n\nOur prose.\n\n<!-- L15 Table 5 -->\nold\n<!-- end -->\n\nMore.\n")
    given = options(treebank, folder)
    for name in ("train", "dev", "test"):
        given += [f"--ccg-{name}", ccgbank]
    call(monkeypatch, "papers.py", *given, "--page", page)
    papers.main()
    printed = capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    for name, experiment in papers_experiments.experiments().items():
        assert f"{name}: " in printed, name
        assert text.count(f"<!-- {name} -->") == 1
        if experiment.plot:
            assert (page.parent / "images" / f"papers-{papers_cells.slug(name)}.svg").exists()
    assert text.startswith("# Papers\n\nOur prose.\n\n<!-- L15 Table 5 -->\n\n|")
    assert "\nold\n" not in text
    assert "\n\nMore.\n" in text
    assert papers_tables.WITHOUT_CCG not in text
    assert "| **l15** | **" in text
    assert "words\n\nreference" in (folder / "examples.txt").read_text(encoding="utf-8")

    # No text of the treebank in what is committed.
    record = (folder / "record.json").read_text(encoding="utf-8")
    for word in ("cook", "boat", "slowly"):
        assert word not in record
        assert word not in text

    # What was made is not made again; the page is the same from the record alone.
    with monkeypatch.context() as changed:
        changed.setattr(papers_cells, "measure", refuse)
        changed.setattr(papers_cells, "order_within", refuse)
        changed.setattr(syntagma, "train", refuse)
        papers.main()
    assert page.read_text(encoding="utf-8") == text
    page.write_text(text.replace("Our prose.", "Our new prose."))
    call(monkeypatch, "papers.py", "--record", folder / "record.json", "--page", page)
    papers.main()
    assert page.read_text(encoding="utf-8") == text.replace("Our prose.", "Our new prose.")


@pytest.mark.slow
def test_a_run_that_was_stopped_resumes(
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = options(treebank, tmp_path, "--only", "L15 Table 4")
    call(monkeypatch, "papers.py", *given)
    with monkeypatch.context() as changed:
        changed.setattr(papers_cells, "measure", refuse)
        with pytest.raises(AssertionError, match="made again"):
            papers.main()
    cells = sorted(path.name.rpartition("-")[0] for path in (tmp_path / "cells").iterdir())
    assert cells == ["training-l15", "training-p16+", "training-z13", "training-zc15"]
    capsys.readouterr()
    with monkeypatch.context() as changed:
        changed.setattr(syntagma, "train", refuse)
        papers.main()
    printed = capsys.readouterr()
    assert "measurement-l15-dev-tags0-arcs0: done" in printed.err
    rows = [line.split() for line in printed.out.splitlines()]
    published = next(row for row in rows if row[:4] == ["L15", "Table", "4,", "Z13"])
    assert published[4:7] == ["24.6", "14.6", "18.3"]
    assert len(next(row for row in rows if row[:1] == ["**l15**"])) == 1 + 12  # ours, beside it

    # Only some systems, or none: the table shows what there is.
    call(monkeypatch, "papers.py", *options(treebank, tmp_path / "b"), "--systems")
    with monkeypatch.context() as changed:
        changed.setattr(syntagma, "train", refuse)
        papers.main()
    assert capsys.readouterr().out.count("not measured yet") > 5

    # Other sentences or settings are other cells: nothing is mixed.
    call(monkeypatch, "papers.py", *given, "--epochs", 2)
    with monkeypatch.context() as changed:
        changed.setattr(syntagma, "train", refuse)
        with pytest.raises(AssertionError, match="made again"):
            papers.main()


def test_the_key_of_a_cell_holds_what_it_depends_on(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keys(*others: object) -> tuple[dict[str, Any], ...]:
        call(monkeypatch, "papers.py", *options(treebank, tmp_path, *others))
        workshop = papers_cells.Workshop(papers.parse_arguments())
        workshop.draw()
        cells = (
            Training("l15"),
            Measurement("zc15", "dev", "pos"),
            Measurement("en", "dev", "pos"),
        )
        return tuple(workshop.key(cell) for cell in cells)

    first = keys()
    assert first[0]["settings"]["preset"] == "l15"
    assert first[1]["timeout"] == 5.0
    assert "settings" not in first[2]
    longer, larger = keys("--epochs", 3), keys("--dev-sentences", 3)
    assert [a == b for a, b in zip(first, longer, strict=True)] == [False, False, True]
    assert [a == b for a, b in zip(first, larger, strict=True)] == [False, False, False]
    assert keys("--test-sentences", 3) == first


def test_several_files_are_one_corpus(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b.conllu", "a.conllu"):
        (tmp_path / name).write_bytes(treebank.read_bytes())
    given = options(tmp_path / "*.conllu", tmp_path / "kept")
    call(monkeypatch, "papers.py", *given)
    workshop = papers_cells.Workshop(papers.parse_arguments())
    workshop.draw()
    about = workshop.about_samples()["train-300.conllu"]
    assert (about["name"], about["sentences"]) == ("a.conllu and 1 more", 2 * SIZE)
    assert len(workshop.references("train")) == 2 * SIZE


def test_without_derivations_ccg_is_left_out() -> None:
    record = papers_tables.Record({"cells": {}})
    for name, experiment in papers_experiments.experiments().items():
        for table in experiment.tables(record):  # nothing measured: all tables are there
            about_ccg = name in ("ZC15 Table 4", "ZC15 Figure 4", "ZC15 Figure 7", "ZC15 Table 9")
            assert (papers_tables.WITHOUT_CCG in table.notes) >= about_ccg
            assert table.rows or "Figure" in name


def settings_of(system: papers_systems.System) -> dict[str, Any]:
    assert system.settings is not None
    return asdict(system.settings)


def test_settings_are_those_of_the_papers() -> None:
    found = papers_systems.systems(epochs=3, beams_epochs=2)
    assert {system.name for system in found.values()} >= {"l15", "p16", "p16+", "zc15", "en"}
    cells = papers_experiments.all_cells(papers_experiments.experiments().values())
    used = {cell.system for cell in cells if not isinstance(cell, papers_cells.Statistics)}
    assert used == set(found)  # no system without a table, and none missing
    for name, preset in (("l15", "l15"), ("p16", "p16"), ("zc15", "zc15"), ("z13", "z13")):
        assert settings_of(found[name])["preset"] == preset
    for width in papers_systems.BEAMS:
        system = found[f"beam-{width}"]
        assert system.beam == settings_of(system)["beam"] == width
    assert {system.grammar for system in found.values()} == {"dependency", "ccg"}


def test_published_numbers_are_in_the_papers() -> None:
    """Tables have as many numbers as columns, and each number is printed in its paper."""
    for name, table in papers_tables.PUBLISHED.items():
        for row, numbers in table["rows"].items():
            assert len(numbers) == len(table["columns"]), (name, row)
    if not PAPERS.exists():
        pytest.skip("needs the text of the papers")
    files = {"L15": "liu", "P16": "puduppully", "ZC15": "zhang"}
    for name, table in papers_tables.PUBLISHED.items():
        [path] = PAPERS.glob(f"{files[name.partition(' ')[0]]}*.txt")
        words = set(path.read_text(encoding="utf-8").replace("%", " ").replace(",", " ").split())
        joined = path.read_text(encoding="utf-8").replace(",", "")
        for row, numbers in table["rows"].items():
            for number in filter(None, numbers):
                spelt = {f"{number:g}", f"{number:.2f}", str(number)}
                assert spelt & words or any(each in joined for each in spelt), (name, row, number)


@pytest.mark.parametrize(
    ("others", "message"),
    [
        (["--train", "a"], "--train, --dev, --test need each other"),
        (["--ccg-dev", "a"], "--ccg-train, --ccg-dev, --ccg-test need each other"),
        ([], "give --train, --dev and --test, or a --record"),
        (["--train", "a", "--dev", "a", "--test", "a"], "--train needs --folder"),
        (["--epochs", "0"], "must be at least 1, not 0"),
    ],
)
def test_options_that_do_not_fit(
    others: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    call(monkeypatch, "papers.py", *others)
    with pytest.raises(SystemExit):
        papers.main()
    assert message in capsys.readouterr().err


def test_unknown_tables_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "r.json").write_text(json.dumps({"cells": {}}))
    call(monkeypatch, "papers.py", "--record", tmp_path / "r.json", "--only", "L15 Table 99")
    with pytest.raises(SystemExit, match="no table or figure 'L15 Table 99': choose from L15 Tab"):
        papers.main()


def test_a_broken_page_is_refused() -> None:
    page = "<!-- X -->\na\n<!-- end -->\n<!-- X -->\nb\n<!-- end -->\n"
    with pytest.raises(SystemExit, match="has 2 blocks"):
        papers_page.replaced(page, "X", "new")
    assert (
        papers_page.replaced("a\n", "X", "new")
        == "a\n\n## X\n\n<!-- X -->\n\nnew\n\n<!-- end -->\n"
    )
