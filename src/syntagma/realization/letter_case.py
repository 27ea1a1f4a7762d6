"""Upper and lower case of words: at the start of a sentence, in headings, and as in their lemma."""

from __future__ import annotations

from itertools import takewhile


def capitalised(form: str) -> str:
    """The form as the first word of a sentence."""
    first = form[:1].title()  # not upper(): ǅ, and Georgian does not capitalise first letters
    return first + form[1:] if len(first) == 1 else form


def neutral_form(form: str, lemma: str, initial: bool) -> str:
    if len(form) > 1 and form.isupper() and lemma != lemma.upper():
        form = with_case_of(lemma, _lower(form))
    if initial and form[:1].isupper() and lemma[:1].islower():
        form = _lower(form[:1]) + form[1:]
    return form


def with_case_of(lemma: str, form: str) -> str:
    if len(lemma) > 1 and lemma.isupper() and form[: len(lemma)] == lemma.lower():
        return lemma + form[len(lemma) :]
    if not lemma.isupper() and any(letter.isupper() for letter in lemma[1:]):
        pairs = zip(lemma, form, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0].lower() == pair[1].lower(), pairs))
        form = lemma[:shared] + form[shared:]  # *iPhones*
    return capitalised(form) if lemma[:1].isupper() else form


def _lower(text: str) -> str:
    """Lower case, letter by letter: İ becomes i, not i and a combining dot."""
    return text.lower().replace("i\u0307", "i")
