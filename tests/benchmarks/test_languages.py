"""The tables of languages on toy treebanks: training, resuming, pages, packages, known figures."""

from __future__ import annotations

import doctest
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import languages_cells
import languages_tables
import machine
import pytest
from languages_cells import Treebank, exact_interval, find, read_table
from languages_tables import MISSING
from papers_page import as_markdown
from toys.benchmark_runs import call
from toys.packages import write_model
from toys.treebank import write_treebank

import languages
import syntagma
from syntagma.files.reading import fingerprint
from syntagma.models.container import read_header
from syntagma.models.languages import LANGUAGES
from syntagma.models.packaging import About, licence_id, package_texts
from syntagma.problem.trees import is_projective
from syntagma.realization.realizer import Realizer
from syntagma.treebanks.conditions import CONDITIONS, constrain, sentence_rng

ROOT = Path(__file__).parents[2]
QUICK = "--scorer linear --epochs 1 --beam 2"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A treebank of Universal Dependencies, and pages without tables."""
    (tmp_path / "UD_Klingon").mkdir()
    for part in ("train", "dev", "test"):
        write_treebank(tmp_path / "UD_Klingon" / f"tlh_toy-ud-{part}.conllu")
    for page in languages_tables.PAGES.values():
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / page, tmp_path / page)
    return tmp_path


def options(folder: Path, *others: object) -> list[object]:
    given: list[object] = ["languages.py", folder / "UD_Klingon", "--record", folder / "r.json"]
    return [*given, "--target", folder, "--unit-command", "", *others]


def refuse(*_: Any, **__: Any) -> Any:
    raise AssertionError("made again")


@pytest.mark.parametrize("module", [languages_cells, languages_tables])
def test_examples_in_docstrings(module: Any) -> None:
    failed, tried = doctest.testmod(module)
    assert tried
    assert not failed


@pytest.mark.slow
def test_a_treebank_that_nobody_knows(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole command, then again from what it kept, then the pages alone."""
    given = options(folder, "--folder", folder / "runs", "--limit", 3, "--pages")
    call(monkeypatch, *map(str, given), "--train-options", QUICK)
    languages.main()
    printed = capsys.readouterr().out
    assert "tlh_toy" in printed
    record = json.loads((folder / "r.json").read_text())
    entry = record["treebanks"]["tlh_toy"]
    assert [each["condition"] for each in entry["conditions"]] == [
        *("none", "pos", "tree", "labelled")
    ]
    assert (entry["split"], entry["syntagma"]) == ("dev", syntagma.__version__)
    assert entry["model"]["settings"]["epochs"] == 1
    assert entry["training"]["attempts"][0]["cpu_seconds"] > 0
    assert entry["projectivity"]["free"] == entry["conditions"][-1]
    assert (folder / "runs" / "logs" / "tlh_toy.log").read_text().count("epoch 1:") == 1
    assert "cook" not in (folder / "r.json").read_text()  # no text of the treebank
    pages = {page: (folder / page).read_text() for page in languages_tables.PAGES.values()}
    assert all("| tlh_toy |" in page for page in pages.values())

    with monkeypatch.context() as changed:
        changed.setattr(languages_cells, "measure", refuse)
        changed.setattr(subprocess, "run", refuse)
        languages.main()
    assert json.loads((folder / "r.json").read_text()) == record
    call(monkeypatch, *map(str, options(folder, "--pages")))
    languages.main()
    assert pages == {page: (folder / page).read_text() for page in pages}


