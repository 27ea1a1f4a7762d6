"""The tables of the papers, with the published numbers beside ours.

Published numbers come from `papers_published.json`, transcribed from the papers by table and row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from papers_cells import Cell, Measurement, Statistics, TimeLimits, Training, title
from papers_systems import BEAMS
from records import Table
from results import DASH
from samples import Grammar

PUBLISHED: dict[str, Any] = json.loads(
    Path(__file__).with_name("papers_published.json").read_text(encoding="utf-8")
)
NINE = tuple(PUBLISHED["L15 Table 3"]["columns"])
NOTHING = NINE[0]
HEADINGS = [name.removeprefix("tags").replace("-arcs", "/") for name in NINE]
GIVEN = "% of tags/arcs given"
TEST = {
    "none": "no tags, no arcs",
    "pos": "all tags, no arcs",
    "tree": "all tags, all arcs",
    "labelled": "all tags, labelled arcs",
}
CCG_NEGATIVES = {
    "no negatives": ("z12", "ccg-scaled"),
    "negatives": ("ccg-negatives", "zc15-ccg"),
}
AVERAGED = {"": "", "-averaged": ", averaged weights"}  # ends of the names of systems
WITHOUT_CCG = "CCG rows are left out: no --ccg-train, --ccg-dev and --ccg-test were given"
NAMES = {
    "z13": "z13 (best-first)",
    "zc15": "zc15 (best-first)",
    "zc15-ccg": "zc15-ccg (best-first)",
    "z12": "z12 (best-first, CCG)",
    "z11": "z11 (best-first, CCG)",
}


# Systems that are trained on labelled trees, for the condition labelled.
LABELLED = {system: f"{system}-labelled" for system in ("z13", "zc15", "l15", "p16")}


class Record:
    """The figures of all cells that have been made."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def get(self, cell: Cell) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self.data["cells"].get(title(cell))
        return found

    @property
    def has_ccg(self) -> bool:
        return any(name.endswith(".auto") for name in self.data.get("samples", {}))


# Rows of published tables, each followed by our systems that it is compared with.
Rows = Sequence[tuple[str, str, Sequence[str]]]  # table, row, systems
L15_ROWS: Rows = [
    ("L15 Table 3", "Z13", ("z13",)),
    ("L15 Table 3", "Ours", ("l15",)),
]
P16_ROWS: Rows = [
    *L15_ROWS,
    ("P16 Table 3", "Ours", ("p16", "p16+")),
    ("", "", ("en",)),
]
ZC15_ROWS: Rows = [("ZC15 Table 7", "", ("z13", "zc15"))]
ABLATED = (NINE[0], NINE[2], NINE[8])
ABLATIONS = {
    "l15": "as above",
    "l15-none": "trained on bare bags of words",
    "l15-eager": "left arcs first, as in P16",
    "l15-small": "trained on fewer sentences",
    "z13": "as above",
    "z13-first": "a sentence is left after its first update",
    "zc15": "as above",
    "zc15-averaged": "averaged weights",
    "zc15-tree": "trained on trees",
}
L15_FINAL: Rows = [
    ("L15 Table 5", "Wan et al. (2009)", ()),
    ("L15 Table 5", "Zhang and Clark (2011b)", ()),
    ("L15 Table 5", "Zhang et al. (2012)", ()),
    ("L15 Table 5", "Zhang (2013)", ("z13", "zc15")),
    ("L15 Table 5", "This paper", ("l15",)),
]
P16_FINAL: Rows = [
    ("P16 Table 4", "Z13", ("z13", "zc15")),
    ("P16 Table 4", "L15", ("l15",)),
    ("P16 Table 4", "This paper", ("p16", "p16+")),
    ("", "", ("en",)),
]
SPANS = {
    "z13": "Z13",
    "zc15": "",
    "l15": "ours",
    "p16+": "",
}  # our systems, and rows of L15 Table 4
FIGURE_4 = {
    "zc15-ccg": "scaled margin",
    "z12": "margin",
    "z11": "perceptron",
    "zc15-ccg-averaged": "scaled margin, averaged",
    "z12-averaged": "margin, averaged",
    "ccg-negatives-averaged": "margin with negatives, averaged",
}
FIGURE_5 = {"zc15-ccg": "scaled margin", "z12": "margin"}
FIGURE_6 = {"zc15": "scaled margin", "standard": "margin"}
LIMITS = {"zc15-ccg": "pos", "z13": "none", "zc15": "none"}
ZC15_FINAL = {
    "Zhang and Clark (2011) (CCG)": "z11",
    "Zhang, Blackwood, and Clark (2012) (CCG)": "z12",
    "Zhang, Blackwood, and Clark (2012) +LM (CCG)": "z12+lm",
    "Zhang (2013) (dependency)": "z13",
    "This article (CCG)": "zc15-ccg",
    "This article (dependency)": "zc15",
}


