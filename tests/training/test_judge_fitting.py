"""Fitting a judge: what is chosen from candidates, and from a search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from toys.models import model_of, toy_linearizer

from syntagma.errors import ModelError, ProblemError, TrainingError
from syntagma.judges.judging import KINDS, JudgeSettings, Share
from syntagma.judges.opening import open_judge
from syntagma.judges.settings import StoredSettings, read_settings
from syntagma.linearizer.linearizer import Linearizer
from syntagma.training import judge_fitting
from syntagma.training.judge_fitting import (
    PROBLEMS,
    WIDEST,
    Candidates,
    JudgeFit,
    best_settings,
    fit_judge,
    fit_settings,
)
from syntagma.treebanks.treebank import Sentence

REFERENCE = "a b c d e f g"


def candidates(
    gold: int | None, *, count: int = 16, lead: float = 0.5, log_prob: float = 2.0
) -> Candidates:
    """The one at `gold` is right; the first has this lead, the judge prefers the right one."""
    rng = Random(f"{gold} {count}")
    wrong = [" ".join(rng.sample(REFERENCE.split(), 7)) for _ in range(count)]
    scores = -lead - 0.01 * np.arange(count, dtype=np.float64)
    scores[0] = 0.0
    log_probs = np.full(count, -10.0)
    if gold is not None:
        wrong[gold] = REFERENCE
        log_probs[gold] += log_prob
    return Candidates(REFERENCE, tuple(wrong), scores, log_probs)


def chosen(**kinds: list[Candidates]) -> JudgeFit:
    return best_settings({kind: kinds.get(kind, [candidates(0)]) for kind in KINDS})


def test_the_smallest_weight_and_pool_that_are_best() -> None:
    # 2 * weight must exceed 0.5 + 0.01 * 5: the weight is 0.3; the right one is the sixth.
    fitted = chosen(tree=[candidates(5)] * 3, none=[candidates(40, count=64)] * 3)
    assert fitted.settings.tree == Share(0.3, 8, 8)
    assert fitted.settings.none == Share(0.5, 64, 32)
    assert fitted.settings.labelled == Share(0.0, 1, 1)  # where the first is always right
    figures = {each.kind: each for each in fitted.figures}
    assert list(figures) == list(KINDS)
    assert figures["tree"].judged == pytest.approx(100)
    assert figures["tree"].without < 50
    assert figures["labelled"].without == figures["labelled"].judged == pytest.approx(100)


def test_a_judge_that_errs_has_no_weight() -> None:
    fitted = chosen(**{kind: [candidates(0, log_prob=-9)] * 2 for kind in KINDS})
    assert {getattr(fitted.settings, kind) for kind in KINDS} == {Share(0.0, 1, 1)}


@pytest.mark.parametrize(("ahead", "lead"), [(0.5, 1), (2.5, 3), (5.5, 6), (7, math.inf)])
def test_the_smallest_lead_that_loses_nothing(ahead: float, lead: float) -> None:
    far = [candidates(2, lead=ahead, log_prob=30)] * 2
    assert chosen(tree=far).settings.lead == lead
    assert chosen(none=far).settings.lead == lead  # no tree is judged
    near = [candidates(2)] * 2
    assert chosen(labelled=far, tree=near).settings.lead == lead
    assert chosen(labelled=near, none=far).settings.lead == 1


class Remembering:
    """Likes the sentences that it knows; refuses those with a word."""

    def __init__(self, *known: str, refused: str = "-", error: type[Exception] = ProblemError):
        self.known, self.refused, self.error = known, refused, error

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        if any(self.refused in each for each in sentences):
            raise self.error("too long")
        return [0.0 if each in self.known else -40.0 for each in sentences]


def gold(*bag: str, place: int = 2) -> Sentence:
    """An order that the search finds, though not as the best."""
    found = toy_linearizer().order(list(bag), beam=256, n_best=64)[place]
    labels = [token.deprel for token in found.tokens]
    return Sentence(found.words, ("A",) * len(bag), tuple(found.heads), tuple(labels))


GOLD = [gold("w2", "w5", "w1", "w4"), gold("w7", "w3", "w8"), gold("w6", place=0)]


def wide(judge: object) -> Linearizer:
    linearizer = toy_linearizer()
    opened = open_judge(judge, settings=WIDEST)  # type: ignore[arg-type]
    return Linearizer(model_of(linearizer), None, opened)


SENTENCES = [
    toy_linearizer().spell(found).text
    for each in GOLD
    for found in toy_linearizer().order(list(each.forms), beam=256, n_best=64)
    if found.words == each.forms
]


def test_fitting_on_a_treebank() -> None:
    judge = Remembering(*SENTENCES)
    ticks: list[None] = []
    fitted = fit_settings(wide(judge), GOLD, on_problem=lambda: ticks.append(None))
    assert len(ticks) == PROBLEMS * len(GOLD)
    assert fitted.left_out == 0
    for each in fitted.figures:
        assert each.judged >= each.without
        assert getattr(fitted.settings, each.kind) == each.share
    bags = fitted.figures[-1]
    assert bags.kind == "none"
    assert bags.judged == pytest.approx(100)
    assert bags.without < 99
    assert bags.share.weight > 0
    for threads in (1, 2):
        assert fit_settings(wide(judge), GOLD, threads=threads) == fitted


def test_problems_that_cannot_be_judged_are_left_out() -> None:
    fitted = fit_settings(wide(Remembering(refused="7")), GOLD)
    assert 0 < fitted.left_out <= PROBLEMS
    with pytest.raises(TrainingError, match="has no sentence that the judge can read"):
        fit_settings(wide(Remembering(refused="")), GOLD[:2])
    with pytest.raises(ModelError, match="failed"):
        fit_settings(wide(Remembering(refused="7", error=RuntimeError)), GOLD)


def test_a_model_that_cannot_guess_chooses_from_what_it_reads() -> None:
    found = toy_linearizer().order([f"w{number}" for number in range(1, 9)], beam=256, n_best=64)
    assert len(found) > 32
    row = judge_fitting._candidates("", list(found), 32)
    assert len(row.texts) == len(row.scores) == len(row.log_probs) == 32
    assert list(row.scores) == sorted(row.scores, reverse=True)
    assert row.scores[0] == max(each.score for each in found)


def test_sentences_without_trees_are_refused() -> None:
    with pytest.raises(TrainingError, match="a judge is fitted on trees"):
        fit_settings(wide(Remembering()), [Sentence(("w1", "w2"))])
    with pytest.raises(TrainingError, match="has no sentences"):
        fit_judge("smollm2", [], Path("new"))


def test_settings_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[JudgeSettings | None] = []

    def open_toy(judge: str, *, settings: JudgeSettings) -> object:
        opened.append(settings)
        return replace(open_judge(Remembering(), settings=settings), digest="ab")

    monkeypatch.setattr(judge_fitting, "open_judge", open_toy)
    gold = [Sentence(("Dogs", "bark"), ("NNS", "VBP"), (2, 0), ("nsubj", "root"))]
    output = tmp_path / "new.json"
    output.write_text("stale")
    fitted = fit_judge("my.gguf", gold, output)
    assert opened == [WIDEST]
    assert read_settings(output) == StoredSettings("ab", "en", fitted.settings)
