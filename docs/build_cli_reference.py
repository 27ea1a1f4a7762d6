"""Writes docs/reference/cli.md from the commands: `make docs`. A test fails when it is stale."""

import inspect
from itertools import groupby
from pathlib import Path
from textwrap import fill

import typer.main

from syntagma.cli.app import build_command_line

TARGET = Path(__file__).with_name("reference") / "cli.md"
WIDTH = 100

INTRODUCTION = """\
# Command line

<!-- Written by docs/build_cli_reference.py: change the commands, then run `make docs`. -->

Exit codes: 0 done; 2 bad input, bad usage or a file that cannot be read or written (one line
`error: …` on standard error); 1 a bug in Syntagma; 130, 143, 129 ended by SIGINT, SIGTERM,
SIGHUP. `--debug` adds the traceback.
"""


def reference() -> str:
    """The whole page: every command with its text, arguments and options."""
    group = typer.main.get_command(build_command_line())
    sections = [INTRODUCTION]
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        sections.append(
            f"## syntagma {name}\n\n{_markdown(inspect.cleandoc(command.callback.__doc__))}"
        )
        sections.append("\n".join(_parameter(each) for each in command.params) + "\n")
    return "\n".join(sections)


def _markdown(text: str) -> str:
    """Help text as Markdown: what click must not wrap becomes headings and code."""
    blocks = []
    for block in text.split("\n\n"):
        if not block.startswith("\b\n"):
            blocks.append(block)
            continue
        for is_code, lines in groupby(block.splitlines()[1:], _is_code):
            text = "\n".join(line.removeprefix("    ") for line in lines)
            blocks.append(f"```console\n{text}\n```" if is_code else text)
    return "\n\n".join(blocks) + "\n"


def _is_code(line: str) -> bool:
    return line.startswith(("    ", "syntagma "))


def _parameter(parameter: object) -> str:
    opts: list[str] = getattr(parameter, "opts", [])
    metavar: str = getattr(parameter, "metavar", None) or ""
    text: str = getattr(parameter, "help", "") or ""
    default = getattr(parameter, "default", None)
    names = ", ".join(f"`{name}`" for name in opts if name.startswith("-"))
    shown = f"{names} `{metavar}`" if names and metavar else names or f"`{metavar}`"
    if default not in (None, "", False, []):
        text += f" Default: `{default}`."
    return fill(
        f"- {shown}: {text}",
        WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