def test_training_that_fails_says_where_to_look(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "print('error: too short'); raise SystemExit(2)"
    monkeypatch.setattr(machine, "command_line", lambda *_: [sys.executable, "-c", script])
    call(monkeypatch, *map(str, options(folder, "--folder", folder / "runs")))
    with pytest.raises(
        SystemExit, match=r"training on tlh_toy failed \(.*tlh_toy.log\): error: too"
    ):
        languages.main()
    attempts = json.loads((folder / "runs" / "cells" / "tlh_toy-training.json").read_text())
    assert len(attempts["attempts"]) == 1


def test_unknown_treebanks_and_missing_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, known = read_table(tmp_path)
    assert find("fr", known) is find("fr_sequoia", known)
    with pytest.raises(SystemExit, match="'xx' is neither one of pt, fr, ru"):
        find("xx", known)
    call(monkeypatch, "languages.py", "--record", tmp_path / "none.json")
    with pytest.raises(SystemExit):
        languages.main()
    assert "there is no record" in capsys.readouterr().err


def test_the_table_of_treebanks() -> None:
    """It has every language that `load` tells how to install, with licence and attribution; so has
    the guide."""
    guide = (ROOT / "docs" / "guide" / "languages.md").read_text(encoding="utf-8")
    for code, language in LANGUAGES.items():
        assert f"| {language} | `{code}` |" in guide
    version, known = read_table(Path("ud"))
    assert version
    packaged = {code for code, treebank in known.items() if treebank.package}
    assert packaged == set(LANGUAGES)
    for code, treebank in known.items():
        assert treebank.code == code
        assert licence_id(treebank.licence) == treebank.licence
        if treebank.package:
            assert treebank.title in treebank.attribution


def test_a_language_is_packed_again_from_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the model that was trained, then without: from the package itself."""
    model = write_model(tmp_path / "fr_sequoia.syntagma", name="fr", language="fr")
    conditions = [{"condition": "none", "sentences": 7, "bleu": 31.5, "exact": 2.0}]
    entry = {"data": {"name": "t.conllu"}, "conditions": conditions, "syntagma": "0.11.0"}
    record = {"treebanks": {"fr_sequoia": entry}}
    data = tmp_path / "ud" / "fr_sequoia"
    data.mkdir(parents=True)
    (data / "LICENSE.txt").write_text("The licence.")
    version, known = read_table(data.parent)
    workplace = languages_cells.Workplace(tmp_path, "test", machine.Unit([]))
    monkeypatch.setattr(languages_cells.Workplace, "model", lambda self, treebank: str(model))
    languages.pack(known["fr"], version, record, workplace, tmp_path)
    folder = tmp_path / "languages" / "fr"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "| none | 31.50 | 2.0 |" in (folder / "README.md").read_text()
    assert "A model of French" in (folder / "README.md").read_text()
    assert (folder / "LICENSE.txt").read_text() == "The licence."
    shutil.rmtree(data)
    languages.pack(known["fr"], version, record, None, tmp_path)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    with pytest.raises(syntagma.ModelError, match=r"ko.syntagma: no such model file; train it"):
        languages.pack(known["ko"], version, record, None, tmp_path)
    monkeypatch.setattr(languages, "MOST", 1000)
    with pytest.raises(syntagma.ModelError, match="too large for a package"):
        languages.pack(known["fr"], version, record, None, tmp_path)


PACKAGES = sorted(path.parent.name for path in (ROOT / "languages").glob("*/pyproject.toml"))


@pytest.mark.skipif(not PACKAGES, reason="`make languages` has not made any package yet")
@pytest.mark.parametrize("code", PACKAGES or [""])
def test_the_packages_are_up_to_date(code: str) -> None:
    version, known = read_table(ROOT / "none")
    record = json.loads(languages.RECORD.read_text(encoding="utf-8"))
    folder = ROOT / "languages" / code
    model = folder / f"syntagma_{code}" / f"{code}.syntagma"
    if not model.exists():
        pytest.skip("source distributions lack the models")
    header, sections = read_header(model)
    treebank = known[code]
    assert header["licence"] == treebank.licence
    assert header["attribution"] == " ".join(treebank.attribution.split())
    assert model.stat().st_size <= languages.MOST
    about = About(
        name=code,
        distribution=f"syntagma-{code}",
        header=header,  # type: ignore[arg-type]
        realizes=bool(sections & Realizer.SECTIONS),
        size=model.stat().st_size,
        sha256=fingerprint(model),
    )
    records = languages.card_records(record["treebanks"][treebank.name])
    text = languages.licence_text(treebank, folder)
    for name, written in package_texts(about, version, records, text).items():
        assert (folder / name).read_text(encoding="utf-8") == written, (
            f"languages/{code}/{name} is stale: run `python benchmarks/languages.py --package`"
        )


@pytest.mark.skipif(
    not languages.RECORD.exists(), reason="`make languages` has not measured anything yet"
)
def test_the_pages_are_up_to_date(tmp_path: Path) -> None:
    for page in languages_tables.PAGES.values():
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / page, tmp_path / page)
    record = json.loads(languages.RECORD.read_text(encoding="utf-8"))
    languages_tables.update_pages(record, tmp_path)
    for page in languages_tables.PAGES.values():
        assert (tmp_path / page).read_text() == (ROOT / page).read_text(), f"{page} is stale"


# ---- figures by hand -------------------------------------------------------------------------


def test_free_and_projective_orders(tmp_path: Path) -> None:
    """Against results that are ordered and compared one by one."""
    model = write_model(tmp_path / "toy.syntagma", name="toy", lifting=True)
    rows = ["w1 2", "w2 4", "w3 4", "w4 0", "w5 6", "w6 2"]  # w6 belongs to w2, across w4
    tree = [row.split() for row in rows]
    lines = (
        f"{at}\t{form}\t_\t_\tNN\t_\t{head}\tdep\t_\t_\n"
        for at, (form, head) in enumerate(tree, start=1)
    )
    (tmp_path / "x_toy-ud-dev.conllu").write_text("".join(lines).replace("\t0\tdep", "\t0\troot"))
    treebank = Treebank("x_toy", tmp_path, model=str(model))
    workplace = languages_cells.Workplace(tmp_path / "runs", "dev", machine.Unit([]))
    found = workplace.measured(treebank)["projectivity"]
    assert found["nonprojective"] == 100.0
    linearizer = syntagma.load(model)
    [sentence] = syntagma.read_treebank(treebank.file("dev"))
    problem = constrain(sentence, CONDITIONS["labelled"], sentence_rng(1, 0))
    for name, projective in (("free", False), ("projective", True)):
        result = linearizer.order(problem, projective=projective)
        assert is_projective(result.heads) or not projective
        crossing = not is_projective(result.heads)
        assert found[name]["projectivity"]["output_share"] == 100.0 * crossing
        assert found[name]["exact"] == 100.0 * (result.text == sentence.text)
    difference = found["free"]["bleu"] - found["projective"]["bleu"]
    assert found["bleu_interval"][0] == pytest.approx(difference, abs=0.01)


def test_the_interval_of_exact_match() -> None:
    golds = [str(number) for number in range(40)]
    worse = ["x"] * 20 + golds[20:]
    difference, low, high = exact_interval(worse, golds, golds)
    assert difference == 50.0
    assert 30 < low < 50 < high < 70
    assert exact_interval(golds, worse, golds)[0] == -50.0


def test_tables_with_liftings() -> None:
    """All columns of a model that lifts, and dashes for one that does not."""
    figures: dict[str, Any] = {"sentences": 10, "bleu": 50.0, "exact": 5.0, "cpu_ms": 4.0}
    figures["units_ms"] = [2.0, 2.0]
    conditions = [{**figures, "condition": name} for name in ("none", "pos", "tree", "labelled")]
    apart = {
        "projective": {"bleu": 52.0, "exact": 3.0},
        "nonprojective": {"bleu": None, "exact": None},
        "output_share": 9.0,
        "lifted": {"output": 4, "gold": 5, "right": 3},
    }
    lifting = {
        "nonprojective": 10.0,
        "free": {**figures, "projectivity": apart},
        "projective": {**figures, "bleu": 49.0, "projectivity": apart},
        "bleu_interval": [1.0, 0.25, 2.0],
        "exact_interval": [1.0, -1.0, 3.0],
    }
    plain = {"nonprojective": 10.0, "free": figures}
    shared = {"title": "X", "conditions": conditions, "model": {"size": 5e6}, "split": "test"}
    attempts = [{"cpu_seconds": 600.0, "units_ms": [2.0]}, {"cpu_seconds": 60.0, "units_ms": [3.0]}]
    record = {
        "treebanks": {
            "a": {**shared, "code": "a", "projectivity": plain, "training": None},
            "b": {**shared, "code": "b", "projectivity": lifting}
            | {"training": {"attempts": attempts}},
        }
    }
    found = languages_tables.tables(record)
    ordered, realized, cost = found["languages"]
    assert ordered.rows == [["X", "10", *["50.0 / 5.0"] * 4]]
    assert realized.rows == [["X", *[MISSING] * 4]]
    assert cost.rows == [["X", "5.0", "11.0", "320", "2.00", "2.00", MISSING]]
    gains, liftings, apart_from_each_other = found["projectivity"]
    assert gains.rows == [
        ["a", "50.00 / 5.00", *[MISSING] * 3, "2.00", MISSING],
        [
            *("b", "49.00 / 5.00", "50.00 / 5.00", "+1.00 (+0.25 to +2.00)"),
            *("+1.00 (-1.00 to +3.00)", "2.00", "2.00"),
        ],
    ]
    assert liftings.rows == [
        ["a", "10.0", *[MISSING] * 6],
        ["b", "10.0", "9.0", "5", "4", "3", "75.0%", "60.0%"],
    ]
    assert apart_from_each_other.rows == [
        ["a", *[MISSING] * 4],
        ["b", "52.0 / 3.0", "52.0 / 3.0", MISSING, MISSING],
    ]
    for table in (*found["languages"], *found["projectivity"]):
        assert max(map(len, as_markdown(table).splitlines())) <= 120


def test_a_treebank_is_found_by_its_folder(folder: Path) -> None:
    treebank = find(str(folder / "UD_Klingon"), {})
    assert treebank == Treebank("tlh_toy", folder / "UD_Klingon", title="tlh_toy")
    assert treebank.file("dev").exists()
    assert not treebank.package
