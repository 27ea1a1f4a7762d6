"""Fits the settings of a judge on a development set: what `fit-judge` does. They are stored by
`judges/settings`.

Each problem is searched once, with as many results as a judge may ever choose from. What it would
choose with other weights, or from fewer, follows from the scores and log-probabilities of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from syntagma.errors import ProblemError, SyntagmaError, TrainingError
from syntagma.evaluation.bleu import bleu
from syntagma.judges.judging import KINDS, PART, GradualModel, JudgeSettings, Share
from syntagma.judges.opening import open_judge
from syntagma.judges.settings import StoredSettings, write_settings
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.loading import load_model, model_path
from syntagma.request import Request
from syntagma.results.linearization import Linearization
from syntagma.treebanks.conditions import CONDITIONS, constrain, sentence_rng
from syntagma.treebanks.treebank import Sentence, as_sentences

WEIGHTS: Final = (0, 0.1, 0.2, 0.3, 0.5, 0.8, 1, 1.25, 1.5, 2, 3)
POOLS: Final = (1, 2, 4, 8, 16, 32, 64)
LEADS: Final = (1, 2, 3, 4, 6, math.inf)
POOL_LOSS: Final = 0.1  # of BLEU, for which a smaller pool is taken
LEAD_LOSS: Final = 0.05  # for which fewer trees are judged
TREES: Final = ("labelled", "tree")

# What the problems of a kind give.
CONDITIONS_OF: Final = {
    "labelled": ("labelled",),
    "tree": ("tree",),
    "some": ("pos", "half"),
    "none": ("none",),
}
PROBLEMS: Final = sum(map(len, CONDITIONS_OF.values()))  # of a sentence
_POOL: Final = {"labelled": 16, "tree": 16, "some": 64, "none": 64}  # the largest
_READ: Final = {"labelled": 12, "tree": 12, "some": 32, "none": 32}  # at most
WIDEST: Final = JudgeSettings(
    **{kind: Share(1.0, pool, pool) for kind, pool in _POOL.items()}, lead=math.inf
)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The results of a problem, by their scores without the judge, with its log-probabilities."""

    reference: str
    texts: tuple[str, ...]
    scores: npt.NDArray[np.float64]
    log_probs: npt.NDArray[np.float64]

    def choose(self, share: Share, lead: float) -> str:
        """What a judge makes of them that reads the whole pool."""
        if len(self.texts) < 2 or self.scores[0] - self.scores[1] > lead:
            return self.texts[0]
        pool = slice(share.pool)
        return self.texts[int(np.argmax(self.scores[pool] + share.weight * self.log_probs[pool]))]


@dataclass(frozen=True, slots=True)
class KindFigures:
    """The BLEU of one kind of problems, by the scores of the model alone and as judged."""

    kind: str
    without: float
    judged: float
    share: Share


@dataclass(frozen=True, slots=True)
class JudgeFit:
    """Settings, the figures that they were chosen by, and the number of problems that were left
    out, because the model or the judge cannot read them."""

    settings: JudgeSettings
    figures: tuple[KindFigures, ...]
    left_out: int


def fit_settings(
    linearizer: Linearizer,
    dev: Sequence[Sentence],
    *,
    seed: int = 1,
    threads: int = 1,
    on_problem: Callable[[], None] = lambda: None,
) -> JudgeFit:
    """The best settings of the judge of a linearizer, which was opened with the settings
    `WIDEST`."""
    if not all(sentence.heads for sentence in dev):
        raise TrainingError("a judge is fitted on trees: give a treebank in CoNLL-U")
    left_out = 0
    candidates: dict[str, list[Candidates]] = {kind: [] for kind in KINDS}
    for kind, names in CONDITIONS_OF.items():
        for name in names:
            for found in _search(linearizer, dev, kind, name, seed, threads):
                if found is None:
                    left_out += 1
                else:
                    candidates[kind].append(found)
                on_problem()
        if not candidates[kind]:
            raise TrainingError("the treebank has no sentence that the judge can read")
    return best_settings(candidates, left_out)


