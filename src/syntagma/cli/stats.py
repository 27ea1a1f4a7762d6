"""`syntagma stats`: describes treebanks by counts, as the papers do."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from syntagma.cli import options
from syntagma.cli.output import aligned, write_stdout

if TYPE_CHECKING:
    from syntagma.treebanks.statistics import TreebankStatistics


def stats(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Treebanks in CoNLL-U or CCGbanks (.auto), or patterns such as 'wsj_02*.conllu'.",
        ),
    ],
    format: options.RecordFormat = "text",
    debug: options.Debug = False,
) -> None:
    """Count what treebanks hold: sentences, words, base noun phrases, non-projective arcs.

    Every FILE is described on its own, the files of a pattern together. Base noun phrases are
    units with the tag NP, as `syntagma convert --base-np` makes them; their words count one by
    one. JSON has one line per treebank.

    \b
    The three parts of a treebank (Zhang and Clark 2015, Table 3):
        syntagma stats train.conllu dev.conllu test.conllu
    All files of a folder as one treebank, as JSON:
        syntagma stats 'wsj/*.conllu' --format json
    """
    from syntagma.treebanks.statistics import TreebankStatistics
    from syntagma.treebanks.statistics import stats as count

    described = {name: count(name) for name in dict.fromkeys(files)}
    if format == "json":
        for name, each in described.items():
            record = {"name": name, **_as_dict(each)}
            write_stdout(json.dumps(record, ensure_ascii=False) + "\n")
        return
    columns = list(zip(_short_names(list(described)), described.values(), strict=True))
    if len(columns) > 1:
        columns.append(("total", sum(described.values(), TreebankStatistics())))
    write_stdout(_table(columns))


def _as_dict(statistics: "TreebankStatistics") -> dict[str, Any]:
    """Counts, and what follows from them, under their names."""
    return {
        **asdict(statistics),
        "words_per_sentence": round(statistics.words_per_sentence, 4),
        "base_noun_phrases_per_sentence": round(statistics.base_noun_phrases_per_sentence, 4),
        "base_noun_phrase_size": round(statistics.base_noun_phrase_size, 4),
        "nonprojective_arc_share": round(statistics.nonprojective_arc_share, 6),
        "nonprojective_sentence_share": round(statistics.nonprojective_sentence_share, 6),
    }


def _table(columns: Sequence[tuple[str, "TreebankStatistics"]]) -> str:
    """A row per figure, a column per treebank."""
    each = [statistics for _, statistics in columns]
    sizes = [f"{one.base_noun_phrase_size:.2f}" if one.base_noun_phrases else "-" for one in each]
    rows = [
        ["", *(name for name, _ in columns)],
        ["sentences", *(f"{one.sentences:,}" for one in each)],
        ["words", *(f"{one.words:,}" for one in each)],
        ["words per sentence", *(f"{one.words_per_sentence:.2f}" for one in each)],
        ["longest sentence", *(f"{one.longest:,}" for one in each)],
        ["units", *(f"{one.units:,}" for one in each)],
        ["base NPs", *(f"{one.base_noun_phrases:,}" for one in each)],
        ["base NPs per sentence", *(f"{one.base_noun_phrases_per_sentence:.2f}" for one in each)],
        ["words per base NP", *sizes],
        ["non-projective arcs", *(f"{one.nonprojective_arc_share:.2%}" for one in each)],
        ["non-projective sentences", *(f"{one.nonprojective_sentence_share:.2%}" for one in each)],
    ]
    return aligned(*rows, right=True)


def _short_names(paths: list[str]) -> list[str]:
    """The names of files without their folders, as long as these differ."""
    names = [os.path.basename(path) or path for path in paths]
    return names if len(set(names)) == len(names) else paths
