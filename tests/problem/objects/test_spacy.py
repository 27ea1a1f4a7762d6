"""Sentences of spaCy, built without a trained pipeline."""

from __future__ import annotations

from typing import Any

import pytest
from toys.parses import given

import syntagma
from syntagma import ArgumentError, Problem, ProblemError, SyntagmaWarning
from syntagma.problem.parse import ParseOrigin

pytest.importorskip("spacy", reason="no spaCy: pip install 'syntagma[spacy]'")

from spacy.tokens import Doc
from spacy.vocab import Vocab


def doc(words: str, heads: list[int] | None = None, deps: str = "", **more: Any) -> Any:
    given = {} if heads is None else {"heads": heads, "deps": deps.split()}
    return Doc(Vocab(), words=words.split(" "), **given, **more)


def dogs() -> Any:
    return doc(
        "Old dogs bark",
        [1, 2, 2],
        "amod nsubj ROOT",
        tags=["JJ", "NNS", "VBP"],
        pos=["ADJ", "NOUN", "VERB"],
        lemmas=["old", "dog", "bark"],
        morphs=["", "Number=Plur", ""],
    )


def test_a_doc_gives_tags_arcs_and_labels() -> None:
    problem = Problem.from_spacy(dogs())
    assert given(problem) == {
        "Old": ("dogs", "amod", "JJ"),
        "dogs": ("bark", "nsubj", "NNS"),
        "bark": ("", "root", "VBP"),
    }
    assert isinstance(problem.origin, ParseOrigin)
    assert problem.origin.annotations[-1] == ("dog", "NOUN", "NNS", "Number=Plur", "_")


def test_upos_tags_and_lemmas() -> None:
    assert given(Problem.from_spacy(dogs(), tag_column="upos"))["dogs"][2] == "NOUN"
    lemmas = Problem.from_spacy(dogs(), lemmas=True)
    assert {word.lemma: word.features for word in lemmas.words}["dog"] == "Number=Plur"


def test_one_sentence_of_a_document() -> None:
    two = doc("dogs bark cats sleep", [1, 1, 3, 3], "nsubj ROOT nsubj ROOT")
    first, second = two.sents
    assert given(Problem.from_spacy(second)) == {
        "cats": ("sleep", "nsubj", None),
        "sleep": ("", "root", None),
    }
    for several in (two, two[1:3]):
        with pytest.raises(ArgumentError, match=r"one sentence, not 2: .*doc\.sents"):
            Problem.from_spacy(several)
    assert len(Problem.from_spacy(first).words) == 2


def test_an_arc_out_of_the_span_is_not_given() -> None:
    part = Problem.from_spacy(dogs()[:2])
    assert given(part) == {"Old": ("dogs", "amod", "JJ"), "dogs": (None, None, "NNS")}
    assert part.root == [word.form for word in part.words].index("dogs") + 1


def test_a_document_without_annotation_is_a_bag() -> None:
    assert given(Problem.from_spacy(doc("dogs bark"))) == dict.fromkeys(
        ("dogs", "bark"), (None,) * 3
    )


def test_a_partial_parse() -> None:
    partial = Doc(Vocab(), words=["a", "b", "c"], heads=[1, 1, None], deps=["x", "ROOT", None])
    assert given(Problem.from_spacy(partial)) == {
        "a": ("b", "x", None),
        "b": ("", "root", None),
        "c": (None, None, None),
    }


def test_tokens_of_white_space_are_no_words_and_arcs_skip_them() -> None:
    spaced = Doc(
        Vocab(), words=["dogs", "\n ", "bark"], heads=[1, 2, 2], deps=["nsubj", "dep", "ROOT"]
    )
    assert given(Problem.from_spacy(spaced)) == {
        "dogs": ("bark", "nsubj", None),
        "bark": ("", "root", None),
    }
    below = Doc(Vocab(), words=["dogs", "\n"], heads=[1, 1], deps=["nsubj", "ROOT"])
    assert given(Problem.from_spacy(below)) == {"dogs": (None, None, None)}


def test_merged_tokens_are_phrases() -> None:
    merged = dogs()
    with merged.retokenize() as retokenizer:
        retokenizer.merge(merged[:2])
    assert given(Problem.from_spacy(merged)) == {
        "Old dogs": ("bark", "nsubj", "NNS"),
        "bark": ("", "root", "VBP"),
    }
    wide = Doc(Vocab(), words=["New \n York", "10\u00a0000"])
    assert {word.form for word in Problem.from_spacy(wide).words} == {"New York", "10\u00a0000"}


def test_labels_that_the_model_does_not_know_are_reported_once_and_come_back() -> None:
    """As of spaCy's English pipelines, whose labels are not those of Universal Dependencies."""
    clear = doc(
        "She looked at birds",
        [1, 1, 1, 2],
        "nsubj ROOT prep pobj",
        tags=["PRP", "VBD", "IN", "NNS"],
    )
    en = syntagma.load("en", language_model=False)
    with pytest.warns(SyntagmaWarning, match="does not know the labels pobj, prep") as caught:
        result = en.order(Problem.from_spacy(clear))
    assert len(caught) == 1
    assert sorted(result.deprels) == ["nsubj", "pobj", "prep", "root"]
    back = result.to_spacy()
    assert {token.text: token.head.text for token in back} == {
        token.text: token.head.text for token in clear
    }


@pytest.mark.parametrize("wrong", ["dogs bark", None, ["dogs"], 3])
def test_other_objects_are_refused(wrong: Any) -> None:
    with pytest.raises(ArgumentError, match="from_spacy takes a Span or a Doc of spaCy, not"):
        Problem.from_spacy(wrong)


def test_a_token_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"not an object of type spacy\.tokens\.token\.Token"):
        Problem.from_spacy(dogs()[0])


def test_a_document_without_words_is_empty() -> None:
    for empty in (Doc(Vocab()), Doc(Vocab(), words=["\n"])):
        with pytest.raises(ProblemError, match="empty bag"):
            Problem.from_spacy(empty)
