"""Words as they are written: where spaces stand, and which words are contracted.

Rules are learned from the `SpaceAfter` and the multiword tokens of a treebank; where it says
nothing, what holds in most languages decides. The other direction, for English, is
tokenization.py.
"""

# ruff: noqa: RUF001, the characters that look alike are what this is about

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError
from syntagma.files.packing import pack_lines, unpack_lines
from syntagma.results.spelling import Contraction, Spelling

MIN_GAIN = 2  # a rule corrects so many more decisions of the treebank than it spoils
MAX_KINDS = 8

Key = tuple[str, ...]
Example = tuple[Sequence[str], Sequence[str], Spelling]  # forms, tags and how they are written

_RULES, _CONTRACTIONS = "spacing.rules", "spacing.contractions"

# By the names of characters: scripts without spaces between words; in the latter, words of other
# scripts stand between spaces.
_JOINED_SCRIPTS = re.compile(
    r"(CJK|IDEOGRAPHIC|HIRAGANA|KATAKANA|HALFWIDTH KATAKANA|BOPOMOFO)\b|KATAKANA-HIRAGANA"
)
_INSULAR_SCRIPTS = re.compile(r"(THAI|LAO|KHMER|MYANMAR)\b")
_ENDING = re.compile(
    r"(?<!INVERTED )\b(FULL STOP|COMMA|COLON|SEMICOLON|QUESTION MARK|EXCLAMATION MARK|ELLIPSIS"
    r"|DANDA|PERCENT SIGN|PER MILLE SIGN|DEGREE SIGN)\b"
)
_CLITIC = re.compile(r"n['’]t|['’](?:s|m|re|ve|ll|d|t)", re.IGNORECASE)
_ELISION = re.compile(r"[^\W\d_]+(?<!\w[sS])['’]")  # l', qu', but no possessive
_STRAIGHT_QUOTES = ('"', "'", "`")
_QUOTE_TAGS = {"``": "⟨", "''": "⟩"}
_POSSESSIVE_TAGS = frozenset({"POS", "PART"})
_OPENS, _CLOSES = "⟨", "⟩"  # appended to a quote, in the keys of rules


class _Word(NamedTuple):
    """A word as rules see it."""

    form: str  # in lower case; a straight quote with its role
    kinds: str  # of its characters
    tag: str


# Contexts of the place between two words, from general to specific: the last rule that applies
# decides. Tags come last, so that the others are right without them.
_CONTEXTS: dict[str, Callable[[_Word, _Word], Key]] = {
    "kinds": lambda left, right: (left.kinds, right.kinds),
    "left": lambda left, right: (left.form, right.kinds),
    "right": lambda left, right: (left.kinds, right.form),
    "both": lambda left, right: (left.form, right.form),
    "tags": lambda left, right: (left.kinds, left.tag, right.kinds, right.tag),
}
_FIELDS = {"kinds": 2, "left": 2, "right": 2, "both": 2, "tags": 4}

# Of contractions: any word with a tag before a given one, forms, forms and tags.
_LEVELS = ("any", "forms", "tagged")


class Detokenizer:
    """Rules of spacing and contractions; without any, what holds in most languages.

    >>> words = ["Well", ",", "it", "'s", "(", "sadly", ")", "over", "!"]
    >>> Detokenizer().spell(words).text(words)
    "Well, it's (sadly) over!"
    """

    def __init__(
        self,
        rules: Mapping[Key, bool] | None = None,
        contractions: Mapping[Key, str] | None = None,
    ) -> None:
        self._rules = dict(rules or {})
        self._contractions = dict(contractions or {})
        self._longest = max(map(_length, self._contractions), default=0)

    @classmethod
    def of_treebank(cls, examples: Iterable[Example]) -> Detokenizer:
        """Learns from forms, tags and spellings; spaces everywhere say nothing."""
        examples = list(examples)
        if all(all(each.spaces[:-1]) and not each.contractions for _, _, each in examples):
            return cls()
        return cls(_learn_rules(examples), _learn_contractions(examples))

    def spell(self, forms: Sequence[str], tags: Sequence[str] | None = None) -> Spelling:
        """How these words are written, in this order."""
        tags = tags or [""] * len(forms)
        contractions = tuple(self._contract(forms, tags))
        inside = {i for each in contractions for i in range(each.first, each.last)}
        words = _words(forms, tags)
        spaces: list[bool] = []
        for place, default in enumerate(_default_spaces(forms, words), start=1):
            if place in inside:
                spaces.append(False)
            else:
                left, right = words[place - 1 : place + 1]
                spaces.append(self._decide(left, right, default or _is_loose(left, spaces)))
        return Spelling((*spaces, False)[: len(forms)], contractions)

    def _decide(self, left: _Word, right: _Word, default: bool) -> bool:
        space = default
        for level in _CONTEXTS:
            space = self._rules.get(_key(level, left, right), space)
        return space

    def _contract(self, forms: Sequence[str], tags: Sequence[str]) -> Iterator[Contraction]:
        """From left to right, the longest at each place."""
        start = 0
        while start < len(forms):
            for end in range(min(start + self._longest, len(forms)), start + 1, -1):
                words = forms[start:end]
                found = ""
                for key in _contraction_keys(words, tags[start:end]):
                    found = _written(key, words, self._contractions.get(key), found)
                if found:
                    yield Contraction(start + 1, end, _in_case_of(words, found))
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
            if len(key) != _FIELDS.get(level) or sign not in ("-", "+"):
                raise ModelError(f"the section {_RULES!r} has a line that is no rule of spacing")
            rules[level, *key] = sign == "+"
        contractions = {}
        for level, *key, text in _read_lines(arrays, _CONTRACTIONS):
            if (
                level not in _LEVELS
                or len(key) < (2 if level == "forms" else 3)
                or (level == "any" and len(key) != 3)
                or (level == "tagged" and len(key) % 2)
            ):
                raise ModelError(f"the section {_CONTRACTIONS!r} has a line that is no contraction")
            contractions[level, *key] = text
        return cls(rules, contractions)


