"""The command as a process, with a small real model: streams, exit codes, damaged models."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from toys.treebank import write_treebank

COMMAND = [sys.executable, "-c", "from syntagma.cli import main; main()"]


def syntagma(
    arguments: Sequence[str], stdin: str | bytes | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [*COMMAND, *arguments], input=data, capture_output=True, timeout=timeout, check=False
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def train(treebank: Path, output: Path, *more: str) -> subprocess.CompletedProcess[str]:
    about = ["--language", "en", "--licence", "CC0", "--attribution", "made up"]
    settings = ["--scorer", "linear", "--epochs", "4", "--beam", "8", *about, *more]
    return syntagma(["train", str(treebank), str(treebank), "--output", str(output), *settings])


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("treebank") / "toy.conllu")


@pytest.fixture(scope="module")
def model(treebank: Path) -> Path:
    path = treebank.with_name("toy.syntagma")
    done = train(treebank, path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{path}: the model of epoch ")
    *warned, first, second, third, fourth = (
        each.split(":")[0] for each in done.stderr.splitlines()
    )
    assert [first, second, third, fourth] == [f"epoch {number}" for number in (1, 2, 3, 4)]
    assert set(warned) == {"warning"}  # a small treebank, also used as development set
    return path


@pytest.mark.slow
def test_training_again_gives_the_same_model(model: Path, treebank: Path) -> None:
    again = model.with_name("again.syntagma")
    assert train(treebank, again, "--name", "toy", "--threads", "2").returncode == 0
    assert again.read_bytes() == model.read_bytes()


@pytest.mark.slow
def test_training_for_any_condition_of_the_papers(treebank: Path, tmp_path: Path) -> None:
    done = train(treebank, tmp_path / "half", "--condition", "tags50-arcs0", "--epochs", "1")
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1].startswith("epoch 1: dev BLEU tags50-arcs0 ")
    done = train(treebank, tmp_path / "other", "--condition", "most")
    assert done.returncode == 2
    assert done.stderr.startswith("error: condition 'most' is not one of mixed, none, pos")


@pytest.mark.slow
def test_a_killed_training_goes_on_and_ends_with_the_same_model(
    treebank: Path, tmp_path: Path
) -> None:
    options = ("--name", "toy", "--epochs", "30")
    whole, killed = tmp_path / "whole.syntagma", tmp_path / "killed.syntagma"
    assert train(treebank, whole, *options).returncode == 0

    command = ["train", str(treebank), str(treebank), "--output", str(killed)]
    command += ["--scorer", "linear", "--beam", "8"]
    command += ["--language", "en", "--licence", "CC0", "--attribution", "made up", *options]
    with subprocess.Popen([*COMMAND, *command], stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if line.startswith("epoch 3:"):
                running.kill()
                break
    assert not killed.exists()
    resumed = train(treebank, killed, *options)
    assert resumed.returncode == 0
    assert "epoch 30:" in resumed.stderr
    assert "epoch 1:" not in resumed.stderr
    assert killed.read_bytes() == whole.read_bytes()
    assert sorted(tmp_path.iterdir()) == [killed, whole]


@pytest.mark.slow
def test_order(model: Path) -> None:
    done = syntagma(["order", "--model", str(model), "a", "hid", "pear", "The", "cook", "."])
    assert (done.returncode, done.stdout) == (0, "The cook hid a pear .\n")


@pytest.mark.slow
def test_labelled_trees_come_back(model: Path, treebank: Path) -> None:
    done = syntagma(["order", "-m", str(model), "--file", str(treebank), "--format", "conllu"])
    assert done.returncode == 0
    assert done.stdout.count("# sent_id = toy-") == 10
    assert "# text = The cook hid a pear ." in done.stdout


@pytest.mark.slow
def test_score(model: Path) -> None:
    orders = ["--order", "sang She .", "--order", "She sang ."]
    done = syntagma(["score", "--model", str(model), *orders])
    best, other = done.stdout.splitlines()
    assert best.endswith("\tShe sang .")
    assert float(best.split("\t")[0]) > float(other.split("\t")[0])


@pytest.mark.slow
def test_evaluate(model: Path, treebank: Path, tmp_path: Path) -> None:
    record = tmp_path / "figures.json"
    arguments = ["--data", str(treebank), "--condition", "labelled", "--json", str(record)]
    done = syntagma(["evaluate", "--model", str(model), *arguments])
    assert done.returncode == 0, done.stderr
    (figures,) = json.loads(record.read_text())["conditions"]
    assert figures["bleu"] > 50
    assert figures["violations"] == 0


@pytest.mark.slow
def test_info(model: Path) -> None:
    done = syntagma(["info", str(model)])
    assert done.returncode == 0
    assert "licence" in done.stdout
    assert "made up" in done.stdout
    assert "sha256" in done.stdout


@pytest.mark.slow
def test_head_is_served_at_once_and_quietly(model: Path) -> None:
    """An endless input: only a stream can answer, and only a quiet end leaves stderr empty."""
    feed = "while True: print('sang She .')"
    with (
        subprocess.Popen(
            [sys.executable, "-c", feed], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as source,
        subprocess.Popen(
            [*COMMAND, "order", "--model", str(model)],
            stdin=source.stdout,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as order,
    ):
        assert source.stdout is not None
        assert order.stdout is not None
        assert order.stderr is not None
        source.stdout.close()
        assert order.stdout.readline() == b"She sang .\n"
        order.stdout.close()
        assert order.wait(timeout=30) == 0
        assert order.stderr.read() == b""
        source.wait(timeout=30)


@pytest.mark.slow
def test_a_reader_of_figures_may_leave(model: Path, treebank: Path) -> None:
    arguments = ["evaluate", "--model", str(model), "--data", str(treebank)]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("closed", "message"),
    [(0, "error: <stdin>: empty file: no problems\n"), (1, "error: standard output is closed\n")],
)
def test_a_closed_stream(model: Path, closed: int, message: str) -> None:
    script = f"import os; os.close({closed}); os.execv({sys.executable!r}, {COMMAND!r} + "
    script += f"['order', '--model', {str(model)!r}])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (2, message)


@pytest.mark.slow
def test_an_interrupt_ends_with_130_and_without_a_traceback(model: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "order", "--model", str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell starts what it runs in the background with interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as order:
        assert order.stdin is not None
        assert order.stdout is not None
        assert order.stderr is not None
        order.stdin.write(b"sang She .\n")
        order.stdin.flush()
        assert order.stdout.readline() == b"She sang .\n"  # so it has started
        order.send_signal(signal.SIGINT)
        assert order.wait(timeout=30) == 130
        assert order.stderr.read() == b""


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_batch_with_bad_lines(model: Path, threads: str) -> None:
    lines = b"sang She .\n\n\xff\xfe\n" + b"w " * 600 + b"\nRun !\n"
    arguments = ["order", "--model", str(model), "--threads", threads]
    done = syntagma([*arguments, "--on-error", "skip"], lines)
    assert (done.returncode, done.stdout) == (0, "She sang .\nRun !\n")
    assert done.stderr.splitlines()[-1] == (
        "skipped 3 of 5 problems: <stdin>:2, <stdin>:3, <stdin>:4"
    )
    done = syntagma(arguments, lines)
    assert (done.returncode, done.stdout) == (2, "She sang .\n")
    assert done.stderr.startswith("error: <stdin>:2: ")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
@pytest.mark.parametrize(
    "arguments",
    [
        ["order", "--model", "MODEL", "sang", "She"],
        ["order", "--model", "MODEL", "sang", "She", "--output", "/dev/full"],
        ["score", "--model", "MODEL", "--order", "She sang"],
        ["evaluate", "--model", "MODEL", "--data", "TREEBANK", "--limit", "1"],
        ["info", "MODEL"],
        ["--version"],
        ["order", "--help"],
    ],
)
def test_a_full_disk(model: Path, treebank: Path, arguments: list[str]) -> None:
    files = {"MODEL": str(model), "TREEBANK": str(treebank)}
    with open("/dev/full", "wb", buffering=0) as full:
        done = subprocess.run(
            [*COMMAND, *(files.get(argument, argument) for argument in arguments)],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    message = done.stderr.decode()
    assert done.returncode == 2
    assert message.startswith("error: cannot write")
    assert message.endswith("No space left on device\n")
    assert message.count("\n") == 1


def _truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _flipped(data: bytes) -> bytes:
    return data[:-100] + bytes([data[-100] ^ 1]) + data[-99:]


def _other_version(data: bytes) -> bytes:
    return data[:8] + (99).to_bytes(4, "little") + data[12:]


def _foreign(data: bytes) -> bytes:
    return b"%PDF-1.7 " + data


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_truncated, "truncated model file"),
        (_flipped, "damaged model file"),
        (_other_version, "model format version 99"),
        (_foreign, "not a Syntagma model"),
    ],
)
def test_a_bad_model(model: Path, tmp_path: Path, damage: object, message: str) -> None:
    assert callable(damage)
    path = tmp_path / "bad.syntagma"
    path.write_bytes(damage(model.read_bytes()))
    done = syntagma(["order", "--model", str(path), "sang", "She"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {path}: {message}")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_output_encoding_does_not_depend_on_the_locale(model: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(
        [*COMMAND, "order", "--model", str(model), "🦊"],
        env=environment,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == "🦊\n".encode()


@pytest.mark.slow
def test_start_up_imports_no_more_than_it_needs(model: Path) -> None:
    """What a short bag does not need must not be paid for: the whole run has 0.6 s."""
    script = (
        "import sys; from syntagma.cli.app import run;"
        f"run(['order', '-m', {str(model)!r}, 'sang', 'She']);"
        "heavy = ('sacrebleu', 'rich.table', 'rich.progress');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"
