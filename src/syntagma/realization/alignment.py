"""Aligns a tree of lemmas with the sentence that it stands for (ZC15 §5.7), so that raw text can be
learned from.

A lemma may be any of the forms that the realizer proposes for it. Mappings of lemmas to the text
are found bottom-up; each subtree covers a contiguous span without other words, because the tree is
taken to be projective. Text that no lemma covers, such as punctuation or function words that the
tree lacks, is skipped. The best mapping skips least, then has the likeliest forms, then is the
leftmost. ZC15 take a random one.

A non-projective tree has no alignment. In ZC15, neither has a tree with a lemma that has no form in
the text. Here such a lemma may match any part of a token, preferably a similar one: most of them
are misspelled, or inflected in a way that the realizer does not know. SR'11 trees are read in
`formats/sr11.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from syntagma.errors import FormatError
from syntagma.files.reading import about_sentence, open_text, source_name
from syntagma.formats.sr11 import read_sr11
from syntagma.problem.problem import Problem
from syntagma.realization.agreement import ARTICLES
from syntagma.realization.realizer import Realizer
from syntagma.results.spelling import NO_SPACE, Spelling
from syntagma.treebanks.treebank import Sentence

MAX_GUESSED = 5  # pieces of a word whose form is not known
UNLIKELY = 100.0  # surprise at a form that is not known
MAX_STATES = 200_000  # partial mappings of one head and its dependents, before it gives up
_APOSTROPHE = "['\u2019]"
_PIECE = re.compile(r"[^\W\d_]+|\d+|``|''|[^\w\s]|_")
_LETTERS = re.compile(rf"[^\W\d_]+(?:{_APOSTROPHE}t\b)?")
_CLITIC = re.compile(
    rf"(.+)(n{_APOSTROPHE}t)|(can)(not)|(gon|wan)(na)|(got)(ta)|(do|did|ca|wo|is)(nt)",
    re.IGNORECASE,
)
# Quotation marks and dashes that only some texts distinguish.
_SAME = str.maketrans(
    dict.fromkeys("\u2018\u2019`", "'")
    | dict.fromkeys("\u201c\u201d\u00ab\u00bb", '"')
    | dict.fromkeys("\u2013\u2014\u2212", "-")
)
_ESCAPED = {  # by the Penn Treebank
    **{"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"},
    **{"``": '"', "''": '"', "\\/": "/", "\\*": "*"},
}


class TextPiece(NamedTuple):
    """A smallest part of the text that a form may begin or end with."""

    start: int  # characters of the text
    end: int
    text: str  # normalised


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where each word of a problem stands in the text.

    `spans` are the first character and the one after the last, by word. `skipped` are those parts
    of the text that no word stands for. `guessed` are the 1-based indices of words of which the
    text has no form that the realizer proposes.
    """

    spans: tuple[tuple[int, int], ...]
    skipped: tuple[tuple[int, int], ...]
    guessed: tuple[int, ...] = ()

    @property
    def order(self) -> tuple[int, ...]:
        """The 1-based indices of the words in the order of the text."""
        return tuple(sorted(range(1, len(self.spans) + 1), key=lambda i: self.spans[i - 1]))


class _Cost(NamedTuple):
    """What a mapping costs: pieces skipped inside its span, then how unlikely its forms are."""

    skipped: int
    surprise: float

    def plus(self, other: _Cost, gap: int = 0) -> _Cost:
        return _Cost(self.skipped + other.skipped + gap, self.surprise + other.surprise)


_Places = tuple[tuple[int, int, int], ...]  # word, first piece, piece after the last


class _Mapping(NamedTuple):
    """A mapping of a subtree."""

    cost: _Cost
    places: _Places
    guessed: tuple[int, ...] = ()


_Mappings = dict[tuple[int, int], _Mapping]  # by the span that the subtree covers


def align(
    problem: Problem, text: str, realizer: Realizer, *, guess: bool = True
) -> Alignment | None:
    """Where the words of a tree of lemmas stand in a text; None if there is no projective mapping,
    or none is found. Without `guess`, every word must stand in one of its forms, as in ZC15."""
    pieces = split_pieces(text)
    found = _map_tree(problem, pieces, realizer, guess)
    if found is None:
        return None
    spans = [(0, 0)] * len(problem.words)
    used: set[int] = set()
    for word, first, last in found.places:
        spans[word] = pieces[first].start, pieces[last - 1].end
        used.update(range(first, last))
    skipped = (piece for at, piece in enumerate(pieces) if at not in used)
    return Alignment(
        tuple(spans), tuple((piece.start, piece.end) for piece in skipped), found.guessed
    )


