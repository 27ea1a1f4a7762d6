"""What a treebank says about its licence and its authors, for the header of its model.

Treebanks of Universal Dependencies state both in the machine-readable lines at the end of README.md
(or .txt), and bring the text of the licence along as LICENSE.txt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_STATED = re.compile(r"^(License|Contributors): *(\S.*?) *$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Licence:
    """The licence of a treebank; empty where the treebank states nothing."""

    name: str = ""
    authors: str = ""
    text: str | None = None


def read_licence(folder: Path) -> Licence:
    """What the files of a treebank's folder state."""
    readme = _text(folder / "README.md") or _text(folder / "README.txt") or ""
    stated = dict(_STATED.findall(readme))
    return Licence(
        stated.get("License", ""), stated.get("Contributors", ""), _text(folder / "LICENSE.txt")
    )


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
