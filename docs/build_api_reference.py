"""Writes docs/reference/api.md from the public names: `make docs`. A test fails when it is stale.

`make site` fills the page in from the docstrings, read from the source without importing it. So the
page names the modules in which the names are defined.
"""

from pathlib import Path

import syntagma

TARGET = Path(__file__).with_name("reference") / "api.md"

INTRODUCTION = """\
# API

<!-- Written by docs/build_api_reference.py: change the docstrings, then run `make docs`. -->

Import every name from the package root: `from syntagma import Problem, Word`. Modules below it may
change without notice. The [guide](../guide/python.md) has examples.

`make site` fills this page in from the docstrings.
"""

SECTIONS = {
    "Load and order": [
        "load",
        "Linearizer",
        "Request",
        "ModelInfo",
        "installed_models",
        "InstalledModel",
        "package",
    ],
    "Corpora": ["batch", "BatchReport"],
    "Problems": ["Word", "Problem"],
    "Results": ["Linearization", "Token", "NBest", "Realization", "Acceptance", "difference"],
    "Training": [
        "train",
        "TrainingReport",
        "train_many",
        "TrainManyReport",
        "tune",
        "TuningReport",
        "NeuralSettings",
        "LinearSettings",
        "BestFirstSettings",
        "train_lm",
        "add_lm",
        "fit_margin",
        "paper_settings",
        "Margin",
        "LanguageModelSettings",
    ],
    "Treebanks": ["convert", "ConversionReport", "stats", "TreebankStatistics"],
    "Evaluation": [
        "read_treebank",
        "Sentence",
        "evaluate",
        "Report",
        "compare_systems",
        "paired_bootstrap",
    ],
    "Exceptions": [
        "SyntagmaError",
        "ArgumentError",
        "ProblemError",
        "UnsatisfiableError",
        "CancelledError",
        "SyntagmaWarning",
        "FormatError",
        "ModelError",
        "OutputError",
        "PackageError",
        "TrainingError",
    ],
}


def reference() -> str:
    """The whole page: every public name, in sections."""
    listed = {name for names in SECTIONS.values() for name in names}
    if missing := set(syntagma.__all__) - listed:
        raise ValueError(f"give these names a section in {__file__}: {', '.join(sorted(missing))}")
    sections = [INTRODUCTION]
    for title, names in SECTIONS.items():
        sections.append(f"## {title}\n")
        for name in names:
            if name in syntagma.__all__:
                sections.append(f"::: {getattr(syntagma, name).__module__}.{name}\n")
    return "\n".join(sections)


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
