"""`syntagma train-many`: trains a model for every treebank of a collection."""

import threading
from pathlib import Path
from typing import Annotated, Literal

import typer

from syntagma.cli import options, process
from syntagma.cli.output import write_stdout
from syntagma.cli.progress import Ticker
from syntagma.errors import TrainingError
from syntagma.neural.settings import WIDTH_MULTIPLE, NeuralSettings

DEFAULTS = NeuralSettings()
_LABEL = 60  # characters of the progress's label
_NAMED = 5  # failed treebanks that the message lists


def train_many(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER...",
            help="Folders of treebanks, searched at any depth for files named as in Universal "
            "Dependencies: NAME-ud-train.conllu, with -dev and -test beside it.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Where models, logs, figures and packages are written, each treebank in a folder "
            "of its own.",
        ),
    ],
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Treebanks trained at a time on this machine, one core each. Default: the number "
            "of cores.",
        ),
    ] = None,
    engine: Annotated[
        Literal["processes", "ray"],
        typer.Option(help="Processes on this machine, or tasks of Ray."),
    ] = "processes",
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Ray: the cluster, such as auto. Default: this machine."
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Passes over each treebank. Default: by its size, as for `train`."
        ),
    ] = DEFAULTS.epochs,
    width: Annotated[
        int | None,
        typer.Option(
            min=WIDTH_MULTIPLE, help="Width of the networks. Default: by the size of the treebank."
        ),
    ] = DEFAULTS.width,
    realize: options.AlsoRealize = DEFAULTS.realize,
    tag_column: options.TrainedTagColumn = DEFAULTS.tag_column,
    seed: Annotated[int, typer.Option(help="Random seed.")] = DEFAULTS.seed,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="Measure on the first N sentences of each test set only."),
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Train, measure and pack a model for every treebank of a collection.

    Each treebank is trained as by `train` and measured as by `evaluate` on its test set, or else on
    its development set; its package is that of `package`. A table of all treebanks is printed, and
    written to table.md and table.json in the output folder. A treebank that fails does not stop the
    others; it is named below the table, and the exit code is 2.

    The same command again does what is missing: models that are finished stay, a training that was
    interrupted resumes. Other settings are refused.

    \b
    A model for every treebank of a release of Universal Dependencies:
        syntagma train-many ud-treebanks-v2.17 --output models
    For French and Italian, a quick try:
        syntagma train-many 'ud/UD_French-*' 'ud/UD_Italian-*' --output try \\
            --epochs 1 --limit 100
    On a cluster of Ray that shares the folders:
        syntagma train-many /shared/ud --output /shared/models --engine ray --address auto
    """
    from syntagma.sweeps.train_many import train_many as train_all

    settings = NeuralSettings(
        epochs=epochs, width=width, realize=realize, tag_column=tag_column, seed=seed
    )
    process.farewell = lambda: "interrupted: the same command does what is missing"
    steps: dict[str, str] = {}
    lock = threading.Lock()  # progress is told by any thread
    with Ticker("training") as ticker:

        def start(treebanks: int, kept: int) -> None:
            if kept:
                ticker.print(f"{kept} of {treebanks} treebanks are done already")
            ticker.reach(kept, treebanks)

        def show(more: int = 0) -> None:
            label = ", ".join(f"{name} {step}" for name, step in steps.items())
            ticker.relabel(f"{label[:_LABEL]}…" if len(label) > _LABEL else label or "training")
            ticker.reach(ticker.count + more)

        def progress(treebank: str, step: str) -> None:
            with lock:
                steps[treebank] = step
                show()

        def done(treebank: str, error: str) -> None:
            with lock:
                steps.pop(treebank, None)
                ticker.print(f"{treebank}: {'failed: ' + error if error else 'done'}")
                show(1)

        report = train_all(
            folders,
            output,
            settings=settings,
            limit=limit,
            jobs=jobs,
            engine=engine,
            address=address,
            on_start=start,
            on_progress=progress,
            on_treebank=done,
        )
    write_stdout(report.table())
    if report.left_out:
        ticker.print(f"without a training file, left out: {', '.join(report.left_out)}")
    if report.failed:
        names = [*report.failed][:_NAMED] + ["…"] * (len(report.failed) > _NAMED)
        raise TrainingError(
            f"{len(report.failed)} of {ticker.total} treebanks failed: {', '.join(names)}; the "
            "others are done. Run the same command again when the cause is removed"
        )
