"""Trees of udapi."""

from __future__ import annotations

from typing import Any

import pytest
from toys.parses import SENTENCE, WORDS, given, known_of, udapi_object

from syntagma import ArgumentError, Problem, ProblemError
from syntagma.problem.parse import ParseOrigin

pytest.importorskip("udapi", reason="no udapi: pip install 'syntagma[udapi]'")

from udapi.core.document import Document
from udapi.core.root import Root


def test_a_tree_gives_its_nodes_without_multiword_tokens_and_empty_nodes() -> None:
    problem = Problem.from_udapi(udapi_object(SENTENCE))
    assert given(problem) == {
        form: (head, label, xpos) for form, (head, label, _, _, xpos, _) in WORDS.items()
    }
    assert problem.id == "s1"
    assert isinstance(problem.origin, ParseOrigin)
    assert problem.origin.comments == ("# newpar", "# sent_id = s1", "# source = ours")
    known = known_of(problem)
    assert known["Do"] == ("do", "AUX", "VB", "Mood=Imp|VerbForm=Fin", "Gloss=x")


def test_a_tree_of_a_document_has_the_id_of_its_bundle() -> None:
    bundle = Document().create_bundle()
    tree = bundle.create_tree()
    tree.create_child(form="dogs")
    assert Problem.from_udapi(tree).id == "1"


def test_a_tree_without_an_id_has_none() -> None:
    tree = Root()
    tree.create_child(form="dogs")
    assert Problem.from_udapi(tree).id is None


def test_nodes_without_a_known_head_are_free() -> None:
    """udapi attaches them to the technical root."""
    tree = udapi_object(
        "1\tdogs\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "2\tbark\t_\t_\t_\t_\t0\troot\t_\t_\n"
        "3\tloud\t_\t_\t_\t_\t1\tamod\t_\t_\n\n"
    )
    assert given(Problem.from_udapi(tree)) == {
        "dogs": (None, None, None),
        "bark": ("", "root", None),
        "loud": ("dogs", "amod", None),
    }


def test_several_roots_are_refused() -> None:
    tree = Root()
    for form in ("dogs", "bark"):
        tree.create_child(form=form, deprel="root")
    with pytest.raises(ProblemError, match="2 words are given as the root"):
        Problem.from_udapi(tree)


def test_other_objects_are_refused() -> None:
    tree = Root()
    wrong: tuple[Any, ...] = ("dogs", None, Document(), tree.create_child(form="dogs"))
    for each in wrong:
        with pytest.raises(ArgumentError, match="from_udapi takes the root of a tree of udapi"):
            Problem.from_udapi(each)


def test_a_node_without_a_form_is_named() -> None:
    tree = Root()
    tree.create_child(form=3)
    with pytest.raises(ArgumentError, match="the form of node 1 3 is not a string"):
        Problem.from_udapi(tree)


def test_a_tree_without_nodes_is_empty() -> None:
    with pytest.raises(ProblemError, match="empty bag"):
        Problem.from_udapi(Root())
