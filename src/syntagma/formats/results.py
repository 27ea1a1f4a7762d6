"""Results as text in the formats of data: plain text, JSON lines, CoNLL-U.

Trees and pictures for people are drawn in `results/drawing`.
"""

from __future__ import annotations

from typing import Literal

from syntagma.formats.conllu import write_conllu
from syntagma.formats.jsonl import write_acceptance, write_jsonl
from syntagma.problem.word import TagColumn
from syntagma.results.acceptance import Acceptance
from syntagma.results.linearization import Linearization
from syntagma.results.realization import NBest, Realization

Result = Linearization | Realization
Results = Result | NBest[Linearization] | NBest[Realization]  # of one problem
DataFormat = Literal["text", "json", "conllu"]


def write_results(results: Results | Acceptance, format: DataFormat, tag_column: TagColumn) -> str:
    """One result, or the n best of one problem, as text that ends with a newline."""
    if isinstance(results, Acceptance):
        return f"{results}\n" if format == "text" else write_acceptance(results)
    if format == "json":
        return write_jsonl(results)
    if format == "text":
        if not isinstance(results, NBest):
            return f"{results.text}\n"
        # An empty line ends the list, which may be shorter than requested.
        return "".join(f"{each.score:.4f}\t{each.text}\n" for each in results) + "\n"
    trees = []
    for each in results if isinstance(results, NBest) else (results,):
        if isinstance(each, Realization):
            trees.append(write_conllu(each.linearization, tag_column, each.spelling))
        else:
            trees.append(write_conllu(each, tag_column))
    return "".join(trees)


def write_scored(result: Linearization) -> str:
    """A given order as a line of text: its score, with its two parts if there are two, and the
    sentence."""
    if result.fluency is None:
        return f"{result.score:.4f}\t{result.text}\n"
    parts = f"{result.score:.4f}\t{result.syntax:.4f}\t{result.fluency:.4f}"
    return f"{parts}\t{result.text}\n"
