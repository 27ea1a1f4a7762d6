"""`syntagma fit-judge`: fits how much a judge counts, and how much it reads."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syntagma.cli import options
from syntagma.cli.output import aligned, check_destination, say, tell, write_stdout
from syntagma.cli.progress import Ticker
from syntagma.errors import counted

if TYPE_CHECKING:
    from syntagma.training.judge_fitting import JudgeFit


def fit_judge(
    judge: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE|hf:FOLDER",
            help="The judge: a GGUF file, a folder of transformers, or smollm2.",
        ),
    ],
    data: Annotated[
        Path, typer.Option(help="Treebank in CoNLL-U on which the settings are fitted.")
    ],
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Name of an installed model, or a model file, whose orders are judged.",
        ),
    ] = "en",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Use only the first N sentences.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Random seed of the shuffling and of what is given.")
    ] = 1,
    threads: options.Threads = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            help="File to write. Default: where the judge is looked for, FILE.judge.json beside"
            " FILE.gguf or judge.json in the folder; smollm2 has none."
        ),
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Fit the settings of a judge: its weights, how many orders it reads, and when it reads none.

    Each sentence is ordered with a labelled tree, a tree, parts of it, and nothing given. The
    settings that give the best BLEU are written as JSON beside the judge, where `--judge` reads
    them; without, a judge has one weight that nobody measured. BLEU without the judge is that of
    the same search, which is wider than usual.

    \b
    Fit a judge on a development set, then use it:
        syntagma fit-judge --judge my.gguf --data dev.conllu
        syntagma order --judge my.gguf dog the barked
    A folder of transformers, a model of your own, the first 500 sentences:
        syntagma fit-judge --judge hf:gpt2 --data dev.conllu --model ./my.syntagma --limit 500
    """
    from syntagma.judges.opening import SMOLLM2, judge_files
    from syntagma.models.header import heads_of
    from syntagma.models.loading import load_model, model_path
    from syntagma.training.judge_fitting import PROBLEMS
    from syntagma.training.judge_fitting import fit_judge as fit
    from syntagma.treebanks.corpus import read_corpus

    *files, settings = judge_files(judge)
    if judge == SMOLLM2:
        files.append(settings)
        if output is None:
            raise typer.BadParameter("smollm2 brings its settings: name another file (--output)")
    target = output or settings
    check_destination(target, [data, *files], model)
    header = load_model(model_path(model)).header
    dev = read_corpus(data, header["tag_column"], heads_of(header))[:limit]
    with Ticker("judged", total=PROBLEMS * len(dev)) as ticker:
        fitted = fit(
            judge,
            dev,
            target,
            model=model,
            seed=seed,
            threads=threads,
            on_problem=ticker.advance,
        )
    write_stdout(_table(fitted))
    if fitted.left_out:
        say(f"{counted(fitted.left_out, 'problem')} left out: too long for the model or the judge")
    tell(f"{target}: the settings of the judge")


def _table(fitted: "JudgeFit") -> str:
    """A row for each kind of problem, and the lead."""
    lead = fitted.settings.lead
    rows = [["given", "without", "with", "weight", "pool", "read"]]
    for each in fitted.figures:
        share = each.share
        figures = [f"{each.without:.2f}", f"{each.judged:.2f}", f"{share.weight:g}"]
        rows.append([each.kind, *figures, str(share.pool), str(share.read)])
    return aligned(*rows, right=True) + f"lead {'none' if lead == math.inf else f'{lead:g}'}\n"
