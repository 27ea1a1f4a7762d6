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
        "languages": [ordering(entries), realization(entries)],
        "projectivity": [projectivity(entries), liftings(entries)],
    }


def ordering(entries: Mapping[str, Entry]) -> Table:
    """Models that were trained: BLEU and exact match by condition, time, size."""
    table = Table(
        "Ordering",
        "treebank",
        [
            ("sentences", [""]),
            *((condition, ["BLEU", "exact %"]) for condition in ("none", "pos", "tree")),
            ("labelled", ["BLEU", "exact %", "time ÷ unit"]),
            ("training", ["CPU minutes", "÷ unit, thousands"]),
            ("model", ["MB"]),
        ],
        notes=notes(entries),
    )
    for entry in trained(entries):
        by_condition = {each["condition"]: each for each in entry["conditions"]}
        cells = [title(entry), f"{by_condition['labelled']['sentences']:,}"]
        for condition in ("none", "pos", "tree", "labelled"):
            figures = by_condition[condition]
            cells += [f"{figures['bleu']:.1f}", f"{figures['exact']:.1f}"]
        cells.append(divided(by_condition["labelled"]))
        attempts = entry["training"]["attempts"]
        cells.append(f"{sum(each['cpu_seconds'] for each in attempts) / 60:.0f}")
        cells.append(training_units(attempts))
        cells.append(f"{entry['model']['size'] / 1e6:.1f}")
        table.rows.append(cells)
    return table


def realization(entries: Mapping[str, Entry]) -> Table:
    """Sentences from lemmas."""
    table = Table(
        "Realisation of labelled trees of lemmas",
        "treebank",
        [
            ("", ["right forms %"]),
            ("words", ["BLEU"]),
            ("as written", ["BLEU", "exact %"]),
            ("", ["time ÷ unit"]),
        ],
    )
    for entry in trained(entries):
        figures = entry.get("realization")
        if figures is None:
            table.rows.append([title(entry), *[MISSING] * 5])
            continue
        table.rows.append(
            [
                title(entry),
                f"{figures['forms']:.1f}",
                f"{figures['bleu']:.1f}",
                f"{figures['written_bleu']:.1f}",
                f"{figures['exact']:.1f}",
                divided(figures),
            ]
        )
    return table


def projectivity(entries: Mapping[str, Entry]) -> Table:
    """Projective orders only against all orders, of labelled trees."""
    table = Table(
        "Labelled trees, projective orders against all orders",
        "treebank",
        [
            ("projective only", ["BLEU", "exact %", "time ÷ unit"]),
            ("all orders", ["BLEU", "exact %", "time ÷ unit"]),
            ("difference (95% interval)", ["BLEU", "exact"]),
        ],
        notes=notes(entries),
    )
    for entry in entries.values():
        figures = entry["projectivity"]
        free = figures["free"]
        cells = [title(entry)]
        for found in (figures["projective"], free) if "projective" in figures else (free, None):
            if found is None:  # the model writes no other orders
                cells += [MISSING] * 3
            else:
                cells += [f"{found['bleu']:.2f}", f"{found['exact']:.2f}", divided(found)]
        cells += [interval(figures.get(f"{name}_interval")) for name in ("bleu", "exact")]
        table.rows.append(cells)
    return table


def liftings(entries: Mapping[str, Entry]) -> Table:
    """How often orders are not projective, and how often a lifting is right."""
    table = Table(
        "Orders that are not projective",
        "treebank",
        [
            ("sentences %", ["gold", "output"]),
            ("lifted words", ["gold", "output", "right", "precision", "recall"]),
            ("BLEU of projective sentences", ["projective only", "all orders"]),
            ("of the others", ["projective only", "all orders"]),
        ],
    )
    for entry in entries.values():
        figures = entry["projectivity"]
        cells = [title(entry), f"{figures['nonprojective']:.1f}"]
        found = figures["free"].get("projectivity")
        if found is None:
            table.rows.append([*cells, *[MISSING] * 10])
            continue
        only = figures["projective"]["projectivity"]
        lifted = found["lifted"]
        cells.append(f"{found['output_share']:.1f}")
        cells += [f"{lifted[name]:,}" for name in ("gold", "output", "right")]
        cells += [ratio(lifted["right"], lifted[name]) for name in ("output", "gold")]
        for group in ("projective", "nonprojective"):
            cells += [bleu(each[group]["bleu"]) for each in (only, found)]
        table.rows.append(cells)
    return table


def trained(entries: Mapping[str, Entry]) -> list[Entry]:
    return [entry for entry in entries.values() if entry["training"]]


def title(entry: Entry) -> str:
    return f"{entry['code']}: {entry['title']}"


def bleu(figure: float | None) -> str:
    return MISSING if figure is None else f"{figure:.1f}"


def ratio(part: int, whole: int) -> str:
    """
    >>> ratio(1, 3), ratio(0, 0) == MISSING
    ('33.3%', True)
    """
    return f"{part / whole:.1%}" if whole else MISSING


def divided(figures: Entry) -> str:
    """Time of a sentence ÷ machine unit."""
    units = figures["units_ms"]
    return f"{figures['cpu_ms'] / fmean(units):.2f}" if units else MISSING


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