def aligned_sentence(
    problem: Problem, text: str, alignment: Alignment, id: str | None = None
) -> Sentence:
    """The words of the problem in the order and the forms of the text, with their tree.

    Two words with nothing but skipped text between them are written with a space.
    """
    order = alignment.order
    position = {word: place for place, word in enumerate(order, start=1)} | {0: 0}
    words = [problem.words[word - 1] for word in order]
    spans = [alignment.spans[word - 1] for word in order]
    spaces = [text[a[1] : b[0]] != "" for a, b in pairwise(spans)]
    return Sentence(
        forms=tuple(" ".join(text[start:end].split()) for start, end in spans),
        tags=tuple(word.tag or "" for word in words),
        heads=tuple(position[word.head or 0] for word in words),
        deprels=tuple(word.deprel or "_" for word in words),
        id=id,
        lemmas=tuple(word.lemma or "" for word in words),
        features=tuple(word.features or "" for word in words),
        spelling=Spelling((*spaces, False)),
        written=text,
    )


def split_pieces(text: str) -> list[TextPiece]:
    """The smallest parts of a text: runs of letters or digits, clitics, single other characters.

    >>> [piece.text for piece in split_pieces("They can't pay $5.")]
    ['they', 'ca', "n't", 'pay', '$', '5', '.']
    """
    pieces = []
    for match in re.finditer(r"\S+", text):
        for start, end in _parts(match[0]):
            start, end = start + match.start(), end + match.start()
            pieces.append(TextPiece(start, end, _comparable(text[start:end])))
    return pieces


