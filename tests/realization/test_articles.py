"""*a* or *an*, by the sound of the next word."""

from __future__ import annotations

import pytest

from syntagma.realization.articles import begins_with_vowel_sound

AN = (
    "apple idea umbrella uncle unimportant uninteresting only hour honest heir honor 8 80 11 18"
    " 11th 11,000 FBI MRI SUV HTML X-ray x-ray S urban utter order Apple EU NGO understanding"
)
A = (
    "dog unit unique union user usual utility ubiquitous European euro one once one-off house hotel"
    " history 7 110 1800 118 NATO NASA URL UFO UK US UN UNICEF ukulele year Union"
)


@pytest.mark.parametrize("word", AN.split())
def test_an(word: str) -> None:
    assert begins_with_vowel_sound(word)


@pytest.mark.parametrize("word", A.split())
def test_a(word: str) -> None:
    assert not begins_with_vowel_sound(word)


@pytest.mark.parametrize("word", ["", "-", "\ud800", "本", "é", "'", "1" * 500])
def test_any_text_has_an_answer(word: str) -> None:
    begins_with_vowel_sound(word)
