"""Spans: figures worked out by hand, laws of precision and recall, and `evaluate --spans`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys.linearizer import FakeLinearizer, fake_load
from toys.strategies import trees
from toys.treebank import write_treebank

import syntagma.linearizer.linearizer
from syntagma.cli.app import run
from syntagma.evaluation.bleu import bleu_metric
from syntagma.evaluation.spans import (
    OrderedTree,
    SpanFigures,
    SpanScores,
    compare_projectivity,
    compare_spans,
    lifted_words,
    treelets,
)
from syntagma.linear.settings import LinearSettings
from syntagma.problem.trees import lift
from syntagma.request import Request
from syntagma.results.linearization import Linearization, Token


def words(text: str) -> list[str]:
    return text.split()


# Treelets of two (the dog), three (in the yard) and all seven words.
GOLD: OrderedTree = (words("the dog barks loudly in the yard"), [2, 3, 0, 3, 7, 7, 3])
# The same order: "the dog" and the whole are right, "loudly in the yard" is not.
OUTPUT: OrderedTree = (words("the dog barks loudly in the yard"), [2, 3, 0, 7, 7, 7, 3])
# Three pieces: "dog the" is the wrong way round, "in the yard" right; "barks" is left out.
PIECES: OrderedTree = (words("dog the loudly in the yard"), [0, 1, 0, 6, 6, 0])


def counts(figures: SpanFigures) -> dict[str, tuple[int, int, int]]:
    return {row.length: (row.output, row.gold, row.right) for row in figures.scores}


def test_treelets() -> None:
    assert treelets(*GOLD) == [
        ("the", "dog"),
        ("the", "dog", "barks", "loudly", "in", "the", "yard"),
        ("in", "the", "yard"),
    ]
    assert treelets(*PIECES) == [("dog", "the"), ("in", "the", "yard")]
    assert treelets(["go"], [0]) == treelets(["go", "home"], [0, 0]) == treelets([], []) == []


def test_scores_by_hand() -> None:
    figures = compare_spans([OUTPUT], [GOLD])
    # Below five words: "the dog" and "loudly in the yard", against "the dog" and "in the yard".
    assert counts(figures) == {
        "<5": (2, 2, 1),
        "<10": (3, 3, 2),
        "<15": (3, 3, 2),
        "<30": (3, 3, 2),
        "all": (3, 3, 2),
    }
    short, *_, whole = figures.scores
    assert (short.precision, short.recall, short.f) == (50, 50, 50)
    assert whole.precision == whole.recall == whole.f == pytest.approx(200 / 3)


def test_scores_of_pieces_by_hand() -> None:
    figures = compare_spans([PIECES], [GOLD])
    assert counts(figures) == {
        "<5": (2, 2, 1),
        "<10": (2, 3, 1),
        "<15": (2, 3, 1),
        "<30": (2, 3, 1),
        "all": (2, 3, 1),
    }
    whole = figures.scores[-1]
    assert whole.precision == 50
    assert whole.recall == pytest.approx(100 / 3)
    assert whole.f == pytest.approx(40)  # 2 · 1 / (2 + 3)


def test_sentences_are_compared_one_by_one() -> None:
    """What is right in another sentence is wrong in this one."""
    other: OrderedTree = (words("a bird sings"), [2, 3, 0])
    assert counts(compare_spans([GOLD, other], [other, GOLD]))["all"] == (5, 5, 0)
    assert counts(compare_spans([GOLD, other], [GOLD, other]))["all"] == (5, 5, 5)


def test_a_treelet_is_right_as_often_as_the_gold_tree_has_it() -> None:
    gold: OrderedTree = (words("so so on so so"), [2, 3, 0, 5, 3])  # "so so" twice
    output: OrderedTree = (words("so so on so so"), [2, 3, 0, 3, 3])  # once
    assert counts(compare_spans([output], [gold]))["<5"] == (1, 2, 1)
    assert counts(compare_spans([gold], [output]))["<5"] == (2, 1, 1)


def test_the_same_words_in_another_order_are_another_treelet() -> None:
    assert counts(compare_spans([(["b", "a"], [0, 1])], [(["a", "b"], [2, 0])]))["all"] == (1, 1, 0)
    # Which word is the head does not matter.
    assert counts(compare_spans([(["a", "b"], [0, 1])], [(["a", "b"], [2, 0])]))["all"] == (1, 1, 1)


def test_nothing_to_compare() -> None:
    nothing = SpanScores("all", 0, 0, 0)
    assert compare_spans([], []).scores[-1] == nothing
    assert (nothing.precision, nothing.recall, nothing.f) == (None, None, None)
    lost = compare_spans([([], [])], [GOLD])
    assert lost.scores[-1] == SpanScores("all", 0, 3, 0)
    assert (lost.scores[-1].precision, lost.scores[-1].recall, lost.scores[-1].f) == (None, 0, 0)
    assert lost.distribution[0].output_share is None
    assert lost.distribution[0].gold_share == pytest.approx(100 / 3)


def chain(size: int) -> OrderedTree:
    """Every word depends on the next one: one span of each length from 2 to `size`."""
    return [f"w{number}" for number in range(size)], [*range(2, size + 1), 0]


def test_distribution_by_hand() -> None:
    figures = compare_spans([chain(41), chain(3)], [chain(11), chain(2)])
    shares = {row.length: (row.output, row.gold) for row in figures.distribution}
    assert shares == {
        "2": (2, 2),
        "3": (2, 1),
        "4": (1, 1),
        "5": (1, 1),
        "6": (1, 1),
        "7": (1, 1),
        "8": (1, 1),
        "9": (1, 1),
        "10-14": (5, 2),
        "15-19": (5, 0),
        "20-29": (10, 0),
        "30+": (12, 0),
    }
    assert figures.distribution[0].output_share == pytest.approx(100 * 2 / 42)
    assert figures.distribution[0].gold_share == pytest.approx(100 * 2 / 11)


def test_limits_of_the_table() -> None:
    figures = compare_spans([chain(41)], [chain(41)])
    # Lengths 2 to 4, to 9, to 14, to 29, to 41.
    assert [row.right for row in figures.scores] == [3, 8, 13, 28, 40]


@st.composite
def forests(draw: st.DrawFn) -> OrderedTree:
    """Words that often look alike; pieces beside each other, each a projective tree."""
    forms: list[str] = []
    heads: list[int] = []
    for tree in draw(st.lists(trees(), max_size=3)):
        start = len(heads)
        heads += [head and head + start for head in lift(tree)]
        forms += draw(st.lists(st.sampled_from("ab"), min_size=len(tree), max_size=len(tree)))
    return forms, heads


PAIRS = st.lists(st.tuples(forests(), forests()), max_size=3)


@pytest.mark.slow
@given(forests())
def test_a_treelet_is_the_stretch_that_its_word_governs(tree: OrderedTree) -> None:
    forms, heads = tree
    expected = []
    for word in range(1, len(forms) + 1):
        governed = {word}
        while more := {d for d, h in enumerate(heads, 1) if h in governed} - governed:
            governed |= more
        low, high = min(governed), max(governed)
        assert len(governed) == high - low + 1  # projective: no gaps
        if low < high:
            expected.append(tuple(forms[low - 1 : high]))
    assert treelets(forms, heads) == expected


@pytest.mark.slow
@given(st.lists(forests(), max_size=3))
def test_gold_trees_are_right(golds: list[OrderedTree]) -> None:
    for row in compare_spans(golds, golds).scores:
        assert row.output == row.gold == row.right
        assert row.precision == row.recall == row.f == (100 if row.gold else None)


@pytest.mark.slow
@given(PAIRS)
def test_precision_and_recall_swap_with_the_trees(
    pairs: list[tuple[OrderedTree, OrderedTree]],
) -> None:
    outputs, golds = [a for a, _ in pairs], [b for _, b in pairs]
    there, back = compare_spans(outputs, golds), compare_spans(golds, outputs)
    for one, other in zip(there.scores, back.scores, strict=True):
        assert (one.precision, one.recall, one.f) == (other.recall, other.precision, other.f)
    for share, swapped in zip(there.distribution, back.distribution, strict=True):
        assert (share.output_share, share.gold_share) == (swapped.gold_share, swapped.output_share)


@pytest.mark.slow
@given(PAIRS)
def test_counts_add_up(pairs: list[tuple[OrderedTree, OrderedTree]]) -> None:
    figures = compare_spans([a for a, _ in pairs], [b for _, b in pairs])
    whole = figures.scores[-1]
    assert sum(row.output for row in figures.distribution) == whole.output
    assert sum(row.gold for row in figures.distribution) == whole.gold
    assert whole.output == sum(len(treelets(*output)) for output, _ in pairs)
    for fewer, more in zip(figures.scores, figures.scores[1:], strict=False):
        assert fewer.output <= more.output
        assert fewer.gold <= more.gold
        assert fewer.right <= more.right
    for row in figures.scores:
        assert 0 <= row.right <= min(row.output, row.gold)
    if whole.output:
        shares = [row.output_share for row in figures.distribution]
        assert sum(share for share in shares if share is not None) == pytest.approx(100)


# The command line

GOLD_SPANS = 10 + 8 + 3  # whole sentences, noun phrases, "at sea", "to the bridge", "near the boat"


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("spans") / "toy.conllu")


@pytest.fixture(scope="module")
def model(treebank: Path) -> Path:
    path = treebank.with_name("toy.syntagma")
    settings = LinearSettings(epochs=4, beam=8)
    syntagma.train(treebank, treebank, path, settings=settings, name="toy")
    return path


def test_evaluate_spans(
    model: Path, treebank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "figures.json"
    arguments = ["evaluate", "-m", str(model), "--data", str(treebank), "-c", "none", "-c", "tree"]
    assert run([*arguments, "--json", str(record)]) == 0
    plain = capsys.readouterr().out
    assert "precision" not in plain
    assert not any("spans" in each for each in json.loads(record.read_text())["conditions"])

    assert run([*arguments, "--spans", "--json", str(record)]) == 0
    out = capsys.readouterr().out
    assert out.count("precision") == out.count("span length") == 2
    none, tree = json.loads(record.read_text())["conditions"]
    for condition in (none, tree):
        whole = condition["spans"]["scores"][-1]
        assert (whole["length"], whole["gold"]) == ("all", GOLD_SPANS)
        assert sum(row["gold"] for row in condition["spans"]["distribution"]) == GOLD_SPANS
    # With the tree given, there are as many spans of each length as in the gold trees.
    assert tree["spans"]["scores"][-1]["output"] == GOLD_SPANS
    for row in tree["spans"]["distribution"]:
        assert row["output"] == row["gold"]
        assert row["output_share"] == row["gold_share"]


FOX = """\
1\tA\t_\tDET\tDT\t_\t2\tdet\t_\t_
2\tfox\t_\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\truns\t_\tVERB\tVBZ\t_\t0\troot\t_\t_

