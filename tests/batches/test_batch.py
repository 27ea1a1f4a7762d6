"""Batch jobs without processes: whatever happens between, every problem comes out once."""

import gzip
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from toys.batches import contents, save_toy_model, without_processes, write_problems

import syntagma
from syntagma import (
    ArgumentError,
    FormatError,
    ModelError,
    OutputError,
    SyntagmaError,
    SyntagmaWarning,
)
from syntagma.batches import storage
from syntagma.batches.job import BatchJob, Done, ShardOutcome
from syntagma.batches.solving import load_linearizer
from syntagma.cli.app import run
from syntagma.files.locking import lock_file
from syntagma.judges import opening
from syntagma.judges.opening import open_judge
from syntagma.request import Request


class Whimsical:
    """A judge that gives each sentence a number of its own."""

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        return [Random(each).gauss(-20, 10) for each in sentences]


class Cut(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_toy_model(tmp_path_factory.mktemp("model") / "toy.syntagma")


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return without_processes(monkeypatch)


def ids(folder: Path) -> list[str]:
    """The ids of all results, in order."""
    parts = sorted(folder.glob("part-*.jsonl"))
    return [json.loads(line)["id"] for part in parts for line in part.read_text().splitlines()]


def rejected(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "_rejected.jsonl").read_text().splitlines()]


def test_shards_are_what_the_command_order_prints(
    tmp_path: Path, model: Path, solved: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 23, bad=[4, 22])
    for format, extension in (("json", "jsonl"), ("text", "txt"), ("conllu", "conllu")):
        output = tmp_path / format
        report = syntagma.batch(
            "order",
            problems,
            output,
            format=format,  # type: ignore[arg-type]
            model=model,
            shard_size=5,
        )
        assert (report.problems, report.results, report.rejected) == (23, 21, 2)
        assert report.complete
        parts = sorted(output.glob("part-*"))
        assert [part.name for part in parts] == [f"part-0000{n}.{extension}" for n in range(5)]
        capsys.readouterr()
        arguments = ["--model", str(model), "--file", str(problems), "--format", format]
        assert run(["order", *arguments, "--on-error", "skip"]) == 0
        assert "".join(part.read_text() for part in parts) == capsys.readouterr().out
    assert [(each["id"], each["line"], each["shard"]) for each in rejected(output)] == [
        ("p4", 5, 0),
        ("p22", 23, 4),
    ]
    assert "empty bag" in rejected(output)[0]["reason"]


@pytest.mark.parametrize("operation", ["order", "score"])
def test_what_is_rejected_keeps_its_id(
    tmp_path: Path, model: Path, solved: list[int], operation: Any
) -> None:
    """Whatever is wrong with it, if its id can be read."""
    text = "\n".join(
        [
            '{"id": "empty", "words": [], "order": "a"}',
            '{"id": "key", "words": ["w1"], "order": "w1", "beam": 3}',
            '{"id": "long", "words": %s, "order": %s}' % ((json.dumps(["w1"] * 600),) * 2),
            '{"id": "cut", "words": [',
            '{"id": 7, "words": ["w1"], "order": "w1"}',
            '{"id": "\\ud800", "words": [], "order": "a"}',
            "[]",
        ]
    )
    (tmp_path / "bad.jsonl").write_text(text + "\n")
    syntagma.batch(operation, tmp_path / "bad.jsonl", tmp_path / "out", model=model)
    found = [(each["id"], each["line"]) for each in rejected(tmp_path / "out")]
    assert found[:2] == [("empty", 1), ("key", 2)]
    assert found[-4:] == [(None, 4), (None, 5), (None, 6), (None, 7)]
    assert operation == "score" or found[2] == ("long", 3)


