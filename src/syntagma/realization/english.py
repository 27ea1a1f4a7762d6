"""English inflection: irregular words from two tables, all others by the rules of spelling.

`english_verbs.tsv` is made from UniMorph by `benchmarks/english_forms.py`; `english_words.tsv` is
kept by hand. Tags are those of the Penn Treebank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib.resources import files

from syntagma.realization.letters import with_case_of

_SIBILANT = re.compile(r"(?:[sxz]|[cs]h)$")
_CONSONANT_Y = re.compile(r"(?:[^aeiou]|qu)y$")
_CONSONANT_O = re.compile(r"[^aeiou]o$")
_LONE_Z = re.compile(r"(?:^|[^aeiou]|qu)[aeiou]z$")
_SILENT_E = re.compile(r"[^eoy]e$")
_PLURAL = re.compile(r"[^aiosu'xz]s$")  # *goods*, *clothes*
_COMMON_Y = re.compile(r"(?:it|og|tr|or|ar|er|nc|ud|un|rt|om|ph|ack)y$|[aeiou]y$")
_HARD_C = re.compile(r"[aeiou]c$")
_GRADED = re.compile(r"[^aeiouy]*[aeiouy]+(?:[^aeiouy]+(?:[aeiouy]*(?<!l)y|le|e|ow)|[^aeiouy]*)")
# Compared by *more* and *most*, whatever comes before the ending.
_PERIPHRASTIC = re.compile(
    r".*[aeiouy].*(?:ful|less|ous|[st]ive|able|ible|ical|ing|[^aeiou]ant|[^aeiou]ent)"
)
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
    return noun if _PLURAL.search(noun) else _with_s(noun)


def plural_of_name(name: str) -> str:
    """The plural of a proper noun: *Smiths*, *Kennedys*, but *Studies*; *Alps* is one."""
    if _PLURAL.search(name) or name.endswith(("is", "men")):
        return name
    if name.endswith("y") and not _COMMON_Y.search(name):
        return name + "s"
    return plural(name)


def progressive(verb: str) -> str:
    """The form of a verb in *-ing*: *making*, *lying*, *running*."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if _SILENT_E.search(verb):
        return verb[:-1] + "ing"
    return _lengthened(verb) + "ing"


def _with_s(word: str) -> str:
    if _CONSONANT_Y.search(word):
        return word[:-1] + "ies"
    if _LONE_Z.search(word):
        return word + "zes"
    return word + ("es" if _SIBILANT.search(word) else "s")


def _add(ending: str, word: str) -> str:
    """The word with an ending that begins with *e*: *stopped*, *tried*, *panicked*; *later* and
    *latest* have theirs already."""
    if word.endswith(ending) and ending != "ed":
        return word
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


RULES: Mapping[str, Callable[[str], str]] = {
    "NNS": plural,
    "NNPS": plural_of_name,
    "VBP": str,  # the lemma, except of *be*
    "VBZ": third_person,
    **dict.fromkeys(("VBD", "VBN"), partial(_add, "ed")),
    "VBG": progressive,
    **dict.fromkeys(("JJR", "RBR"), partial(_add, "er")),
    **dict.fromkeys(("JJS", "RBS"), partial(_add, "est")),
}
BASIC = frozenset({"NN", "NNP", "VB", "JJ", "RB"})  # the lemma itself
DEGREES = ("JJR", "JJS", "RBR", "RBS")
VERBS = ("VBD", "VBN", "VBG", "VBZ")  # the columns of `english_verbs.tsv`

_CLASSES = (
    {"NN", "NNS"},
    {"NNP", "NNPS"},
    {"VB", "VBP", *VERBS},
    {"JJ", "JJR", "JJS"},
    {"RB", "RBR", "RBS"},
)
_ENDINGS = {
    **{"NNS": "s", "NNPS": "s", "VBZ": "s", "VBP": "", "VBD": "ed", "VBN": "ed", "VBG": "ing"},
    **{"JJR": "er", "JJS": "est", "RBR": "er", "RBS": "est"},
}
# An irregular verb stays irregular after a prefix: *rewrote*.
_PREFIXED = re.compile(
    r"(?:re|un|over|under|out|mis|pre|fore|inter|counter|down|up|back|co|de|for|be|with|en|self"
    r"|super|sub|cross|[a-z]+(?=-))-?([a-z]{2,})"
)
# An irregular noun stays irregular at the end of a compound: *housewives*.
_COMPOUND = re.compile(
    r".+?(man|child|wife|knife|shelf|wolf|loaf|tooth|foot|mouse|goose|leaf|life|thief|half|calf"
    r"|person|craft|fish|sis)"
)
_HYPHENATED = re.compile(r".+-([a-z]+)")
_NATIONAL = re.compile(r".*(?:sh|ch|ts|ss|re)man")  # *Frenchman*, but not *Newman*
_HEADED = re.compile(r"(\w+)([ -](?:in-law|(?:of|at|to|by|up|on|in|down|off)\b).*)")
_MAX_LETTERS = 100  # nothing longer is a word of English


