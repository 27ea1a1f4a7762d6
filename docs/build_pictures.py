"""Writes the pictures that pages show of their own commands: `make docs`. A test fails when stale.

A command on a page that ends with `> NAME.svg` makes docs/images/NAME.svg.
"""

import io
import re
import shlex
from contextlib import chdir, redirect_stdout
from pathlib import Path

from syntagma.cli.app import run

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
PAGES = (ROOT / "README.md", ROOT / "docs" / "guide" / "pictures.md")
COMMAND = re.compile(r"^\$ syntagma (.+(?:\\\n.+)*) > ([\w-]+\.svg)$", re.MULTILINE)


def commands() -> dict[str, list[str]]:
    """The arguments that make each picture, by its name."""
    return {
        name: shlex.split(command.replace("\\\n", " "))
        for page in PAGES
        for command, name in COMMAND.findall(page.read_text(encoding="utf-8"))
    }


def picture(arguments: list[str]) -> str:
    """What the command prints."""
    printed = io.StringIO()
    with chdir(ROOT), redirect_stdout(printed):
        code = run(arguments)
    if code:
        raise SystemExit(code)
    return printed.getvalue()


if __name__ == "__main__":
    for name, arguments in commands().items():
        (IMAGES / name).write_text(picture(arguments), encoding="utf-8")
