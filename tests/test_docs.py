"""The documentation: examples run, generated pages are up to date, links hold, lines are short."""

import doctest
import importlib.util
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

import syntagma
from syntagma.errors import FormatError
from syntagma.formats.jsonl import read_jsonl

ROOT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "docs", "fuzzing", "src", "tests")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALL_PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for folder in FOLDERS for page in sorted((ROOT / folder).rglob("*.md"))),
]
OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """The code blocks of a page with the number of their first line."""
    text = page.read_text(encoding="utf-8")
    pattern = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n"), match[1]) for match in pattern.finditer(text)]


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=str)
def test_python_examples(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=OPTIONS)
    names: dict[str, object] = {}
    for line, block in blocks(page, "python"):
        test = parser.get_doctest(block, names, page.name, str(page), line)
        assert test.examples, f"{page.name}:{line}: a python block without examples"
        runner.run(test, clear_globs=False)
        names.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0, capsys.readouterr().out


@dataclass(frozen=True)
class Example:
    """Commands of a page, and what the page says that they print."""

    page: Path
    line: int
    commands: str
    output: str


def shell_examples() -> list[Example]:
    """The blocks that show commands with their output; commands alone are not run."""
    examples = []
    for page in PAGES:
        for line, block in [*blocks(page, "console"), *blocks(page, "text")]:
            commands, output = [], []
            continued = False
            for text in block.splitlines():
                if continued or text.startswith("$ "):
                    commands.append(text.removeprefix("$ "))
                    continued = text.endswith(("\\", "|"))
                else:
                    output.append(text)
            if commands and output:
                examples.append(Example(page, line, "\n".join(commands), "\n".join(output)))
    return examples


@pytest.mark.slow
@pytest.mark.parametrize(
    "example", shell_examples(), ids=lambda example: f"{example.page.name}:{example.line}"
)
def test_shell_examples(example: Example, tmp_path: Path) -> None:
    for model in re.findall(r"benchmarks/\S+\.syntagma", example.commands):
        if not (ROOT / model).exists():
            pytest.skip(f"no {model}: it is not part of source distributions")
    program = tmp_path / "syntagma"
    main = "from syntagma.cli import main; main()"
    program.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -c '{main}' \"$@\"\n")
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    run = subprocess.run(
        ["sh", "-c", example.commands],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert run.stdout.strip("\n") == example.output.strip("\n")


MODULES = [
    module.name
    for module in pkgutil.walk_packages(syntagma.__path__, "syntagma.")
    if not module.name.rpartition(".")[2].startswith("_")
]


NEED_TORCH = tuple(f"syntagma.neural.{name}" for name in ("batches", "network", "training"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["syntagma", *MODULES])
def test_examples_in_docstrings(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name in NEED_TORCH:
        pytest.importorskip("torch", reason="no PyTorch: pip install 'syntagma[train]'")
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=OPTIONS)
    assert failed == 0, capsys.readouterr().out


def test_json_examples_are_json_and_the_problems_are_valid() -> None:
    page = ROOT / "docs" / "guide" / "formats.md"
    problems, schema, result = (block for _, block in blocks(page, "json"))
    assert not [p for p in read_jsonl(problems.splitlines(), "doc") if isinstance(p, FormatError)]
    assert set(json.loads(schema)["anyOf"][1]["properties"]) == {
        "words",
        "before",
        "first",
        "last",
        "id",
    }
    assert json.loads(result)["text"] == "the dog barked"


def builder(name: str) -> ModuleType:
    """One of the scripts that write pages."""
    path = ROOT / "docs" / f"{name}.py"
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_command_line_reference_is_up_to_date() -> None:
    written = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    assert builder("build_cli_reference").reference() == written, (
        "docs/reference/cli.md is stale: run `make docs`"
    )


def test_the_api_reference_is_up_to_date() -> None:
    written = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    page = builder("build_api_reference").reference()
    assert page == written, "docs/reference/api.md is stale: run `make docs`"


def test_the_listing_of_files_is_up_to_date() -> None:
    written = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    page = builder("build_architecture").page(written)
    assert page == written, "docs/architecture.md is stale: run `make docs`"


def test_every_command_and_option_is_documented() -> None:
    from typer.main import get_command

    from syntagma.cli import build_app

    written = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    commands = get_command(build_app()).commands  # type: ignore[attr-defined]
    names = {"order", "realize", "score", "train", "train-lm", "add-lm", "evaluate", "info"}
    assert set(commands) == names
    for name, command in commands.items():
        section = written.partition(f"## syntagma {name}\n")[2].partition("\n## ")[0]
        assert section, f"{name} is undocumented"
        for parameter in command.params:
            assert parameter.help, f"syntagma {name}: {parameter.name} has no help"
            for option in parameter.opts:
                if option.startswith("-"):
                    assert f"`{option}`" in section, f"syntagma {name} {option} is undocumented"


def test_links_between_pages_lead_somewhere() -> None:
    for page in ALL_PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: broken link {target}"


def test_links_to_headings_lead_somewhere() -> None:
    for page in ALL_PAGES:
        text = page.read_text(encoding="utf-8")
        for target, heading in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text):
            assert heading in anchors(page.parent / target if target else page), (
                f"{page.name}: broken link {target}#{heading}"
            )


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_pages_named_in_the_source_exist() -> None:
    for module in [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.pyx")]:
        for page in re.findall(r"\bdocs/[\w/.-]+\.md\b", module.read_text(encoding="utf-8")):
            assert (ROOT / page).exists(), f"{module.name} names {page}, which is not there"


SOURCE = re.compile(r"`((?:[a-z_]+/)+\w+\.pyx?)(?:: (\w+))?`")


@pytest.mark.parametrize(
    "name", ["CONTRIBUTING.md", "docs/architecture.md", "docs/how-it-works.md"]
)
def test_files_and_functions_named_in_pages_exist(name: str) -> None:
    for path, definition in SOURCE.findall((ROOT / name).read_text(encoding="utf-8")):
        places = [ROOT / "src" / "syntagma" / path, ROOT / path]
        module = next((place for place in places if place.exists()), None)
        assert module is not None, f"{name} names {path}, which is not there"
        if definition:
            pattern = rf"^(?:cdef |cpdef )?(?:class|def) {definition}\b"
            text = module.read_text(encoding="utf-8")
            assert re.search(pattern, text, re.MULTILINE), f"{name}: no {definition} in {path}"


@pytest.mark.parametrize("page", ALL_PAGES, ids=str)
def test_no_line_is_longer_than_120_characters(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert not [number for number, line in enumerate(lines, 1) if len(line) > 120]
