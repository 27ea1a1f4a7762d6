"""`syntagma train`: a model of one's own from a treebank."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from syntagma.cli import options


def train(
    train_file: Annotated[Path, typer.Argument(metavar="TRAIN", help="Treebank to learn from.")],
    dev_file: Annotated[
        Path, typer.Argument(metavar="DEV", help="Treebank by which the best epoch is chosen.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    features: Annotated[
        Literal["l15", "p16", "p16+"],
        typer.Option(
            "--features",
            help="Feature set: of Liu et al. 2015, Puduppully et al. 2016, or the latter extended.",
        ),
    ] = "p16+",
    condition: Annotated[
        Literal["mixed", "none", "pos", "half", "tree", "labelled"],
        typer.Option(
            "--condition", "-c", help="What is given in training; mixed: drawn anew at each visit."
        ),
    ] = "mixed",
    update: Annotated[
        Literal["early", "max-violation"],
        typer.Option("--update", help="Where in the search the perceptron updates."),
    ] = "max-violation",
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over the data.")] = 10,
    beam: Annotated[
        int, typer.Option("--beam", "-b", min=1, max=1024, help="Beam width in training.")
    ] = 16,
    seed: Annotated[int, typer.Option("--seed", help="Seed of everything that is drawn.")] = 1,
    tag_column: Annotated[
        Literal["xpos", "upos"], typer.Option("--tag-column", help="Column that serves as the tag.")
    ] = "xpos",
    language: Annotated[str, typer.Option("--language", help="Language code for the header.")] = "",
    licence: Annotated[str, typer.Option("--licence", help="Licence of the model.")] = "",
    attribution: Annotated[str, typer.Option("--attribution", help="Whose data it is.")] = "",
    name: Annotated[
        str, typer.Option("--name", help="Name of the model. Default: of the file.")
    ] = "",
    debug: options.Debug = False,
) -> None:
    """Train a model on a treebank in CoNLL-U.

    Stop it whenever you like: the same command goes on where it stopped (at most the running
    epoch is lost) and ends with the same model as an undisturbed run. The epoch that is best on
    DEV is kept.

    \b
    A model for every condition, from words only to labelled trees:
        syntagma train train.conllu dev.conllu --output my.syntagma
    The setting of a paper:
        syntagma train train.conllu dev.conllu --output l15.syntagma \\
            --features l15 --condition labelled --update early
    """
    raise NotImplementedError
