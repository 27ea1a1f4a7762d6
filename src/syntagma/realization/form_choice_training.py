"""Learns from a treebank which of its forms a lemma takes: by its neighbours in the tree, then by
its neighbours in the sentence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization.form_choice import (
    EDGE,
    FormChoice,
    FormContext,
    LemmaKey,
    TreeContexts,
    neighbour_contexts,
    pooled_keys,
)
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
    examples: defaultdict[LemmaKey, list[_Example]] = defaultdict(list)
    for sentence in sentences:
        if not sentence.lemmas:
            continue
        tree = TreeContexts(sentence.lemmas, sentence.heads, sentence.deprels)
        for i, key, form in _ambiguous(sentence, inflector):
            examples[key].append((form, tree.contexts(i)))
    return FormChoice(
        {
            key: _learn(examples_, _log_shares(inflector.forms(*key)))
            for key, examples_ in sorted(examples.items())
            if len(examples_) >= MIN_LEMMA
        }
    )


def learn_form_context(
    sentences: Iterable[Sentence], inflector: Inflector, choice: FormChoice, *, pooled: bool = False
) -> FormContext:
    """Learn what neighbouring words add to the shares that the choice of forms gives. Weights that
    are `pooled` serve lemmas that were seen rarely."""
    examples: defaultdict[LemmaKey, list[tuple[int, list[str], list[float]]]] = defaultdict(list)
    members: defaultdict[LemmaKey, set[LemmaKey]] = defaultdict(set)
    for sentence in sentences:
        if not sentence.lemmas:
            continue
        found = list(_ambiguous(sentence, inflector))
        if not found:
            continue
        problem = _as_lemmas(sentence)
        proposed = [inflector.forms(*key) for key in _keys(sentence)]
        shares = choice.log_shares(problem, proposed)
        forms = [EDGE, *neutral_forms(sentence), EDGE]
        for i, key, form in found:
            contexts = [
                *neighbour_contexts("after", forms[i]),
                *neighbour_contexts("before", forms[i + 2]),
            ]
            examples[key].append((form, contexts, shares[i]))
            if pooled:
                texts = _texts(proposed[i])
                order = sorted(range(len(texts)), key=texts.__getitem__)
                sorted_shares = [shares[i][place] for place in order]
                for pool in pooled_keys(key[0], sorted(texts)):
                    examples[pool].append((order.index(form), contexts, sorted_shares))
                    members[pool].add(key if pool[0] else (key[0].lower(), "", ""))
    weights = {}
    for key, seen in sorted(examples.items()):
        if len(seen) >= MIN_LEMMA and len(members.get(key, "ab")) > 1:
            seen = sorted(seen)
            bases = np.array([shares_ for _, _, shares_ in seen], np.float32)
            learned = _learn([(form, contexts) for form, contexts, _ in seen], bases)
            if learned:
                weights[key] = learned
    return FormContext(weights)


def _keys(sentence: Sentence) -> list[LemmaKey]:
    features = map(sorted_features, sentence.features)
    return list(zip(sentence.lemmas, sentence.tags, features, strict=True))


def _ambiguous(sentence: Sentence, inflector: Inflector) -> Iterator[tuple[int, LemmaKey, int]]:
    """The words with several forms, one of which is theirs: place, key and number of the form."""
    for i, (key, form) in enumerate(zip(_keys(sentence), neutral_forms(sentence), strict=True)):
        forms = _texts(inflector.forms(*key)) if key[0] else []
        if len(forms) > 1 and form.lower() in forms:
            yield i, key, forms.index(form.lower())


def _as_lemmas(sentence: Sentence) -> Problem:
    fields = (sentence.lemmas, sentence.forms, sentence.tags, sentence.heads, sentence.deprels)
    return Problem(
        tuple(
            Word(lemma=lemma or form, tag=tag or None, head=head, deprel=deprel, features=features)
            for (lemma, form, tag, head, deprel), features in zip(
                zip(*fields, strict=True), sentence.features, strict=True
            )
        )
    )


def _log_shares(forms: Sequence[Form]) -> npt.NDArray[np.float32]:
    return np.array([form.log_share for form in forms], np.float32)


def _texts(forms: Sequence[Form]) -> list[str]:
    return [form.text.lower() for form in forms]


def _learn(
    examples: Sequence[_Example], shares: npt.NDArray[np.float32]
) -> dict[str, tuple[int, ...]]:
    """Weights that maximise the likelihood of the examples, by AdaGrad (Duchi et al. 2011).

    The log shares, to which weights are added, are those of the forms or, row by row, of the forms
    of each of the examples, which are then sorted.
    """
    counts = Counter(context for _, contexts in examples for context in set(contexts))
    known = sorted(context for context, count in counts.items() if count >= MIN_CONTEXT)
    number = {context: i for i, context in enumerate(known)}
    seen = np.zeros((len(examples), len(known)), np.float32)
    right = np.zeros((len(examples), shares.shape[-1]), np.float32)
    for row, (form, contexts) in enumerate(sorted(examples)):
        seen[row, [number[context] for context in contexts if context in number]] = 1
        right[row, form] = 1
    weights = np.zeros((len(known), shares.shape[-1]), np.float32)
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
