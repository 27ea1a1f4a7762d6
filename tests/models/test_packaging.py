"""Packages of models: what is written, what is refused, and that pip can build and install it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from toys.packages import write_model

from syntagma.errors import ArgumentError, ModelError, OutputError, SyntagmaWarning
from syntagma.models.packaging import licence_id, package

ORDERED = {
    "data": {"name": "test.conllu"},
    "conditions": [{"condition": "labelled", "sentences": 1234, "bleu": 91.5, "exact": 60.0}],
}
REALIZED = {
    "data": {"name": "test.conllu"},
    **{"forms": 97.25, "bleu": 80.5, "written_bleu": 82.0, "exact": 40.0},
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "my.syntagma", name="tlh", licence="CC BY-SA 4.0")


def project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_files_of_a_package(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert package(model, folder, figures=[ORDERED, REALIZED]) == "syntagma-tlh"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    inner = {"syntagma_tlh/__init__.py", "syntagma_tlh/tlh.syntagma"}
    assert files == {"pyproject.toml", "README.md", "LICENSE.md", *inner}
    assert (folder / "syntagma_tlh/tlh.syntagma").read_bytes() == model.read_bytes()
    about = project(folder)["project"]
    assert about["entry-points"] == {"syntagma.models": {"tlh": "syntagma_tlh"}}
    assert (about["name"], about["version"]) == ("syntagma-tlh", "1.0.0")
    assert about["license"] == "CC-BY-SA-4.0"
    assert about["dependencies"] == ["syntagma>=0.11"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "\n\n| given | BLEU | exact % |\n|---|---|---|\n| labelled | 91.50 | 60.0 |\n" in card
    assert "(1,234 sentences)" in card
    assert "right forms 97.2%" in card
    assert "as written 82.00, 40.0% of them exact." in " ".join(card.split())
    for text in (card, (folder / "LICENSE.md").read_text(encoding="utf-8")):
        assert "nobody" in text
        assert "creativecommons.org/licenses/by-sa/4.0/" in text
        assert max(map(len, text.splitlines())) <= 120


def test_a_treebank_that_does_not_say_how_sentences_are_written(
    model: Path, tmp_path: Path
) -> None:
    package(model, tmp_path / "new", figures=[{**REALIZED, "written_bleu": None, "exact": None}])
    card = (tmp_path / "new" / "README.md").read_text(encoding="utf-8")
    assert "(shared task); the treebank does not say" in " ".join(card.split())


def test_a_package_is_written_again(model: Path, tmp_path: Path) -> None:
    """From the model in it, and byte for byte the same; files beside it stay."""
    folder = tmp_path / "folder"
    package(model, folder, licence_text="All of it.\n")
    (folder / "notes.txt").write_text("mine")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    package(folder / "syntagma_tlh" / "tlh.syntagma", folder, licence_text="All of it.\n")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert (folder / "LICENSE.txt").read_text() == "All of it.\n"
    assert "`LICENSE.txt` is its text" in (folder / "LICENSE.md").read_text()
    assert project(folder)["project"]["license-files"] == ["LICENSE.md", "LICENSE.txt"]


def test_files_of_others_are_not_replaced(model: Path, tmp_path: Path) -> None:
    for name in ("README.md", "LICENSE.txt"):
        folder = tmp_path / name[:3]
        folder.mkdir()
        (folder / name).write_text("mine")
        with pytest.raises(OutputError, match=f"its {name} is not that of a package"):
            package(model, folder, licence_text="The licence.\n")
        assert [path.read_text() for path in folder.iterdir()] == ["mine"]


def test_the_card_of_a_model_for_best_first_search_says_so(tmp_path: Path) -> None:
    package("en-best-first", tmp_path / "folder", name="mine")
    card = (tmp_path / "folder" / "README.md").read_text(encoding="utf-8")
    assert "syntagma order --model mine --search best-first WORDS" in card
    assert 'syntagma.load("mine", search="best-first")' in card
    assert "Creative Commons BY-SA 4.0, <https" in card.replace("\n", " ")


def test_the_licence_text_of_an_earlier_package_does_not_go_along(
    model: Path, tmp_path: Path
) -> None:
    package(model, tmp_path / "folder", licence_text="Another licence.\n")
    package(model, tmp_path / "folder")
    assert project(tmp_path / "folder")["project"]["license-files"] == ["LICENSE.md"]


def test_names(model: Path, tmp_path: Path) -> None:
    assert package(model, tmp_path / "a", name="tlh-small", version="2.1") == "syntagma-tlh-small"
    assert project(tmp_path / "a")["tool"]["setuptools"]["packages"] == ["syntagma_tlh_small"]
    for name in ("", "a b", "Klingon", "../x", "a--b", "ф", "x.y", 3):
        with pytest.raises(ArgumentError, match="cannot be the name of a packaged model"):
            package(model, tmp_path / "b", name=name)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="'en' is the name of a model that is part of"):
        package(model, tmp_path / "b", name="en")
    for version in ("", "one", "1.0\n", "1.0; x"):
        with pytest.raises(ArgumentError, match="version must be like"):
            package(model, tmp_path / "b", version=version)
    assert not (tmp_path / "b").exists()


def test_headers_with_markup_stay_data(tmp_path: Path) -> None:
    odd = 'a "b"\n[project]\nname = "x" \\ |'
    model = write_model(
        tmp_path / "odd", name="odd", language=odd, licence=odd, attribution=odd, created_with=odd
    )
    package(model, tmp_path / "folder")
    about = project(tmp_path / "folder")["project"]
    assert about["name"] == "syntagma-odd"
    assert about["license"] == "LicenseRef-a-b-project-name-x"
    assert about["dependencies"] == ["syntagma>=0.11"]


def test_the_card_says_what_the_model_can_do(tmp_path: Path) -> None:
    for lifting, orders in ((False, "- orders: projective ones"), (True, "- orders: those that")):
        package(write_model(tmp_path / "model", name="x", lifting=lifting), tmp_path / "folder")
        assert orders in (tmp_path / "folder" / "README.md").read_text()


def test_a_newer_model_needs_a_newer_syntagma(tmp_path: Path) -> None:
    for made, needed in (("0.9.3", "0.11"), ("0.11.0", "0.11.0"), ("1.2", "1.2"), ("x", "0.11")):
        model = write_model(tmp_path / "model", name="new", created_with=made)
        package(model, tmp_path / "folder")
        assert project(tmp_path / "folder")["project"]["dependencies"] == [f"syntagma>={needed}"]


def test_what_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such model file"):
        package(tmp_path / "none.syntagma", tmp_path / "a")
    records: list[Any] = [{}, {"conditions": []}, {"conditions": [{"bleu": "x"}]}, {"forms": None}]
    for record in [*records, [1]]:
        with pytest.raises(ArgumentError, match="syntagma evaluate --json"):
            package(model, tmp_path / "a", figures=[record])
    assert not (tmp_path / "a").exists()
    for foreign in ("pyproject.toml", "setup.py", "setup.cfg"):
        (tmp_path / "b").mkdir(exist_ok=True)
        (tmp_path / "b" / foreign).write_text("[project]\n")
        with pytest.raises(OutputError, match="holds another Python project"):
            package(model, tmp_path / "b")
        (tmp_path / "b" / foreign).unlink()
    with pytest.raises(OutputError, match="cannot write"):
        package(model, model)


def test_a_model_without_licence_is_warned_of(tmp_path: Path) -> None:
    model = write_model(tmp_path / "model", name="x", licence="")
    with pytest.warns(SyntagmaWarning, match="states no licence"):
        package(model, tmp_path / "folder")
    assert "license" not in project(tmp_path / "folder")["project"]
    assert "No licence is stated" in (tmp_path / "folder" / "LICENSE.md").read_text()


def test_identifiers_of_licences() -> None:
    assert [licence_id(each) for each in ("CC-BY-SA-4.0", "cc by-sa 4.0", "LGPLLR", "")] == [
        *("CC-BY-SA-4.0", "CC-BY-SA-4.0", "LGPLLR", ""),
    ]


def run(command: list[str], folder: Path, path: Path | None = None) -> str:
    source = Path(__file__).parents[2] / "src"
    paths = [str(each) for each in (path, source) if each is not None]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


BUILD = """
import os, sys, tarfile
import setuptools.build_meta as build
target = sys.argv[1]
with tarfile.open(os.path.join(target, build.build_sdist(target))) as archive:
    archive.extractall(target, filter="data")