def test_a_rejected_sentence_keeps_its_sent_id(
    tmp_path: Path, model: Path, solved: list[int]
) -> None:
    rows = "1\tw1\t_\t_\t_\t_\t2\t_\t_\t_\n2\tw2\t_\t_\t_\t_\t1\t_\t_\t_\n"
    (tmp_path / "bad.conllu").write_text(f"# sent_id = cycle\n{rows}\n# sent_id = tabs\n1 w1\n\n")
    syntagma.batch("order", tmp_path / "bad.conllu", tmp_path / "out", model=model)
    assert [each["id"] for each in rejected(tmp_path / "out")] == ["cycle", "tabs"]


def test_the_manifest_says_what_there_is(tmp_path: Path, model: Path, solved: list[int]) -> None:
    import hashlib

    problems = write_problems(tmp_path / "problems.jsonl", 12, bad=[3])
    syntagma.batch("order", problems, tmp_path / "out", model=model, shard_size=5, gzip=True)
    manifest = json.loads((tmp_path / "out" / "_manifest.json").read_text())
    assert manifest["settings"]["task"] == "order"
    assert manifest["settings"]["version"] == syntagma.__version__
    assert manifest["totals"] | {"bytes": 0} == {
        **{"shards": 3, "problems": 12, "results": 11, "rejected": 1},
        **{"unfinished": 0, "narrowed": 0, "bytes": 0},
    }
    assert [each["records"] for each in manifest["inputs"]] == [12]
    assert [(each["line"], each["records"]) for each in manifest["shards"]] == [
        (1, 5),
        (6, 5),
        (11, 2),
    ]
    for each in [*manifest["shards"], manifest["rejected"]]:
        content = (tmp_path / "out" / each["file"]).read_bytes()
        assert len(content) == each["bytes"]
        assert hashlib.sha256(content).hexdigest() == each["sha256"]
    lines = gzip.decompress((tmp_path / "out" / "part-00000.txt.gz").read_bytes()).splitlines()
    assert len(lines) == 4


