"""Which of its forms a lemma takes, by the words before and after it, when the order is known.

It chooses where the search does not: where neither a language model nor the scorer tells the forms
of a lemma apart. Its weights are added to the shares that `form_choice` gives by neighbours in the
tree; `form_choice_training` learns both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.files.sections import check_sections, text_section
from syntagma.problem.alternative import Alternative
from syntagma.realization.form_choice import Key, Weights, pack_weights, unpack_weights
from syntagma.realization.inflection import Form

SECTION = "form_context"
EDGE = ""  # beyond the first and the last word
POOLED = "*"  # in the place of the tag: weights that several lemmas, tags or features share

# What a neighbour adds to the score of each form; takes the side, "after" or "before" the
# neighbour, and the text of the neighbour.
Contribution = Callable[[str, str], Sequence[float]]


class FormContext:
    """Log-linear weights of neighbouring words for forms; none in models made before 0.10."""

    def __init__(self, weights: Weights | bytes) -> None:
        """The weights may be packed, as in a model file: they are unpacked when first needed."""
        self._given = weights

    @cached_property
    def _weights(self) -> Weights:
        if isinstance(self._given, bytes):
            return unpack_weights(self._given, SECTION)
        return self._given

    @cached_property
    def pooled(self) -> bool:
        """Whether lemmas that were seen rarely share weights; not in models before 0.11."""
        return any(tag == POOLED for _, tag, _ in self._weights)

    def contribution(
        self, key: Key, forms: Sequence[Form], choice: Sequence[Alternative]
    ) -> Contribution:
        """What neighbours add to the scores of the forms of a choice; `forms` are those that the
        inflector proposes for the lemma, some of which may not be in the choice."""
        texts = [form.text.lower() for form in forms]
        weights: dict[str, tuple[int, ...]] = {}
        if len(choice) > 1:
            weights = self._weights.get(key, {})
            if not weights and self.pooled and len(texts) > 1:
                texts.sort()
                pools = (self._weights.get(pool, {}) for pool in pooled_keys(key[0], texts))
                weights = next(filter(None, pools), {})
        numbers = {text: number for number, text in enumerate(texts)}
        places = [numbers.get(each.text.lower()) for each in choice]

        def contribute(side: str, neighbour: str) -> Sequence[float]:
            total = [0.0] * len(places)
            for context in neighbour_contexts(side, neighbour) if weights else ():
                values = weights.get(context, ())
                if len(values) == len(forms):
                    for i, place in enumerate(places):
                        total[i] += 0.0 if place is None else values[place] / 100
            return total

        return contribute

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        packed = self._given if isinstance(self._given, bytes) else pack_weights(self._given)
        return {SECTION: np.frombuffer(packed, np.uint8)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> FormContext:
        if SECTION not in arrays:
            return cls({})
        check_sections(arrays, [text_section(SECTION)])
        return cls(arrays[SECTION].tobytes())


def pooled_keys(lemma: str, forms: Sequence[str]) -> tuple[Key, Key]:
    """The keys under which a lemma shares weights with itself under other tags and features, and
    with other lemmas whose forms, which are sorted and in lower case, end alike: *de* and *d'* with
    *lorsque* and *lorsqu'*."""
    pairs = zip(forms[0], forms[-1], strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    endings = " ".join(form[shared:] for form in forms)
    return (lemma.lower(), POOLED, endings), ("", POOLED, endings)


def neighbour_contexts(side: str, form: str) -> tuple[str, ...]:
    """The features of a neighbour, as text: its form, and the letter that is next to the word."""
    if form == EDGE:
        return (f"{side} edge",)
    letter = form[:1] if side == "before" else form[-1:]
    return f"{side} {form.lower()}", f"{side} letter {letter.lower()}"


def best_forms(
    choices: Sequence[Sequence[Alternative]], contributions: Sequence[Contribution]
) -> list[int]:
    """The indices of the best forms of a sentence: those with the largest sum of log shares and of
    what neighbours contribute, by dynamic programming (Viterbi). Of equal ones, the first."""
    sums = _start(choices[0], contributions[0])
    origins: list[list[int]] = []
    for at in range(1, len(choices)):
        last, choice = choices[at - 1], choices[at]
        to_last = [contributions[at - 1]("before", each.text) for each in choice]
        to_this = [contributions[at]("after", each.text) for each in last]
        paths = [
            [sums[i] + to_last[j][i] + to_this[i][j] for i in range(len(last))]
            for j in range(len(choice))
        ]
        origins.append([max(range(len(last)), key=each.__getitem__) for each in paths])
        sums = [max(each) + form.log_share for each, form in zip(paths, choice, strict=True)]
    ends = contributions[-1]("before", EDGE)
    chosen = [max(range(len(sums)), key=lambda i: sums[i] + ends[i])]
    for each in reversed(origins):
        chosen.append(each[chosen[-1]])
    return chosen[::-1]


def _start(choice: Sequence[Alternative], contribution: Contribution) -> list[float]:
    added = contribution("after", EDGE)
    return [each.log_share + more for each, more in zip(choice, added, strict=True)]
