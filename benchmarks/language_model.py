"""A language model in Syntagma's packed table and in KenLM: size, loading, perplexity, look-ups.

    python benchmarks/language_model.py LM --data TREEBANK [--arpa FILE ...]

FILE is the same model for KenLM's Python module: ARPA, or a binary made of it by KenLM's program
build_binary (the module cannot write). Words that are not in its vocabulary are replaced by their
classes, as Syntagma does it, so that both see the same text.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

import machine
import numpy as np
from records import Table, begin, finish

from syntagma.language_model.backoff import END, START
from syntagma.language_model.packed import LanguageModel, word_class
from syntagma.training.language_model import perplexity, read_lm, read_sentence_words

T = TypeVar("T")

CONTEXTS = 20  # first halves of sentences, after which probabilities are summed
SECONDS = 1.0  # of look-ups, at least; the fastest round counts
# Wall-clock time and resident memory of loading, in a fresh process.
LOAD = """
import resource, sys, time
def memory():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
before, started = memory(), time.perf_counter()
model = load(sys.argv[1])
print(time.perf_counter() - started, memory() - before)
"""
SYNTAGMA = "from syntagma.training.language_model import read_lm as load"
KENLM = "from kenlm import Model as load"


def main() -> None:
    arguments = parse_arguments()
    sentences = list(islice(read_sentence_words(arguments.data), arguments.limit))
    if not sentences:
        raise SystemExit(f"error: {arguments.data}: no sentence to look up")
    kenlm = import_kenlm() if arguments.arpa else None
    unit = machine.Unit(arguments.unit_command)
    record = begin(arguments)
    model, _ = read_lm(arguments.language_model)
    record["sentences"] = len(sentences)
    record["words"] = sum(map(len, sentences))
    record["ngrams"] = model.describe()["ngrams"]
    record["models"] = [measure_syntagma(arguments.language_model, model, sentences, unit)]
    for path in arguments.arpa:
        record["models"].append(measure_kenlm(kenlm, path, model.words, sentences, unit))
    finish(arguments, record, tabulate(record))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "language_model", type=Path, metavar="LM", help="a file of train-lm, or a model with one"
    )
    parser.add_argument("--data", type=Path, required=True, help="a treebank in CoNLL-U")
    parser.add_argument("--limit", type=int, metavar="N", help="only its first N sentences")
    parser.add_argument(
        "--arpa",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="the same model for KenLM: ARPA or binary",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to this file")
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the table to this file, too"
    )
    machine.add_unit_option(parser)
    return parser.parse_args()


def import_kenlm() -> Any:
    try:
        return import_module("kenlm")
    except ModuleNotFoundError as error:
        raise SystemExit(
            "error: KenLM's module for Python is not installed: pip install kenlm"
        ) from error


def measure_syntagma(
    path: Path, model: LanguageModel, sentences: Sequence[Sequence[str]], unit: machine.Unit
) -> dict[str, Any]:
    """The figures of Syntagma; it looks up words, or word numbers, as a search does."""
    numbers = [[*map(model.number, sentence), END] for sentence in sentences]
    count = sum(len(sentence) + 1 for sentence in sentences)
    words_rate, words_units = unit.around(lambda: rate(model.score, sentences, count))
    score = partial(model.ngrams.log_probs, before=[START])
    rate_of_numbers, units = unit.around(lambda: rate(score, numbers, count))
    return {
        "program": "Syntagma",
        "file": path.name,
        # Not the size of the file, which may be a model with other sections.
        "bytes": sum(array.nbytes for array in model.to_arrays().values()),
        **load(SYNTAGMA, path),
        "perplexity": perplexity(model, sentences),
        "sum": fmean(syntagma_sum(model, context) for context in contexts(numbers)),
        "words": {"per_second": words_rate, "units_ms": words_units},
        "numbers": {"per_second": rate_of_numbers, "units_ms": units},
    }


def measure_kenlm(
    kenlm: Any,
    path: Path,
    vocabulary: Sequence[str],
    sentences: Sequence[Sequence[str]],
    unit: machine.Unit,
) -> dict[str, Any]:
    """The same figures of KenLM, whose module takes sentences as text, not word numbers."""
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    try:
        model = kenlm.Model(str(path), config)
    except (OSError, RuntimeError) as error:
        raise SystemExit(f"error: {path}: KenLM cannot read it: {error}") from error
    replaced = [[known(word, model) for word in sentence] for sentence in sentences]
    texts = [" ".join(sentence) for sentence in replaced]
    count = sum(len(sentence) + 1 for sentence in sentences)
    total = math.log(10) * sum(map(model.score, texts))
    words_rate, units = unit.around(lambda: rate(model.score, texts, count))
    return {
        "program": "KenLM",
        "file": path.name,
        "bytes": path.stat().st_size,
        **load(KENLM, path),
        "perplexity": math.exp(-total / count),
        "sum": fmean(
            kenlm_sum(kenlm, model, vocabulary, context) for context in contexts(replaced)
        ),
        "words": {"per_second": words_rate, "units_ms": units},
    }


def known(word: str, model: Any) -> str:
    """The word, or its class, or the unknown word, as in `LanguageModel.number`."""
    return next((each for each in (word, word_class(word)) if each in model), "<unk>")


def contexts(sentences: Sequence[Sequence[T]]) -> list[Sequence[T]]:
    return [sentence[: len(sentence) // 2] for sentence in sentences[:CONTEXTS]]


def syntagma_sum(model: LanguageModel, context: Sequence[int]) -> float:
    """The sum of the probabilities of all words after a context: 1, up to rounding."""
    before = [START, *context]
    logs = [model.ngrams.log_probs([word], before)[0] for word in range(len(model.words))]
    return float(np.exp(np.delete(logs, START)).sum())


def kenlm_sum(kenlm: Any, model: Any, vocabulary: Sequence[str], context: Sequence[str]) -> float:
    before, after = kenlm.State(), kenlm.State()
    model.BeginSentenceWrite(before)
    for word in context:
        model.BaseScore(before, word, after)
        before, after = after, before
    words = (word for number, word in enumerate(vocabulary) if number != START)
    return math.fsum(10 ** model.BaseScore(before, word, after) for word in words)


def rate(score: Callable[[T], object], sentences: Sequence[T], count: int) -> float:
    """Look-ups per second of CPU time; all sentences take `count` look-ups."""
    best, spent = math.inf, 0.0
    while spent < SECONDS:
        started = time.thread_time()
        for sentence in sentences:
            score(sentence)
        took = time.thread_time() - started
        best = min(best, took)
        spent += took
    return count / best


def load(importing: str, path: Path) -> dict[str, float]:
    """The shortest of three loading times, and the least memory."""
    command = [sys.executable, "-c", importing + LOAD, str(path)]
    runs = [machine.run(command).split() for _ in range(3)]
    seconds, memory = (min(map(float, column)) for column in zip(*runs, strict=True))
    return {"load_s": seconds, "memory": memory}


def tabulate(record: dict[str, Any]) -> Table:
    models, ngrams = record["models"], record["ngrams"]
    columns = [column(model, sum(ngrams)) for model in models]
    table = Table(
        title=f"{record['data']['name']}, {record['sentences']} sentences, {record['words']} words;"
        f" {' + '.join(f'{size:,}' for size in ngrams)} n-grams",
        first="",
        groups=[(model["program"], (model["file"],)) for model in models],
        rows=[[name, *(each[name] for each in columns)] for name in columns[0]],
    )
    for model in models:
        units = {name: model[name]["units_ms"] for name in ("words", "numbers") if name in model}
        table.notes.append(f"{model['file']}: {machine.units_note(units)}")
    return table


def column(model: dict[str, Any], ngrams: int) -> dict[str, str]:
    """The cells of a model, by the name of the row."""
    cells = {
        "size": f"{model['bytes'] / 1e6:.1f} MB",
        "bytes per n-gram": f"{model['bytes'] / ngrams:.1f}",
        "loading": f"{model['load_s']:.2f} s",
        "memory": f"{model['memory'] / 1e6:.1f} MB",
        "perplexity": f"{model['perplexity']:.2f}",
        "probabilities sum to": f"{model['sum']:.3f}",
    }
    for given in ("words", "numbers"):
        figures = model.get(given)
        name = f"look-ups per second, by {given}"
        cells[name] = f"{figures['per_second'] / 1e6:.2f} million" if figures else "-"
        cells[f"per unit, by {given}"] = per_unit(figures) if figures else "-"
    return cells


def per_unit(figures: dict[str, Any]) -> str:
    """Look-ups in the time of a machine unit."""
    units = figures["units_ms"]
    if not units:
        return "-"
    return f"{figures['per_second'] * sum(units) / len(units) / 1e3:,.0f}"


if __name__ == "__main__":
    machine.start(main)
