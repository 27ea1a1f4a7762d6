"""`syntagma convert`: makes files for training and evaluation of the Penn Treebank and CCGbank."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from syntagma.cli import options
from syntagma.cli.output import open_output, write_stdout
from syntagma.cli.progress import Ticker
from syntagma.files.outputs import check_output, check_stdout


def convert(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="Files, folders (searched at all depths) or patterns such as 'wsj/0*'.",
        ),
    ],
    source: Annotated[
        Literal["ptb", "auto"],
        typer.Option(
            "--from",
            metavar="ptb|auto",
            help="Format: bracketed trees of the Penn Treebank (.mrg), or CCGbank (.auto).",
        ),
    ],
    output: options.Output = None,
    sections: Annotated[
        str | None,
        typer.Option(
            "--sections",
            metavar="NN-NN",
            help="Only these sections, by file names like wsj_0201.mrg: 02-21, or 00,22-24.",
        ),
    ] = None,
    base_np: Annotated[
        bool,
        typer.Option(
            "--base-np",
            help="Make every NP that contains no other NP one unit, which is ordered as a whole.",
        ),
    ] = False,
    labels: Annotated[
        Literal["malt", "none"],
        typer.Option(
            "--labels",
            metavar="malt|none",
            help="ptb: label arcs as Penn2Malt does (SUB, OBJ, NMOD, …), or not.",
        ),
    ] = "malt",
    debug: options.Debug = False,
) -> None:
    """Convert the Penn Treebank or CCGbank for training and evaluation.

    Trees of the Penn Treebank become dependency trees in CoNLL-U, with the heads of Penn2Malt:
    traces are dropped, words and tags stay as they are. Derivations of CCGbank are gathered in
    one .auto file. A faulty tree is reported with its file and line, and nothing is written.

    \b
    The data of Liu et al. (2015): base noun phrases as units, sections 2 to 21, 22 and 23:
        syntagma convert wsj --from ptb --sections 02-21 --base-np --output train.conllu
        syntagma convert wsj --from ptb --sections 22 --base-np --output dev.conllu
        syntagma convert wsj --from ptb --sections 23 --base-np --output test.conllu
    CCGbank, as in Zhang and Clark (2015):
        syntagma convert AUTO --from auto --sections 02-21 --base-np --output train.auto
    Any file of bracketed trees, without labels:
        syntagma convert trees.txt.xz --from ptb --labels none --output trees.conllu
    """
    if source == "auto" and labels != "malt":
        raise typer.BadParameter("--labels goes with --from ptb: derivations have no labels")
    from syntagma.treebanks.conversion import Conversion

    conversion = Conversion(list(paths), source, sections=sections, base_np=base_np, labels=labels)
    if output is None:
        check_stdout(conversion.files)
    else:
        check_output(output, conversion.files)
    with open_output(output) as write, Ticker("converted") as ticker:
        for sentence in conversion.sentences():
            write(sentence)
            ticker.advance()
    if output is not None:
        report = conversion.report
        units = f" in {report.units:,} units" if base_np else ""
        nouns = f", {report.base_noun_phrases:,} base NPs" if base_np else ""
        write_stdout(
            f"{output}: {report.sentences:,} sentences, {report.words:,} words{units}{nouns}, "
            f"from {report.files:,} file{'s' * (report.files != 1)}\n"
        )
