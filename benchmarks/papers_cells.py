"""What the papers' tables are made of: cells, each a training run or a measurement, kept as a file.

A cell is made once. Its file is named after everything that it depends on (settings, sentences,
search budget), so that a run that was stopped resumes and other settings never mix. Outputs, which
hold text of the treebank, are kept beside the cells and are not part of the record.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Literal, get_args

import machine
import samples
from papers_systems import System, systems
from records import measure
from samples import Grammar, Sample

import syntagma
from syntagma.best_first._search import best_first_search
from syntagma.best_first.strategy import BestFirstStrategy
from syntagma.cli.progress import Ticker
from syntagma.evaluation.bleu import bleu
from syntagma.files.reading import fingerprint
from syntagma.files.writing import atomic_write
from syntagma.transition._clock import Clock
from syntagma.transition.encoding import encode
from syntagma.treebanks.conditions import CONDITIONS, constrain, sentence_rng
from syntagma.treebanks.corpus import read_sentences
from syntagma.treebanks.statistics import stats
from syntagma.treebanks.treebank import Sentence

Split = Literal["train", "dev", "test"]

# Words in a bag, as in L15's text on Figure 8 ("bags of 9 - 11 words"); the last class is open.
BREVITY_STARTS = tuple(range(0, 49, 3))
IN_DETAIL = ("tags0-arcs0",)  # conditions of L15 Table 4, Figures 8 and 9
TIMEOUT = 5.0  # seconds, as in all papers


@dataclass(frozen=True, slots=True)
class Training:
    """A model is trained; its figures are those of the epochs."""

    system: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """A model orders the sentences of a split."""

    system: str
    split: Split
    condition: str


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """A best-first search is given more and more time for the sentences of the development set."""

    system: str
    condition: str


@dataclass(frozen=True, slots=True)
class Statistics:
    """The size of the data (ZC15 Table 3)."""

    grammar: Grammar


Cell = Training | Measurement | TimeLimits | Statistics


@dataclass(frozen=True, eq=False)
class Workshop:
    """Makes cells in a folder; picklable, so that processes can share the work."""

    arguments: argparse.Namespace
    folder: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", self.arguments.folder)
        for name in ("samples", "models", "cells", "outputs"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    @cached_property
    def systems(self) -> dict[str, System]:
        return systems(self.arguments.epochs, self.arguments.beams_epochs)

    @cached_property
    def grammars(self) -> tuple[Grammar, ...]:
        return ("dependency", "ccg") if self.arguments.ccg_train else ("dependency",)

    def draw(self) -> None:
        """Draw all samples, before anything is made of them."""
        for path, (sources, count, grammar) in self._sources().items():
            about = samples.draw(sources, count, path, grammar)
            samples.write_json(about_path(path), about)

    def sample(self, name: str, grammar: Grammar) -> Path:
        suffix = ".auto" if grammar == "ccg" else ".conllu"
        sizes = self.arguments
        count = {
            "train": sizes.train_sentences,
            "beams": sizes.beams_sentences,
            "dev": sizes.dev_sentences,
            "measured": sizes.measured_sentences,
            "limits": sizes.limits_sentences,
            "test": sizes.test_sentences,
        }[name]
        return self.folder / "samples" / f"{name}-{count or 'all'}{suffix}"

    def _files(self, grammar: Grammar) -> dict[Split, Sequence[Path]]:
        given = vars(self.arguments)
        prefix = "ccg_" if grammar == "ccg" else ""
        return {split: given[prefix + split] for split in get_args(Split)}

    def _sources(self) -> dict[Path, tuple[Sequence[Path], int | None, Grammar]]:
        sizes = self.arguments
        found = {}
        for grammar in self.grammars:
            files = self._files(grammar)
            for name, sources, count in (
                ("train", files["train"], sizes.train_sentences),
                ("beams", files["train"], sizes.beams_sentences),
                ("dev", files["dev"], sizes.dev_sentences),
                ("measured", files["dev"], sizes.measured_sentences),
                ("limits", files["dev"], sizes.limits_sentences),
                ("test", files["test"], sizes.test_sentences),
            ):
                if name != "beams" or grammar == "dependency":
                    found[self.sample(name, grammar)] = (sources, count, grammar)
        return found

    def about_samples(self) -> dict[str, Any]:
        """The description of each sample for the record."""
        return {path.name: samples.read_json(about_path(path)) for path in self._sources()}

    def can_make(self, cell: Cell) -> bool:
        grammar = (
            cell.grammar if isinstance(cell, Statistics) else self.systems[cell.system].grammar
        )
        return grammar in self.grammars

    def key(self, cell: Cell) -> dict[str, Any]:
        """Everything that the figures of a cell depend on, besides the version of the code."""
        key: dict[str, Any] = {"kind": type(cell).__name__, **asdict(cell)}
        if isinstance(cell, Statistics):
            files = chain.from_iterable(self._files(cell.grammar).values())
            return {**key, "files": [fingerprint(path)[:16] for path in files]}
        system = self.systems[cell.system]
        if system.settings is None:
            key["model"] = system.name
        else:
            key["settings"] = asdict(system.settings)
            used = (self.sample(name, system.grammar) for name in (system.training, "dev"))
            key["trained on"] = [fingerprint(path)[:16] for path in used]
            key |= {"lm": system.lm} if system.lm else {}
        if isinstance(cell, Measurement):
            key["measured on"] = fingerprint(self._measured(cell.split, system.grammar))[:16]
            key |= {"beam": system.beam} if system.search == "beam" else {"timeout": TIMEOUT}
        elif isinstance(cell, TimeLimits):
            key["measured on"] = fingerprint(self.sample("limits", system.grammar))[:16]
            key["timeouts"] = list(self.arguments.timeouts)
        return key

    def path(self, cell: Cell) -> Path:
        digest = hashlib.sha256(json.dumps(self.key(cell)).encode()).hexdigest()[:12]
        return self.folder / "cells" / f"{title(cell)}-{digest}.json"

    def read(self, cell: Cell) -> dict[str, Any] | None:
        """The figures of a cell, if it is finished."""
        path = self.path(cell)
        return samples.read_json(path) if path.exists() else None

    def make(self, cell: Cell) -> None:
        if self.path(cell).exists():
            return
        if isinstance(cell, Training):
            figures = self._train(cell)
        elif isinstance(cell, Measurement):
            figures = self._measure(cell)
        elif isinstance(cell, TimeLimits):
            figures = self._measure_limits(cell)
        else:
            figures = self._count(cell)
        record = {
            **asdict(cell),
            "kind": type(cell).__name__,
            "syntagma": syntagma.__version__,
            **figures,
        }
        samples.write_json(self.path(cell), record)

    def _train(self, cell: Training) -> dict[str, Any]:
        system = self.systems[cell.system]
        assert system.settings is not None
        train, dev = (self.sample(name, system.grammar) for name in (system.training, "dev"))
        about = {"train": samples.read_json(about_path(train))}
        model = self.model(cell.system)
        samples.train(Sample(train, dev, about), model, system.settings, self._unit, system.lm)
        return {
            **samples.read_json(model.with_suffix(".json")),
            "sentences": about["train"]["sentences"],
            "size_mb": round(model.stat().st_size / 1e6, 1),
        }

    def model(self, name: str) -> Path:
        return self.folder / "models" / f"{self.path(Training(name)).stem}.syntagma"

    @cached_property
    def _unit(self) -> machine.Unit:
        return machine.Unit(self.arguments.unit_command)

    @lru_cache(maxsize=1)  # noqa: B019  cells of a system follow each other
    def load(self, name: str) -> syntagma.Linearizer:
        system = self.systems[name]
        model = name if system.settings is None else self.model(name)
        return syntagma.load(model, search=system.search)

    def _measure(self, cell: Measurement) -> dict[str, Any]:
        system = self.systems[cell.system]
        linearizer = self.load(cell.system)
        path = self._measured(cell.split, system.grammar)
        sentences = read_sentences(path, linearizer.tag_column)
        in_detail = cell.condition in IN_DETAIL

        def keep(report: syntagma.Report) -> dict[str, Any]:
            outputs = report[cell.condition].outputs
            with atomic_write(self.outputs(cell), "w") as file:
                file.writelines(output + "\n" for output in outputs)
            return {"brevity": list(brevity(outputs, sentences))} if in_detail else {}

        figures = measure(
            linearizer,
            sentences,
            cell.condition,
            system.beam,
            self._unit,
            timeout=TIMEOUT if system.search == "best-first" else None,
            spans=in_detail,
            on_report=keep,
        )
        del figures["lengths"]  # no table needs them
        return figures

    def outputs(self, cell: Cell) -> Path:
        """The file of what came out, a sentence per line."""
        return self.folder / "outputs" / f"{self.path(cell).stem}.txt"

    def _measure_limits(self, cell: TimeLimits) -> dict[str, Any]:
        linearizer = self.load(cell.system)
        path = self.sample("limits", self.systems[cell.system].grammar)
        sentences = read_sentences(path, linearizer.tag_column)
        outputs: dict[float, list[str]] = {limit: [] for limit in self.arguments.timeouts}
        unfinished = dict.fromkeys(outputs, 0)
        with Ticker(title(cell), total=len(sentences)) as ticker:
            for index, sentence in enumerate(sentences):
                problem = constrain(sentence, CONDITIONS[cell.condition], sentence_rng(1, index))
                results = order_within(linearizer, problem, self.arguments.timeouts)
                for limit, result in results.items():
                    outputs[limit].append(result.text)
                    unfinished[limit] += not result.finished
                ticker.advance()
        references = [sentence.text for sentence in sentences]
        return {
            "sentences": len(sentences),
            "limits": [
                {
                    "timeout": limit,
                    "bleu": round(bleu(texts, references), 2),
                    "coverage": round(100 * count(texts) / count(references), 2),
                    "unfinished": unfinished[limit],
                }
                for limit, texts in outputs.items()
            ],
        }

    def _count(self, cell: Statistics) -> dict[str, Any]:
        found = {split: stats(files) for split, files in self._files(cell.grammar).items()}
        return {"splits": {split: asdict(figures) for split, figures in found.items()}}

    def references(self, split: Split, grammar: Grammar = "dependency") -> list[Sentence]:
        return read_sentences(self._measured(split, grammar), "upos")

    def _measured(self, split: Split, grammar: Grammar) -> Path:
        """The sentences of a split that tables are about."""
        return self.sample("measured" if split == "dev" else split, grammar)


def about_path(sample: Path) -> Path:
    """The file that describes a sample."""
    return sample.with_name(f"{sample.name}.json")


def order_within(
    linearizer: syntagma.Linearizer, problem: syntagma.Problem, limits: Sequence[float]
) -> dict[float, syntagma.Linearization]:
    """What one best-first search has found after each of several times, in ascending order."""
    strategy = linearizer._strategy
    assert isinstance(strategy, BestFirstStrategy)
    encoding = encode(problem, linearizer._model.vocabulary)
    search = strategy.scorer.open(encoding, strategy.language_model)
    found, spent, finished = {}, 0.0, False
    for limit in limits:
        if not finished:
            finished, [(score, pieces)] = best_first_search(search, 1, 0, Clock(limit - spent))
            spent = limit
        found[limit] = strategy.scorer.grammar.read(encoding, score, pieces, finished)
    return found


def brevity(outputs: Sequence[str], sentences: Sequence[Sentence]) -> Iterator[dict[str, Any]]:
    """Words in the output ÷ words in the sentence, by the size of the bag (L15 Figure 8)."""
    for start, end in pairwise((*BREVITY_STARTS, None)):
        assert start is not None
        kept = [
            (output, sentence.text)
            for output, sentence in zip(outputs, sentences, strict=True)
            if start <= len(sentence.forms) and (end is None or len(sentence.forms) < end)
        ]
        if kept:
            produced, gold = zip(*kept, strict=True)
            yield {
                "length": f"{start}+" if end is None else f"{start}-{end - 1}",
                "sentences": len(kept),
                "brevity": round(count(produced) / count(gold), 4),
            }


def count(texts: Iterable[str]) -> int:
    """The number of words."""
    return sum(len(text.split()) for text in texts)


def title(cell: Cell) -> str:
    """The beginning of a cell's file name.

    >>> title(Measurement("p16+", "dev", "none"))
    'measurement-p16+-dev-none'
    """
    return "-".join([type(cell).__name__.lower(), *map(str, asdict(cell).values())])


def run(
    workshop: Workshop,
    cells: Iterable[Cell],
    jobs: int,
    on_cell: Callable[[], None] = lambda: None,
) -> None:
    """Make the cells that are missing: first all trainings, then what is measured with them."""
    wanted = [cell for cell in dict.fromkeys(cells) if workshop.can_make(cell)]
    trained = {
        cell.system
        for cell in wanted
        if isinstance(cell, Measurement | TimeLimits)
        and workshop.systems[cell.system].settings is not None
    }
    wanted = list(dict.fromkeys([*map(Training, sorted(trained)), *wanted]))
    trainings = [cell for cell in wanted if isinstance(cell, Training)]
    others = [cell for cell in wanted if not isinstance(cell, Training)]
    for group in (trainings, others):
        missing = [cell for cell in group if not workshop.path(cell).exists()]
        for cell in _made(workshop, missing, jobs):
            samples.say(f"{title(cell)}: done")
            on_cell()


def _made(workshop: Workshop, cells: Sequence[Cell], jobs: int) -> Iterator[Cell]:
    if jobs == 1 or len(cells) < 2:
        for cell in cells:
            samples.say(f"{title(cell)} …")
            workshop.make(cell)
            yield cell
        return
    with ProcessPoolExecutor(jobs) as pool:
        futures = {pool.submit(Workshop.make, replace(workshop), cell): cell for cell in cells}
        try:
            for future in as_completed(futures):
                future.result()
                yield futures[future]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_SLUG = re.compile(r"[^a-z0-9]+")


def slug(text: str) -> str:
    """A name as part of a file name.

    >>> slug("L15 Table 3")
    'l15-table-3'
    """
    return _SLUG.sub("-", text.lower()).strip("-")
