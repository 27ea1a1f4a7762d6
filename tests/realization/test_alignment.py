"""Alignment of lemma trees with raw sentences: stories, and laws against brute force."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from references.brute_force import random_heads, random_projective_order
from toys.realizer import realizer_of

from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization.alignment import align, aligned_conllu, aligned_sentence, split_pieces
from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.form_choice import FormChoice
from syntagma.realization.inflection import Inflector
from syntagma.realization.realizer import Realizer

ENGLISH = Realizer(Inflector({}, english=True), FormChoice({}), Detokenizer())


def tree(*nodes: tuple[str, str, int]) -> Problem:
    return Problem(tuple(Word(lemma=lemma, tag=tag, head=head) for lemma, tag, head in nodes))


CHILDREN = tree(
    ("apple", "NN", 4),
    ("child", "NNS", 4),
    ("the", "DT", 2),
    ("eat", "VBD", 0),
    ("a", "DT", 1),
    ("the", "DT", 7),
    ("house", "NN", 8),
    ("in", "IN", 4),
)


def words(problem: Problem, text: str, realizer: Realizer = ENGLISH) -> list[str] | None:
    """What stands at the place of each word."""
    found = align(problem, text, realizer)
    return None if found is None else [text[start:end] for start, end in found.spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The children ate an apple in the house.", "apple children The ate an the house in"),
        ("In the house, the children ate an apple", "apple children the ate an the house In"),
        (
            "the children , who sat , ate an apple in the house",
            "apple children the ate an the house in",
        ),
    ],
)
def test_forms_are_found_where_the_tree_allows(text: str, expected: str) -> None:
    assert words(CHILDREN, text) == expected.split()


def test_the_tree_tells_identical_words_apart() -> None:
    text = "In the house, the children ate an apple"
    found = align(CHILDREN, text, ENGLISH)
    assert found is not None
    assert found.spans[5] < found.spans[2]  # the house, the children
    assert [text[start:end] for start, end in found.skipped] == [","]
    assert found.order == (8, 6, 7, 3, 2, 4, 5, 1)
    assert found.guessed == ()


def test_contractions_and_hyphens() -> None:
    problem = tree(("do", "VBP", 2), ("sell", "VB", 0), ("not", "RB", 2), ("they", "PRP", 2))
    realizer = realizer_of({"not": "not n't", "do": "do", "sell": "sell", "they": "they"})
    assert words(problem, "They don't sell", realizer) == ["do", "sell", "n't", "They"]
    assert words(problem, "They do not sell", realizer) == ["do", "sell", "not", "They"]
    assert words(problem, "They don\u2019t sell", realizer) == ["do", "sell", "n\u2019t", "They"]
    parts = tree(("collar", "NN", 0), ("white", "JJ", 1), ("-", "HYPH", 1), ("U.S.", "NNP", 1))
    assert words(parts, "U.S. white-collar") == ["collar", "white", "-", "U.S."]


def test_quotes_and_brackets_of_the_penn_treebank() -> None:
    problem = tree(("go", "VB", 0), ("``", "``", 1), ("''", "''", 1), ("-LRB-", "-LRB-", 1))
    assert words(problem, '( "go"') == ["go", '"', '"', "("]
    assert words(problem, "( \u201cgo\u201d") == ["go", "\u201c", "\u201d", "("]


def test_a_form_that_is_not_known_is_guessed() -> None:
    problem = tree(("comment", "NN", 2), ("see", "VBP", 0), ("I", "PRP", 2), ("1100", "CD", 1))
    text = "I see 1,100 commments."
    found = align(problem, text, ENGLISH)
    assert found is not None
    assert found.guessed == (1, 4)
    assert words(problem, text) == ["commments", "see", "I", "1,100"]
    assert align(problem, text, ENGLISH, guess=False) is None


def test_what_is_not_projective_is_not_aligned() -> None:
    problem = tree(("dog", "NN", 2), ("bark", "VBD", 0), ("old", "JJ", 1))
    assert words(problem, "old dog barked") is not None
    assert words(problem, "dog barked old") is None


def test_what_is_no_tree_is_not_aligned() -> None:
    assert words(replace(CHILDREN, words=CHILDREN.words[:4]), "") is None
    assert align(Problem((Word(lemma="go"),)), "go", ENGLISH) is None


def test_a_sentence_of_it() -> None:
    text = "The children ate an apple in the house."
    found = align(CHILDREN, text, ENGLISH)
    assert found is not None
    sentence = aligned_sentence(CHILDREN, text, found, "s1")
    assert sentence.text == "The children ate an apple in the house"
    assert sentence.heads == (2, 3, 0, 5, 3, 3, 8, 6)
    assert sentence.lemmas == ("the", "child", "eat", "a", "apple", "in", "the", "house")
    assert aligned_conllu(sentence).splitlines()[:3] == [
        "# sent_id = s1",
        f"# text = {text}",
        "1\tThe\tthe\t_\tDT\t_\t2\t_\t_\t_",
    ]
    assert aligned_conllu(replace(sentence, id="")).startswith("# text = The")


# ---- laws ------------------------------------------------------------------------------------

FORMS = {"x": "x xs", "y": "y x", "z": "z y-z", "w": "w"}
TOY = realizer_of(FORMS)
FREE = (" extra", " ,", "")


def draw(rng: Random) -> tuple[Problem, str]:
    """A tree of a few ambiguous lemmas, and mostly a sentence of it, with more words in between."""
    heads = random_heads(rng, rng.randint(1, 5))
    order = random_projective_order(rng, heads)
    lemmas = [rng.choice(list(FORMS)) for _ in heads]
    if rng.random() < 0.6:
        order = rng.sample(order, len(order))
    text = " ".join(rng.choice(FORMS[lemmas[i - 1]].split()) + rng.choice(FREE) for i in order)
    return tree(*((lemma, "NN", head) for lemma, head in zip(lemmas, heads, strict=True))), text


def every_mapping(problem: Problem, text: str) -> Iterator[list[tuple[int, int]]]:
    """All projective mappings of words to spans of pieces, by definition."""
    pieces = [piece.text for piece in split_pieces(text)]
    places = []
    for word in problem.words:
        spelled = [piece for form in FORMS[word.name].split() for piece in [split_pieces(form)]]
        places.append(
            [
                (first, first + len(form))
                for form in spelled
                for first in range(len(pieces) - len(form) + 1)
                if pieces[first : first + len(form)] == [piece.text for piece in form]
            ]
        )
    for spans in product(*places):
        used = [i for first, last in spans for i in range(first, last)]
        if len(set(used)) == len(used) and is_projective(problem, spans):
            yield list(spans)


def is_projective(problem: Problem, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether nothing but words below it stands between the words of a subtree."""
    below: defaultdict[int, set[int]] = defaultdict(set)
    for at in range(len(spans)):
        up = at
        below[at].add(at)
        while problem.words[up].head:
            up = (problem.words[up].head or 0) - 1
            below[up].add(at)
    for members in below.values():
        first = min(spans[at][0] for at in members)
        last = max(spans[at][1] for at in members)
        for at, (start, end) in enumerate(spans):
            if at not in members and start < last and end > first:
                return False
    return True


