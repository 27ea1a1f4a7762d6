"""Standard streams that are closed, full or without a reader: no crash, and nothing misplaced."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from syntagma.cli import main; main()"]
ORDER = ["order", "dog", "the"]
BAD = ["order", "--beam", "0", "dog"]

needs_dev_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


def shell(arguments: list[str], redirections: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a shell with these redirections."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirections}', "sh", *COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "redirections", "code", "output", "errors"),
    [
        (ORDER, "2>&-", 0, "the dog\n", ""),
        (ORDER, "2>&- <&-", 0, "the dog\n", ""),
        (BAD, "2>&-", 2, "", ""),
        (ORDER, ">&-", 2, "", "error: standard output is closed\n"),
        (ORDER, ">&- 2>&-", 2, "", ""),
        (ORDER, ">&- 2>&- <&-", 2, "", ""),
        (["order"], "<&-", 2, "", "error: <stdin>: empty file: no problems\n"),
        (["--help"], "2>&- | head -1", 0, "Usage: syntagma [OPTIONS] COMMAND [ARGS]...\n", ""),
        pytest.param(BAD, "2>/dev/full", 2, "", "", marks=needs_dev_full),
        pytest.param(BAD, ">/dev/full 2>&1", 2, "", "", marks=needs_dev_full),
        pytest.param(ORDER, ">/dev/full 2>&1", 2, "", "", marks=needs_dev_full),
        pytest.param(["--help"], ">/dev/full 2>&1", 2, "", "", marks=needs_dev_full),
    ],
)
def test_streams(
    arguments: list[str], redirections: str, code: int, output: str, errors: str
) -> None:
    done = shell(arguments, redirections)
    assert (done.returncode, done.stdout.splitlines()[:1], done.stderr) == (
        code,
        output.splitlines(),
        errors,
    )


@pytest.mark.slow
def test_a_file_is_not_opened_in_place_of_a_closed_stream(tmp_path: Path) -> None:
    """Else messages on descriptor 2 would be written into it."""
    bags = tmp_path / "bags.txt"
    bags.write_text("dog the\n\ndog the\n")
    arguments = ["order", "--file", str(bags), "--on-error", "skip", "--output"]
    done = shell([*arguments, str(tmp_path / "out")], "2>&- <&-")
    assert done.returncode == 0
    assert (tmp_path / "out").read_text() == "the dog\nthe dog\n"
    assert bags.read_text() == "dog the\n\ndog the\n"


@pytest.mark.slow
def test_the_reader_of_messages_is_gone(tmp_path: Path) -> None:
    bags = tmp_path / "bags.txt"
    bags.write_text("\n" * 5 + "dog the\n")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "order", "--file", str(bags), "--on-error", "skip"],
        stdout=subprocess.PIPE,
        stderr=writing,
        timeout=60,
    )
    os.close(writing)
    assert (done.returncode, done.stdout) == (0, b"the dog\n")


@pytest.mark.slow
def test_closed_descriptors_are_occupied(tmp_path: Path) -> None:
    """Neither a file nor the pipe of the signal handler may take their place."""
    script = (
        "import atexit, os\n"
        "from syntagma.cli import main\n"
        "null = os.stat(os.devnull)\n"
        "def report():\n"
        "    same = [os.path.samestat(os.fstat(each), null) for each in range(3)]\n"
        f"    open({str(tmp_path / 'report')!r}, 'w').write(str(same))\n"
        "atexit.register(report)\n"
        "main()\n"
    )
    command = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", script, "info"]
    assert subprocess.run(command, timeout=60).returncode == 2
    assert (tmp_path / "report").read_text() == "[True, True, True]"
