"""Treebanks are found by the names of their files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syntagma.errors import ArgumentError, FormatError
from syntagma.sweeps.collection import FoundTreebank, Licence, find_treebanks, read_licence


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def names(*treebanks: FoundTreebank) -> list[str]:
    return [each.name for each in treebanks]


def test_folders_of_folders_are_searched(tmp_path: Path) -> None:
    train = touch(tmp_path / "ud/2.17/UD_French-Sequoia/fr_sequoia-ud-train.conllu")
    dev = touch(train.with_name("fr_sequoia-ud-dev.conllu"))
    test = touch(train.with_name("fr_sequoia-ud-test.conllu"))
    alone = touch(tmp_path / "ud/ko/ko_gsd-ud-train.conllu")
    touch(tmp_path / "ud/en_pud/en_pud-ud-test.conllu")
    touch(tmp_path / "ud/.git/xx_hidden-ud-train.conllu")
    touch(tmp_path / "ud/ko/.ko_old-ud-train.conllu")
    touch(tmp_path / "ud/ko/README.md")
    found = find_treebanks(tmp_path / "ud")
    assert found.treebanks == (
        FoundTreebank("fr_sequoia", "fr", (train,), (dev,), (test,)),
        FoundTreebank("ko_gsd", "ko", (alone,)),
    )
    assert found.without_training == ("en_pud",)


def test_parts_in_several_files_are_joined_and_plain_files_preferred(tmp_path: Path) -> None:
    parts = [touch(tmp_path / f"de_hdt-ud-train-{part}.conllu") for part in ("a-1", "a-2", "b-1")]
    packed = tmp_path / "de_hdt-ud-dev.conllu.gz"
    packed.write_bytes(gzip.compress(b""))
    touch(tmp_path / "de_hdt-ud-train-a-1.conllu.xz")
    [treebank] = find_treebanks(tmp_path).treebanks
    assert treebank.train == tuple(parts)
    assert treebank.dev == (packed,)


def test_a_training_file_stands_for_its_treebank(tmp_path: Path) -> None:
    train = touch(tmp_path / "fr_gsd-ud-train.conllu")
    touch(tmp_path / "fr_sequoia-ud-train.conllu")
    test = touch(tmp_path / "fr_gsd-ud-test.conllu")
    [treebank] = find_treebanks(train).treebanks
    assert (treebank.name, treebank.test) == ("fr_gsd", (test,))
    for paths in (test, [train, test]):
        with pytest.raises(FormatError, match=r"test\.conllu: no treebank here: its training file"):
            find_treebanks(paths)


def test_a_pattern_may_match_folders_without_training_files(tmp_path: Path) -> None:
    touch(tmp_path / "UD_English-GUM" / "en_gum-ud-train.conllu")
    touch(tmp_path / "UD_English-PUD" / "en_pud-ud-test.conllu")
    touch(tmp_path / "UD_English-Empty" / "README.md")
    found = find_treebanks(tmp_path / "UD_English-*")
    assert (names(*found.treebanks), found.without_training) == (["en_gum"], ("en_pud",))


def test_the_same_name_in_two_folders(tmp_path: Path) -> None:
    touch(tmp_path / "en_ewt/en_ewt-ud-train.conllu")
    touch(tmp_path / "en_ewt_r2.3/en_ewt-ud-train.conllu")
    found = find_treebanks(tmp_path).treebanks
    assert names(*found) == ["en_ewt", "en_ewt_r2.3"]
    assert {each.language for each in found} == {"en"}
    touch(tmp_path / "more/en_ewt/en_ewt-ud-train.conllu")
    with pytest.raises(ArgumentError, match=r"two treebanks are named en_ewt: .* and .*more"):
        find_treebanks(tmp_path)


def test_a_treebank_that_is_reached_twice_counts_once(tmp_path: Path) -> None:
    touch(tmp_path / "ud/fr_gsd/fr_gsd-ud-train.conllu")
    os.symlink(tmp_path / "ud", tmp_path / "ud" / "loop")
    os.symlink(tmp_path / "ud" / "fr_gsd", tmp_path / "link")
    found = find_treebanks([tmp_path / "ud", tmp_path / "ud" / "fr_*", tmp_path / "link"])
    assert names(*found.treebanks) == ["fr_gsd"]


def test_nothing_found(tmp_path: Path) -> None:
    touch(tmp_path / "train.conllu")
    with pytest.raises(FormatError, match="no treebank here: its training file must be named NAME"):
        find_treebanks(tmp_path)
    with pytest.raises(FormatError, match="gone: no such file or folder"):
        find_treebanks(tmp_path / "gone")
    with pytest.raises(FormatError, match="no file or folder matches"):
        find_treebanks(tmp_path / "UD_*")
    with pytest.raises(ArgumentError, match="at least one folder"):
        find_treebanks([])


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["fr_a", "fr_b", "de_c"]),
            st.sampled_from(["train", "dev", "test"]),
            st.sampled_from(["", ".gz", ".xz"]),
        ),
        unique=True,
        min_size=1,
    )
)
def test_every_part_is_found_exactly_once(
    tmp_path_factory: pytest.TempPathFactory, files: list[tuple[str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("ud")
    for name, part, packing in files:
        touch(folder / f"{name}-ud-{part}.conllu{packing}")
    trained = {name for name, part, _ in files if part == "train"}
    try:
        found = find_treebanks(folder)
    except FormatError:
        assert not trained
        return
    assert {each.name for each in found.treebanks} == trained
    assert set(found.without_training) == {name for name, _, _ in files} - trained
    for treebank in found.treebanks:
        for part in ("train", "dev", "test"):
            there = {
                packing for name, its, packing in files if (name, its) == (treebank.name, part)
            }
            taken = [path.name.partition(".conllu")[2] for path in getattr(treebank, part)]
            assert taken == sorted(there)[:1]


README = """\
# Summary

A treebank. License: see below.

=== Machine-readable metadata (DO NOT REMOVE!) ===
Data available since: UD v2.0
License: CC BY-SA 4.0
Contributors: Doe, Jane; Roe, Richard
===
"""


def test_the_metadata_of_the_readme(tmp_path: Path) -> None:
    assert read_licence(tmp_path) == Licence()
    (tmp_path / "README.txt").write_text(README)
    (tmp_path / "LICENSE.txt").write_text("Do what you like.")
    found = read_licence(tmp_path)
    assert found == Licence("CC BY-SA 4.0", "Doe, Jane; Roe, Richard", "Do what you like.")
    (tmp_path / "README.md").write_bytes(b"License: \xff\n")  # not UTF-8: the other one counts
    assert read_licence(tmp_path) == found
