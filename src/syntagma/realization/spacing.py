"""Whether there is a space between two words: what learned rules look at, and the default.

The default is what holds in most languages. `detokenization` applies spacing rules,
`detokenization_training` learns them.
"""

# ruff: noqa: RUF001, this module is about characters that look alike

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

MAX_KINDS = 8  # runs of characters of one kind that a rule looks at

Key = tuple[str, ...]

DASHES = ("–", "—")

# Names of characters of scripts without spaces between words. Insular scripts do put spaces around
# words of other scripts.
_JOINED_SCRIPTS = re.compile(
    r"(CJK|IDEOGRAPHIC|HIRAGANA|KATAKANA|HALFWIDTH KATAKANA|BOPOMOFO)\b|KATAKANA-HIRAGANA"
)
_INSULAR_SCRIPTS = re.compile(r"(THAI|LAO|KHMER|MYANMAR)\b")
_ENDING = re.compile(
    r"(?<!INVERTED )\b(FULL STOP|COMMA|COLON|SEMICOLON|QUESTION MARK|EXCLAMATION MARK|ELLIPSIS"
    r"|DANDA|PERCENT SIGN|PER MILLE SIGN|DEGREE SIGN)\b"
)
_CLITIC = re.compile(r"n['’]t|['’](?:s|m|re|ve|ll|d|t)", re.IGNORECASE)
_ELISION = re.compile(r"[^\W\d_]+(?<!\w[sS])['’]")  # l', qu', but not a possessive
_STRAIGHT_QUOTES = ('"', "'", "`")
_QUOTE_TAGS = {"``": "⟨", "''": "⟩"}
_POSSESSIVE_TAGS = frozenset({"POS", "PART"})
_OPENS, _CLOSES = "⟨", "⟩"  # the role of a quote, appended to it in the keys of rules


class Neighbour(NamedTuple):
    """A word beside a possible space, as rules see it."""

    form: str  # in lower case; a straight quote is followed by its role
    kinds: str  # the kinds of its characters
    tag: str


# The keys of spacing rules, from general to specific: the last rule that applies decides. Tags come
# last, so that the other rules are right without them. An empty key means that no rule applies.
CONTEXTS: dict[str, Callable[[Neighbour, Neighbour], Key]] = {
    "classes": lambda left, right: _classes(left.kinds, right.kinds),
    "kinds": lambda left, right: (left.kinds, right.kinds),
    "left": lambda left, right: (left.form, right.kinds),
    "right": lambda left, right: (left.kinds, right.form),
    "both": lambda left, right: (left.form, right.form),
    "tags": lambda left, right: (left.kinds, left.tag, right.kinds, right.tag),
}
FIELDS = {"classes": 2, "kinds": 2, "left": 2, "right": 2, "both": 2, "tags": 4}


def spacing_key(level: str, left: Neighbour, right: Neighbour) -> Key:
    return (level, *CONTEXTS[level](left, right))


def _classes(left: str, right: str) -> Key:
    """The kinds of two neighbours, with all pictures, such as emoji, and all currencies alike;
    empty if they have neither."""
    classes = _class(left), _class(right)
    return () if classes == (left, right) else classes


@lru_cache(1 << 16)
def _class(kinds: str) -> str:
    categories = (unicodedata.category(kind) for kind in kinds)
    names = ({"So": "☺", "Sc": "¤"}.get(each, k) for each, k in zip(categories, kinds, strict=True))
    return re.sub("☺+", "☺", "".join(names))


def stands_before(kinds: str) -> bool:
    """Whether a mark is an opening one or a dash: written without a space before it, it has none
    after it, either."""
    categories = {unicodedata.category(kind) for kind in kinds}
    return bool(categories) and (categories <= {"Ps", "Pi"} or kinds in DASHES)


def neighbours(forms: Sequence[str], tags: Sequence[str]) -> list[Neighbour]:
    words = [
        Neighbour(form.lower(), _kinds(form), tag) for form, tag in zip(forms, tags, strict=True)
    ]
    for i, role in _quote_roles(forms, tags):
        words[i] = Neighbour(forms[i] + role, forms[i] + role, tags[i])
    return words


