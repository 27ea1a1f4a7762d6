"""Sentences of Stanza, built without a trained pipeline."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from toys.parses import SENTENCE, WORDS, given, known_of, stanza_object

from syntagma import ArgumentError, Problem, ProblemError
from syntagma.problem.parse import ParseOrigin

pytest.importorskip("stanza", reason="no Stanza: pip install 'syntagma[stanza]'")

from stanza.models.common.doc import Document


def test_a_sentence_gives_its_words_without_tokens_and_empty_nodes() -> None:
    sentence = stanza_object(SENTENCE)
    problem = Problem.from_stanza(sentence)
    assert given(problem) == {
        form: (head, label, xpos) for form, (head, label, _, _, xpos, _) in WORDS.items()
    }
    assert problem.id == "s1"
    assert isinstance(problem.origin, ParseOrigin)
    assert "# source = ours" in problem.origin.comments
    known = known_of(problem)
    assert known["Do"] == ("do", "AUX", "VB", "Mood=Imp|VerbForm=Fin", "Gloss=x")
    assert Problem.from_stanza(sentence.doc) == problem


def test_words_without_a_parse_are_a_bag() -> None:
    document = Document([[{"id": 1, "text": "dogs"}, {"id": 2, "text": "bark"}]])
    assert given(Problem.from_stanza(document)) == dict.fromkeys(("dogs", "bark"), (None,) * 3)


def test_a_constituency_tree_does_not_travel() -> None:
    sentence = stanza_object(SENTENCE)
    sentence.add_comment("# constituency = (ROOT (VP (VB ask)))")
    problem = Problem.from_stanza(sentence)
    assert isinstance(problem.origin, ParseOrigin)
    assert not [each for each in problem.origin.comments if "ROOT" in each]


def test_a_document_of_several_sentences_is_refused() -> None:
    document = Document([[{"id": 1, "text": "a"}], [{"id": 1, "text": "b"}]])
    with pytest.raises(ArgumentError, match=r"one sentence, not 2: .*document\.sentences"):
        Problem.from_stanza(document)
    with pytest.raises(ArgumentError, match="one sentence, not 0"):
        Problem.from_stanza(Document([]))


@pytest.mark.parametrize("wrong", ["dogs bark", None, [{"text": "dogs"}]])
def test_other_objects_are_refused(wrong: Any) -> None:
    with pytest.raises(ArgumentError, match="from_stanza takes a Sentence of Stanza, not"):
        Problem.from_stanza(wrong)


def word(**fields: Any) -> Any:
    names = ("text", "head", "deprel", "lemma", "upos", "xpos", "feats", "misc")
    return SimpleNamespace(**{**dict.fromkeys(names), **fields})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"text": "a", "head": "b"}, "the head of word 1 'a' is not an integer: 'b'"),
        ({"text": "a", "xpos": 1}, "the xpos of word 1 'a' is not a string: 1"),
    ],
)
def test_faults_of_words_are_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Problem.from_stanza(SimpleNamespace(words=[word(**fields)], tokens=[]))


def test_a_head_that_is_not_there_is_named() -> None:
    sentence = SimpleNamespace(words=[word(text="a", head=7)], tokens=[])
    with pytest.raises(ProblemError, match="the head of word 1 'a' is 7, out of range"):
        Problem.from_stanza(sentence)
