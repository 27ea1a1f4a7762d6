"""What a model needs to realize lemmas besides ordering words: inflection and detokenisation.

Both are learned from a treebank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy.typing as npt

from syntagma.detokenization import Detokenizer
from syntagma.encoding import Alternative
from syntagma.errors import TrainingError
from syntagma.inflection import SECTION, Inflector, capitalised, neutral_forms
from syntagma.problem import Problem, Word
from syntagma.treebank import Sentence

Alternatives = tuple[tuple[Alternative, ...], ...]


@dataclass(frozen=True, slots=True)
class Realizer:
    """Inflects lemmas, and writes sentences as people do."""

    SECTIONS: ClassVar = frozenset({SECTION})

    inflector: Inflector
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
        return cls(
            Inflector.of_treebank(sentences, english=_is_english(language)),
            Detokenizer.of_treebank(spelled),
        )

    def inflect(self, problem: Problem) -> tuple[Problem, Alternatives]:
        """The problem with the likeliest form of each lemma, and the forms that each word may take.

        A form that is given stays as it is.
        """
        alternatives = tuple(map(self._alternatives, problem.words))
        words = tuple(
            word if word.form else replace(word, form=forms[0].text)
            for word, forms in zip(problem.words, alternatives, strict=True)
        )
        return replace(problem, words=words), alternatives

    def _alternatives(self, word: Word) -> tuple[Alternative, ...]:
        if word.form or word.lemma is None:
            return (Alternative(word.form, word.form),)
        forms = self.inflector.forms(word.lemma, word.tag, word.features)
        return tuple(
            Alternative(form.text, capitalised(form.text), form.log_share) for form in forms
        )

    def inflected(self, sentence: Sentence) -> Sentence:
        """The sentence with the likeliest form of each lemma."""
        words = zip(
            sentence.lemmas, sentence.tags, sentence.features, neutral_forms(sentence), strict=True
        )
        forms = tuple(
            self.inflector.forms(lemma, tag, features)[0].text if lemma else form
            for lemma, tag, features, form in words
        )
        return replace(sentence, forms=forms)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.inflector.to_arrays(), **self.detokenizer.to_arrays()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], language: str) -> Realizer:
        return cls(
            Inflector.from_arrays(arrays, english=_is_english(language)),
            Detokenizer.from_arrays(arrays),
        )


def _is_english(language: str) -> bool:
    return language.lower() in ("en", "english")