def nine_conditions(record: Record, name: str, rows: Rows) -> Table:
    """Tables 3 of L15 and P16, Table 7 of ZC15: BLEU, and milliseconds per sentence."""
    table = Table(f"{name}: BLEU, and ms per sentence", GIVEN, [("", HEADINGS)])
    for source, row, systems in rows:
        for measure in ("BLEU", "ms"):
            heading = f"{row}: {measure}" if row else measure
            if source and heading in PUBLISHED[source]["rows"]:
                numbers = PUBLISHED[source]["rows"][heading]
                shown = [f"{number:g}" for number in numbers]
                table.rows.append([f"{source}, {heading}", *shown])
            for system in systems:
                cells = [record.get(Measurement(system, "dev", each)) for each in NINE]
                table.rows.append(
                    [f"**{NAMES.get(system, system)}: {measure}**", *_shown(cells, measure)]
                )
    if name == "ZC15 Table 7":
        other = record.get(Measurement("zc15-tree", "dev", NINE[-1]))
        published = PUBLISHED["ZC15 Section 5.5"]["rows"]["BLEU"][1]
        table.rows.append(["ZC15 footnote 3, trained on trees", *[""] * 8, f"{published:g}"])
        table.rows.append(["**zc15, trained on trees: BLEU**", *[""] * 8, *_shown([other], "BLEU")])
    used = [
        figures
        for _, _, systems in rows
        for system in systems
        for each in NINE
        if (figures := record.get(Measurement(system, "dev", each)))
    ]
    table.notes += notes(used)
    return table


def _shown(cells: Sequence[dict[str, Any] | None], measure: str) -> list[str]:
    name, digits = ("bleu", 1) if measure == "BLEU" else ("cpu_ms", 0)
    return [f"{cell[name]:.{digits}f}" if cell else DASH for cell in cells]


def notes(used: Sequence[dict[str, Any]]) -> list[str]:
    """The sentences measured, and the machine units."""
    if not used:
        return ["not measured yet"]
    sentences = "/".join(map(str, sorted({figures["sentences"] for figures in used})))
    units = [unit for figures in used for unit in figures["units_ms"]]
    found = [f"{sentences} sentences"]
    if units:
        found.append(
            f"machine unit {min(units):.0f} to {max(units):.0f} ms, mean {fmean(units):.0f}"
        )
    return found


def ablations(record: Record) -> Table:
    """Variants of the systems."""
    heads = [HEADINGS[NINE.index(each)] for each in ABLATED]
    table = Table(f"Ablations: BLEU on the development set, {GIVEN}", "", [("", heads)])
    used = []
    for system, about in ABLATIONS.items():
        cells = [record.get(Measurement(system, "dev", each)) for each in ABLATED]
        table.rows.append([f"{NAMES.get(system, system)}: {about}", *_shown(cells, "BLEU")])
        used += [cell for cell in cells if cell]
    table.notes += notes(used)
    return table


def span_scores(record: Record) -> Table:
    """L15 Table 4: a row for each system; precision, recall and F for each length."""
    published = PUBLISHED["L15 Table 4"]
    groups = [(length, ("P", "R", "F")) for length in published["columns"]]
    table = Table("L15 Table 4: correct spans, %, by words in the span", "", groups)
    used = []
    for system, row in SPANS.items():
        if row:
            measures = [
                published["rows"][f"{row}: {name}"] for name in ("precision", "recall", "F")
            ]
            cells = [_number(each) for triple in zip(*measures, strict=True) for each in triple]
            table.rows.append([f"L15 Table 4, {row}", *cells])
        cells = []
        if figures := record.get(Measurement(system, "dev", NOTHING)):
            used.append(figures)
            scores = figures["spans"]["scores"][: len(groups)]
            names = ("precision", "recall", "f")
            cells = [_number(each[name]) for each in scores for name in names]
        table.rows.append([f"**{NAMES.get(system, system)}**", *cells])
    table.notes += notes(used)
    return table


def _number(value: float | None, digits: int = 1) -> str:
    return DASH if value is None else f"{value:.{digits}f}"


