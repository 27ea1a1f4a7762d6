"""The diagnosis: right about what works, and about each thing that does not."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys.packages import install

from syntagma import __version__
from syntagma.linearizer import diagnosis
from syntagma.linearizer.diagnosis import CheckedModel, Package, check_models, environment
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.installed import SHIPPED, InstalledModel

ROOT = Path(__file__).parents[2]


class Distribution:
    """What `importlib.metadata` tells of Syntagma, for the tests."""

    def __init__(self, version: str = __version__, origin: str | None = None) -> None:
        self.version = version
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return self.origin


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda name: Distribution())


@pytest.mark.usefixtures("installed")
def test_a_sound_environment() -> None:
    about = environment()
    assert about.problems == []
    assert about.version == __version__
    assert about.core is not None
    assert all(about.core.values())
    assert about.processors >= 1
    assert Path(about.folder).expanduser() == Path(diagnosis.__file__).parents[1]


@pytest.mark.parametrize(
    ("distribution", "installed", "problem"),
    [
        (Distribution(), "from an index", ""),
        (Distribution(origin='{"url": "file:///x.whl", "archive_info": {}}'), "from a file", ""),
        (Distribution("0.1", '{"dir_info": {"editable": true}}'), "editable", ""),
        (Distribution("0.1"), "from an index", "but version 0.1 is installed: pip uninstall"),
    ],
)
def test_how_it_was_installed(
    distribution: Distribution, installed: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda name: distribution)
    about = environment()
    assert about.installed.startswith(installed)
    assert [problem in each for each in about.problems] == [True] * bool(problem)


def test_a_source_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    monkeypatch.setattr(metadata, "requires", missing)
    about = environment()
    assert about.installed == "not as a distribution"
    assert about.packages == []


@pytest.mark.usefixtures("installed")
def test_compiled_modules_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "syntagma.neural._encoder", None)
    about = environment()
    assert about.core is None
    [problem] = about.problems
    assert problem.startswith("the compiled modules cannot be loaded (ModuleNotFoundError: ")


@pytest.mark.usefixtures("installed")
def test_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"numpy": "1.25.2", "torch": "2.6.0+cpu", "uvicorn": "0.55"}
    required = [
        "numpy<3,>=1.26",
        "rich (>=13,<16)",
        'torch<2.14,>=2.6; extra == "train"',
        "uvicorn[standard]<0.55,>=0.50; extra == 'server'",
        'spacy; extra == "spacy"',
        'pytest<10; extra == "dev"',
    ]
    monkeypatch.setattr(metadata, "requires", lambda name: required)
    monkeypatch.setattr(metadata, "version", versions.__getitem__)
    about = environment()
    assert about.packages == [
        Package("numpy", "1.25.2", ">=1.26,<3", ""),
        Package("rich", None, ">=13,<16", ""),
        Package("uvicorn", "0.55", ">=0.50,<0.55", "server"),
        Package("spacy", None, "", "spacy"),
        Package("torch", "2.6.0+cpu", ">=2.6,<2.14", "train"),
    ]
    assert about.problems == [
        "numpy 1.25.2 is not supported: pip install 'numpy>=1.26,<3'",
        "rich is not installed: pip install 'rich>=13,<16'",
        "uvicorn 0.55 is not supported: pip install --upgrade 'syntagma[server]'",
    ]


VERSIONS = st.lists(st.integers(0, 20), min_size=1, max_size=4)


@given(VERSIONS, VERSIONS, VERSIONS, st.sampled_from(["", "+cpu", ".post1", "rc1"]))
def test_versions_within_bounds(own: list[int], low: list[int], high: list[int], rest: str) -> None:
    def text(version: list[int]) -> str:
        return ".".join(map(str, version))

    def key(version: list[int]) -> tuple[int, ...]:
        return (*version, *(0,) * (4 - len(version)))

    bounds = f">={text(low)},<{text(high)}"
    right = key(low) <= key(own) < key(high)
    assert diagnosis.satisfies(text(own) + rest, bounds) == right
    assert diagnosis.satisfies(text(own), "")
    assert diagnosis.satisfies("unknown", bounds)


def test_every_extra_is_for_users_or_for_us() -> None:
    page = (ROOT / "docs" / "guide" / "install.md").read_text(encoding="utf-8")
    told = re.findall(r"pip install '(syntagma|\.)\[(.*?)\]'", page)
    users, ours = (
        {extra for place, extras in told if place == where for extra in extras.split(",")}
        for where in ("syntagma", ".")
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert users | ours | {"server-tests"} == set(project["optional-dependencies"])
    assert ours | {"server-tests"} == diagnosis._OURS


@pytest.mark.parametrize(
    ("home", "text", "short"),
    [
        ("/home/ann", "/home/ann/x/y", "~/x/y"),
        ("/home/ann", "/home/ann", "~"),
        ("/home/ann", "in /home/ann/x: no", "in ~/x: no"),
        ("/home/ann", "/home/anna/x", "/home/anna/x"),
        ("/home/ann", "/data/home/ann/x", "/data/home/ann/x"),
        ("/", "/x/y", "/x/y"),
        ("~", "/x/~/y", "/x/~/y"),
    ],
)
def test_the_home_folder_is_not_shown(
    home: str, text: str, short: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.path.expanduser", lambda path: home)
    assert diagnosis.shorten(text) == short


def models() -> dict[str, CheckedModel]:
    return {model.name: model for model in check_models()}


@pytest.mark.slow
def test_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = install(tmp_path)
    install(site, "broken", points="x = nowhere", package=None)
    install(site, "damaged", points="y = damaged_y", package="damaged_y", file="y.syntagma")
    damaged = site / "damaged_y" / "y.syntagma"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    monkeypatch.syspath_prepend(str(site))
    found = models()
    for name in ("en", "en-best-first"):
        assert found[name].right is True, found[name]
        assert found[name].output == "Can you send me the report ?"
        assert len(found[name].sha256) == 64
    assert sorted(found["tlh"].output.split()) == ["a", "b", "c"]
    assert found["tlh"].right is None
    assert found["x"].problem.startswith("broken 1.2 announces the model 'x', but there is no")
    assert str(damaged) in found["y"].problem
    assert [name for name, each in found.items() if each.problem] == ["x", "y"]


@pytest.mark.slow
@pytest.mark.parametrize("code", diagnosis.TREES)
def test_a_model_of_another_language_makes_a_sentence_of_it(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Path(__file__).parents[2] / "languages" / code
    if not package.exists():
        pytest.skip("a model that source distributions lack")
    sentence, heads = diagnosis.TREES[code]
    assert len(sentence.split()) == len(heads)
    path = package / f"syntagma_{code}" / f"{code}.syntagma"
    model = InstalledModel(code, f"syntagma-{code}", "1", language=code, path=path)
    monkeypatch.setattr("syntagma.models.installed.installed_models", lambda: [model])
    [found] = check_models()
    assert (found.output, found.right, found.problem) == (sentence, True, "")


@pytest.mark.slow
def test_another_order_of_another_model_is_no_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = InstalledModel("ich", "mine", "1", language="fr", path=SHIPPED / "en.syntagma")
    monkeypatch.setattr("syntagma.models.installed.installed_models", lambda: [model])
    monkeypatch.setitem(diagnosis.TREES, "fr", ("dog . the barked", (4, 4, 1, 0)))
    [found] = check_models()
    assert (found.output, found.right, found.problem) == ("the dog barked .", None, "")


@pytest.mark.slow
def test_a_model_that_orders_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Linearizer.order

    def reversed_order(self: Linearizer, words: list[str]) -> object:
        class Result:
            text = " ".join(reversed(right(self, words).text.split()))
            score = 0.0

        return Result()

    monkeypatch.setattr(Linearizer, "order", reversed_order)
    english = models()["en"]
    assert english.right is False
    assert english.problem == (
        "it orders '? report the me send you Can', where 'Can you send me the report ?' is right"
    )


def test_a_crash_is_a_problem_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("syntagma.models.loading.load_model", crash)
    assert models()["en"].problem == "ZeroDivisionError: division by zero"


def test_models_that_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "syntagma.models.installed", None)
    [model] = check_models()
    assert model.problem.startswith("the installed models cannot be listed: ModuleNotFoundError")
