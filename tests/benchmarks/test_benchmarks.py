"""What all benchmarks share: the machine unit, records, tables, plots."""

from __future__ import annotations

import doctest
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import gains
import machine
import plots
import pytest
import records
import speed

import syntagma

UNIT = [sys.executable, "-c", "print('machine unit: 20.0 ms')"]


@pytest.mark.parametrize("module", [gains, plots, records])
def test_examples_in_docstrings(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert tried
    assert not failed


def test_the_unit_is_read_from_what_a_command_prints() -> None:
    assert machine.parse_unit("machine unit: 21.4 ms\n") == 21.4
    assert machine.parse_unit("90 ms") == 90
    with pytest.raises(SystemExit, match="not a number of ms"):
        machine.parse_unit("fast")


def test_units_are_taken_before_between_and_after() -> None:
    unit = machine.Unit(UNIT)
    assert unit.around(lambda: "done") == ("done", [20.0, 20.0])
    assert machine.divided(5.0, [20.0, 30.0]) == "0.200"
    note = machine.units_note({"none": [20.0, 21.0], "pos": [21.0, 22.0]})
    assert note == "machine unit before, between and after none, pos: 20.0 21.0 22.0 ms"


def test_without_a_unit_there_is_no_ratio_and_a_note_says_why() -> None:
    assert machine.Unit([]).around(lambda: "done") == ("done", [])
    assert machine.divided(5.0, []) == "-"
    assert "no machine unit" in machine.units_note({"none": []})


def test_a_unit_command_that_is_missing_or_fails_is_named() -> None:
    with pytest.raises(SystemExit, match="no such command: none-such"):
        machine.Unit(["none-such"]).take()
    with pytest.raises(SystemExit, match="failed"):
        machine.Unit([sys.executable, "-c", "raise SystemExit(3)"]).take()


@pytest.mark.slow
def test_a_fresh_process_is_measured(model: Path) -> None:
    assert 10 < machine.peak_megabytes(model, [["a", "b"], ["two words", "c"]], beam=1) < 1000


def test_mean_lengths_by_class() -> None:
    assert records.mean_lengths([1, 10, 11, 20, 41, 59]) == [5.5, 15.5, None, None, 50]


def test_models_go_by_their_scorers_if_that_tells_them_apart(model: Path) -> None:
    neural = syntagma.load(model)
    assert records.labels([neural]) == ["neural"]
    assert records.labels([neural, neural]) == ["toy (neural)", "toy (neural)"]


def test_a_table_as_markdown() -> None:
    table = records.Table("toy", "given", [("linear", ("BLEU", "ms"))], [["none", "1.0"]], ["n"])
    assert table.markdown() == (
        "toy\n\n| given | linear: BLEU | ms |\n| --- | ---: | ---: |\n| none | 1.0 |  |\n\n- n\n"
    )


def test_labels_of_lines_are_spread() -> None:
    places = [3.0, 3.0, 50.0, 2.0, 49.0]
    moved = plots.spread(places, gap=12.0, most=50.0)
    assert moved[4] < moved[2] <= 50
    assert all(b - a >= 12 for a, b in pairwise(sorted(moved)))


def test_growth_is_told_as_an_exponent() -> None:
    assert [line.split("n^")[-1] for line in speed.growth_lines({10: 1.0, 20: 4.0}, [])][
        1
    ] == "2.00"
