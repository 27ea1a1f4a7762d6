"""`syntagma info`: describes a model by its header."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from syntagma.cli import options
from syntagma.cli.output import write_stdout


def info(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="Name of a shipped model, or a model file.")
    ] = "en",
    debug: options.Debug = False,
) -> None:
    """Describe a model: data, licence, figures, settings, size.

    \b
    The default model, another shipped model, and a model file:
        syntagma info
        syntagma info en-best-first
        syntagma info ./my.syntagma
    """
    from syntagma.files.fingerprint import fingerprint
    from syntagma.linearizer.linearizer import read_info

    about = read_info(model)
    lines = [
        *describe(about.header),
        ("file", str(about.path or "-")),
        ("size", f"{about.size / 1e6:.1f} MB"),
    ]
    if about.path is not None:
        lines.append(("sha256", fingerprint(about.path)))
    width = max(len(name) for name, _ in lines)
    write_stdout("".join(f"{name:<{width}}  {value}\n" for name, value in lines))


def describe(header: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The header as pairs of name and value: one per key, or per member of a list of objects. The
    model that training started from and the language model are described by their own keys."""
    for key, value in header.items():
        name = key.replace("_", " ")
        if key == "templates":
            yield name, str(len(value))
        elif key in ("start", "language_model"):
            yield from ((f"{name} {inner}", text) for inner, text in describe(value))
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            for entry in value:
                yield name, _plain(entry)
        else:
            yield name, _plain(value)


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        between = "; " if any(isinstance(each, list) for each in value.values()) else ", "
        return between.join(f"{key} {_plain(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) or "-"
