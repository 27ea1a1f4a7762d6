"""The forms that words may take, as scorers that choose among them see them (ZC15 §5.7).

`realization` proposes forms; a search decides among them, together with the order.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import NamedTuple

from syntagma.problem.word import Alternative, shape_and_suffix
from syntagma.transition.encoding import NONE, Encoding, form_number
from syntagma.transition.vocabulary import Vocabulary

# Upper bounds of the buckets of -log share.
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


# The number of the first form of each word and, last, that of all forms; all forms; their tags.
FormArrays = tuple[Sequence[int], Sequence[FormRow], Sequence[int]]


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
    first_forms, rows, tags = [0], list[FormRow](), list[int]()
    for number, choice in enumerate(choices):
        given = encoding.tags[number]
        for index, each in enumerate(choice):
            form = form_number(each.text, vocabulary)
            tried: tuple[int, ...] = (given,)
            if given == NONE:
                proposed = vocabulary.tags_of(each.text, as_unseen=bool(gold) and form == 0)
                more = added.get((encoding.leaders[number], index), ())
                tried = tuple(dict.fromkeys((*proposed, *more)))
            kind = kinds.setdefault((each.text, each.initial), len(kinds))
            share = share_interval(choice, index)
            shape, suffix = shape_and_suffix(each.text) if vocabulary.back_off else (0, 0)
            rows.append(FormRow(form, shape, suffix, kind, share, len(tags), len(tried)))
            tags += tried
        first_forms.append(len(rows))
    return first_forms, rows, tags


def share_interval(choice: Sequence[Alternative], index: int) -> int:
    """The interval of the share of a form among those of its word; 0 if it is the only one."""
    return 0 if len(choice) == 1 else 1 + bisect(BOUNDS, -choice[index].log_share)
