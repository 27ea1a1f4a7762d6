"""Data outside of the repository: the folder that `SYNTAGMA_DATA` names, and what stands beside it.

Tests that need some of it are skipped where it is missing. The Makefiles name the same variable.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SYNTAGMA_DATA") or ROOT.parent / "shared" / "data")

UD = DATA / "ud"
EWT_DEV = UD / "en_ewt" / "en_ewt-ud-dev.conllu"
CCG = DATA / "ccg" / "en_ewt"
CCG_DEV = CCG / "en_ewt-ud-dev.auto"
CRAFT = DATA / "constituency" / "craft.trees.xz"

PAPERS = DATA.parent / "papers"  # their texts
MACHINE_UNIT = DATA.parent / "tools" / "machine-unit"  # prints the unit of `machine`
