"""Signals end the command at any moment: one line at most, and no temporary file is left."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pytest
from toys.signals import restore_signals
from toys.treebank import write_treebank

COMMAND = [sys.executable, "-c", "from syntagma.cli import main; main()"]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def start(arguments: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder)},
        preexec_fn=restore_signals,
    )


def after_warnings(stream: IO[bytes]) -> bytes:
    """The first line that is not a warning."""
    return next(line for line in stream if not line.startswith(b"warning: "))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small = write_treebank(tmp_path / "toy.conllu")
    (tmp_path / "large.conllu").write_text(small.read_text() * 300)
    (tmp_path / "text.txt").write_text("The old cook saw two boats at sea .\n" * 300_000)
    (tmp_path / "bags.txt").write_text("dog the barked\n" * 100_000)
    return tmp_path


GIVEN = {"toy.conllu", "large.conllu", "text.txt", "bags.txt"}
LINEAR = ["--scorer", "linear", "--beam", "4", "--epochs", "1000"]
TRAIN = ["train", "large.conllu", "toy.conllu", "--output", "out", *LINEAR]
COMMANDS = {
    "train": TRAIN,
    "train-lm": ["train-lm", "text.txt", "--output", "out"],
    "order": ["order", "--file", "bags.txt", "--output", "out", "--threads", "3"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("number", SIGNALS)
def test_when_a_temporary_file_was_just_created(
    folder: Path, name: str, number: signal.Signals
) -> None:
    with start(COMMANDS[name], folder) as process:
        while not {path.name for path in folder.iterdir()} - GIVEN:
            assert process.poll() is None
            time.sleep(0.001)
        time.sleep(random.random() / 10)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    said = errors.decode().splitlines()
    lines = [line for line in said if not line.startswith(("epoch ", "warning: toy.conllu"))]
    assert len(lines) == (name == "train")
    assert all(line.startswith("interrupted") for line in lines)
    left = {path.name for path in folder.iterdir()} - GIVEN
    assert left <= {"out.training"}
    if left:
        assert (folder / "out.training" / "state").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
def test_at_the_start(folder: Path, number: signal.Signals) -> None:
    """While the command is imported."""
    script = (
        "import sys, syntagma.cli\nfrom syntagma.cli import process\n"
        "install = process.end_on_signals\n"
        "def end_on_signals():\n"
        "    install()\n"
        "    sys.stdout.write('.')\n"
        "    sys.stdout.flush()\n"
        "process.end_on_signals = end_on_signals\n"
        "syntagma.cli.main()\n"
    )
    for delay in (0.005, 0.03, 0.1, 0.2):
        with subprocess.Popen(
            [sys.executable, "-c", script, *COMMANDS["order"]],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=restore_signals,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.read(1) == b"."
            time.sleep(delay)
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
        assert process.returncode == 128 + number
        assert errors == b""
    assert {path.name for path in folder.iterdir()} == GIVEN


@pytest.mark.slow
def test_an_interrupted_training_says_how_to_go_on(folder: Path) -> None:
    small = [argument.replace("large", "toy") for argument in TRAIN]
    with start(small, folder) as process:
        assert process.stderr is not None
        assert after_warnings(process.stderr).startswith(b"epoch 1:")
        process.terminate()
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 143
    assert errors.decode().splitlines()[-1] == (
        "interrupted: the same command resumes training of out after the last epoch"
    )
    with start(small, folder) as process:
        assert process.stderr is not None
        assert not after_warnings(process.stderr).startswith(b"epoch 1:")
        process.terminate()


@pytest.mark.slow
def test_an_ignored_signal_stays_ignored(folder: Path) -> None:
    """As with `nohup`."""
    with subprocess.Popen(
        [*COMMAND, "order", "dog", "the"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    ) as process:
        time.sleep(0.1)
        process.send_signal(signal.SIGHUP)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (0, b"the dog\n", b"")


def test_importing_the_command_line_handles_no_signals() -> None:
    script = (
        "import signal; before = [signal.getsignal(n) for n in signal.valid_signals()];"
        "import syntagma, syntagma.cli.app, syntagma.cli.process;"
        "assert before == [signal.getsignal(n) for n in signal.valid_signals()]"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.slow
def test_two_trainings_with_the_same_output(folder: Path) -> None:
    other = [argument.replace("large", "toy") for argument in TRAIN]
    with start(TRAIN, folder) as first:
        while not (folder / "out.training").exists():
            assert first.poll() is None
            time.sleep(0.001)
        with start(other, folder) as second:
            _, errors = second.communicate(timeout=60)
        assert second.returncode == 2
        assert errors.decode() == (
            "error: cannot write out: another training with this output is under way "
            f"(process {first.pid}); wait for it, or choose another output\n"
        )
        assert first.poll() is None
        first.kill()
    # A killed training leaves no lock.
    shutil.rmtree(folder / "out.training")
    with start([*other, "--epochs", "1"], folder) as third:
        _, errors = third.communicate(timeout=60)
    assert third.returncode == 0, errors
    assert {path.name for path in folder.iterdir()} - GIVEN == {"out"}
