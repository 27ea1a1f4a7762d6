"""Hostile input: each fault is one line that names its place, and only its own item is lost."""

from __future__ import annotations

import json

import pytest

from syntagma.errors import FormatError
from syntagma.formats.conllu import Lemmas, read_conllu
from syntagma.formats.jsonl import read_jsonl
from syntagma.formats.text import read_text
from syntagma.problem.limits import MAX_CONSTRAINTS, MAX_JSON_VALUES
from syntagma.problem.problem import Problem


def row(id: object, form: str, feats: str = "_", head: object = "_") -> str:
    return f"{id}\t{form}\t_\t_\t_\t{feats}\t{head}\t_\t_\t_"


def assert_one_short_line(error: Problem | FormatError, place: str, message: str) -> None:
    assert isinstance(error, FormatError), error
    text = str(error)
    assert text.startswith(f"{place}: ")
    assert message in text
    assert text.isprintable()
    assert len(text) < 300


MANY_KEYS = ",".join(f'"K{i}":"v"' for i in range(100_000))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f'{{"words":["a"],{MANY_KEYS}}}', "unknown key 'K0'"),
        (f'[{{"form":"a","features":{{{MANY_KEYS}}}}}]', "characters, more than the limit"),
        ('{"words":["a"]' + ',"id":"b"' * 100_000 + "}", "duplicate key 'id'"),
        (f'{{"{"k" * 100_000}":1}}', "unknown key 'kkk"),
        ('{"a\\n\\u2028\\ud800":1}', "unknown key"),
        ('[{"form":"a","features":{"\\n\\ud800":1}}]', "expected a string, found a number"),
        ('[{"form":"a","features":{"A":null}}]', "words[0].features.A: expected a string"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("[" + "[]," * MAX_JSON_VALUES + "[]]", f"than the limit of {MAX_JSON_VALUES}"),
        ('[{"form":"a","head":' + "9" * 5_000 + "}]", "too many digits (5000)"),
        ('[{"form":"a","head":' + "9" * 4_000 + "}]", "too many digits (4000)"),
        ('{"words":["a","b"],"before":[[1,' + "9" * 12 + "]]}", "too many digits (12)"),
        ('[{"form":"a","head":1e400}]', "words[0].head: expected an integer, found a number"),
        ('[{"form":"a","head":NaN}]', "not JSON: NaN"),
        ('{"words":["a"],"first":-Infinity}', "not JSON: -Infinity"),
        (json.dumps(["a" * 5_000_000]), "the form of word 1 has 5000000 characters"),
        (json.dumps(["a"] * 100_000), "100000 words, more than the limit of 10000"),
        (
            json.dumps({"words": ["a", "b"], "before": [[1, 2]] * (MAX_CONSTRAINTS + 1)}),
            f"`before` has {MAX_CONSTRAINTS + 1} pairs, more than the limit",
        ),
        ('["\\ud800"]', "half of a surrogate pair"),
        ('{"words":["a"],"id":"\\udfff"}', "half of a surrogate pair"),
        ('{"words":["a"],"id":"a\\nb"}', "one line"),
    ],
    ids=range(22),
)
def test_json(line: str, message: str) -> None:
    good, error, again = read_jsonl(['["a"]', line, '["a"]'], "f.jsonl")
    assert isinstance(good, Problem)
    assert isinstance(again, Problem)
    assert_one_short_line(error, "f.jsonl:2", message)


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ([row(1, "a"), row("2-" + "9" * 5_000, "b")], 4, "ID is '2-999"),
        ([row("1." + "9" * 5_000, "b"), row(1, "a")], 3, "ID is '1.999"),
        ([row("\u0661", "a")], 3, "ID is '\u0661' where 1 is expected"),
        ([row(1, "a", head="9" * 5_000)], 3, "HEAD is '999"),
        ([row(1, "a", head="\u0660")], 3, "HEAD is '\u0660'"),
        (["# sent_id = " + "x" * 5_000, row(1, "a", head=5)], 4, "sentence 'xxx"),
        (["# sent_id = a\u2028\x1bb", row(1, "a", head=5)], 4, "sentence 'a\\u2028\\x1bb'"),
        (["# c"] * 40_000 + [row(1, "a")], 32_391, "more than 8 MiB, the limit"),
        ([row(1, "a")] + [row("1-1", "a")] * 40_000, 30_286, "more than 8 MiB, the limit"),
        ([row(i, "a") for i in range(1, 10_002)], 10_003, "more words than the limit of 10000"),
        ([row(1, "a" * 1_000_000)], 3, "the form of word 1 has 1000000 characters"),
        ([row(1, "a\rb")], 3, "contains a tab or a line end"),
    ],
)
def test_conllu(lines: list[str], line: int, message: str) -> None:
    good = [row(1, "a"), ""]
    first, error, last = read_conllu([*good, *lines, "", *good], "f.conllu")
    assert isinstance(first, Problem)
    assert isinstance(last, Problem)
    assert_one_short_line(error, f"f.conllu:{line}", message)


@pytest.mark.parametrize("step", [1, 0])
def test_thousands_of_hints(step: int) -> None:
    """Of 2,000 ranks there are 2,000 pairs of neighbours; of two ranks, too many."""
    lines = [row(1, "a", head=0)]
    lines += [row(i, "b", f"lin=+{i if step else i % 2 + 1}", 1) for i in range(2, 2_002)]
    lemmas: Lemmas = "shared task"
    (problem,) = read_conllu(lines, "f.conllu", lemmas=lemmas)
    if step:
        assert isinstance(problem, Problem)
        assert problem.before == tuple((i, i + 1) for i in range(1, 2_001))
    else:
        assert_one_short_line(problem, "f.conllu:1", "than the limit of 200000")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a " * 20_000, "the bag has 20000 words, more than the limit of 10000"),
        ("a\t" * 20_000, "the bag has 20001 words, more than the limit of 10000"),
        ("a" * 20_000, "the form of word 1 has 20000 characters"),
    ],
)
def test_text(line: str, message: str) -> None:
    good, error, again = read_text(["a", line, "a"], "f.txt")
    assert isinstance(good, Problem)
    assert isinstance(again, Problem)
    assert_one_short_line(error, "f.txt:2", message)


def test_spaces_are_not_words() -> None:
    (problem,) = read_text(["a" + " " * 100_000 + "b"], "f.txt")
    assert isinstance(problem, Problem)
    assert len(problem.words) == 2


@pytest.mark.parametrize("character", "\0\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\xa0\ufeff")
def test_characters_that_end_lines_elsewhere_do_not_here(character: str) -> None:
    form = f"a{character}b"
    for problem in (
        *read_text([f"{form} c"], "f.txt"),
        *read_jsonl([json.dumps([form, "c"], ensure_ascii=character < " ")], "f.jsonl"),
        *read_conllu([row(1, form), row(2, "c")], "f.conllu"),
    ):
        assert isinstance(problem, Problem)
        assert [word.form for word in problem.words] == [form, "c"]
