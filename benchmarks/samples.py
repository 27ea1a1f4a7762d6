"""Fixed samples of large files, and models trained on them, in a folder from which an interrupted
run resumes: what exists is not made again."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from machine import Unit, add_unit_option, units_note
from records import add_file_options

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.errors import FormatError, TrainingError
from syntagma.files.reading import fingerprint, open_text
from syntagma.files.writing import atomic_write
from syntagma.formats.conllu import Block
from syntagma.linearizer.linearizer import read_info
from syntagma.problem.word import TagColumn
from syntagma.training.run import Epoch
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import tag_pairs, treebank_blocks

Grammar = Literal["dependency", "ccg"]

SEED = 1
TRAIN, DEV = 3000, 300  # sentences, unless the options say otherwise


@dataclass(frozen=True, slots=True)
class Sample:
    """The files of the drawn sentences, and their description for a record."""

    train: Path
    dev: Path
    about: dict[str, Any]


def sample_options(description: str | None) -> argparse.ArgumentParser:
    """The options of all benchmarks that train on a sample."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    for option, help in (
        ("--train", "a treebank in CoNLL-U to draw training sentences from"),
        ("--data", "the same to measure on"),
    ):
        parser.add_argument(option, type=Path, required=True, metavar="FILE", help=help)
    for option, help in (
        ("--ccg-train", "derivations (.auto) to draw training sentences from"),
        ("--ccg-data", "the same to measure on"),
    ):
        parser.add_argument(option, type=Path, metavar="FILE", help=help)
    parser.add_argument(
        "--folder", type=Path, required=True, help="where samples, models and figures are kept"
    )
    for option, default, help in (
        ("--train-sentences", TRAIN, "how many to train on"),
        ("--limit", DEV, "how many to measure on"),
        ("--epochs", 10, "of each training"),
    ):
        help = f"{help} (default: {default})"
        parser.add_argument(option, type=int, default=default, metavar="N", help=help)
    add_file_options(parser)
    add_unit_option(parser)
    return parser


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parse the options and create the folder."""
    arguments = parser.parse_args()
    if (arguments.ccg_train is None) != (arguments.ccg_data is None):
        parser.error("--ccg-train and --ccg-data need each other")
    if min(arguments.train_sentences, arguments.limit) < 1:
        parser.error("--train-sentences and --limit are at least 1")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    return arguments


def draw_sample(arguments: argparse.Namespace, grammar: Grammar) -> Sample:
    """Sentences to train on and to measure on, drawn from the files of a grammar."""
    train, data, suffix = (
        (arguments.ccg_train, arguments.ccg_data, ".auto")
        if grammar == "ccg"
        else (arguments.train, arguments.data, ".conllu")
    )
    drawn = {}
    about = {}
    for name, source, count in (
        ("train", train, arguments.train_sentences),
        ("dev", data, arguments.limit),
    ):
        drawn[name] = arguments.folder / f"{name}{suffix}"
        about[name] = draw(source, count, drawn[name], grammar)
    return Sample(drawn["train"], drawn["dev"], about)


def draw(
    source: Path | Sequence[Path], count: int | None, target: Path, grammar: Grammar
) -> dict[str, Any]:
    """Draw sentences (None: all) from a file, or from several, and write them verbatim to
    another."""
    sources = [source] if isinstance(source, Path) else source
    split = entries if grammar == "ccg" else blank_separated
    blocks = [block for each in sources for block in split(each)]
    chosen = [blocks[index] for index in draw_indices(len(blocks), count or len(blocks))]
    gap = "\n" if grammar == "ccg" else "\n\n"
    text = "".join(block + gap for block in chosen)
    if not target.exists():
        with atomic_write(target, "w") as file:
            file.write(text)
    elif target.read_bytes() != text.encode():
        raise TrainingError(
            f"{target} holds other sentences than those drawn from {_names(sources)} now: "
            "choose another folder, or the same file and number as before"
        )
    return {
        "name": _names(sources),
        "sha256": fingerprint(sources[0]) if len(sources) == 1 else _joint_fingerprint(sources),
        "sentences": len(chosen),
        "of": len(blocks),
    }


def _names(sources: Sequence[Path]) -> str:
    first, *others = sources
    return f"{first.name} and {len(others)} more" if others else first.name


def _joint_fingerprint(sources: Sequence[Path]) -> str:
    return hashlib.sha256("".join(map(fingerprint, sources)).encode()).hexdigest()


def draw_indices(size: int, count: int) -> list[int]:
    """The indices of the sentences drawn from a file: always the same.

    >>> draw_indices(10, 4)
    [0, 1, 2, 4]
    """
    return sorted(random.Random(SEED).sample(range(size), min(size, count)))


def blank_separated(path: Path) -> Iterator[str]:
    """The sentences of a CoNLL-U file, with their comments."""
    for filled, lines in groupby(text_lines(path), key=lambda line: bool(line.strip())):
        if filled:
            yield "\n".join(lines)


def entries(path: Path) -> Iterator[str]:
    """The derivations of an .auto file, each with its line 'ID=…'."""
    lines = filter(str.strip, text_lines(path))
    for id_line in lines:
        derivation = next(lines, None)
        if not id_line.startswith("ID=") or derivation is None:
            raise FormatError("not a line 'ID=…' and a derivation after it", str(path))
        yield f"{id_line}\n{derivation}"


def usual_tag_column(treebank: Path) -> TagColumn:
    """XPOS, if most words have such a tag, else UPOS."""
    blocks = (block for block in treebank_blocks(treebank) if isinstance(block, Block))
    tagged = [xpos != "" for block in blocks for xpos, _ in tag_pairs(block)]
    return "xpos" if sum(tagged) > 0.5 * len(tagged) else "upos"


def text_lines(path: Path) -> Iterator[str]:
    for line in open_text(path):
        if isinstance(line, FormatError):
            raise line
        yield line


def train(
    sample: Sample, output: Path, settings: Settings, unit: Unit, lm: str | None = None
) -> None:
    """Train a model with one thread unless it exists; keep its epochs beside it as JSON."""
    if output.exists():
        found = read_info(output).header["settings"]
        wanted = asdict(settings)
        for name in ("tag_column", "heads"):  # if not set, the data decides
            if name in wanted and wanted[name] is None:
                wanted[name] = found[name]
        if found != wanted:
            raise TrainingError(f"{output} was trained with other settings: choose another folder")
        say(f"{output}: there already, not trained again")
        return
    say(f"{output}: training")
    kept = output.with_suffix(".json")
    epochs = read_epochs(kept)
    before = unit.take()
    with Ticker(output.stem, total=sample.about["train"]["sentences"]) as ticker:

        def keep(epoch: Epoch) -> None:
            nonlocal before
            after = unit.take()
            # A resumed run has earlier epochs, a new one has none.
            epochs[:] = [each for each in epochs if each["number"] < epoch.number]
            epochs.append({**asdict(epoch), "units_ms": before + after})
            write_json(kept, {"settings": asdict(settings), "epochs": epochs})
            before = after
            ticker.print(epoch.line())
            ticker.restart()

        syntagma.train(
            sample.train,
            sample.dev,
            output,
            settings=settings,
            lm=lm,
            on_sentence=ticker.advance,
            on_epoch=keep,
        )


def read_epochs(path: Path) -> list[dict[str, Any]]:
    """The epochs of a training run so far."""
    epochs: list[dict[str, Any]] = read_json(path).get("epochs", [])
    return epochs


class Figures:
    """Measurements by name, in a JSON file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept = read_json(path)

    def get(self, name: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The measurement of this name; made if it is missing."""
        if name not in self._kept:
            self._kept[name] = measure()
            write_json(self._path, self._kept)
        figures: dict[str, Any] = self._kept[name]
        return figures


def read_json(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return read


def write_json(path: Path, data: dict[str, Any]) -> None:
    with atomic_write(path, "w") as file:
        file.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def sample_note(about: dict[str, Any]) -> str:
    """The note below a table that describes its sentences."""
    dev, train = (
        f"{about[name]['sentences']} sentences drawn from {about[name]['name']}"
        for name in ("dev", "train")
    )
    return f"{dev}; trained on {train}"


def unit_note(units: Iterable[list[float]]) -> str:
    """Notes below a table whose measurements may have been made at different times."""
    each = list(units)
    if not all(each):
        return units_note({"all": []})
    low, high = (pick(fmean(around) for around in each) for pick in (min, max))
    return f"machine unit before and after each: {low:.1f} to {high:.1f} ms"


def say(line: str) -> None:
    print(line, file=sys.stderr)
