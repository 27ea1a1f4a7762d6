"""The realizer: lemmas get forms to choose from, given forms stay, nothing is lost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syntagma.errors import ModelError, TrainingError
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative, Word
from syntagma.realization.inflection import MAX_FORMS
from syntagma.realization.realizer import Realizer
from syntagma.realization.training import inflect_sentence, learn_realizer, neutral_forms
from syntagma.results.spelling import Contraction, Spelling
from syntagma.treebanks.treebank import Sentence


def sentence(words: str, spelling: Spelling | None = None) -> Sentence:
    """Words as `wugs/wug/NNS/Number=Plur`, each the dependent of the one before."""
    rows = [(word + "///").split("/")[:4] for word in words.split()]
    forms, lemmas, tags, features = (tuple(row[i] for row in rows) for i in range(4))
    return Sentence(
        forms,
        tags,
        tuple(range(len(rows))),
        ("dep",) * len(rows),
        "s1",
        lemmas=lemmas,
        features=features,
        spelling=spelling,
    )


TREEBANK = [
    sentence("The/the/D/ wugs/wug/N/Number=Plur plogged/plog/V/Tense=Past ././P/"),
    sentence("Wugs/wug/N/Number=Plur dived/dive/V/Tense=Past ././P/"),
    *[sentence('"/"/P/ Tove/Tove/N/Number=Sing dove/dive/V/Tense=Past "/"/P/')] * 3,
    *[
        sentence(
            "de/de/A/ le/le/D/ wug/wug/N/Number=Sing",
            Spelling((False, True, False), (Contraction(1, 2, "du"),)),
        )
    ]
    * 2,
]
REALIZER = learn_realizer(TREEBANK, "")

lemma = st.one_of(
    st.sampled_from(["wug", "Wug", "plog", "dive", "Tove", "zorp", "the", "😀", "字", "in spite"]),
    st.text("abÄß'1", min_size=1, max_size=4),
)
tag = st.sampled_from([None, "N", "V", "UNSEEN"])
features = st.sampled_from([None, "", "Number=Plur", "Tense=Past", "Tense=Past|Zorp=1"])
to_inflect = st.builds(lambda a, b, c: Word(lemma=a, tag=b, features=c), lemma, tag, features)
given_form = st.builds(lambda a, b, c: Word(a, tag=b, lemma=c), lemma, tag, st.none() | lemma)
problem = st.lists(to_inflect | given_form, min_size=1, max_size=6).map(Problem.of)


# Training


@pytest.mark.parametrize("words", ["", "wugs//N/Number=Plur plogged//V/"])
def test_a_treebank_needs_lemmas(words: str) -> None:
    with pytest.raises(TrainingError, match=r"no lemmas.* leave out realize .*, or use a treebank"):
        learn_realizer([sentence(words)] * 3, "en")


def test_a_corpus_without_lemmas_is_refused_as_a_treebank_without() -> None:
    """Sentences of a CCGbank have none at all."""
    with pytest.raises(TrainingError, match="no lemmas"):
        learn_realizer([Sentence(("wugs", "plog"), ("N", "V"), (2, 0), ("x", "root"))], "en")
    with pytest.raises(TrainingError, match="no lemmas"):
        learn_realizer([], "en")


def test_a_single_lemma_is_enough() -> None:
    realizer = learn_realizer([sentence("wugs//N/ plogged/plog/V/")], "")
    _, alternatives = realizer.inflect(Problem.of([Word(lemma="plog", tag="V")]))
    assert alternatives == ((Alternative("plogged", "Plogged", 0.0),),)


def test_spelling_is_learned_too() -> None:
    forms = ["de", "le", "plog", "."]
    assert REALIZER.detokenizer.spell(forms).text(forms) == "du plog."


def test_a_treebank_may_say_nothing_of_spelling() -> None:
    realizer = learn_realizer([sentence("wugs/wug/N/ ././P/")], "")
    forms = ["wugs", "de", "le", "."]
    assert realizer.detokenizer.spell(forms).text(forms) == "wugs de le."


@pytest.mark.parametrize("language", ["en", "EN", "English", "english"])
def test_names_of_english(language: str) -> None:
    realizer = learn_realizer(TREEBANK, language)
    assert realizer.inflector.english
    assert Realizer.from_arrays(realizer.to_arrays(), language).inflector.english


@pytest.mark.parametrize("language", ["", "de", "German", "fr", "enm", "ang", "Old English"])
def test_other_languages_are_not_english(language: str) -> None:
    realizer = learn_realizer(TREEBANK, language)
    assert not realizer.inflector.english
    assert not Realizer.from_arrays(realizer.to_arrays(), language).inflector.english


def test_only_english_has_rules_of_its_own() -> None:
    lemmas = Problem.of([Word(lemma="sing", tag="VBD")])
    for language, expected in (("en", "sang"), ("de", "sing")):
        found, _ = learn_realizer(TREEBANK, language).inflect(lemmas)
        assert found.words[0].form == expected


# Problems


def test_the_forms_of_a_lemma_are_its_alternatives() -> None:
    lemmas = Problem.of([Word(lemma="dive", tag="V", features="Tense=Past")])
    found, alternatives = REALIZER.inflect(lemmas)
    assert alternatives == (
        (
            Alternative("dove", "Dove", math.log(3 / 4)),
            Alternative("dived", "Dived", math.log(1 / 4)),
        ),
    )
    assert found.words == (Word("dove", lemma="dive", tag="V", features="Tense=Past"),)


@pytest.mark.parametrize(
    ("word", "text", "initial"),
    [
        (Word(lemma="wug", tag="N", features="Number=Plur"), "wugs", "Wugs"),
        (Word(lemma="plog"), "plogged", "Plogged"),
        (Word(lemma="Tove", tag="N", features="Number=Sing"), "Tove", "Tove"),
        (Word(lemma="zorp"), "zorp", "Zorp"),
        (Word(lemma="ßug"), "ßug", "ßug"),
        (Word(lemma="字"), "字", "字"),
        (Word(lemma='"', tag="P", features=""), '"', '"'),
    ],
)
def test_a_lemma_with_one_form_has_one_alternative(word: Word, text: str, initial: str) -> None:
    found, alternatives = REALIZER.inflect(Problem.of([word]))
    assert alternatives == ((Alternative(text, initial, 0.0),),)
    assert found.words[0].form == text


@pytest.mark.parametrize(
    "word",
    [
        Word("wugs"),
        Word("wugz", tag="N", lemma="wug", features="Number=Plur"),
        Word("in spite of"),
        Word("PLOGS", lemma="dive"),
    ],
)
def test_a_form_that_is_given_stays(word: Word) -> None:
    """Also as the first word of a sentence."""
    found, alternatives = REALIZER.inflect(Problem.of([word]))
    assert alternatives == ((Alternative(word.form, word.form, 0.0),),)
    assert found.words == (word,)


def test_whatever_else_is_given_stays() -> None:
    lemmas = Problem(
        (
            Word(lemma="wug", tag="N", head=2, deprel="nsubj", features="Number=Plur"),
            Word("plog", tag="V", head=0, deprel="root"),
        ),
        before=((1, 2),),
        first=1,
        last=2,
        id="s7",
        origin="here",
    )
    found, _ = REALIZER.inflect(lemmas)
    assert found == Problem(
        (
            Word("wugs", "N", 2, "nsubj", "wug", "Number=Plur"),
            Word("plog", "V", 0, "root"),
        ),
        before=((1, 2),),
        first=1,
        last=2,
        id="s7",
    )
    assert found.origin == "here"


@given(problem)
@settings(max_examples=60)
def test_every_word_has_alternatives(lemmas: Problem) -> None:
    """The first one is its form; only lemmas to be inflected have several."""
    found, alternatives = REALIZER.inflect(lemmas)
    assert len(found.words) == len(alternatives) == len(lemmas.words)
    for before, after, forms in zip(lemmas.words, found.words, alternatives, strict=True):
        assert 1 <= len(forms) <= MAX_FORMS
        assert after.form == forms[0].text
        assert (after.lemma, after.tag, after.features) == (
            before.lemma,
            before.tag,
            before.features,
        )
        if before.form:
            assert forms == (Alternative(before.form, before.form),)
        else:
            assert before.lemma is not None
            tag = before.tag if REALIZER.inflector.knows(before.tag) else None
            expected = REALIZER.inflector.forms(before.lemma, tag, before.features)
            assert [(each.text, each.log_share) for each in forms] == [
                (each.text, each.log_share) for each in expected
            ]
            assert all(each.initial[1:] == each.text[1:] for each in forms)


@given(problem)
@settings(max_examples=30)
def test_what_is_inflected_is_not_inflected_again(lemmas: Problem) -> None:
    found, _ = REALIZER.inflect(lemmas)
    again, alternatives = REALIZER.inflect(found)
    assert again == found
    assert all(len(forms) == 1 for forms in alternatives)


# Sentences


def test_a_sentence_has_the_likeliest_forms() -> None:
    spelling = Spelling((True, True, False, False))
    gold = sentence("Wugs/wug/N/Number=Plur dived/dive/V/Tense=Past Tove//N/ ././P/", spelling)
    found = inflect_sentence(REALIZER, gold)
    assert found.forms == ("wugs", "dove", "Tove", ".")
    assert (found.tags, found.heads, found.deprels, found.id) == (
        gold.tags,
        gold.heads,
        gold.deprels,
        gold.id,
    )
    assert (found.lemmas, found.features) == (gold.lemmas, gold.features)
    assert found.spelling == spelling


def test_words_without_lemma_stay_as_they_are() -> None:
    gold = sentence("Dived//V/Tense=Past WUGS//N/Number=Plur plog/plog/V/Tense=Past")
    assert inflect_sentence(REALIZER, gold).forms == ("Dived", "WUGS", "plogged")


def test_a_sentence_of_the_treebank_is_in_neutral_case() -> None:
    assert inflect_sentence(REALIZER, TREEBANK[0]).forms == ("the", "wugs", "plogged", ".")
    unambiguous = [TREEBANK[0], TREEBANK[-1]]
    for gold in unambiguous:
        assert inflect_sentence(REALIZER, gold).forms == neutral_forms(gold)


annotated = st.lists(
    st.tuples(lemma, st.just("") | lemma, st.sampled_from(["N", "V", "UNSEEN"])),
    min_size=1,
    max_size=5,
)


@given(annotated)
@settings(max_examples=30)
def test_sentences_and_problems_are_inflected_alike(rows: list[tuple[str, str, str]]) -> None:
    forms, lemmas, tags = zip(*rows, strict=True)
    features = ("",) * len(rows)
    heads = tuple(range(len(rows)))
    gold = Sentence(forms, tags, heads, ("x",) * len(rows), lemmas=lemmas, features=features)
    words = [
        Word(lemma=lemma, tag=tag, features="") if lemma else Word(form, tag)
        for form, lemma, tag in rows
    ]
    found, _ = REALIZER.inflect(Problem.of(words))
    assert inflect_sentence(REALIZER, gold).forms == tuple(word.form for word in found.words)


# Arrays


@given(problem)
@settings(max_examples=30)
def test_arrays_give_back_the_same_realizer(lemmas: Problem) -> None:
    again = Realizer.from_arrays(REALIZER.to_arrays(), "")
    assert again.inflect(lemmas) == REALIZER.inflect(lemmas)
    forms = [*(word.name for word in lemmas.words), "de", "le", "."]
    assert again.detokenizer.spell(forms) == REALIZER.detokenizer.spell(forms)


def test_arrays_are_as_they_were() -> None:
    arrays = REALIZER.to_arrays()
    again = Realizer.from_arrays(arrays, "").to_arrays()
    assert {name: array.tobytes() for name, array in again.items()} == {
        name: array.tobytes() for name, array in arrays.items()
    }
    assert arrays.keys() >= Realizer.SECTIONS


@pytest.mark.parametrize("name", sorted(Realizer.SECTIONS))
def test_every_section_is_needed_and_checked(name: str) -> None:
    arrays = REALIZER.to_arrays()
    with pytest.raises(ModelError):
        Realizer.from_arrays({key: arrays[key] for key in arrays if key != name}, "")
    damaged = np.full(4, 255, np.uint8)
    with pytest.raises(ModelError):
        Realizer.from_arrays({**arrays, name: damaged}, "").inflect(Problem.of([Word(lemma="a")]))


def test_features_count_as_given_if_any_word_has_some() -> None:
    def diving(first: str | None, second: str | None) -> Problem:
        return Problem((Word(lemma="dive", features=first), Word(lemma="wug", features=second)))

    open_ = diving(None, None)
    for features in (diving("", ""), diving("", None), open_):
        assert REALIZER.as_given(features) == open_
    some = diving("", "Number=Plur")
    assert REALIZER.as_given(some) is some
    without = learn_realizer([sentence("wugs/wug/N/ dived/dive/V/")] * 2, "")
    assert without.as_given(open_) == diving("", "")
