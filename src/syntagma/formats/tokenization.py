"""Splits plain English text into sentences and words as UD English EWT does.

A word is a syntactic word: *do n't*, *dog 's*, *well - known*, *$ 5*. Typographic quotes and dashes
are replaced by those of the treebank. `formats` reads text that is already tokenised. The other
direction is `realization.detokenization`.
"""

# ruff: noqa: RUF001, this module is about characters that look alike

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

__all__ = ["normalize", "sentences", "split_sentences", "words"]

# For a dash, EWT writes one hyphen four times as often as two.
CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‘’‚‛′ʼ", "'"),
        **dict.fromkeys("‐‑‒–−", "-"),
        **dict.fromkeys("—―", " - "),
        **dict.fromkeys("⸺⸻", " -- "),
        "…": "...",
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),  # zero width
    }
)


def _table(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _table("""
    Adm Bros Capt Cmdr Col Cpl Cpt Dr Drs Fr Ft Gen Gov Hon Insp Lt Maj Messrs Mlle Mme Mr Mrs Ms Mt
    Pres Prof Rep Reps Rev Revd Sen Sens Sgt St Ste Supt
""")
BEFORE_NUMBERS = _table("""
    Art Ch ch chap Eq Fig Figs fig figs lat No Nos no nos Op p para pp Rs Sec sec sect Vol Vols vol
    vols
""")
ABBREVIATIONS = _table("""
    al approx Apr Assn Attn Aug Ave Blvd ca Calif cf cit Co Conf Conn Corp Dec Dept ed eds eg Esp
    esp Esq Est est etc ext Feb Fri ft hrs ie Inc Jan Jr Jul Jun La lb lbs Ltd Mar Mass mins Mon Nov
    Oct op oz Pa Ph Rd Sc Sep Sept spp Sr Tex Thu Thur Thurs trans Tue Tues Univ Va viz vs Wed yrs
""")
# After these prefixes, a hyphen is part of the word: "non-profit", but "high - profile".
PREFIXES = _table("""
    anti arch bi co counter cross de e ex extra hyper infra inter intra macro mega meta micro mid
    mini mis multi neo non over post pre pro proto pseudo psycho quasi re semi socio sub super trans
    tri ultra un under uni
""")
UNITS = _table("""
    am AM b B bn cm ft gb GB GHz hh hr hrs hz Hz k K kb KB kg kHz km lb lbs m M mb MB MHz min mins
    mm mn mph percent pm PM x
""")
FILES_AND_HOSTS = _table(r"""
    biz com edu gov info mil net org (?:ac|co|org)\.(?:au|jp|nz|uk)
    doc docx exe gif htm html jpg mp3 pdf png ppt txt url xls xlsx zip
""")
# Two words written as one; not "wont", "cant", "its" and "lets": in edited text, these are other
# words.
JOINED = _table("""
    can|not gon|na got|ta wan|na gim|me lem|me out|ta
    do|nt did|nt does|nt could|nt would|nt should|nt is|nt was|nt are|nt were|nt has|nt have|nt
    had|nt ai|nt i|m i|ve that|s there|s what|s you|re they|re you|ve
""")
# Words that, after an abbreviation, begin a new sentence.
STARTERS = _table("""
    A After Although An And As At Because But By For From He Her Here His How However I If In It Its
    My No Not On Our She Since So Some That The Their Then There These They This Those To We What
    When Where Which While Who Why With Yes You Your
""")
# Words that continue the sentence after a quoted question and a name: "Who?" Poe asked.
SPEECH = _table("""
    added answered asked began cried continued demanded exclaimed inquired murmured muttered
    observed remarked repeated replied returned said says shouted whispered
""")
OPENERS = "\"'“‘’„«([{`*_"
CLOSERS = "\"'”’»)]}*_"
QUOTES = "\"'”’»"
ENDERS = ".!?…"
CURRENCIES = "$£€"

CACHED_PIECES = 1 << 17
LONGEST_CACHED = 40


def _any(*tables: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(chain(*tables), reverse=True))})"


