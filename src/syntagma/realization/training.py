"""Learns a realizer from a treebank.

Each part has its own module: `inflection_training`, `form_choice_training`,
`detokenization_training`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from syntagma.errors import TrainingError
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative
from syntagma.realization.detokenization_training import learn_detokenizer
from syntagma.realization.form_choice_training import learn_form_choice, learn_form_context
from syntagma.realization.inflection_training import learn_inflector, neutral_forms
from syntagma.realization.letters import capitalised
from syntagma.realization.realizer import Realizer, is_english
from syntagma.treebanks.treebank import Sentence
from syntagma.treebanks.visits import InflectedVisit


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
    choice = learn_form_choice(sentences, inflector)
    # English has been tuned without pooled weights: *a* and *an* have a rule of their own.
    context = learn_form_context(sentences, inflector, choice, pooled=not is_english(language))
    return Realizer(inflector, choice, learn_detokenizer(spelled), context)


def inflect_visit(realizer: Realizer, sentence: Sentence, problem: Problem) -> InflectedVisit:
    """The problem that a sentence poses with lemmas instead of forms, and the forms to choose from.

    A form of the sentence that the realizer does not propose is given, as the form of a word
    without a lemma is. The words of the problem are listed in the order of the sentence. Learners
    that choose forms read no UPOS tags, so inflection does not find tags by them.
    """
    gold = neutral_forms(sentence)
    lemmas = sentence.lemmas or ("",) * len(sentence)
    features = sentence.features or ("",) * len(sentence)
    words = zip(problem.words, lemmas, features, strict=True)
    posed = tuple(
        replace(word, form="", lemma=lemma, features=of_word, upos=None)
        if lemma
        else replace(word, upos=None)
        for word, lemma, of_word in words
    )
    inflected, proposed = realizer.inflect(replace(problem, words=posed))
    forms, alternatives, chosen = [], [], []
    for word, choice, form in zip(inflected.words, proposed, gold, strict=True):
        texts = [each.text.lower() for each in choice]
        if form.lower() in texts:
            forms.append(word.form)
            alternatives.append(choice)
            chosen.append(texts.index(form.lower()))
        else:
            forms.append(form)
            alternatives.append((Alternative(form, capitalised(form)),))
            chosen.append(0)
    return InflectedVisit(inflected.with_forms(forms), tuple(alternatives), tuple(chosen))


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
