"""Checksums of what a run reads, and how two runs differ; resuming is in test_resume.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from toys.ccg import DERIVATIONS

from syntagma.results.spelling import Contraction, Spelling
from syntagma.training.run import digest_inputs, list_differences
from syntagma.treebanks.treebank import Sentence

SENTENCE = Sentence(
    ("He", "ran"),
    ("PRP", "VBD"),
    (2, 0),
    ("nsubj", "root"),
    "1",
    None,
    ("he", "run"),
    ("Person=3", "Tense=Past"),
    Spelling((True, False)),
    "He ran",
)
OTHER: dict[str, Any] = {
    "forms": ("She", "ran"),
    "tags": ("PRP", "VBN"),
    "heads": (0, 1),
    "deprels": ("obj", "root"),
    "id": "2",
    "derivation": next(iter(DERIVATIONS.values())),
    "lemmas": ("he", "ran"),
    "features": ("", "Tense=Past"),
    "spelling": Spelling((True, False), (Contraction(1, 2, "He ran"),)),
    "written": "He  ran",
}


@pytest.mark.parametrize("name", OTHER)
def test_every_field_of_a_sentence_counts(name: str) -> None:
    other = replace(SENTENCE, **{name: OTHER[name]})
    for there, here, which in [
        (([SENTENCE], [], []), ([other], [], []), "training set"),
        (([], [SENTENCE], []), ([], [other], []), "development set"),
        (([], [], [[], [SENTENCE]]), ([], [], [[], [other]]), "pre-training set 2"),
    ]:
        found = list_differences(
            ({}, digest_inputs(*there, None)), ({}, digest_inputs(*here, None))
        )
        assert found == f"the {which} has other content"


def test_another_number_of_treebanks() -> None:
    one = digest_inputs([SENTENCE], [], [[SENTENCE]], None)
    none = digest_inputs([SENTENCE], [], [], None)
    assert list_differences(({}, one), ({}, none)) == "pre-training set 1 there, none here"
    assert list_differences(({}, none), ({}, one)) == "pre-training set 1 here, none there"
    assert list_differences(({}, one), ({}, one)) == ""


def test_settings_are_listed_once() -> None:
    there = {"preset": "zc15", "templates": ["a"], "settings": {"preset": "zc15", "seed": 1}}
    here = {
        **{"preset": "z13", "templates": ["b"], "preset_changes": {"chart": 8}},
        "settings": {"preset": "z13", "seed": 1},
    }
    found = list_differences((there, {}), (here, {}))
    assert found == "other feature templates; preset: zc15 there, z13 here"


def test_a_long_list_is_cut() -> None:
    there = {f"field{number}": number for number in range(8)}
    here = dict.fromkeys(there, "x" * 100)
    found = list_differences((there, {}), (here, {}))
    assert found.startswith("field0: 0 there, xxx")
    assert found.endswith("; 3 more")
    assert len(found) < 400


def test_a_checkpoint_of_another_version() -> None:
    """It may lack what later versions compare."""
    inputs = digest_inputs([SENTENCE], [SENTENCE], [], None)
    header = {"settings": {"epochs": (1, 2)}, "created_with": "2.0", "data": [{"name": "a"}]}
    assert list_differences((header, inputs), (header, inputs)) != ""  # a tuple is no JSON
    stored = {**header, "settings": {"epochs": [1, 2]}}
    assert list_differences((stored, inputs), (header, inputs)) == ""
    old: dict[str, Any] = {"settings": {}, "created_with": "1.0", "data": None, "start": {}}
    found = list_differences((old, {}), (header, inputs))
    assert "version 1.0 there, 2.0 here" in found
