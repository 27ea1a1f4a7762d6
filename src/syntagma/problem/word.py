"""A word of a problem, with whatever is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ROOT_LABEL = "root"
TagColumn = Literal["upos", "xpos"]  # the column of CoNLL-U that serves as the tag


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or a phrase to be kept together (its words separated by single spaces).

    `head` is the 1-based index of another word of the problem, 0 for the root. `None` means not
    given.

    A word to be realized has a lemma instead of a form, and perhaps morphological features,
    written as in CoNLL-U: `Word(lemma="dog", tag="NNS", features="Number=Plur")`.
    """

    form: str = ""
    tag: str | None = None
    head: int | None = None
    deprel: str | None = None
    lemma: str | None = None
    features: str | None = None

    @property
    def name(self) -> str:
        """The name that messages use."""
        return self.form or self.lemma or ""
