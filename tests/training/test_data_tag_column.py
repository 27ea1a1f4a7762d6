"""The column of tags that a model learns from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from syntagma.errors import SyntagmaWarning
from syntagma.linear.settings import LinearSettings
from syntagma.neural.settings import NeuralSettings
from syntagma.training.data import choose_tag_column
from syntagma.treebanks.settings import Settings


def count(tags: Sequence[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Pairs of a UPOS and an XPOS tag, as `tag_pairs` gives them."""
    return Counter((xpos.strip("_"), upos.strip("_")) for upos, xpos in tags)


USUAL = [("NOUN", "NN"), ("NOUN", "NNS"), ("VERB", "VB")] * 20
RARE = [("NOUN", f"N{i}") for i in range(20)]
OTHERS = [("NOUN", "Nom"), ("VERB", "Vrb"), ("NOUN", "NN")] * 20


@pytest.mark.parametrize(
    ("train", "dev", "column", "warning"),
    [
        (USUAL, USUAL, "xpos", ""),
        (USUAL + RARE, USUAL, "upos", "25% of the words have an XPOS tag seen less than 10 times"),
        (USUAL + RARE[:5], USUAL + RARE, "xpos", ""),
        (USUAL, OTHERS, "upos", "67% of the words of DEV have an XPOS tag that TRAIN lacks"),
        ([("NOUN", "N"), ("VERB", "V")] * 9, USUAL, "upos", ""),  # nothing is lost
        ([("NOUN", "NOUN"), ("VERB", "VERB")] * 9, USUAL, "upos", ""),
        ([("_", "NN"), ("_", "VB")] * 9, USUAL, "xpos", ""),
        ([("NOUN", "_"), ("VERB", "_")] * 9, USUAL, "upos", "no word has XPOS tags"),
    ],
)
def test_the_treebank_decides(
    train: Sequence[tuple[str, str]],
    dev: Sequence[tuple[str, str]],
    column: str,
    warning: str,
    recwarn: pytest.WarningsRecorder,
) -> None:
    def chosen(settings: Settings) -> tuple[str | None, list[str]]:
        recwarn.clear()
        found = choose_tag_column("t", count(train), count(dev), settings).tag_column
        return found, [str(each.message) for each in recwarn if each.category is SyntagmaWarning]

    found, messages = chosen(NeuralSettings())
    assert found == column
    assert len(messages) == bool(warning)
    assert all(message.startswith(f"t: {warning}, so the model") for message in messages)
    if "no word" not in warning:
        assert chosen(LinearSettings()) == ("xpos", []), "as in the papers"


def test_a_column_that_is_given_is_taken() -> None:
    pairs = count(USUAL + RARE)
    for column in ("xpos", "upos"):
        settings = NeuralSettings(tag_column=column)
        assert choose_tag_column("t", pairs, pairs, settings) == settings


def test_without_a_development_set() -> None:
    assert choose_tag_column("t", count(USUAL), Counter(), NeuralSettings()).tag_column == "xpos"
