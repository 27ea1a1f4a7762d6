"""`syntagma convert`: makes files for training and evaluation of the Penn Treebank and CCGbank."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from syntagma.cli import options
from syntagma.cli.output import open_output, tell
from syntagma.cli.progress import Ticker
from syntagma.errors import counted
from syntagma.files.writing import check_output, check_stdout


def convert(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="Files, folders (searched at all depths) or patterns such as 'wsj/0*'.",
        ),
    ],
    source: Annotated[
        Literal["ptb", "auto", "sr11"],
        typer.Option(
            "--from",
            help="Format: bracketed trees of the Penn Treebank (.mrg), CCGbank (.auto), or lemma "
            "trees with sentences of the shared task of 2011 (.hfg).",
        ),
    ],
    output: options.Output = None,
    sections: Annotated[
        str | None,
        typer.Option(
            metavar="NN-NN",
            help="Only these sections, by file names like wsj_0201.mrg: 02-21, or 00,22-24.",
        ),
    ] = None,
    base_np: Annotated[
        bool,
        typer.Option(
            help="Make every NP that contains no other NP one unit, which is ordered as a whole."
        ),
    ] = False,
    labels: Annotated[
        Literal["malt", "none"],
        typer.Option(
            help="ptb: arcs with the labels of Penn2Malt (SUB, OBJ, NMOD, …), or without."
        ),
    ] = "malt",
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="sr11: the model whose forms of lemmas are looked for in the sentences. "
            "Default: en.",
        ),
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Convert the Penn Treebank or CCGbank for training and evaluation.

    Trees of the Penn Treebank become dependency trees in CoNLL-U, with the heads of Penn2Malt:
    traces are dropped, words and tags stay as they are. Derivations of CCGbank are gathered in
    one .auto file. A faulty tree is reported with its file and line, and no file is written.

    \b
    The data of Liu et al. (2015): base noun phrases as units, sections 2 to 21, 22 and 23:
        syntagma convert wsj --from ptb --sections 02-21 --base-np --output train.conllu
        syntagma convert wsj --from ptb --sections 22 --base-np --output dev.conllu
        syntagma convert wsj --from ptb --sections 23 --base-np --output test.conllu
    CCGbank, as in Zhang and Clark (2015):
        syntagma convert AUTO --from auto --sections 02-21 --base-np --output train.auto
    Lemma trees of the shared task of 2011, aligned with their sentences:
        syntagma convert trainShallow.hfg --from sr11 --output train.conllu
    Any file of bracketed trees, without labels:
        syntagma convert trees.txt.xz --from ptb --labels none --output trees.conllu
    """
    if source == "sr11":
        if sections is not None or base_np or labels != "malt":
            raise typer.BadParameter("--from sr11 takes no --sections, --base-np or --labels")
        _align(paths, model or "en", output)
        return
    if model is not None:
        raise typer.BadParameter("--model goes with --from sr11")
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
        units = f" in {counted(report.units, 'unit')}" if base_np else ""
        nouns = f", {counted(report.base_noun_phrases, 'base NP')}" if base_np else ""
        tell(
            f"{output}: {counted(report.sentences, 'sentence')}, "
            f"{counted(report.words, 'word')}{units}{nouns}, "
            f"from {counted(report.files, 'file')}"
        )


def _align(paths: list[Path], model: str, output: Path | None) -> None:
    """Align the lemma trees of the shared task of 2011 with their sentences."""
    from syntagma.errors import FormatError, ModelError
    from syntagma.files.reading import source_name
    from syntagma.models.loading import load_model, model_path
    from syntagma.realization.alignment import AlignmentReport, aligned_conllu, read_aligned
    from syntagma.treebanks.conversion import treebank_files

    files = treebank_files(list(paths), (".hfg",), None)
    check_stdout(files) if output is None else check_output(output, files)
    realizer = load_model(model_path(model), search=None, language_model=False).realizer
    if realizer is None:
        raise ModelError(
            f"the model {model} has not learned to realize lemmas, so that it does not know their "
            "forms: use another, such as en"
        )
    report = AlignmentReport()
    with open_output(output) as write, Ticker("aligned") as ticker:
        for file in files:
            for sentence in read_aligned(file, realizer, report):
                write(aligned_conllu(sentence))
                ticker.advance()
        if not report.sentences:
            why = "no lemma tree has a projective alignment with its sentence"
            raise FormatError(why if report.left_out else "no lemma trees", source_name(files[0]))
    if output is not None:
        tell(
            f"{output}: {counted(report.sentences, 'sentence')}, "
            f"{counted(report.words, 'word')}, {report.guessed:,} in forms unknown to the model; "
            f"{counted(report.left_out, 'sentence')} left out (no projective alignment)"
        )
