"""The architecture: imports point down, inference never loads training, names mean one thing.

docs/architecture.md draws the same layers.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import syntagma

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "syntagma"

# Rooms and single modules, lowest first. A module imports from its own room and from lower layers.
LAYERS = (
    ("errors",),
    ("caches",),
    ("arguments",),
    ("request",),
    ("problem",),
    ("files",),
    ("ccg",),
    ("results",),
    ("formats",),
    ("treebanks",),
    ("features",),
    ("language_model",),
    ("transition",),
    ("linear", "neural", "best_first"),
    ("realization",),
    ("judges",),
    ("models",),
    ("linearizer",),
    ("integrations",),
    ("evaluation",),
    ("training",),
    ("engines",),
    ("batches",),
    ("sweeps",),
    ("server",),
    ("cli",),
)
LAYER = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    path: module_name(path)
    for suffix in ("py", "pyx", "pxd", "pyi")
    for path in PACKAGE.rglob(f"*.{suffix}")
}
MODULES = set(SOURCES.values())


def python_imports(source: str, module: str, is_package: bool = False) -> set[str]:
    """The names of the package that Python source imports, in whatever form, wherever it stands.

    A module that is computed at run time cannot be followed: it is returned as "?".
    """
    found: set[str] = set()
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], *filter(None, [base])])
            found.update(f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            called = node.func.id if isinstance(node.func, ast.Name) else called
            if called in ("import_module", "__import__") and node.args:
                name = node.args[0]
                literal = isinstance(name, ast.Constant) and isinstance(name.value, str)
                found.add(str(name.value) if isinstance(name, ast.Constant) and literal else "?")
    return found


def cython_imports(source: str) -> set[str]:
    """The same of Cython source, whose imports all stand on lines of their own."""
    found: set[str] = set()
    joined = re.sub(r"\(([^()]*)\)", lambda match: match[1].replace("\n", " "), source)
    for line in joined.splitlines():
        if match := re.match(r"\s*from ([\w.]+) c?import (.+)", line):
            names = re.sub(r"#.*", "", match[2]).split(",")
            found.update(f"{match[1]}.{name.split()[0]}" for name in names if name.strip())
        elif match := re.match(r"\s*c?import ([\w.]+)", line):
            found.add(match[1])
    return found


def modules_in(names: set[str]) -> set[str]:
    """The modules of the package among imported names: the longest prefix that is a module."""
    found = set()
    for name in names:
        while name.startswith("syntagma.") and name not in MODULES:
            name = name.rpartition(".")[0]
        if name in MODULES:
            found.add(name)
    return found


def imports_of(path: Path) -> set[str]:
    source = path.read_text(encoding="utf-8")
    if path.suffix in (".py", ".pyi"):
        names = python_imports(source, SOURCES[path], path.name == "__init__.py")
    else:
        names = cython_imports(source)
    if path != PACKAGE / "__init__.py":
        assert "?" not in names, f"{path}: imports a module by a computed name"
    # The root is on top of everything; below it only the version is taken from there.
    return modules_in(names - {"syntagma.__version__"}) - {SOURCES[path]}


GRAPH: dict[str, set[str]] = {}
for _path, _module in SOURCES.items():
    GRAPH.setdefault(_module, set()).update(imports_of(_path))


def room(module: str) -> str:
    return module.split(".")[1]


def reachable(start: str) -> set[str]:
    found, waiting = {start}, [start]
    while waiting:
        for module in GRAPH[waiting.pop()] - found:
            found.add(module)
            waiting.append(module)
    return found


def test_every_room_has_a_layer() -> None:
    assert {room(module) for module in MODULES - {"syntagma"}} == set(LAYER)


def test_imports_point_down() -> None:
    for module in sorted(MODULES - {"syntagma"}):
        assert "syntagma" not in GRAPH[module], f"{module}: public names are for users"
        for imported in GRAPH[module]:
            own = room(imported) == room(module)
            assert own or LAYER[room(imported)] < LAYER[room(module)], f"{module}: {imported}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    try:
        list(TopologicalSorter(GRAPH).static_order())
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


# The settings of a judge are read where it is opened; all others are those of learners.
LEARNING = re.compile(
    r"\.(treebanks|training|evaluation|sweeps)(\.|$)|training$|(?<!judges)\.settings$"
)


@pytest.mark.parametrize(
    "start",
    [
        "syntagma.linearizer.linearizer",
        "syntagma.formats.problems",
        "syntagma.integrations.spacy_component",
    ],
)
def test_inference_never_imports_training(start: str) -> None:
    assert [module for module in sorted(reachable(start)) if LEARNING.search(module)] == []


@pytest.mark.slow
def test_ordering_loads_nothing_that_only_training_needs() -> None:
    script = (
        "import sys, syntagma\n"
        "loaded = [name for name in sys.modules if name.startswith('syntagma.')]\n"
        "assert loaded == [], loaded\n"
        "assert 'numpy' not in sys.modules\n"
        "syntagma.load('en').order(['the', 'dog', 'barked'])\n"
        "print(*(name for name in sys.modules if name.startswith('syntagma.')))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "syntagma.transition.beam" in run.stdout.split()
    assert [name for name in run.stdout.split() if LEARNING.search(name)] == []


def test_the_public_names_are_what_is_visible() -> None:
    assert sorted(syntagma.__all__) == sorted(dir(syntagma)) == sorted(syntagma._HOMES)
    for name in syntagma.__all__:
        value = getattr(syntagma, name)
        assert value.__module__ == syntagma._HOMES[name], name
    typed = python_imports((PACKAGE / "__init__.py").read_text(), "syntagma", is_package=True)
    expected = {f"{module}.{name}" for name, module in syntagma._HOMES.items()}
    assert {name for name in typed if name.startswith("syntagma.")} == expected
    with pytest.raises(AttributeError, match="no attribute 'problems'"):
        syntagma.problems  # noqa: B018


def test_a_missing_build_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError("none", name="syntagma.transition._state")

    monkeypatch.setattr(syntagma, "import_module", missing)
    with pytest.raises(ImportError, match="compiled modules of Syntagma are missing"):
        syntagma.__getattr__("load")


def test_modules_say_what_they_are_for() -> None:
    for path in sorted(SOURCES):
        source = path.read_text(encoding="utf-8")
        if path.suffix != ".pyi":
            assert source.startswith(('"""', 'r"""')), f"{path}: no docstring"
        if path.name == "__init__.py" and path.parent not in (PACKAGE, PACKAGE / "cli"):
            assert len(ast.parse(source).body) == 1, f"{path}: a room's has its docstring only"


def definitions(source: str) -> set[str]:
    """The public functions and classes at the top of a module."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = {node.name for node in ast.parse(source).body if isinstance(node, kinds)}
    return {name for name in found if not name.startswith("_")}


