"""The JSON Schema of problems and results, against the code that reads and writes them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syntagma.errors import ProblemError
from syntagma.formats.json_schema import PROBLEM
from syntagma.formats.jsonl import problem_from_json

jsonschema = pytest.importorskip("jsonschema", reason="no jsonschema: pip install schemathesis")
VALIDATOR = jsonschema.Draft202012Validator(PROBLEM)

# Values near those of the schema, many of them just beside it.
TEXTS = st.one_of(
    st.sampled_from(
        [
            *("dog", "New York", "", " ", "a ", "a  b", "a\tb", "a\n", "\u00a0", "é", "NN"),
            *("A=b|C=d", "A=b|", "=", "A", "x y", "a\r", "\u2003a", "日本"),
        ]
    ),
    st.text(max_size=4),
)
NUMBERS = st.integers(min_value=-2, max_value=5) | st.sampled_from([10**9, 1.5, True])
ODD: st.SearchStrategy[Any] = (
    st.none() | NUMBERS | TEXTS | st.lists(NUMBERS, max_size=3) | st.just({})
)
WORDS = st.one_of(
    TEXTS,
    st.fixed_dictionaries(
        {},
        optional={
            "form": TEXTS | ODD,
            "tag": TEXTS | st.none() | ODD,
            "head": NUMBERS | st.none(),
            "deprel": TEXTS | st.none(),
            "lemma": TEXTS | st.none(),
            "features": TEXTS | ODD | st.dictionaries(TEXTS, TEXTS | ODD, max_size=2),
            "colour": TEXTS,
        },
    ),
    ODD,
)
VALUES = st.one_of(
    st.lists(WORDS, max_size=4),
    st.fixed_dictionaries(
        {},
        optional={
            "words": st.lists(WORDS, max_size=4) | ODD,
            "before": st.lists(st.lists(NUMBERS, min_size=1, max_size=3), max_size=3) | ODD,
            "first": NUMBERS | st.none(),
            "last": NUMBERS | st.none(),
            "id": TEXTS | ODD,
            "Words": TEXTS,
        },
    ),
    ODD,
)


@given(VALUES)
def test_what_the_schema_refuses_the_reader_refuses(value: Any) -> None:
    if not VALIDATOR.is_valid(value):
        with pytest.raises(ProblemError):
            problem_from_json(value)


@given(VALUES)
def test_what_the_schema_accepts_has_the_right_types(value: Any) -> None:
    """What is left are parts that do not go together, which a schema cannot say."""
    if VALIDATOR.is_valid(value):
        message = _complaint(value)
        assert message == "" or any(part in message for part in ABOUT_SEVERAL_PARTS), message


def _complaint(value: Any) -> str:
    try:
        problem_from_json(value)
    except ProblemError as error:
        return str(error)
    return ""


ABOUT_SEVERAL_PARTS = (
    "out of range",
    "as its own head",
    "form a cycle",
    "are given as the root",
    "no word can be the root",
    "before itself",
    "contradict each other",
    "cannot be met",
    "both as first and as last",
    "twice",  # a name among the features
)


@pytest.mark.parametrize(
    "value",
    [
        ["a"],
        {"words": [{"form": "a", "tag": None, "head": None, "deprel": None}], "id": None},
        {"words": [{"form": None, "lemma": "a", "features": {"Number": "Plur"}}]},
        {"words": ["a", "b"], "before": [[1, 2]], "first": 1, "last": 2, "id": "x y"},
    ],
)
def test_both_accept(value: Any) -> None:
    VALIDATOR.validate(value)
    problem_from_json(value)


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        "a",
        ["a\nb"],
        [{"form": None}],
        [{"tag": "X"}],
        [{"form": "a", "features": "A=b||C=d"}],
        {"words": ["a", "b"], "before": [[1, 2], [1, 2]]},
        {"words": ["a"], "id": " "},
        {"words": ["a"], "first": 0},
    ],
)
def test_both_refuse(value: Any) -> None:
    assert not VALIDATOR.is_valid(value)
    with pytest.raises(ProblemError):
        problem_from_json(value)


def test_the_guide_shows_the_schema() -> None:
    page = Path(__file__).parents[2] / "docs" / "guide" / "formats.md"
    blocks = page.read_text(encoding="utf-8").split("```json\n")[1:]
    [shown] = [text for text in (each.split("```")[0] for each in blocks) if "$schema" in text]
    assert json.loads(shown) == PROBLEM


@given(VALUES)
def test_the_field_of_a_fault_leads_into_the_value(value: Any) -> None:
    try:
        problem_from_json(value)
    except ProblemError as error:
        field = error.field
    else:
        return
    whole = {"words": value} if isinstance(value, list) else value
    *way, last = re.findall(r"\w+|\[[^\]]*\]", field) or [""]
    for step in way:
        whole = whole[int(step[1:-1])] if step[0] == "[" else whole[step]
    if last[:1] == "[" and last[1:-1].isdigit():
        assert int(last[1:-1]) < len(whole)
    elif last:
        # A missing key, a key of a word that is a plain string, or one that is there.
        assert last in ("words", "form") or last.strip("['\"]") in str(whole)
