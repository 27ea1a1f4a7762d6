"""CoNLL-U in and out: sentence blocks with `_` for what is not given.

Treebanks, where everything must be given, are read from the same blocks in
`treebanks/treebank.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, groupby, product
from operator import itemgetter
from typing import Literal

from syntagma.errors import FormatError, ProblemError, SyntagmaWarning, shown, warn
from syntagma.files.reading import Lines, Place, about_sentence
from syntagma.problem.limits import MAX_CONSTRAINTS, MAX_DIGITS, MAX_LINE, MAX_WORDS
from syntagma.problem.parse import Annotation, Given, ParsedWord, ParseOrigin, check_tag_column
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn
from syntagma.results.linearization import Linearization
from syntagma.results.spelling import NO_SPACE, Contraction, Spelling

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)

_NOTED = itemgetter(LEMMA, UPOS, XPOS, FEATS, MISC)  # the columns of an `Annotation`

# The column of the lemmas: LEMMA or, in the input of the shared task, FORM.
Lemmas = Literal["column", "shared task"]

_LIN = "lin="
_PLACE = "original_id="
_HINT = re.compile(r"lin=([+-])([1-9][0-9]{0,5})")
_AFTER_LAST = f"{MAX_WORDS + 1}\t"
_LINE_OVERHEAD = 256  # added to the length of a line of a sentence: its columns take memory, too
_NUMBER = rf"[1-9][0-9]{{0,{MAX_DIGITS - 1}}}"
_NOT_A_WORD = re.compile(rf"({_NUMBER})-({_NUMBER})|(?:0|{_NUMBER})\.{_NUMBER}")


def tag_index(tag_column: TagColumn) -> int:
    """The index of the column that serves as the tag."""
    check_tag_column(tag_column)
    return UPOS if tag_column == "upos" else XPOS


@dataclass(slots=True)
class Block:
    """The lines of one sentence: comments verbatim, and one row of ten columns per word.

    Multiword tokens (3-4) presuppose a word order, so only the spelling uses them. Empty nodes
    (3.1) are left out.
    """

    comments: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)  # of the rows
    ranges: list[list[str]] = field(default_factory=list)

    @property
    def id(self) -> str | None:
        return self._comment("sent_id")

    @property
    def text(self) -> str | None:
        """The sentence as it is written, if a comment gives it."""
        return self._comment("text")

    def _comment(self, name: str) -> str | None:
        for comment in self.comments:
            key, _, value = comment[1:].partition("=")
            if key.strip() == name and value.strip():
                return value.strip()
        return None

    @property
    def place(self) -> Place:
        return self.places[0]

    def check_forms(self) -> None:
        """Raise `FormatError` at the first word with a lemma but no form."""
        for row, place in zip(self.rows, self.places, strict=True):
            if row[FORM] == "_" != row[LEMMA]:
                message = f"the word {shown(row[LEMMA])} has a lemma but no FORM: give its form"
                raise FormatError(message, *place)

    @property
    def spelling(self) -> Spelling:
        """How the words are written in the order of the rows; ranges that leave the sentence or
        overlap an earlier one do not count."""
        spaces = [_space_follows(row) for row in self.rows]
        contractions: list[Contraction] = []
        for row in self.ranges:
            first, last = map(int, row[ID].split("-"))
            if last > len(self.rows) or (contractions and first <= contractions[-1].last):
                continue
            spaces[first - 1 : last] = [False] * (last - first) + [_space_follows(row)]
            contractions.append(Contraction(first, last, row[FORM]))
        spaces[-1] = False
        return Spelling(tuple(spaces), tuple(contractions))


def read_blocks(lines: Lines, source: str) -> Iterator[Block | FormatError]:
    """Split lines into sentence blocks; a faulty block yields one `FormatError` in its place."""
    block = Block()
    error: FormatError | None = None
    size = 0
    previous: str | FormatError = ""
    for number, line in enumerate(chain(lines, (None,)), start=1):
        if not line:  # without a final blank line, the last sentence is still complete
            if error is not None:
                error.id = error.id or block.id
                yield error
            elif block.rows:
                yield block
            elif block.comments:
                yield FormatError("comments without a sentence", source, number - 1, id=block.id)
            if line is None and isinstance(previous, FormatError) and previous is not error:
                yield previous  # the file is cut off here
            block, error, size = Block(), None, 0
        elif error is not None:
            pass  # only the first fault of a sentence is reported
        elif isinstance(line, FormatError):
            error = line
        elif (size := size + len(line) + _LINE_OVERHEAD) > MAX_LINE:
            what = f"a sentence, with its comments, of more than {MAX_LINE >> 20} MiB, the limit"
            error = FormatError(what, source, number, id=block.id)
            block = Block()
        elif line[0] == "#":
            if block.rows:
                error = FormatError("a comment inside a sentence", source, number)
            block.comments.append(line)
        elif len(block.rows) == MAX_WORDS and line.startswith(_AFTER_LAST):
            what = f"the sentence has more words than the limit of {MAX_WORDS}"
            error = FormatError(what, source, number)
        else:
            columns, place = line.split("\t"), Place(source, number)
            if len(columns) == 10 and columns[ID] == str(len(block.rows) + 1):
                block.rows.append(columns)
                block.places.append(place)
            else:
                error = _row_error(columns, len(block.rows), place)
                if error is None and "-" in columns[ID]:
                    block.ranges.append(columns)
        previous = line or ""


def _row_error(columns: list[str], count: int, place: Place) -> FormatError | None:
    """The fault of a row that is not the next word; None if it is well-formed but not a word."""
    if len(columns) != 10:
        found = f"{len(columns)} column{'s' * (len(columns) != 1)}"
        return FormatError(f"{found} instead of 10 separated by tabs", *place)
    match = _NOT_A_WORD.fullmatch(columns[ID])
    if match is None:
        return FormatError(f"ID is {shown(columns[ID])} where {count + 1} is expected", *place)
    if match[1] and int(match[1]) > int(match[2]):
        return FormatError(f"the range {columns[ID]} runs backwards", *place)
    return None


def read_conllu(
    lines: Lines, source: str, tag_column: TagColumn = "xpos", lemmas: Lemmas | None = None
) -> Iterator[Problem | FormatError]:
    """Read one problem per sentence block; a bad block yields a `FormatError` in its place.

    A `SyntagmaWarning` at the end says if a model that reads UPOS tags got XPOS tags only.
    """
    check_tag_column(tag_column)  # raises now, not when the first problem is read

    def problems() -> Iterator[Problem | FormatError]:
        tagged: set[int] = set()
        for block in read_blocks(lines, source):
            if isinstance(block, FormatError):
                yield block
                continue
            if tag_column == "upos" and UPOS not in tagged:
                tagged |= {each for each in (UPOS, XPOS) for row in block.rows if row[each] != "_"}
            try:
                yield problem_from_block(block, tag_column, lemmas)
            except FormatError as error:
                error.id = block.id
                yield error
        # UPOS tags are given to any model: `linearizer/inputs.py` warns if it does not read them.
        if tagged == {XPOS}:
            message = (
                f"{source}: the model reads UPOS tags, but the file has XPOS tags only: words were "
                "ordered as if they had no tag; give UPOS tags, or use a model that reads XPOS "
                "tags (syntagma train --tag-column xpos)"
            )
            warn(SyntagmaWarning(message))

    return problems()


def problem_from_block(
    block: Block, tag_column: TagColumn, lemmas: Lemmas | None = None
) -> Problem:
    """The problem of a block, with all that `Given` says of a parse; the order of its rows only
    determines the ids.

    `lemmas` says which column holds lemmas to be realized; None: the words have forms. The input of
    the shared task on surface realisation has lemmas in the column FORM, and a feature `lin` that
    gives the position of a word relative to its head.
    """
    notes = tuple(Annotation(*_NOTED(row)) for row in block.rows)
    parsed = [
        ParsedWord(
            row[FORM],
            None if row[HEAD] == "_" else _head(row[HEAD], place),
            row[DEPREL],
            _of_lemma(note, lemmas) if lemmas else note,
        )
        for row, note, place in zip(block.rows, notes, block.places, strict=True)
    ]
    words = Given(lemmas=lemmas is not None, tag_column=tag_column).words(parsed)
    before = _hints(block) if lemmas == "shared task" else ()
    origin = ParseOrigin(notes, tuple(block.comments), tag_column, block.place)
    id = block.id
    try:
        return Problem(words, before, id=id, origin=origin)
    except ProblemError as error:
        raise FormatError(f"{about_sentence(id)}{error}", *block.place) from error


def _of_lemma(note: Annotation, lemmas: Lemmas) -> Annotation:
    """The annotation of a lemma, without `lin` and, in training sets of the shared task, the
    original place among its features."""
    parts = note.features.split("|")
    if "_" not in parts:  # beside others it is refused
        parts = [part for part in parts if not part.startswith((_LIN, _PLACE))]
    lemma = "_" if lemmas == "shared task" else note.lemma
    return note._replace(lemma=lemma, features="|".join(parts))


def _hints(block: Block) -> tuple[tuple[int, int], ...]:
    """The order constraints that `lin` expresses: the side of its head on which a word stands, and
    its distance from the head among the words that have `lin`."""
    marked: dict[tuple[int, bool], list[tuple[int, int]]] = {}
    for index, (row, place) in enumerate(zip(block.rows, block.places, strict=True), start=1):
        for part in row[FEATS].split("|"):
            if not part.startswith(_LIN):
                continue
            hint = _HINT.fullmatch(part)
            if hint is None:
                raise FormatError(f"{shown(part)}, where lin=+1 or lin=-2 is expected", *place)
            head = 0 if row[HEAD] == "_" else _head(row[HEAD], place)
            if not head:
                raise FormatError(f"{shown(part)} of a word without a head", *place)
            marked.setdefault((head, hint[1] == "+"), []).append((int(hint[2]), index))
    pairs: list[tuple[int, int]] = []
    for (head, after), words in marked.items():
        nearer = [head]
        for _, same_rank in groupby(sorted(words), key=itemgetter(0)):
            rank = [index for _, index in same_rank]
            if len(pairs) + len(nearer) * len(rank) > MAX_CONSTRAINTS:
                what = f"more order constraints from `lin` than the limit of {MAX_CONSTRAINTS}"
                raise FormatError(what, *block.place)
            # Those of ranks further apart follow from these.
            pairs += product(nearer, rank) if after else product(rank, nearer)
            nearer = rank
    return tuple(pairs)


def _head(column: str, place: Place) -> int:
    if not (column.isascii() and column.isdigit() and len(column) <= MAX_DIGITS):
        expected = "the ID of a word, 0 (root) or _ (not given) is expected"
        raise FormatError(f"HEAD is {shown(column)} where {expected}", *place)
    return int(column)


def write_conllu(
    linearization: Linearization,
    tag_column: TagColumn = "xpos",
    spelling: Spelling | None = None,
) -> str:
    """A sentence as a CoNLL-U block, with its final blank line.

    Comments and columns of the problem are carried over. The tag goes into the column from which it
    was read, or into `tag_column` if the problem was not read from CoNLL-U. A spelling adds
    multiword tokens and `SpaceAfter=No`.
    """
    sentence = linearization._columns(tag_column, spelling)
    lines = sentence.comments
    for position, row in enumerate(sentence.rows, start=1):
        if token := sentence.ranges.get(position):
            empty = "\t".join("_" * 7)
            lines.append(f"{token.first}-{token.last}\t{token.form}\t{empty}\t{token.misc}")
        columns = (row.lemma, row.upos, row.xpos, row.features, str(row.head), row.deprel)
        lines.append("\t".join((str(position), row.form, *columns, "_", row.misc)))
    return "\n".join(lines) + "\n\n"


def _space_follows(row: list[str]) -> bool:
    return NO_SPACE not in row[MISC].split("|")
