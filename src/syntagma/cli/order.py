"""`syntagma order`: bags of words from arguments, standard input or files, ordered as they come."""

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from syntagma.cli import options
from syntagma.cli.output import open_output, render
from syntagma.cli.progress import Ticker
from syntagma.errors import FormatError, ProblemError, SyntagmaError
from syntagma.formats.conllu import ConlluOrigin
from syntagma.linearization import Linearization
from syntagma.problem import Problem, TagColumn

# A problem, or what is wrong with it, and where it comes from (nowhere: the arguments).
Input = tuple[Problem | FormatError, str | None]

# How many places of skipped problems the closing line names; each was reported when it was met.
PLACES_SHOWN = 10


def order(
    words: options.Words = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(
            "--file",
            "-i",
            metavar="FILE",
            help="Read problems from this file (plain, gzip or xz); repeatable.",
        ),
    ] = None,
    input_format: options.InputFormat = None,
    format: options.Format = "text",
    n_best: Annotated[
        int | None,
        typer.Option(
            "--n-best",
            "-n",
            min=1,
            max=1024,
            metavar="N",
            help="Print up to N different orders of each bag.",
        ),
    ] = None,
    search: options.Search = "beam",
    beam: options.Beam = None,
    timeout: options.Timeout = None,
    expansions: options.Expansions = None,
    threads: options.Threads = 1,
    model: options.Model = None,
    no_lm: options.NoLanguageModel = False,
    output: options.Output = None,
    on_error: Annotated[
        Literal["stop", "skip"],
        typer.Option(
            "--on-error", metavar="stop|skip", help="What to do when a problem of the input is bad."
        ),
    ] = "stop",
    max_words: options.MaxWords = 512,
    debug: options.Debug = False,
) -> None:
    """Put bags of words in order.

    The words come from the arguments, from files, or else from standard input: plain text (one
    bag a line), JSON lines or CoNLL-U. Whatever tags, arcs, labels and order constraints the
    input gives hold in the output. Results are written as soon as they are found.

    \b
    Order the words of the arguments; quotes make a phrase:
        syntagma order dog the barked
        syntagma order "New York" in lives she
    Draw the tree, or see the five best orders:
        syntagma order --format tree dog the barked
        syntagma order --n-best 5 dog the barked
    One bag a line, from a pipe:
        zcat bags.txt.gz | syntagma order | head -1
    Constraints, in JSON (word 2 comes first):
        echo '{"words": ["barked", "the", "dog"], "first": 2}' |
            syntagma order --input-format json
    A treebank with the columns that you know, the others "_":
        syntagma order --file trees.conllu --format conllu --output ordered.conllu
    A batch that must not stop at a bad line:
        syntagma order --file bags.txt --on-error skip --threads 4 > sentences.txt

    The other search strategy, and a CCG derivation by it:
        syntagma order --search best-first --timeout 1 dog the barked
        syntagma order --search best-first --model ccg.syntagma --format tree dog the barked

    With --n-best, text output has lines "score TAB sentence" and an empty line after each bag.

    A beam search uses every word. A best-first search may run out of time: then it prints the
    pieces it has, which may lack words, and says so.
    """
    if words and file:
        raise typer.BadParameter("give words or --file, not both")
    options.refuse_effort_of_other_search(search, beam, timeout, expansions)
    from syntagma import load

    linearizer = load(model, search=search, language_model=not no_lm)
    if max_words > linearizer.max_words:
        raise typer.BadParameter(
            f"--max-words is {max_words}, but this model can order {linearizer.max_words} at most"
        )
    if words:
        inputs: Iterable[Input] = [(bag_of_arguments(words), None)]
    else:
        inputs = read_inputs(file or ["-"], input_format, linearizer.tag_column)
    places: deque[str | None] = deque()
    results = linearizer.order_many(
        _remember_places(inputs, places),
        n_best=n_best,
        beam=beam,
        timeout=timeout,
        expansions=expansions,
        threads=threads,
        max_words=max_words,
        on_error="yield",
    )
    skipped, unfinished = Skipped(), Unfinished()
    # Results that scroll by on the same terminal are progress enough.
    quiet = output is None and sys.stdout.isatty()
    with open_output(output) as write, Ticker("ordered", enabled=not quiet) as ticker:
        for result in results:
            place = places.popleft()
            if isinstance(result, SyntagmaError):
                error = _placed(result, place)
                if on_error == "stop":
                    raise error
                skipped.add(place)
                ticker.print(f"skipped: {error}")
            else:
                write(render(result, format, linearizer.tag_column))
                unfinished.add(result)
            ticker.advance()
    skipped.close(ticker.count)
    unfinished.close(ticker.count)


def bag_of_arguments(words: Sequence[str]) -> Problem:
    """A problem of plain words as the shell passed them."""
    for number, word in enumerate(words, start=1):
        try:
            word.encode()
        except UnicodeEncodeError:
            raise ProblemError(f"word {number} is not valid UTF-8: {word!a}") from None
    return Problem.of(words)


def read_inputs(
    files: Sequence[Path | str], format: options.InputFormatName | None, tag_column: TagColumn
) -> Iterator[Input]:
    """The problems of several files, each with its place; "-" is standard input."""
    from syntagma.formats import read_problems
    from syntagma.formats.files import source_name

    for file in files:
        if str(file) == "-" and sys.stdin.isatty():
            print("Type one bag of words a line; end with Ctrl-D.", file=sys.stderr)
        source = source_name(file)
        problems = read_problems(file, "jsonl" if format == "json" else format, tag_column)
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


class Unfinished:
    """Counts what a best-first search could not finish in time."""

    def __init__(self) -> None:
        self.results = self.words = 0

    def add(self, result: Linearization | Sequence[Linearization]) -> None:
        best = result if isinstance(result, Linearization) else result[0]
        if not best.finished:
            self.results += 1
            self.words += len(best.left_out)

    def close(self, total: int) -> None:
        if self.results:
            print(
                f"{self.results} of {total} results are unfinished, {self.words} words left out; "
                "give it more time (--timeout, --expansions) or use --search beam",
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
