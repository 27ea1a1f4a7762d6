"""`syntagma accept`: judges orders of words from arguments, files or standard input."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from syntagma.cli import options
from syntagma.cli.output import Document
from syntagma.cli.stream import given_orders, open_model, read_inputs, run_stream
from syntagma.request import DEFAULT_MAX_WORDS, Request


def accept(
    context: typer.Context,
    words: options.Words = None,
    order: options.Orders = [],  # noqa: B006 (never mutated)
    file: Annotated[
        list[Path] | None,
        typer.Option(
            help="With --order, a file with one problem; else a file with orders to judge; "
            "repeatable."
        ),
    ] = None,
    input_format: options.InputFormat = None,
    tokenize: options.Tokenize = False,
    format: options.RecordFormat = "text",
    margin: Annotated[
        float | None,
        typer.Option(
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
    request = Request(operation="accept", **options.request_options(context))
    linearizer = open_model(context, [] if order and not file else file or ["-"])
    column = linearizer.tag_column
    items: Iterable[Any]
    if order:
        one = file[0] if file else None
        items = given_orders(order, words, one, input_format, column, tokenize, "accept --order")
    else:
        items = read_inputs(file or ["-"], input_format, column, tokenize, orders=True)
    document = Document(format, column)
    run_stream(linearizer, request, items, document, output, on_error, threads)
