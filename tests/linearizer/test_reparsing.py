"""Trees of realized sentences are parsed again: what is given stays, and so do order and score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from syntagma.linearizer.linearizer import Linearizer, load
from syntagma.linearizer.reparsing import Parsing, reparse
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, Token, violations

WORDS = Problem.of([Word("barked", tag="VBD"), Word("dog"), Word("the", head=2, deprel="det")])
FOUND = Linearization(
    (
        Token("the", "DT", 2, "det", 3),
        Token("dog", "NN", 3, "obj", 2),
        Token("barked", "VBD", 0, "root", 1),
    ),
    -1.0,
    WORDS,
)
ORDER = (3, 2, 1)


@pytest.fixture(scope="module")
def en() -> Linearizer:
    return load("en")


def as_subject(tree: Linearization) -> Linearization:
    the, dog, barked = tree.tokens
    return replace(tree, tokens=(the, replace(dog, deprel="nsubj"), barked), score=-9.0)


def test_arcs_are_found_first_then_labels() -> None:
    asked: list[Parsing] = []

    def parse(sentences: Sequence[Parsing]) -> list[Linearization | None]:
        asked.extend(sentences)
        return [as_subject(FOUND) for _ in sentences]

    [tree] = reparse([(FOUND, WORDS)], parse)
    assert tree.deprels == ("det", "nsubj", "root")
    assert (tree.score, tree.words, tree.narrowed) == (FOUND.score, FOUND.words, False)
    (first, order), (second, again) = asked
    assert order == again == ORDER
    assert first == WORDS
    assert [word.head for word in second.words] == [0, 1, 2]


def test_a_tree_that_is_given_needs_one_search() -> None:
    given = replace(
        WORDS,
        words=tuple(
            replace(word, head=head) for word, head in zip(WORDS.words, (0, 1, 2), strict=True)
        ),
    )
    counts: list[int] = []

    def parse(sentences: Sequence[Parsing]) -> list[Linearization | None]:
        counts.append(len(sentences))
        return [as_subject(FOUND) for _ in sentences]

    assert reparse([(FOUND, given)], parse)[0].deprels[1] == "nsubj"
    assert counts == [0, 1]


@pytest.mark.parametrize("searches", [0, 1])
def test_a_result_is_narrowed_when_time_is_up(searches: int) -> None:
    left = [as_subject(FOUND)] * searches

    def parse(sentences: Sequence[Parsing]) -> list[Linearization | None]:
        return [left.pop() if left else None for _ in sentences]

    [tree] = reparse([(FOUND, WORDS)], parse)
    assert tree == replace(FOUND, narrowed=True)


# Sentences of the shipped model

PAST = ("VBD", "VBN")
LISTS = (
    *("dog bark the", "the dog love I", "she sing a song", "he go to school every day"),
    *("old woman read book", "police arrest thief", "I like good coffee"),
)


def test_the_tree_is_that_of_the_final_words(en: Linearizer) -> None:
    found = en.realize(["dog", "bark", "the"]).linearization
    assert found.text == "The dog barked"
    assert (found.tags, found.deprels) == (("DT", "NN", "VBD"), ("det", "nsubj", "root"))
    assert found.heads == (2, 3, 0)


@pytest.mark.parametrize("lemmas", LISTS)
def test_tags_agree_with_forms(en: Linearizer, lemmas: str) -> None:
    """Those of *-ed* and *-s* are not those of lemmas."""
    for each in en.realize(lemmas.split(), n_best=3):
        found = each.linearization
        assert violations(found) == []
        for token in found.tokens:
            form, lemma = token.form.lower(), found.problem.words[token.source - 1].lemma
            assert token.tag == found.model_tags[found.order.index(token.source)]
            if form in ("barked", "loved", "sang", "went", "arrested"):
                assert token.tag in PAST
            elif lemma is not None and form == lemma.lower() + "s":
                assert token.tag in ("NNS", "VBZ", "NNPS")


def test_what_is_given_stays(en: Linearizer) -> None:
    words = [
        Word(lemma="dog", head=3, deprel="obj"),
        Word(lemma="the", head=1, deprel="det"),
        Word(lemma="bark", tag="VBD", head=0),
        Word(lemma="he"),
    ]
    for each in en.realize(words, n_best=5):
        found = each.linearization
        assert violations(found) == []
        token = found.tokens[found.order.index(1)]
        assert (token.deprel, found.tokens[token.head - 1].source) == ("obj", 3)


def test_the_score_is_that_of_the_search(en: Linearizer) -> None:
    ranked = en.realize(["dog", "bark", "the"], n_best=5)
    assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)
    assert all(
        sum(each.linearization.parts.values()) == pytest.approx(each.score) for each in ranked
    )