"""


class HastyLinearizer(FakeLinearizer):
    """Joins the first two words and runs out of time."""

    def solve(self, problems: Any, request: Request, **options: Any) -> Iterator[Any]:
        for whole in super().solve(problems, request, **options):
            assert isinstance(whole, Linearization)
            first, second = whole.tokens[:2]
            tokens = (first, Token(second.form, second.tag, 0, "root", second.source))
            yield Linearization(tokens, 0.0, whole.problem, finished=False)


@pytest.mark.slow
def test_evaluate_spans_of_unfinished_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(syntagma.linearizer.linearizer, "load", fake_load(HastyLinearizer()))
    treebank = tmp_path / "fox.conllu"
    treebank.write_text(FOX)
    assert run(["evaluate", "--data", str(treebank), "-c", "none", "--spans"]) == 0
    out = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert UNFINISHED in out
    (row,) = (line.split() for line in out.splitlines() if line.startswith("none  "))
    assert row[3:5] == ["66.7", "1"]  # coverage, unfinished


UNFINISHED = """
                          none
words   sentences   coverage %
──────────────────────────────
1-10            1         66.7

none
spans   output   gold   right   precision   recall       F
──────────────────────────────────────────────────────────
<5           1      2       1      100.00    50.00   66.67
<10          1      2       1      100.00    50.00   66.67
<15          1      2       1      100.00    50.00   66.67
<30          1      2       1      100.00    50.00   66.67
all          1      2       1      100.00    50.00   66.67

