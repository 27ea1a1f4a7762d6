"""The benchmark that removes parts of the language model, on a toy treebank."""

from __future__ import annotations

import json
from pathlib import Path

import fluency
import plots
import pytest
from toys.benchmark_runs import call, needs_matplotlib, toy_forms
from toys.models import model_of

import syntagma
from syntagma.errors import ModelError
from syntagma.problem.problem import Problem
from syntagma.transition.encoding import encode


def test_parts_are_taken_out_of_a_model(model: Path, fluent: Path) -> None:
    variants = fluency.variants(str(fluent))
    problem = Problem.of(["The", "cook", "saw", "boats"])
    encoding = encode(problem, model_of(variants["all parts"]).vocabulary)
    searches = {}
    for name, each in variants.items():
        [searches[name]] = model_of(each).scorer.searches([encoding], [4], [None])
    unmerged = [name for name, search in searches.items() if not search.merging]
    assert unmerged == ["no merging", "none of them"]
    # A beam that holds everything finds the same, whatever it expects and merges.
    wide = {name: each.order(problem, beam=1024) for name, each in variants.items()}
    with_lm, without = syntagma.load(fluent), syntagma.load(model)
    for name in ("all parts", "no merging", "no future cost"):
        assert wide[name].score == pytest.approx(with_lm.order(problem, beam=1024).score), name
    for name in ("no language model", "none of them"):
        assert wide[name].score == pytest.approx(without.order(problem, beam=1024).score), name
    assert wide["all parts"].score != wide["none of them"].score


def test_what_the_language_model_expects_guides_a_narrow_beam(fluent: Path) -> None:
    variants = fluency.variants(str(fluent))
    problems = [Problem.of(forms) for forms in toy_forms()]
    found = {
        name: [variants[name].order(problem, beam=2).words for problem in problems]
        for name in ("all parts", "no future cost")
    }
    assert found["all parts"] != found["no future cost"]


def test_fluency_needs_a_language_model(model: Path) -> None:
    with pytest.raises(ModelError, match=r"toy\.syntagma: a model without a language model"):
        fluency.variants(str(model))


@pytest.mark.slow
@needs_matplotlib
def test_fluency(
    fluent: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plot, again, record, page = (tmp_path / name for name in ("a.svg", "b.svg", "f.json", "f.md"))
    options = ["--limit", 4, "--beams", 1, 4, "--unit-command", "echo 20.0 ms"]
    files = ["--plot", plot, "--json", record, "--markdown", page]
    call(monkeypatch, "fluency.py", fluent, "--data", treebank, *options, *files)
    fluency.main()
    printed = capsys.readouterr().out
    assert "no future cost" in printed
    assert "pos, none of them: machine unit" in printed
    assert "variant:all parts/no merging/" in printed
    rows = [line.split("|")[1].strip() for line in page.read_text().splitlines() if "|" in line]
    assert rows[2:6] == ["none, 1", "none, 4", "pos, 1", "pos, 4"]
    assert len(json.loads(record.read_text())["series"]) == 10
    call(monkeypatch, "plots.py", record, again)
    plots.main()
    assert plot.read_bytes() == again.read_bytes()
    assert "given: pos" in plot.read_text()
