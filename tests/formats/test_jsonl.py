"""JSON lines: what is read and written, and how values off the schema are named."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from toys.ccg import DERIVATIONS
from toys.strategies import problems

from syntagma.errors import FormatError
from syntagma.formats.auto import parse_auto
from syntagma.formats.jsonl import read_jsonl, write_jsonl
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, Token
from syntagma.results.realization import Realization
from syntagma.results.spelling import Contraction, Spelling


def read_one(line: str) -> Problem | FormatError:
    (problem,) = read_jsonl([line], "f.jsonl")
    return problem


def test_reads_problems() -> None:
    line = """{"words": ["the", {"form": "dog", "tag": "NN", "head": 3, "deprel": "nsubj"},
        {"form": "barks", "tag": null}], "before": [[1, 2]], "first": 1, "last": 3, "id": "s1"}"""
    assert read_one(line) == Problem.of(
        ["the", Word("dog", "NN", 3, "nsubj"), "barks"], before=[(1, 2)], first=1, last=3, id="s1"
    )


def test_a_bare_list_is_a_bag() -> None:
    assert read_one('["dog", {"form": "the"}]') == Problem.of(["dog", "the"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "blank line"),
        ("dog the", "not JSON: Expecting value at column 1"),
        ('{"words": ["a"]', "not JSON"),
        ('"dog"', "expected an object or a list of words, found a string"),
        ("NaN", "not JSON: NaN"),
        ("[" * 100_000, "nested too deep"),
        ("[" + "9" * 5000 + "]", "too many digits"),
        ("{}", "the key 'words' is missing"),
        ("[]", "empty bag"),
        ('{"words": "dog"}', "words: expected a list, found a string"),
        ('{"words": ["a", 3]}', "words[1]: expected a string or an object, found a number"),
        ('{"words": [{"tag": "NN"}]}', "words[0]: the key 'form' is missing"),
        ('{"words": [{"form": "a", "pos": "NN"}]}', "words[0]: unknown key 'pos'; known are form,"),
        ('{"words": ["a"], "beam": 3}', "unknown key 'beam'; known are words,"),
        ('{"words": ["a"], "words": ["b"]}', "duplicate key 'words'"),
        ('["a", {"form": "b", "head": 1, "head": 1}]', "duplicate key 'head'"),
        ('[{"form": "a", "head": "0"}]', "words[0].head: expected an integer, found a string"),
        (
            '[{"form": "a", "head": true}]',
            "words[0].head: expected an integer, found true or false",
        ),
        ('[{"form": "a", "head": 1.0}]', "words[0].head: expected an integer, found a number"),
        ('[{"form": "a", "tag": ["N"]}]', "words[0].tag: expected a string, found a list"),
        ('[{"form": "a", "deprel": {}}]', "words[0].deprel: expected a string, found an object"),
        ('{"words": ["a"], "before": null}', "before: expected a list, found null"),
        ('{"words": ["a", "b"], "before": [[1]]}', "before[0]: expected a pair"),
        ('{"words": ["a", "b"], "before": [[1, true]]}', "before[0]: expected a pair"),
        ('{"words": ["a"], "first": "a"}', "first: expected an integer"),
        ('{"words": ["a"], "id": 7}', "id: expected a string, found a number"),
        ('["\\ud800"]', "surrogate"),
        ('{"words": ["a", "b"], "before": [[1, 2], [2, 1]]}', "contradict each other"),
    ],
)
def test_faults_are_named(line: str, message: str) -> None:
    good, error, again = read_jsonl(['["a"]', line, '["a"]'], "f.jsonl")
    assert isinstance(good, Problem)
    assert isinstance(again, Problem)
    assert isinstance(error, FormatError)
    assert str(error).startswith("f.jsonl:2: ")
    assert message in str(error)
    assert "\n" not in str(error)


def test_errors_are_passed_on() -> None:
    error = FormatError("not UTF-8", "f", 1)
    assert list(read_jsonl([error], "f")) == [error]


RESULT = Linearization(
    (Token("the", "DT", 2, "det", 2), Token("été", "NN", 0, "root", 1)),
    -1.5,
    Problem.of(["été", "the"], id="s1"),
)


def test_writes_results() -> None:
    assert write_jsonl(RESULT) == (
        '{"id": "s1", "text": "the été", "score": -1.5, "words": ['
        '{"form": "the", "tag": "DT", "head": 2, "deprel": "det", "source": 2}, '
        '{"form": "été", "tag": "NN", "head": 0, "deprel": "root", "source": 1}]}\n'
    )


def test_writes_n_best_lists() -> None:
    value = json.loads(write_jsonl([RESULT, RESULT]))
    assert value["id"] == "s1"
    assert [result["text"] for result in value["n_best"]] == ["the été"] * 2


def test_an_unfinished_result_says_what_is_left_out() -> None:
    pieces = Linearization(
        (Token("the", "DT", 0, "root", 2),), -1.5, Problem.of(["été", "the"]), finished=False
    )
    assert write_jsonl(pieces) == (
        '{"id": null, "text": "the", "score": -1.5, "finished": false, "left_out": [1], "words": ['
        '{"form": "the", "tag": "DT", "head": 0, "deprel": "root", "source": 2}]}\n'
    )


def test_derivations_are_written_as_in_auto_files() -> None:
    derivation = DERIVATIONS["intransitive"]
    tokens = (Token("we", "PRON", 2, "dep", 2), Token("ran", "VERB", 0, "root", 1))
    problem = Problem.of(["ran", "we"], id="s1")
    result = Linearization(tokens, 0.5, problem, derivations=(derivation,))
    assert write_jsonl(result) == (
        '{"id": "s1", "text": "we ran", "score": 0.5, "words": ['
        '{"form": "we", "tag": "PRON", "head": 2, "deprel": "dep", "source": 2}, '
        '{"form": "ran", "tag": "VERB", "head": 0, "deprel": "root", "source": 1}], '
        '"derivations": ["(<T S 1 2> (<L NP PRON PRON we NP>) '
        '(<L S\\\\NP VERB VERB ran S\\\\NP>) )"]}\n'
    )
    value = json.loads(write_jsonl([result, RESULT]))
    assert [parse_auto(line) for line in value["n_best"][0]["derivations"]] == [derivation]
    assert "derivations" not in value["n_best"][1]


def test_each_piece_has_its_derivation() -> None:
    pieces = tuple(DERIVATIONS["intransitive"].children)
    tokens = (Token("we", "PRON", 0, "root", 2), Token("ran", "VERB", 0, "root", 1))
    problem = Problem.of(["ran", "we"])
    result = Linearization(tokens, 0.5, problem, finished=False, derivations=pieces)
    assert json.loads(write_jsonl(result))["derivations"] == [
        "(<L NP PRON PRON we NP>)",
        r"(<L S\NP VERB VERB ran S\NP>)",
    ]


@pytest.mark.slow
@given(problems())
def test_every_problem_can_be_said_in_json(problem: Problem) -> None:
    words = [
        {"form": word.form, "tag": word.tag, "head": word.head, "deprel": word.deprel}
        for word in problem.words
    ]
    value = {"words": words, "before": problem.before, "first": problem.first, "last": problem.last}
    assert read_one(json.dumps(value)) == problem


# Lemmas


def test_lemmas_with_features_in_either_notation() -> None:
    line = """["bark",
        {"lemma": "dog", "tag": "NNS", "features": {"Number": "Plur", "Case": "Nom"}},
        {"form": "Rex", "lemma": "rex", "features": "A=b"}]"""
    (problem,) = read_jsonl([line.replace("\n", " ")], "f.jsonl", lemmas=True)
    assert problem == Problem.of(
        [
            Word(lemma="bark"),
            Word(lemma="dog", tag="NNS", features="Case=Nom|Number=Plur"),
            Word("Rex", lemma="rex", features="A=b"),
        ]
    )


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ({"tag": "NN"}, "words[0]: the keys 'form' and 'lemma' are missing"),
        ({"lemma": 3}, "words[0].lemma: expected a string, found a number"),
        ({"lemma": ""}, "the lemma of word 1 is empty: ''"),
        ({"lemma": "a", "features": ["b"]}, "words[0].features: expected a string, found a list"),
        ({"lemma": "a", "features": {"A": 1}}, "words[0].features.A: expected a string"),
        (
            {"lemma": "a", "features": {"A": "b|C=d"}},
            "the features of word 1 'a': the value of 'A' contains |",
        ),
        ({"lemma": "a", "features": "Number"}, "'Number' in the features of word 1 'a' is not of"),
        ({"lemma": "a", "features": "A=b|A=c"}, "the features of word 1 'a' give 'A' twice"),
    ],
)
def test_lemmas_off_the_schema(word: dict[str, object], message: str) -> None:
    (error,) = read_jsonl([json.dumps([word])], "f.jsonl", lemmas=True)
    assert isinstance(error, FormatError)
    assert str(error).startswith(f"f.jsonl:1: {message}")


def test_a_realization_is_written_with_its_spelling() -> None:
    problem = Problem.of([Word("le", lemma="le"), Word("de", lemma="de", features="A=b")], id="s")
    tokens = (Token("de", "ADP", 2, "case", 2), Token("le", "DET", 0, "root", 1))
    spelling = Spelling((False, False), (Contraction(1, 2, "du"),))
    realization = Realization(Linearization(tokens, -1.5, problem), spelling)
    expected = {
        "text": "du",
        "score": -1.5,
        "words": [
            {
                **{"form": "de", "tag": "ADP", "head": 2, "deprel": "case", "source": 2},
                **{"lemma": "de", "features": "A=b", "space_after": False},
            },
            {
                **{"form": "le", "tag": "DET", "head": 0, "deprel": "root", "source": 1},
                **{"lemma": "le", "features": None, "space_after": False},
            },
        ],
        "contractions": [{"first": 1, "last": 2, "text": "du"}],
    }
    assert json.loads(write_jsonl(realization)) == {"id": "s", **expected}
    assert json.loads(write_jsonl([realization])) == {"id": "s", "n_best": [expected]}
