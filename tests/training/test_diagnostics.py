"""Warnings of treebanks and results that are odd."""

from __future__ import annotations

import pytest

from syntagma.errors import TrainingError
from syntagma.training.diagnostics import check_orders, doubts_of_data, doubts_of_result
from syntagma.training.run import Epoch, TrainingReport
from syntagma.treebanks.treebank import Sentence

NAMES = "a.conllu", "b.conllu"


def tree(number: int, *, heads: tuple[int, ...] = (2, 0, 4, 2, 4), word: str = "w") -> Sentence:
    """A sentence of its own words, among some that all share."""
    forms = ("the", f"{word}{number}", "and", "then", ".")
    return Sentence(forms, ("X",) * 5, heads, ("det", "root", "cc", "conj", "punct"))


TRAIN = [tree(number) for number in range(250)]
DEV = [tree(number) for number in range(250, 310)]


def doubts(train: list[Sentence], dev: list[Sentence]) -> list[str]:
    return list(doubts_of_data(train, dev, NAMES, pretrains=False))


def test_a_usual_treebank_is_not_doubted() -> None:
    assert doubts(TRAIN, DEV) == []
    check_orders(TRAIN, "a.conllu")


@pytest.mark.parametrize(
    ("train", "dev", "message"),
    [
        (TRAIN[:199], DEV, "a.conllu: only 199 sentences to learn from, so expect poor orders"),
        (TRAIN, DEV[:1], "b.conllu: only 1 sentence, so the best epoch is chosen"),
        (TRAIN, TRAIN, "b.conllu: 100% of the sentences are also in a.conllu, so dev BLEU"),
        (TRAIN, TRAIN[:20] + DEV[:40], "b.conllu: 33% of the sentences are also in a.conllu"),
        (
            [tree(n, heads=(3, 3, 0, 3, 3)) for n in range(250)],
            DEV,
            "a.conllu: in 100% of the sentences all words depend on one word",
        ),
        (
            [tree(n, heads=(0, 1, 2, 3, 4)) for n in range(250)],
            DEV,
            "a.conllu: in 100% of the sentences each word depends on its neighbour",
        ),
        (
            [tree(n, heads=(2, 3, 4, 5, 0)) for n in range(250)],
            DEV,
            "a.conllu: in 100% of the sentences each word depends on its neighbour",
        ),
        (
            TRAIN,
            [Sentence(tuple("αβγδε"), ("X",) * 5, (2, 0, 4, 2, 4), DEV[0].deprels)] * 60,
            "b.conllu: only 0% of the words are in a.conllu; are both of the same language",
        ),
        (
            TRAIN,
            [Sentence(s.forms, s.tags, s.heads, ("DET", "ROOT", "CC", "CONJ", "P")) for s in DEV],
            "b.conllu: only 0% of the arcs have a label that a.conllu has",
        ),
    ],
)
def test_what_is_doubted(train: list[Sentence], dev: list[Sentence], message: str) -> None:
    [found] = doubts(train, dev)
    assert found.startswith(message)


def test_advice_is_of_use_to_the_learner() -> None:
    for pretrains in (False, True):
        [found] = doubts_of_data(TRAIN[:9], DEV, NAMES, pretrains=pretrains)
        assert ("--pretrain" in found) is pretrains


def test_one_label_for_all_arcs() -> None:
    train = [Sentence(s.forms, s.tags, s.heads, ("dep", "root", *["dep"] * 3)) for s in TRAIN]
    assert doubts(train, train[:60])[0] == (
        "a.conllu: all arcs have the label 'dep': check the DEPREL column"
    )


def test_short_sentences_are_flat_and_repeated_without_doubt() -> None:
    short = Sentence(("Thank", "you", "!"), ("X",) * 3, (0, 1, 1), ("root", "obj", "punct"))
    assert doubts([short] * 300, [short] * 60) == []


def test_words_alone_have_no_order() -> None:
    alone = [Sentence((form,), ("UH",), (0,), ("root",)) for form in ("Yes", "No")]
    with pytest.raises(TrainingError, match=r"^a\.conllu: every sentence has only one word"):
        check_orders(alone, "a.conllu")


@pytest.mark.parametrize(
    ("bleu", "doubted"),
    [
        ({"none": 2.0, "tree": 60.0, "labelled": 70.0}, ""),
        ({"none": 2.0, "tree": 10.0, "labelled": 12.0}, "dev BLEU labelled is only 12.0"),
        ({"tree": 10.0}, "dev BLEU tree is only 10.0"),
        ({"none": 2.0}, ""),  # which says little about a model
    ],
)
def test_low_figures(bleu: dict[str, float], doubted: str) -> None:
    epochs = (Epoch(1, bleu, {}, 1.0), Epoch(2, dict.fromkeys(bleu, 0.0), {}, 1.0))
    found = list(doubts_of_result(TrainingReport(epochs, 1), 1234))
    assert len(found) == bool(doubted)
    assert all(each.startswith(doubted) and "(1,234; some" in each for each in found)
