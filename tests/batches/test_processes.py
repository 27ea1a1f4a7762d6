"""Worker processes: those that die are replaced, and a problem that kills them is found."""

import json
import os
import resource
import signal
from pathlib import Path

import pytest
from toys.batches import (
    COMMAND,
    contents,
    faulty,
    finish,
    paused,
    save_toy_model,
    spoil,
    start,
    without_processes,
    write_problems,
)
from toys.gguf_files import write_gguf

import syntagma
from syntagma.errors import PackageError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_toy_model(tmp_path_factory.mktemp("model") / "toy.syntagma")


def command(problems: Path, model: Path, output: Path, *more: str) -> list[str]:
    options = ["--model", str(model), "--format", "json", "--shard-size", "3", "--jobs", "2"]
    return [*COMMAND, "batch", "order", str(problems), "--output", str(output), *options, *more]


def ids(output: Path) -> list[str]:
    parts = sorted(output.glob("part-*.jsonl"))
    return [json.loads(line)["id"] for part in parts for line in part.read_text().splitlines()]


def test_a_problem_that_kills_or_stops_workers_is_rejected(tmp_path: Path, model: Path) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 11)
    spoil(problems, 4, "poison")
    spoil(problems, 7, "bug")
    spoil(problems, 9, "hang")
    # An earlier run has seen workers die on the last shard, and one on its first problem.
    noted = {"run": "earlier", "deaths": 2, "at": None, "strikes": {"0": 1}}
    note = tmp_path / "out" / "_unfinished" / "tries" / "00003.json"
    note.parent.mkdir(parents=True)
    note.write_text(json.dumps(noted))
    run = start(command(problems, model, tmp_path / "out"), faulty(tmp_path, PATIENCE="2"))
    code, printed, errors = finish(run)
    assert code == 0, errors
    assert printed == f"{tmp_path / 'out'}: 8 results, 3 rejected; 4 shards\n"
    assert "Timeout (0:00:02)!" in errors
    good = [f"p{number}" for number in range(11) if number not in (4, 7, 9)]
    assert ids(tmp_path / "out") == good
    lines = (tmp_path / "out" / "_rejected.jsonl").read_text().splitlines()
    died = "2 worker processes died on this problem; to find out why, try it alone"
    assert [[json.loads(line)[key] for key in ("line", "id", "reason")] for line in lines] == [
        [5, "p4", died],
        [8, "p7", "IndexError: off by one (a bug of Syntagma)"],
        [10, "p9", died],
    ]


@pytest.mark.parametrize("victim", ["worker", "driver"])
def test_a_killed_process_loses_nothing(
    tmp_path: Path, model: Path, victim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 11, bad=[0])
    spoil(problems, 5, "pause")
    environment = faulty(tmp_path)
    arguments = command(problems, model, tmp_path / "out")
    run = start(arguments, environment)
    worker = paused(tmp_path, run)
    if victim == "driver":
        os.kill(run.pid, signal.SIGKILL)
        assert finish(run)[0] == -signal.SIGKILL  # and the worker has ended by itself
        run = start(arguments, environment)
        paused(tmp_path, run)
        os.killpg(run.pid, signal.SIGINT)  # Ctrl-C
        assert finish(run) == (130, "", "stopped; the same command continues the job\n")
        assert not (tmp_path / "out" / "_manifest.json").exists()
        Path(environment["GO"]).touch()
        run = start(arguments, environment)
    else:
        code, _, errors = finish(start(arguments, environment))
        assert (code, errors.count("\n")) == (2, 1)
        assert f"another batch job with this output is under way (process {run.pid})" in errors
        Path(environment["GO"]).touch()
        os.kill(worker, signal.SIGKILL)
    code, _, errors = finish(run)
    assert (code, errors) == (0, "")
    without_processes(monkeypatch)
    expected = syntagma.batch(
        "order", problems, tmp_path / "expected", format="json", model=model, shard_size=3
    )
    assert expected.results == 10
    assert contents(tmp_path / "out") == contents(tmp_path / "expected")


def test_a_full_disk_ends_the_job_and_loses_nothing(tmp_path: Path, model: Path) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 9)
    lines = problems.read_text().splitlines()
    lines[4] = json.dumps({"id": "p4", "words": ["w1"] * 120})
    problems.write_text("\n".join(lines) + "\n")
    arguments = command(problems, model, tmp_path / "out", "--jobs", "1", "--beam", "1")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))

    code, _, errors = finish(start(arguments, os.environ, prepare=limit))
    assert (code, errors.count("\n")) == (2, 1)
    assert "error: cannot write " in errors
    assert "File too large" in errors
    left = [name for name in contents(tmp_path / "out") if not name.startswith("_unfinished/")]
    assert left == ["part-00000.jsonl"]
    assert not [*(tmp_path / "out" / "_unfinished").glob("part-*")]
    _, printed, _ = finish(start(arguments, os.environ))
    assert "; 2 shards (1 done before)" in printed
    assert ids(tmp_path / "out") == [f"p{number}" for number in range(9)]


def test_workers_that_cannot_start_end_the_job(tmp_path: Path, model: Path) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 3)
    environment = faulty(tmp_path)
    (tmp_path / "site" / "sitecustomize.py").write_text(
        "import os, sys\nif 'syntagma.batches.processes' in sys.orig_argv: os._exit(7)\n"
    )
    code, _, errors = finish(start(command(problems, model, tmp_path / "out"), environment))
    assert code == 2
    assert "worker processes end before they are ready (exit code 7)" in errors


def test_each_worker_opens_the_judge(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gguf", reason="no gguf: pip install 'syntagma[judge]'")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    judge = write_gguf(tmp_path / "tiny.gguf")
    try:
        linearizer = syntagma.load(model, judge=judge, judge_weight=2.0)
    except PackageError as error:
        pytest.skip(str(error))
    problems = write_problems(tmp_path / "problems.jsonl", 7)
    options = ["--judge", str(judge), "--judge-weight", "2"]
    output = tmp_path / "out"
    finished = finish(start(command(problems, model, output, *options), dict(os.environ)))
    assert finished[0] == 0, finished
    found = [json.loads(line) for each in sorted(output.glob("part-*")) for line in each.open("rb")]
    bags = [json.loads(line)["words"] for line in problems.read_text().splitlines()]
    expected = [linearizer.order(bag) for bag in bags]
    assert [each["text"] for each in found] == [each.text for each in expected]
    assert [each["score"] for each in found] == [each.score for each in expected]
    assert all("judge" in each["parts"] for each in found)
