"""The realizer: the forms that lemmas may take, and the detokeniser.

`training` learns it from a treebank. Words are ordered and their forms chosen by one search, which
`linearizer` starts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy.typing as npt

from syntagma.errors import ModelError
from syntagma.files.sections import check_sections, text_section
from syntagma.problem.alternative import Alternative
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization import detokenization, form_choice, lexicon
from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.form_choice import FormChoice
from syntagma.realization.inflection import Form, Inflector
from syntagma.realization.letter_case import capitalised

Alternatives = tuple[tuple[Alternative, ...], ...]

# The first two are compressed; they are unpacked, and their lines checked, when first needed.
TABLE = tuple(map(text_section, (lexicon.SECTION, form_choice.SECTION, *detokenization.SECTIONS)))


@dataclass(frozen=True, slots=True)
class Realizer:
    """Inflects lemmas and detokenises sentences."""

    SECTIONS: ClassVar = frozenset(section.name for section in TABLE)

    inflector: Inflector
    choice: FormChoice
    detokenizer: Detokenizer
    source: str = ""  # the file of the model, for messages

    def inflect(self, problem: Problem) -> tuple[Problem, Alternatives]:
        """The problem with the likeliest form of each lemma, and the forms that each word may take.

        Given forms stay. The likeliest form does not depend on the tree; the shares of the
        alternatives do.
        """
        try:
            forms = list(map(self._forms, problem.words))
            log_shares = self.choice.log_shares(problem, forms)
        except ModelError as error:
            raise ModelError(f"{self.source}: {error}" if self.source else str(error)) from error
        alternatives = tuple(
            tuple(
                Alternative(form.text, form.text if word.form else capitalised(form.text), share)
                for form, share in zip(several, shares, strict=True)
            )
            for word, several, shares in zip(problem.words, forms, log_shares, strict=True)
        )
        return problem.with_forms([several[0].text for several in forms]), alternatives

    def _forms(self, word: Word) -> tuple[Form, ...]:
        if word.form or word.lemma is None:
            return (Form(word.form),)
        return self.inflector.forms(word.lemma, word.tag, word.features)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {
            **self.inflector.to_arrays(),
            **self.choice.to_arrays(),
            **self.detokenizer.to_arrays(),
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], language: str, source: str = ""
    ) -> Realizer:
        check_sections(arrays, TABLE)
        return cls(
            Inflector.from_arrays(arrays, english=is_english(language)),
            FormChoice.from_arrays(arrays),
            Detokenizer.from_arrays(arrays),
            source,
        )


def is_english(language: str) -> bool:
    return re.split("[-_]", language.lower())[0] in ("en", "eng", "english")