def best_settings(candidates: dict[str, list[Candidates]], left_out: int = 0) -> JudgeFit:
    """The settings of the best BLEU on these candidates of each kind; of equal ones, the first."""
    shares = {kind: _share(kind, candidates[kind]) for kind in KINDS}

    def judged(kind: str, lead: float) -> float:
        return _bleu(candidates[kind], shares[kind], lead)

    read = [kind for kind in KINDS if shares[kind].pool > 1]
    # Where no tree is judged, the trees cannot say.
    asked = [kind for kind in read if kind in TREES] or read
    free = {kind: judged(kind, math.inf) for kind in asked}
    lead = next(
        each for each in LEADS if all(judged(kind, each) >= free[kind] - LEAD_LOSS for kind in free)
    )
    alone = Share(0.0, 1, 1)
    figures = [
        KindFigures(
            kind, _bleu(candidates[kind], alone, math.inf), judged(kind, lead), shares[kind]
        )
        for kind in KINDS
    ]
    return JudgeFit(JudgeSettings(**shares, lead=lead), tuple(figures), left_out)


def _share(kind: str, candidates: Sequence[Candidates]) -> Share:
    largest = _POOL[kind]
    shares = [Share(float(weight), largest, largest) for weight in WEIGHTS]
    weight = max(shares, key=lambda share: _bleu(candidates, share, math.inf)).weight
    pools = [Share(weight, pool, min(pool, _READ[kind])) for pool in POOLS if pool <= largest]
    found = [_bleu(candidates, share, math.inf) for share in pools]
    least = max(found) - POOL_LOSS
    return next(share for share, value in zip(pools, found, strict=True) if value >= least)


def _bleu(candidates: Sequence[Candidates], share: Share, lead: float) -> float:
    outputs = [each.choose(share, lead) for each in candidates]
    return bleu(outputs, [each.reference for each in candidates])


def _search(
    linearizer: Linearizer,
    dev: Sequence[Sentence],
    kind: str,
    condition: str,
    seed: int,
    threads: int,
) -> Iterable[Candidates | None]:
    """The candidates of each sentence; None if it cannot be ordered or judged."""
    assert linearizer.judge is not None
    # A model that cannot guess reads those of the highest scores, and no others.
    most = None if isinstance(linearizer.judge.model, GradualModel) else _READ[kind]
    problems = [
        constrain(sentence, CONDITIONS[condition], sentence_rng(seed, index))
        for index, sentence in enumerate(dev)
    ]
    request = Request(n_best=_POOL[kind], max_words=linearizer.max_words)
    results = linearizer.solve(problems, request, threads=threads, on_error="yield")
    for sentence, found in zip(dev, results, strict=True):
        if isinstance(found, ProblemError):
            yield None
        elif isinstance(found, SyntagmaError):
            raise found
        else:
            yield _candidates(" ".join(sentence.forms), found, most)


def _candidates(reference: str, found: list[Linearization], most: int | None) -> Candidates:
    rows = []
    for each in found:
        value = dict(each.judged).get(PART, 0.0)  # its weight was 1; none if there is one order
        rows.append((each.score - value, value, each.text))
    rows.sort(key=lambda row: (-row[0], row[2]))
    scores, log_probs, texts = zip(*rows[:most], strict=True)
    return Candidates(reference, texts, np.array(scores), np.array(log_probs))


def fit_judge(
    judge: str,
    dev: Sequence[Sentence],
    output: Path,
    *,
    model: str | Path = "en",
    seed: int = 1,
    threads: int = 1,
    on_problem: Callable[[], None] = lambda: None,
) -> JudgeFit:
    """Fit the settings of a judge, given as `load` takes it, to a model, and write them."""
    dev = as_sentences(dev, "dev")
    if not dev:
        raise TrainingError("the treebank has no sentences")
    path = model_path(model)
    loaded = load_model(path)
    opened = open_judge(judge, settings=WIDEST)
    linearizer = Linearizer(loaded, path, opened)
    fitted = fit_settings(linearizer, dev, seed=seed, threads=threads, on_problem=on_problem)
    stored = StoredSettings(opened.digest, linearizer.info.name, fitted.settings)
    write_settings(output, stored)
    return fitted
