"""Builds the wheel and the source distribution, checks them, and tries them in clean environments.

`make release-check` runs it with every Python that is installed; `.ci/run` with `--quick`. The
files are left in build/release. Needs the tools of the extra `release`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "syntagma"
OUTPUT = ROOT / "build" / "release"
VERSIONS = ((3, 11), (3, 12), (3, 13))
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++")
SOURCES = (".pyx", ".pxd", ".h")  # of the compiled modules: not part of a wheel
MADE = (".cpp", ".so", ".pyd", ".pyc")  # by builds in place
READ_BY_TESTS = (".py", ".js", ".cc", ".svg", ".json", ".mk", ".ipynb")


class Failed(Exception):
    """A check failed."""


def main() -> None:
    options = _options()
    try:
        check(options.pythons or installed_pythons(), quick=options.quick)
    except Failed as error:
        sys.exit(f"release check failed: {error}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "pythons",
        nargs="*",
        metavar="PYTHON",
        help="Interpreters to try it with. Default: each of 3.11 to 3.13 that is installed.",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="Compile without optimisation from the source distribution, and not with the Python "
        "that has built the wheel, unless there is no other.",
    )
    return parser.parse_args()


def check(pythons: list[str], *, quick: bool) -> None:
    shutil.rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="syntagma-release-") as name:
        work = Path(name)
        building = _build_variables(quick=False)
        with step("source distribution"):
            build = [sys.executable, "-m", "build", "--no-isolation", str(ROOT), "--outdir"]
            run([*build, str(OUTPUT), "--sdist"], building)
            [sdist] = OUTPUT.glob("*.tar.gz")
            compare("the source distribution", sdist_files(sdist), expected_in_sdist())
        with step("wheel"):  # what `make build` has compiled is not compiled again
            run([*build, str(work / "wheel"), "--wheel"], building)
            [built] = (work / "wheel").glob("*.whl")
            compare("the wheel", wheel_files(built), expected_in_wheel())
        with step("auditwheel, twine, check-wheel-contents"):
            wheel = repaired(built)
            run([sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)])
            run([_tool("check-wheel-contents"), str(wheel)], folder=ROOT)  # for its settings
            check_tags(wheel)
        own = [each for each in pythons if _version(each) == sys.version_info[:2]]
        others = [each for each in pythons if each not in own]
        with step(f"wheel, {own[0] if own else sys.executable}"):
            try_wheel(own[0] if own else sys.executable, wheel, work)
        with tarfile.open(sdist) as archive:
            archive.extractall(work, filter="data")
        [tree] = work.glob("syntagma-*/")
        compiling = _build_variables(quick=quick)
        environments = {python: clean_environment(python, work) for python in [*own, *others]}
        others = [python for python in others if has_packages(python, environments[python])]
        for python in others if quick and others else [*own, *others]:
            # One tree for all: what Cython has written does not depend on the Python.
            with step(f"source distribution, {python}"):
                built = wheel_from(tree, environments[python], work, compiling)
                try_wheel(python, built, work)
    print(f"release check passed: {wheel.name}, {sdist.name}")


@contextmanager
def step(name: str) -> Iterator[None]:
    """Print the time that a part of the checks takes, or that it failed."""
    start = time.perf_counter()
    try:
        yield
    except Failed as error:
        raise Failed(f"{name}: {error}") from error
    print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


def run(
    command: list[str], variables: dict[str, str] | None = None, folder: Path | None = None
) -> str:
    """The output of a command; a failure shows all of it."""
    result = subprocess.run(
        command,
        env=variables,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
    )
    if result.returncode:
        raise Failed(f"{' '.join(command)}\n{result.stdout}{result.stderr}".rstrip())
    return result.stdout


def installed_pythons() -> list[str]:
    """An interpreter of each supported version that is on PATH, or installed by pyenv."""
    found = []
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for major, minor in VERSIONS:
        name = f"python{major}.{minor}"
        candidates = [name, *map(str, sorted(pyenv.glob(f"{major}.{minor}.*/bin/python")))]
        working = [each for each in candidates if _version(each) == (major, minor)]
        found += working[:1]
    return found


def _version(python: str) -> tuple[int, int] | None:
    """Of an interpreter that can build: names on PATH may stand for versions that are not there,
    and a system may have packed headers and environments apart."""
    code = (
        "import ensurepip, os, sys, sysconfig, venv;"
        "os.stat(os.path.join(sysconfig.get_path('include'), 'Python.h'));"
        "print(*sys.version_info[:2])"
    )
    try:
        major, minor = run([python, "-c", code]).split()
    except (Failed, OSError, ValueError):
        return None
    return int(major), int(minor)


def _build_variables(*, quick: bool) -> dict[str, str]:
    variables = dict(os.environ)
    variables.pop("PYTHONPATH", None)
    return variables | ({"CXXFLAGS": "-O0"} if quick else {})


def expected_in_wheel() -> set[str]:
    """The files of the package, with a compiled module for each `.pyx`."""
    import sysconfig

    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    files = set()
    for path in _package_files():
        name = path.relative_to(PACKAGE.parent)
        if path.suffix == ".pyx":
            files.add(name.with_suffix(suffix).as_posix())
        elif path.suffix not in SOURCES:
            files.add(name.as_posix())
    return files


def expected_in_sdist() -> set[str]:
    """The files of the package as they are in the repository, and what builds and tests need."""
    files = {path.relative_to(ROOT).as_posix() for path in _package_files()}
    for folder in ("tests", "benchmarks", "fuzzing", "notebooks"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in READ_BY_TESTS:
                files.add(path.relative_to(ROOT).as_posix())
    single = ("CHANGELOG.md", "LICENSE", "Makefile", "README.md", "SECURITY.md", "mkdocs.yml")
    return files | {*single, "pyproject.toml", "setup.py", ".ci/run", ".ci/check_release.py"}


def _package_files() -> Iterator[Path]:
    for path in PACKAGE.rglob("*"):
        if path.is_file() and path.suffix not in MADE:
            yield path


def wheel_files(wheel: Path) -> set[str]:
    """All files of a wheel but its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def sdist_files(sdist: Path) -> set[str]:
    """The files that can be compared: the rest is documentation and metadata."""
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    expected = expected_in_sdist()
    return {name for name in names if name in expected or name.startswith("src/syntagma/")}


