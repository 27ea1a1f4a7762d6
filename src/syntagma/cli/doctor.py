"""`syntagma doctor`: prints what a bug report needs; found by `linearizer/diagnosis.py`."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from syntagma.cli import options
from syntagma.cli.output import aligned, write_stdout
from syntagma.errors import as_line

if TYPE_CHECKING:
    from syntagma.linearizer.diagnosis import CheckedModel, Environment

_MISSING = "-"


def doctor(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of text.")
    ] = False,
    debug: options.Debug = False,
) -> None:
    """Check the installation and print what a bug report needs.

    Prints versions, platform, the compiler of the core and the instructions that it uses,
    packages, and each installed model: whether it loads and orders a sentence right. Uses no
    network. Writes your home folder as ~.

    The exit code is 2 if there are problems.

    \b
    For a bug report, as text and as JSON:
        syntagma doctor
        syntagma doctor --json
    """
    from syntagma.linearizer.diagnosis import check_models, environment

    about = environment()
    if not as_json:  # before models are loaded: that may be what crashes
        write_stdout(_environment_as_text(about) + "\n")
    models = list(check_models())
    problems = [*about.problems]
    for each in models:
        if each.problem:
            problems.append(f"{each.name}: {each.problem}" if each.name else each.problem)
    if as_json:
        record = {**asdict(about), "models": list(map(asdict, models)), "problems": problems}
        write_stdout(json.dumps(record, ensure_ascii=False, indent=2) + "\n")
    else:
        found = "".join(f"problem: {as_line(each)}\n" for each in problems) or "no problems found\n"
        write_stdout(_models_as_text(models) + "\n" + found)
    if problems:
        raise typer.Exit(2)


def _environment_as_text(about: "Environment") -> str:
    core = about.core
    memory = "" if about.memory is None else f", {about.memory / 2**30:.1f} GiB"
    encodings = ", ".join(f"{name} {encoding}" for name, encoding in about.encodings.items())
    lines = [
        ("syntagma", f"{about.version}, installed {about.installed}, {about.folder}"),
        ("core", f"{core['compiler']}; {core['instructions']}" if core else "cannot be loaded"),
        ("python", f"{about.python}, {about.executable}"),
        ("platform", about.platform),
        ("processor", f"{about.processor}, {about.processors} usable{memory}"),
        ("encodings", encodings),
    ]
    rows = [
        (each.name, each.version or _MISSING, each.needed or "any", each.extra or _MISSING)
        for each in about.packages
    ]
    packages = "\n" + aligned(("package", "version", "needed", "extra"), *rows) if rows else ""
    return aligned(*lines) + packages


def _models_as_text(models: Sequence["CheckedModel"]) -> str:
    return aligned(
        ("model", "package", "size", "sha256", "works"),
        *(
            (
                each.name or _MISSING,
                each.package or _MISSING,
                f"{each.size / 1e6:.1f} MB" if each.size else _MISSING,
                each.sha256[:12] or _MISSING,
                "no" if each.problem else f"yes: {each.output}" if each.right else "yes",
            )
            for each in models
        ),
    )