def inflected(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms of a lemma, the best first; none if words with this tag are not inflected.

    Of a phrase, the first word of a verb and the last word of anything else is inflected.
    """
    if tag in BASIC:
        return (lemma,)
    if tag not in RULES or len(lemma) > _MAX_LETTERS:
        return ()
    before, word, after = _head_word(lemma, tag)
    known = listed(word.lower(), tag)
    if len(word) > 1 and word.isupper():
        known = tuple(form.upper() for form in known)
    forms = known or (regular(word, tag),)
    return tuple(f"{before}{with_case_of(word, form)}{after}" for form in forms)


def likely_forms(lemma: str) -> tuple[str, ...]:
    """The forms of a lemma of which nothing is known: those of a noun, and those of an irregular
    verb; none of a name or number."""
    if not (lemma.isalpha() and lemma.islower()):
        return ()
    tags = ("NN", "NNS", "VBZ", *VERBS) if listed(lemma, "VBD") else ("NN", "NNS")
    return tuple(dict.fromkeys(inflected(lemma, tag)[0] for tag in tags if inflected(lemma, tag)))


def is_likely(lemma: str, tag: str) -> bool:
    """Whether a lemma may have a form with this tag that was not seen. Few names have a plural;
    adjectives and adverbs in *-er* and *-est* are irregular or as short as *dull* and *noisy*."""
    if tag not in ("NNPS", *DEGREES):
        return True
    return bool(listed(lemma.lower(), tag)) or (
        tag != "NNPS" and _GRADED.fullmatch(lemma.lower()) is not None
    )


def has_no_degrees(lemma: str) -> bool:
    """Whether an adjective or adverb is certainly compared by *more* and *most*: *beautiful*."""
    lemma = lemma.lower()
    irregular = any(listed(lemma, tag) for tag in DEGREES)
    return not irregular and _PERIPHRASTIC.fullmatch(lemma) is not None


def are_of_one_class(tag: str, other: str) -> bool:
    """Whether both tags are of nouns, of names, of verbs, or of adjectives."""
    return any(tag in family and other in family for family in _CLASSES)


def listed(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms of an irregular word, also after a prefix or in a compound; none of a regular
    one. The lemma is in lower case."""
    table = irregular_words()
    if (lemma, tag) in table:
        return table[lemma, tag]
    if tag == "NNPS":
        if _NATIONAL.fullmatch(lemma):
            return (lemma[:-2] + "en",)
        return (lemma,) if table.get((lemma, "NNS")) == (lemma,) else ()
    if tag in VERBS:
        match = _PREFIXED.fullmatch(lemma)
    else:
        match = _COMPOUND.fullmatch(lemma) or _HYPHENATED.fullmatch(lemma)
    if match is None:
        return ()
    before = lemma[: match.start(1)]
    return tuple(before + form for form in table.get((match[1], tag), ()))


def regular(word: str, tag: str) -> str:
    """The form by the rules of spelling; abbreviations and numbers take bare endings."""
    ending = _ENDINGS[tag]
    if word[-1:] == "." and word[-2:-1].isalpha():
        return f"{word[:-1]}{'' if word[-2] == 's' else ending}."
    if tag == "NNPS" and word.endswith("S"):
        return word
    if word[-1:].isdigit() or (len(word) > 1 and word.isupper()):
        return word + ("es" if ending == "s" and word[-1] == "S" else ending)
    if not word[-1:].isalpha() and word[-1:] not in "'\u2019":
        return word
    return with_case_of(word, RULES[tag](word.lower()))


def _head_word(lemma: str, tag: str) -> tuple[str, str, str]:
    """The word of a phrase that is inflected, with what is before and after it."""
    if tag.startswith("VB"):
        word, space, rest = lemma.partition(" ")
        return "", word, space + rest
    match = _HEADED.fullmatch(lemma)
    if match and tag == "NNS":
        return "", match[1], match[2]
    before, space, word = lemma.rpartition(" ")
    return before + space, word, ""


@cache
def irregular_words() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """The tables: lemma and tag to forms, the best first."""
    found = {}
    for lemma, *cells in _rows("english_verbs.tsv"):
        for tag, cell in zip(VERBS, cells, strict=False):
            if cell:
                found[lemma, tag] = tuple(cell.split("/"))
    for tag, lemma, forms in _rows("english_words.tsv"):
        found[lemma, tag] = tuple(forms.split("/"))
    return found


def _rows(name: str) -> Iterator[list[str]]:
    text = files("syntagma.realization").joinpath(name).read_text("utf-8")
    return (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
