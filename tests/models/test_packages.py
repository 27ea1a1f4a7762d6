"""Models of other distributions: found by name without running their code; faults are named."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from toys.packages import install

import syntagma
from syntagma.errors import ModelError
from syntagma.models.installed import announcements, is_name
from syntagma.models.languages import LANGUAGES
from syntagma.models.loading import model_path


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which packages are found."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def fault(name: str) -> str:
    """The error of loading a model by its name: one line."""
    with pytest.raises(ModelError) as caught:
        syntagma.load(name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_packaged_model_is_loaded_by_its_name(site: Path) -> None:
    install(site)
    linearizer = syntagma.load("tlh")
    assert linearizer.info.path == site / "syntagma_tlh" / "tlh.syntagma"
    assert "syntagma_tlh" not in sys.modules  # whose import would raise
    assert pickle.loads(pickle.dumps(linearizer)).order(["w1", "w2"]) == linearizer.order(
        ["w1", "w2"]
    )


def test_a_server_calls_it_by_its_name(site: Path) -> None:
    from syntagma.server.served import load_models

    install(site)
    models = load_models(["tlh", "en-best-first"])
    assert list(models) == ["tlh", "en-best-first"]
    assert models["tlh"].describe()["licence"] == "CC0-1.0"


def test_a_package_may_hold_several_models_and_be_part_of_another(site: Path) -> None:
    package = "klingon/models"
    install(site, points="a = klingon.models\nb = klingon.models", package="klingon", file=None)
    (site / package).mkdir()
    for name in "ab":
        (site / package / f"{name}.syntagma").touch()
    assert model_path("b") == site / package / "b.syntagma"
    assert "klingon" not in sys.modules  # whose import would raise
    assert [each.name for each in announcements()] == ["a", "b"]


def test_a_shipped_name_is_not_looked_up(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(site, points="en = syntagma_tlh", file="en.syntagma")
    monkeypatch.setattr("importlib.metadata.distributions", lambda: pytest.fail("looked up"))
    assert model_path("en").parent == Path(syntagma.__file__).parent / "models"


def test_start_up_does_not_import_what_finds_packages() -> None:
    script = (
        "import sys, syntagma.linearizer.linearizer\n"
        "before = set(sys.modules)\n"
        "syntagma.models.loading.model_path('en')\n"
        "assert 'importlib.metadata' not in set(sys.modules) - before\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_same_distribution_in_two_folders_counts_once(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(site, "Syntagma.TLH", version="2.0")
    monkeypatch.syspath_prepend(str(install(tmp_path / "first", "syntagma-tlh")))
    [found] = announcements()
    assert (found.distribution, found.version) == ("syntagma-tlh", "1.2")
    assert model_path("tlh").parents[1] == tmp_path / "first"


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_that_is_not_installed(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("syntagma.models.installed.announcements", lambda: [])
    assert fault(code) == (
        f"the model '{code}' ({LANGUAGES[code]}) is not installed: "
        f"in a checkout of Syntagma, pip install languages/{code} (if it is not there, "
        f"make languages LANGUAGES={code} trains it)"
    )


def test_an_unknown_name(site: Path) -> None:
    install(site)
    message = fault("dothraki")
    assert message.startswith("no model named 'dothraki' is installed (installed: en, en-best-")
    assert ", tlh" in message
    for code, language in LANGUAGES.items():
        assert f"{code} ({language})" in message
    assert message.endswith("by its path, as in ./my.syntagma")


def test_two_distributions_of_one_name(site: Path) -> None:
    install(site)
    install(site, "klingon", version="3", points="tlh = klingon", package="klingon")
    assert fault("tlh") == (
        "several packages have a model named 'tlh': klingon 3 and syntagma-tlh 1.2; "
        "uninstall all but one"
    )


def test_a_missing_file(site: Path) -> None:
    install(site, file=None)
    missing = site / "syntagma_tlh" / "tlh.syntagma"
    assert fault("tlh") == (
        "syntagma-tlh 1.2 announces the model 'tlh', but its file is missing "
        f"({missing}); reinstall it"
    )


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("nowhere", "but there is no package nowhere; reinstall it"),
        ("nowhere.at.all", "but there is no package nowhere; reinstall it"),
        ("this", "but there is no package this"),  # a module, not a package
        ("odd", "its package odd cannot be found (ValueError: odd.__spec__ is None); reinstall it"),
        ("syntagma_tlh.inner", "but its file is missing"),
        ("syntagma_tlh:load", "by 'syntagma_tlh:load', which is not the name of a package"),
        ("../../etc", "by '../../etc', which is not the name of a package"),
        ("a b", "by 'a b', which is not the name of a package"),
    ],
)
def test_a_foreign_entry_point(
    site: Path, value: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "odd", ModuleType("odd"))
    install(site, points=f"tlh = {value}")
    message = fault("tlh")
    assert message.startswith("syntagma-tlh 1.2 announces the model 'tlh'")
    assert reason in message


def test_malformed_entry_points(site: Path) -> None:
    install(site, points="tlh")
    assert fault("tlh") == "syntagma-tlh 1.2: its entry points are malformed; reinstall it"


def test_a_broken_distribution_without_models_is_no_obstacle(site: Path) -> None:
    install(site)
    broken = site / "broken-1.dist-info"
    broken.mkdir()
    (broken / "entry_points.txt").write_bytes(b"\xff[console_scripts]\nx")
    assert model_path("tlh").is_file()


def test_a_distribution_without_metadata(site: Path) -> None:
    install(site, metadata="", file=None)
    assert "announces the model 'tlh', but its file is missing" in fault("tlh")


def test_names_and_paths() -> None:
    assert is_name("pt-br")
    assert not any(map(is_name, ("./fr", "fr.syntagma", "", "a b", "..", Path("fr"), None)))
