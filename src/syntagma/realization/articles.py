"""*a* or *an*: the English article takes its form from the sound of the word after it.

The search chooses it by the language model; here the choice is settled when the order is known, so
that it is right for rare words and without a language model, too.
"""

from __future__ import annotations

import re
from dataclasses import replace

from syntagma.results.linearization import Linearization

ARTICLES = ("a", "an")
_YOU = re.compile(  # vowels that begin with the sound of *you* or *one*
    r"eu|ew|on(?:e|ce)(?![a-rt-z])|u(?:[bfklrst](?!$)[aeiouy](?!.*ing$)|ni(?!n|m[aop])|fo$|k$|s$)"
    r"|u(?:topi|ten|gand|kule|kra)",
    re.IGNORECASE,
)
_SILENT_H = re.compile(r"h(?:our|one?st|onou?r|eir)", re.IGNORECASE)
_NUMBER = re.compile(r"8|1[18](?:$|\D|\d{3}(?:\D|$))")
_LETTERS = re.compile(r"[AEFHILMNORSX]|[aefhilmnorsx]-")  # whose names begin with a vowel


def begins_with_vowel_sound(word: str) -> bool:
    """Whether *an* stands before this word.

    >>> [begins_with_vowel_sound(word) for word in ("apple", "university", "hour", "FBI", "NATO")]
    [True, False, True, True, False]
    """
    if word[:1].isdigit():
        return _NUMBER.match(word) is not None
    if _is_spelled_out(word) or word[1:2] == "-":
        return _LETTERS.match(word) is not None
    if _SILENT_H.match(word):
        return True
    return word[:1].lower() in tuple("aeiouáéíóúàèìòùâêîôûäöü") and not _YOU.match(word)


def settle_articles(found: Linearization) -> Linearization:
    """The same result with the right form of each article that was given as a lemma."""
    forms = [word.form for word in found.problem.words]
    changed = False
    tokens = found.tokens
    for token, follower in zip(tokens, _followers([token.form for token in tokens]), strict=True):
        lemma = found.problem.words[token.source - 1].lemma
        is_open = lemma is not None and lemma.lower() in ARTICLES and token.tag in ("DT", "DET")
        if not is_open or not follower or token.form.lower() not in ARTICLES:
            continue
        wanted = "an" if begins_with_vowel_sound(follower) else "a"
        if token.form.lower() != wanted:
            forms[token.source - 1] = token.form[0] + wanted[1:]
            changed = True
    if not changed:
        return found
    return replace(
        found,
        tokens=tuple(replace(token, form=forms[token.source - 1]) for token in tokens),
        problem=found.problem.with_forms(forms),
    )


def _followers(forms: list[str]) -> list[str]:
    """The next word after each that is more than punctuation; empty after the last one."""
    followers: list[str] = []
    follower = ""
    for form in reversed(forms):
        followers.append(follower)
        spoken = re.search(r"\w.*", form)
        follower = spoken[0] if spoken else follower
    return followers[::-1]


def _is_spelled_out(word: str) -> bool:
    """Whether a word is read letter by letter: *FBI*, *SUV*, *X-ray*, but not *NATO*."""
    first = re.match(r"[^\W\d_]*", word)
    letters = first[0] if first else ""
    if not letters.isupper() or (len(letters) == 1 and len(word) > 1 and word[1].isalpha()):
        return False
    return len(letters) <= 3 or not re.match(r"[AEIOU]|[^AEIOU][AEIOU]", letters)
