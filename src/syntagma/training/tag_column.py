"""The column of tags that a model learns from: XPOS or UPOS.

Which one it is, the treebank decides, unless the settings do.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace

from syntagma.errors import SyntagmaWarning, TrainingError
from syntagma.models.model import Model
from syntagma.neural.settings import NeuralSettings
from syntagma.problem.word import TagColumn
from syntagma.treebanks.settings import Settings

NEARLY_ALL = 0.9  # share of tagged words from which on the usual column is taken
MIN_TAGGED = 0.5  # share of tagged words below which a treebank is refused
MIN_KNOWN = 0.8  # share of tagged words of DEV that must have a tag of TRAIN
# A tag seen less often is rare, and a column with so large a share of rare tags is not learned
# from: UPOS tags, which say less, are learned better.
RARE = 10
MOST_RARE = 0.1

Pairs = Counter[tuple[str, str]]  # of an XPOS and a UPOS tag


def choose_tag_column(
    name: str, train: Pairs, dev: Pairs, settings: Settings, start: Model | None = None
) -> Settings:
    """The settings with the tag column of a treebank, given its pairs of tags and its name.

    If the settings leave it open, it is that of the model to start from, or XPOS, as long as nearly
    all words have such a tag; else the column in which more words have one. A new network learns
    from UPOS tags, too, where XPOS tags say no more, are too many, or are others in `dev`. Raise if
    too few words have a tag.
    """
    usual: TagColumn = "xpos" if start is None else start.header["tag_column"]
    column = settings.tag_column or usual
    if not train:  # an empty treebank, which its reader reports
        return replace(settings, tag_column=column)
    shares: dict[TagColumn, float] = {
        each: 1 - _tags(train, each)[""] / train.total() for each in ("upos", "xpos")
    }
    if settings.tag_column is None and shares[column] < NEARLY_ALL:
        column = max(shares, key=lambda each: (shares[each], each == usual))
    _check_share(name, column, shares)
    if settings.tag_column is not None:
        return settings
    reason = ""
    if column != usual:
        reason = f"{_share(shares[usual])} {usual.upper()} tags"
    elif start is None and isinstance(settings, NeuralSettings) and shares["upos"] >= NEARLY_ALL:
        # Where a UPOS tag never has two XPOS tags, nothing is lost, and no warning is due.
        redundant = len(train) == len(_tags(train, "upos"))
        if not redundant:
            reason = _reason_for_upos(train, dev)
        if reason or redundant:
            column = "upos"
    if reason:
        warnings.warn(
            f"{name}: {reason}, so the model learns from {column.upper()} tags "
            f"({shares[column]:.1%} of the words have one)",
            SyntagmaWarning,
            stacklevel=3,
        )
    return replace(settings, tag_column=column)


def _reason_for_upos(train: Pairs, dev: Pairs) -> str:
    """Why XPOS tags are not learned from; empty if they are."""
    xpos, in_dev = _tags(train, "xpos"), _tags(dev, "xpos")
    rare = _rare(xpos)
    if rare > MOST_RARE and rare > 2 * _rare(_tags(train, "upos")):
        return f"{rare:.0%} of the words have an XPOS tag seen less than {RARE} times"
    unknown = sum(count for tag, count in in_dev.items() if tag and tag not in xpos)
    if unknown > (1 - MIN_KNOWN) * (dev.total() - in_dev[""]):
        return f"{unknown / dev.total():.0%} of the words of DEV have an XPOS tag that TRAIN lacks"
    return ""


def _rare(tags: Counter[str]) -> float:
    """The share of words with a rare tag."""
    return sum(count for count in tags.values() if count < RARE) / tags.total()


def _tags(pairs: Pairs, column: TagColumn) -> Counter[str]:
    tags: Counter[str] = Counter()
    for (xpos, upos), count in pairs.items():
        tags[xpos if column == "xpos" else upos] += count
    return tags


def _check_share(train: str, column: TagColumn, shares: dict[TagColumn, float]) -> None:
    if max(shares.values()) == 0:
        raise TrainingError(
            f"{train} has no tags, neither XPOS nor UPOS, and a model needs them to learn from: "
            "tag the treebank first"
        )
    if shares[column] < MIN_TAGGED:
        other: TagColumn = "upos" if column == "xpos" else "xpos"
        raise TrainingError(
            f"{train}: {_share(shares[column])} {column.upper()} tags, and a model needs them for "
            f"at least {MIN_TAGGED:.0%}; {shares[other]:.1%} have {other.upper()} tags"
            + (f": use those (--tag-column {other})" if shares[other] >= MIN_TAGGED else "")
        )


def _share(share: float) -> str:
    return f"only {share:.1%} of the words have" if share else "no word has"
