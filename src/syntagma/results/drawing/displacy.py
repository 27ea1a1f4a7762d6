"""Trees as the dictionaries that displaCy, spaCy's visualiser, draws."""

from __future__ import annotations

from typing import Any

from syntagma.results.drawing.characters import runs_right_to_left
from syntagma.results.drawing.panel import LabelledTree


def to_displacy(tree: LabelledTree) -> dict[str, Any]:
    """The words and arcs for `displacy.render(…, style="dep", manual=True)`."""
    arcs = []
    for word, (head, label) in enumerate(zip(tree.heads, tree.deprels, strict=True), start=1):
        if head:
            arcs.append(
                {
                    "start": min(word, head) - 1,
                    "end": max(word, head) - 1,
                    "label": label,
                    "dir": "left" if word < head else "right",
                }
            )
    drawn: dict[str, Any] = {
        "words": [
            {"text": word, "tag": tag} for word, tag in zip(tree.words, tree.tags, strict=True)
        ],
        "arcs": arcs,
    }
    if runs_right_to_left(tree.words):
        drawn["settings"] = {"direction": "rtl"}
    return drawn