def ambiguous(homes: dict[str, set[str]]) -> set[str]:
    """Names with several homes, but for a command and the function of the same name it calls."""
    return {name for name, modules in homes.items() if len(modules - {f"syntagma.cli.{name}"}) > 1}


def test_no_name_has_two_meanings() -> None:
    homes: dict[str, set[str]] = {}
    for path, module in SOURCES.items():
        if path.suffix in (".py", ".pyi"):
            for name in definitions(path.read_text(encoding="utf-8")):
                homes.setdefault(name, set()).add(module)
    assert {name: sorted(homes[name]) for name in sorted(ambiguous(homes))} == {}


# ---- the checks themselves: faults put in on purpose -----------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "import syntagma.cli.order",
        "from syntagma.cli import order",
        "from syntagma.cli.order import order",
        "from ..cli.order import order",
        "from ..cli import order as other",
        "def f():\n    from syntagma.cli import order",
        "if TYPE_CHECKING:\n    from syntagma.cli.order import order",
        "import_module('syntagma.cli.order')",
        "importlib.import_module('syntagma.cli.order')",
        "__import__('syntagma.cli.order')",
    ],
)
def test_every_form_of_import_is_seen(source: str) -> None:
    assert modules_in(python_imports(source, "syntagma.problem.word")) >= {"syntagma.cli.order"}


@pytest.mark.parametrize(
    "source",
    [
        "from syntagma.transition._state cimport State",
        "from syntagma.transition._state cimport (\n    State, Task,\n)",
        "cimport syntagma.transition._state",
        "from syntagma.transition._state import SearchTask",
    ],
)
def test_every_form_of_cython_import_is_seen(source: str) -> None:
    assert modules_in(cython_imports(source)) == {"syntagma.transition._state"}


def test_computed_imports_are_seen() -> None:
    assert python_imports("import_module(name)", "syntagma.problem.word") == {"?"}


def test_names_with_two_meanings_are_seen() -> None:
    homes = {
        "train": {"syntagma.cli.train", "syntagma.training.train"},
        "tune": {"syntagma.cli.train", "syntagma.sweeps.tune"},
        "_own": {"syntagma.cli.tune"},
    }
    assert ambiguous(homes) == {"tune"}
    assert definitions("class A: ...\ndef b(): ...\ndef _c(): ...\nd = 1") == {"A", "b"}