def final(record: Record, name: str, rows: Rows) -> Table:
    """L15 Table 5 and P16 Table 4."""
    conditions = PUBLISHED[name]["columns"]
    table = Table(f"{name}: BLEU on the test set", "", [("", [TEST[each] for each in conditions])])
    used = []
    for source, row, systems in rows:
        if source:
            numbers = PUBLISHED[source]["rows"][row]
            table.rows.append([f"{source}, {row}", *map(_number, numbers)])
        for system in systems:
            cells = [
                record.get(Measurement(used_for(system, each), "test", each)) for each in conditions
            ]
            table.rows.append([f"**{NAMES.get(system, system)}**", *_bold(_shown(cells, "BLEU"))])
            used += [cell for cell in cells if cell]
    table.notes += notes(used)
    return table


def used_for(system: str, condition: str) -> str:
    return LABELLED.get(system, system) if condition == "labelled" else system


def _bold(cells: Iterable[str]) -> list[str]:
    return [f"**{cell}**" if cell and cell != DASH else cell for cell in cells]


def by_beam(record: Record) -> Table:
    """L15 Figure 7 as a table."""
    runs = {beam: epochs_of(record, f"beam-{beam}") for beam in BEAMS}
    most = max((len(epochs) for epochs in runs.values()), default=0)
    table = Table(
        "L15 Figure 7: BLEU by iteration",
        "beam",
        [("iteration", [str(n) for n in range(1, most + 1)] or [""]), ("", ("L15 §4.1",))],
    )
    published = PUBLISHED["L15 Section 4.1"]
    stated = dict(zip(published["columns"], published["rows"]["BLEU"], strict=True))
    for beam, epochs in runs.items():
        shown = [f"{best_bleu(epoch):.1f}" for epoch in epochs]
        shown += [DASH] * (max(most, 1) - len(shown))
        table.rows.append([str(beam), *shown, _number(stated.get(str(beam)))])
    if trained := record.get(Training(f"beam-{BEAMS[-1]}")):
        table.notes.append(
            f"trained on {trained['sentences']} sentences; the same beam in training and ordering"
        )
    return table


def epochs_of(record: Record, system: str) -> list[dict[str, Any]]:
    found = record.get(Training(system))
    return found["epochs"] if found else []


def best_bleu(epoch: dict[str, Any]) -> float:
    """BLEU of an epoch: the mean over the conditions, which is one for the systems of figures."""
    return fmean(epoch["bleu"].values())


def seconds(epoch: dict[str, Any]) -> float:
    return float(epoch["cpu_seconds"])


def brevities(record: Record) -> Table:
    """L15 Figure 8 as a table."""
    shown = {
        system: {row["length"]: row for row in figures["brevity"]}
        for system in SPANS
        if (figures := record.get(Measurement(system, "dev", NOTHING)))
    }
    lengths = list(dict.fromkeys(length for rows in shown.values() for length in rows))
    table = Table(
        "L15 Figure 8: words in the output ÷ words in the sentence",
        "words",
        [("", ["sentences", *(NAMES.get(system, system) for system in shown)])],
    )
    for length in lengths:
        rows = [rows[length] for rows in shown.values()]
        cells = [f"{row['brevity']:.3f}" for row in rows]
        table.rows.append([length, str(rows[0]["sentences"]), *cells])
    return table


def span_lengths(record: Record) -> Table:
    """L15 Figure 9 as a table."""
    shown = {
        system: figures["spans"]["distribution"]
        for system in SPANS
        if (figures := record.get(Measurement(system, "dev", NOTHING)))
    }
    names = [NAMES.get(system, system) for system in shown]
    table = Table("L15 Figure 9: spans by length, %", "words", [("", ["gold", *names])])
    for rows in zip(*shown.values(), strict=True):
        cells = [_number(row["output_share"]) for row in rows]
        table.rows.append([rows[0]["length"], _number(rows[0]["gold_share"]), *cells])
    return table


def statistics(record: Record) -> Table:
    """ZC15 Table 3, the base noun phrases of its §5, and non-projective sentences."""
    heads = ("sentences", "words", "base NPs", "words per base NP", "non-projective %")
    table = Table("ZC15 Table 3: the data", "", [("", heads)])
    for row, (sentences, words) in PUBLISHED["ZC15 Table 3"]["rows"].items():
        table.rows.append([f"ZC15 Table 3, {row}", f"{sentences:,}", f"{words:,}"])
    for name, (number, size) in PUBLISHED["ZC15 Section 5"]["rows"].items():
        table.rows.append([f"ZC15 §5, Training, {name}", "", "", f"{number:,}", f"{size:.2f}"])
    grammars: tuple[Grammar, ...] = ("dependency", "ccg")
    for grammar in grammars:
        figures = record.get(Statistics(grammar))
        for split, row in (figures["splits"] if figures else {}).items():
            phrases, crossed = row["base_noun_phrases"], row["nonprojective_sentences"]
            size = f"{row['base_noun_phrase_words'] / phrases:.2f}" if phrases else DASH
            share = f"{100 * crossed / row['sentences']:.1f}" if grammar == "dependency" else DASH
            counts = (row["sentences"], row["words"], phrases)
            shown = [f"{count:,}" for count in counts]
            table.rows.append([f"**{split}, {grammar}**", *shown, size, share])
    return table


