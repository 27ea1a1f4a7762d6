"""`syntagma train`: trains a model on a treebank; the options become the settings of a learner."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from syntagma.best_first.settings import BestFirstSettings
from syntagma.best_first.strategy import MAX_CHART
from syntagma.cli import options, process
from syntagma.cli.output import tell
from syntagma.cli.progress import Ticker
from syntagma.features.settings import PresetName
from syntagma.linear.settings import LinearSettings
from syntagma.neural.adaptation import MIN_COUNT, WORD_DROPOUT
from syntagma.neural.lexicon import SUFFIX
from syntagma.neural.parameters import Dimensions
from syntagma.neural.settings import (
    LEAST_LAYERS,
    MAX_LAYERS,
    SPECIALITIES,
    WIDTH_MULTIPLE,
    NeuralSettings,
)
from syntagma.problem.word import TagColumn
from syntagma.request import MAX_BEAM, MAX_EXPANSIONS, SearchName
from syntagma.training.presets import PRESETS, paper_settings
from syntagma.treebanks.settings import Settings

# The defaults of all options are those of the settings.
NEURAL, LINEAR, BEST_FIRST = NeuralSettings(), LinearSettings(), BestFirstSettings()
KINDS: dict[str, Settings] = {"linear": LINEAR, "best-first": BEST_FIRST, "neural": NEURAL}
# Options of one kind of model only that are no settings, or settings of other kinds, too.
_OF_ONE_KIND = {"start": "neural", "pretrain": "neural", "min_count": "neural", "lm": "best-first"}
_OF_NEW_MODELS = {
    "min_count": "a vocabulary",
    "suffix_length": "a vocabulary",
    "width": "a network",
}


def train(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRAIN... DEV",
            help="Treebank to learn from: files, or quoted patterns, such as 'wsj/0*.conllu'. The "
            "last one is the development set, which selects the best epoch. If there is only one, "
            "a tenth of its sentences is held out.",
        ),
    ],
    output: options.ModelOutput,
    preset: Annotated[
        PresetName | None,
        typer.Option(
            help="All settings of a published system: Liu et al. (2015), Puduppully et al. (2016), "
            "Zhang and Clark (2015), Zhang (2013), Zhang and Clark (2011). Explicit options "
            "override it."
        ),
    ] = None,
    search: Annotated[
        SearchName,
        typer.Option(
            help="Search strategy of the model; best-first is that of Zhang and Clark (2015)."
        ),
    ] = "beam",
    scorer: Annotated[
        Literal["neural", "linear"],
        typer.Option(
            help="Beam: a neural network, trained with PyTorch, or a linear model, as in the "
            "papers."
        ),
    ] = "neural",
    features: Annotated[
        Literal["l15", "p16", "p16+"],
        typer.Option(
            help="Linear: feature templates of Liu et al. (2015), of Puduppully et al. (2016), or "
            "the latter with additions."
        ),
    ] = LINEAR.features,
    condition: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What the input gives: mixed (drawn at each visit of a sentence), or a condition "
            "of `evaluate`.",
        ),
    ] = NEURAL.condition,
    update: Annotated[
        Literal["early", "max-violation", "margin", "perceptron"] | None,
        typer.Option(
            metavar="NAME",
            help="Linear: where in the search the perceptron updates, early or max-violation. "
            "Best-first: size of an update, margin or perceptron. "
            f"Default: {LINEAR.update}, or {BEST_FIRST.update}.",
        ),
    ] = None,
    grammar: Annotated[
        Literal["dependency", "ccg"],
        typer.Option(
            help="Best-first: dependency trees, or CCG derivations; for the latter, TRAIN and DEV "
            "are CCGbanks (.auto)."
        ),
    ] = BEST_FIRST.grammar,
    heads: Annotated[
        Literal["file", "rule"] | None,
        typer.Option(
            help="CCG: heads of derivations, as indexed in the file or by rule. Default: file if "
            "its categories carry features, as in CCGbank."
        ),
    ] = BEST_FIRST.heads,
    chart: Annotated[
        int, typer.Option(min=1, max=MAX_CHART, help="Best-first: size of the chart, in edges.")
    ] = BEST_FIRST.chart,
    scaled: Annotated[
        bool,
        typer.Option("--scaled/--unscaled", help="Best-first: divide scores by the size of edges."),
    ] = BEST_FIRST.scaled,
    negatives: Annotated[
        bool,
        typer.Option(
            "--negatives/--no-negatives",
            help="Best-first: expand edges that are not gold in training, too.",
        ),
    ] = BEST_FIRST.negatives,
    averaged: Annotated[
        bool,
        typer.Option(
            "--averaged/--final", help="Best-first: keep the average of the weights, or the final."
        ),
    ] = BEST_FIRST.averaged,
    expansions: Annotated[
        int,
        typer.Option(
            min=1,
            max=MAX_EXPANSIONS,
            help="Best-first: search budget per sentence in training, in expanded edges.",
        ),
    ] = BEST_FIRST.expansions,
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Passes over TRAIN. Default: for a network, by the size of TRAIN: 30 for 100,000 "
            f"words; else {LINEAR.epochs}.",
        ),
    ] = None,
    beam: Annotated[
        int,
        typer.Option(min=1, max=MAX_BEAM, help=f"Linear: beam width in training, 1 to {MAX_BEAM}."),
    ] = LINEAR.beam,
    arcs: Annotated[
        Literal["eager", "lazy"],
        typer.Option(
            help="Linear: which dependents a word takes first, left ones (eager) or right ones "
            "(lazy), as in Liu et al. (2015)."
        ),
    ] = LINEAR.arcs,
    unlabelled: Annotated[
        bool,
        typer.Option(
            "--unlabelled/--labelled", help="Linear and best-first: train without arc labels."
        ),
    ] = LINEAR.unlabelled,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE", help="Neural: the model to start from, instead of random weights."
        ),
    ] = None,
    pretrain: Annotated[
        list[Path] | None,
        typer.Option(help="Neural: a further treebank, for pre-training; repeatable."),
    ] = None,
    pretrain_epochs: Annotated[
        int, typer.Option(min=1, help="Neural: passes over those treebanks.")
    ] = NEURAL.pretrain_epochs,
    batch_words: Annotated[
        int, typer.Option(min=1, help="Neural: words per batch.")
    ] = NEURAL.batch_words,
    learning_rate: Annotated[
        float, typer.Option(help="Neural: peak learning rate.")
    ] = NEURAL.learning_rate,
    width: Annotated[
        int | None,
        typer.Option(
            min=WIDTH_MULTIPLE, help="Neural: width of the network. Default: by the size of TRAIN."
        ),
    ] = NEURAL.width,
    specialize: Annotated[
        str,
        typer.Option(
            metavar="|".join(SPECIALITIES),
            help="Neural, with --start: train one of several networks, that for trees, that for "
            "bags and partial trees, or a second one, which learns trees from scratch and helps to "
            "rerank them. The others stay as they are.",
        ),
    ] = NEURAL.specialize,
    layers: Annotated[
        int | None,
        typer.Option(
            min=LEAST_LAYERS,
            max=MAX_LAYERS,
            help="Neural: layers of the network; with --start, as many as it has, or more. "
            f"Default: {Dimensions().layers}, or those of --start.",
        ),
    ] = NEURAL.layers,
    hidden: Annotated[
        int | None,
        typer.Option(
            min=WIDTH_MULTIPLE,
            help="Neural: hidden units that score a word to be placed, and half of those of a "
            "layer; with --start, as many as it has, or more. Default: the width, or those of "
            "--start.",
        ),
    ] = NEURAL.hidden,
    dropout: Annotated[
        float | None, typer.Option(help="Neural: dropout rate. Default: by the size of TRAIN.")
    ] = NEURAL.dropout,
    word_dropout: Annotated[
        float | None,
        typer.Option(
            help="Neural: rate at which words are treated as unknown in training. Default: "
            f"{WORD_DROPOUT}."
        ),
    ] = NEURAL.word_dropout,
    min_count: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Neural: words seen less often have no embedding of their own, only those of "
            f"suffix and shape. Default: {MIN_COUNT}, or more if the model would become too large.",
        ),
    ] = NEURAL.min_count,
    suffix_length: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=SUFFIX,
            help="Neural: characters of a suffix. Default: by the words of TRAIN, "
            f"{SUFFIX} in alphabetic scripts, 1 in Chinese.",
        ),
    ] = NEURAL.suffix_length,
    realize: Annotated[
        bool | None,
        typer.Option(
            "--realize/--no-realize",
            show_default=False,
            help="Also learn to realize lemmas. Default: yes for a network, else no.",
        ),
    ] = NEURAL.realize,
    lm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Best-first: a language model whose scores are features: a file of train-lm, a "
            "model that has one, or an ARPA file.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = NEURAL.seed,
    tag_column: Annotated[
        TagColumn | None,
        typer.Option(
            help="Column of CoNLL-U that serves as the tag. Default: xpos, or upos if TRAIN lacks "
            "XPOS tags; for a network also if they are too many or differ from those of DEV."
        ),
    ] = NEURAL.tag_column,
    threads: Annotated[
        int, typer.Option(min=1, help="Number of threads; it does not change a linear model.")
    ] = 1,
    name: options.ModelName = "",
    language: Annotated[
        str,
        typer.Option(
            metavar="CODE",
            help="Language, for the header. With en, words that the treebank lacks are inflected "
            "by the rules of English.",
        ),
    ] = "",
    licence: options.Licence = "",
    attribution: options.Attribution = "",
    debug: options.Debug = False,
) -> None:
    """Train a model on a treebank in CoNLL-U.

    Settings that are not given are chosen to fit the treebank, and printed first. The epoch that is
    best on DEV is kept. Training can be interrupted at any time: the same command resumes it,
    losing at most the current epoch, and ends with the same model.

    \b
    A model for every condition, from words only to labelled trees, that also realizes lemmas:
        syntagma train train.conllu dev.conllu --output my.syntagma --language pt
    Without a development set of its own, and without realisation:
        syntagma train treebank.conllu --output my.syntagma --no-realize
    The same, pre-trained on machine-made trees:
        syntagma train train.conllu dev.conllu --output my.syntagma \\
            --pretrain parsed.conllu.xz
    The shipped model, adapted to another treebank:
        syntagma train train.conllu dev.conllu --output my.syntagma \\
            --start en --epochs 5 --learning-rate 0.0005
    From several files; a quoted pattern is expanded by syntagma:
        syntagma train 'wsj/0[2-9]*.conllu' 'wsj/1*.conllu' wsj/22.conllu --output my.syntagma
    The system of a paper, as published, and with a narrower beam:
        syntagma train train.conllu dev.conllu --output l15.syntagma --preset l15
        syntagma train train.conllu dev.conllu --output l15-16.syntagma --preset l15 --beam 16
    Models for best-first search, of trees and of CCG derivations:
        syntagma train train.conllu dev.conllu --output edges.syntagma --search best-first
        syntagma train train.auto dev.auto --output ccg.syntagma --search best-first \\
            --grammar ccg --tag-column upos
    """
    from syntagma.training.data import TrainingPlan
    from syntagma.training.run import Epoch, keep_freed_memory
    from syntagma.training.train import train as learn

    settings = choose_settings(context)
    process.farewell = partial(_say_how_to_resume, output)
    if isinstance(settings, NeuralSettings):
        keep_freed_memory()
    with Ticker("learning") as ticker:

        def show(epoch: Epoch) -> None:
            ticker.print(epoch.line())
            ticker.restart()

        def announce(plan: TrainingPlan) -> None:
            if isinstance(settings, NeuralSettings):
                for line in plan.lines():
                    ticker.print(line)

        report = learn(
            files[:-1] or files,
            files[-1] if len(files) > 1 else None,
            output,
            settings=settings,
            pretrain=pretrain or (),
            start=start,
            lm=lm,
            name=name,
            language=language,
            licence=licence,
            attribution=attribution,
            threads=threads,
            on_plan=announce,
            on_start=ticker.expect,
            on_sentence=ticker.advance,
            on_epoch=show,
            on_faults=lambda faults: ticker.print(
                f"{len(faults)} faulty sentences left out; the first fault: {faults[0]}"
            ),
        )
    tell(f"{output}: the model of epoch {report.best} of {len(report.epochs)}")


def _say_how_to_resume(output: Path) -> str:
    from syntagma.training.run import has_checkpoint

    if has_checkpoint(output):
        return f"interrupted: the same command resumes training of {output} after the last epoch"
    return "interrupted in the first epoch: nothing is saved yet"


def choose_settings(context: typer.Context) -> Settings:
    """The settings that the options ask for; options that are not given keep their defaults, or
    those of the preset. Raise if an option belongs to another kind of model."""
    given = {
        name: each
        for each in context.command.params
        if (name := each.name) is not None
        and getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"
    }
    values = {name: context.params[name] for name in given if name in context.params}
    kind = _kind(values)
    chosen = {}
    for name, option in sorted(given.items()):
        # Where the default is on, the option switches off.
        text = (option.secondary_opts if option.default is True else option.opts)[0]
        owners = _owners(name)
        if kind not in owners and (owners or (name, kind) == ("scorer", "best-first")):
            asked = " or ".join(map(_chosen_by, owners)) or "--search beam"
            raise typer.BadParameter(f"{text} goes with {asked}, not with {kind}")
        if "start" in given and name in _OF_NEW_MODELS:
            raise typer.BadParameter(
                f"{text} goes with a new model: --start has {_OF_NEW_MODELS[name]} already"
            )
        if owners and hasattr(KINDS[kind], name):
            chosen[name] = values[name]
    if "preset" in given:
        return paper_settings(values["preset"], **chosen)
    return type(KINDS[kind])(**chosen)


def _kind(given: Mapping[str, Any]) -> str:
    """The kind of model to train; raise if the preset is of another kind than the options say."""
    preset = given.get("preset")
    if preset is None:
        best_first = given.get("search") == "best-first"
        return "best-first" if best_first else str(given.get("scorer", "neural"))
    best_first = isinstance(PRESETS[preset], BestFirstSettings)
    for option, its in {
        "search": "best-first" if best_first else "beam",
        "scorer": "linear",
    }.items():
        if given.get(option, its) != its:
            raise typer.BadParameter(
                f"--preset {preset} is a model for --{option} {its}: leave out --{option}"
            )
    return "best-first" if best_first else "linear"


def _owners(name: str) -> list[str]:
    """The kinds of models that have an option for their training; none for other options."""
    if name in _OF_ONE_KIND:
        return [_OF_ONE_KIND[name]]
    return [kind for kind, each in KINDS.items() if hasattr(each, name) and name != "preset"]


def _chosen_by(kind: str) -> str:
    return "--search best-first" if kind == "best-first" else f"--scorer {kind}"