def _read_lines(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Iterator[list[str]]:
    """The fields of each line of a section, at least two."""
    array = arrays.get(name)
    if array is None or array.dtype != np.uint8 or array.ndim != 1:
        raise ModelError(f"the model has no section {name!r} of uint8")
    try:
        lines = unpack_lines(array)
    except UnicodeDecodeError as error:
        raise ModelError(f"the section {name!r} is not text") from error
    return (line.split("\t") if "\t" in line else [line, ""] for line in lines)


# Rules of spacing


def _key(level: str, left: _Word, right: _Word) -> Key:
    return (level, *_CONTEXTS[level](left, right))


def _learn_rules(examples: Sequence[Example]) -> dict[Key, bool]:
    """Level by level, the rules that correct what the levels before decide wrongly."""
    places: list[tuple[_Word, _Word, bool]] = []
    decisions: list[bool] = []
    for forms, tags, spelling in examples:
        contracted = {
            place
            for each in spelling.contractions
            if not _is_plain(forms, each)
            for place in range(each.first, each.last)
        }
        words = _words(forms, tags)
        for place, default in enumerate(_default_spaces(forms, words), start=1):
            if place not in contracted:
                places.append((words[place - 1], words[place], spelling.spaces[place - 1]))
                before = spelling.spaces[: place - 1]
                decisions.append(default or _is_loose(words[place - 1], before))
    rules: dict[Key, bool] = {}
    for level in _CONTEXTS:
        keys = [_key(level, left, right) for left, right, _ in places]
        tallies: defaultdict[Key, list[int]] = defaultdict(lambda: [0, 0, 0])
        for key, (_, _, space), decision in zip(keys, places, decisions, strict=True):
            tallies[key][space] += 1
            tallies[key][2] += space == decision
        found = {
            key: apart > joined
            for key, (joined, apart, right) in tallies.items()
            if max(joined, apart) - right >= MIN_GAIN and _is_storable(key)
        }
        decisions = [
            found.get(key, decision) for key, decision in zip(keys, decisions, strict=True)
        ]
        rules |= found
    return rules


def _is_storable(key: Key) -> bool:
    return not any("\t" in field or "\n" in field for field in key)


def _words(forms: Sequence[str], tags: Sequence[str]) -> list[_Word]:
    words = [_Word(form.lower(), _kinds(form), tag) for form, tag in zip(forms, tags, strict=True)]
    for i, role in _quote_roles(forms, tags):
        words[i] = _Word(forms[i] + role, forms[i] + role, tags[i])
    return words


def _quote_roles(forms: Sequence[str], tags: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Whether each straight quote opens or closes: as its tag says, if not all say the same, or by
    turns.

    Apostrophes have no role. “ closes where „ opened.
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
    """Whether the last of an odd number of quotes ends what an earlier sentence began."""
    return places[0] > 0 and all(_manner(form) == "closing" for form in forms[places[-1] + 1 :])


@lru_cache(1 << 16)
def _kinds(form: str) -> str:
    """The kinds of characters in a form, runs collapsed: *don't* is `x'x`, *1,000* is `9`."""
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


# What holds in most languages


def _default_spaces(forms: Sequence[str], words: Sequence[_Word]) -> list[bool]:
    """Whether a space stands between each two words, by what holds in most languages."""
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


def _is_loose(word: _Word, spaces: Sequence[bool]) -> bool:
    """Whether a hyphen stands after a space, so that a space follows it too."""
    return bool(spaces) and spaces[-1] and _manner(word.form) in ("hyphen", "dash")


def _joins(mark: str, forms: Sequence[str]) -> bool:
    """Whether a hyphen stands between two words, or a dash between two numbers."""
    if len(forms) < 3:
        return False
    left, right = forms[0][-1:], forms[2][:1]
    if mark == "dash":
        return left.isdigit() and right.isdigit()
    return _script(left) != "none" and _script(right) != "none"


@lru_cache(1 << 16)
def _manner(form: str) -> str:
    """How a word keeps to its neighbours."""
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
    """Whether words of this character's script stand between spaces; none if it is no letter."""
    if not character:
        return "none"
    if _JOINED_SCRIPTS.match(_name(character)):
        return "joined"
    if _INSULAR_SCRIPTS.match(_name(character)):
        return "insular"
    return "spaced" if unicodedata.category(character)[0] in "LMN" else "none"


def _name(character: str) -> str:
    return unicodedata.name(character, "")


# Contractions


def _is_plain(forms: Sequence[str], contraction: Contraction) -> bool:
    """Whether words are written in one piece, but none in another way than alone: *do n't*."""
    words = forms[contraction.first - 1 : contraction.last]
    return "".join(words).lower() == contraction.text.lower()


def _contraction_keys(forms: Sequence[str], tags: Sequence[str]) -> Iterator[Key]:
    """From general to specific: the last one that is known decides."""
    lower = [form.lower() for form in forms]
    if any(tags) and len(forms) == 2:
        yield "any", tags[0], lower[1], tags[1]
    yield "forms", *lower
    if any(tags):
        yield "tagged", *lower, *tags


def _length(key: Key) -> int:
    """The number of words of a contraction."""
    return {"any": 2, "forms": len(key) - 1, "tagged": len(key) // 2}[key[0]]


def _written(key: Key, forms: Sequence[str], known: str | None, default: str) -> str:
    """What is known of a key, in the case of `any` only what follows the first word."""
    if known is None:
        return default
    return forms[0].lower() + known if known and key[0] == "any" else known


def _learn_contractions(examples: Sequence[Example]) -> dict[Key, str]:
    """Contractions that are written so in most of the places where their words meet."""
    places = list(_contractible(examples))
    decisions = [""] * len(places)
    contractions: dict[Key, str] = {}
    for level in _LEVELS:
        tallies: defaultdict[Key, Counter[str | None]] = defaultdict(Counter)
        right: Counter[Key] = Counter()
        for (forms, keys, text), decision in zip(places, decisions, strict=True):
            if level in keys:
                key = keys[level]
                tallies[key][_after_mark(forms, text) if level == "any" else text] += 1
                right[key] += text == decision
        found = {}
        for key, tally in tallies.items():
            most, count = tally.most_common(1)[0]
            if most is None or 2 * count <= tally.total():
                most, count = "", tally[""]
            # Without tags, forms alone decide.
            needed = (most and level == "forms") or count - right[key] >= MIN_GAIN
            if needed and _is_storable((*key, most)):
                found[key] = most
        decisions = [
            _written(keys[level], forms, found.get(keys[level]), decision)
            if level in keys
            else decision
            for (forms, keys, _), decision in zip(places, decisions, strict=True)
        ]
        contractions |= found
    return contractions


def _contractible(
    examples: Sequence[Example],
) -> Iterator[tuple[Sequence[str], dict[str, Key], str]]:
    """Where words meet that are contracted somewhere: them, their keys, what is written."""
    wanted: set[Key] = set()
    written: list[dict[tuple[int, int], str]] = []
    for forms, tags, spelling in examples:
        written.append({})
        for each in spelling.contractions:
            start, end = each.first - 1, each.last
            if each.text and not _is_plain(forms, each):
                written[-1][start, end] = each.text.lower()
                wanted.update(_contraction_keys(forms[start:end], tags[start:end]))
    lengths = sorted({_length(key) for key in wanted})
    for (forms, tags, _), texts in zip(examples, written, strict=True):
        for start in range(len(forms)):
            for end in (start + length for length in lengths if start + length <= len(forms)):
                words = forms[start:end]
                keys = {key[0]: key for key in _contraction_keys(words, tags[start:end])}
                if not wanted.isdisjoint(keys.values()):
                    yield words, keys, texts.get((start, end), "")


def _after_mark(forms: Sequence[str], text: str) -> str | None:
    """`-se` of *torna-se*: a mark and the second word; none if the words are not written so."""
    if not text:
        return ""
    first, second = (form.lower() for form in forms)
    mark = text.removeprefix(first).removesuffix(second)
    is_mark = mark != "" and not any(map(str.isalnum, mark))
    return mark + second if is_mark and text == first + mark + second else None


def _in_case_of(forms: Sequence[str], text: str) -> str:
    """A contraction with the capitals of its words: *Du* for *De le*."""
    first = forms[0]
    if "".join(forms).isupper() or (len(first) > 1 and first.isupper()):
        return text.upper()
    if text.startswith(first.lower()):
        return first + text[len(first.lower()) :]
    return text[:1].upper() + text[1:] if first[:1].isupper() else text
