"""The letters of words: their case, and what becomes of each letter of a lemma in a form.

A form is described by one string for each letter of the lemma, and for its beginning and end: what
is written in its place. Hangul syllables are decomposed, because Korean endings change parts of
them. `transducer` predicts these strings.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence

START, END = "\u0002", "\u0003"  # of a lemma; what they become are prefixes and suffixes
KEPT = "\u0001"  # the letter itself, in what it becomes
MAX_PIECE = 3  # letters that one letter of the lemma may become
MAX_AFFIX = 12
MAX_LETTERS = 48  # of lemmas and forms; longer ones are not aligned

_SYLLABLES = re.compile("[\uac00-\ud7a3]+")
_JAMO = re.compile("[\u1100-\u11ff]+")
_UNSEEN = 9.0  # the cost of a change that was never seen, for each letter of it

# The cost of what a letter becomes, by letter and change.
Costs = Mapping[tuple[str, str], float]


def letters_of(text: str) -> str:
    return _SYLLABLES.sub(lambda match: unicodedata.normalize("NFD", match[0]), text)


def text_of(letters: str) -> str:
    return _JAMO.sub(lambda match: unicodedata.normalize("NFC", match[0]), letters)


def apply_change(letter: str, change: str) -> str:
    return change.replace(KEPT, letter)


def change_of(letter: str, piece: str) -> str:
    """What a letter becomes, relative to the letter."""
    return piece if letter in (START, END) else piece.replace(letter, KEPT, 1)


def shared_letters(one: Sequence[str], other: Sequence[str]) -> int:
    """How many letters two words have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def align_letters(lemma: str, form: str, costs: Costs | None = None) -> list[str] | None:
    """What the beginning, each letter and the end of a lemma become in a form, with the least cost;
    None if there is no such description. Without costs, as much as possible stays."""
    if len(lemma) > MAX_LETTERS or len(form) > MAX_LETTERS:
        return None
    shared = shared_letters(lemma, form)
    if lemma == form:
        return ["", *[KEPT] * len(lemma), ""]
    if shared > 1:  # all but the last letter of a common beginning stay
        rest = _align([*lemma[shared - 1 :], END], form[shared - 1 :], costs)
        return rest and ["", *[KEPT] * (shared - 1), *rest]
    return _align([START, *lemma, END], form, costs)


def _align(symbols: Sequence[str], form: str, costs: Costs | None) -> list[str] | None:
    best: list[float] = [0.0, *[math.inf] * len(form)]
    origins: list[list[int]] = []
    for symbol in symbols:
        longest = MAX_AFFIX if symbol in (START, END) else MAX_PIECE
        found = [math.inf] * (len(form) + 1)
        origin = [0] * (len(form) + 1)
        for begin, before in enumerate(best):
            if before == math.inf:
                continue
            for end in range(begin, min(begin + longest, len(form)) + 1):
                change = change_of(symbol, form[begin:end])
                cost = before + _cost(symbol, change, costs)
                if cost < found[end]:
                    found[end], origin[end] = cost, begin
        best = found
        origins.append(origin)
    if best[-1] == math.inf:
        return None
    changes = []
    end = len(form)
    for symbol, origin in zip(reversed(symbols), reversed(origins), strict=True):
        begin = origin[end]
        changes.append(change_of(symbol, form[begin:end]))
        end = begin
    return changes[::-1]


def _cost(symbol: str, change: str, costs: Costs | None) -> float:
    if costs is not None:
        return costs.get((symbol, change), _UNSEEN * (len(change) + 1))
    if symbol == START:
        return 0.9 * len(change)
    if symbol == END:
        return 0.8 * len(change)
    if KEPT in change:
        return float(len(change) - 1)
    return 0.2 + len(change) if change else 1.0


# Upper and lower case: at the start of a sentence, in headings, and as in the lemma


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
        shared = shared_letters(*([letter.lower() for letter in each] for each in (lemma, form)))
        form = lemma[:shared] + form[shared:]  # *iPhones*
    return capitalised(form) if lemma[:1].isupper() else form


def _lower(text: str) -> str:
    """Lower case, letter by letter: İ becomes i, not i and a combining dot."""
    return text.lower().replace("i\u0307", "i")
