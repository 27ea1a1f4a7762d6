"""Sentences that the shipped model makes of English lemmas."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from syntagma.cli.app import run
from syntagma.errors import ProblemError
from syntagma.formats.conllu import read_conllu
from syntagma.linearizer.linearizer import Linearizer, load
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word


@cache
def en(language_model: bool = True) -> Linearizer:
    return load("en", language_model=language_model)


def tree(text: str) -> list[Word]:
    """Words as `mouse;NNS;2;nsubj;Number=Plur`; an empty field is not given."""
    words = []
    for each in text.split():
        lemma, tag, head, deprel, features = (each + ";;;;").split(";")[:5]
        words.append(
            Word(
                lemma=lemma,
                tag=tag or None,
                head=int(head) if head else None,
                deprel=deprel or None,
                features=features or None,
            )
        )
    return words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("she;PRP;2;nsubj sing;VBD;0;root a;DT;4;det song;NN;2;obj", "She sang a song"),
        ("he;PRP;2;nsubj fix;VBZ;0;root it;PRP;2;obj", "He fixes it"),
        ("they;PRP;2;nsubj tweet;VBD;0;root", "They tweeted"),
        ("we;PRP;2;nsubj swim;VBD;0;root", "We swam"),
        ("the;DT;2;det hero;NNS;3;nsubj drink;VBD;0;root", "The heroes drank"),
        ("the;DT;2;det Smith;NNPS;3;nsubj arrive;VBD;0;root", "The Smiths arrived"),
        ("the;DT;2;det mouse;NNS;4;nsubj be;VBD;4;cop small;JJ;0;root", "The mice were small"),
        ("the;DT;2;det mouse;NN;4;nsubj be;VBD;4;cop small;JJ;0;root", "The mouse was small"),
        ("I;PRP;2;nsubj eat;VBD;0;root a;DT;4;det apple;NN;2;obj", "I ate an apple"),
    ],
)
@pytest.mark.parametrize("language_model", [True, False])
def test_sentences(text: str, expected: str, language_model: bool) -> None:
    assert en(language_model).realize(tree(text)).text == expected


UNIVERSAL = (
    "she;PRON;2;nsubj;Case=Nom eat;VERB;0;root;Mood=Ind|Tense=Past|VerbForm=Fin"
    " the;DET;4;det apple;NOUN;2;obj;Number=Plur",
    "I;PRON;2;nsubj eat;VERB;0;root;Tense=Past a;DET;4;det apple;NOUN;2;obj;Number=Sing",
    "the;DET;2;det mouse;NOUN;4;nsubj;Number=Plur be;AUX;4;cop;Tense=Pres small;ADJ;0;root",
    "the;DET;2;det dog;NOUN;3;nsubj;Number=Sing bark;VERB;0;root;Tense=Pres|VerbForm=Fin",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    list(
        zip(
            UNIVERSAL,
            ("She ate the apples", "I ate an apple", "The mice are small", "The dog barks"),
            strict=True,
        )
    ),
)
def test_universal_tags_serve_as_well_and_need_no_warning(text: str, expected: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert en().realize(tree(text)).text == expected


OPEN = (
    (
        "200;NUM;2;nummod worker;NOUN;3;nsubj strike;VERB;0;root",
        ("200 workers struck", "200 workers strike"),
    ),
    (
        "she;PRON;2;nsubj buy;VERB;0;root five;NUM;4;nummod apple;NOUN;2;obj",
        ("She bought five apples",),
    ),
    (
        "the;DET;3;det good;ADJ;3;amod film;NOUN;0;root"
        " of;ADP;6;case the;DET;6;det year;NOUN;3;nmod",
        ("The best film of the year",),
    ),
    (
        "she;PRON;3;nsubj be;AUX;3;cop tall;ADJ;0;root than;ADP;5;case I;PRON;3;obl",
        ("She was taller than I", "She is taller than I"),
    ),
)


@pytest.mark.parametrize(("text", "expected"), OPEN)
@pytest.mark.parametrize("in_place_of_the_tag", [True, False])
def test_upos_tags_without_features_leave_number_and_degree_open(
    text: str, expected: tuple[str, ...], in_place_of_the_tag: bool
) -> None:
    words = tree(text)
    if not in_place_of_the_tag:
        words = [replace(word, tag=None, upos=word.tag) for word in words]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert en().realize(words).text in expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "the;;2;det boy;;3;nsubj kick;;0;root the;;5;det ball;;3;obj",
            {"The boy kicks the ball", "The boy kicked the ball", "The boys kick the ball"},
        ),
        (
            "two;;2;nummod woman;;3;nsubj sing;;0;root a;;5;det song;;3;obj",
            {"Two women sang a song", "Two women sing a song"},
        ),
        (
            "the;;2;det plant;;3;nsubj plant;;0;root a;;5;det plant;;3;obj",
            {"The plants planted a plant", "The plant planted a plant", "The plants plant a plant"},
        ),
        (
            "the;;2;det dog;;3;nsubj be;;0;root here;;3;advmod",
            {"The dog is here", "The dog was here", "The dogs are here"},
        ),
        (
            "the;;2;det cat;;3;nsubj love;;0;root fish;;3;obj",
            {"The cat loves fish", "The cat loved fish", "The cats love fish"},
        ),
    ],
)
@pytest.mark.parametrize("language_model", [True, False])
def test_labels_tell_the_word_class_and_verbs_agree(
    text: str, expected: set[str], language_model: bool
) -> None:
    words = tree(text)
    assert en(language_model).realize(words).text in expected
    if language_model:
        assert expected >= {each.text for each in en().realize(words, n_best=2)}


def test_the_example_of_the_help() -> None:
    assert en().realize(["bark", "dog", "the"]).text == "The dog barked"
    assert en().realize(["she", "sing", "a", "song"]).text == "She sang a song"


def test_no_text_is_listed_twice() -> None:
    words = [Word("dogs"), Word(lemma="dog", tag="NNS"), Word(lemma="bark", tag="VBD")]
    found = [each.text for each in en().realize(words, n_best=3)]
    assert len(set(found)) == len(found) == 3
    assert en().realize(words).text == found[0]


def test_misspellings_are_not_offered() -> None:
    for tag in ("NN", None):
        assert all(
            each.words[0].lower() in ("dog", "dogs")
            for each in en().realize([Word(lemma="dog", tag=tag)], n_best=10)
        )


def test_empty_features_of_all_words_are_features_that_are_not_given() -> None:
    """As in CoNLL-U with `_` in the column FEATS."""
    words = [
        Word(lemma="dog", upos="NOUN", head=2, deprel="nsubj"),
        Word(lemma="chase", upos="VERB", head=0),
        Word(lemma="cat", upos="NOUN", head=2, deprel="obj"),
    ]
    empty = [replace(word, features="") for word in words]
    assert en().realize(empty).text == en().realize(words).text != "Dog chase cat"


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("Tense=Fut", r"word 2 'kick' has Tense=Fut, for which .*: give an auxiliary such as will"),
        ("Mood=Cnd", r"word 2 'kick' has Mood=Cnd"),
        ("Aspect=Prog|Tense=Pres", r"word 2 'kick' has Aspect=Prog"),
        ("Tense=Past|VerbForm=Fin|Voice=Pass", r"word 2 'kick' has Voice=Pass"),
        ("Voice=Pass", r"word 2 'kick' has Voice=Pass"),
    ],
)
@pytest.mark.parametrize("tag", [None, "VERB"])
def test_features_without_a_form_are_refused(features: str, message: str, tag: str | None) -> None:
    words = tree("boy;NNS;2;nsubj;Number=Plur kick;;0;root ball;NN;2;obj")
    words[1] = replace(words[1], tag=tag, features=features)
    with pytest.raises(ProblemError, match=message) as refused:
        en().realize(words)
    assert refused.value.field == "words[1].features"
    words[1] = replace(words[1], form="kick")
    assert "kick" in en().realize(words).words


def test_auxiliaries_that_are_given_make_such_forms() -> None:
    text = "boy;NNS;3;nsubj will;MD;3;aux;Tense=Fut kick;VERB;0;root;VerbForm=Inf ball;NN;3;obj"
    assert en().realize(tree(text)).text in ("Boys will kick ball", "Boys'll kick ball")
    text = "ball;NNS;3;nsubj:pass be;AUX;3;aux:pass kick;VERB;0;root;Voice=Pass"
    assert en().realize(tree(text)).words[-1] == "kicked"


@pytest.mark.parametrize(
    ("lemma", "features"), [("he", "Case=Gen"), ("they", "Case=Dat"), ("this", "Number=Dual")]
)
def test_features_that_no_form_of_a_pronoun_has_are_refused(lemma: str, features: str) -> None:
    with pytest.raises(ProblemError, match=f"word 1 '{lemma}' has {features}, which none of its"):
        en().realize([Word(lemma=lemma, tag="PRON", features=features)])


@pytest.mark.parametrize("operation", ["order", "score"])
def test_lemmas_of_conllu_without_forms_are_not_ordered(operation: str) -> None:
    lines = [
        "1\t_\teat\tVERB\tVBD\tTense=Past\t0\troot\t_\t_",
        "2\t_\tchild\tNOUN\tNNS\t_\t1\tnsubj\t_\t_",
    ]
    (problem,) = read_conllu(lines, "f.conllu")
    assert isinstance(problem, Problem)
    with pytest.raises(ProblemError, match=r"word 1 'eat' has a lemma but no form: .* realize"):
        en().order(problem) if operation == "order" else en().score(problem, [2, 1])
    assert en().realize(problem).text == "Children ate"


def test_a_file_of_lemmas_is_not_ordered(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(Path(__file__).parents[2] / "examples/lemmas.conllu")
    assert run(["order", "--file", path]) == 2
    assert "word 1 'eat' has a lemma but no form" in capsys.readouterr().err
    assert run(["realize", "--file", path]) == 0
    assert capsys.readouterr().out == "The children ate an apple.\nA bird sang in the tree.\n"