def negatives(record: Record) -> Table:
    """ZC15 Table 4."""
    table = Table(
        "ZC15 Table 4: BLEU on the development set, CCG",
        "",
        [("", ("standard linear model", "scaled linear model"))],
    )
    for row, systems in CCG_NEGATIVES.items():
        published = PUBLISHED["ZC15 Table 4"]["rows"][row]
        shown = ["no convergence" if number is None else f"{number:g}" for number in published]
        table.rows.append([f"ZC15 Table 4, {row}", *shown])
        for suffix, about in AVERAGED.items():
            runs = [epochs_of(record, system + suffix) for system in systems]
            best = [f"{max(map(best_bleu, run)):.2f}" if run else DASH for run in runs]
            table.rows.append([f"**ours, {row}{about}**", *_bold(best)])
    table.notes.append("ours: the best epoch, with the search budget of training (expansions)")
    if not record.has_ccg:
        table.notes.append(WITHOUT_CCG)
    return table


def by_epoch(
    record: Record,
    name: str,
    systems: dict[str, str],
    value: Callable[[dict[str, Any]], float],
    unit: str,
) -> Table:
    """Figures 4 to 6 of ZC15 as tables."""
    runs = {system: epochs_of(record, system) for system in systems}
    most = max((len(epochs) for epochs in runs.values()), default=0)
    heads = [str(number) for number in range(1, most + 1)]
    table = Table(f"{name}: {unit} by iteration", "", [("iteration", heads or [""])])
    for system, about in systems.items():
        table.rows.append([f"{about} ({system})", *(f"{value(each):.1f}" for each in runs[system])])
    if not record.has_ccg and systems != FIGURE_6:
        table.notes.append(WITHOUT_CCG)
    return table


def time_limits(record: Record) -> Table:
    """ZC15 Figure 7."""
    runs = {system: record.get(TimeLimits(system, given)) for system, given in LIMITS.items()}
    limits: list[dict[str, Any]] = next((run["limits"] for run in runs.values() if run), [])
    heads = [f"{each['timeout']:g} s" for each in limits]
    table = Table("ZC15 Figure 7: BLEU by time limit", "", [("", heads or [""])])
    published = PUBLISHED["ZC15 Section 5.3"]
    stated = dict(zip(published["columns"], published["rows"]["BLEU"], strict=True))
    shown = [_number(stated.get(f"{each['timeout']:g}"), 2) for each in limits]
    table.rows.append(["ZC15 §5.3, Z13, no tags", *shown])
    for system, run in runs.items():
        given = "no tags" if LIMITS[system] == "none" else "all tags"
        for name, value in (
            ("BLEU", "bleu"),
            ("coverage %", "coverage"),
            ("unfinished", "unfinished"),
        ):
            cells = [f"{each[value]:g}" for each in run["limits"]] if run else []
            table.rows.append([f"**{NAMES.get(system, system)}, {given}: {name}**", *cells])
    if used := [run for run in runs.values() if run]:
        table.notes.append(f"{used[0]['sentences']} sentences")
    if not record.has_ccg:
        table.notes.append(WITHOUT_CCG)
    return table


def zc15_final(record: Record) -> Table:
    """ZC15 Table 9, and the share of words recovered (§5.6)."""
    table = Table(
        "ZC15 Table 9: test set, all tags, no arcs",
        "",
        [("", ("published BLEU", "our system", "BLEU", "words recovered %", "published"))],
    )
    recovered = dict(
        zip(("zc15-ccg", "zc15"), PUBLISHED["ZC15 Section 5.6"]["rows"]["recovered"], strict=True)
    )
    used = []
    for row, [number] in PUBLISHED["ZC15 Table 9"]["rows"].items():
        system = ZC15_FINAL.get(row, "")
        figures = record.get(Measurement(system, "test", "pos")) if system else None
        cells = (
            [f"**{figures['bleu']:.1f}**", f"{figures['coverage']:.1f}"]
            if figures
            else [DASH, DASH]
        )
        published = _number(recovered.get(system), 2)
        table.rows.append([row, f"{number:g}", system or DASH, *cells, published])
        used += [figures] if figures else []
    table.notes += notes(used)
    if not record.has_ccg:
        table.notes.append(WITHOUT_CCG)
    return table
