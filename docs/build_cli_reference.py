"""Writes docs/reference/cli.md from the commands themselves: `make docs`. A test fails when it is stale."""

import inspect
from pathlib import Path

import typer.main

from syntagma.cli import app

TARGET = Path(__file__).with_name("reference") / "cli.md"

INTRODUCTION = """\
# Command line

<!-- Written by docs/build_cli_reference.py: change the commands, then run `make docs`. -->

Exit codes: 0 done; 2 bad input, bad usage or a file that cannot be read or written (one line
`error: …` on standard error); 1 a bug in Syntagma; 130 interrupted. `--debug` adds the traceback.
"""


def reference() -> str:
    """The whole page: every command with its text, arguments and options."""
    group = typer.main.get_command(app)
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
        lines = block.splitlines()[1:]
        code: list[str] = []
        for line in [*lines, ""]:
            if line.startswith(("    ", "syntagma ")):
                code.append(line.removeprefix("    "))
                continue
            if code:
                blocks.append("\n".join(["```console", *code, "```"]))
                code = []
            if line:
                blocks.append(line)
    return "\n\n".join(blocks) + "\n"


def _parameter(parameter: object) -> str:
    opts: list[str] = getattr(parameter, "opts", [])
    metavar: str = getattr(parameter, "metavar", None) or ""
    text: str = getattr(parameter, "help", "") or ""
    default = getattr(parameter, "default", None)
    names = ", ".join(f"`{name}`" for name in opts if name.startswith("-"))
    shown = f"{names} `{metavar}`" if names and metavar else names or f"`{metavar}`"
    if default not in (None, "", False, []):
        text += f" Default: `{default}`."
    return f"- {shown}: {text}"


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
