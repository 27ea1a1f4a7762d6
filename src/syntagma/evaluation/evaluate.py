"""Evaluation: BLEU, exact match and time of a linearizer on a treebank, condition by condition.

`treebanks/conditions.py` decides what a condition gives, `bleu` computes BLEU, `spans` compares
spans, `signature` says what a score depends on, `report` prints figures, `examples` shows outputs.
Realisation from lemmas is evaluated in `realization`.
"""

import itertools
import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

from syntagma.arguments import as_integer, check_range, is_collection
from syntagma.errors import ArgumentError, shown
from syntagma.evaluation import signature
from syntagma.evaluation.bleu import BleuTokenizer, bleu_metric, exact_match
from syntagma.evaluation.spans import (
    OrderedTree,
    ProjectivityFigures,
    SpanFigures,
    compare_projectivity,
    compare_spans,
)
from syntagma.problem.problem import Problem
from syntagma.request import Request
from syntagma.results.linearization import Linearization, violations
from syntagma.treebanks.conditions import (
    CONDITIONS,
    MAIN_CONDITIONS,
    Condition,
    constrain,
    sentence_rng,
)
from syntagma.treebanks.settings import MAX_SEED
from syntagma.treebanks.treebank import Sentence, as_sentences

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

    from syntagma.linearizer.linearizer import Linearizer

# Upper ends of the length classes; the last class is open.
_LENGTHS = (10, 20, 30, 40)
LENGTH_CLASSES = ("1-10", "11-20", "21-30", "31-40", "41+")


def length_class(words: int) -> str:
    """The length class of a sentence.

    >>> length_class(10), length_class(11), length_class(99)
    ('1-10', '11-20', '41+')
    """
    return LENGTH_CLASSES[bisect_left(_LENGTHS, words)]


@dataclass(frozen=True, slots=True)
class LengthFigures:
    """Figures for the sentences of one length class; None where there is nothing to measure."""

    length: str
    sentences: int
    bleu: float | None
    exact: float | None
    coverage: float | None
    cpu_ms: float | None


