"""Results as plain data: the same when they are built again."""

from __future__ import annotations

import json

from hypothesis import given
from toys.parses import parses, put_in_order

from syntagma.integrations.records import from_record, to_record
from syntagma.problem.parse import Parse
from syntagma.problem.problem import Problem


@given(parses())
def test_a_record_holds_the_whole_result(parse: Parse) -> None:
    problem = Problem.from_conllu(
        [
            {"form": word.form, "head": word.head, "xpos": "X", "lemma": word.annotation.lemma}
            for word in parse.words
        ]
    )
    result = put_in_order(problem)
    record = json.loads(json.dumps(to_record(result)))
    again = from_record(record)
    assert again == result
    assert again.model_tags == result.model_tags
    assert again.problem.origin == result.problem.origin
