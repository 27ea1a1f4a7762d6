"""Two versions of the command, timed by turns: what is printed; a difference is an error."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import machine
import pytest
import versions

SENTENCE = (
    "1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_\n\n"
)
LONG = "".join(f"{i}\tword\tword\tNOUN\tNN\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, 11)) + "\n"
OTHER = [sys.executable, "-c", "print('another sentence')"]


def test_problems_are_trees_and_bags_often_enough(tmp_path: Path) -> None:
    path = tmp_path / "trees.conllu"
    path.write_text("# text = Dogs bark\n1-2\tDogsbark" + "\t_" * 8 + "\n" + SENTENCE + LONG)
    chosen = versions.choose(list(versions.read_rows(path)), every=1)
    assert list(chosen) == ["labelled trees", "bags", "bags of 10 words"]
    assert versions.block(chosen["labelled trees"][0]) == SENTENCE
    assert [row[6] for row in chosen["bags"][0]] == ["_", "_"]
    assert [len(rows) for rows in chosen["bags of 10 words"]] == [10] * (versions.ENOUGH // 10)


@pytest.mark.parametrize(("other", "word"), [(None, "same"), (OTHER, "DIFFER")])
def test_outputs_are_compared(
    other: list[str] | None,
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(versions, "ENOUGH", 4)
    path = tmp_path / "trees.conllu"
    path.write_text(SENTENCE * 2)
    before = shlex.join(other or machine.command_line())
    monkeypatch.setattr(
        sys,
        "argv",
        [
            "versions",
            "--before",
            before,
            "--data",
            str(path),
            "--rounds",
            "1",
            "--unit-command",
            "",
        ],
    )
    with pytest.raises(SystemExit) as ended:
        versions.main()
    assert ended.value.code == (other is not None)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines[1:]] == [word, word]
