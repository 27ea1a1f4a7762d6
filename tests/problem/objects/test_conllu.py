"""Sentences of the package conllu: with the package itself, and with mappings that look like it."""

from __future__ import annotations

from typing import Any

import pytest
from toys.parses import SENTENCE, WORDS, conllu_object, given, known_of

from syntagma import ArgumentError, Problem, ProblemError
from syntagma.problem.parse import ParseOrigin

needs_conllu = pytest.mark.usefixtures("conllu_package")


@pytest.fixture
def conllu_package() -> None:
    pytest.importorskip("conllu", reason="no conllu: pip install 'syntagma[conllu]'")


@needs_conllu
def test_a_token_list_gives_its_words_without_multiword_tokens_and_empty_nodes() -> None:
    problem = Problem.from_conllu(conllu_object(SENTENCE))
    assert given(problem) == {
        form: (head, label, xpos) for form, (head, label, _, _, xpos, _) in WORDS.items()
    }
    assert problem.id == "s1"
    assert isinstance(problem.origin, ParseOrigin)
    assert "# source = ours" in problem.origin.comments
    known = known_of(problem)
    assert known["Do"] == ("do", "AUX", "VB", "Mood=Imp|VerbForm=Fin", "Gloss=x")
    assert known["."].misc == "_"


@needs_conllu
def test_columns_may_be_missing() -> None:
    import conllu

    [tokens] = conllu.parse("1\tdogs\n2\tbark\n", fields=("id", "form"))
    assert given(Problem.from_conllu(tokens)) == dict.fromkeys(("dogs", "bark"), (None,) * 3)


@needs_conllu
def test_older_names_of_the_tag_columns_serve() -> None:
    import conllu

    [tokens] = conllu.parse("1\tdogs\tNOUN\tNNS\n", fields=("id", "form", "upostag", "xpostag"))
    assert Problem.from_conllu(tokens).words[0].tag == "NNS"
    assert Problem.from_conllu(tokens, tag_column="upos").words[0].tag == "NOUN"


def test_a_partial_tree_is_given_as_far_as_it_is_known() -> None:
    problem = Problem.from_conllu(
        [
            {"id": 1, "form": "dogs", "head": 2, "deprel": "nsubj"},
            {"id": 2, "form": "bark", "head": None, "deprel": "_"},
            {"id": 3, "form": "loudly", "head": None, "deprel": "advmod"},
        ]
    )
    assert given(problem) == {
        "dogs": ("bark", "nsubj", None),
        "bark": (None, None, None),
        "loudly": (None, "advmod", None),
    }


def test_ids_need_not_be_consecutive() -> None:
    problem = Problem.from_conllu(
        [{"id": 4, "form": "dogs", "head": 9}, {"id": 9, "form": "bark", "head": 0}]
    )
    assert given(problem)["dogs"][0] == "bark"


def test_notes_without_a_value_are_kept() -> None:
    misc = {"Flag": "", "None": None, "A": "1"}
    problem = Problem.from_conllu([{"form": "a", "misc": misc}])
    assert isinstance(problem.origin, ParseOrigin)
    assert problem.origin.annotations[0].misc == "Flag|None=_|A=1"


@pytest.mark.parametrize("wrong", ["dogs bark", None, 3, {"form": "a"}])
def test_other_objects_are_refused(wrong: Any) -> None:
    with pytest.raises(ArgumentError, match="from_conllu takes a TokenList of the package conllu"):
        Problem.from_conllu(wrong)


@needs_conllu
def test_a_list_of_sentences_and_a_tree_are_refused() -> None:
    tokens = conllu_object(SENTENCE)
    with pytest.raises(ArgumentError, match=r"one sentence, not a list of sentences: .*one by one"):
        Problem.from_conllu([tokens])
    with pytest.raises(ArgumentError, match=r"not an object of type conllu\.models\.TokenTree"):
        Problem.from_conllu(tokens.to_tree())


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ({"id": "one", "form": "a"}, "the id of token 2 is not an integer: 'one'"),
        ({"id": 1, "form": "a"}, "the id of token 2 is that of another token: 1"),
        ({"id": 0, "form": "a"}, "the id of token 2 is that of another token: 0"),
        ({"id": 2}, "token 2 has no form: None"),
        ({"id": 2, "form": "a", "head": 7}, "the head of token 2 'a' is 7, which is no token's id"),
        ({"id": 2, "form": "a", "head": "x"}, "the head of token 2 'a' is 'x'"),
        ({"id": 2, "form": "a", "xpos": 3}, "the xpos of token 2 'a' is not a string: 3"),
        ({"id": 2, "form": "a", "feats": 3}, "the feats of token 2 'a' is not a string: 3"),
    ],
)
def test_faults_of_tokens_are_named(token: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Problem.from_conllu([{"id": 1, "form": "b"}, token])


def test_a_sentence_without_words_is_empty() -> None:
    with pytest.raises(ProblemError, match="empty bag"):
        Problem.from_conllu([])


def test_heads_that_form_a_cycle_are_named() -> None:
    with pytest.raises(ProblemError, match="cycle: word 1 'a' → word 2 'b'"):
        Problem.from_conllu([{"form": "a", "head": 2}, {"form": "b", "head": 1}])
