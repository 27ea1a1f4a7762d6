"""From the options of `syntagma train` to the settings of a learner."""

from collections.abc import Mapping
from typing import Any

import typer

from syntagma.best_first.settings import BestFirstSettings
from syntagma.linear.settings import LinearSettings
from syntagma.neural.settings import NeuralSettings
from syntagma.training.presets import PRESETS, paper_settings
from syntagma.treebanks.settings import Settings

# Options that only some kinds of models have, by scorer or search.
OPTIONS_OF = {
    "linear": ("features", "update", "beam", "arcs", "unlabelled", "realize"),
    "best-first": (
        *("grammar", "heads", "update", "chart", "scaled", "negatives", "averaged", "expansions"),
        *("unlabelled", "realize", "lm"),
    ),
    "neural": (
        *("start", "pretrain", "pretrain_epochs", "batch_words", "learning_rate"),
        *("width", "layers", "hidden", "dropout", "word_dropout", "min_count", "suffix_length"),
        *("realize", "specialize"),
    ),
}

SETTINGS: dict[str, type[Settings]] = {
    "linear": LinearSettings,
    "best-first": BestFirstSettings,
    "neural": NeuralSettings,
}
_COMMON = ("condition", "seed", "tag_column", "epochs")
_OF_NEW_MODELS = {
    "min_count": "a vocabulary",
    "suffix_length": "a vocabulary",
    "width": "a network",
}
_PAIRS = {  # what one asks for with options that can be switched off, where the default is on
    "scaled": "--unscaled",
    "negatives": "--no-negatives",
    "averaged": "--final",
}


def choose_settings(context: typer.Context) -> Settings:
    """The settings that the options ask for; options that are not given keep their defaults, or
    those of the preset. Raise if an option belongs to another kind of model."""
    given = {name: value for name, value in context.params.items() if _is_given(context, name)}
    kind = _kind(given)
    _refuse_options_of_others(given, kind)
    for name, owned in _OF_NEW_MODELS.items():
        if "start" in given and name in given:
            option = "--" + name.replace("_", "-")
            raise typer.BadParameter(f"{option} goes with a new model: --start has {owned} already")
    names = {*_COMMON, *OPTIONS_OF[kind]} - {"start", "pretrain", "lm"}
    chosen = {name: value for name, value in given.items() if name in names}
    if "preset" in given:
        return paper_settings(given["preset"], **chosen)
    return SETTINGS[kind](**chosen)


def _kind(given: Mapping[str, Any]) -> str:
    """The kind of model to train; raise if the preset is of another kind than the options say."""
    preset = given.get("preset")
    if preset is None:
        best_first = given.get("search") == "best-first"
        return "best-first" if best_first else str(given.get("scorer", "neural"))
    kind = "best-first" if isinstance(PRESETS[preset], BestFirstSettings) else "linear"
    for option, its in (
        ("search", "best-first" if kind == "best-first" else "beam"),
        ("scorer", "linear"),
    ):
        if given.get(option, its) != its:
            raise typer.BadParameter(
                f"--preset {preset} is a model for --{option} {its}: leave out --{option}"
            )
    return kind


def _refuse_options_of_others(given: Mapping[str, Any], kind: str) -> None:
    """Raise if an option belongs to a kind of model that was not chosen."""
    names = {name for names in OPTIONS_OF.values() for name in names} - set(OPTIONS_OF[kind])
    if kind == "best-first":
        names.add("scorer")
    for name in sorted(names & given.keys()):
        option = _PAIRS.get(name) or "--" + name.replace("_", "-")
        owners = [_chosen_by(other) for other, names in OPTIONS_OF.items() if name in names]
        raise typer.BadParameter(
            f"{option} goes with {' or '.join(owners or ['--search beam'])}, not with {kind}"
        )


def _chosen_by(kind: str) -> str:
    return "--search best-first" if kind == "best-first" else f"--scorer {kind}"


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