def test_a_job_that_is_killed_anywhere_is_continued(
    tmp_path: Path, model: Path, solved: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut off before each step that changes the output folder: after another run the folder is the
    same, byte for byte, and no shard is done again that was in place."""
    problems = write_problems(tmp_path / "problems.jsonl", 6, bad=[0, 5])
    monkeypatch.setattr("syntagma.batches.solving.load", cache(syntagma.load))
    monkeypatch.setattr("os.fsync", lambda descriptor: None)

    def job(output: Path) -> None:
        syntagma.batch("order", problems, output, format="json", model=model, shard_size=3)

    job(tmp_path / "whole")
    expected = contents(tmp_path / "whole")
    steps, end = 0, -1

    def counted(name: str) -> Callable[..., Any]:
        real = getattr(storage.LocalFolder, name)

        def step(self: storage.LocalFolder, *arguments: Any) -> Any:
            nonlocal steps
            steps += 1
            if 0 < end <= steps:  # nothing is tidied up after a kill
                raise Cut
            return real(self, *arguments)

        return step

    for name in ("create", "move", "jot", "remove"):
        monkeypatch.setattr(storage.LocalFolder, name, counted(name))
    job(tmp_path / "counted")
    total = steps
    assert total > 15
    for each in range(1, total + 1):
        output = tmp_path / str(each)
        steps, end = 0, each
        with pytest.raises(Cut):
            job(output)
        committed = len([*output.glob("part-*")])
        solved.clear()
        end = -1
        job(output)
        assert contents(output) == expected
        assert not (output / "_unfinished").exists()
        assert len(solved) in (2 - committed, 3 - committed)  # one was perhaps not noted yet


def test_a_finished_job_is_only_checked(tmp_path: Path, model: Path, solved: list[int]) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 9, bad=[8])
    report = syntagma.batch("order", problems, tmp_path / "out", model=model, shard_size=4)
    before = contents(tmp_path / "out")
    again = syntagma.batch("order", problems, tmp_path / "out", model=model, shard_size=4)
    assert solved == [0, 1, 2]
    assert (report.shards_before, again.shards_before, again.results) == (0, 3, 8)
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize("damage", ["changed", "shortened", "removed", "rejected"])
def test_what_is_damaged_is_done_again(
    tmp_path: Path, model: Path, solved: list[int], damage: str
) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 12, bad=[1, 11])
    syntagma.batch("order", problems, tmp_path / "out", model=model, shard_size=4)
    before = contents(tmp_path / "out")
    part = tmp_path / "out" / "part-00001.txt"
    content = part.read_bytes()
    if damage == "rejected":
        (tmp_path / "out" / "_rejected.jsonl").unlink()
    elif damage == "removed":
        part.unlink()
    else:
        part.write_bytes(content[:-1] if damage == "shortened" else b"#" + content[1:])
    solved.clear()
    report = syntagma.batch("order", problems, tmp_path / "out", model=model, shard_size=4)
    assert solved == ([0, 2] if damage == "rejected" else [1])
    assert report.shards_before == 3 - len(solved)
    assert contents(tmp_path / "out") == before


def test_a_part_looks_at_its_own_shards(tmp_path: Path, model: Path, solved: list[int]) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 8)
    settings: dict[str, Any] = {"model": model, "shard_size": 2}
    syntagma.batch("order", problems, tmp_path / "out", part=(1, 2), **settings)
    (tmp_path / "out" / "part-00000.txt").unlink()
    note = tmp_path / "out" / "_unfinished" / "done" / "00002.json"
    note.write_text('{"file": "part-00002.txt"')  # damaged, which is as good as none
    half = tmp_path / "out" / "_unfinished" / "part-00000.txt.ab"
    half.touch()  # by another part that is under way
    solved.clear()
    syntagma.batch("order", problems, tmp_path / "out", part=(2, 2), **settings)
    assert solved == [1, 3]
    assert half.exists()
    with (
        lock_file(tmp_path / "out" / ".batch.lock", tmp_path, "test", shared=True),
        pytest.raises(OutputError, match="under way"),
    ):
        syntagma.batch("order", problems, tmp_path / "out", **settings)
    syntagma.batch("order", problems, tmp_path / "out", **settings)
    assert solved == [1, 3, 0, 2]
    syntagma.batch("order", problems, tmp_path / "whole", **settings)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_the_engine_ends_with_the_job(
    tmp_path: Path, model: Path, solved: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers have ended when the error arrives, even if it is not theirs."""
    ended: list[bool] = []

    def engine(*arguments: Any) -> Any:
        try:
            yield ShardOutcome(0, "no such file", done=Done("part-00000.txt", 0, "", 2, 0, 0, 0))
        finally:
            ended.append(True)

    monkeypatch.setattr("syntagma.batches.batch.solve_in_processes", engine)
    problems = write_problems(tmp_path / "problems.jsonl", 2)
    with pytest.raises(OutputError, match="all machines must share the output") as caught:
        syntagma.batch("order", problems, tmp_path / "out", model=model)
    assert ended
    assert caught.value.__traceback__ is not None  # holds all frames up to here


def test_other_settings_are_refused(tmp_path: Path, model: Path, solved: list[int]) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 9)
    output = tmp_path / "out"
    syntagma.batch("order", problems, output, model=model, shard_size=4)
    before = contents(output)
    other = save_toy_model(tmp_path / "other.syntagma", seed=2)
    for message, changes in (
        ("beam None, now 3", {"beam": 3}),
        ("shard_size 4, now 5", {"shard_size": 5}),
        ("format 'text', now 'json'", {"format": "json"}),
        (r"another model \(.*toy.syntagma'\)", {"model": other}),
    ):
        settings: dict[str, Any] = {"model": model, "shard_size": 4, **changes}
        with pytest.raises(OutputError, match=message):
            syntagma.batch("order", problems, output, **settings)
    more = write_problems(tmp_path / "more.jsonl", 2)
    with pytest.raises(OutputError, match="made with 1 input file, now there are 2"):
        syntagma.batch("order", [problems, more], output, model=model, shard_size=4)
    with pytest.raises(OutputError, match=r"more.jsonl is not what"):
        syntagma.batch("order", more, output, model=model, shard_size=4)
    renamed = problems.rename(tmp_path / "problems.txt")  # would be read as text
    with pytest.raises(OutputError, match=r"problems.txt is not what"):
        syntagma.batch("order", renamed, output, model=model, shard_size=4)
    assert contents(output) == before
    for content in ("{}", "[1]", "{", '{"version": 1, "settings": {}}', '{"version": 2}'):
        (output / "_manifest.json").write_text(content)
        with pytest.raises(OutputError, match=r"no file of a batch job|no batch job"):
            syntagma.batch("order", renamed, output, model=model, shard_size=4)


