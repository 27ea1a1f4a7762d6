"""Corpus BLEU by sacrebleu, and whether systems differ by more than chance.

Measuring a model on a treebank is done in `evaluate`; the shared task's own BLEU is in
`shared_task`.
"""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from syntagma.arguments import as_integer, check_range
from syntagma.errors import ArgumentError, FormatError, shown
from syntagma.files.reading import open_text, source_name

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


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """Figures of one system of a comparison.

    `mean` ± `half_width` is the 95% interval of BLEU over the resampled test sets. `p` is the
    p-value of the difference from the first system; None for the first system and those of equal
    BLEU, for which sacrebleu always reports the smallest p-value. `lost` counts words of the
    sentences that are missing from the outputs, `added` words that only the outputs have.
    """

    system: str
    bleu: float
    mean: float
    half_width: float
    p: float | None
    exact: float  # percent
    lost: int
    added: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Figures of several systems, the first of which the others are tested against."""

    systems: tuple[SystemFigures, ...]
    signature: str  # of sacrebleu, with seed and number of samples


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


def compare_systems(
    outputs: Mapping[str, Sequence[str]],
    references: Sequence[str],
    *,
    bleu_tokenize: BleuTokenizer = "none",
    lowercase: bool = False,
) -> Comparison:
    """Compare the outputs of systems, by name, and test each against the first one.

    The test is sacrebleu's paired bootstrap resampling, with its number of samples (1000) and its
    seed (12345, or the environment variable SACREBLEU_SEED).

    >>> references = ["the cat sleeps now", "we saw two birds"]
    >>> compared = compare_systems({"a": references, "b": ["now the cat", "we saw two birds"]},
    ...                            references)
    >>> [(each.system, round(each.bleu, 1), each.exact, each.lost) for each in compared.systems]
    [('a', 100.0, 100.0, 0), ('b', 74.1, 50.0, 1)]
    """
    from sacrebleu.significance import PairedTest

    if not isinstance(outputs, Mapping) or not outputs:
        raise ArgumentError(
            f"outputs must be a mapping from systems to texts, not {shown(outputs)}"
        )
    _check_texts(references, *outputs.values())
    test = PairedTest(
        [(name, list(texts)) for name, texts in outputs.items()],
        {"BLEU": bleu_metric(bleu_tokenize, lowercase=lowercase)},
        [list(references)],
        test_type="bs",
    )
    signatures, columns = test()
    results = cast("list[Any]", columns["BLEU"])
    figures = []
    for (name, texts), found in zip(outputs.items(), results, strict=True):
        words = [
            (Counter(output.split()), Counter(gold.split()))
            for output, gold in zip(texts, references, strict=True)
        ]
        figures.append(
            SystemFigures(
                system=name,
                bleu=found.score,
                mean=float(found.mean),
                half_width=float(found.ci),
                p=None if found.score == results[0].score else found.p_value,
                exact=exact_match(texts, references),
                lost=sum((gold - output).total() for output, gold in words),
                added=sum((output - gold).total() for output, gold in words),
            )
        )
    return Comparison(tuple(figures), str(signatures["BLEU"].format()))


def read_outputs(path: str | os.PathLike[str], sentences: int) -> list[str]:
    """The outputs of another system: one tokenised sentence per line, in the order of the data.

    An empty line is an output without words.
    """
    lines = []
    for line in open_text(path):
        if isinstance(line, FormatError):
            raise line
        lines.append(line.strip())
    if len(lines) != sentences:
        raise FormatError(
            f"{len(lines)} lines, but the data have {sentences} sentences: outputs have one line "
            "per sentence, in the order of the data",
            source_name(path),
        )
    return lines


def exact_match(outputs: Sequence[str], references: Sequence[str]) -> float:
    """The percentage of outputs that are their references."""
    equal = sum(output == gold for output, gold in zip(outputs, references, strict=True))
    return 100 * equal / len(references)


def kept_figures(
    outputs: Sequence[str], references: Sequence[str], keep: Sequence[bool], metric: "BLEU"
) -> tuple[int, float | None, float | None]:
    """The number of the sentences to keep, their BLEU and exact match; None if there are none."""
    kept, golds = list(compress(outputs, keep)), list(compress(references, keep))
    if not kept:
        return 0, None, None
    score = float(metric.corpus_score(kept, [golds]).score)
    return len(kept), score, exact_match(kept, golds)


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
    sacrebleu's test (`compare_systems`) has no interval of the difference.
    """
    _check_texts(references, outputs_a, outputs_b)
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


def _check_texts(references: Sequence[str], *systems: Sequence[str]) -> None:
    for texts in (*systems, references):
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            raise ArgumentError(f"outputs and references are lists of texts, not {shown(texts)}")
        for text in texts:
            if not isinstance(text, str):
                raise ArgumentError(f"outputs and references are texts, not {shown(text)}")
    if not references or any(len(texts) != len(references) for texts in systems):
        raise ArgumentError(
            "a paired comparison needs as many outputs of each system as references"
        )


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