none
span length   output %   gold %
───────────────────────────────
2                100.0     50.0
3                  0.0     50.0
"""


TALK = (["What", "did", "you", "talk", "about", "?"], (4, 4, 4, 0, 1, 4))
FLAT = (["About", "what", "did", "you", "talk", "?"], (2, 5, 5, 5, 0, 5))


def test_words_that_an_order_lifts() -> None:
    assert lifted_words(*TALK) == {("about", "What", 1): 1}
    assert not lifted_words(*FLAT)


def test_figures() -> None:
    golds = [TALK, TALK, FLAT, FLAT]
    outputs = [TALK, FLAT, FLAT, (TALK[0][::-1], tuple(7 - h if h else 0 for h in TALK[1][::-1]))]
    texts, references = ([" ".join(forms) for forms, _ in trees] for trees in (outputs, golds))
    metric = bleu_metric("none", lowercase=False)
    figures = compare_projectivity(texts, references, outputs, golds, metric)
    assert figures.sentences == 4
    assert (figures.projective.sentences, figures.nonprojective.sentences) == (2, 2)
    assert (figures.projective.exact, figures.nonprojective.exact) == (50, 50)
    assert figures.projective.bleu is not None
    assert 0 < figures.projective.bleu < 100
    assert (figures.output, figures.gold, figures.right) == (2, 2, 1)
    assert (figures.output_share, figures.gold_share) == (50, 50)
    assert (figures.precision, figures.recall) == (50, 50)


@pytest.mark.parametrize("tree", [TALK, FLAT])
def test_one_kind_alone(tree: tuple[list[str], tuple[int, ...]]) -> None:
    text = [" ".join(tree[0])]
    figures = compare_projectivity(text, text, [tree], [tree], bleu_metric("none", lowercase=False))
    missing = figures.projective if tree is TALK else figures.nonprojective
    assert (missing.sentences, missing.bleu, missing.exact) == (0, None, None)
    assert (figures.precision is None) == (tree is FLAT)
