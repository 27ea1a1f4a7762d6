"""Evaluation: BLEU, exact match and time of a linearizer on a treebank, condition by condition.

`treebanks/conditions.py` decides what a condition gives, `bleu` computes BLEU, `spans` compares
spans, `signature` says what a score depends on, `report` prints figures and examples.
Realisation from lemmas is evaluated in `realization`.
"""

import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, get_args

from syntagma.arguments import as_integer, check_range, is_collection
from syntagma.errors import ArgumentError, shown
from syntagma.evaluation import signature
from syntagma.evaluation.bleu import BleuTokenizer, bleu_metric, exact_match, kept_figures
from syntagma.evaluation.spans import (
    ProjectivityFigures,
    SpanFigures,
    compare_projectivity,
    compare_spans,
)
from syntagma.problem.problem import Problem
from syntagma.request import Request
from syntagma.results.linearization import Linearization, violations
from syntagma.treebanks import plain_text
from syntagma.treebanks.conditions import (
    CONDITIONS,
    MAIN_CONDITIONS,
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
    as_typed: bool = False,
    bleu_tokenize: BleuTokenizer = "none",
    lowercase: bool = False,
    on_sentence: Callable[[], None] | None = None,
) -> Report:
    """Order the words of every sentence under every condition and compare with the original.

    Arcs are given as `sentences` have them, so these must be trees as annotated: lifted ones
    (`read_treebank`) would give some of the order away.

    Sentences without trees, `Sentence(forms)`, have the condition none alone. So have all sentences
    with `as_typed`: their words are in lower case but for *I*, without the final mark.

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
    for flag, name in ((spans, "spans"), (as_typed, "as_typed"), (lowercase, "lowercase")):
        if not isinstance(flag, bool):
            raise ArgumentError(f"{name} must be True or False, not {shown(flag)}")
    if bleu_tokenize not in get_args(BleuTokenizer):
        raise ArgumentError(f"bleu_tokenize must be none or 13a, not {shown(bleu_tokenize)}")
    number = as_integer(seed)
    if number is None or not abs(number) < MAX_SEED:
        raise ArgumentError(f"seed must be an integer of less than 2⁶³, not {shown(seed)}")
    names = list(names)
    for name in names:
        if not isinstance(name, str) or name not in CONDITIONS:
            known = ", ".join(CONDITIONS)
            raise ArgumentError(f"unknown condition {shown(name)}: choose from {known}")
    limit = None if limit is None else check_range("limit", limit, sys.maxsize)
    sentences = as_sentences(sentences, "sentences")[:limit]
    if not sentences:
        raise ArgumentError("nothing to evaluate: the treebank has no sentences")
    data = signature.digest_trees(sentences)
    if as_typed:
        sentences = list(map(plain_text.as_typed, sentences))
    if not all(sentence.heads for sentence in sentences):
        _check_without_trees(names, spans=spans)
    references = tuple(" ".join(sentence.forms) for sentence in sentences)
    typed = {"words": "as typed"} if as_typed else {}
    shared = signature.settings(
        linearizer, request, n=len(sentences), data=data, seed=seed, **typed
    )
    golds = [(sentence.forms, sentence.heads) for sentence in sentences]
    metric = bleu_metric(bleu_tokenize, lowercase=lowercase)
    tick = on_sentence or (lambda: None)
    measured = []
    for condition in map(CONDITIONS.__getitem__, names):
        problems = [
            constrain(sentence, condition, sentence_rng(seed, index))
            for index, sentence in enumerate(sentences)
        ]
        cpu_started, started = time.process_time(), time.perf_counter()
        found = list(_results(linearizer, problems, request, threads, tick))
        cpu_total = time.process_time() - cpu_started
        seconds = time.perf_counter() - started
        results, times = [result for result, _ in found], [cpu for _, cpu in found]
        if None not in times:
            cpu_total = sum(filter(None, times))
        outputs = tuple(result.text for result in results)
        trees = [(result.words, result.heads) for result in results]
        figures = ConditionFigures(
            condition=condition.name,
            sentences=len(outputs),
            bleu=metric.corpus_score(outputs, [references]).score,
            exact=exact_match(outputs, references),
            coverage=_coverage(outputs, references),
            unfinished=sum(not result.finished for result in results),
            cpu_ms=1000 * cpu_total / len(outputs),
            seconds=seconds,
            violations=sum(len(violations(result)) for result in results),
            signature=signature.join(
                metric.get_signature().format(), {"condition": condition.name, **shared}
            ),
            lengths=tuple(_by_length(outputs, references, sentences, times, metric)),
            outputs=outputs,
            spans=compare_spans(trees, golds) if spans else None,
            projectivity=compare_projectivity(outputs, references, trees, golds, metric)
            if linearizer.lifts and condition.arcs == 1
            else None,
        )
        measured.append(figures)
    return Report(
        model=linearizer.info.name,
        figures=tuple(measured),
        references=references,
    )


def main_conditions(linearizer: "Linearizer") -> list[str]:
    """The main conditions that a model can be given; a CCG model takes no arcs."""
    return list(MAIN_CONDITIONS) if linearizer.takes_arcs else ["none", "pos"]


def _check_without_trees(conditions: Sequence[str], *, spans: bool) -> None:
    without = "sentences of plain text, or as typed, have no tags and no trees"
    for name in conditions:
        if name != "none":
            raise ArgumentError(f"{without}: the condition must be none, not {name}")
    if spans:
        raise ArgumentError(f"{without}: there are no spans to compare")


def _results(
    linearizer: "Linearizer",
    problems: Sequence[Problem],
    request: Request,
    threads: int,
    on_sentence: Callable[[], None],
) -> Iterator[tuple[Linearization, float | None]]:
    """Each result with its CPU seconds, which are unknown with several threads. A judge computes on
    a thread of its own, which counts."""
    if threads == 1:
        seconds = time.process_time if linearizer.judge else time.thread_time
        for problem in problems:
            started = seconds()
            [result] = linearizer.solve([problem], request)
            yield result, seconds() - started
            on_sentence()
    else:
        for result in linearizer.solve(problems, request, threads=threads):
            yield result, None
            on_sentence()


def _by_length(
    outputs: Sequence[str],
    references: Sequence[str],
    sentences: Sequence[Sentence],
    times: Sequence[float | None],
    metric: "BLEU",
) -> Iterator[LengthFigures]:
    """Length is that of the bag: a phrase is one word of it."""
    lengths = [length_class(len(sentence)) for sentence in sentences]
    for length in LENGTH_CLASSES:
        keep = [each == length for each in lengths]
        size, bleu, exact = kept_figures(outputs, references, keep, metric)
        kept_times = [cpu for cpu in compress(times, keep) if cpu is not None]
        yield LengthFigures(
            length=length,
            sentences=size,
            bleu=bleu,
            exact=exact,
            coverage=_coverage(compress(outputs, keep), compress(references, keep))
            if size
            else None,
            cpu_ms=1000 * sum(kept_times) / len(kept_times) if kept_times else None,
        )


def _coverage(outputs: Iterable[str], references: Iterable[str]) -> float:
    """The percentage of words that outputs contain; those of a phrase count one by one."""
    found, wanted = (
        sum(text.count(" ") + (text != "") for text in texts) for texts in (outputs, references)
    )
    return 100 * found / wanted
