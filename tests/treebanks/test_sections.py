"""Files of a treebank by sections, and how sections are written."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from syntagma.errors import ArgumentError, FormatError
from syntagma.treebanks.sections import parse_sections, section_of, treebank_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        *("wsj/02/wsj_0201.mrg", "wsj/02/wsj_0202.MRG.gz", "wsj/21/wsj_2199.mrg.xz"),
        *("wsj/22/wsj_2200.mrg", "wsj/22/notes.txt", "wsj/22/.wsj_2201.mrg", "wsj/00/wsj_0001.prd"),
        *("extra/one.mrg", "wsj/README"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def names(files: list[Path]) -> list[str]:
    return [file.name for file in files]


def test_folders_are_searched_at_all_depths(folder: Path) -> None:
    found = treebank_files(folder, (".mrg",))
    wsj = ["wsj_0201.mrg", "wsj_0202.MRG.gz", "wsj_2199.mrg.xz", "wsj_2200.mrg"]
    assert names(found) == ["one.mrg", *wsj]


def test_sections_choose_by_name(folder: Path) -> None:
    def of(sections: str, *paths: Path) -> list[str]:
        return names(treebank_files(list(paths), (".mrg",), parse_sections(sections)))

    assert of("02-21", folder) == ["wsj_0201.mrg", "wsj_0202.MRG.gz", "wsj_2199.mrg.xz"]
    assert of("22", folder / "wsj" / "*") == ["wsj_2200.mrg"]
    assert of("2, 22", folder, folder / "wsj") == [
        *("wsj_0201.mrg", "wsj_0202.MRG.gz", "wsj_2200.mrg")
    ]
    assert of("0", folder / "wsj/00/wsj_0001.prd") == ["wsj_0001.prd"]
    with pytest.raises(FormatError, match="no file here belongs to these sections"):
        of("23", folder)
    with pytest.raises(FormatError, match=r"one\.mrg: the name does not tell its section"):
        of("02", folder / "extra" / "one.mrg")


def test_nothing_to_read(folder: Path) -> None:
    with pytest.raises(FormatError, match=r"00: no file in this folder ends in \.mrg or \.trees"):
        treebank_files(folder / "wsj" / "00", (".mrg", ".trees"))
    with pytest.raises(FormatError, match=r"00: no file here ends in \.mrg"):
        treebank_files(str(folder / "wsj" / "0[01]"), (".mrg",))
    with pytest.raises(ArgumentError, match="at least one file or folder"):
        treebank_files([], (".mrg",))


def test_links_are_followed_once_and_hidden_folders_left_alone(folder: Path) -> None:
    (folder / "extra" / "zz").symlink_to(folder / "wsj" / "02")
    (folder / "wsj" / "02" / "again").symlink_to(folder)
    hidden = folder / "wsj" / "22" / ".checkpoints"
    hidden.mkdir()
    (hidden / "wsj_2202.mrg").touch()
    found = treebank_files(folder / "extra", (".mrg",))
    assert sorted(names(found)) == [
        *("one.mrg", "wsj_0201.mrg", "wsj_0202.MRG.gz", "wsj_2199.mrg.xz", "wsj_2200.mrg")
    ]


def test_a_folder_that_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir

    def refuse(path: str) -> Any:  # permissions would not stop an administrator
        if os.path.basename(path) == "21":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(FormatError, match=r"21: cannot read the folder: Permission denied"):
        treebank_files(folder, (".mrg",))


def test_sections_as_written() -> None:
    assert parse_sections("02-21") == set(range(2, 22))
    assert parse_sections("0,22-24, 7") == {0, 22, 23, 24, 7}
    for odd in ("", "02-", "a", "2-100", "1;2", "-3", "02..21"):
        with pytest.raises(ArgumentError, match="sections must be numbers"):
            parse_sections(odd)
    with pytest.raises(ArgumentError, match="as in 02-21,23, not 23"):
        parse_sections(23)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="21-02 runs backwards"):
        parse_sections("21-02")


def test_the_section_of_a_file() -> None:
    assert section_of("a/wsj_2301.mrg") == 23
    assert section_of("WSJ_0001.auto.gz") == 0
    assert section_of("wsj_230.mrg") is section_of("my_wsj_2301.mrg") is None
    assert section_of("wsj_23011.mrg") is None
