"""Writes the main tables of README.md and docs/lab from records of other benchmarks.

    python benchmarks/scorers.py benchmarks/models/en-linear.syntagma en --data TEST --json s.json
    python benchmarks/gains.py en --data TEST … --json g.json
    python benchmarks/results.py --scorers s.json --gains g.json [--closed c.json]

`--closed` is a record of `syntagma evaluate --json` with a model that has learned from the treebank
alone. Without `--update`, the tables are printed only.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import machine

from syntagma.evaluation.evaluate import LENGTH_CLASSES
from syntagma.files.writing import atomic_write
from syntagma.treebanks.conditions import MAIN_CONDITIONS

ROOT = Path(__file__).resolve().parents[1]
GIVEN = {
    "none": "nothing but words (`none`)",
    "pos": "parts of speech (`pos`)",
    "half": "half of tags and arcs (`half`)",
    "tree": "unlabelled tree (`tree`)",
    "labelled": "labelled tree (`labelled`)",
}
DASH = MISSING = "\N{EN DASH}"
# BLEU and time ÷ unit of ZGen on the first 500 projective sentences of the test set.
ZGEN = {
    "none": ("18.9", "1.6"),
    "pos": ("25.0", f"0.3{DASH}1.1"),
    "half": ("27.1", "1.0"),
    "labelled": ("83.7", "0.8"),
}
# The names of corpora, by the first digits of their checksums: two have the same file name.
CORPORA = {
    "e266e515": "EWT 2.16, test",
    "9e0340da": "EWT 2.3, dev",
    "5410f51e": "CCG, dev",
    "87fbc0e7": "CRAFT",
}
Rows = list[list[str]]


def main() -> None:
    arguments = parse_arguments()
    scorers = read(arguments.scorers)
    gains = [corpus for path in arguments.gains for corpus in read(path)["corpora"]]
    closed = read(arguments.closed) if arguments.closed else None
    pages = {
        "README.md": [main_table(scorers)],
        "docs/lab/results.md": [main_table(scorers, gains, closed), size_table(scorers)],
        "docs/lab/language-model.md": [gains_table(gains)],
    }
    for name, tables in pages.items():
        print(f"\n{name}\n", *map(markdown, tables), sep="\n")
        if arguments.update:
            update(ROOT / name, tables)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for option, help in (
        ("--scorers", "a record of scorers.py: a linear and a neural model on the test set"),
        ("--closed", "a record of `syntagma evaluate` on the test set"),
    ):
        required = option == "--scorers"
        parser.add_argument(option, type=Path, required=required, metavar="FILE", help=help)
    parser.add_argument(
        "--gains",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="records of gains.py; the first corpus is the test set",
    )
    parser.add_argument("--update", action="store_true", help="write the tables into the pages")
    return parser.parse_args()


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def main_table(
    scorers: dict[str, Any],
    gains: Sequence[dict[str, Any]] = (),
    closed: dict[str, Any] | None = None,
) -> Rows:
    """The table of the conditions; with gains, that of the page with more columns."""
    en, linear = (by_condition(model_of(scorers, name)) for name in ("neural", "linear"))
    network = by_condition(gains[0]) if gains else {}
    alone = by_condition(closed) if closed else {}
    more = ["network: BLEU", "closed: BLEU"] if gains else []
    heading = ["given", "**en: BLEU**", "exact %", "time", *more]
    rows = [[*heading, "linear: BLEU", "time", "ZGen: BLEU", "time"]]
    for name in MAIN_CONDITIONS:
        row = [GIVEN[name], f"**{en[name]['bleu']:.1f}**", f"{en[name]['exact']:.1f}"]
        row.append(time(en[name]))
        if gains:
            row.append(bleu(network.get(name, {}).get("without")))
            row.append(bleu(alone.get(name)))
        row += [bleu(linear[name]), time(linear[name]), *ZGEN.get(name, (MISSING, MISSING))]
        rows.append(row)
    return rows


def size_table(scorers: dict[str, Any]) -> Rows:
    """Size, memory, threads and times by length."""
    models = [model_of(scorers, name) for name in ("neural", "linear")]
    rows = [["", "en", "linear"]]
    rows.append(["model file, loading, peak memory", *map(size, models)])
    rates = (model["per_second"] for model in models)
    rows.append(
        ["sentences per second on 1 and 2 threads", *(f"{r['1']:.0f}, {r['2']:.0f}" for r in rates)]
    )
    classes = ", ".join(LENGTH_CLASSES).replace("-", DASH)
    for at, name in enumerate(("none", "labelled")):
        title = "the same" if at else f"{classes} words, ms"
        rows.append([f"`{name}`: {title}", *(times(by_condition(each)[name]) for each in models)])
    return rows


def gains_table(corpora: Sequence[dict[str, Any]]) -> Rows:
    """BLEU without and with the language model."""
    rows = [["corpus", "given", "sentences", "without", "with", "difference (95% interval)"]]
    for corpus in corpora:
        data = corpus["data"]
        for each in corpus["conditions"]:
            low, high = each["interval"]
            rows.append(
                [
                    CORPORA.get(data["sha256"][:8], data["name"]),
                    each["condition"],
                    f"{each['sentences']:,}",
                    f"{each['without']['bleu']:.2f}",
                    f"{each['with']['bleu']:.2f}",
                    f"{each['difference']:+.2f} ({low:+.2f} to {high:+.2f})",
                ]
            )
    return rows


def model_of(scorers: dict[str, Any], scorer: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = [each for each in scorers["models"] if each["scorer"] == scorer]
    if len(found) != 1:
        raise SystemExit(f"error: the record of scorers.py has {len(found)} {scorer} models, not 1")
    return found[0]


def by_condition(record: dict[str, Any]) -> dict[str, Any]:
    return {each["condition"]: each for each in record["conditions"]}


def bleu(figures: dict[str, Any] | None) -> str:
    return f"{figures['bleu']:.1f}" if figures else MISSING


def time(figures: dict[str, Any]) -> str:
    """Time ÷ unit."""
    units = figures["units_ms"]
    return f"{figures['cpu_ms'] / fmean(units):.2g}" if units else MISSING


def size(model: dict[str, Any]) -> str:
    return f"{model['size_mb']:.0f} MB, {model['load_s']:.2f} s, {model['peak_mb']:.0f} MB"


def times(figures: dict[str, Any]) -> str:
    """CPU milliseconds by length."""
    shown = (each["cpu_ms"] for each in figures["lengths"])
    return ", ".join(
        MISSING if ms is None else f"{ms:.1f}" if ms < 9.95 else f"{ms:.0f}" for ms in shown
    )


def markdown(table: Rows) -> str:
    heading, *rows = table
    return "\n".join(map(line, [heading, ["---"] * len(heading), *rows])) + "\n"


def line(cells: Sequence[str]) -> str:
    """A line of a table.

    >>> line(["---", "---"]), line(["", "en"])
    ('|---|---|', '| | en |')
    """
    if set(cells) == {"---"}:
        return "|" + "|".join(cells) + "|"
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)


def update(path: Path, tables: Sequence[Rows]) -> None:
    """Replace the tables of a page that have the same headings."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for table in tables:
        lines = list(replaced(lines, table))
    with atomic_write(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def replaced(lines: Sequence[str], table: Rows) -> Iterator[str]:
    heading = line(table[0])
    if lines.count(heading) != 1:
        raise SystemExit(f"error: {lines.count(heading)} tables begin with {heading}, not 1")
    old = False
    for each in lines:
        if each == heading:
            yield from markdown(table).splitlines()
            old = True
        elif not (old and each.startswith("|")):
            old = False
            yield each


if __name__ == "__main__":
    machine.start(main)
