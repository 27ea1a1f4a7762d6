"""Results as plain data: numbers, strings, lists and dictionaries, which spaCy can store in a `Doc`
and send to another process."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from syntagma.problem.parse import Annotation, ParseOrigin
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, Token

Record = dict[str, Any]


def to_record(linearization: Linearization) -> Record:
    """The order of a problem that was read from a parse, without CCG derivations."""
    origin = linearization.problem.origin
    assert isinstance(origin, ParseOrigin)
    return {
        "words": [list(astuple(word)) for word in linearization.problem.words],
        "annotations": [list(each) for each in origin.annotations],
        "tag_column": origin.tag_column,
        "tokens": [list(astuple(token)) for token in linearization.tokens],
        "score": linearization.score,
        "fluency": linearization.fluency,
        "judged": [list(each) for each in linearization.judged],
        "model_tags": list(linearization.model_tags),
    }


def from_record(record: Record) -> Linearization:
    """The linearization that was made a record."""
    annotations = tuple(Annotation(*each) for each in record["annotations"])
    problem = Problem(
        tuple(Word(*each) for each in record["words"]),
        origin=ParseOrigin(annotations, (), record["tag_column"]),
    )
    return Linearization(
        tuple(Token(*each) for each in record["tokens"]),
        record["score"],
        problem,
        record["fluency"],
        tuple((name, part) for name, part in record["judged"]),
        model_tags=tuple(record["model_tags"]),
    )
