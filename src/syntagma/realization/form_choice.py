"""Which of its forms a lemma takes, by its neighbours in the tree.

There is a log-linear model for each lemma, with its tag and features, that was seen often and in
several forms: *not* is *n't* beside *do*, *be* is *'s* beside *it*. The words before and after are
the concern of the search, or of `form_context`. `form_choice_training` learns the weights.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.files.sections import check_sections, damaged, text_section, unpack_text
from syntagma.problem.problem import Problem
from syntagma.realization.inflection import Form
from syntagma.realization.lexicon import sorted_features

SECTION = "form_choice"
_MAX_WEIGHT = 10**6  # in hundredths

Key = tuple[str, str, str]  # lemma, tag, features
Weights = dict[Key, dict[str, tuple[int, ...]]]  # of each context for each form, in hundredths


class FormChoice:
    """Log-linear models of forms; the forms are those of an inflector, in its order."""

    def __init__(self, weights: Weights | bytes) -> None:
        """The weights may be packed, as in a model file: they are unpacked when first needed."""
        self._given = weights

    @cached_property
    def _weights(self) -> Weights:
        return (
            unpack_weights(self._given, SECTION) if isinstance(self._given, bytes) else self._given
        )

    def log_shares(self, problem: Problem, forms: Sequence[Sequence[Form]]) -> list[list[float]]:
        """The logarithms of the shares of the forms that each word of the problem may take."""
        tree = LemmaTree(
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

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        packed = self._given if isinstance(self._given, bytes) else pack_weights(self._given)
        return {SECTION: np.frombuffer(packed, np.uint8)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> FormChoice:
        check_sections(arrays, [text_section(SECTION)])
        return cls(arrays[SECTION].tobytes())


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


class LemmaTree:
    """A tree of lemmas; heads are 1-based, 0 for the root; None is not given."""

    def __init__(
        self,
        lemmas: Sequence[str],
        heads: Sequence[int | None],
        deprels: Sequence[str | None],
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
