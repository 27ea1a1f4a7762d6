"""Problems from arguments, files or standard input, solved one after the other as they come."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import typer

from syntagma.cli import options
from syntagma.cli.output import Document, open_output
from syntagma.cli.progress import Ticker
from syntagma.errors import FormatError, ProblemError, SyntagmaError, shown
from syntagma.files.reading import Place
from syntagma.formats.conllu import Lemmas
from syntagma.formats.problems import guess_format, place_of, read_problems
from syntagma.formats.results import Result
from syntagma.formats.text import split_bag
from syntagma.linearizer.inputs import warn_of_phrase
from syntagma.linearizer.streams import Stored, is_stored
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn, Word
from syntagma.request import Request
from syntagma.results.acceptance import Acceptance
from syntagma.results.linearization import Linearization
from syntagma.results.realization import Realization

if TYPE_CHECKING:
    from syntagma.linearizer.linearizer import Linearizer

# How many places of skipped problems the closing line lists; each was reported when it was skipped.
PLACES_SHOWN = 10
DONE = {"order": "ordered", "realize": "realized", "accept": "judged"}  # labels of the progress


# Of a stream: a problem, perhaps with an order of its words, or what is wrong with it.
Item = TypeVar("Item", Problem | FormatError, tuple[Problem, list[Any]] | FormatError)


def run_stream(
    linearizer: "Linearizer",
    request: Request,
    items: Iterable[Item],
    document: Document,
    output: Path | None,
    on_error: Literal["stop", "skip"],
    threads: int,
) -> None:
    """Write the result of each problem to a document as soon as it is found."""
    items, again = tee(items) if not isinstance(items, Stored) else map(Stored, tee(items))
    skipped, short_of_time = Skipped(), ShortOfTime()
    # Results that scroll by on the same terminal show progress by themselves.
    quiet = output is None and sys.stdout.isatty()
    with open_output(output) as write, Ticker(DONE[request.operation], enabled=not quiet) as ticker:
        write(document.opening)
        results = linearizer.solve(items, request, threads=threads, on_error="yield")
        for result, item in zip(results, again, strict=False):
            if isinstance(result, SyntagmaError):
                place = place_of(item[0] if isinstance(item, tuple) else item)
                error = _placed(result, place)
                if on_error == "stop":
                    raise error
                skipped.add(place)
                ticker.print(f"skipped: {error}")
            else:
                short_of_time.add(result)
                write(document.add(result, ticker.count + 1))
            ticker.advance()
        write(document.closing())
    skipped.close(ticker.count)
    short_of_time.close(ticker.count)


def bag_of_arguments(
    words: Sequence[str], *, lemmas: bool = False, tokenize: bool = False
) -> Problem:
    """A problem of plain words, or of lemmas, from the command line."""
    for number, word in enumerate(words, start=1):
        try:
            word.encode()
        except UnicodeEncodeError:
            raise ProblemError(f"word {number} is not valid UTF-8: {shown(word)}") from None
    if tokenize:
        words = splitter(tokenize)(" ".join(words))
    problem = Problem.of([Word(lemma=word) for word in words] if lemmas else words)
    warn_of_phrase(words)
    return problem


def splitter(tokenize: bool) -> Callable[[str], list[str]]:
    """What splits a line into words: at blanks, or as raw text."""
    if not tokenize:
        return split_bag
    from syntagma.formats.tokenization import words

    return words


def read_inputs(
    files: Sequence[Path | str],
    format: options.LemmaFormatName | None,
    tag_column: TagColumn,
    lemmas: Lemmas | None = None,
    *,
    tokenize: bool = False,
) -> Iterator[Problem | FormatError]:
    """The problems of several files; "-" is standard input."""
    problems = _read_all(files, format, tag_column, lemmas, tokenize=tokenize)
    return Stored(problems) if all(map(is_stored, files)) else problems


def _read_all(
    files: Sequence[Path | str],
    format: options.LemmaFormatName | None,
    tag_column: TagColumn,
    lemmas: Lemmas | None,
    *,
    tokenize: bool,
) -> Iterator[Problem | FormatError]:
    reader_format = "jsonl" if format == "json" else format
    for file in files:
        if tokenize and (reader_format or guess_format(file)) != "text":
            raise typer.BadParameter(f"--tokenize is for plain text, not for {file}")
    for file in files:
        if str(file) == "-" and sys.stdin.isatty():
            what = "lemmas" if lemmas else "words"
            print(f"Type one bag of {what} per line; end with Ctrl-D.", file=sys.stderr)
        yield from read_problems(file, reader_format, tag_column, lemmas, splitter(tokenize))


def read_one(
    file: Path,
    format: options.InputFormatName | None,
    tag_column: TagColumn,
    *,
    tokenize: bool,
    command: str,
) -> Problem:
    """The one problem of a file, whose orders are to be looked at."""
    problems = read_inputs([file], format, tag_column, tokenize=tokenize)
    first = next(problems)
    if isinstance(first, FormatError):
        raise first
    if next(problems, None) is not None:
        raise ProblemError(f"{file}: more than one problem; {command} takes one at a time")
    return first


class Skipped:
    """Counts skipped problems and keeps the places that the closing line lists."""

    def __init__(self) -> None:
        self.count = 0
        self.places: list[Place] = []

    def add(self, place: Place | None) -> None:
        self.count += 1
        if place is not None and len(self.places) < PLACES_SHOWN:
            self.places.append(place)

    def close(self, total: int) -> None:
        if self.count:
            places = ", ".join(map(str, self.places))
            more = f" and {self.count - len(self.places)} more" * (self.count > len(self.places))
            print(f"skipped {self.count} of {total} problems: {places}{more}", file=sys.stderr)


class ShortOfTime:
    """Counts the results for which a search had too little time."""

    def __init__(self) -> None:
        self.unfinished = self.words = self.narrowed = 0

    def add(self, result: Result | Sequence[Result] | Acceptance) -> None:
        best = result[0] if isinstance(result, Sequence) else result
        if isinstance(best, Realization):
            best = best.linearization
        self.narrowed += best.narrowed
        if isinstance(best, Linearization) and not best.finished:
            self.unfinished += 1
            self.words += len(best.left_out)

    def close(self, total: int) -> None:
        if self.unfinished:
            print(
                f"{self.unfinished} of {total} results are unfinished, {self.words} words left "
                "out; give the search more time (--timeout, --expansions) or use --search beam",
                file=sys.stderr,
            )
        if self.narrowed:
            print(
                f"{self.narrowed} of {total} results come from a narrowed beam; "
                "give the search more time (--timeout) for results of the full beam",
                file=sys.stderr,
            )


def _placed(error: SyntagmaError, place: Place | None) -> SyntagmaError:
    """The error with its place; errors of readers have one already, those of the search do not."""
    if isinstance(error, FormatError) or place is None:
        return error
    placed = FormatError(str(error), *place)
    placed.__cause__ = error
    return placed