# Runs that may fail to match are bounded, so that the time is linear in any text.
_L = r"[^\W\d_]"
_W = r"[\w\u0300-\u036f]"
_END = rf"(?!{_W})"
_WORD = rf"{_W}++(?:'{_L}{_W}*+)*+"
_TOKEN = re.compile(
    rf"""
    (?:(?:https?|ftp)://|www\.|mailto:)[^\s<>"]*[\w/]
    | [\w.+%-]{{1,64}}@[\w-]{{1,64}}(?:\.[\w-]{{1,64}}){{0,8}}
    | (?:[:;=]['-]?[()DPpO|/\\\[\]]|[(]:|\^_\^|<3){_END}
    | (?i:n't|'(?:s|ll|ve|re|m|d|em|n|tis|twas|til|cause)){_END} | (?<!\d)'\d\ds?{_END}
    | {_L}(?:\.{_L})+{_END}\.?
    | (?:{_any(TITLES, BEFORE_NUMBERS, ABBREVIATIONS)}|[A-Z])\.(?![\w.])
    | (?:\d-)?\d{{3}}[-/]\d{{3}}-\d{{4}}{_END} | \d{{3}}-\d{{4}}{_END} | \d{{5}}-\d{{4}}{_END}
    | \d{{1,4}}[-/]\d{{1,2}}[-/]\d{{2,4}}{_END}
    | (?:0?[1-9]|1[0-2])/[0-3]\d{_END} | 1[0-2]/[1-9]{_END}
    | [wW]/(?:o|out)?{_END} | [lLI]/[cCS]{_END} | b/[ct]{_END}
    | {_L}{{1,3}}(?:&{_L}{{1,3}}){{1,2}}{_END}
    | [A-Z]{{1,2}}\$
    | {_W}{{0,64}}(?:[.-]{_W}{{1,64}}){{0,8}}\.(?i:{_any(FILES_AND_HOSTS)}){_END}
    | [a-z]{{1,64}}(?:\.[a-z]{{1,64}}){{2,8}}{_END}
    | [+]?\d++(?:[.,:]\d++)*+(?=(?:{_any(UNITS)}|[ap]\.m){_END})
    | \d++'?s{_END} | [+]?\d++(?:[.,:]\d++)++(?:(?:st|nd|rd|th|s){_END})?
    | [+]\d++{_END} | (?<![\w.])\.\d++
    | (?<!-)(?i:{_any(PREFIXES)})-{_WORD} | {_WORD}
    | \.\.++ | --++ | [!?]++ | ''++ | ``++ | ==++ | \*++ | ~++ | \#\#++ | \+\++ | \$\$++
    | <<++ | >>++
    | \S
    """,
    re.VERBOSE,
)
_CLITIC = re.compile(r"(?:n't|(?<!\d)'s|'(?:ll|ve|re|m|d))\Z", re.IGNORECASE)
_LONGEST_CLITIC = 3
_DASH = re.compile("[-–—/]")
_ACRONYM = re.compile(rf"{_L}(?:\.{_L})++\Z")
_CUTS = {
    spelling("".join(pair)): len(pair[0])
    for pair in (joined.split("|") for joined in JOINED)
    for spelling in (str.lower, str.capitalize, str.upper)
    if len(pair[0]) > 1 or spelling is not str.upper  # IM and IVE are other words
}
_LAST = frozenset(CLOSERS + ENDERS)


def normalize(text: str) -> str:
    """Text with the quotes, dashes and ellipses of the treebank, without invisible characters.

    >>> normalize("“Well—”")
    '"Well - "'
    """
    return text if text.isascii() else text.translate(CHARACTERS)


def words(sentence: str) -> list[str]:
    """The words of one sentence.

    >>> words("Mr. Poe can’t pay $5, the well-fed dog's vet says.")
    ['Mr.', 'Poe', 'ca', "n't", 'pay', '$', '5', ',', 'the', 'well', '-', 'fed', 'dog', "'s", 'vet', 'says', '.']
    """  # noqa: E501
    return _words(sentence.split())


