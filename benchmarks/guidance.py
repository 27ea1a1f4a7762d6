"""Settings of guided learning: Table 4 and Figures 4 to 6 of Zhang and Clark (2015) in small.

    python benchmarks/guidance.py --train TREEBANK --data TREEBANK --folder FOLDER

trains a model for each of SETTINGS and prints BLEU on the sentences of --data and CPU time, epoch
by epoch; with --ccg-train and --ccg-data, also with CCG. FOLDER holds samples, models and their
epochs; a run that was interrupted resumes from there. The tables show everything in FOLDER: several
processes can share the work with --grammars and --settings.

BLEU is measured during training, with a search budget in expansions, not in seconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

import machine
import plots
import samples
from records import Table, begin, finish

from syntagma.best_first.settings import BestFirstSettings
from syntagma.treebanks.conditions import MAIN_CONDITIONS

# How each differs from the default.
SETTINGS: dict[str, dict[str, Any]] = {
    "scaled-negatives": {},
    "scaled": {"negatives": False},
    "standard-negatives": {"scaled": False},
    "standard": {"scaled": False, "negatives": False},
    "perceptron": {"scaled": False, "negatives": False, "update": "perceptron"},
    "final": {"averaged": False},
}
NOTES = (
    "scaled: edges are ranked by score ÷ size; standard: by score",
    "negatives: edges that are not gold are expanded in training, too",
    "perceptron: as standard, but with a perceptron update (Zhang and Clark 2011)",
    "final: as scaled-negatives, but with the last weights instead of averaged ones",
    "updates, found: mean per training sentence, and the share whose gold result was found",
)

GRAMMARS: tuple[samples.Grammar, ...] = get_args(samples.Grammar)


def main() -> None:
    arguments = parse_arguments()
    drawn = {
        grammar: samples.draw_sample(arguments, grammar)
        for grammar in GRAMMARS
        if grammar == "dependency" or arguments.ccg_train
    }
    unit = machine.Unit(arguments.unit_command)
    for grammar in arguments.grammars:
        for name in arguments.settings:
            path = arguments.folder / f"{grammar}-{name}.syntagma"
            settings = settings_of(grammar, name, arguments.epochs)
            samples.train(drawn[grammar], path, settings, unit)
    record = begin(arguments)
    record["samples"] = {grammar: sample.about for grammar, sample in drawn.items()}
    record["runs"] = runs(arguments.folder)
    if not record["runs"]:
        raise SystemExit(f"error: {arguments.folder} holds no epochs yet")
    finish(arguments, record, *tabulate(record))
    if arguments.plot:
        plot(record, arguments.plot)


def parse_arguments() -> argparse.Namespace:
    parser = samples.sample_options(__doc__)
    parser.add_argument(
        "--grammars",
        nargs="+",
        choices=GRAMMARS,
        metavar="NAME",
        help="train with dependency or ccg only (default: what there is data for)",
    )
    parser.add_argument(
        "--settings",
        nargs="*",
        choices=SETTINGS,
        default=list(SETTINGS),
        metavar="NAME",
        help=f"train these only, or none (default: {' '.join(SETTINGS)})",
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="SVG of BLEU and time by epoch")
    arguments = samples.parse(parser)
    if not arguments.grammars:
        arguments.grammars = GRAMMARS if arguments.ccg_train else ("dependency",)
    if "ccg" in arguments.grammars and not arguments.ccg_train:
        parser.error("ccg needs --ccg-train and --ccg-data")
    return arguments


def settings_of(grammar: samples.Grammar, name: str, epochs: int) -> BestFirstSettings:
    return BestFirstSettings(
        grammar=grammar,
        tag_column="upos" if grammar == "ccg" else "xpos",
        epochs=epochs,
        **SETTINGS[name],
    )


def runs(folder: Path) -> list[dict[str, Any]]:
    """All training runs in the folder, also unfinished ones."""
    found = []
    for grammar in GRAMMARS:
        for name in SETTINGS:
            path = folder / f"{grammar}-{name}.json"
            if epochs := samples.read_epochs(path):
                settings = samples.read_json(path)["settings"]
                run = {"grammar": grammar, "name": name, "settings": settings, "epochs": epochs}
                found.append(run)
            elif path.with_suffix(".syntagma").exists():
                samples.say(f"{path} is missing: train the model again to get its epochs")
    return found


def tabulate(record: dict[str, Any]) -> list[Table]:
    """The best epochs; BLEU by epoch; CPU time by epoch."""
    best = Table(
        title="Guided learning: the best epoch of each setting",
        first="grammar, setting",
        groups=[
            ("epochs", ("all", "best")),
            ("best epoch", ("updates", "found %", "mean BLEU", *MAIN_CONDITIONS)),
        ],
        notes=[*NOTES, *notes(record)],
    )
    for run in record["runs"]:
        epoch = max(run["epochs"], key=mean_bleu)  # ties: the first, as in training
        best.rows.append(
            [
                title(run),
                f"{len(run['epochs'])} of {run['settings']['epochs']}",
                str(epoch["number"]),
                f"{epoch['figures']['updates']:.1f}",
                f"{100 * epoch['figures']['found']:.1f}",
                f"{mean_bleu(epoch):.2f}",
                *(
                    f"{epoch['bleu'][name]:.2f}"
                    for name in MAIN_CONDITIONS
                    if name in epoch["bleu"]
                ),
            ]
        )
    return [
        best,
        by_epoch(record, "Mean BLEU by epoch", lambda epoch: f"{mean_bleu(epoch):.2f}"),
        by_epoch(record, "CPU seconds of each epoch", lambda epoch: f"{epoch['cpu_seconds']:.1f}"),
    ]


def by_epoch(record: dict[str, Any], name: str, show: Callable[[dict[str, Any]], str]) -> Table:
    most = max(len(run["epochs"]) for run in record["runs"])
    return Table(
        title=name,
        first="grammar, setting",
        groups=[("epoch", [str(number) for number in range(1, most + 1)])],
        rows=[[title(run), *map(show, run["epochs"])] for run in record["runs"]],
    )


def notes(record: dict[str, Any]) -> list[str]:
    """The sentences, the machine units around epochs, and the search budget of BLEU."""
    drawn = [
        f"{grammar}: {samples.sample_note(about)}" for grammar, about in record["samples"].items()
    ]
    units = samples.unit_note(
        epoch["units_ms"] for run in record["runs"] for epoch in run["epochs"]
    )
    limits = sorted({run["settings"]["dev_expansions"] for run in record["runs"]})
    shown = "/".join(map(str, limits))
    return [
        *drawn,
        units,
        f"BLEU: at most {shown} expansions per sentence",
    ]


def mean_bleu(epoch: dict[str, Any]) -> float:
    return fmean(epoch["bleu"].values())


def title(run: dict[str, Any]) -> str:
    return f"{run['grammar']}, {run['name']}"


def plot(record: dict[str, Any], path: Path) -> None:
    """Two panels for each grammar: BLEU (Figure 4) and CPU time (Figures 5 and 6) by epoch."""
    panels: dict[str, list[plots.Line]] = {}
    for run in record["runs"]:
        model, _, condition = run["name"].partition("-")
        numbers = [epoch["number"] for epoch in run["epochs"]]
        for name, value in (("mean BLEU", mean_bleu), ("CPU seconds of an epoch", cpu_seconds)):
            values = [value(epoch) for epoch in run["epochs"]]
            lines = panels.setdefault(f"{run['grammar']}: {name}", [])
            lines.append(plots.Line(model, condition, numbers, values))
    most = max(len(run["epochs"]) for run in record["runs"])
    plots.draw(path, panels, x_axis=("epoch", range(1, most + 1)), y_axis=("", ()))


def cpu_seconds(epoch: dict[str, Any]) -> float:
    return float(epoch["cpu_seconds"])


if __name__ == "__main__":
    machine.start(main)
