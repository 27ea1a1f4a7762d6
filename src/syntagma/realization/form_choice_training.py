"""Learns from the trees of a treebank which of its forms a lemma takes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from syntagma.realization.form_choice import FormChoice, Key, LemmaTree
from syntagma.realization.inflection import Form, Inflector
from syntagma.realization.inflection_training import neutral_forms
from syntagma.realization.lexicon import sorted_features
from syntagma.treebanks.treebank import Sentence

MIN_LEMMA = 20  # a lemma seen less often has no model
MIN_CONTEXT = 5  # a context seen less often has no weight
_ROUNDS = 100  # of gradient ascent
_LEARNING_RATE = 0.3
_L2 = 1.0  # regularisation
_LEAST = 10  # in hundredths; contexts whose weights are all smaller are dropped

_Example = tuple[int, list[str]]  # the form, and the contexts


def learn_form_choice(sentences: Iterable[Sentence], inflector: Inflector) -> FormChoice:
    """Learn to choose among the forms that the inflector proposes."""
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
    return FormChoice(
        {
            key: _learn(inflector.forms(*key), seen)
            for key, seen in sorted(examples.items())
            if len(seen) >= MIN_LEMMA
        }
    )


def _texts(forms: Sequence[Form]) -> list[str]:
    return [form.text.lower() for form in forms]


def _learn(forms: Sequence[Form], examples: Sequence[_Example]) -> dict[str, tuple[int, ...]]:
    """Weights that maximise the likelihood of the examples, by AdaGrad (Duchi et al. 2011)."""
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
        gradient = seen.T @ (right - chances) - _L2 * weights
        squares += gradient**2
        weights += _LEARNING_RATE * gradient / np.sqrt(squares)
    hundredths = np.rint(100 * weights).astype(int)
    return {
        context: tuple(row.tolist())
        for context, row in zip(known, hundredths, strict=True)
        if np.abs(row).max() >= _LEAST
    }
