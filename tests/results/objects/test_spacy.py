"""Results as documents of spaCy."""

from __future__ import annotations

from typing import Any

import pytest
from toys.parses import SENTENCE, WORDS, conllu_object, put_in_order

from syntagma import ArgumentError, Linearization, Problem, Realization, Token
from syntagma.results.spelling import Contraction, Spelling

pytest.importorskip("spacy", reason="no spaCy: pip install 'syntagma[spacy]'")

import spacy


def ordered() -> Linearization:
    pytest.importorskip("conllu", reason="no conllu: pip install 'syntagma[conllu]'")
    return put_in_order(Problem.from_conllu(conllu_object(SENTENCE)))


def test_all_that_spacy_has_a_place_for_comes_back() -> None:
    result = ordered()
    doc = result.to_spacy()
    assert doc.text == result.text
    assert {
        token.text: (
            "" if token.dep_ == "ROOT" else token.head.text,
            token.dep_.replace("ROOT", "root"),
            token.lemma_,
            token.pos_,
            token.tag_,
            str(token.morph),
        )
        for token in doc
    } == WORDS
    assert len(list(doc.sents)) == 1
    assert doc[0].is_alpha
    assert not doc.has_unknown_spaces


def test_the_vocabulary_of_a_pipeline_is_used() -> None:
    nlp = spacy.blank("en")
    assert ordered().to_spacy(nlp.vocab).vocab is nlp.vocab
    assert nlp.vocab["ask"].text == "ask"
    wrong: Any = nlp
    with pytest.raises(ArgumentError, match=r"vocab must be a Vocab, such as nlp\.vocab"):
        ordered().to_spacy(wrong)


def tokens(*forms: str) -> Linearization:
    found = tuple(
        Token(form, "X", int(place > 1), "dep" if place > 1 else "root", place)
        for place, form in enumerate(forms, start=1)
    )
    return Linearization(found, 0.0, Problem.of(forms))


@pytest.mark.parametrize(
    ("forms", "spelling", "text"),
    [
        (("dogs", "bark", "."), Spelling((True, False, False)), "dogs bark."),
        # Joined, the words spell their contraction, as in English.
        (("do", "n't"), Spelling((False, False), (Contraction(1, 2, "don't"),)), "don't"),
        # They do not: spaCy has no place for the contraction.
        (
            ("près", "de", "le", "pont"),
            Spelling((True, False, True, False), (Contraction(2, 3, "du"),)),
            "près de le pont",
        ),
    ],
)
def test_spaces_follow_the_spelling(forms: Any, spelling: Spelling, text: str) -> None:
    assert Realization(tokens(*forms), spelling).to_spacy().text == text


def test_tags_that_are_not_of_ud_are_no_pos() -> None:
    doc = tokens("dogs").to_spacy(tag_column="upos")
    assert (doc[0].pos_, doc[0].tag_) == ("X", "")
    odd = Linearization((Token("dogs", "NNS", 0, "root", 1),), 0.0, Problem.of(["dogs"]))
    assert odd.to_spacy(tag_column="upos")[0].pos_ == ""


def test_an_underscore_is_its_own_lemma() -> None:
    assert tokens("_").to_spacy()[0].lemma_ == "_"
    assert tokens("dogs").to_spacy()[0].lemma_ == ""


def test_a_document_can_be_stored() -> None:
    doc = ordered().to_spacy()
    again = spacy.tokens.Doc(doc.vocab).from_bytes(doc.to_bytes())
    assert again.to_json() == doc.to_json()
