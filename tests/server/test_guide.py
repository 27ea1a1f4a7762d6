"""The examples of docs/guide/server.md, against a server; its tables, against the code."""

import doctest
import json
import re
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
pytest.importorskip("python_multipart", reason="pip install 'syntagma[server]'")
pytest.importorskip("httpx", reason="no httpx: pip install 'syntagma[server-tests]'")

from toys.server import running

from syntagma.server.faults import CODES
from syntagma.server.limits import Limits
from syntagma.server.openapi import EXAMPLES
from syntagma.server.operations import TAKEN

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "server.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_examples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running() as server:
        url = server.url.rstrip("/")
        names: dict[str, object] = {}
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        for block in blocks("py"):
            test = doctest.DocTestParser().get_doctest(
                block.replace(ADDRESS, url), names, "server.md", None, 0
            )
            runner.run(test, clear_globs=False)
            names.update(test.globs)
        assert runner.summarize(verbose=False).failed == 0, capsys.readouterr().out
        ran = 0
        for command in "".join(blocks("sh")).replace("\\\n", " ").splitlines():
            if command.startswith("printf"):
                subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
            elif command.startswith("curl") and ADDRESS in command:
                asking = command.replace(ADDRESS, url) + " --fail --silent"
                done = subprocess.run(
                    ["sh", "-c", asking], cwd=tmp_path, capture_output=True, check=False
                )
                assert done.returncode == 0, command
                assert json.loads(done.stdout)
                ran += 1
        assert ran == 5


def rows(heading: str) -> list[list[str]]:
    section = GUIDE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_table_of_limits_is_that_of_the_code() -> None:
    assert rows("Limits") == [
        [f"`{each.name}`", str(each.default), each.metadata["about"], each.metadata["status"]]
        for each in fields(Limits)
    ]


def test_the_table_of_errors_names_every_code() -> None:
    found = {
        code: status
        for status, codes, _ in rows("Errors")
        for code in re.findall(r"`(\w+)`", codes)
    }
    assert set(found) == set(CODES)
    for code, statuses in found.items():
        assert str(CODES[code]) in statuses


def test_every_option_and_call_is_in_the_guide() -> None:
    named = {name for names, *_ in rows("Options") for name in re.findall(r"`(\w+)`", names)}
    assert named == {option for options in TAKEN.values() for option in options}
    calls = " ".join(row[0] for row in rows("Ask"))
    assert all(f"/v1/{operation}`" in calls for operation in EXAMPLES)
