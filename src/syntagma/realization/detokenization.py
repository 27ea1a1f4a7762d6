"""Detokenises words: decides where to put spaces and which words to contract.

Where no learned rule applies, the default does: what holds in most languages. The rules are learned
by `detokenization_training`. The other direction, for English, is `formats/tokenization.py`.
"""

# ruff: noqa: RUF001, this module is about characters that look alike

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy.typing as npt

from syntagma.caches import cached_texts
from syntagma.files.sections import damaged, pack_lines, read_lines
from syntagma.results.spelling import Contraction, Spelling

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


@cached_texts(1 << 16)
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


@cached_texts(1 << 16)
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


@cached_texts(1 << 16)
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


# The keys of contractions: any word with a tag before a given word; forms; forms and tags.
LEVELS = ("any", "forms", "tagged")
MAX_LENGTH = 16  # words of a contraction in a model file


def contraction_keys(forms: Sequence[str], tags: Sequence[str]) -> Iterator[Key]:
    """The keys from general to specific: the last one with an entry decides."""
    lower = [form.lower() for form in forms]
    if any(tags) and len(forms) == 2:
        yield "any", tags[0], lower[1], tags[1]
    yield "forms", *lower
    if any(tags):
        yield "tagged", *lower, *tags


def contraction_length(key: Key) -> int:
    """The number of words of a contraction."""
    return {"any": 2, "forms": len(key) - 1, "tagged": len(key) // 2}[key[0]]


def is_concatenation(forms: Sequence[str], contraction: Contraction) -> bool:
    """Whether a contraction is just its words without spaces: *do n't*."""
    words = forms[contraction.first - 1 : contraction.last]
    return "".join(words).lower() == contraction.text.lower()


def written(key: Key, forms: Sequence[str], known: str | None, default: str) -> str:
    """The contraction that an entry gives; that of an `any` key is what follows the first word."""
    if known is None:
        return default
    return forms[0].lower() + known if known and key[0] == "any" else known


def in_case_of(forms: Sequence[str], text: str) -> str:
    """A contraction in the letter case of its words: *Du* for *De le*."""
    first = forms[0]
    if "".join(forms).isupper() or (len(first) > 1 and first.isupper()):
        return text.upper()
    if text.startswith(first.lower()):
        return first + text[len(first.lower()) :]
    return text[:1].upper() + text[1:] if first[:1].isupper() else text


SECTIONS = _RULES, _CONTRACTIONS = "spacing.rules", "spacing.contractions"


class Detokenizer:
    """Spacing rules and contractions; without any, what holds in most languages.

    >>> words = ["Well", ",", "it", "'s", "(", "sadly", ")", "over", "!"]
    >>> Detokenizer().spell(words).text(words)
    "Well, it's (sadly) over!"
    """

    def __init__(
        self, rules: Mapping[Key, bool] | None = None, contractions: Mapping[Key, str] | None = None
    ) -> None:
        self._rules = dict(rules or {})
        self._contractions = dict(contractions or {})
        self._longest = max(map(contraction_length, self._contractions), default=0)

    def spell(self, forms: Sequence[str], tags: Sequence[str] | None = None) -> Spelling:
        """The spelling of these words, in this order."""
        tags = tags or [""] * len(forms)
        contractions = tuple(self._contract(forms, tags))
        inside = {i for each in contractions for i in range(each.first, each.last)}
        words = neighbours(forms, tags)
        spaces: list[bool] = []
        for place, default in enumerate(default_spaces(forms, words), start=1):
            left, right = words[place - 1 : place + 1]
            space = default or follows_spaced_hyphen(left, spaces)
            for level in CONTEXTS:
                space = self._rules.get(spacing_key(level, left, right), space)
            spaces.append(space and place not in inside)
        return Spelling((*spaces, False)[: len(forms)], contractions)

    def _contract(self, forms: Sequence[str], tags: Sequence[str]) -> Iterator[Contraction]:
        """From left to right, the longest contraction at each position."""
        start = 0
        while start < len(forms):
            for end in range(min(start + self._longest, len(forms)), start + 1, -1):
                words = forms[start:end]
                found = ""
                for key in contraction_keys(words, tags[start:end]):
                    found = written(key, words, self._contractions.get(key), found)
                if found:
                    yield Contraction(start + 1, end, in_case_of(words, found))
                    start = end - 1
                    break
            start += 1

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The rules as arrays of a model file; `from_arrays` is the inverse."""
        rules = sorted("\t".join((*key, "-+"[space])) for key, space in self._rules.items())
        contractions = sorted("\t".join((*key, text)) for key, text in self._contractions.items())
        return {_RULES: pack_lines(rules), _CONTRACTIONS: pack_lines(contractions)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Detokenizer:
        rules = {}
        for level, *key, sign in _read_lines(arrays, _RULES):
            if len(key) != FIELDS.get(level) or sign not in ("-", "+"):
                raise damaged(_RULES, "a line is not a spacing rule")
            rules[level, *key] = sign == "+"
        contractions = {}
        for level, *key, text in _read_lines(arrays, _CONTRACTIONS):
            size = len(key)
            fitting = {
                "any": size == 3,
                "forms": 2 <= size <= MAX_LENGTH,
                "tagged": 4 <= size <= 2 * MAX_LENGTH and size % 2 == 0,
            }
            if not fitting.get(level):
                raise damaged(_CONTRACTIONS, "a line is not a contraction")
            contractions[level, *key] = text
        return cls(rules, contractions)


def _read_lines(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Iterator[list[str]]:
    """The fields of each line of a section, at least two."""
    lines = read_lines(arrays, name)
    return (line.split("\t") if "\t" in line else [line, ""] for line in lines)
