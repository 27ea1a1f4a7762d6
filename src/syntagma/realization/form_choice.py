"""Which of its forms a lemma takes, as far as its neighbours in the tree tell.

A log-linear model for each lemma, with its tag and features, that was seen often and in several
forms: *not* is *n't* beside *do*, *be* is *'s* beside *it*. What the words before and after say is
the language model's business.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError
from syntagma.problem.problem import Problem
from syntagma.realization.inflection import Form, Inflector, neutral_forms, sorted_features
from syntagma.treebanks.treebank import Sentence

SECTION = "form_choice"
_DAMAGED = "what the model knows of the choice of forms is damaged; train it again"
MIN_LEMMA = 20  # a lemma that was seen less often has no model
MIN_CONTEXT = 5  # nor has such a context a weight
_ROUNDS = 100  # of gradient ascent
_STEP = 0.3
_PRIOR = 1.0  # weights are drawn to zero by so much
_LEAST = 10  # a weight, in hundredths, that matters

Key = tuple[str, str, str]  # lemma, tag, features
Weights = dict[Key, dict[str, tuple[int, ...]]]  # of each context for each form, in hundredths
_Example = tuple[int, list[str]]  # the form, and the contexts


class FormChoice:
    """Log-linear models of forms; the forms are those of an inflector, in its order."""

    def __init__(self, weights: Weights | bytes) -> None:
        """The weights, or, as a file has them, packed: they are unpacked when they are needed."""
        self._given = weights

    @cached_property
    def _weights(self) -> Weights:
        return _unpack(self._given) if isinstance(self._given, bytes) else self._given

    @classmethod
    def of_treebank(cls, sentences: Iterable[Sentence], inflector: Inflector) -> FormChoice:
        examples: defaultdict[Key, list[_Example]] = defaultdict(list)
        for sentence in sentences:
            if not sentence.lemmas:
                continue
            tree = LemmaTree(sentence.lemmas, sentence.heads, sentence.deprels)
            features = map(sorted_features, sentence.features)
            words = zip(sentence.lemmas, sentence.tags, features, strict=True)
            for i, (key, form) in enumerate(zip(words, neutral_forms(sentence), strict=True)):
                forms = _texts(inflector.forms(*key)) if key[0] else []
                if len(forms) > 1 and form.lower() in forms:
                    examples[key].append((forms.index(form.lower()), tree.contexts(i)))
        return cls(
            {
                key: _learn(inflector.forms(*key), seen)
                for key, seen in sorted(examples.items())
                if len(seen) >= MIN_LEMMA
            }
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
        packed = self._given if isinstance(self._given, bytes) else _pack(self._given)
        return {SECTION: np.frombuffer(packed, np.uint8)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> FormChoice:
        if SECTION not in arrays:
            raise ModelError(_DAMAGED)
        return cls(arrays[SECTION].tobytes())


def _pack(weights: Weights) -> bytes:
    """The weights as a section of a model file; `_unpack` is the inverse."""
    lines = []
    for key, contexts in weights.items():
        lines.append("\t".join(("", *key)))
        for context, values in contexts.items():
            lines.append(f"{context}\t{' '.join(map(str, values))}")
    return zlib.compress("\n".join(lines).encode("utf-8", "surrogatepass"), 9)


def _unpack(packed: bytes) -> Weights:
    weights: Weights = {}
    try:
        text = zlib.decompress(packed).decode("utf-8", "surrogatepass")
        contexts: dict[str, tuple[int, ...]] = {}
        for line in text.split("\n") if text else ():
            first, *rest = line.split("\t")
            if first:
                [values] = rest
                contexts[first] = tuple(map(int, values.split(" ")))
            else:
                lemma, tag, features = rest
                contexts = weights[lemma, tag, features] = {}
    except (ValueError, zlib.error) as error:
        raise ModelError(_DAMAGED) from error
    if any(len(set(map(len, contexts.values()))) > 1 for contexts in weights.values()):
        raise ModelError(_DAMAGED)
    return weights


class LemmaTree:
    """What is given of a tree; heads are 1-based, 0 for the root, and what is None is not given."""

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
        """The arc of a word, its head, its siblings and its dependents, in words."""
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


def _texts(forms: Sequence[Form]) -> list[str]:
    return [form.text.lower() for form in forms]


def _learn(forms: Sequence[Form], examples: Sequence[_Example]) -> dict[str, tuple[int, ...]]:
    """The weights that make the examples likely (AdaGrad, Duchi et al. 2011)."""
    counts = Counter(context for _, contexts in examples for context in set(contexts))
    known = sorted(context for context, count in counts.items() if count >= MIN_CONTEXT)
    number = {context: i for i, context in enumerate(known)}
    seen = np.zeros((len(examples), len(known)), np.float32)
    right = np.zeros((len(examples), len(forms)), np.float32)
    for row, (form, contexts) in enumerate(sorted(examples)):
        seen[row, [number[context] for context in contexts if context in number]] = 1
        right[row, form] = 1
    shares = np.array([form.log_share for form in forms], np.float32)
    weights = np.zeros((len(known), len(forms)), np.float32)
    squares = np.full_like(weights, 1e-8)
    for _ in range(_ROUNDS):
        scores = seen @ weights + shares
        chances = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        gradient = seen.T @ (right - chances) - _PRIOR * weights
        squares += gradient**2
        weights += _STEP * gradient / np.sqrt(squares)
    hundredths = np.rint(100 * weights).astype(int)
    return {
        context: tuple(row.tolist())
        for context, row in zip(known, hundredths, strict=True)
        if np.abs(row).max() >= _LEAST
    }
