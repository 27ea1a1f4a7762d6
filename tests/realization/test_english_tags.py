"""The Penn tags that fit UPOS tags and features."""

from __future__ import annotations

import pytest

from syntagma.realization.english_tags import (
    fitting_tags,
    inflected_tags,
    is_present,
    missing_form,
    penn_tag,
)


@pytest.mark.parametrize(
    ("upos", "features", "expected"),
    [
        ("NOUN", None, "NN NNS"),
        ("NOUN", "Number=Plur", "NNS"),
        ("NOUN", "Number=Ptan", "NNS"),
        ("PROPN", "NumForm=Digit", "NNP"),
        ("ADJ", None, "JJ JJR JJS"),
        ("ADJ", "NumType=Ord", "JJ"),
        ("ADV", "", "RB"),
        ("VERB", None, "VB VBD VBG VBN VBP VBZ"),
        ("VERB", "Polarity=Neg", "VB VBD VBG VBN VBP VBZ"),
        ("VERB", "Tense=Past", "VBD"),
        ("VERB", "Tense=Pres", "VBP VBZ"),
        ("VERB", "Tense=Past,Pres", "VBD VBP VBZ"),
        ("VERB", "Person=3|Tense=Pres", "VBP VBZ"),
        ("VERB", "Number=Plur|Tense=Pres", "VBP"),
        ("VERB", "Mood=Imp", "VB"),
        ("VERB", "Mood=Sub|Tense=Past|VerbForm=Fin", "VBD"),
        ("VERB", "Person=2|VerbForm=Inf", "VB"),
        ("VERB", "VerbForm=Part", "VBG VBN"),
        ("VERB", "Voice=Pass", "VBN"),
        ("VERB", "Voice=Act|Tense=Past", "VBD"),
        ("AUX", "Aspect=Prog|Tense=Pres|VerbForm=Part", "VBG"),
    ],
)
def test_tags_fit_features_and_what_is_not_given_is_open(
    upos: str, features: str | None, expected: str
) -> None:
    assert fitting_tags(upos, features) == set(expected.split())
    determined = expected if " " not in expected else None
    assert penn_tag(upos, features) == determined


@pytest.mark.parametrize(
    ("tag", "features", "expected"),
    [
        ("VBD", None, "VBD"),
        ("DET", None, "DT"),
        (None, "Number=Plur", "NNS"),
        (None, "Degree=Cmp", "JJR"),
        (None, "Tense=Past", "VBD"),
        (None, "Case=Nom|Number=Plur", None),
        (None, None, None),
    ],
)
def test_a_tag_of_the_treebank_stays_and_features_may_tell_the_class(
    tag: str | None, features: str | None, expected: str | None
) -> None:
    assert penn_tag(tag, features) == expected


def test_forms_have_some_of_the_tags_of_their_class() -> None:
    assert inflected_tags("ADV") == {"RB", "RBR", "RBS"}
    assert inflected_tags("AUX") == {"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"}


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        (None, False),
        ("Tense=Pres", True),
        ("Mood=Ind|Tense=Pres|VerbForm=Fin", True),
        ("Tense=Pres|VerbForm=Part", False),
        ("Tense=Fut", False),
        ("Tense=Past", False),
    ],
)
def test_the_present_tense(features: str | None, expected: bool) -> None:
    assert is_present(features) is expected


@pytest.mark.parametrize("tag", ["VERB", "AUX", "VB", "VBP", None])
@pytest.mark.parametrize(
    ("features", "feature", "advice"),
    [
        ("Tense=Fut", "Tense=Fut", "an auxiliary such as will"),
        ("Mood=Ind|Person=3|Tense=Fut|VerbForm=Fin", "Tense=Fut", "will"),
        ("Mood=Cnd|VerbForm=Fin", "Mood=Cnd", "an auxiliary such as would"),
        ("Aspect=Perf|VerbForm=Fin", "Aspect=Perf", "the auxiliary have"),
        ("Aspect=Prog|Tense=Pres|VerbForm=Fin", "Aspect=Prog", "the auxiliary be"),
        ("Mood=Ind|Tense=Past|VerbForm=Fin|Voice=Pass", "Voice=Pass", "the auxiliary be"),
        ("Tense=Past|VerbForm=Inf", "Tense=Past", "leave Tense=Past out"),
        ("Tense=Pqp", "Tense=Pqp", "leave Tense=Pqp out"),
        ("VerbForm=Conv", "VerbForm=Conv", "leave VerbForm=Conv out"),
    ],
)
def test_what_no_form_of_a_verb_says(
    tag: str | None, features: str, feature: str, advice: str
) -> None:
    missing = missing_form(tag, "kick", features)
    assert missing is not None
    assert missing.startswith(f"{feature}, for which there is no form in English")
    assert advice in missing


@pytest.mark.parametrize(
    ("tag", "lemma", "features", "start"),
    [
        ("NOUN", "boy", "Case=Gen|Number=Sing", "Case=Gen, for which there is no form"),
        ("NN", "boy", "Case=Loc", "Case=Loc, for"),
        ("NOUN", "boy", "Number=Dual", "Number=Dual, for"),
        ("ADJ", "tall", "Degree=Abs", "Degree=Abs, for"),
        ("ADJ", "beautiful", "Degree=Cmp", "no comparative in English: give more"),
        ("JJS", "beautiful", "", "no superlative in English: give most"),
    ],
)
def test_what_no_form_of_other_words_says(tag: str, lemma: str, features: str, start: str) -> None:
    assert (missing_form(tag, lemma, features) or "").startswith(start)


@pytest.mark.parametrize(
    ("tag", "lemma", "features"),
    [
        ("VERB", "kick", ""),
        ("VERB", "kick", "Aspect=Prog|Tense=Pres|VerbForm=Part"),
        ("VBG", "kick", "Aspect=Prog"),
        ("VBN", "kick", "Voice=Pass"),
        ("VBD", "kick", "Number=Plur"),
        ("VB", "be", "Mood=Sub|Number=Plur|Person=3|Tense=Past|VerbForm=Fin"),
        ("MD", "will", "Tense=Fut"),
        ("ADJ", "dull", "Degree=Cmp"),
        ("ADJ", "third", "NumType=Ord"),
        ("NOUN", "trousers", "Number=Ptan"),
        ("NOUN", "boy", "Case=Acc|Gender=Masc"),
        ("PRON", "he", "Case=Dat"),
        (None, "kick", "Polarity=Neg"),
    ],
)
def test_what_has_a_form_or_matters_to_none(tag: str | None, lemma: str, features: str) -> None:
    assert missing_form(tag, lemma, features) is None
