"""`syntagma accept`: judges orders of words from arguments, files or standard input."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from syntagma.cli import options
from syntagma.cli.output import Document, check_destination
from syntagma.cli.stream import bag_of_arguments, read_one, run_stream, splitter
from syntagma.errors import FormatError
from syntagma.formats.problems import guess_format, read_ordered
from syntagma.formats.text import join_phrases
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn
from syntagma.request import DEFAULT_MAX_WORDS, Request

if TYPE_CHECKING:
    pass

Item = tuple[Problem, list[Any]] | FormatError


def accept(
    words: options.Words = None,
    order: options.Orders = [],  # noqa: B006 (never mutated)
    file: Annotated[
        list[Path] | None,
        typer.Option(
            "--file",
            "-i",
            help="With --order, a file with one problem; else a file with orders to judge; "
            "repeatable.",
        ),
    ] = None,
    input_format: options.InputFormat = None,
    tokenize: options.Tokenize = False,
    format: Annotated[
        Literal["text", "json"], typer.Option("--format", "-f", help="Output format.")
    ] = "text",
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            min=0,
            metavar="LOSS",
            help="Accept orders that score at most this much lower than the best one, for each "
            "pair of neighbours. Default: as the model has learned.",
        ),
    ] = None,
    beam: options.Beam = None,
    timeout: options.Timeout = None,
    threads: options.Threads = 1,
    model: options.Model = None,
    no_lm: options.NoLanguageModel = False,
    projective: options.Projective = False,
    output: options.Output = None,
    on_error: options.OnError = "stop",
    max_words: options.MaxWords = DEFAULT_MAX_WORDS,
    debug: options.Debug = False,
) -> None:
    """Judge orders of words: the same as the best order, as good, or worse, and where.

    An order is as good as the best one if its score is within a margin. If it is worse, the output
    names the word that costs most, an order that goes on better, and the share of adjacent pairs
    of words that are right. An order that breaks a constraint of the problem is worse, too.

    \b
    Is this a good order of its words?
        syntagma accept --order "the dog barked" --order "dog the barked"
    Raw text, split into words and punctuation first:
        syntagma accept --tokenize --order "Yesterday she didn't read the book."
    With the constraints of a file:
        syntagma accept --file problem.json --order "the dog barked"
    One sentence per line, from a pipe:
        syntagma accept < sentences.txt
    Many problems with an order each, in JSON; an order is a text, or a list of forms or indices:
        echo '{"words": ["barked", "the", "dog"], "last": 1, "order": "the dog barked"}' |
            syntagma accept --input-format json --format json
    The trees of a treebank, judged in the order of its words:
        syntagma accept --file trees.conllu --on-error skip --threads 4

    The exit code is 0 whatever the verdicts are.
    """
    if words and file:
        raise typer.BadParameter("give words or --file, not both")
    if words and not order:
        raise typer.BadParameter('give at least one order: --order "the dog barked"')
    if order and file and len(file) > 1:
        raise typer.BadParameter("with --order, give one --file")
    request = Request(
        operation="accept",
        margin=margin,
        beam=beam,
        timeout=timeout,
        max_words=max_words,
        projective=projective,
    )
    check_destination(output, [] if order and not file else file or ["-"], model)
    from syntagma.linearizer.linearizer import load

    linearizer = load(model, language_model=not no_lm)
    items: Iterable[Item]
    if order:
        problem = bag_of_arguments(words, tokenize=tokenize) if words else None
        if file:
            problem = read_one(
                file[0],
                input_format,
                linearizer.tag_column,
                tokenize=tokenize,
                command="accept --order",
            )
        items = [*_items_of_arguments(order, problem, tokenize)]
    else:
        items = _read_items(file or ["-"], input_format, linearizer.tag_column, tokenize)
    document = Document(format, linearizer.tag_column)
    run_stream(linearizer, request, items, document, output, on_error, threads)


def _items_of_arguments(
    orders: Sequence[str], problem: Problem | None, tokenize: bool
) -> Iterator[Item]:
    for text in orders:
        pieces = splitter(tokenize)(text)
        bag = problem or bag_of_arguments(pieces)
        yield bag, join_phrases(pieces, bag)


def _read_items(
    files: Sequence[Path | str],
    format: options.InputFormatName | None,
    tag_column: TagColumn,
    tokenize: bool,
) -> Iterator[Item]:
    reader_format = "jsonl" if format == "json" else format
    for file in files:
        if tokenize and (reader_format or guess_format(file)) == "conllu":
            raise typer.BadParameter(f"--tokenize is for plain text, not for {file}")
    for file in files:
        if str(file) == "-" and sys.stdin.isatty():
            print("Type one sentence per line; end with Ctrl-D.", file=sys.stderr)
        yield from read_ordered(file, reader_format, tag_column, splitter(tokenize))
