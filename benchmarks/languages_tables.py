"""The tables of languages from a record: their figures, and orders that are not projective."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from papers_page import as_markdown, replaced
from records import Table

from syntagma.files.writing import atomic_write

MISSING = "\N{EN DASH}"
Entry = Mapping[str, Any]  # what a record holds of one treebank
Record = Mapping[str, Any]

PAGES = {"languages": "docs/lab/languages.md", "projectivity": "docs/lab/projectivity.md"}
SETTING = "Setting"  # the block of a page that says what was run


def tables(record: Record) -> dict[str, list[Table]]:
    """All tables, by the pages on which they stand."""
    entries = record["treebanks"]
    return {
        "languages": [ordering(entries), realization(entries), cost(entries)],
        "projectivity": [projectivity(entries), liftings(entries), apart(entries)],
    }


def ordering(entries: Mapping[str, Entry]) -> Table:
    """Models that were trained: BLEU and exact match by condition."""
    conditions = ("none", "pos", "tree", "labelled")
    table = Table(
        "Ordering: BLEU / exact %",
        "treebank",
        [("", ["sentences"]), *(("", [condition]) for condition in conditions)],
        notes=notes(entries),
    )
    for entry in trained(entries).values():
        found = by_condition(entry)
        cells = [both(found[condition], 1) for condition in conditions]
        table.rows.append([entry["title"], f"{found['labelled']['sentences']:,}", *cells])
    return table


def realization(entries: Mapping[str, Entry]) -> Table:
    """Sentences from lemmas."""
    table = Table(
        "Realisation of labelled trees of lemmas",
        "treebank",
        [("", ["right forms %"]), ("words", ["BLEU"]), ("as written", ["BLEU", "exact %"])],
    )
    for entry in trained(entries).values():
        figures = entry.get("realization", {})
        names = ("forms", "bleu", "written_bleu", "exact")
        table.rows.append([entry["title"], *(shown(figures.get(name)) for name in names)])
    return table


def cost(entries: Mapping[str, Entry]) -> Table:
    """Size, and CPU time in training and use."""
    table = Table(
        "Size and time",
        "treebank",
        [
            ("model", ["MB"]),
            ("training", ["CPU minutes", "÷ unit, thousands"]),
            ("a sentence ÷ unit", ["none", "labelled", "realized"]),
        ],
    )
    for entry in trained(entries).values():
        found = by_condition(entry)
        attempts = entry["training"]["attempts"]
        table.rows.append(
            [
                entry["title"],
                f"{entry['model']['size'] / 1e6:.1f}",
                f"{sum(each['cpu_seconds'] for each in attempts) / 60:.1f}",
                training_units(attempts),
                *(divided(found[condition]) for condition in ("none", "labelled")),
                divided(entry.get("realization")),
            ]
        )
    return table


def projectivity(entries: Mapping[str, Entry]) -> Table:
    """Projective orders only against all orders, of labelled trees."""
    table = Table(
        "Labelled trees: BLEU / exact %",
        "treebank",
        [
            ("", ["projective only", "all orders"]),
            ("gain (95% interval)", ["BLEU", "exact"]),
            ("time ÷ unit", ["projective", "all"]),
        ],
        notes=notes(entries),
    )
    for name, entry in entries.items():
        figures = entry["projectivity"]
        free, only = figures["free"], figures.get("projective")
        # A model that has not learned other orders writes projective ones only.
        pair = (free, None) if only is None else (only, free)
        table.rows.append(
            [
                name,
                *(both(each, 2) for each in pair),
                *(interval(figures.get(f"{score}_interval")) for score in ("bleu", "exact")),
                *map(divided, pair),
            ]
        )
    return table


def liftings(entries: Mapping[str, Entry]) -> Table:
    """How often orders are not projective, and how often a lifting is right."""
    table = Table(
        "Orders that are not projective",
        "treebank",
        [
            ("sentences %", ["gold", "output"]),
            ("lifted words", ["gold", "output", "right", "precision", "recall"]),
        ],
    )
    for name, entry in entries.items():
        figures = entry["projectivity"]
        cells = [name, f"{figures['nonprojective']:.1f}"]
        found = figures["free"].get("projectivity")
        if found is None:
            table.rows.append([*cells, *[MISSING] * 6])
            continue
        lifted = found["lifted"]
        cells.append(f"{found['output_share']:.1f}")
        cells += [f"{lifted[each]:,}" for each in ("gold", "output", "right")]
        cells += [ratio(lifted["right"], lifted[each]) for each in ("output", "gold")]
        table.rows.append(cells)
    return table


def apart(entries: Mapping[str, Entry]) -> Table:
    """Sentences whose gold order is projective, and the others."""
    table = Table(
        "Projective sentences and others: BLEU / exact %",
        "treebank",
        [
            ("projective sentences", ["projective only", "all orders"]),
            ("others", ["projective only", "all orders"]),
        ],
    )
    for name, entry in entries.items():
        figures = entry["projectivity"]
        pair = [figures.get(each, {}).get("projectivity") for each in ("projective", "free")]
        cells = [
            both(found and found[group], 1)
            for group in ("projective", "nonprojective")
            for found in pair
        ]
        table.rows.append([name, *cells])
    return table


def trained(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    return {name: entry for name, entry in entries.items() if entry["training"]}


def by_condition(entry: Entry) -> dict[str, Entry]:
    return {each["condition"]: each for each in entry["conditions"]}


def both(figures: Entry | None, digits: int) -> str:
    """
    >>> both({"bleu": 31.25, "exact": 2.0}, 1)
    '31.2 / 2.0'
    """
    if figures is None or figures["bleu"] is None:
        return MISSING
    return f"{figures['bleu']:.{digits}f} / {figures['exact']:.{digits}f}"


def shown(figure: float | None) -> str:
    return MISSING if figure is None else f"{figure:.1f}"


def ratio(part: int, whole: int) -> str:
    """
    >>> ratio(1, 3), ratio(0, 0) == MISSING
    ('33.3%', True)
    """
    return f"{part / whole:.1%}" if whole else MISSING


def divided(figures: Entry | None) -> str:
    """Time of a sentence ÷ machine unit."""
    if figures is None or not figures["units_ms"]:
        return MISSING
    return f"{figures['cpu_ms'] / fmean(figures['units_ms']):.2f}"


def training_units(attempts: Sequence[Entry]) -> str:
    """Time of training ÷ the units around each attempt, in thousands."""
    if not all(each["units_ms"] for each in attempts):
        return MISSING
    thousands = sum(each["cpu_seconds"] / fmean(each["units_ms"]) for each in attempts)
    return f"{thousands:.0f}"


def interval(found: Sequence[float] | None) -> str:
    """
    >>> interval([0.5, -0.12, 1.0])
    '+0.50 (-0.12 to +1.00)'
    """
    if found is None:
        return MISSING
    difference, low, high = found
    return f"{difference:+.2f} ({low:+.2f} to {high:+.2f})"


def notes(entries: Mapping[str, Entry]) -> list[str]:
    splits = sorted({entry["split"] for entry in entries.values()})
    units = [
        fmean(each["units_ms"])
        for entry in entries.values()
        for each in entry["conditions"]
        if each["units_ms"]
    ]
    told = [f"measured on {' and '.join(splits)}"]
    if units:
        told.append(f"machine unit {min(units):.1f} to {max(units):.1f} ms")
    return told


def setting(record: Record) -> str:
    """What was run."""
    versions = sorted({entry["syntagma"] for entry in record["treebanks"].values()})
    return (
        f"```console\n$ {record['command']}\n```\n\nMeasured with Syntagma {', '.join(versions)}.\n"
    )


def update_pages(record: Record, root: Path) -> None:
    """Rewrite the tables of the pages; their prose stays."""
    for name, found in tables(record).items():
        path = root / PAGES[name]
        text = replaced(path.read_text(encoding="utf-8"), SETTING, setting(record))
        for table in found:
            text = replaced(text, table.title, as_markdown(table))
        with atomic_write(path, "w") as file:
            file.write(text)
