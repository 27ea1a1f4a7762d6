"""Words whose tag is missing, or of another tag set, are inflected by UPOS tag and features."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from toys.inflection import NOUNS, VERBS, sentence, texts

from syntagma.errors import ModelError
from syntagma.files.sections import pack_lines
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization.lexicon import pack_tag_classes, unpack_tag_classes
from syntagma.realization.realizer import Realizer
from syntagma.realization.training import learn_realizer, learn_tag_classes

UPOS = {"NN": "NOUN", "NNS": "NOUN", "VB": "VERB", "VBD": "VERB", "VBG": "VERB", "x": "X"}
TREEBANK = [
    replace(each, upos=tuple(UPOS[tag] for tag in each.tags))
    for each in map(sentence, [*VERBS, *NOUNS])
]


@pytest.fixture(scope="module", params=["en", "xx"])
def realizer(request: pytest.FixtureRequest) -> Realizer:
    learned = learn_realizer(TREEBANK, request.param)
    return Realizer.from_arrays(learned.to_arrays(), request.param)


def inflected(realizer: Realizer, *words: Word) -> list[list[str]]:
    _, alternatives = realizer.inflect(Problem.of(words))
    return [[each.text for each in several] for several in alternatives]


def test_an_unknown_tag_gives_what_the_upos_tag_alone_gives(realizer: Realizer) -> None:
    """With any features; a UPOS tag may also stand in place of the tag."""
    rng = Random(1)
    for _ in range(200):
        words = [
            Word(
                lemma=rng.choice(("wug", "spy", "walk", "dax", "zorp", "zorpy")),
                upos=rng.choice((None, "NOUN", "VERB", "ADJ", "X", "FOO")),
                features=rng.choice((None, "", "Number=Plur", "Tense=Past", "VerbForm=Ger", "A=b")),
            )
            for _ in range(rng.randint(1, 4))
        ]
        expected, alternatives = realizer.inflect(Problem.of(words))
        foreign = [replace(w, tag=rng.choice(("Q-NN", "SG-NOM", None))) for w in words]
        found, same = realizer.inflect(Problem.of(foreign))
        assert same == alternatives
        assert [w.form for w in found.words] == [w.form for w in expected.words]
        as_tags = [replace(w, tag=w.upos, upos=None) if w.upos != "FOO" else w for w in words]
        assert realizer.inflect(Problem.of(as_tags))[1] == alternatives


@pytest.mark.parametrize(
    ("upos", "features", "lemma", "tag"),
    [
        ("NOUN", "Number=Plur", "wug", "NNS"),
        ("NOUN", "Number=Plur", "zorp", "NNS"),
        ("NOUN", "Number=Sing", "spy", "NN"),
        ("VERB", "Tense=Past", "dax", "VBD"),
        ("VERB", "Tense=Past", "zorp", "VBD"),
        ("VERB", "VerbForm=Ger", "zorp", "VBG"),
    ],
)
def test_features_determine_the_tag(
    realizer: Realizer, upos: str, features: str, lemma: str, tag: str
) -> None:
    """So inflection, the choice of forms and the order go by it as if it were given."""
    word = Word(lemma=lemma, tag="Q", upos=upos, features=features)
    problem, _ = realizer.inflect(Problem.of([word]))
    assert problem.words[0].tag == tag
    known = replace(word, tag=tag)
    assert inflected(realizer, word) == inflected(realizer, known)


def test_a_tag_that_is_left_open_stands_for_all_of_its_class() -> None:
    realizer = learn_realizer(TREEBANK, "xx")
    assert set(inflected(realizer, Word(lemma="walk", upos="VERB"))[0]) == {
        *("walk", "walked", "walking")
    }
    assert set(inflected(realizer, Word(lemma="wug", tag="Q", upos="NOUN"))[0]) == {"wug", "wugs"}
    assert texts(realizer.inflector.forms("walk", "NOUN", None)) == ["walk"]  # by rule


def test_the_upos_tag_is_the_tag_where_a_treebank_has_no_other() -> None:
    treebank = [replace(each, tags=each.upos, upos=()) for each in TREEBANK]
    realizer = learn_realizer(treebank, "xx")
    plural = Word(lemma="tove", tag="S", upos="NOUN", features="Number=Plur")
    assert inflected(realizer, plural) == [["toves"]]
    assert "tag_classes" not in realizer.to_arrays()


def test_classes_have_the_tags_that_are_not_slips() -> None:
    pairs = [("NOUN", "NN")] * 40 + [("VERB", "NN")] + [("VERB", "VB"), ("", "VB"), ("X", "")]
    classes = learn_tag_classes(Counter(pairs))
    assert classes["NOUN"] == {"NN"}
    assert classes["VERB"] == {"VB"}
    assert "X" not in classes
    assert unpack_tag_classes(pack_tag_classes(classes)) == classes
    assert pack_tag_classes(classes).keys() == {"tag_classes"}
    assert unpack_tag_classes({}) == pack_tag_classes({}) == {}


@pytest.mark.parametrize("lines", [["NOUN NN", "NOUN NNS"], ["NOUN  NN"], [" NN"]])
def test_damaged_classes_are_refused(lines: list[str]) -> None:
    with pytest.raises(ModelError, match="'tag_classes'"):
        unpack_tag_classes({"tag_classes": pack_lines(lines)})
