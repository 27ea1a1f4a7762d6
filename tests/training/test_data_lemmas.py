"""Forms that stand in for lemmas."""

from __future__ import annotations

from dataclasses import replace

import pytest

from syntagma.training.data import MIN_LEMMAS, fill_lemmas, lemma_share
from syntagma.training.diagnostics import doubts_of_lemmas
from syntagma.treebanks.treebank import Sentence


def sentence(text: str, lemmas: str = "") -> Sentence:
    forms = tuple(text.split())
    n = len(forms)
    heads = tuple(range(n))
    found = tuple(lemmas.split()) or ("",) * n
    return Sentence(forms, ("X",) * n, heads, ("root", *("dep",) * (n - 1)), lemmas=found)


def test_only_the_first_word_loses_its_capital() -> None:
    treebank = [
        sentence("Ani membaca buku ."),
        sentence("Buku itu milik Ani ."),
        sentence('" Membaca " kata Ani'),
        sentence("Jakarta ramai"),
        sentence("! ?"),
    ]
    filled = fill_lemmas(treebank, treebank)
    assert [" ".join(each.lemmas) for each in filled] == [
        "Ani membaca buku .",  # a name keeps its capital elsewhere
        "buku itu milik Ani .",
        '" membaca " kata Ani',
        "Jakarta ramai",  # never seen elsewhere
        "! ?",
    ]
    assert [each.forms for each in filled] == [each.forms for each in treebank]
    assert lemma_share(filled) >= MIN_LEMMAS
    assert lemma_share(treebank) < MIN_LEMMAS


@pytest.mark.parametrize(
    ("lemmas", "doubt"),
    [
        ("", "t has no lemmas: the model realizes words as they are given"),
        ("dog bark", ""),
        ("Dogs barked", "t: all lemmas are copies of the forms"),
    ],
)
def test_doubts(lemmas: str, doubt: str) -> None:
    found = list(doubts_of_lemmas([sentence("Dogs barked", lemmas)], "t"))
    assert len(found) == bool(doubt)
    assert all(each.startswith(doubt) for each in found)


def test_few_lemmas() -> None:
    few = replace(sentence("a b c"), lemmas=("x", "", ""))
    [found] = doubts_of_lemmas([few], "t")
    assert found.startswith("t: only 33% of the words have a lemma")


def test_a_stray_lemma_does_not_make_a_treebank_with_lemmas() -> None:
    stray = replace(sentence("a b"), lemmas=("", "x"))
    treebank = [stray] + [sentence("c d")] * 30
    assert lemma_share(treebank) < MIN_LEMMAS
    [found] = doubts_of_lemmas(treebank, "t")
    assert found.startswith("t has no lemmas to speak of: the model realizes words as they are")
    filled = fill_lemmas(treebank, treebank)
    assert [each.lemmas for each in filled[:2]] == [("a", "x"), ("c", "d")]
