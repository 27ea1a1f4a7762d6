"""`syntagma train`: a model of one's own from a treebank."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from syntagma.cli import options
from syntagma.cli.output import write_stdout
from syntagma.cli.progress import Ticker

if TYPE_CHECKING:
    from syntagma.training.run import Epoch
    from syntagma.treebanks.settings import Settings

# Options that only some kinds of models have: those of a scorer, or of best-first search.
OWN = {
    "linear": ("features", "update", "beam"),
    "best-first": ("grammar", "update", "chart", "unscaled", "no_negatives", "final", "expansions"),
    "neural": (
        *("start", "pretrain", "pretrain_epochs", "batch_words", "learning_rate"),
        *("dropout", "word_dropout", "min_count", "realize"),
    ),
}


def train(
    context: typer.Context,
    train_file: Annotated[Path, typer.Argument(metavar="TRAIN", help="Treebank to learn from.")],
    dev_file: Annotated[
        Path, typer.Argument(metavar="DEV", help="Treebank by which the best epoch is chosen.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The model file to write.")
    ],
    search: Annotated[
        options.SearchName,
        typer.Option(
            "--search",
            metavar="beam|best-first",
            help="The search that the model is for; best-first: Zhang and Clark 2015.",
        ),
    ] = "beam",
    scorer: Annotated[
        Literal["neural", "linear"],
        typer.Option(
            "--scorer",
            metavar="neural|linear",
            help="Beam: a network, trained with PyTorch, or weights of features, as in the papers.",
        ),
    ] = "neural",
    features: Annotated[
        Literal["l15", "p16", "p16+"],
        typer.Option(
            "--features",
            metavar="l15|p16|p16+",
            help="Linear: Liu et al. 2015, Puduppully et al. 2016, or the latter and ours.",
        ),
    ] = "p16+",
    condition: Annotated[
        str,
        typer.Option(
            "--condition",
            "-c",
            metavar="NAME",
            help="What is given: mixed, drawn at each visit, or a condition of `evaluate`.",
        ),
    ] = "mixed",
    update: Annotated[
        Literal["early", "max-violation", "margin", "perceptron"] | None,
        typer.Option(
            "--update",
            metavar="NAME",
            help="Linear: where in the search the perceptron updates, early or max-violation "
            "(default). Best-first: by how much, margin (default) or perceptron.",
        ),
    ] = None,
    grammar: Annotated[
        Literal["dependency", "ccg"],
        typer.Option(
            "--grammar",
            metavar="dependency|ccg",
            help="Best-first: trees, or derivations; TRAIN and DEV are then CCGbanks (.auto).",
        ),
    ] = "dependency",
    chart: Annotated[
        int,
        typer.Option(
            "--chart", min=1, max=100_000, metavar="N", help="Best-first: edges that are kept."
        ),
    ] = 256,
    unscaled: Annotated[
        bool,
        typer.Option("--unscaled", help="Best-first: do not divide scores by the size of edges."),
    ] = False,
    no_negatives: Annotated[
        bool,
        typer.Option("--no-negatives", help="Best-first: expand gold edges only, in training."),
    ] = False,
    final: Annotated[
        bool, typer.Option("--final", help="Best-first: keep the final weights, not their average.")
    ] = False,
    expansions: Annotated[
        int,
        typer.Option(
            "--expansions",
            min=1,
            metavar="N",
            help="Best-first: edges that a visit of a sentence may expand.",
        ),
    ] = 500,
    epochs: Annotated[
        int | None,
        typer.Option(
            "--epochs",
            min=1,
            metavar="N",
            help="Passes over TRAIN. Default: 30, or 10 without a network.",
        ),
    ] = None,
    beam: Annotated[
        int,
        typer.Option(
            "--beam",
            "-b",
            min=1,
            max=1024,
            metavar="N",
            help="Linear: beam width in training, 1 to 1024.",
        ),
    ] = 16,
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            metavar="NAME|FILE",
            help="Neural: a model to go on from, instead of a new one.",
        ),
    ] = None,
    pretrain: Annotated[
        list[Path] | None,
        typer.Option(
            "--pretrain",
            metavar="FILE",
            help="Neural: a further treebank to learn from first; may be repeated.",
        ),
    ] = None,
    pretrain_epochs: Annotated[
        int,
        typer.Option(
            "--pretrain-epochs", min=1, metavar="N", help="Neural: passes over those treebanks."
        ),
    ] = 2,
    batch_words: Annotated[
        int,
        typer.Option(
            "--batch-words", min=1, metavar="N", help="Neural: words in a step of learning."
        ),
    ] = 300,
    learning_rate: Annotated[
        float,
        typer.Option("--learning-rate", metavar="X", help="Neural: the largest step, at first."),
    ] = 1.5e-3,
    dropout: Annotated[
        float,
        typer.Option(
            "--dropout", metavar="X", help="Neural: share of numbers left out, against overfitting."
        ),
    ] = 0.3,
    word_dropout: Annotated[
        float,
        typer.Option(
            "--word-dropout", metavar="X", help="Neural: share of words taken for unknown ones."
        ),
    ] = 0.3,
    min_count: Annotated[
        int,
        typer.Option(
            "--min-count",
            min=1,
            metavar="N",
            help="Neural: words seen less often are known by suffix and shape only.",
        ),
    ] = 2,
    realize: Annotated[
        bool,
        typer.Option("--realize", help="Neural: learn to realize lemmas, too; TRAIN has them."),
    ] = False,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of everything that is drawn.")
    ] = 1,
    tag_column: Annotated[
        Literal["xpos", "upos"],
        typer.Option(
            "--tag-column", metavar="xpos|upos", help="The column that serves as the tag."
        ),
    ] = "xpos",
    threads: Annotated[
        int,
        typer.Option(
            "--threads", "-t", min=1, metavar="N", help="Threads; linear: the model is the same."
        ),
    ] = 1,
    name: Annotated[
        str,
        typer.Option("--name", metavar="TEXT", help="Name of the model. Default: the file name."),
    ] = "",
    language: Annotated[
        str,
        typer.Option(
            "--language",
            metavar="CODE",
            help="Language, for the header; en: --realize uses a dictionary if it is there.",
        ),
    ] = "",
    licence: Annotated[
        str, typer.Option("--licence", metavar="TEXT", help="Licence of the model, for the header.")
    ] = "",
    attribution: Annotated[
        str, typer.Option("--attribution", metavar="TEXT", help="Whose data it is, for the header.")
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
    The same, with machine-made trees to learn from first:
        syntagma train train.conllu dev.conllu --output my.syntagma \\
            --pretrain parsed.conllu.xz
    The shipped model, adapted to a treebank of one's own:
        syntagma train train.conllu dev.conllu --output my.syntagma \\
            --start en --epochs 5 --learning-rate 0.0005
    A model that makes sentences of lemmas, too:
        syntagma train train.conllu dev.conllu --output my.syntagma --realize --language pt
    The setting of a paper:
        syntagma train train.conllu dev.conllu --output l15.syntagma \\
            --scorer linear --features l15 --condition labelled --update early
    Models for the other search, of trees and of CCG derivations:
        syntagma train train.conllu dev.conllu --output edges.syntagma --search best-first
        syntagma train train.auto dev.auto --output ccg.syntagma --search best-first \\
            --grammar ccg --tag-column upos
    """
    from syntagma.best_first.settings import BestFirstSettings
    from syntagma.linear.settings import LinearSettings
    from syntagma.neural.settings import NeuralSettings
    from syntagma.training.run import Epoch
    from syntagma.training.train import train as learn

    kind = "best-first" if search == "best-first" else scorer
    _refuse_options_of_others(context, kind)
    if start is not None and _is_given(context, "min_count"):
        raise typer.BadParameter("--min-count goes with a new model: --start has words of its own")
    common: dict[str, Any] = {"condition": condition, "seed": seed, "tag_column": tag_column}
    if epochs is not None:
        common["epochs"] = epochs
    if update is not None:
        common["update"] = update
    settings: Settings
    if kind == "best-first":
        settings = BestFirstSettings(
            **common,
            grammar=grammar,
            chart=chart,
            scaled=not unscaled,
            negatives=not no_negatives,
            averaged=not final,
            expansions=expansions,
        )
    elif kind == "linear":
        settings = LinearSettings(**common, features=features, beam=beam)
    else:
        settings = NeuralSettings(
            **common,
            pretrain_epochs=pretrain_epochs,
            batch_words=batch_words,
            learning_rate=learning_rate,
            dropout=dropout,
            word_dropout=word_dropout,
            min_count=min_count,
            realize=realize,
        )
    with Ticker("learning") as ticker:

        def show(epoch: Epoch) -> None:
            ticker.print(describe(epoch))
            ticker.restart()

        report = learn(
            train_file,
            dev_file,
            output,
            settings=settings,
            pretrain=pretrain or (),
            start=start,
            name=name,
            language=language,
            licence=licence,
            attribution=attribution,
            threads=threads,
            on_start=ticker.expect,
            on_sentence=ticker.advance,
            on_epoch=show,
            on_faults=lambda faults: ticker.print(
                f"{len(faults)} sentences left out, the first because of {faults[0]}"
            ),
        )
    write_stdout(f"{output}: the model of epoch {report.best} of {len(report.epochs)}\n")


def describe(epoch: "Epoch") -> str:
    """One line for one epoch."""
    bleu = ", ".join(f"{condition} {bleu:.2f}" for condition, bleu in epoch.bleu.items())
    others = "".join(f"{_figure(name, value)}, " for name, value in epoch.figures.items())
    return f"epoch {epoch.number}: dev BLEU {bleu}; {others}{epoch.cpu_seconds:.0f} s CPU"


def _figure(name: str, value: float) -> str:
    if name == "correct":
        return f"{100 * value:.1f}% without update"
    if name == "found":
        return f"{100 * value:.1f}% found"
    return f"{name} {value:.4g}"


def _refuse_options_of_others(context: typer.Context, kind: str) -> None:
    names = {name for own in OWN.values() for name in own} - set(OWN[kind])
    if kind == "best-first":
        names.add("scorer")
    for name in sorted(names):
        if _is_given(context, name):
            option = "--" + name.replace("_", "-")
            owners = [_chosen_by(other) for other, own in OWN.items() if name in own]
            raise typer.BadParameter(
                f"{option} goes with {' or '.join(owners or ['--search beam'])}, not with {kind}"
            )


def _chosen_by(kind: str) -> str:
    return "--search best-first" if kind == "best-first" else f"--scorer {kind}"


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
