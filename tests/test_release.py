"""What a release is made by: supported versions, the workflow, and the checks of its files."""

from __future__ import annotations

import importlib.util
import io
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import syntagma

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = ROOT / ".github" / "workflows"


def script(name: str) -> ModuleType:
    """One of the scripts of .ci."""
    specification = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


CHECKS = script("check_release")


def test_all_name_the_same_versions_of_python() -> None:
    versions = [f"{major}.{minor}" for major, minor in CHECKS.VERSIONS]
    first, last = CHECKS.VERSIONS[0], CHECKS.VERSIONS[-1]
    project = PROJECT["project"]
    assert project["requires-python"] == f">={first[0]}.{first[1]},<{last[0]}.{last[1] + 1}"
    classifiers = "\n".join(project["classifiers"])
    assert re.findall(r"Python :: (3\.\d+)", classifiers) == versions
    built = PROJECT["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp{version.replace('.', '')}-*" for version in versions]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"in {' '.join(f'python{version}' for version in versions)} python3;" in makefile
    page = (ROOT / "docs" / "guide" / "install.md").read_text(encoding="utf-8")
    assert f"Python {', '.join(versions[:-1])} or {versions[-1]}" in page


def workflow(name: str = "release.yml") -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="no PyYAML: make site installs it")
    found: dict[str, Any] = yaml.safe_load((WORKFLOWS / name).read_text(encoding="utf-8"))
    return found


def steps(jobs: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in jobs.values():
        yield from job["steps"]


def test_wheels_of_every_platform() -> None:
    matrix = workflow()["jobs"]["wheels"]["strategy"]["matrix"]["include"]
    assert [each["name"] for each in matrix] == [
        *("linux-x86_64", "linux-aarch64", "macos-x86_64", "macos-arm64", "windows-amd64"),
    ]
    assert PROJECT["tool"]["cibuildwheel"]["archs"] == ["native"]


def test_only_the_publishing_job_can_publish() -> None:
    parts = workflow()
    assert parts["permissions"] == {}
    jobs = parts["jobs"]
    rights = {name: job["permissions"] for name, job in jobs.items()}
    assert [name for name, each in rights.items() if "id-token" in each] == ["publish"]
    assert "refs/tags/v" in jobs["publish"]["if"]
    assert jobs["publish"]["environment"]["name"] == "pypi"
    for name in ("wheels", "sdist", "languages"):  # which run the code of pull requests
        assert rights[name] == {"contents": "read"}
        assert name in jobs["publish"]["needs"]
    for name, job in jobs.items():
        assert "timeout-minutes" in job
        assert "secrets" not in str(job), name
    publishing = [each for each in steps(jobs) if "pypi-publish" in each.get("uses", "")]
    assert [each["with"]["attestations"] for each in publishing] == [True]


def test_actions_are_pinned() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(WORKFLOWS.glob("*.yml"))]
    lines = [line for text in texts for line in text.splitlines() if "uses:" in line]
    assert len(lines) > 10
    for line in lines:
        assert re.search(r"uses: [\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+\b", line), line


def test_pull_requests_are_tested_on_every_platform_and_python() -> None:
    parts = workflow("test.yml")
    assert parts["permissions"] == {}
    jobs = parts["jobs"]
    matrix = jobs["behaviour"]["strategy"]["matrix"]
    assert [runner.partition("-")[0] for runner in matrix["runner"]] == [
        "ubuntu",
        "macos",
        "windows",
    ]
    assert matrix["python"] == [f"{major}.{minor}" for major, minor in CHECKS.VERSIONS]
    extras = PROJECT["project"]["optional-dependencies"]
    [install] = [each["run"] for each in steps(jobs) if "[train," in each.get("run", "")]
    assert {*re.findall(r"[\w-]+", install.partition("[")[2])} <= {*extras}
    for job in jobs.values():
        assert job["permissions"] == {"contents": "read"}
        assert "timeout-minutes" in job


def command_of(name: str) -> str:
    [found] = [each for each in steps(workflow()["jobs"]) if each.get("name") == name]
    return str(found["run"])


def shell(command: str, tag: str, folder: Path = ROOT) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, env={"TAG": tag, "PATH": "/usr/bin:/bin"}
    )


def test_a_tag_must_be_the_version() -> None:
    command = command_of("The tag must be the version")
    assert shell(command, f"v{syntagma.__version__}").returncode == 0
    assert shell(command, f"v{syntagma.__version__}.1").returncode
    assert shell(command, syntagma.__version__.replace(".", "x")).returncode


def test_release_notes_are_a_section_of_the_changelog(tmp_path: Path) -> None:
    command = command_of("The section of the changelog, and the files").partition("gh release")[0]
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 1.10.0 (today)\n\n- new\n\n### Changed\n\n- more\n\n"
        "## 1.1 (then)\n\n- old\n"
    )
    assert shell(command, "v1.10.0", tmp_path).returncode == 0
    assert (tmp_path / "notes.md").read_text() == "\n- new\n\n### Changed\n\n- more\n\n"
    assert shell(command, "v1.1", tmp_path).returncode == 0
    assert (tmp_path / "notes.md").read_text() == "\n- old\n"


