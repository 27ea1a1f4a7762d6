"""`syntagma score`: scores given orders of the same words."""

from pathlib import Path
from typing import Annotated

import typer

from syntagma.cli import options
from syntagma.cli.output import PICTURES, Document, write_stdout
from syntagma.cli.stream import given_orders, open_model
from syntagma.formats.results import write_scored
from syntagma.results.realization import NBest


def score(
    context: typer.Context,
    words: options.Words = None,
    order: options.Orders = [],  # noqa: B006 (never mutated)
    file: Annotated[
        Path | None, typer.Option(help="A file with one problem, whose orders are scored.")
    ] = None,
    input_format: options.InputFormat = None,
    tokenize: options.Tokenize = False,
    format: options.Format = "text",
    model: options.Model = None,
    no_lm: options.NoLanguageModel = False,
    projective: options.Projective = False,
    debug: options.Debug = False,
) -> None:
    """Score given orders of a bag of words and print them, best first.

    The score of an order is that of its best dependency tree, which keeps the tags, arcs and
    labels that the problem in --file gives. Without words and without --file, the bag is that of
    each order itself.

    \b
    Which order does the model prefer?
        syntagma score --order "the dog barked" --order "barked the dog"
    With a phrase in the bag:
        syntagma score "New York" is big --order "New York is big" --order "is New York big"
    With the constraints of a file:
        syntagma score --file problem.json --order "the dog barked" --format tree

    Text output has lines "score TAB sentence". If the model has a language model, they are
    "score TAB syntax TAB fluency TAB sentence", where the score is the sum of the two parts.
    Scores of different bags are not comparable.
    """
    if not order:
        raise typer.BadParameter('give at least one order: --order "the dog barked"')
    if words and file:
        raise typer.BadParameter("give words or --file, not both")
    linearizer = open_model(context, [])
    column = linearizer.tag_column
    results = [
        linearizer.score(bag, forms, projective=projective)
        for bag, forms in given_orders(order, words, file, input_format, column, tokenize, "score")
    ]
    results.sort(key=lambda result: -result.score)
    if format == "text":
        # Without the empty line that ends an n-best list.
        write_stdout("".join(map(write_scored, results)))
        return
    document = Document(format, column)
    write_stdout(document.opening)
    for result in [NBest(results)] if format in PICTURES else results:
        write_stdout(document.add(result))
    write_stdout(document.closing())