def test_the_best_mapping_is_that_of_brute_force() -> None:
    rng = Random(1)
    ambiguous = none = 0
    for _ in range(400):
        problem, text = draw(rng)
        pieces = split_pieces(text)
        found = align(problem, text, TOY, guess=False)
        mappings = list(every_mapping(problem, text))
        if found is None:
            none += 1
            assert not mappings, (problem, text)
            continue
        starts = {piece.start: at for at, piece in enumerate(pieces)}
        ends = {piece.end: at + 1 for at, piece in enumerate(pieces)}
        mapping = [(starts[start], ends[end]) for start, end in found.spans]
        assert mapping in mappings
        ambiguous += len(mappings) > 1
        covered = max(sum(last - first for first, last in each) for each in mappings)
        assert sum(last - first for first, last in mapping) == covered
        assert len(found.skipped) == len(pieces) - covered
        assert align(problem, text, TOY, guess=False) == found
    assert none > 10
    assert ambiguous > 50


def test_a_head_with_many_dependents_is_quick() -> None:
    names = [f"n{i}" for i in range(40)]
    realizer = realizer_of({name: name for name in names})
    problem = tree(*((name, "NN", 1 if i else 0) for i, name in enumerate(names)))
    order = Random(2).sample(names, 40)
    found = align(problem, " ".join(order), realizer)
    assert found is not None
    assert [names[i - 1] for i in found.order] == order
