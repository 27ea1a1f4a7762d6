"""The spelling rules of English: the endings *-s*, *-ed*, *-ing*, *-er* and *-est*.

They hold for regular words. `english` knows which words are not.
"""

from __future__ import annotations

import re

_SIBILANT = re.compile(r"(?:[sxz]|[cs]h)$")
_CONSONANT_Y = re.compile(r"(?:[^aeiou]|qu)y$")
_CONSONANT_O = re.compile(r"[^aeiou]o$")
_LONE_Z = re.compile(r"(?:^|[^aeiou]|qu)[aeiou]z$")
_SILENT_E = re.compile(r"[^eoy]e$")
_PLURAL = re.compile(r"[^aiosu'xz]s$")  # *goods*, *clothes*
_COMMON_Y = re.compile(r"(?:it|og|tr|or|ar|er|nc|ud|un|rt|om|ph|ack)y$|[aeiou]y$")
_HARD_C = re.compile(r"[aeiou]c$")
# The last consonant is doubled after one short, stressed vowel: in words of one syllable, also
# after a prefix. In other words, the stress is not visible.
_PREFIX = "re|un|over|under|out|mis|pre|inter|up|fore|cross|back|down|hand|side|tip|zig"
_ONSET = (
    "[bcdfghjklmnprstvwyz]|[bcfgkps]l|[bcdfgkpt]r|s[chkmnptw]|s[cpt]r|spl|shr|thr|[chkpstw]h"
    "|tw|dw|kn|wr|gn|squ|qu"
)
_SHORT = re.compile(rf"(?:.*-)?(?:{_PREFIX})?(?:{_ONSET})?[aeiouy](?<!wy)[bdfgklmnprtvz]")


def third_person(verb: str) -> str:
    """The form of a verb in *-s*: *fixes*, *tries*, *goes*."""
    return verb + "es" if _CONSONANT_O.search(verb) else _with_s(verb)


def plural(noun: str) -> str:
    """The form of a noun in *-s*: *boxes*, *flies*, *photos*; *goods* has it already."""
    if _PLURAL.search(noun):
        return noun
    return _with_s(noun)


def plural_of_name(name: str) -> str:
    """The plural of a proper noun: *Smiths*, *Kennedys*, but *Studies*; *Alps* is one."""
    if _PLURAL.search(name) or name.endswith(("is", "men")):
        return name
    if name.endswith("y") and not _COMMON_Y.search(name):
        return name + "s"
    return plural(name)


def past(verb: str) -> str:
    """The form of a verb in *-ed*: *stopped*, *tried*, *panicked*."""
    return _add(verb, "ed")


def progressive(verb: str) -> str:
    """The form of a verb in *-ing*: *making*, *lying*, *running*."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if _SILENT_E.search(verb):
        return verb[:-1] + "ing"
    return _lengthened(verb) + "ing"


def comparative(adjective: str) -> str:
    """The form in *-er*; *later* has it already."""
    return adjective if adjective.endswith("er") else _add(adjective, "er")


def superlative(adjective: str) -> str:
    """The form in *-est*; *latest* has it already."""
    return adjective if adjective.endswith("est") else _add(adjective, "est")


def _with_s(word: str) -> str:
    if _CONSONANT_Y.search(word):
        return word[:-1] + "ies"
    if _LONE_Z.search(word):
        return word + "zes"
    return word + ("es" if _SIBILANT.search(word) else "s")


def _add(word: str, ending: str) -> str:
    """The word with an ending that begins with *e*."""
    if word.endswith("e"):
        return word + ending[1:]
    if _CONSONANT_Y.search(word):
        return word[:-1] + "i" + ending
    return _lengthened(word) + ending


def _lengthened(word: str) -> str:
    """The word as it is spelled before an ending that begins with a vowel."""
    if _HARD_C.search(word):
        return word + "k"
    return word + word[-1] if _SHORT.fullmatch(word) else word
