"""A parsed sentence in, ordered, back as an object of the same package or of another one."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toys import parses as toys

from syntagma import Linearization, PackageError, Problem, Realization, Token, Word
from syntagma.errors import ArgumentError
from syntagma.problem.parse import Parse, ParseOrigin
from syntagma.results.spelling import Spelling


@dataclass(frozen=True)
class Package:
    """A package, how a sentence becomes its object, and how that is read and written."""

    name: str
    build: Callable[[Parse], Any]
    read: Callable[..., Problem]
    write: Callable[[Linearization | Realization], Any]
    keeps_misc: bool = True


PACKAGES = (
    Package(
        "conllu",
        lambda parse: toys.conllu_object(toys.conllu_text(parse)),
        Problem.from_conllu,
        lambda result: result.to_conllu(),
    ),
    Package(
        "spacy",
        toys.spacy_object,
        Problem.from_spacy,
        lambda result: result.to_spacy(),
        keeps_misc=False,
    ),
    Package(
        "stanza",
        lambda parse: toys.stanza_object(toys.conllu_text(parse)),
        Problem.from_stanza,
        lambda result: result.to_stanza(),
    ),
    Package(
        "udapi",
        lambda parse: toys.udapi_object(toys.conllu_text(parse)),
        Problem.from_udapi,
        lambda result: result.to_udapi(),
    ),
)


@pytest.fixture(params=PACKAGES, ids=lambda package: package.name)
def package(request: pytest.FixtureRequest) -> Package:
    found: Package = request.param
    if importlib.util.find_spec(found.name) is None:
        pytest.skip(f"no {found.name}: pip install 'syntagma[{found.name}]'")
    return found


def without_misc(parse: Parse) -> Parse:
    return Parse(
        tuple(word._replace(annotation=word.annotation._replace(misc="_")) for word in parse.words)
    )


def with_tags(parse: Parse) -> Parse:
    """The tag that `put_in_order` finds, where there was none."""
    return Parse(
        tuple(
            word._replace(annotation=word.annotation._replace(xpos="X"))
            if word.annotation.xpos == "_"
            else word
            for word in parse.words
        )
    )


# The fixture is the same for all examples.
random_sentences = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.filterwarnings("ignore")
@random_sentences
@given(parse=toys.parses())
def test_tree_and_annotation_come_back(package: Package, parse: Parse) -> None:
    """Problems list their words canonically, so equal ones have the same tree over the same words,
    with the same annotation."""
    if not package.keeps_misc:
        parse = without_misc(parse)
    problem = package.read(package.build(parse))
    back = package.read(package.write(toys.put_in_order(problem)))
    expected = package.read(package.build(with_tags(parse)))
    assert back.words == expected.words
    assert isinstance(back.origin, ParseOrigin)
    assert isinstance(expected.origin, ParseOrigin)
    assert back.origin.annotations == expected.origin.annotations


@pytest.mark.filterwarnings("ignore")
@random_sentences
@given(parse=toys.parses(), column=st.sampled_from(("upos", "xpos")))
def test_all_packages_read_the_same(package: Package, parse: Parse, column: Any) -> None:
    """The reference is a list of dictionaries, read without any package."""
    parse = without_misc(parse)
    fields = ("lemma", "upos", "xpos", "feats", "misc")
    expected = Problem.from_conllu(
        [
            {"form": word.form, "head": word.head, "deprel": word.deprel}
            | dict(zip(fields, word.annotation, strict=True))
            for word in parse.words
        ],
        tag_column=column,
    )
    found = package.read(package.build(parse), tag_column=column)
    assert found.words == expected.words
    assert isinstance(found.origin, ParseOrigin)
    assert isinstance(expected.origin, ParseOrigin)
    assert found.origin.annotations == expected.origin.annotations


def story() -> Linearization:
    """An order of four words whose problem has no source."""
    problem = Problem.of(
        [Word("n't", "RB"), Word("Do", "VB"), Word("ask", "VB"), Word("New York", "NNP")]
    )
    tokens = (
        Token("Do", "VB", 3, "aux", 2),
        Token("n't", "RB", 3, "advmod", 1),
        Token("ask", "VB", 0, "root", 3),
        Token("New York", "NNP", 3, "obj", 4),
    )
    return Linearization(tokens, -2.0, problem)


def test_a_result_without_a_source(package: Package) -> None:
    back = package.read(package.write(story()))
    assert toys.given(back) == {
        "Do": ("ask", "aux", "VB"),
        "n't": ("ask", "advmod", "RB"),
        "ask": ("", "root", "VB"),
        "New York": ("ask", "obj", "NNP"),
    }


def test_tags_go_into_the_column_that_is_asked_for(package: Package) -> None:
    found = getattr(story(), f"to_{package.name}")(tag_column="upos")
    tags = {"Do": "VB", "n't": "RB", "ask": "VB", "New York": "NNP"}
    if package.name == "spacy":  # which has no other tags than those of UD
        tags = dict.fromkeys(tags, "_")
    assert {
        form: known.upos for form, known in toys.known_of(package.read(found, tags=False)).items()
    } == tags
    with pytest.raises(ArgumentError, match="tag_column must be upos or xpos, not 'tags'"):
        getattr(story(), f"to_{package.name}")(tag_column="tags")


def test_an_unfinished_result_keeps_its_pieces(package: Package) -> None:
    """A best-first search may end with several pieces and leave words out."""
    problem = Problem.of(["a", "b", "c"])
    tokens = (Token("b", "X", 0, "root", 2), Token("a", "X", 0, "root", 1))
    written = package.write(Linearization(tokens, -1.0, problem, finished=False))
    pieces = written.sents if package.name == "spacy" else [written]
    found = [package.read(piece, arcs=False).words for piece in pieces]
    assert sorted(word.form for words in found for word in words) == ["a", "b"]


@pytest.mark.parametrize("name", [package.name for package in PACKAGES])
def test_a_missing_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [each for each in sys.modules if each.split(".")[0] == name]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)
    message = (
        rf"to_{name} needs the package {name}, which cannot be imported \(.+\): "
        rf"pip install 'syntagma\[{name}\]'"
    )
    for result in (story(), Realization(story(), Spelling((False, True, True, False)))):
        with pytest.raises(PackageError, match=message) as caught:
            getattr(result, f"to_{name}")()
        assert isinstance(caught.value, ImportError)
        assert caught.value.name == name


def test_a_broken_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "conllu", None)
    monkeypatch.setitem(sys.modules, "conllu.models", sys.modules["math"])
    with pytest.raises(PackageError, match=r"which cannot be imported \(cannot import name"):
        story().to_conllu()


def test_reading_needs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in PACKAGES:
        monkeypatch.setitem(sys.modules, package.name, None)
    assert Problem.from_conllu([{"form": "a"}]).words == (Word("a"),)
