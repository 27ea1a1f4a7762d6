"""The command `batch`: what it prints, and how it refuses."""

from pathlib import Path

import pytest
from toys.batches import save_toy_model, without_processes

from syntagma.cli.app import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    without_processes(monkeypatch)
    save_toy_model(tmp_path / "toy.syntagma")
    (tmp_path / "bags.txt").write_text("w1 w2\n\nw3 w1\nw2\n")
    return tmp_path


def batch(*arguments: str) -> int:
    return run(["batch", *arguments, "--model", "toy.syntagma", "--shard-size", "2"])


def test_a_job_in_parts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order = ("order", "bags.txt", "--output", "out")
    assert batch(*order, "--part", "2/2") == 0
    assert batch(*order, "--part", "1/2") == 0
    assert batch(*order) == 0
    assert batch(*order) == 0
    assert capsys.readouterr().out.splitlines() == [
        "out: 2 results, 0 rejected; 1 shard; 1 shard left to other parts",
        "out: 3 results, 1 rejected; 1 shard (1 done before); run once more without --part to "
        "complete the folder",
        "out: 3 results, 1 rejected; 0 shards (2 done before)",
        "out: 3 results, 1 rejected; 0 shards (2 done before)",
    ]
    assert (folder / "out" / "_rejected.jsonl").read_text() == (
        '{"source": "bags.txt", "line": 2, "id": null, "shard": 0, '
        '"reason": "empty bag: give at least one word"}\n'
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sort", "bags.txt", "-o", "out"), "'sort' is not one of"),
        (("order", "bags.txt"), "Missing option '--output'"),
        (("order", "bags.txt", "-o", "out", "--part", "9/8"), "--part is 9/8, where 1/8"),
        (("order", "bags.txt", "-o", "out", "--address", "auto"), "address goes with"),
        (
            ("order", "bags.txt", "-o", "out", "--expansions", "3"),
            "beam search takes no --expansions",
        ),
        (("order", "none/*.txt", "-o", "out"), "no file or folder matches this pattern"),
        (("score", "bags.txt", "-o", "out", "--text"), "goes with order"),
        (("order", "bags.txt", "-o", "bags.txt"), "the input bags.txt lies within the output"),
    ],
)
def test_refusals(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    assert batch(*arguments) == 2
    written = capsys.readouterr()
    assert message in written.err
    assert written.err.startswith("error: ")
    assert written.out == ""
    assert not (folder / "out").exists()