[folder] = [entry.path for entry in os.scandir(target) if entry.is_dir()]
os.chdir(folder)
build.build_wheel(target)
"""


@pytest.mark.slow
def test_wheel_and_source_distribution(model: Path, tmp_path: Path) -> None:
    """Both hold model, card and licence; the model of a wheel that was built from the latter and
    installed, which is to unpack it, is loaded by its name."""
    package(model, tmp_path / "folder", figures=[ORDERED], licence_text="The licence.\n")
    built = tmp_path / "built"
    built.mkdir()
    run([sys.executable, "-c", BUILD, str(built)], tmp_path / "folder")
    unpacked = built / "syntagma_tlh-1.0.0"
    for name in ("README.md", "LICENSE.md", "LICENSE.txt", "syntagma_tlh/tlh.syntagma"):
        assert (unpacked / name).read_bytes() == (tmp_path / "folder" / name).read_bytes()
    [wheel] = built.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    about = site / "syntagma_tlh-1.0.0.dist-info"
    assert (about / "licenses" / "LICENSE.txt").read_text() == "The licence.\n"
    assert (about / "licenses" / "LICENSE.md").is_file()
    assert "| labelled | 91.50 | 60.0 |" in (about / "METADATA").read_text()
    script = (
        "import syntagma; print(syntagma.load('tlh').info.path)\n"
        "from syntagma.cli.app import run\n"
        "assert run(['info', '--all', '--format', 'json']) == 0"
    )
    path, *listed = run([sys.executable, "-c", script], tmp_path, site).splitlines()
    assert path == str(site / "syntagma_tlh" / "tlh.syntagma")
    versions = {each["name"]: each["version"] for each in map(json.loads, listed)}
    assert versions["tlh"] == "1.0.0"
