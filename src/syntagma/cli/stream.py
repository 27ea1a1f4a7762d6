"""Problems from arguments, files or standard input, solved one after the other as they come."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, tee
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from syntagma.cli import options
from syntagma.cli.output import Document, check_destination, open_output, say
from syntagma.cli.progress import Ticker
from syntagma.errors import FormatError, ProblemError, SyntagmaError, shown
from syntagma.files.reading import Place
from syntagma.formats.conllu import Lemmas
from syntagma.formats.problems import (
    InputFormat,
    guess_format,
    place_of,
    read_ordered,
    read_problems,
)
from syntagma.formats.text import join_phrases, split_bag
from syntagma.linearizer.inputs import warn_of_phrase
from syntagma.linearizer.streams import Stored, is_stored
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn, Word
from syntagma.request import Request
from syntagma.results.linearization import Linearization
from syntagma.results.realization import Realization

if TYPE_CHECKING:
    from syntagma.linearizer.linearizer import Linearizer

# How many places of skipped problems the closing line lists; each was reported when it was skipped.
PLACES_SHOWN = 10
DONE = {"order": "ordered", "realize": "realized", "accept": "judged"}  # labels of the progress

Ordered = tuple[Problem, list[Any]]  # a problem with an order of its words


def open_model(context: typer.Context, inputs: Sequence[Path | str]) -> "Linearizer":
    """The model that `--model`, `--no-lm`, `--search` and `--judge` of a command name, once it is
    known that the results can be written."""
    given = context.params
    search = given.get("search", "beam")
    judge = options.judge_options(context)
    check_destination(given.get("output"), inputs, given["model"], search, judge.get("judge"))
    from syntagma.linearizer.linearizer import load

    return load(given["model"], search=search, language_model=not given["no_lm"], **judge)


def run_stream(
    linearizer: "Linearizer",
    request: Request,
    items: Iterable[Problem | Ordered | FormatError],
    document: Document,
    output: Path | None,
    on_error: Literal["stop", "skip"],
    threads: int,
) -> None:
    """Write the result of each problem to a document as soon as it is found."""
    items, again = tee(items) if not isinstance(items, Stored) else map(Stored, tee(items))
    counts: Counter[str] = Counter()
    places: list[Place] = []  # of the first problems that were skipped
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
                counts["skipped"] += 1
                if place is not None and len(places) < PLACES_SHOWN:
                    places.append(place)
                ticker.print(f"skipped: {error}")
            else:
                _count_shortcomings(result, counts)
                write(document.add(result, ticker.count + 1))
            ticker.advance()
        write(document.closing())
    for line in _report(counts, places, ticker.count):
        say(line)


def _count_shortcomings(result: Any, counts: Counter[str]) -> None:
    """Count a result for which the search had too little time."""
    best = result[0] if isinstance(result, Sequence) else result
    if isinstance(best, Realization):
        best = best.linearization
    counts["narrowed"] += best.narrowed
    if isinstance(best, Linearization) and not best.finished:
        counts["unfinished"] += 1
        counts["words"] += len(best.left_out)


def _report(counts: Counter[str], places: Sequence[Place], total: int) -> Iterator[str]:
    """What to know about the results as a whole."""
    if skipped := counts["skipped"]:
        more = f" and {skipped - len(places)} more" * (skipped > len(places))
        yield f"skipped {skipped} of {total} problems: {', '.join(map(str, places))}{more}"
    if unfinished := counts["unfinished"]:
        yield (
            f"{unfinished} of {total} results are unfinished, {counts['words']} words left "
            "out; give the search more time (--timeout, --expansions) or use --search beam"
        )
    if narrowed := counts["narrowed"]:
        yield (
            f"{narrowed} of {total} results come from a narrowed beam; "
            "give the search more time (--timeout) for results of the full beam"
        )


def _placed(error: SyntagmaError, place: Place | None) -> SyntagmaError:
    """The error with its place; errors of readers have one already, those of the search do not."""
    if isinstance(error, FormatError) or place is None:
        return error
    placed = FormatError(str(error), *place)
    placed.__cause__ = error
    return placed


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
    tokenize: bool,
    lemmas: Lemmas | None = None,
    *,
    orders: bool = False,
) -> Iterator[Any]:
    """The problems of several files, with `orders` each with one; "-" is standard input."""
    split = splitter(tokenize)
    reader_format: InputFormat | None = "jsonl" if format == "json" else format
    line = "sentence" if orders else f"bag of {'lemmas' if lemmas else 'words'}"

    def read() -> Iterator[Any]:
        for file in files:
            found = reader_format or guess_format(file)
            if tokenize and (found == "conllu" if orders else found != "text"):
                raise typer.BadParameter(f"--tokenize is for plain text, not for {file}")
        for file in files:
            if str(file) == "-" and sys.stdin.isatty():
                say(f"Type one {line} per line; end with Ctrl-D.")
            if orders:
                yield from read_ordered(file, reader_format, tag_column, split)
            else:
                yield from read_problems(file, reader_format, tag_column, lemmas, split)

    return Stored(read()) if all(map(is_stored, files)) else read()


def given_orders(
    orders: Sequence[str],
    words: Sequence[str] | None,
    file: Path | None,
    format: options.InputFormatName | None,
    tag_column: TagColumn,
    tokenize: bool,
    command: str,
) -> list[Ordered]:
    """Orders from the command line: of words, of the problem of a file, or each of its own bag."""
    problem = bag_of_arguments(words, tokenize=tokenize) if words else None
    if file:
        problem, *others = islice(read_inputs([file], format, tag_column, tokenize), 2)
        if isinstance(problem, FormatError):
            raise problem
        if others:
            raise ProblemError(f"{file}: more than one problem; {command} takes one at a time")
    items = []
    for pieces in map(splitter(tokenize), orders):
        bag = problem or bag_of_arguments(pieces)
        items.append((bag, join_phrases(pieces, bag)))
    return items
