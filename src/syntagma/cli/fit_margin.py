"""`syntagma fit-margin`: learns which orders a model accepts."""

from pathlib import Path
from typing import Annotated

import typer

from syntagma.cli import options
from syntagma.cli.output import tell
from syntagma.cli.progress import Ticker
from syntagma.files.writing import check_output


def fit_margin(
    model: options.ModelArgument,
    dev_file: Annotated[
        Path, typer.Argument(metavar="DEV", help="Treebank on which the margin is learned.")
    ],
    output: options.ModelOutput,
    threads: options.Threads = 1,
    debug: options.Debug = False,
) -> None:
    """Learn the margin within which `accept` calls orders as good as the best one.

    The margin is the smallest that accepts nine out of ten sentences of up to 12 words of DEV.
    `train` and `add-lm` learn it, too; this command is for models of versions before 0.9.

    \b
    Learn a margin, then judge with it:
        syntagma fit-margin old.syntagma dev.conllu --output my.syntagma
        syntagma accept --model ./my.syntagma --order "the dog barked"
    """
    from syntagma.models.loading import load_model, model_path
    from syntagma.training.margin import fit_margin as fit
    from syntagma.treebanks.treebank import read_treebank

    check_output(output, [model_path(model), dev_file])
    tag_column = load_model(model_path(model), search=None).header["tag_column"]
    dev = read_treebank(dev_file, tag_column)
    with Ticker("judged") as ticker:
        margins = fit(model, dev, output, threads=threads, on_sentence=ticker.advance)
    for margin, name in zip(margins, ("without", "with"), strict=False):
        tell(
            f"{name} language model: margin {margin.loss:g}; accepted are {margin.attested:.1%} "
            f"of {margin.sentences} sentences, and {margin.swapped:.1%} with two words swapped"
        )
    tell(f"{output}: the model with its margin")
