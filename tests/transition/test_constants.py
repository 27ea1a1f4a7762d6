"""Numbers that Python and the compiled core share are defined once, in the core.

Tables of names are compared with the core when it is imported.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import syntagma
from syntagma.language_model import backoff, packed
from syntagma.neural import parameters
from syntagma.transition import encoding

SOURCES = Path(syntagma.__file__).parent


def constant(file: str, name: str) -> int:
    """A number of a `cdef enum`, as it is written in the source."""
    (value,) = re.findall(rf"^    {name} = (-?\d+)", (SOURCES / file).read_text(), re.MULTILINE)
    return int(value)


@pytest.mark.parametrize(
    ("file", "name", "in_python"),
    [
        ("language_model/_ngrams.pxd", "MAX_ORDER", packed.MAX_ORDER),
        ("language_model/_ngrams.pxd", "START", backoff.START),
        ("language_model/_ngrams.pxd", "END", backoff.END),
        ("transition/_state.pxd", "NONE", encoding.NONE),
        ("transition/_state.pxd", "ROOT", encoding.ROOT),
        ("transition/_state.pxd", "RIGHTARC", parameters.ARCS),  # SHIFT is 0
    ],
)
def test_numbers(file: str, name: str, in_python: int) -> None:
    assert constant(file, name) == in_python


def test_special_words() -> None:
    assert backoff.SPECIAL_WORDS[backoff.START] == "<s>"
    assert backoff.SPECIAL_WORDS[backoff.END] == "</s>"
    assert backoff.SPECIAL_WORDS[backoff.UNKNOWN] == "<unk>"


def test_the_rows_of_words_have_the_fields_of_the_core() -> None:
    """The columns of the array that a search task is made of; `_state.pyx` fills in the rest."""
    source = (SOURCES / "transition/_state.pxd").read_text()
    struct = source.split("cdef struct Word:\n")[1].split("\ncdef ")[0]
    fields = re.findall(r"^    int32_t (\w+)", struct, re.MULTILINE)
    assert [*encoding.WordRow._fields, "tags_start", "tags_count"] == fields[:11]
