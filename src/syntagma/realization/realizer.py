"""What a model needs to realize lemmas besides ordering words, all learned from a treebank."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy.typing as npt

from syntagma.errors import TrainingError
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization import form_choice, inflection
from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.form_choice import FormChoice
from syntagma.realization.inflection import Form, Inflector, capitalised, neutral_forms
from syntagma.transition.encoding import Alternative
from syntagma.treebanks.treebank import Sentence

Alternatives = tuple[tuple[Alternative, ...], ...]


@dataclass(frozen=True, slots=True)
class Realizer:
    """Inflects lemmas, and writes sentences as people do."""

    SECTIONS: ClassVar = frozenset({inflection.SECTION, form_choice.SECTION})

    inflector: Inflector
    choice: FormChoice
    detokenizer: Detokenizer

    @classmethod
    def of_treebank(cls, sentences: Sequence[Sentence], language: str) -> Realizer:
        if not any(any(sentence.lemmas) for sentence in sentences):
            raise TrainingError(
                "the treebank has no lemmas, from which realisation is learned: "
                "leave out realize (--realize), or use a treebank with lemmas"
            )
        spelled = (
            (sentence.forms, sentence.tags, sentence.spelling)
            for sentence in sentences
            if sentence.spelling is not None
        )
        inflector = Inflector.of_treebank(sentences, english=_is_english(language))
        return cls(
            inflector,
            FormChoice.of_treebank(sentences, inflector),
            Detokenizer.of_treebank(spelled),
        )

    def inflect(self, problem: Problem) -> tuple[Problem, Alternatives]:
        """The problem with the likeliest form of each lemma, and the forms that each word may take.

        A form that is given stays as it is. The likeliest is so whatever the tree; the shares of
        the alternatives are those in the tree.
        """
        forms = list(map(self._forms, problem.words))
        alternatives = tuple(
            tuple(
                Alternative(form.text, form.text if word.form else capitalised(form.text), share)
                for form, share in zip(several, shares, strict=True)
            )
            for word, several, shares in zip(
                problem.words, forms, self.choice.log_shares(problem, forms), strict=True
            )
        )
        return problem.with_forms([several[0].text for several in forms]), alternatives

    def _forms(self, word: Word) -> tuple[Form, ...]:
        if word.form or word.lemma is None:
            return (Form(word.form),)
        return self.inflector.forms(word.lemma, word.tag, word.features)

    def inflected(self, sentence: Sentence) -> Sentence:
        """The sentence with the likeliest form of each lemma."""
        if not sentence.lemmas:
            return sentence
        words = zip(
            sentence.lemmas, sentence.tags, sentence.features, neutral_forms(sentence), strict=True
        )
        forms = tuple(
            self.inflector.forms(lemma, tag, features)[0].text if lemma else form
            for lemma, tag, features, form in words
        )
        return replace(sentence, forms=forms)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {
            **self.inflector.to_arrays(),
            **self.choice.to_arrays(),
            **self.detokenizer.to_arrays(),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], language: str) -> Realizer:
        return cls(
            Inflector.from_arrays(arrays, english=_is_english(language)),
            FormChoice.from_arrays(arrays),
            Detokenizer.from_arrays(arrays),
        )


def _is_english(language: str) -> bool:
    return re.split("[-_]", language.lower())[0] in ("en", "eng", "english")