def test_a_judge_is_part_of_the_job(
    tmp_path: Path, model: Path, solved: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        opening,
        "open_judge",
        lambda judge, weight, errors: open_judge(Whimsical(), weight, errors),
    )
    monkeypatch.chdir(tmp_path)
    Path("some.gguf").write_text("")
    problems = write_problems(tmp_path / "problems.jsonl", 9)
    settings: dict[str, Any] = {"format": "json", "model": model, "shard_size": 4}
    judged = {**settings, "judge": "some.gguf", "judge_weight": 0.3}
    syntagma.batch("order", problems, "out", **judged)
    found = [json.loads(line) for part in Path("out").glob("part-*") for line in part.open()]
    assert len(found) == 9
    assert all("judge" in each["parts"] for each in found if len(each["words"]) > 1)
    manifest = json.loads(Path("out", "_manifest.json").read_text())["settings"]
    assert manifest["judge"] == str(tmp_path / "some.gguf")
    assert manifest["judge_signature"] == "Whimsical 0.3"
    assert solved == [0, 1, 2]
    next(Path("out").glob("part-*")).unlink()
    before = contents(Path("out"))
    for message, changed in (
        ("judge 'Whimsical 0.3', now None", settings),
        ("judge 'Whimsical 0.3', now 'Whimsical 0.5'", {**judged, "judge_weight": 0.5}),
        ("judge_errors 'raise', now 'warn'", {**judged, "judge_errors": "warn"}),
    ):
        with pytest.raises(OutputError, match=message):
            syntagma.batch("order", problems, "out", **changed)
    assert contents(Path("out")) == before
    assert syntagma.batch("order", problems, "out", **judged, jobs=1).shards_before == 2
    job = BatchJob.from_json(manifest)
    assert job.to_json() == manifest
    with pytest.raises(ModelError, match=r"the judge is Whimsical 0.3, but .* with other 0.3"):
        load_linearizer(replace(job, judge_signature="other 0.3"))


def test_the_same_inputs_elsewhere_are_accepted(
    tmp_path: Path, model: Path, solved: list[int]
) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 9)
    syntagma.batch("order", problems, tmp_path / "out", model=model, shard_size=4)
    moved = tmp_path / "moved.jsonl.gz"
    moved.write_bytes(gzip.compress(problems.read_bytes()))
    syntagma.batch("order", moved, tmp_path / "out", model=model, shard_size=4)
    assert solved == [0, 1, 2]


