"""Results as token lists of the package conllu."""

from __future__ import annotations

from typing import Any

import pytest
from toys.parses import SENTENCE, WORDS, conllu_object, put_in_order

from syntagma import Linearization, Problem, Realization, Token, Word
from syntagma.formats.conllu import write_conllu
from syntagma.results.spelling import Contraction, Spelling

pytest.importorskip("conllu", reason="no conllu: pip install 'syntagma[conllu]'")


def ordered() -> Linearization:
    return put_in_order(Problem.from_conllu(conllu_object(SENTENCE)))


def spelled(result: Linearization) -> Realization:
    """Every second word is followed by a space; the first two are written as one."""
    spaces = tuple(bool(place % 2) for place in range(len(result.words) - 1))
    first, second = result.words[:2]
    contraction = Contraction(1, 2, f"{first}-{second}")
    return Realization(result, Spelling((*spaces, False), (contraction,)))


def test_all_columns_come_back_but_those_of_the_old_order() -> None:
    found: Any = ordered().to_conllu()
    forms = ["", *(token["form"] for token in found)]
    features = {
        token["form"]: "|".join(f"{name}={value}" for name, value in (token["feats"] or {}).items())
        for token in found
    }
    assert {
        token["form"]: (
            forms[token["head"]],
            token["deprel"],
            token["lemma"],
            token["upos"],
            token["xpos"],
            features[token["form"]],
        )
        for token in found
    } == WORDS
    assert [token["id"] for token in found] == list(range(1, 11))
    assert {token["form"]: token["misc"] for token in found if token["misc"]} == {
        "Do": {"Gloss": "x"}
    }
    assert all(token["deps"] is None for token in found)
    assert found.metadata == {
        "newpar": None,
        "sent_id": "s1",
        "text": ordered().text,
        "source": "ours",
        "score": "-1.5000",
    }


@pytest.mark.parametrize("write", [lambda result: result, spelled])
def test_the_object_is_what_conllu_parses_from_the_file(write: Any) -> None:
    """Types and all: the package's parser is the reference for its objects."""
    result = write(ordered())
    spelling = result.spelling if isinstance(result, Realization) else None
    text = write_conllu(ordered(), spelling=spelling)
    assert result.to_conllu() == conllu_object(text)
    assert result.to_conllu().serialize() == conllu_object(text).serialize()


def test_an_object_can_be_read_from_its_serialization() -> None:
    found = spelled(ordered()).to_conllu()
    assert conllu_object(found.serialize()) == found
    assert found[0]["id"] == (1, "-", 2)
    assert found[0]["form"] == "ask-."


def test_realized_lemmas_keep_lemma_and_features() -> None:
    problem = Problem.of([Word(lemma="dog", tag="NNS", features="Number=Plur")]).with_forms(
        ["Dogs"]
    )
    result = Linearization((Token("Dogs", "NNS", 0, "root", 1),), 0.0, problem)
    [token] = Realization(result, Spelling((False,))).to_conllu()
    assert (token["form"], token["lemma"], token["feats"]) == ("Dogs", "dog", {"Number": "Plur"})
