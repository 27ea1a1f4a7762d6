"""`syntagma tune`: searches for the settings that make the best model of a treebank."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syntagma.cli import options, process
from syntagma.cli.output import tell, write_stdout
from syntagma.cli.progress import Ticker
from syntagma.neural.settings import WIDTH_MULTIPLE, NeuralSettings

if TYPE_CHECKING:
    from syntagma.sweeps.search import Trial
    from syntagma.training.data import TrainingPlan

DEFAULTS = NeuralSettings()
TRIALS = 20


def tune(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRAIN... DEV",
            help="Treebank to learn from, and the development set, as for `train`.",
        ),
    ],
    output: Annotated[Path, typer.Option(help="The best model.")],
    trials: Annotated[int, typer.Option(min=1, help="Number of settings to try.")] = TRIALS,
    minutes: Annotated[
        float | None,
        typer.Option(help="Time limit in minutes; the best model so far is kept."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Trials at a time on this machine, one core each. Default: the number of cores.",
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="A cluster of Ray, such as auto. Default: this machine."
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Passes over TRAIN in each trial. Default: half, once and twice what `train` "
            "would choose.",
        ),
    ] = DEFAULTS.epochs,
    width: Annotated[
        int | None,
        typer.Option(
            min=WIDTH_MULTIPLE, help="Width of the network in each trial. Default: 96 to 256."
        ),
    ] = DEFAULTS.width,
    realize: options.AlsoRealize = DEFAULTS.realize,
    tag_column: options.TrainedTagColumn = DEFAULTS.tag_column,
    seed: Annotated[
        int, typer.Option(help="Random seed of training and of what is tried.")
    ] = DEFAULTS.seed,
    name: options.ModelName = "",
    language: Annotated[str, typer.Option(metavar="CODE", help="Language, for the header.")] = "",
    licence: options.Licence = "",
    attribution: options.Attribution = "",
    debug: options.Debug = False,
) -> None:
    """Search for the settings that make the best neural model of a treebank.

    The first trial has the settings that `train` would choose, and runs to its end unless the time
    is up. The others vary width, dropout, word dropout, learning rate and epochs, unless an option
    sets them. Those that fall behind are stopped early (ASHA). The model with the best mean BLEU
    on DEV is kept, and the trials are printed as a table. Needs Ray Tune:
    pip install 'syntagma[ray]'.

    A folder OUTPUT.tuning keeps the trials: the same command resumes where it was interrupted, also
    with more trials. Measure the model on a test set afterwards: its BLEU on DEV is that of the
    luckiest trial.

    \b
    Twenty settings:
        syntagma tune train.conllu dev.conllu --output my.syntagma --language pt
    For eight hours at most:
        syntagma tune train.conllu dev.conllu --output my.syntagma --trials 100 --minutes 480
    """
    from syntagma.sweeps.tune import tune as search

    settings = NeuralSettings(
        epochs=epochs, width=width, realize=realize, tag_column=tag_column, seed=seed
    )
    process.farewell = lambda: "interrupted: the same command resumes the trials"
    with Ticker("trials", total=trials) as ticker:

        def announce(plan: "TrainingPlan") -> None:
            for line in plan.lines():
                ticker.print(line)

        def show(trial: "Trial") -> None:
            ticker.print(_described(trial))
            ticker.advance()

        report = search(
            files[:-1] or files,
            files[-1] if len(files) > 1 else None,
            output,
            settings=settings,
            trials=trials,
            minutes=minutes,
            jobs=jobs,
            address=address,
            name=name,
            language=language,
            licence=licence,
            attribution=attribution,
            on_plan=announce,
            on_start=lambda count: ticker.reach(0, count),
            on_trial=show,
        )
    write_stdout(f"{report.table()}\n")
    tell(f"{output}: the model of trial {report.best}")


def _described(trial: "Trial") -> str:
    """The line that reports a trial which has ended."""
    from syntagma.sweeps.search import trial_state

    bleu = "" if trial.bleu is None or trial.error else f"dev BLEU {trial.bleu:.2f}, "
    return f"trial {trial.number}: {bleu}{trial_state(trial)}"