def test_an_input_that_changes_meanwhile_is_named(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = write_problems(tmp_path / "first.jsonl", 4)
    second = write_problems(tmp_path / "second.jsonl", 4)
    content = second.read_bytes()
    solved = without_processes(monkeypatch)
    real = syntagma.batches.batch.solve_in_processes  # type: ignore[attr-defined]

    def change(*arguments: Any) -> Any:
        second.write_bytes(content.replace(b"n3", b"m3"))
        return real(*arguments)

    monkeypatch.setattr("syntagma.batches.batch.solve_in_processes", change)
    inputs = [first, second]
    with pytest.raises(OutputError, match=r"1 of 4 shards .* shard 3 \(.*second.jsonl, 2 prob"):
        syntagma.batch("order", inputs, tmp_path / "out", model=model, shard_size=2, format="json")
    assert not (tmp_path / "out" / "_manifest.json").exists()
    second.write_bytes(content)
    monkeypatch.setattr("syntagma.batches.batch.solve_in_processes", real)
    solved.clear()
    syntagma.batch("order", inputs, tmp_path / "out", model=model, shard_size=2, format="json")
    assert solved == [3]
    assert ids(tmp_path / "out") == ["p0", "p1", "p2", "p3"] * 2


def test_parts_make_the_whole(tmp_path: Path, model: Path, solved: list[int]) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 9, bad=[2])
    settings: dict[str, Any] = {"model": model, "shard_size": 2, "format": "json"}
    syntagma.batch("order", problems, tmp_path / "whole", **settings)
    for number in (2, 1, 3):
        solved.clear()
        report = syntagma.batch("order", problems, tmp_path / "out", part=(number, 3), **settings)
        assert {each % 3 for each in solved} == {number - 1}
        assert not report.complete
    solved.clear()
    assert not (tmp_path / "out" / "_manifest.json").exists()
    assert syntagma.batch("order", problems, tmp_path / "out", **settings).complete
    assert syntagma.batch("order", problems, tmp_path / "out", part=(1, 3), **settings).complete
    assert solved == []
    (tmp_path / "out" / "part-00000.jsonl").unlink()
    report = syntagma.batch("order", problems, tmp_path / "out", part=(1, 3), **settings)
    assert not report.complete  # the manifest is older
    assert syntagma.batch("order", problems, tmp_path / "out", **settings).complete
    assert solved == [0]
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_damaged_and_empty_inputs_do_not_stop_a_job(
    tmp_path: Path, model: Path, solved: list[int]
) -> None:
    latin = Path(os.fsdecode(os.fsencode(tmp_path / "caf") + b"\xe9.jsonl"))  # not UTF-8
    problems = write_problems(latin, 3, bad=[1])
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "odd.jsonl").write_bytes(b"BZh9")
    inputs = [tmp_path / "odd.jsonl", tmp_path / "empty.jsonl", problems]
    report = syntagma.batch("order", inputs, tmp_path / "out", model=model)
    assert (report.results, report.damaged) == (2, (str(tmp_path / "odd.jsonl"),))
    fault, bad = rejected(tmp_path / "out")
    assert fault["source"].endswith("odd.jsonl")
    assert "bzip2" in fault["reason"]
    assert bad["source"].endswith("caf\N{REPLACEMENT CHARACTER}.jsonl")


