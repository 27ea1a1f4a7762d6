"""`syntagma add-lm`: adds a language model to a model."""

from pathlib import Path
from typing import Annotated

import typer

from syntagma.cli import options
from syntagma.cli.output import tell
from syntagma.cli.progress import Ticker
from syntagma.files.writing import check_output


def add_lm(
    model: options.ModelArgument,
    language_model: Annotated[
        Path,
        typer.Argument(
            metavar="LM", help="A file of `train-lm`, or an ARPA file (plain, gzip or xz)."
        ),
    ],
    dev_file: Annotated[
        Path, typer.Argument(metavar="DEV", help="Treebank on which the weight is learned.")
    ],
    output: options.ModelOutput,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Use only the first N sentences of DEV.")
    ] = None,
    threads: options.Threads = 1,
    debug: options.Debug = False,
) -> None:
    """Add a language model to a model, in place of the one it has.

    The weight of the language model is learned on a treebank; it decreases with the share of
    tags, arcs and labels that are given. DEV is ordered 45 times: with nine weights under each of
    the five main conditions.

    \b
    Add a language model to a model of your own, then order with it:
        syntagma add-lm ./my.syntagma news.lm dev.conllu --output fluent.syntagma
        syntagma order --model ./fluent.syntagma dog the barked
    """
    from syntagma.models.loading import load_model, model_path
    from syntagma.training.language_model import WEIGHTS, weight_under
    from syntagma.training.language_model import add_lm as add
    from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS
    from syntagma.treebanks.treebank import read_treebank

    check_output(output, [model_path(model), language_model, dev_file])
    tag_column = load_model(model_path(model), language_model=False).header["tag_column"]
    dev = read_treebank(dev_file, tag_column)[:limit]
    total = len(dev) * len(MAIN_CONDITIONS) * len(WEIGHTS)
    with Ticker("ordered", total=total) as ticker:
        report = add(
            model, language_model, dev, output, threads=threads, on_sentence=ticker.advance
        )
    for name, curve in report.curves.items():
        weight = weight_under(report.balance, CONDITIONS[name])
        points = ", ".join(
            f"{bleu:.2f} at {weight:g}" for weight, bleu in zip(WEIGHTS, curve, strict=True)
        )
        tell(f"{name}: weight {weight:.2f}; BLEU {points}")
    tell(f"{output}: the model with its language model")