@dataclass(frozen=True, slots=True)
class ConditionFigures:
    """Figures of one condition: BLEU and exact match in percent, CPU milliseconds per sentence.

    `coverage` is the percentage of words that the output contains (brevity in Figure 8 of Liu et
    al. 2015); only unfinished results leave words out.
    """

    condition: str
    sentences: int
    bleu: float
    exact: float
    coverage: float
    unfinished: int  # results of searches that exhausted their budget
    cpu_ms: float
    seconds: float  # wall-clock time for the whole set
    violations: int  # of constraints; anything but 0 is a bug
    signature: str
    lengths: tuple[LengthFigures, ...]
    outputs: tuple[str, ...] = field(repr=False)  # for `compare_systems`
    spans: SpanFigures | None = None  # None: not asked for
    projectivity: ProjectivityFigures | None = None  # if the model lifts and all arcs are given


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of one model on one treebank."""

    model: str
    figures: tuple[ConditionFigures, ...]
    references: tuple[str, ...] = field(repr=False)

    def __getitem__(self, condition: str) -> ConditionFigures:
        for figures in self.figures:
            if figures.condition == condition:
                return figures
        raise KeyError(condition)


def evaluate(
    linearizer: "Linearizer",
    sentences: Sequence[Sentence],
    conditions: str | Sequence[str] = MAIN_CONDITIONS,
    *,
    beam: int | None = None,
    timeout: float | None = None,
    expansions: int | None = None,
    threads: int = 1,
    seed: int = 1,
    limit: int | None = None,
    projective: bool = False,
    spans: bool = False,
    bleu_tokenize: BleuTokenizer = "none",
    lowercase: bool = False,
    on_sentence: Callable[[], None] | None = None,
) -> Report:
    """Order the words of every sentence under every condition and compare with the original.

    Arcs are given as `sentences` have them, so these must be trees as annotated: lifted ones
    (`read_treebank`) would give some of the order away.

    `limit` keeps the first sentences only. `spans` also compares the spans of the trees (Liu et al.
    2015, Table 4 and Figure 9). `on_sentence` is called after each sentence, for progress. Time by
    sentence length is measured with one thread only. Defaults of `beam`, `timeout`, `expansions`
    and `projective` are those of `Linearizer.order`.

    `bleu_tokenize` and `lowercase` are sacrebleu's; exact match always compares forms as they are.
    A phrase ("New York") is one word of the bag; BLEU and coverage count the words in it.
    """
    if not hasattr(linearizer, "solve"):
        raise ArgumentError(
            f"evaluate takes a linearizer, not {shown(linearizer)}: load the model first"
        )
    request = Request(
        search=linearizer.search,
        beam=beam,
        timeout=timeout,
        expansions=expansions,
        max_words=linearizer.max_words,
        projective=projective,
    )
    names = [conditions] if isinstance(conditions, str) else conditions
    if not is_collection(names):
        raise ArgumentError(f"conditions must be a list of names, not {shown(names)}")
    flags = ((spans, "spans"), (lowercase, "lowercase"))
    for flag, name in flags:
        if not isinstance(flag, bool):
            raise ArgumentError(f"{name} must be True or False, not {shown(flag)}")
    if bleu_tokenize not in get_args(BleuTokenizer):
        raise ArgumentError(f"bleu_tokenize must be none or 13a, not {shown(bleu_tokenize)}")
    number = as_integer(seed)
    if number is None or not abs(number) < MAX_SEED:
        raise ArgumentError(f"seed must be an integer of less than 2⁶³, not {shown(seed)}")
    chosen = [_condition(name) for name in names]
    limit = None if limit is None else check_range("limit", limit, sys.maxsize)
    sentences = as_sentences(sentences, "sentences")[:limit]
    if not sentences:
        raise ArgumentError("nothing to evaluate: the treebank has no sentences")
    references = tuple(" ".join(sentence.forms) for sentence in sentences)
    data = signature.digest_trees(sentences)
    shared = signature.settings(linearizer, request, n=len(sentences), data=data, seed=seed)
    figures = []
    for condition in chosen:
        problems = [
            constrain(sentence, condition, sentence_rng(seed, index))
            for index, sentence in enumerate(sentences)
        ]
        figures.append(
            _measure(
                condition.name,
                _results(linearizer, problems, request, threads, on_sentence),
                references,
                sentences,
                shared,
                bleu_metric(bleu_tokenize, lowercase=lowercase),
                with_spans=spans,
                with_projectivity=linearizer.lifts and condition.arcs == 1,
            )
        )
    return Report(
        model=str(linearizer.info.header.get("name", "-")),
        figures=tuple(figures),
        references=references,
    )


def main_conditions(linearizer: "Linearizer") -> list[str]:
    """The main conditions that a model can be given; a CCG model takes no arcs."""
    return list(MAIN_CONDITIONS) if linearizer.takes_arcs else ["none", "pos"]


def _condition(name: str) -> Condition:
    if not isinstance(name, str) or name not in CONDITIONS:
        known = ", ".join(CONDITIONS)
        raise ArgumentError(f"unknown condition {shown(name)}: choose from {known}")
    return CONDITIONS[name]


def _results(
    linearizer: "Linearizer",
    problems: Sequence[Problem],
    request: Request,
    threads: int,
    on_sentence: Callable[[], None] | None,
) -> Iterator[tuple[Linearization, float | None]]:
    """Each result with its CPU seconds, which are unknown with several threads."""
    if threads == 1:
        for problem in problems:
            started = time.thread_time()
            [result] = linearizer.solve([problem], request)
            yield result, time.thread_time() - started
            if on_sentence:
                on_sentence()
    else:
        for result in linearizer.solve(problems, request, threads=threads):
            yield result, None
            if on_sentence:
                on_sentence()


def _measure(
    condition: str,
    results: Iterator[tuple[Linearization, float | None]],
    references: Sequence[str],
    sentences: Sequence[Sentence],
    settings: dict[str, Any],
    metric: "BLEU",
    *,
    with_spans: bool,
    with_projectivity: bool,
) -> ConditionFigures:
    cpu_started, started = time.process_time(), time.perf_counter()
    outputs: list[str] = []
    output_sizes: list[int] = []
    trees: list[OrderedTree] = []
    times: list[float | None] = []
    broken = unfinished = 0
    for result, cpu in results:
        outputs.append(result.text)
        output_sizes.append(_count_words(result.words))
        if with_spans or with_projectivity:
            trees.append((result.words, result.heads))
        times.append(cpu)
        unfinished += not result.finished
        broken += len(violations(result))
    cpu_total = time.process_time() - cpu_started
    seconds = time.perf_counter() - started
    measured = [cpu for cpu in times if cpu is not None]
    if measured:
        cpu_total = sum(measured)

    golds = [(sentence.forms, sentence.heads) for sentence in sentences]
    score = metric.corpus_score(outputs, [references]).score
    return ConditionFigures(
        condition=condition,
        sentences=len(outputs),
        bleu=score,
        exact=exact_match(outputs, references),
        coverage=_coverage(output_sizes, [_count_words(sentence.forms) for sentence in sentences]),
        unfinished=unfinished,
        cpu_ms=1000 * cpu_total / len(outputs),
        seconds=seconds,
        violations=broken,
        signature=signature.join(
            metric.get_signature().format(), {"condition": condition, **settings}
        ),
        lengths=tuple(_by_length(outputs, references, output_sizes, sentences, times, metric)),
        outputs=tuple(outputs),
        spans=compare_spans(trees, golds) if with_spans else None,
        projectivity=compare_projectivity(outputs, references, trees, golds, metric)
        if with_projectivity
        else None,
    )


def _by_length(
    outputs: Sequence[str],
    references: Sequence[str],
    output_sizes: Sequence[int],
    sentences: Sequence[Sentence],
    times: Sequence[float | None],
    metric: "BLEU",
) -> Iterator[LengthFigures]:
    """Length is that of the bag: a phrase is one word of it."""
    lengths = [length_class(len(sentence.forms)) for sentence in sentences]
    sizes = [_count_words(sentence.forms) for sentence in sentences]
    for length in LENGTH_CLASSES:
        keep = [each == length for each in lengths]
        kept_outputs = list(itertools.compress(outputs, keep))
        kept_references = list(itertools.compress(references, keep))
        kept_sizes = [list(itertools.compress(each, keep)) for each in (output_sizes, sizes)]
        kept_times = [cpu for cpu in itertools.compress(times, keep) if cpu is not None]
        filled = bool(kept_outputs)
        yield LengthFigures(
            length=length,
            sentences=len(kept_outputs),
            bleu=metric.corpus_score(kept_outputs, [kept_references]).score if filled else None,
            exact=exact_match(kept_outputs, kept_references) if filled else None,
            coverage=_coverage(*kept_sizes) if filled else None,
            cpu_ms=1000 * sum(kept_times) / len(kept_times) if kept_times else None,
        )


def _count_words(forms: Sequence[str]) -> int:
    """The number of words; those of a phrase count each."""
    return sum(1 + form.count(" ") for form in forms)


def _coverage(output_sizes: Sequence[int], sizes: Sequence[int]) -> float:
    return 100 * sum(output_sizes) / sum(sizes)