def test_the_changelog_has_this_version_and_upgrading_follows_it() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(syntagma.__version__)} \(", changelog, re.MULTILINE)
    minors = [tuple(map(int, each)) for each in re.findall(r"^## (\d+)\.(\d+)\.", changelog, re.M)]
    page = (ROOT / "docs" / "upgrading.md").read_text(encoding="utf-8")
    told = re.findall(r"^## From (\d+)\.(\d+) to (\d+)\.(\d+)$", page, re.M)
    steps = [(tuple(map(int, each[:2])), tuple(map(int, each[2:]))) for each in told]
    assert steps == sorted(steps, reverse=True)
    assert steps[0][1] == minors[0], "docs/upgrading.md does not say what changed last"
    for before, after in steps:
        assert minors.index(before) == minors.index(after) + 1


def write_wheel(path: Path, names: set[str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(names | {"syntagma-1.dist-info/METADATA"}):
            archive.writestr(name, "")
    return path


def test_the_files_of_a_wheel(tmp_path: Path) -> None:
    expected = CHECKS.expected_in_wheel()
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    assert {
        *("syntagma/__init__.py", "syntagma/py.typed", "syntagma/models/en.syntagma"),
        *("syntagma/server/page/index.html", "syntagma/realization/english_verbs.tsv"),
        *(f"syntagma/neural/_encoder{suffix}", "syntagma/neural/_encoder.pyi"),
    } <= expected
    assert not [name for name in expected if name.endswith((".pyx", ".pxd", ".h", ".cpp"))]
    wheel = tmp_path / "syntagma-1-cp311-cp311-any.whl"
    CHECKS.compare("the wheel", CHECKS.wheel_files(write_wheel(wheel, expected)), expected)
    for surplus in ("syntagma/removed.py", "syntagma/compiler.h", "tests/test_x.py"):
        found = CHECKS.wheel_files(write_wheel(wheel, expected | {surplus}))
        with pytest.raises(CHECKS.Failed, match=f"not of the package: {re.escape(surplus)}"):
            CHECKS.compare("the wheel", found, expected)
    found = CHECKS.wheel_files(write_wheel(wheel, expected - {"syntagma/py.typed"}))
    with pytest.raises(CHECKS.Failed, match=r"lacks syntagma/py\.typed"):
        CHECKS.compare("the wheel", found, expected)


def test_package_data_are_all_files_of_the_package() -> None:
    """Every file that is not Python is matched by a pattern, and every pattern has a file."""
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["syntagma"]
    package = ROOT / "src" / "syntagma"
    matched = {pattern: set(package.glob(pattern)) for pattern in patterns}
    assert all(matched.values()), matched
    ours = {ROOT / "src" / name for name in CHECKS.expected_in_wheel()}
    data = {path for path in ours if path.suffix not in (".py", ".so", ".pyd")}
    assert data == set().union(*matched.values())


def test_the_files_of_a_source_distribution(tmp_path: Path) -> None:
    expected = CHECKS.expected_in_sdist()
    assert {"src/syntagma/compiler.h", "src/syntagma/neural/_encoder.pyx", "setup.py"} <= expected
    sdist = tmp_path / "syntagma-1.tar.gz"
    with tarfile.open(sdist, "w:gz") as archive:
        for name in sorted(expected | {"PKG-INFO", "src/syntagma.egg-info/PKG-INFO"}):
            archive.addfile(tarfile.TarInfo(f"syntagma-1/{name}"), io.BytesIO())
    assert CHECKS.sdist_files(sdist) == expected


@pytest.mark.parametrize(
    ("name", "member", "message"),
    [
        ("syntagma-1-{own}-{own}-linux_x86_64.whl", "syntagma/_x.so", ""),
        ("syntagma-1-{own}-abi3-linux_x86_64.whl", "syntagma/_x.so", "is not for"),
        ("syntagma-1-py3-none-any.whl", "syntagma/x.py", "is not for"),
        ("syntagma-1-{own}-{own}-linux_x86_64.whl", "syntagma/_x.abi3.so", "claims the stable ABI"),
    ],
)
def test_a_wheel_is_for_one_python(tmp_path: Path, name: str, member: str, message: str) -> None:
    own = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    wheel = write_wheel(tmp_path / name.format(own=own), {member})
    if message:
        with pytest.raises(CHECKS.Failed, match=message):
            CHECKS.check_tags(wheel)
    else:
        CHECKS.check_tags(wheel)


def test_pythons_that_do_not_work_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyenv has a name on PATH for each version, also for those that are not chosen."""
    for name in ("python3.11", "python3.12", "python3.13"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 127\n")
        (tmp_path / name).chmod(0o755)
    chosen = tmp_path / "versions" / "3.12.9" / "bin" / "python"
    chosen.parent.mkdir(parents=True)
    chosen.write_text("#!/bin/sh\necho 3 12\n")
    chosen.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert CHECKS.installed_pythons() == [str(chosen)]


def test_failures_show_what_was_printed() -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    with pytest.raises(CHECKS.Failed, match="out\nerr"):
        CHECKS.run([sys.executable, "-c", code])


def test_the_form_for_bugs_asks_for_the_doctor() -> None:
    yaml = pytest.importorskip("yaml", reason="no PyYAML: make site installs it")
    form = (ROOT / ".github" / "ISSUE_TEMPLATE" / "bug.yml").read_text(encoding="utf-8")
    [field] = [each for each in yaml.safe_load(form)["body"] if each.get("id") == "doctor"]
    assert field["validations"]["required"] is True
    assert "`syntagma doctor`" in field["attributes"]["description"]
