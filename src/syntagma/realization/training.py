"""Learns a realizer from a treebank.

Each part has its own module: `inflection_training`, `form_choice_training`,
`detokenization_training`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from syntagma.errors import TrainingError
from syntagma.problem.problem import Problem
from syntagma.realization.detokenization_training import learn_detokenizer
from syntagma.realization.form_choice_training import learn_form_choice
from syntagma.realization.inflection_training import learn_inflector, neutral_forms
from syntagma.realization.realizer import Alternatives, Realizer, is_english
from syntagma.treebanks.treebank import Sentence


def learn_realizer(sentences: Sequence[Sentence], language: str) -> Realizer:
    """Learn inflection, form choice and detokenisation; raises `TrainingError` without lemmas."""
    if not any(any(sentence.lemmas) for sentence in sentences):
        raise TrainingError(
            "the treebank has no lemmas, which realisation is learned from: "
            "leave out realize (--realize), or use a treebank with lemmas"
        )
    spelled = (
        (sentence.forms, sentence.tags, sentence.spelling)
        for sentence in sentences
        if sentence.spelling is not None
    )
    inflector = learn_inflector(sentences, english=is_english(language))
    return Realizer(inflector, learn_form_choice(sentences, inflector), learn_detokenizer(spelled))


def pose_lemmas(
    realizer: Realizer, sentence: Sentence, problem: Problem
) -> tuple[Problem, Alternatives, list[int]]:
    """A problem of training, its words in their gold order, with lemmas in place of forms: the
    problem, the forms that each word may take, and the index of the gold one.

    Features are given where the tag is. Where the gold form is not among the forms, the one with
    the largest share takes its place.
    """
    words = tuple(
        replace(word, form="", lemma=lemma, features=features if word.tag else None)
        if lemma
        else word
        for word, lemma, features in zip(
            problem.words, sentence.lemmas, sentence.features, strict=True
        )
    )
    problem, alternatives = realizer.inflect(replace(problem, words=words))
    gold = []
    for several, form in zip(alternatives, neutral_forms(sentence), strict=True):
        texts = [each.text for each in several]
        shares = [each.log_share for each in several]
        gold.append(texts.index(form) if form in texts else shares.index(max(shares)))
    return problem, alternatives, gold


def inflect_sentence(realizer: Realizer, sentence: Sentence) -> Sentence:
    """The sentence with the likeliest form of each lemma."""
    if not sentence.lemmas:
        return sentence
    words = zip(
        sentence.lemmas, sentence.tags, sentence.features, neutral_forms(sentence), strict=True
    )
    forms = tuple(
        realizer.inflector.likeliest(lemma, tag, features) if lemma else form
        for lemma, tag, features, form in words
    )
    return replace(sentence, forms=forms)
