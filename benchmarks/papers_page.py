"""The page of the papers' experiments: tables and figures between markers, prose left as it is.

A block begins with `<!-- L15 Table 3 -->` and ends with `<!-- end -->`. What is between them is
written anew; everything else of the page is kept. Blocks that the page lacks are added at its end.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import plots
from papers_cells import slug
from papers_experiments import Experiment
from papers_tables import Record
from records import Table
from results import markdown

from syntagma.files.writing import atomic_write

END = "<!-- end -->"
IMAGES = "images"  # folder beside the page
SETTING = "Setting"  # the block that says what was run
EXAMPLES = "Examples"
EXAMPLES_NOTE = """\
L15 Table 6, P16 Table 5 and ZC15 Tables 5, 6 and 8 show outputs. Ours hold text of the treebank and
are not printed here: the command writes them to `examples.txt` in its folder, by length, and
`syntagma evaluate --examples 3` shows those of one model.
"""


def update_page(path: Path, record: Record, chosen: Iterable[Experiment]) -> None:
    """Rewrite the blocks of a page and draw its figures."""
    text = path.read_text(encoding="utf-8") if path.exists() else "# The papers' experiments\n"
    blocks = {SETTING: setting(record.data)}
    for experiment in chosen:
        blocks[experiment.name] = block(path, record, experiment)
    blocks[EXAMPLES] = EXAMPLES_NOTE
    for name, body in blocks.items():
        text = replaced(text, name, body)
    with atomic_write(path, "w") as file:
        file.write(text)


def replaced(text: str, name: str, body: str) -> str:
    """The page with a new body in a block.

    >>> replaced("a\\n<!-- X -->\\nold\\n<!-- end -->\\nb\\n", "X", "new\\n")
    'a\\n<!-- X -->\\n\\nnew\\n\\n<!-- end -->\\nb\\n'
    """
    begin = f"<!-- {name} -->"
    whole = f"{begin}\n\n{body.strip()}\n\n{END}"
    if begin not in text:
        return f"{text.rstrip()}\n\n## {name}\n\n{whole}\n"
    pattern = re.escape(begin) + ".*?" + re.escape(END)
    new, count = re.subn(pattern, lambda _: whole, text, flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"error: the page has {count} blocks {begin} … {END}, not 1")
    return new


def block(path: Path, record: Record, experiment: Experiment) -> str:
    parts = [as_markdown(table) for table in experiment.tables(record)]
    if experiment.plot and (plot := experiment.plot(record)).panels[""]:
        image = path.parent / IMAGES / f"papers-{slug(experiment.name)}.svg"
        image.parent.mkdir(parents=True, exist_ok=True)
        plots.draw(image, plot.panels, x_axis=plot.x_axis, y_axis=plot.y_axis)
        parts.insert(0, f"![{plot.alt}]({IMAGES}/{image.name})\n")
    return "\n".join(parts)


def as_markdown(table: Table) -> str:
    headings = [table.first]
    for group, columns in table.groups:
        headings += [f"{group}: {columns[0]}" if group else columns[0], *columns[1:]]
    rows = [[*row, *[""] * (len(headings) - len(row))] for row in table.rows]
    notes = f"\n*{'; '.join(table.notes)}.*\n" if table.notes else ""
    return markdown([headings, *rows]) + notes


def setting(data: dict[str, Any]) -> str:
    """What was run, on which sentences."""
    rows = [["sample", "sentences", "drawn from", "of"]]
    for name, about in data["samples"].items():
        rows.append([name, f"{about['sentences']:,}", about["name"], f"{about['of']:,}"])
    words = textwrap.wrap(data["command"], 110, break_on_hyphens=False, break_long_words=False)
    shown = " \\\n    ".join(words)
    version = f"Measured with Syntagma {data['syntagma']}."
    return f"```console\n$ {shown}\n```\n\n{markdown(rows)}\n{version}\n"
