"""Findings: a folder for each, with the input, the circumstances and what was printed."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Finding:
    """A case that broke something."""

    target: str
    seed: int
    number: int
    what: str  # one line: the exception, the signal, or the limit that was reached
    printed: str  # traceback or standard error


def save(finding: Finding, data: bytes, folder: Path) -> Path:
    """Write a finding to a folder of its own in `folder`."""
    place = folder / f"{finding.target.replace('/', '-')}-{finding.seed}-{finding.number}"
    place.mkdir(parents=True, exist_ok=True)
    (place / "input").write_bytes(data)
    (place / "printed.txt").write_text(finding.printed, encoding="utf-8", errors="replace")
    about = {name: value for name, value in asdict(finding).items() if name != "printed"}
    (place / "finding.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return place


def replay_command(place: Path) -> str:
    return f"{Path(sys.executable).name} -m fuzzing --replay {place}"


def target_of(place: Path) -> str:
    """The target of a saved finding."""
    return str(json.loads((place / "finding.json").read_text(encoding="utf-8"))["target"])
