"""Problems from arguments, files or standard input, one result after the other to the output."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from syntagma.cli import options
from syntagma.cli.output import open_output
from syntagma.cli.progress import Ticker
from syntagma.errors import FormatError, ProblemError, SyntagmaError
from syntagma.formats.conllu import ConlluOrigin, Lemmas
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn, Word

# A problem, or what is wrong with it, and where it comes from (nowhere: the arguments).
Input = tuple[Problem | FormatError, str | None]

# How many places of skipped problems the closing line names; each was reported when it was met.
PLACES_SHOWN = 10


def run_batch(
    name: str,
    inputs: Iterable[Input],
    solve: Callable[[Iterator[Problem | FormatError]], Iterator[Any]],
    render: Callable[[Any], str],
    output: Path | None,
    on_error: Literal["stop", "skip"],
) -> int:
    """Write the result of each problem as soon as it is found; how many problems there were.

    `solve` yields a result, or an error, for each problem in turn; `name` is what is done to them.
    """
    places: deque[str | None] = deque()
    skipped = Skipped()
    # Results that scroll by on the same terminal are progress enough.
    quiet = output is None and sys.stdout.isatty()
    with open_output(output) as write, Ticker(name, enabled=not quiet) as ticker:
        for result in solve(_remember_places(inputs, places)):
            place = places.popleft()
            if isinstance(result, SyntagmaError):
                error = _placed(result, place)
                if on_error == "stop":
                    raise error
                skipped.add(place)
                ticker.print(f"skipped: {error}")
            else:
                write(render(result))
            ticker.advance()
    skipped.close(ticker.count)
    return ticker.count


def bag_of_arguments(words: Sequence[str], *, lemmas: bool = False) -> Problem:
    """A problem of plain words, or lemmas, as the shell passed them."""
    for number, word in enumerate(words, start=1):
        try:
            word.encode()
        except UnicodeEncodeError:
            raise ProblemError(f"word {number} is not valid UTF-8: {word!a}") from None
    return Problem.of([Word(lemma=word) for word in words] if lemmas else words)


def read_inputs(
    files: Sequence[Path | str],
    format: options.InputFormatName | None,
    tag_column: TagColumn,
    lemmas: Lemmas | None = None,
) -> Iterator[Input]:
    """The problems of several files, each with its place; "-" is standard input."""
    from syntagma.files.reading import source_name
    from syntagma.formats.problems import read_problems

    for file in files:
        if str(file) == "-" and sys.stdin.isatty():
            what = "lemmas" if lemmas else "words"
            print(f"Type one bag of {what} a line; end with Ctrl-D.", file=sys.stderr)
        source = source_name(file)
        problems = read_problems(file, "jsonl" if format == "json" else format, tag_column, lemmas)
        for number, problem in enumerate(problems, start=1):
            yield problem, _place(problem, source, number)


class Skipped:
    """Counts what was left out, and keeps no more places than its closing line shows."""

    def __init__(self) -> None:
        self.count = 0
        self.places: list[str] = []

    def add(self, place: str | None) -> None:
        self.count += 1
        if place is not None and len(self.places) < PLACES_SHOWN:
            self.places.append(place)

    def close(self, total: int) -> None:
        if self.count:
            more = f" and {self.count - len(self.places)} more" * (self.count > len(self.places))
            print(
                f"skipped {self.count} of {total} problems: {', '.join(self.places)}{more}",
                file=sys.stderr,
            )


def _remember_places(
    inputs: Iterable[Input], places: deque[str | None]
) -> Iterator[Problem | FormatError]:
    """Note where each problem comes from as it enters the pipeline, which keeps the order."""
    for problem, place in inputs:
        places.append(place)
        yield problem


def _place(problem: Problem | FormatError, source: str, number: int) -> str:
    if isinstance(problem, FormatError):
        line = problem.line
    elif isinstance(problem.origin, ConlluOrigin):
        line = problem.origin.block.line
    else:
        line = number  # text and JSON lines have one problem a line
    return source if line is None else f"{source}:{line}"


def _placed(error: SyntagmaError, place: str | None) -> SyntagmaError:
    """The error with its place; readers have said it already, the search does not know it."""
    if isinstance(error, FormatError) or place is None:
        return error
    source, _, line = place.rpartition(":")
    placed = FormatError(str(error), source, int(line))
    placed.__cause__ = error
    return placed
