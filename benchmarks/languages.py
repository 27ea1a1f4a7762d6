"""Trains and measures models of other languages, packs them, and writes their tables.

    python benchmarks/languages.py [TREEBANK ...] --data FOLDER --folder FOLDER

TREEBANK is a language or a treebank of languages/treebanks.toml (default: all of them, below
--data), or the folder of any treebank of Universal Dependencies. For each, `syntagma train` makes a
model with its defaults, and the model is measured on --split: ordering by condition, orders that
are not projective, realisation. FOLDER holds models, logs and a file for each result: a run that
was stopped resumes. --record adds the figures to a record; --pages writes its tables into docs/lab,
--package the packages of `languages/`. Without --folder, both are made anew from the record.
"""

from __future__ import annotations

import argparse
import shlex
import warnings
from pathlib import Path
from typing import Any

import machine
import samples
from languages_cells import ROOT, Treebank, Workplace, find, read_table
from languages_tables import tables, update_pages
from shared_data import UD

from syntagma.errors import ModelError, SyntagmaWarning
from syntagma.models.packaging import package

RECORD = ROOT / "benchmarks" / "languages_record.json"
MOST = 9_000_000  # bytes of a packaged model
COMMAND = "python benchmarks/languages.py --data UD --folder FOLDER --split test --package --pages"


def main() -> None:
    arguments = parse_arguments()
    warnings.simplefilter("ignore", SyntagmaWarning)  # every test set has some unknown labels
    version, known = read_table(arguments.data)
    chosen = [find(name, known) for name in arguments.treebanks or known]
    record = samples.read_json(arguments.record)
    workplace = None
    if arguments.folder:
        workplace = Workplace(
            arguments.folder,
            arguments.split,
            machine.Unit(arguments.unit_command),
            arguments.limit,
            tuple(arguments.train_options),
        )
        for treebank in chosen:
            figures = workplace.measured(treebank)
            record = add(arguments.record, treebank.name, figures, known)
    for found in tables(record).values():
        for table in found:
            table.print()
            print()
    if arguments.pages:
        update_pages(record, arguments.target)
    if arguments.package:
        for treebank in chosen:
            if treebank.package and treebank.name in record["treebanks"]:
                pack(treebank, version, record, workplace, arguments.target)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "treebanks", nargs="*", metavar="TREEBANK", help="languages, treebanks or folders"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=UD,
        metavar="FOLDER",
        help="where the treebanks are (default: ud in SYNTAGMA_DATA)",
    )
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="where models, logs and results are kept"
    )
    parser.add_argument(
        "--split", choices=("dev", "test"), default="dev", help="what to measure on (default: dev)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="its first N sentences only")
    parser.add_argument(
        "--train-options",
        type=shlex.split,
        default=[],
        metavar="TEXT",
        help="further options of `syntagma train`, to try the whole quickly",
    )
    parser.add_argument(
        "--record",
        type=Path,
        default=RECORD,
        metavar="FILE",
        help="add the figures to this file (default: benchmarks/languages_record.json)",
    )
    parser.add_argument("--pages", action="store_true", help="write the tables into docs/lab")
    parser.add_argument("--package", action="store_true", help="write the packages")
    parser.add_argument(
        "--target", type=Path, default=ROOT, metavar="FOLDER", help="the checkout to write them to"
    )
    machine.add_unit_option(parser)
    arguments = parser.parse_args()
    if not arguments.folder and not arguments.record.exists():
        parser.error(f"there is no record {arguments.record}: give a --folder to measure in")
    return arguments


def add(
    path: Path, name: str, figures: dict[str, Any], known: dict[str, Treebank]
) -> dict[str, Any]:
    """Add the figures of a treebank to the record; those that we know come first, as listed.

    The record is read again, because another process may have added to it.
    """
    entries = samples.read_json(path).get("treebanks", {}) | {name: figures}
    places = [treebank.name for treebank in known.values()]
    names = sorted(entries, key=lambda each: places.index(each) if each in places else len(places))
    record = {"command": COMMAND, "treebanks": {each: entries[each] for each in names}}
    samples.write_json(path, record)
    return record


def pack(
    treebank: Treebank,
    version: str,
    record: dict[str, Any],
    workplace: Workplace | None,
    target: Path,
) -> None:
    """Write the package of a language, from the model that was trained or from the one in it."""
    code = treebank.code
    folder = target / "languages" / code
    model = folder / f"syntagma_{code}" / f"{code}.syntagma"
    if workplace is not None:
        model = Path(workplace.model(treebank))
    if not model.exists():
        raise ModelError(f"{model}: no such model file; train it first (--folder)")
    if model.stat().st_size > MOST:
        raise ModelError(f"{model}: more than {MOST / 1e6:.0f} MB, too large for a package")
    distribution = package(
        model,
        folder,
        name=code,
        version=version,
        figures=card_records(record["treebanks"][treebank.name]),
        licence_text=licence_text(treebank, folder),
    )
    samples.say(f"{folder}: {distribution} {version}")


def licence_text(treebank: Treebank, folder: Path) -> str | None:
    """The text of the licence, if the package must hold it: of the treebank, or the one in it."""
    if not treebank.licence_text:
        return None
    places = [treebank.folder / "LICENSE.txt", folder / "LICENSE.txt"]
    return next(place for place in places if place.exists()).read_text(encoding="utf-8")


def card_records(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The figures of the model card, as `syntagma evaluate --json` writes them."""
    about = {"data": entry["data"], "syntagma": entry["syntagma"]}
    records = [{**about, "conditions": entry["conditions"]}]
    if "realization" in entry:
        records.append({**about, **entry["realization"]})
    return records


if __name__ == "__main__":
    machine.start(main)
