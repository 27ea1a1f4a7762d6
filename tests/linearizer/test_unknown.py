"""Tags and labels that a model does not know: no influence, one warning, given back unchanged."""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from references.brute_force import random_problem
from toys.edges import train_edges
from toys.models import relist, toy_linearizer
from toys.network import toy_neural_linearizer, universal_linearizer, with_universal_tags
from toys.realizer import toy_realizing_linearizer

from syntagma.errors import SyntagmaWarning
from syntagma.linearizer.inputs import MOST_NAMED
from syntagma.linearizer.linearizer import Linearizer, load
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, violations
from syntagma.transition.training import learn_vocabulary
from syntagma.treebanks.treebank import Sentence

KINDS = ("linear", "neural", "fluent", "dependency", "ccg")


@pytest.fixture(scope="module")
def linearizer(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Linearizer]:
    folder: Path = tmp_path_factory.mktemp("models")
    made: dict[str, Linearizer] = {}

    def make(kind: str) -> Linearizer:
        if kind in ("dependency", "ccg"):
            return load(train_edges(folder, kind), search="best-first")  # type: ignore[arg-type]
        if kind == "fluent":
            return toy_realizing_linearizer("neural")
        return toy_neural_linearizer() if kind == "neural" else toy_linearizer("p16+")

    def get(kind: str) -> Linearizer:
        if kind not in made:
            made[kind] = make(kind)
        return made[kind]

    return get


