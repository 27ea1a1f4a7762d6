"""Paths: a single one where a list is expected, and what is not a path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import syntagma
from syntagma.errors import ArgumentError, FormatError, SyntagmaError
from syntagma.files.paths import as_paths, check_path, expand_paths
from syntagma.treebanks.treebank import Sentence

CATS = Sentence(("Cats", "sleep"), ("NNS", "VBP"), (2, 0), ("nsubj", "root"))

api: Any = syntagma


def test_a_single_path_is_a_list_of_one() -> None:
    assert as_paths("a.txt", "sources") == ["a.txt"]
    assert as_paths(Path("a.txt"), "sources") == [Path("a.txt")]
    assert as_paths(iter(["a.txt", Path("b")]), "sources") == ["a.txt", Path("b")]


def test_patterns_match_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", ".hidden.txt", "c.md", "sub/d.txt", "sub/deep/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    def found(pattern: str, **options: bool) -> list[str]:
        matches = expand_paths(tmp_path / pattern, "data", **options)
        return [str(each.relative_to(tmp_path)) for each in matches]

    assert found("*.txt") == ["a.txt", "b.txt"]
    assert found("[!a].*") == ["b.txt", "c.md"]
    assert found("**/*.txt") == ["a.txt", "b.txt", "sub/d.txt", "sub/deep/e.txt"]
    assert found("s*", folders=True) == ["sub"]
    with pytest.raises(FormatError, match=r"s\*: no file matches this pattern"):
        found("s*")
    with pytest.raises(FormatError, match=r"x\?: no file or folder matches this pattern"):
        found("x?", folders=True)


def test_what_is_no_pattern(tmp_path: Path) -> None:
    odd = tmp_path / "a[1].txt"
    odd.touch()
    (tmp_path / "a1.txt").touch()
    missing = tmp_path / "missing.txt"
    assert expand_paths([odd, "-", missing, "-"], "data") == [odd, Path("-"), missing]


@pytest.mark.parametrize("odd", [None, 3, b"a.txt", [b"a.txt"], [None], {"a": 1}, [["a"]], "a\0b"])
def test_what_is_not_a_path(odd: Any) -> None:
    with pytest.raises(ArgumentError, match="sources must be"):
        as_paths(odd, "sources")
    with pytest.raises(ArgumentError, match="output must be the path of a file"):
        check_path(odd, "output")


def test_train_lm_from_one_path(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("A bird sang. The bird sang loudly!\n")
    settings = syntagma.LanguageModelSettings(order=2, prune=[0, 0], min_count=1)  # type: ignore[arg-type]
    for sources in (text, str(text), [text]):
        report = syntagma.train_lm(sources, tmp_path / "a.lm", settings=settings)
        assert report.sentences == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: api.train_lm(3, "x.lm"), "sources must be a list of paths, not 3"),
        (lambda: api.train_lm(["a"], None), "output must be the path of a file, not None"),
        (lambda: api.train(["a"], "b", "c"), "train must be the path of a file"),
        (lambda: api.train("a", ["b"], "c"), "dev must be the path of a file"),
        (lambda: api.train("a", "b", "c", pretrain=7), "pretrain must be a list of paths"),
        (lambda: api.train("a", "b", "c", threads=1.0), "threads must be an integer"),
        (lambda: api.add_lm("en", "a.lm", "dev.conllu", "c"), "read it by read_treebank"),
        (lambda: api.add_lm("en", ["a.lm"], [CATS], "c"), "language_model must be the path"),
        (lambda: api.read_treebank(["a"]), "path must be the path of a file"),
        (lambda: api.load(["en"]), "a model is given by its name or its path"),
        (lambda: api.load("en", language_model="my.lm"), "must be True or False"),
        (lambda: api.load("en", search=["beam"]), "search must be one of"),
        (lambda: api.evaluate("en", [CATS]), "load the model first"),
        (
            lambda: api.evaluate(api.load("en"), "dev.conllu"),
            "sentences must be a list of sentences, not a path",
        ),
        (lambda: api.evaluate(api.load("en"), ["Cats"]), "not of 'Cats'"),
        (lambda: api.evaluate(api.load("en"), [CATS], limit=1.0), "limit must be an"),
        (lambda: api.evaluate(api.load("en"), [CATS], 3), "conditions must be a list"),
        (lambda: api.paired_bootstrap("ab", "cd", "ef"), "lists of texts, not 'ab'"),
        (lambda: api.NeuralSettings(epochs=2.0), "epochs must be an integer, not 2.0"),
        (lambda: api.LinearSettings(beam=True), "beam must be an integer, not True"),
        (lambda: api.LinearSettings(condition=None), "condition must be a string"),
        (lambda: api.LanguageModelSettings(prune="01"), "prune must be a list of integers"),
    ],
)
def test_arguments_of_another_type(call: Any, message: str) -> None:
    with pytest.raises(SyntagmaError, match=message) as caught:
        call()
    assert str(caught.value).isprintable()


def test_one_condition_is_a_list_of_one() -> None:
    english = syntagma.load("en")
    report = syntagma.evaluate(english, (each for each in [CATS]), "labelled")  # type: ignore[arg-type]
    assert [figures.condition for figures in report.figures] == ["labelled"]
