"""What is installed: every model that can be loaded by name, and why another cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from toys.models import toy_vocabulary
from toys.network import toy_header, toy_stored
from toys.packages import install, model_bytes, write_model

import syntagma
from syntagma.cli.info import list_as_text
from syntagma.models.installed import InstalledModel, installed_models
from syntagma.models.model import save_model


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def packaged() -> list[InstalledModel]:
    return [each for each in installed_models() if each.distribution != "syntagma"]


def test_the_shipped_models() -> None:
    english, best_first = installed_models()[:2]
    assert (english.name, english.version) == ("en", syntagma.__version__)
    assert (english.search, english.tags, english.licence) == ("beam", "xpos", "CC-BY-SA-4.0")
    assert english.realizes
    assert english.path is not None
    assert english.size == english.path.stat().st_size
    assert (best_first.name, best_first.search) == ("en-best-first", "best-first")
    assert not best_first.realizes


def test_a_packaged_model(site: Path) -> None:
    install(site)
    [model] = packaged()
    path = site / "syntagma_tlh" / "tlh.syntagma"
    assert model == InstalledModel(
        name="tlh",
        distribution="syntagma-tlh",
        version="1.2",
        language="tlh",
        search="beam",
        tags="xpos",
        size=len(model_bytes()),
        licence="CC0-1.0",
        attribution="nobody",
        path=path,
    )
    assert syntagma.load(model.name).info.path == model.path


def test_what_a_model_can_do(site: Path) -> None:
    install(site)
    write_model(site / "syntagma_tlh" / "tlh.syntagma", name="tlh", lifting=True)
    [model] = packaged()
    assert model.lifting
    assert syntagma.load("tlh").lifts
    assert model.inputs == ()


def test_what_a_model_reads(site: Path) -> None:
    install(site)
    path = site / "syntagma_tlh" / "tlh.syntagma"
    header = {**toy_header(["upos", "features"]), "name": "tlh"}
    save_model(path, header, toy_vocabulary(), toy_stored())
    [model] = packaged()
    assert (model.tags, model.inputs) == ("xpos", ("upos", "features"))
    assert "XPOS, UPOS, FEATS" in list_as_text([model])


def test_each_fault_has_its_line(site: Path) -> None:
    install(site, "a", points="x = a_package", package="a_package", file="x.syntagma")
    install(site, "b", points="x = b_package", package="b_package", file="x.syntagma")
    install(site, "c", points="en = c_package", package="c_package", file="en.syntagma")
    install(site, "d", points="y = d_package", package="d_package", file=None)
    install(site, "e", points="z", package=None)
    install(site, "f", points="w = f_package", package="f_package", file="w.syntagma")
    (site / "f_package" / "w.syntagma").write_bytes(model_bytes()[:100])
    install(site, "g", points="a b = g_package", package="g_package", file="a b.syntagma")
    errors = {each.distribution: each.error for each in packaged()}
    assert all(errors.values())
    assert not any("\n" in each for each in errors.values())
    assert "hidden by the model of this name" in errors["c"]
    assert errors["a"] == "a 1.2: several packages have a model named 'x'; uninstall all but one"
    assert "its file is missing" in errors["d"]
    assert "entry points are malformed" in errors["e"]
    assert "truncated model file" in errors["f"]
    assert "letters, digits, _ and - only" in errors["g"]