@contextmanager
def caught() -> Iterator[list[str]]:
    """The warnings of the package as Python shows them: each text once."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield texts
    texts += dict.fromkeys(str(each.message) for each in found)


def in_words_of(linearizer: Linearizer, rng: Random, problem: Problem) -> Problem:
    """The problem in forms, tags and labels of the model; a CCG model takes no arcs."""
    vocabulary = linearizer._model.vocabulary
    forms = [*sorted(vocabulary.forms)[:6], "w1", "w2", "Zorp"]
    words = [
        Word(
            rng.choice(forms),
            rng.choice(vocabulary.tags) if word.tag else None,
            word.head if linearizer.takes_arcs else None,
            None
            if not linearizer.takes_arcs or word.deprel is None
            else word.deprel
            if word.deprel == "root"
            else rng.choice(vocabulary.labels),
        )
        for word in problem.words
    ]
    return replace(problem, words=tuple(words))


def with_unknown(rng: Random, problem: Problem) -> tuple[Problem, Problem]:
    """The problem with some unknown tags and labels, and without any tag or label in their place.

    Without a given head, any label says that a word is not the root, so it stays as it is."""
    given, blank = [], []
    for word in problem.words:
        one = other = word
        if rng.random() < 0.6:
            one = replace(one, tag=rng.choice(("FOO", "BAR", "🏷")))
            other = replace(other, tag=None)
        if one.head is not None and one.deprel != "root" and rng.random() < 0.4:
            one = replace(one, deprel=rng.choice(("SUB", "nsubj:foo")))
            other = replace(other, deprel=None)
        given.append(one)
        blank.append(other)
    return replace(problem, words=tuple(given)), replace(problem, words=tuple(blank))


def seen(result: Linearization) -> object:
    """What the search decided: everything but which of several like words is which."""
    return result.text, result.heads, result.score, result.fluency, result.finished


def order(linearizer: Linearizer, problem: Problem, n_best: int = 3) -> list[Linearization]:
    if linearizer.search == "best-first":
        return linearizer.order(problem, n_best=n_best, expansions=60)
    return linearizer.order(problem, n_best=n_best, beam=4)


@pytest.mark.filterwarnings("ignore::syntagma.SyntagmaWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_the_order_is_that_of_the_problem_without_them(
    kind: str, linearizer: Callable[[str], Linearizer]
) -> None:
    model = linearizer(kind)
    rng = Random(kind)
    for _ in range(40):
        problem = in_words_of(model, rng, random_problem(rng, 7, rng.choice(("none", "exact"))))
        given, blank = with_unknown(rng, problem)
        found, expected = order(model, given), order(model, blank)
        assert list(map(seen, found)) == list(map(seen, expected)), given
        for result, other in zip(found, expected, strict=True):
            assert violations(result) == []
            assert model.spell(result).text == model.spell(other).text
            assert result.model_tags == other.model_tags == other.tags
            known = {*model._model.vocabulary.tags, *model._model.vocabulary.labels, "root"}
            tokens = zip(result.tokens, other.tokens, strict=True)
            for mine, theirs in tokens:
                word = given.words[mine.source - 1]
                assert mine.tag == (word.tag or theirs.tag)
                assert word.deprel in known or word.deprel is None or mine.deprel == word.deprel


def with_foreign_tags(rng: Random, problem: Problem) -> tuple[Problem, Problem]:
    """The problem with unknown tags, UPOS tags and values of features beside known ones, or a UPOS
    tag as the tag, and the problem with what a model reads of them."""
    given, read = [], []
    for word in problem.words:
        one = other = word
        if rng.random() < 0.4:
            one, other = replace(one, tag="Q-NN"), replace(other, tag=None)
        if one.tag is None and one.upos is not None and rng.random() < 0.3:
            one = replace(one, tag=one.upos, upos=None)
        elif rng.random() < 0.2:
            one, other = replace(one, upos="FOO"), replace(other, upos=None)
        if one.features and rng.random() < 0.4:
            one = replace(one, features=f"{one.features}|Odd=Yes|lin=+1")
        elif one.features != "" and rng.random() < 0.2:
            one, other = replace(one, features="Odd=Yes"), replace(other, features=None)
        given.append(one)
        read.append(other)
    return replace(problem, words=tuple(given)), replace(problem, words=tuple(read))


@pytest.mark.filterwarnings("ignore::syntagma.SyntagmaWarning")
def test_known_tags_and_features_count_whatever_is_unknown_beside_them() -> None:
    """A known UPOS tag with an unknown tag gives what the UPOS tag alone gives, and so on."""
    model = universal_linearizer()
    rng = Random("universal")
    differ = 0
    for _ in range(60):
        plain = in_words_of(model, rng, random_problem(rng, 7, rng.choice(("none", "exact"))))
        given, read = with_foreign_tags(rng, with_universal_tags(rng, plain))
        found, expected = order(model, given), order(model, read)
        assert list(map(seen, found)) == list(map(seen, expected)), given
        assert [each.model_tags for each in found] == [each.model_tags for each in expected]
        for result in found:
            assert violations(result) == []
        listing = rng.sample(range(len(given.words)), len(given.words))
        [again] = order(model, relist(given, listing), 1)
        assert seen(again) == seen(found[0])
        differ += seen(order(model, plain, 1)[0]) != seen(found[0])
    assert differ > 30


@pytest.mark.filterwarnings("ignore::syntagma.SyntagmaWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_models_that_read_neither_upos_tags_nor_features_are_as_if_there_were_none(
    kind: str, linearizer: Callable[[str], Linearizer]
) -> None:
    """To the last bit, and to which of several like words is which."""
    model = linearizer(kind)
    rng = Random(kind)
    for _ in range(20):
        plain = in_words_of(model, rng, random_problem(rng, 7, rng.choice(("none", "exact"))))
        like = [rng.choice(plain.words[:2]) for _ in plain.words]  # many words that are alike
        alike = replace(plain, words=tuple(replace(w, head=None, deprel=None) for w in like))
        for problem in (plain, alike):
            given = with_universal_tags(rng, problem)
            if kind == "ccg":  # its tags are UPOS tags
                given = replace(given, words=tuple(replace(w, upos=None) for w in given.words))
            found, expected = order(model, given), order(model, problem)
            assert [(each.tokens, each.score) for each in found] == [
                (each.tokens, each.score) for each in expected
            ]


def test_tags_of_the_model_are_upos_tags() -> None:
    """To a model that has learned from UPOS tags, a UPOS tag is the tag wherever it is given."""
    vocabulary = learn_vocabulary(
        [
            Sentence(
                ("a", "dog", "barks"), ("DET", "NOUN", "VERB"), (2, 3, 0), ("det", "nsubj", "root")
            )
        ]
    )
    for word in (Word("dog", "NOUN"), Word("dog", upos="NOUN"), Word("dog", "NN", upos="NOUN")):
        assert vocabulary.as_known(word) == Word("dog", "NOUN")
        assert vocabulary.tag_of(word, 0) == "NOUN"
    assert vocabulary.as_known(Word("dog", "DET", upos="NOUN")) == Word("dog", "DET")
    assert vocabulary.unknown_upos([Word("dog", upos="NOUN")]) == []


def test_unknown_upos_tags_and_features_are_said_once() -> None:
    model = universal_linearizer()
    words = [Word("w1", upos="FOO"), Word("w2", features="Odd=Yes"), Word("w3", upos="NOUN")]
    with caught() as texts:
        for _ in range(2):
            model.order(words)
    assert len(texts) == 2
    assert texts[0].startswith("the model toy does not know the tag FOO and orders as if it was ")
    assert "it reads the UPOS tags ADJ, NOUN, PUNCT, …" in texts[0]
    assert texts[1].startswith("the model toy does not know the feature Odd=Yes and orders as if ")
    with caught() as texts:  # values that only some treebanks have are no news beside others
        model.order([Word("w1", features="Odd=Yes"), Word("w2", features="Case=Nom")])
        model.order([Word("w1", "NOUN"), Word("w2", "Q-NN", upos="VERB")])
        toy_neural_linearizer().order([Word("w1", model.tags[0], upos="NOUN", features="Odd=Yes")])
    assert len(texts) == 1
    assert texts[0].startswith("the model toy does not know the tag Q-NN and orders as if it was ")
    assert " or UPOS tags; give those" in texts[0]
    with caught() as texts:
        toy_neural_linearizer().order([Word("w1", upos="NOUN")])
    assert len(texts) == 1
    assert "NOUN is a UPOS tag, but the model reads XPOS tags" in texts[0]


@pytest.mark.filterwarnings("ignore::syntagma.SyntagmaWarning")
@pytest.mark.parametrize("kind", ["linear", "neural", "dependency"])
def test_the_listing_does_not_matter(kind: str, linearizer: Callable[[str], Linearizer]) -> None:
    """Also not for words that only unknown tags tell apart."""
    model = linearizer(kind)
    rng = Random(7)
    for _ in range(30):
        problem, _ = with_unknown(rng, random_problem(rng, 6))
        words = [replace(word, form=rng.choice(("a", "b"))) for word in problem.words]
        problem = replace(problem, words=tuple(words))
        listing = rng.sample(range(len(words)), len(words))
        [one], [other] = order(model, problem, 1), order(model, relist(problem, listing), 1)
        assert [(t.form, t.tag, t.head, t.deprel) for t in one.tokens] == [
            (t.form, t.tag, t.head, t.deprel) for t in other.tokens
        ]


@pytest.mark.filterwarnings("ignore::syntagma.SyntagmaWarning")
@pytest.mark.parametrize("kind", ["linear", "neural"])
def test_scores_of_given_orders(kind: str, linearizer: Callable[[str], Linearizer]) -> None:
    model = linearizer(kind)
    rng = Random(9)
    for _ in range(20):
        given, blank = with_unknown(rng, random_problem(rng, 6))
        found = order(model, given, 1)[0]
        for asked in (found.order, found.words):
            one, other = model.score(given, asked), model.score(blank, asked)
            assert seen(one) == seen(other)
            assert violations(one) == []
        assert model.score(given, found.order).order == found.order


def test_an_unknown_label_without_a_head_still_is_not_the_root(
    linearizer: Callable[[str], Linearizer],
) -> None:
    problem = Problem.of([Word("a", deprel="SUB"), Word("b", deprel="OBJ"), "c"])
    for kind in ("linear", "neural", "dependency"):
        with pytest.warns(SyntagmaWarning, match="does not know the label"):
            [result] = order(linearizer(kind), problem, 1)
        assert violations(result) == []


def test_realization_keeps_tags_that_only_inflection_uses() -> None:
    words = [
        Word(lemma="apple", tag="NOUN", head=2, deprel="nsubj", features="Number=Plur"),
        Word(lemma="fall", tag="VERB", head=0, features="Tense=Past|VerbForm=Fin"),
    ]
    result = load("en").realize(words)
    assert result.text == "Apples fell"
    assert result.linearization.tags == ("NOUN", "VERB")


# ---- warnings --------------------------------------------------------------------------------


def test_a_upos_tag_is_named_with_the_model_and_what_would_help() -> None:
    model = toy_linearizer()
    with caught() as texts:
        result = model.order([Word("w1", "NOUN"), Word("w2", "NN")])
    assert texts == [
        "the model toy does not know the tag NOUN and orders as if it was not given: NOUN is a "
        "UPOS tag, but the model reads XPOS tags (JJ, NN, VB); give those, leave the tag out, or "
        "train a model on UPOS tags (syntagma train --tag-column upos)"
    ]
    assert set(result.tags) == {"NOUN", "NN"}


def test_other_tags_and_labels() -> None:
    model = toy_linearizer()
    words = [Word("w1", tag, 5, "SUB") for tag in ("D", "A", "C", "B")]
    with caught() as texts:
        model.order([*words, Word("w2", "NN", 0, "ROOT")])
    tags, labels = texts
    assert "does not know the tags A, B, C and 1 more and orders as if they were not" in tags
    assert "it reads XPOS tags (JJ, NN, VB)" in tags
    assert "does not know the label SUB and orders as if it was not given (arcs are kept)" in labels


def test_known_tags_and_the_label_of_the_root_give_no_warning() -> None:
    model = toy_linearizer()
    with caught() as texts:
        model.order([Word("w1", "NN", 0, "root"), Word("w2", "VB", 1, "nsubj"), "w3"])
        model.order([Word("w1", "NN", 0, "ROOT"), "w3"])
    assert texts == []


def test_a_stream_repeats_one_warning() -> None:
    """Whichever of the tags each problem has, as long as they were named."""
    for threads in (1, 2):
        model = toy_linearizer()
        bags = [[Word("w1", tag), Word("w2", "NOUN")] for tag in ("VERB", "NOUN", "ADJ") * 5]
        with caught() as texts:
            list(model.order_many(bags, threads=threads))
        assert len(texts) == 1
        with caught() as again:
            model.order(bags[0])
        assert again == texts


def test_a_tag_that_no_warning_named_is_named_in_the_next() -> None:
    model = toy_linearizer()
    for tag in ("NOUN", "VERB", "ZZ", "NOUN"):
        with pytest.warns(SyntagmaWarning, match=f"the tag {tag} and"):
            model.order([Word("w1", tag)])


def test_as_an_error_it_stops_the_stream() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", SyntagmaWarning)
        for threads in (1, 2):
            results = toy_linearizer().order_many([["w1"], [Word("w1", "NOUN")]], threads=threads)
            with pytest.raises(SyntagmaWarning):
                list(results)


def test_only_so_many_names_are_kept_and_the_last_warning_says_so() -> None:
    model = copy(toy_linearizer())
    with caught() as texts:
        for number in range(MOST_NAMED + 50):
            model.order([Word("w1", f"Q{number}")])
    assert len(texts) == MOST_NAMED + 1
    assert texts[-1] == (
        "the model toy does not know further tags (1,000 names were shown before) and "
        "orders as if they were not given: it reads XPOS tags (JJ, NN, VB); give those, leave the "
        "tag out, or train a model on a treebank with your tags"
    )
    with caught() as texts:
        model.order([Word("w1", "Q999999"), Word("w2", "Q7", 1, "ODD")])
        model.order([Word("w1", "NOUN")])
    named, labels, foreign = texts
    assert "does not know the tag Q7 and" in named
    assert "does not know further labels (1,000 names were shown before) and" in labels
    assert "as if they were not given: it reads XPOS tags (JJ, NN, VB); give those" in foreign


def test_long_and_unprintable_names_are_shortened_and_escaped() -> None:
    with caught() as texts:
        toy_linearizer().order([Word("w1", "Q" * 9_000), Word("w2", "A\x1b[2J\u202e\u2066B\x9b")])
    [text] = texts
    assert f"the tags A\\x1b[2J\\u202e\\u2066B\\x9b, {'Q' * 79}… and orders" in text
    assert len(text) < 400


@pytest.mark.filterwarnings("ignore::syntagma.SyntagmaWarning")
@pytest.mark.parametrize("field", ["tag", "deprel", "features", "upos", "form", "lemma"])
def test_long_names_of_requests_are_not_kept(field: str) -> None:
    """Neither with warnings nor in a cache: 16 MB of text leave less than 2 MB behind."""
    model = toy_realizing_linearizer("neural")
    rng = Random(field)

    def order() -> None:
        text = f"Odd={rng.randrange(10**8)}" + "x" * 9_980
        text = text if field == "features" else text.replace("=", "-")
        odd: dict[str, Any] = {"form": "w1", field: text}
        words = [Word(**odd), Word("w2", head=1), Word("w3")]
        if field == "lemma":
            model.realize([Word(lemma=text, tag="NN"), Word("w2", head=1)], beam=1)
        else:
            model.spell(model.order(words, beam=1))

    order()
    tracemalloc.start()
    try:
        for _ in range(400):
            order()
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept < 2 << 20


def test_copies_have_warnings_of_their_own() -> None:
    """So that no user of a server reads the tags of another one."""
    model = toy_linearizer()
    with caught():
        copy(model).order([Word("w1", "SECRET"), Word("w2", "OTHER")])
    with caught() as texts:
        copy(model).order([Word("w1", "OTHER")])
    [text] = texts
    assert "the tag OTHER and" in text
    assert "SECRET" not in text