def _parts(token: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(token):
        run = _LETTERS.match(token, start)
        clitic = _CLITIC.fullmatch(run[0]) if run else None
        if clitic is not None:
            head, tail = (group for group in clitic.groups() if group)
            middle, end = start + len(head), start + len(head) + len(tail)
            yield start, middle
            yield middle, end
            start = end
            continue
        piece = _PIECE.match(token, start)
        end = piece.end() if piece else start + 1
        yield start, end
        start = end


def _comparable(text: str) -> str:
    return _ESCAPED.get(text, text).translate(_SAME).lower()


def _map_tree(
    problem: Problem, pieces: Sequence[TextPiece], realizer: Realizer, guess: bool
) -> _Mapping | None:
    words = problem.words
    dependents: defaultdict[int, list[int]] = defaultdict(list)
    for at, word in enumerate(words):
        dependents[word.head - 1 if word.head else -1].append(at)
    if len(dependents[-1]) != 1 or any(word.head is None for word in words):
        return None
    forms = _spelled_forms(problem, realizer)
    index = defaultdict(list)
    for at, piece in enumerate(pieces):
        index[piece.text[:1]].append(at)
    mappings: dict[int, _Mappings] = {}
    guessed = []
    order = [*dependents[-1]]  # top-down
    for at in order:
        order.extend(dependents.get(at, ()))
    for at in reversed(order):
        own = _find(at, forms[at], pieces, index)
        if not own and guess:
            own = _guess(at, words[at].name, pieces)
            guessed.append(at + 1)
        units = [own, *(mappings.pop(each) for each in dependents[at])]
        found = _combine(units)
        if not found:
            return None
        mappings[at] = found
    [(_, found)] = mappings.items()
    whole = {
        span: mapping.cost.plus(_Cost(span[0] + len(pieces) - span[1], 0.0))
        for span, mapping in found.items()
    }
    best = found[min(whole, key=lambda span: (whole[span], span))]
    return best._replace(guessed=tuple(sorted(guessed)))


def _spelled_forms(problem: Problem, realizer: Realizer) -> list[dict[str, float]]:
    """The forms that each word may have in a text, normalised, and their surprise. Forms of a lemma
    with other tags and features are less likely than any of its own."""
    inflector = realizer.inflector
    found = []
    for word, choice in zip(problem.words, realizer.inflect(problem)[1], strict=True):
        forms = {_joined(each.text): -each.log_share for each in choice}
        lemma = word.lemma
        if lemma and not word.form:
            others = [each.text for each in inflector.forms(lemma, None, None)]
            if inflector.english and lemma.lower() in ARTICLES:
                others += ARTICLES
            for rank, text in enumerate([lemma, *others], start=1):
                forms.setdefault(_joined(text), 10.0 * rank)
        found.append(forms)
    return found


def _joined(form: str) -> str:
    """A form as the pieces that it consists of, one after the other."""
    form = _ESCAPED.get(form.lower(), form)
    return "".join(piece.text for piece in split_pieces(form))


def _find(
    word: int,
    forms: Mapping[str, float],
    pieces: Sequence[TextPiece],
    index: Mapping[str, Sequence[int]],
) -> _Mappings:
    """All places where one of the forms stands."""
    found: _Mappings = {}
    for form, surprise in forms.items():
        for first in index.get(form[:1], ()) if form else ():
            last, rest = first, form
            while rest and last < len(pieces) and rest.startswith(pieces[last].text):
                rest = rest[len(pieces[last].text) :]
                last += 1
            if not rest:
                mapping = _Mapping(_Cost(0, surprise), ((word, first, last),))
                known = found.get((first, last))
                if known is None or mapping.cost < known.cost:
                    found[first, last] = mapping
    return found


def _guess(word: int, lemma: str, pieces: Sequence[TextPiece]) -> _Mappings:
    """All parts of tokens that a word might be, by how similar they are to its lemma."""
    found: _Mappings = {}
    wanted = _comparable(lemma)
    spoken = any(map(str.isalnum, wanted))
    for first, piece in enumerate(pieces):
        text = ""
        for last in range(first, min(first + MAX_GUESSED, len(pieces))):
            if last > first and pieces[last].start != pieces[last - 1].end:
                break
            text += pieces[last].text
            if spoken and not (piece.text[0].isalnum() and text[-1].isalnum()):
                continue  # punctuation around a word is not part of it
            likeness = SequenceMatcher(None, wanted, text, autojunk=False).ratio()
            cost = _Cost(0, UNLIKELY * (2 - likeness))
            found[first, last + 1] = _Mapping(cost, ((word, first, last + 1),))
    return found


def _combine(units: Sequence[_Mappings]) -> _Mappings:
    """The mappings of a head with its dependents: its own places and those of the subtrees, none of
    which overlap, in any order."""
    if len(units) == 1:
        return units[0]
    if not all(units):
        return {}
    latest = [max(first for first, _ in unit) for unit in units]
    every = (1 << len(units)) - 1
    # By the units placed and where they end: by where they start, the best mapping.
    states: dict[tuple[int, int], dict[int, _Mapping]] = defaultdict(dict)
    for number, unit in enumerate(units):
        for (first, last), mapping in sorted(unit.items()):
            states[last, 1 << number][first] = mapping
    steps = 0
    found: _Mappings = {}
    while states:
        end, placed = min(states)
        starts = states.pop((end, placed))
        if placed == every:
            for start, mapping in starts.items():
                found[start, end] = mapping
            continue
        left = [number for number in range(len(units)) if not placed >> number & 1]
        if any(latest[number] < end for number in left):
            continue
        steps += len(starts)
        if steps > MAX_STATES:
            return {}
        for number in left:
            for (first, last), mapping in sorted(units[number].items()):
                if first < end:
                    continue
                target = states[last, placed | 1 << number]
                for start, before in starts.items():
                    cost = before.cost.plus(mapping.cost, first - end)
                    known = target.get(start)
                    if known is None or cost < known.cost:
                        target[start] = _Mapping(cost, before.places + mapping.places)
    return _undominated(found)


def _undominated(found: _Mappings) -> _Mappings:
    """Without the mappings that another one replaces in every sentence: one within its span, if the
    pieces that it leaves free, which can only be skipped, make it no more expensive."""
    kept: _Mappings = {}
    for (start, end), mapping in sorted(
        found.items(), key=lambda item: (item[0][1] - item[0][0], item[0])
    ):
        for (inner_start, inner_end), inner in kept.items():
            if start <= inner_start and inner_end <= end:
                free = inner_start - start + end - inner_end
                if _Cost(inner.cost.skipped + free, inner.cost.surprise) <= mapping.cost:
                    break
        else:
            kept[start, end] = mapping
    return kept


@dataclass(slots=True)
class AlignmentReport:
    """How many sentences were aligned; those without a projective mapping are left out."""

    sentences: int = 0
    words: int = 0
    left_out: int = 0
    guessed: int = 0  # words whose form in the text the realizer does not propose


def read_aligned(path: Path, realizer: Realizer, report: AlignmentReport) -> Iterator[Sentence]:
    """The sentences of a file of SR'11 with their words in order; the first fault, or a sentence
    without its text, raises `FormatError`."""
    for tree in read_sr11(open_text(path), source_name(path)):
        if isinstance(tree, FormatError):
            raise tree
        if tree.text is None:
            raise FormatError(
                f"{about_sentence(tree.id)}no text to align the lemmas with; test sets have none: "
                "use the training or development set",
                *tree.place,
            )
        found = align(tree.problem, tree.text, realizer)
        if found is None:
            report.left_out += 1
            continue
        report.sentences += 1
        report.words += len(found.spans)
        report.guessed += len(found.guessed)
        yield aligned_sentence(tree.problem, tree.text, found, tree.id)


def aligned_conllu(sentence: Sentence) -> str:
    """A sentence as CoNLL-U, with lemmas and features; its tags are XPOS."""
    spaces = sentence.spelling.spaces if sentence.spelling is not None else ()
    lines = [f"# sent_id = {sentence.id}"] if sentence.id else []
    lines.append(f"# text = {sentence.written}")
    for at, form in enumerate(sentence.forms):
        last = at + 1 == len(sentence)
        fields = (
            *(str(at + 1), form, sentence.lemmas[at] or "_", "_", sentence.tags[at] or "_"),
            *(sentence.features[at] or "_", str(sentence.heads[at]), sentence.deprels[at], "_"),
            "_" if last or spaces[at] else NO_SPACE,
        )
        lines.append("\t".join(fields))
    return "\n".join([*lines, "", ""])
