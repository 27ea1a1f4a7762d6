"""The steps of the Dockerfile, one by one: the tests do not need Docker.

What needs another system is left out: the base image, the compiler's package, the new user. The
compiled modules are those of this folder, instead of compiling them again.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
pytest.importorskip("python_multipart", reason="pip install 'syntagma[server]'")
pytest.importorskip("httpx", reason="no httpx: pip install 'syntagma[server-tests]'")

from toys.server import running

ROOT = Path(__file__).parents[2]


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with their arguments."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split()[0], line.split(None, 1)[1]) for line in lines]


def arguments(name: str) -> list[str]:
    return [rest for each, rest in instructions() if each == name]


def exec_form(text: str) -> list[str]:
    return re.findall(r'"([^"]*)"', text)


def test_the_image_is_small_and_runs_without_root() -> None:
    assert all("-slim" in base for base in arguments("FROM"))
    assert len(arguments("FROM")) == 2  # the compiler stays in the first
    assert arguments("USER") == ["10001"]
    assert "10001" in arguments("RUN")[-1]
    [entry] = arguments("ENTRYPOINT")
    assert exec_form(entry)[1:] == ["serve", "--host", "0.0.0.0", "--port", "8000"]
    assert arguments("EXPOSE") == ["8000"]


def test_what_is_copied_is_let_through() -> None:
    let_through = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    copied = {
        source for copy in arguments("COPY") if "--from" not in copy for source in copy.split()[:-1]
    }
    assert copied == let_through
    assert all((ROOT / source).exists() for source in copied)


def stage(folder: Path) -> Path:
    """What the first stage copies, and the package that it builds of that."""
    build = folder / "build"
    build.mkdir()
    for copy in arguments("COPY"):
        if "--from" not in copy:
            for source in copy.split()[:-1]:
                here = ROOT / source
                if here.is_dir():
                    shutil.copytree(here, build / source, ignore=shutil.ignore_patterns("*.egg*"))
                else:
                    shutil.copy2(here, build / source)
    assert any('".[server]"' in run for run in arguments("RUN"))
    site = folder / "site"
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(site)],
        cwd=build,
        check=True,
        capture_output=True,
    )
    for compiled in (ROOT / "src").rglob("*.so"):
        shutil.copy2(compiled, site / compiled.relative_to(ROOT / "src"))
    return site


def add_languages(build: Path, names: str, pip: str) -> subprocess.CompletedProcess[str]:
    """What the first stage does with the argument LANGUAGES, with another pip."""
    assert arguments("ARG") == ['LANGUAGES=""']
    [run] = [each for each in arguments("RUN") if "LANGUAGES" in each]
    order = [
        (name, rest) for name, rest in instructions() if "LANGUAGES" in rest or "AS build" in rest
    ]
    assert [name for name, _ in order] == ["FROM", "ARG", "RUN"]  # an argument is of its stage
    installing = "/opt/syntagma/bin/pip install --no-cache-dir --no-deps"
    assert run.count(installing) == 1
    return subprocess.run(
        ["sh", "-c", run.replace(installing, pip)],
        cwd=build,
        env=os.environ | {"LANGUAGES": names},
        capture_output=True,
        text=True,
    )


def test_the_languages_of_the_image_are_those_of_the_argument(tmp_path: Path) -> None:
    (tmp_path / "languages").symlink_to(ROOT / "languages")
    for names in ("", "  "):
        none = add_languages(tmp_path, names, "echo")
        assert (none.returncode, none.stdout, none.stderr) == (0, "", "")
    unknown = add_languages(tmp_path, "xx", "echo")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert unknown.stderr.startswith("LANGUAGES: no model of 'xx' in languages/; there are:")
    if not (ROOT / "languages" / "fr" / "syntagma_fr" / "fr.syntagma").exists():
        pytest.skip("models that source distributions lack")
    two = add_languages(tmp_path, "fr  ko", "echo")
    assert (two.returncode, two.stdout) == (0, "./languages/fr\n./languages/ko\n")
    half = add_languages(tmp_path, "fr xx ko", "echo")
    assert (half.returncode, half.stdout) == (2, "./languages/fr\n")
    assert "languages/pt/syntagma_pt/pt.syntagma" in half.stderr
    assert add_languages(tmp_path, "fr ko", "false").returncode == 1


@pytest.mark.slow
def test_languages_of_the_image_are_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the command of the guide."""
    if not (ROOT / "languages" / "fr" / "syntagma_fr" / "fr.syntagma").exists():
        pytest.skip("models that source distributions lack")
    shutil.copytree(ROOT / "languages" / "fr", tmp_path / "languages" / "fr")
    options = "--quiet --no-deps --no-build-isolation --no-index --target site"
    pip = f"{shlex.quote(sys.executable)} -m pip install {options}"
    added = add_languages(tmp_path, "fr", pip)
    assert added.returncode == 0, added.stderr
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.chdir(tmp_path)
    with (
        running("--model", "en", "--model", "fr") as server,
        urlopen(f"http://{server.host}:{server.port}/v1/models") as answer,
    ):
        models = json.load(answer)["models"]
    assert [model["name"] for model in models] == ["en", "fr"]


@pytest.mark.slow
def test_the_built_package_serves_and_its_health_check_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = stage(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.chdir(tmp_path)
    place = subprocess.run(
        [sys.executable, "-c", "import syntagma; print(syntagma.__file__)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert place.stdout.strip() == str(site / "syntagma" / "__init__.py")
    token = tmp_path / "token"
    token.write_text("0123456789abcdef")
    token.chmod(0o400)
    [entry], [rest] = arguments("ENTRYPOINT"), arguments("CMD")
    command = [sys.executable, "-c", "from syntagma.cli import main; main()", *exec_form(entry)[1:]]
    command[command.index("8000")] = "0"
    options = [each.replace("/run/secrets/syntagma-token", str(token)) for each in exec_form(rest)]
    with running(*options, command=command) as server:
        [check] = arguments("HEALTHCHECK")
        probe = exec_form(check)[2].replace("8000", str(server.port))
        assert subprocess.run([sys.executable, "-c", probe], check=False).returncode == 0
        assert server.stop()[0] == 0
        assert subprocess.run([sys.executable, "-c", probe], capture_output=True).returncode != 0
