"""Projective and non-projective sentences apart, and words lifted rightly."""

from __future__ import annotations

import pytest

from syntagma.evaluation.bleu import bleu_metric
from syntagma.evaluation.projectivity import compare_projectivity, lifted_words

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
