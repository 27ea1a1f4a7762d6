"""Languages by their codes: one table, which all that names a language uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from syntagma.models.languages import LANGUAGES, NAMES, name_of, name_with_code

ROOT = Path(__file__).parents[2]


def test_codes_and_names_are_unique_and_sorted() -> None:
    assert list(NAMES) == sorted(NAMES)
    assert len(set(NAMES.values())) == len(NAMES)
    assert all(re.fullmatch("[a-z]{2,3}", code) for code in NAMES)


@pytest.mark.parametrize(
    ("stated", "name", "with_code"),
    [
        ("de", "German", "German (de)"),
        ("DE", "German", "German (DE)"),
        ("pt-BR", "Portuguese", "Portuguese (pt-BR)"),
        ("zh_Hant", "Chinese", "Chinese (zh_Hant)"),
        ("English", "English", "English"),
        ("tlh", "tlh", "tlh"),
        ("", "", ""),
    ],
)
def test_a_language_is_named(stated: str, name: str, with_code: str) -> None:
    assert (name_of(stated), name_with_code(stated)) == (name, with_code)


@pytest.mark.parametrize("code", LANGUAGES)
def test_model_cards_name_the_language(code: str) -> None:
    card = ROOT / "languages" / code / "README.md"
    if not card.exists():
        pytest.skip("a package that source distributions lack")
    text = card.read_text(encoding="utf-8")
    assert f"A model of {LANGUAGES[code]} for Syntagma" in text
    assert f"\n- language: {LANGUAGES[code]} ({code})\n" in text
