"""The notebooks run from top to bottom, and are committed with the outputs of such a run."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def load_script() -> ModuleType:
    pytest.importorskip("nbclient", reason="nbclient is not installed (pip install '.[dev]')")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed (pip install '.[dev]')")
    spec = importlib.util.spec_from_file_location("execute_notebooks", FOLDER / "execute.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def what_it_shows(notebook: Any) -> list[tuple[str, str]]:
    """Each cell with its outputs; the last digits of scores may differ from machine to machine."""
    return [
        (cell.source, re.sub(r"(\.\d\d)\d+", r"\1", json.dumps(cell.outputs, sort_keys=True)))
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_those_of_a_run_from_top_to_bottom(path: Path) -> None:
    script = load_script()
    committed, now = script.read(path), script.execute(path)
    for (source, before), (_, after) in zip(
        what_it_shows(committed), what_it_shows(now), strict=True
    ):
        assert after == before, f"{path.name} is stale, run `make notebooks`: {source}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_were_run_in_order_without_error(path: Path) -> None:
    cells = [cell for cell in load_script().read(path).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_pictures_are_pictures_for_those_who_remove_svg_from_html(path: Path) -> None:
    cells = load_script().read(path).cells
    shown = [set(each.get("data", ())) for cell in cells for each in cell.get("outputs", ())]
    pictures = [formats for formats in shown if "image/svg+xml" in formats]
    assert pictures
    assert not any("text/html" in formats for formats in shown)


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