@pytest.mark.parametrize("place", ["ordering", "writing"])
def test_a_bug_costs_one_record(
    tmp_path: Path, model: Path, solved: list[int], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    from syntagma.formats.results import write_results
    from syntagma.linearizer.linearizer import Linearizer

    real = Linearizer.solve

    def solve(self: Linearizer, problems: Any, request: Request, **options: Any) -> Any:
        if any(each.id == "p3" for each in problems):
            raise IndexError("off by one")
        return real(self, problems, request, **options)

    def write(results: Any, *more: Any) -> str:
        if results.problem.id == "p3":
            raise IndexError("off by one")
        return write_results(results, *more)

    if place == "ordering":
        monkeypatch.setattr(Linearizer, "solve", solve)
    else:
        monkeypatch.setattr("syntagma.batches.writers.write_results", write)
    problems = write_problems(tmp_path / "problems.jsonl", 6)
    syntagma.batch("order", problems, tmp_path / "out", model=model, format="json")
    assert ids(tmp_path / "out") == ["p0", "p1", "p2", "p4", "p5"]
    [bug] = rejected(tmp_path / "out")
    assert (bug["id"], bug["line"]) == ("p3", 4)
    assert bug["reason"] == "IndexError: off by one (a bug of Syntagma)"


def test_a_warning_is_given_once(tmp_path: Path, model: Path, solved: list[int]) -> None:
    lines = ['{"words": [{"form": "w1", "tag": "ODD"}, "w2"]}'] * 5
    (tmp_path / "tagged.jsonl").write_text("\n".join(lines))
    with pytest.warns(SyntagmaWarning, match="does not know the tag ODD") as caught:
        syntagma.batch("order", tmp_path / "tagged.jsonl", tmp_path / "out", model=model)
    assert len([each for each in caught if each.category is SyntagmaWarning]) == 1


def test_score_is_that_of_the_given_order(
    tmp_path: Path, model: Path, solved: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sentences.txt").write_text("w1 w2 w3\nw3 w1\n")
    syntagma.batch("score", tmp_path / "sentences.txt", tmp_path / "out", model=model)
    expected = ""
    for line in ("w1 w2 w3", "w3 w1"):
        assert run(["score", "--model", str(model), "--order", line]) == 0
        expected += capsys.readouterr().out
    assert (tmp_path / "out" / "part-00000.txt").read_text() == expected


def test_wrong_arguments(tmp_path: Path, model: Path, solved: list[int]) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", 3)
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "void").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.doc").write_text("precious")
    os.mkfifo(tmp_path / "pipe.txt")
    for error, message, changes in (
        (ArgumentError, "task must be one of", {"task": "sort"}),
        (ArgumentError, "format must be one of", {"format": "csv"}),
        (ArgumentError, "engine must be", {"engine": "spark"}),
        (ArgumentError, "address goes with", {"address": "auto"}),
        (ArgumentError, "shard_size must be", {"shard_size": 0}),
        (ArgumentError, "part must be", {"part": (3, 2)}),
        (ArgumentError, "n_best does not go with score", {"task": "score", "n_best": 2}),
        (ArgumentError, "judge does not go with score", {"task": "score", "judge": "smollm2"}),
        (ArgumentError, "judge must be smollm2 or the path", {"judge": Whimsical()}),
        (ArgumentError, "there is no judge 'nobody'", {"judge": "nobody"}),
        (ArgumentError, "judge_weight goes with a judge", {"judge_weight": 1.0}),
        (ArgumentError, "no problem to solve", {"inputs": tmp_path / "empty.txt"}),
        (ArgumentError, "at least one input", {"inputs": []}),
        (ArgumentError, "not standard input", {"inputs": "-"}),
        (ArgumentError, "beam must be", {"beam": 0}),
        (SyntagmaError, "has not learned to realize", {"task": "realize"}),
        (FormatError, "No such file", {"inputs": tmp_path / "missing.txt"}),
        (FormatError, "no file of this folder", {"inputs": tmp_path / "void"}),
        (FormatError, "CoNLL-U, not this format", {"inputs": tmp_path / "x.parquet"}),
        (FormatError, "CoNLL-U, not this format", {"inputs": tmp_path / "x.hfg.gz"}),
        (FormatError, "not a regular file", {"inputs": tmp_path / "pipe.txt"}),
        (OutputError, "lies within the output folder", {"output": tmp_path}),
        (OutputError, "holds no batch job", {"output": tmp_path / "full"}),
    ):
        arguments: dict[str, Any] = {
            **{"task": "order", "inputs": problems, "output": tmp_path / "out", "model": model},
            **changes,
        }
        (tmp_path / "x.parquet").write_text("x")
        with pytest.raises(error, match=message):
            syntagma.batch(
                arguments.pop("task"), arguments.pop("inputs"), arguments.pop("output"), **arguments
            )
    assert (tmp_path / "full" / "mine.doc").read_text() == "precious"
    assert not solved


def test_a_job_with_unknown_settings_is_refused(tmp_path: Path, model: Path) -> None:
    problems, output = write_problems(tmp_path / "problems.jsonl", 2), tmp_path / "out"
    syntagma.batch("order", problems, output, model=model, jobs=1)
    manifest = json.loads((output / "_manifest.json").read_text())
    manifest["settings"]["stemming"] = True
    (output / "_manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(OutputError, match=r"this version does not know \(stemming\)"):
        syntagma.batch("order", problems, output, model=model, jobs=1)