def sentences(paragraph: str) -> list[list[str]]:
    """The words of each sentence of a paragraph.

    >>> sentences("It rains. “Does it?” asked Dr. No.")
    [['It', 'rains', '.'], ['"', 'Does', 'it', '?', '"', 'asked', 'Dr.', 'No', '.']]
    """
    found = map(_words, split_sentences(paragraph))
    return [sentence for sentence in found if sentence]


def split_sentences(paragraph: str) -> Iterator[list[str]]:
    """The pieces between spaces of each sentence of a paragraph, before these are split into words.

    >>> [*split_sentences("It rains. Doesn't it?")]
    [['It', 'rains.'], ["Doesn't", 'it?']]
    """
    pieces, start = paragraph.split(), 0
    for end, piece in enumerate(pieces[:-1], 1):
        if piece[-1] in _LAST and _is_end(pieces, start, end):
            yield pieces[start:end]
            start = end
    yield pieces[start:]


def _is_end(pieces: list[str], start: int, end: int) -> bool:
    """Whether the sentence that begins at piece `start` ends before piece `end`."""
    piece = pieces[end - 1]
    closed = piece.rstrip(CLOSERS)
    if not closed or closed[-1] not in ENDERS:
        return False
    word = _DASH.split(closed[:-1])[-1].lstrip(OPENERS)
    following = pieces[end].lstrip(OPENERS)
    first = following[:1]
    if first.islower():
        return piece[-1] == "." and _is_plain(word)
    if not (first.isupper() or first.isdigit() or (first and first in CURRENCIES)):
        return False
    if closed[-1] in "!?":
        spoken = any(each.rstrip(",.;:") in SPEECH for each in pieces[end + 1 : end + 2])
        return piece[-1] not in QUOTES or not spoken
    if word in TITLES or (len(word) == 1 and word.isupper() and word != "I"):
        return False
    if word in BEFORE_NUMBERS:
        return not first.isdigit()
    if word in ABBREVIATIONS or _ACRONYM.match(word):
        return following in STARTERS
    return end - start > 1 or not word.isdigit()


def _is_plain(word: str) -> bool:
    """Whether a word is not an abbreviation: then its period ends a sentence, even if the next one
    begins in lower case."""
    lower = len(word) > 3 and word.isalpha() and word.islower()
    return lower and word not in ABBREVIATIONS and word not in BEFORE_NUMBERS


def _words(pieces: list[str]) -> list[str]:
    found: list[str] = []
    for piece in pieces[:-1]:
        found += _cached(piece) if len(piece) <= LONGEST_CACHED else _split(piece)
    return [*found, *_split_last(pieces[-1])] if pieces else []


def _split(piece: str) -> tuple[str, ...]:
    """The words of a piece of text without white space."""
    found: list[str] = []
    for token in _TOKEN.findall(normalize(piece)):
        if cut := _CUTS.get(token):
            found += (token[:cut], token[cut:])
        elif "'" in token:
            found += _clitics(token)
        else:
            found.append(token)
    return tuple(found)


# Words repeat: a cache is several times as fast as splitting them again.
_cached = lru_cache(CACHED_PIECES)(_split)


def _split_last(piece: str) -> tuple[str, ...]:
    """The words of the last piece of a sentence, whose period is never part of an abbreviation."""
    text = normalize(piece)
    stem = text.rstrip("\"'")
    if stem.endswith(".") and stem[-2:-1].isalnum():
        return (*_split(stem[:-1]), ".", *_split(text[len(stem) :]))
    return _split(text)


def _clitics(token: str) -> list[str]:
    """A word and its clitics: *should n't 've*."""
    found: list[str] = []
    end = len(token)
    while match := _CLITIC.search(token, max(1, end - _LONGEST_CLITIC), end):
        found.append(match[0])
        end = match.start()
    return [*_split(token[:end]), *reversed(found)] if found else [token]
