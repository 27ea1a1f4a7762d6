"""The forms that words may take, as leaf edges are made of them (ZC15 §5.7).

`realization` proposes forms; the search decides between them (`_dependency_edges`).
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import NamedTuple

from syntagma.problem.alternative import Alternative
from syntagma.problem.shape import shape_and_suffix
from syntagma.transition.encoding import Encoding, form_number
from syntagma.transition.vocabulary import Vocabulary

# Upper bounds of -log share, by which the shares of forms are told apart as features.
BOUNDS = (0.05, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0)

GoldForm = tuple[int, int, int]  # word, index of its form, tag


class FormRow(NamedTuple):
    """A form that a word may take."""

    form: int
    shape: int
    suffix: int
    kind: int  # forms of one kind are written alike
    share: int  # the interval of its share, from 1; 0 if it is the only form
    tags_start: int
    tags_count: int


# The number of the first form of each word, and of all forms; all forms; the tags to try.
FormArrays = tuple[list[int], list[FormRow], list[int]]


def form_arrays(
    encoding: Encoding, vocabulary: Vocabulary, gold: Sequence[GoldForm] = ()
) -> FormArrays | None:
    """The forms of all words, or None if there is no choice.

    A word without a given tag takes the tags of its form. In training, forms that the vocabulary
    does not have take those of unseen words, and the gold tags are added.
    """
    choices = encoding.choices
    if choices is None:
        return None
    added: dict[tuple[int, int], list[int]] = {}
    for word, index, tag in gold:
        added.setdefault((encoding.leaders[word], index), []).append(tag)
    kinds: dict[tuple[str, str], int] = {}
    first_units, rows, tags = [0], list[FormRow](), list[int]()
    for word, choice in enumerate(choices):
        for index, each in enumerate(choice):
            number = form_number(each.text, vocabulary)
            tried = vocabulary.tags_of(each.text, as_unseen=bool(gold) and number == 0)
            tried = tuple(dict.fromkeys((*tried, *added.get((word, index), ()))))
            kind = kinds.setdefault((each.text, each.initial), len(kinds))
            share = share_interval(choice, index)
            rows.append(
                FormRow(number, *shape_and_suffix(each.text), kind, share, len(tags), len(tried))
            )
            tags += tried
        first_units.append(len(rows))
    return first_units, rows, tags


def share_interval(choice: Sequence[Alternative], index: int) -> int:
    """The interval of the share of a form among those of its word; 0 if it is the only one."""
    return 0 if len(choice) == 1 else 1 + bisect(BOUNDS, -choice[index].log_share)
