"""The documentation: examples run, generated pages are up to date, links hold, lines are short."""

import doctest
import importlib.util
import json
import os
import pkgutil
import re
import shlex
import shutil
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
FOLDERS = ("benchmarks", "docs", "examples", "fuzzing", "languages", "src", "tests")
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


# The packages that the examples of a page import.
NEEDED = {"integrations.md": ("conllu", "spacy", "stanza", "udapi")}


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=str)
def test_python_examples(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in NEEDED.get(page.name, ()):
        pytest.importorskip(package, reason=f"no {package}: pip install 'syntagma[{package}]'")
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
    """Commands of a block, and what the page says that they print; empty if it does not say."""

    line: int
    commands: tuple[str, ...]
    output: str


def shell_examples(page: Path) -> list[Example]:
    examples = []
    for line, block in [*blocks(page, "console"), *blocks(page, "text")]:
        commands: list[str] = []
        output: list[str] = []
        continued = False
        for text in block.splitlines():
            if continued:
                commands[-1] += "\n" + text
            elif text.startswith("$ "):
                commands.append(text.removeprefix("$ "))
            else:
                output.append(text)
            continued = bool(commands) and not output and text.endswith(("\\", "|"))
        if commands:
            examples.append(Example(line, tuple(commands), "\n".join(output).strip("\n")))
    return sorted(examples, key=lambda example: example.line)


def shell(folder: Path, commands: str) -> subprocess.CompletedProcess[str]:
    """Run commands in a folder that looks like a clone, in which `syntagma` is installed, and
    packages of the folder `site`."""
    paths = {
        name: os.pathsep.join(filter(None, (str(folder / first), os.environ.get(name))))
        for name, first in (("PATH", "bin"), ("PYTHONPATH", "site"))
    }
    return subprocess.run(
        ["sh", "-c", commands],
        cwd=folder,
        env=os.environ | paths,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "syntagma"
    main = "from syntagma.cli import main; main()"
    program.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -c '{main}' \"$@\"\n")
    program.chmod(0o755)
    for name in ("examples", "benchmarks"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def quickened(command: str) -> str:
    """The command; a training with one epoch only."""
    return re.sub(
        r"\bsyntagma train (?!.*--epochs 1\b)(.*)",
        r"syntagma train \1 --epochs 1",
        command,
        flags=re.S,
    )


def installing(command: str) -> str:
    """The command; a folder is installed beside the clone, without a network."""
    options = "--quiet --no-deps --no-build-isolation --no-index --target site"
    return command.replace("pip install", f"{shlex.quote(sys.executable)} -m pip install {options}")


def test_a_training_is_quickened() -> None:
    assert quickened("syntagma train a b -o c") == "syntagma train a b -o c --epochs 1"
    assert quickened("syntagma train-lm a -o c") == "syntagma train-lm a -o c"


# The pages whose commands run from a clone as they are.
GUIDE = [ROOT / "README.md", ROOT / "docs" / "index.md", *(ROOT / "docs" / "guide").glob("*.md")]


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(GUIDE), ids=lambda page: page.name)
def test_shell_examples(page: Path, clone: Path) -> None:
    """Every command of a page, in order, from a fresh clone: it succeeds and prints what the page
    says."""
    examples = shell_examples(page)
    if not any("--output my.syntagma" in each for example in examples for each in example.commands):
        shutil.copy(ROOT / "src/syntagma/models/en.syntagma", clone / "my.syntagma")
    with_torch = importlib.util.find_spec("torch") is not None
    left_out = []
    for example in examples:
        printed = ""
        for command in example.commands:
            neural = "syntagma train " in command and "best-first" not in command
            missing = re.findall(r"(?:--model |add-lm |benchmarks/)\S*\.syntagma", command)
            gone = [each for each in missing if not (clone / each.rpartition(" ")[2]).exists()]
            if command.startswith("pip install ./"):
                run = shell(clone, installing(command))
                assert run.returncode == 0, run.stdout
            if not re.search(r"\bsyntagma [a-z]", command) or command.startswith("pip "):
                continue
            if gone or (neural and not with_torch):
                left_out.append(command)
                continue
            run = shell(clone, quickened(command))
            failing = example.output.startswith("error: ")
            assert run.returncode == (2 if failing else 0), f"{command}\n{run.stdout}"
            printed += run.stdout
        if example.output and not left_out:
            assert printed.strip("\n") == example.output, f"{page.name}:{example.line}"
    if left_out:
        pytest.skip(f"no PyTorch, or a model that source distributions lack: {left_out[0]}")


def test_every_file_that_a_command_names_is_an_example() -> None:
    for page in GUIDE:
        for example in shell_examples(page):
            for command in example.commands:
                for name in re.findall(r"(?<!-)\bexamples/[\w./-]+", command):
                    assert (ROOT / name).is_file(), f"{page.name}:{example.line}: no {name}"


MODULES = [
    module.name
    for module in pkgutil.walk_packages(syntagma.__path__, "syntagma.")
    if not module.name.rpartition(".")[2].startswith("_")
]


# Modules that import an optional package, and the extra that installs it.
OPTIONAL = {
    "syntagma.neural.batches": ("torch", "train"),
    "syntagma.neural.network": ("torch", "train"),
    "syntagma.neural.training": ("torch", "train"),
    "syntagma.integrations.spacy_component": ("spacy", "spacy"),
}


@pytest.mark.slow
def test_examples_in_docstrings(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("syntagma", *(name for name in MODULES if name not in OPTIONAL)):
        failed, _ = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
        assert failed == 0, f"{name}: {capsys.readouterr().out}"


@pytest.mark.parametrize("name", OPTIONAL)
def test_examples_of_modules_that_need_a_package(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    package, extra = OPTIONAL[name]
    pytest.importorskip(package, reason=f"no {package}: pip install 'syntagma[{extra}]'")
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert failed == 0, capsys.readouterr().out


def test_json_examples_are_json_and_the_problems_are_valid() -> None:
    page = ROOT / "docs" / "guide" / "formats.md"
    problems, result, schema = (block for _, block in blocks(page, "json"))
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


@pytest.mark.slow
@pytest.mark.parametrize("name", builder("build_pictures").commands())
def test_the_pictures_are_up_to_date(name: str) -> None:
    pictures = builder("build_pictures")
    arguments = pictures.commands()[name]
    if any(each.startswith("benchmarks/") and not (ROOT / each).exists() for each in arguments):
        pytest.skip("a model that source distributions lack")
    written = (ROOT / "docs" / "images" / name).read_text(encoding="utf-8")
    assert pictures.picture(arguments) == written, f"docs/images/{name} is stale: run `make docs`"


def test_pictures_are_made_by_the_pages_that_show_them() -> None:
    pictures = builder("build_pictures")
    assert set(pictures.commands()) == {"order.svg", "n-best.svg", "derivation.svg"}
    for page in pictures.PAGES:
        text = page.read_text(encoding="utf-8")
        for _, name in pictures.COMMAND.findall(text):
            assert re.search(rf"!\[.+\]\(.*images/{name}\)", text), f"{page.name}: {name}"


def test_the_list_of_files_is_up_to_date() -> None:
    written = (ROOT / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
    page = builder("build_files").page()
    assert page == written, "docs/reference/files.md is stale: run `make docs`"


def test_the_walk_of_a_sentence_is_up_to_date_and_short() -> None:
    written = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    walk = builder("build_walk")
    assert walk.page(written) == written, "docs/architecture.md is stale: run `make docs`"
    steps = re.findall(r"^\d+\. ", written.partition(walk.BEGIN)[2].partition(walk.END)[0], re.M)
    assert 15 <= len(steps) <= 25


def test_every_command_and_option_is_documented() -> None:
    from typer.main import get_command

    from syntagma.cli.app import build_command_line

    written = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    commands = get_command(build_command_line()).commands  # type: ignore[attr-defined]
    names = {"order", "realize", "score", "accept", "evaluate", "info", "doctor"}
    names |= {"train", "train-lm", "add-lm", "fit-margin", "serve", "convert", "stats", "package"}
    names |= {"batch", "train-many", "tune", "fit-judge"}
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


def test_no_line_is_longer_than_120_characters() -> None:
    for page in ALL_PAGES:
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            assert len(line) <= 120, f"{page}:{number}"
