"""The benchmark of realizers: forms and spelling by what was seen in training."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import realizers

TRAIN = """\
# text = Il parle du chat.
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tparle\tparler\tVERB\t_\tNumber=Sing\t0\troot\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_
5\tchat\tchat\tNOUN\t_\tNumber=Sing\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""
DEV = (
    TRAIN.replace("\tchat\tchat\t", "\tmurs\tmur\t").replace("chat", "murs")
    + TRAIN
    + TRAIN.replace("parle\tparler\tVERB\t_\tNumber=Sing", "parlent\tparler\tVERB\t_\tNumber=Plur")
    .replace("Il parle", "Il parlent")
    .replace("chat.", "chat .")
)


def test_forms_are_told_apart_by_what_was_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "fr_toy"
    folder.mkdir()
    (folder / "fr_toy-ud-train.conllu").write_text(TRAIN * 3, encoding="utf-8")
    (folder / "fr_toy-ud-dev.conllu").write_text(DEV, encoding="utf-8")
    record = tmp_path / "figures.json"
    options = ["--data", str(folder), "--errors", "5", "--json", str(record)]
    monkeypatch.setattr(sys, "argv", ["realizers.py", *options])
    realizers.main()
    found = json.loads(record.read_text(encoding="utf-8"))["treebanks"]["fr_toy"]
    assert found["tags"] == "upos"
    assert found["words"] == {"all": 18, "seen": 16, "unseen": 1, "other": 1}
    assert found["forms"]["seen"] == 100
    assert found["forms"]["unseen"] == found["forms"]["other"] == 0
    assert found["exact"] == pytest.approx(200 / 3)
    shown = capsys.readouterr().out
    assert "mur  NOUN  Number=Sing  murs  mur" in shown
    assert "chat .  →  chat." in shown
    assert "fr_toy (upos)" in shown


def test_a_folder_without_a_treebank(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="has no file"):
        realizers.find(tmp_path, "train")
