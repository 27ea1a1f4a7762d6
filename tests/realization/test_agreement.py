"""Agreement of English verbs with the subjects that a tree gives."""

from __future__ import annotations

import pytest

from syntagma.problem.word import Word
from syntagma.realization.agreement import (
    Agreement,
    Subject,
    agreeing_determiner,
    agreeing_noun,
    begins_with_vowel_sound,
    comparative,
    finite,
)
from syntagma.realization.inflection import Form

FIRST, PLURAL, THIRD = Subject(True, False), Subject(False, True), Subject(False, False)


def tree(text: str) -> list[Word]:
    """Words as `mouse/NNS/2/nsubj`; an empty field is not given."""
    words = []
    for each in text.split():
        lemma, tag, head, deprel = each.split("/")
        words.append(Word("", tag or None, int(head) if head else None, deprel or None, lemma))
    return words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("be//0/root mouse/NNS/1/nsubj", PLURAL),
        ("be//0/root mouse/NN/1/nsubj", THIRD),
        ("be//0/root I/PRP/1/nsubj", FIRST),
        ("be//0/root you/PRP/1/nsubj", PLURAL),
        ("be//0/root they//1/nsubj:pass", PLURAL),
        ("be//2/cop small/JJ/0/root mouse/NNS/2/nsubj", PLURAL),
        ("be//2/aux:pass eat/VBN/0/root mouse/NNS/2/nsubj:pass", PLURAL),
        ("have//3/aux be/VBN/3/aux eat/VBG/0/root mouse/NNS/3/nsubj", PLURAL),
        ("be//0/root cat/NN/1/nsubj dog/NN/2/conj and/CC/3/cc", PLURAL),
        ("be//0/root cat/NN/1/nsubj dog/NN/2/conj or/CC/3/cc", None),
        ("be//0/root there/EX/1/expl mouse/NNS/1/nsubj", PLURAL),
        ("be//2/acl:relcl mouse/NNS/0/root who/WP/1/nsubj", PLURAL),
        ("be//2/conj eat/VBD/0/root mouse/NNS/2/nsubj", PLURAL),
        ("be//0/root wug//1/nsubj", None),
        ("be//0/root", None),
        ("be/// mouse/NNS//", None),
        ("be//0/root mouse/NNS/1/obj", None),
        ("eat//0/root mouse/NNS/1/nsubj will/MD/1/aux", None),
        ("eat//0/root mouse/NNS/1/nsubj to/TO/1/mark", None),
    ],
)
def test_the_subject_of_the_first_word(text: str, expected: Subject | None) -> None:
    assert Agreement(tree(text)).subject(0) == expected


def test_a_relative_clause_within_its_own_subject_comes_to_an_end() -> None:
    words = tree("be//2/acl that/WDT/1/nsubj")
    Agreement(words).subject(0)  # a cycle, which a problem would refuse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("that/DT/2/det apple/NNS/0/root", "those"),
        ("that/DT/2/det apple/NN/0/root", "that"),
        ("that/DT/2/det apple//0/root", "that those"),
        ("that/WDT/2/nsubj taste/VBD/0/root", "that those"),
        ("that/DT// apple/NNS//", "that those"),
    ],
)
def test_that_agrees_with_its_noun(text: str, expected: str) -> None:
    words = tree(text)
    forms = agreeing_determiner(words[0], (Form("that", -0.2), Form("those", -1.7)), words)
    assert " ".join(form.text for form in forms) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("worker/NOUN/0/root 200/NUM/1/nummod", True),
        ("worker/NOUN/0/root 1/NUM/1/nummod", False),
        ("worker/NOUN/0/root many/ADJ/1/amod", True),
        ("worker/NOUN/0/root a/DET/1/det", False),
        ("worker/NOUN/0/root a/DET/1/det few/ADJ/1/amod", True),
        ("worker/NOUN/0/root the/DET/1/det", None),
        ("month/NOUN/2/compound plan/NOUN/0/root 12/NUM/1/nummod", None),
    ],
)
def test_the_number_of_a_noun_by_its_numerals(text: str, expected: bool | None) -> None:
    assert Agreement(tree(text)).is_plural(0) is expected


@pytest.mark.parametrize(
    ("lemma", "forms", "plural", "expected"),
    [
        ("worker", "worker workers", True, "workers"),
        ("worker", "worker workers", False, "worker"),
        ("sheep", "sheep", True, "sheep"),
        ("kg", "kg kgs", True, "kg kgs"),
        ("am", "am ams", True, "am ams"),
    ],
)
def test_a_noun_agrees_with_its_numerals(
    lemma: str, forms: str, plural: bool, expected: str
) -> None:
    found = agreeing_noun(Word(tag="NOUN", lemma=lemma), tuple(map(Form, forms.split())), plural)
    assert " ".join(form.text for form in found) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tall/ADJ/0/root I/PRON/1/obl than/ADP/2/case", True),
        ("tall/ADJ/0/root be/VERB/1/advcl than/SCONJ/2/mark", True),
        ("tall/ADJ/0/root I/PRON/1/obl than/ADP/2/case more/ADV/1/advmod", False),
        ("tall/ADJ/0/root I/PRON/1/obl for/ADP/2/case", False),
    ],
)
def test_a_standard_of_comparison_asks_for_a_comparative(text: str, expected: bool) -> None:
    assert Agreement(tree(text)).is_compared(0) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kick/VERB/0/root boy/NOUN/1/nsubj", True),
        ("kick/VERB/0/root boy/NOUN/1/nsubj be/AUX/1/aux", False),
        ("kick/VERB/0/root", False),
        ("kick/VERB/2/xcomp want/VERB/0/root to/PART/1/mark", False),
        ("kick/VERB/2/advcl want/VERB/0/root boy/NOUN/1/nsubj with/SCONJ/1/mark", False),
        ("kick/VERB/2/advcl want/VERB/0/root boy/NOUN/1/nsubj if/SCONJ/1/mark", True),
    ],
)
def test_a_verb_with_a_subject_of_its_own_is_finite(text: str, expected: bool) -> None:
    assert Agreement(tree(text)).is_finite(0) is expected


@pytest.mark.parametrize(
    ("lemma", "forms", "expected"),
    [
        ("kick", "kick kicked kicking kicks", "kick kicked kicks"),
        ("freeze", "freeze froze frozen freezing", "freeze froze"),
        ("put", "put puts putting", "put puts"),
        ("be", "be is being been was", "is was"),
        ("sing", "singing", "singing"),
    ],
)
def test_finite_forms(lemma: str, forms: str, expected: str) -> None:
    found = finite(Word(tag="VERB", lemma=lemma), tuple(map(Form, forms.split())))
    assert " ".join(form.text for form in found) == expected


@pytest.mark.parametrize(
    ("lemma", "tag", "forms", "expected"),
    [
        ("tall", "ADJ", "tall taller tallest", "taller"),
        ("hard", "ADV", "hard hardest", "harder"),
        ("hard", "ADV", "hard", "harder"),
        ("good", "ADJ", "good", "better"),
        ("beautiful", "ADJ", "beautiful", "beautiful"),
        ("more", "ADV", "more", "more"),
        ("tall", "JJ", "tall", "tall"),
    ],
)
def test_comparatives(lemma: str, tag: str, forms: str, expected: str) -> None:
    found = comparative(Word(tag=tag, lemma=lemma), tuple(map(Form, forms.split())))
    assert " ".join(form.text for form in found) == expected


# *a* or *an*, by the sound of the next word.

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