def compare(what: str, found: set[str], expected: set[str]) -> None:
    missing, surplus = sorted(expected - found), sorted(found - expected)
    if missing:
        raise Failed(f"{what} lacks {', '.join(missing)}")
    if surplus:
        raise Failed(
            f"{what} has files that are not of the package: {', '.join(surplus)}; if an older "
            "build left them: rm -rf build"
        )


def repaired(wheel: Path) -> Path:
    """The wheel as it would be uploaded: on Linux, for all systems with a C library as new."""
    if sys.platform != "linux":
        return Path(shutil.copy(wheel, OUTPUT))
    auditwheel = [sys.executable, "-m", "auditwheel"]
    variables = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    about = " ".join(run([*auditwheel, "show", str(wheel)], variables).split())
    print(about.partition(" The wheel references")[0])  # up to the symbols that decide
    run([*auditwheel, "repair", "--wheel-dir", str(OUTPUT), str(wheel)], variables)
    [result] = OUTPUT.glob("*.whl")
    if "manylinux" not in result.name:
        raise Failed(f"{result.name} is for this system only")
    if any("syntagma.libs/" in name for name in wheel_files(result)):
        raise Failed(f"{result.name} needs libraries that not every system has")
    return result


def check_tags(wheel: Path) -> None:
    """The wheel is for one version of Python. Its modules use more than the stable ABI, so there
    is nothing for abi3audit to check; a wheel that claimed otherwise would be wrong."""
    own = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    if wheel.name.split("-")[2:4] != [own, own]:
        raise Failed(f"{wheel.name} is not for {own} alone")
    stable = [name for name in wheel_files(wheel) if ".abi3." in name]
    if stable:
        raise Failed(f"{wheel.name} claims the stable ABI: {', '.join(stable)}")


def has_packages(python: str, environment: Path) -> bool:
    """Whether the index that pip uses has what Syntagma needs for this Python, too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    pip = [str(_script(environment, "pip")), "install", "--quiet", "--dry-run"]
    try:
        run([*pip, "--only-binary", ":all:", *needed])
    except Failed as error:
        print(f"left out: {python}: {str(error).splitlines()[-1]}")
        return False
    return True


def wheel_from(tree: Path, environment: Path, work: Path, variables: dict[str, str]) -> Path:
    """A wheel that pip of a clean environment has built from an unpacked distribution."""
    output = environment / "built"
    options = ["--quiet", "--no-deps", "--wheel-dir", str(output), str(tree)]
    run([str(_script(environment, "pip")), "wheel", *options], variables, work)
    [wheel] = output.glob("*.whl")
    return wheel


def try_wheel(python: str, wheel: Path, work: Path) -> None:
    """Install a wheel where there is no compiler, and order words with it."""
    environment = clean_environment(python, work)
    variables = os.environ | {"PATH": str(_script(environment, "pip").parent)}
    for name in ("CC", "CXX", "CFLAGS", "CXXFLAGS", "PYTHONPATH", "PYTHONHOME"):
        variables.pop(name, None)
    for compiler in COMPILERS:
        if shutil.which(compiler, path=variables["PATH"]):
            raise Failed(f"there is a compiler: {compiler}")
    pip = [str(_script(environment, "pip")), "install", "--quiet", "--only-binary", ":all:"]
    run([*pip, str(wheel)], variables, work)
    syntagma = str(_script(environment, "syntagma"))
    sentence = run([syntagma, "order", "barked", "the", "dog"], variables, work)
    if sentence != "the dog barked\n":
        raise Failed(f"it orders {sentence!r}")
    report = json.loads(run([syntagma, "doctor", "--json"], variables, work))
    folder = Path(report["folder"]).expanduser()
    if not folder.is_relative_to(environment.resolve()) or report["problems"]:
        raise Failed(f"doctor reports {report}")
    if not all(model["right"] for model in report["models"]) or not report["models"]:
        raise Failed(f"doctor reports {report['models']}")
    core = report["core"]
    print(f"{report['python']}: {core['compiler']}; {core['instructions']}: {sentence}", end="")


def clean_environment(python: str, work: Path) -> Path:
    """A new virtual environment that has pip and nothing else."""
    folder = Path(tempfile.mkdtemp(prefix="environment-", dir=work))
    run([python, "-m", "venv", str(folder)])
    return folder


def _script(environment: Path, name: str) -> Path:
    """A program of an environment."""
    folder = "Scripts" if os.name == "nt" else "bin"
    return environment / folder / name


def _tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


if __name__ == "__main__":
    main()
