"""Which of its forms a lemma takes: log-linear models of the context of a word.

`FormChoice` reads the neighbours in the tree: *not* is *n't* beside *do*, *be* is *'s* beside *it*.
`FormContext` reads the words before and after, once the order is known. It chooses where the search
does not: where neither a language model nor the scorer distinguishes the forms of a lemma.
`training` learns the weights of both.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from syntagma.files.sections import check_sections, damaged, text_section, unpack_text
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative
from syntagma.realization.inflection import Form
from syntagma.realization.letters import shared_letters
from syntagma.realization.lexicon import sorted_features

EDGE = ""  # beyond the first and the last word
POOLED = "*"  # in the place of the tag: weights that several lemmas, tags or features share
_MAX_WEIGHT = 10**6  # in hundredths

LemmaKey = tuple[str, str, str]  # lemma, tag, features
Weights = dict[LemmaKey, dict[str, tuple[int, ...]]]  # of each context for each form, in hundredths

# What a neighbour adds to the score of each form; takes the side, "after" or "before" the
# neighbour, and the text of the neighbour.
Contribution = Callable[[str, str], Sequence[float]]


class _FormModel:
    """A log-linear model for each lemma, with its tag and features, that was seen often and in
    several forms; the forms are those of an inflector, in its order."""

    SECTION: ClassVar[str]

    def __init__(self, weights: Weights | bytes) -> None:
        """The weights may be packed, as in a model file: they are unpacked when first needed."""
        self._given = weights

    @cached_property
    def _weights(self) -> Weights:
        packed = self._given
        return unpack_weights(packed, self.SECTION) if isinstance(packed, bytes) else packed

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        packed = self._given if isinstance(self._given, bytes) else pack_weights(self._given)
        return {self.SECTION: np.frombuffer(packed, np.uint8)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        check_sections(arrays, [text_section(cls.SECTION)])
        return cls(arrays[cls.SECTION].tobytes())


class FormChoice(_FormModel):
    """Weights of neighbours in the tree for forms."""

    SECTION = "form_choice"

    def log_shares(self, problem: Problem, forms: Sequence[Sequence[Form]]) -> list[list[float]]:
        """The logarithms of the shares of the forms that each word of the problem may take."""
        tree = TreeContexts(
            [word.name for word in problem.words],
            [word.head for word in problem.words],
            [word.deprel for word in problem.words],
        )
        shares = []
        for i, (word, several) in enumerate(zip(problem.words, forms, strict=True)):
            found = [form.log_share for form in several]
            features = sorted_features(word.features or "")
            weights = self._weights.get((word.lemma or "", word.tag or "", features))
            if weights and len(found) > 1:
                scores = np.array(found)
                for context in tree.contexts(i):
                    values = weights.get(context, ())
                    if len(values) == len(found):
                        scores = scores + np.array(values) / 100
                found = (scores - np.logaddexp.reduce(scores)).tolist()
            shares.append(found)
        return shares


def pack_weights(weights: Weights) -> bytes:
    """The weights as a section of a model file; `unpack_weights` is the inverse."""
    lines = []
    for key, contexts in weights.items():
        lines.append("\t".join(("", *key)))
        for context, values in contexts.items():
            lines.append(f"{context}\t{' '.join(map(str, values))}")
    return zlib.compress("\n".join(lines).encode("utf-8", "surrogatepass"), 9)


def unpack_weights(packed: bytes, section: str) -> Weights:
    weights: Weights = {}
    try:
        text = unpack_text(packed, section)
        contexts: dict[str, tuple[int, ...]] = {}
        for line in text.split("\n") if text else ():
            first, *rest = line.split("\t")
            if first:
                [values] = rest
                contexts[first] = tuple(map(int, values.split(" ")))
            else:
                lemma, tag, features = rest
                contexts = weights[lemma, tag, features] = {}
    except ValueError as error:
        raise damaged(section, "a line is malformed") from error
    for contexts in weights.values():
        if len(set(map(len, contexts.values()))) > 1 or any(
            abs(value) > _MAX_WEIGHT for values in contexts.values() for value in values
        ):
            raise damaged(section, "the weights of a lemma are not as many as its forms, or huge")
    return weights


class TreeContexts:
    """Neighbours in a tree of lemmas; heads are 1-based, 0 for the root; None: not given."""

    def __init__(
        self, lemmas: Sequence[str], heads: Sequence[int | None], deprels: Sequence[str | None]
    ) -> None:
        self._lemmas = [lemma.lower() for lemma in lemmas]
        self._heads = heads
        self._deprels = deprels
        self._dependents: defaultdict[int, list[int]] = defaultdict(list)
        for i, head in enumerate(heads):
            if head:
                self._dependents[head - 1].append(i)

    def contexts(self, i: int) -> list[str]:
        """The features of a word: its arc, its head, its siblings and its dependents, as text."""
        head, deprel = self._heads[i], self._deprels[i]
        found = [f"arc {deprel}"]
        if head:
            found.append(f"head {self._lemmas[head - 1]}")
            for other in self._dependents[head - 1]:
                if other != i:
                    found.append(f"sibling {self._deprels[other]}")
                    found.append(f"sibling {self._deprels[other]} {self._lemmas[other]}")
        found += (
            f"dependent {self._deprels[other]} {self._lemmas[other]}"
            for other in self._dependents[i]
        )
        return found


class FormContext(_FormModel):
    """Weights of neighbouring words for forms; none in models made before 0.10."""

    SECTION = "form_context"

    @cached_property
    def pooled(self) -> bool:
        """Whether lemmas that were seen rarely share weights; not in models before 0.11."""
        return any(tag == POOLED for _, tag, _ in self._weights)

    def contribution(
        self, key: LemmaKey, forms: Sequence[Form], choice: Sequence[Alternative]
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

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        return super().from_arrays(arrays) if cls.SECTION in arrays else cls({})


def pooled_keys(lemma: str, forms: Sequence[str]) -> tuple[LemmaKey, LemmaKey]:
    """The keys under which a lemma shares weights with itself under other tags and features, and
    with other lemmas whose forms have the same endings: *de* and *d'* with *lorsque* and *lorsqu'*.
    The forms are sorted and in lower case."""
    shared = shared_letters(forms[0], forms[-1])
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
    starts = contributions[0]("after", EDGE)
    sums = [each.log_share + more for each, more in zip(choices[0], starts, strict=True)]
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