def _quote_roles(forms: Sequence[str], tags: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Whether each straight quote opens or closes.

    The tags decide, unless all quotes have the same one; otherwise quotes open and close in turn.
    Apostrophes have no role. “ closes after „.
    """
    for quote in _STRAIGHT_QUOTES:
        places = [
            i for i, form in enumerate(forms) if form == quote and tags[i] not in _POSSESSIVE_TAGS
        ]
        if quote == "'" and len(places) % 2 and not any(tags[i] in _QUOTE_TAGS for i in places):
            lone = next((i for i in places if i and forms[i - 1][-1:] in ("s", "S")), places[-1])
            if lone:
                places.remove(lone)
        role = _CLOSES if len(places) % 2 and _is_left_open(forms, places) else _OPENS
        told = {tags[i] for i in places} & _QUOTE_TAGS.keys()
        for i in places:
            if len(told) > 1 or len(places) == 1:
                role = _QUOTE_TAGS.get(tags[i], role)
            yield i, role
            role = _CLOSES if role == _OPENS else _OPENS
    low = 0
    for i, form in enumerate(forms):
        low += form == "„"
        if form == "“" and low:
            yield i, _CLOSES
            low -= 1


def _is_left_open(forms: Sequence[str], places: Sequence[int]) -> bool:
    """Whether the last of an odd number of quotes closes a quotation of an earlier sentence."""
    return places[0] > 0 and all(_manner(form) == "closing" for form in forms[places[-1] + 1 :])


@lru_cache(1 << 16)
def _kinds(form: str) -> str:
    """The kinds of characters of a form, runs collapsed: *don't* is `x'x`, *1,000* is `9`."""
    if "@" in form[1:-1]:
        return "x@x"
    if "://" in form or form.startswith("www."):
        return "x://x"
    found: list[str] = []
    for character in form:
        category = unicodedata.category(character)
        if category[0] == "M" or category == "Cf":
            continue
        if category[0] == "L":
            kind = "x" if _script(character) == "spaced" else "字"
        else:
            kind = "9" if category[0] == "N" else character
        if found[-1:] != [kind]:
            found.append(kind)
    return re.sub("9(?:[.,:]9)+", "9", "".join(found[:MAX_KINDS]))


# The default: what holds in most languages


def default_spaces(forms: Sequence[str], words: Sequence[Neighbour]) -> list[bool]:
    """Whether there is a space between each two neighbours, by default."""
    scripts = Counter(_script(form[:1]) for form in forms if form[:1].isalpha())
    unspaced = scripts["joined"] + scripts["insular"] > scripts["spaced"]
    manners = [_manner(word.form) for word in words]
    ends = [(_script(form[:1]), _script(form[-1:])) for form in forms]
    spaces: list[bool] = []
    for i in range(1, len(forms)):
        touching = ends[i - 1][1], ends[i][0]
        if unspaced or not {"spaced", "none"}.intersection(touching):
            spaces.append("spaced" in touching and not {"joined", "none"}.intersection(touching))
            continue
        is_number = forms[i][:1].isdigit()
        match manners[i - 1], manners[i]:
            case ("opening", _) | (_, "closing"):
                space = False
            case "before number", _:
                space = not is_number
            case "before word", _:
                space = touching[1] == "none"
            case _, "hyphen" | "dash" as mark:
                space = not _joins(mark, forms[i - 1 : i + 2])
            case "hyphen" | "dash" as mark, _:
                space = not _joins(mark, forms[max(i - 2, 0) : i + 1])
            case _:
                space = True
        spaces.append(space)
    return spaces


def follows_spaced_hyphen(word: Neighbour, spaces: Sequence[bool]) -> bool:
    """Whether a word is a hyphen after a space: then a space follows it, too."""
    return bool(spaces) and spaces[-1] and _manner(word.form) in ("hyphen", "dash")


def _joins(mark: str, forms: Sequence[str]) -> bool:
    """Whether a mark joins its neighbours: a hyphen between words, a dash between numbers."""
    if len(forms) < 3:
        return False
    left, right = forms[0][-1:], forms[2][:1]
    if mark == "dash":
        return left.isdigit() and right.isdigit()
    return _script(left) != "none" and _script(right) != "none"


@lru_cache(1 << 16)
def _manner(form: str) -> str:
    """How a word attaches to its neighbours."""
    categories = {unicodedata.category(character) for character in form}
    if form[-1:] == _OPENS or form in ("``", "¿", "¡") or _ELISION.fullmatch(form):
        return "opening"
    if form[-1:] == _CLOSES or form in ("''", "'", "’") or _CLITIC.fullmatch(form):
        return "closing"
    if not form:
        return "plain"
    if categories <= {"Ps", "Pi"}:
        return "opening"
    if categories <= {"Pe", "Pf"} or all(_ENDING.search(_name(character)) for character in form):
        return "closing"
    if categories == {"Sc"}:
        return "before number"
    if form in ("#", "@"):
        return "before word"
    if form in ("-", "‐", "‑", "/", "\\", "_"):
        return "hyphen"
    return "dash" if form == "–" else "plain"


@lru_cache(1 << 12)
def _script(character: str) -> str:
    """How the script of a character separates words; "none" if it is not a letter or digit."""
    if not character:
        return "none"
    if _JOINED_SCRIPTS.match(_name(character)):
        return "joined"
    if _INSULAR_SCRIPTS.match(_name(character)):
        return "insular"
    return "spaced" if unicodedata.category(character)[0] in "LMN" else "none"


def _name(character: str) -> str:
    return unicodedata.name(character, "")
