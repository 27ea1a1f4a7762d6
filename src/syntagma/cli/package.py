"""`syntagma package`: writes a model as a package that pip installs."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from syntagma.cli import options
from syntagma.cli.output import tell

MAX_TEXT = 16 << 20  # characters of a licence, or of figures


def package(
    model: options.ModelArgument,
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder of the package.")],
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name by which the installed model is loaded. Default: that of the model.",
        ),
    ] = None,
    version: Annotated[str, typer.Option(metavar="N.N", help="Version of the package.")] = "1.0.0",
    figures: Annotated[
        list[Path] | None,
        typer.Option(
            help="Figures for the model card, a file of `evaluate --json`; repeatable. Default: "
            "those of training."
        ),
    ] = None,
    licence_file: Annotated[
        Path | None, typer.Option(help="Text of the licence, to be part of the package.")
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Write a model as a package that pip installs.

    The folder holds the model, a model card and the licence. Once it is installed, the model is
    loaded by its name, as in `syntagma order --model NAME`. The card takes licence, attribution and
    data from the model: see --licence and --attribution of `syntagma train`.

    \b
    A package of a model of your own, and its installation:
        syntagma package my.syntagma --output my-package --name klingon
        pip install ./my-package
        syntagma order --model klingon WORDS
    With figures of its test set, and the text of its licence:
        syntagma evaluate --model ./my.syntagma --data test.conllu --json test.json
        syntagma package my.syntagma --output my-package --figures test.json \\
            --licence-file LICENSE.txt
    """
    from syntagma.models.packaging import package as write_package

    distribution = write_package(
        model,
        output,
        name=name,
        version=version,
        figures=[_read_record(file) for file in figures or ()],
        licence_text=None if licence_file is None else _read_text(licence_file),
    )
    tell(f"{output}: {distribution} {version}; to install it: pip install {_path(output)}")


def _path(folder: Path) -> str:
    """A folder as pip takes it: not as the name of a distribution."""
    return str(folder) if len(folder.parts) > 1 else f"./{folder}"


def _read_record(path: Path) -> Any:
    from syntagma.errors import FormatError

    try:
        return json.loads(_read_text(path))
    except ValueError as error:
        raise FormatError("not JSON: give a file of `syntagma evaluate --json`", str(path)) from (
            error
        )


def _read_text(path: Path) -> str:
    from syntagma.errors import FormatError

    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(MAX_TEXT + 1)
        if len(text) > MAX_TEXT:
            raise FormatError(f"more than {MAX_TEXT >> 20} MiB of text, the limit", str(path))
        return text
    except UnicodeDecodeError as error:
        raise FormatError("not text in UTF-8", str(path)) from error
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", str(path)) from error
