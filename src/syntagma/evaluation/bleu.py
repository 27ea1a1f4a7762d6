"""Corpus BLEU by sacrebleu, and whether two systems differ by more than chance.

Measuring a model on a treebank is done in `evaluate`; the shared task's own BLEU is in
`shared_task`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from syntagma.arguments import as_integer, check_range
from syntagma.errors import ArgumentError, shown

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

MAX_SAMPLES = 100_000

BleuTokenizer = Literal["none", "13a"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference in BLEU and its confidence interval."""

    difference: float
    low: float
    high: float
    confidence: float


def bleu_metric(
    tokenize: BleuTokenizer = "none", *, lowercase: bool = False, sentence: bool = False
) -> "BLEU":
    """sacrebleu's metric; by default words are separated by spaces, and case matters.

    13a splits words as the script mteval-v13a does. For single sentences, orders of n-grams of
    which a sentence is too short to have any are left out ("effective order").
    """
    # Imported when needed: importing it takes as long as ordering a short bag.
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=tokenize, lowercase=lowercase, force=True, effective_order=sentence)


def bleu(outputs: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU by sacrebleu on words separated by spaces, cased."""
    return float(bleu_metric().corpus_score(outputs, [references]).score)


def paired_bootstrap(
    outputs_a: Sequence[str],
    outputs_b: Sequence[str],
    references: Sequence[str],
    *,
    samples: int = 1000,
    confidence: float = 0.95,
    seed: int = 1,
) -> Interval:
    """How many points of BLEU `outputs_b` gain over `outputs_a`, with a paired bootstrap interval.

    Both systems are scored on the same resampled test sets (Koehn 2004). If the interval does not
    contain 0, the difference is significant: the choice of test sentences does not explain it.
    """
    for texts in (outputs_a, outputs_b, references):
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            raise ArgumentError(f"outputs and references are lists of texts, not {shown(texts)}")
        for text in texts:
            if not isinstance(text, str):
                raise ArgumentError(f"outputs and references are texts, not {shown(text)}")
    if not len(outputs_a) == len(outputs_b) == len(references) or not references:
        raise ArgumentError(
            "a paired comparison needs as many outputs of each system as references"
        )
    samples = check_range("samples", samples, MAX_SAMPLES)
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise ArgumentError(f"confidence must be between 0 and 1, not {shown(confidence)}")
    if as_integer(seed) is None or seed < 0:
        raise ArgumentError(f"seed must be an integer of at least 0, not {shown(seed)}")
    statistics = [_statistics(outputs, references) for outputs in (outputs_a, outputs_b)]
    size = len(references)
    random = np.random.default_rng(seed)
    differences = np.empty(samples)
    for sample in range(samples):
        weights = random.multinomial(size, np.full(size, 1 / size))
        a, b = (_bleu_of(weights @ matrix) for matrix in statistics)
        differences[sample] = b - a
    tail = 50 * (1 - confidence)
    low, high = np.percentile(differences, [tail, 100 - tail])
    whole_a, whole_b = (_bleu_of(matrix.sum(axis=0)) for matrix in statistics)
    return Interval(whole_b - whole_a, float(low), float(high), confidence)


def _statistics(outputs: Sequence[str], references: Sequence[str]) -> Any:
    """The counts that BLEU adds up, a row per sentence: matches, n-grams, lengths."""
    metric = bleu_metric(sentence=True)
    rows = []
    for output, gold in zip(outputs, references, strict=True):
        score = metric.sentence_score(output, [gold])
        rows.append([*score.counts, *score.totals, score.sys_len, score.ref_len])
    return np.array(rows, dtype=np.int64)


def _bleu_of(row: Any) -> float:
    from sacrebleu.metrics.bleu import BLEU

    counts = [int(value) for value in row]
    score = BLEU.compute_bleu(counts[:4], counts[4:8], counts[8], counts[9], smooth_method="exp")
    return float(score.score)
