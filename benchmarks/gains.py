"""Measures the gain by the language model of a model: BLEU without and with it, on several corpora.

    python benchmarks/gains.py MODEL --data CORPUS [CORPUS ...]

A corpus is a treebank in CoNLL-U, CCG derivations in CCGbank's format (`.auto`), or Penn-style
trees, one per line (`.trees`); each may be compressed (`.xz`, `.gz`). The last two have no
dependencies: only conditions without arcs are measured on them.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import machine
from records import Table, begin, finish, joined_signature, treebank_options

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.errors import FormatError, ModelError
from syntagma.files.reading import open_text
from syntagma.models.loading import load_model, model_path
from syntagma.problem.word import TagColumn
from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS

SIDES = ("without", "with")
STRANGE_TAGS = 0.1  # if the model does not know more of the tags, conditions with tags are left out

# Stands for a leaf while the shape of a tree is checked; the texts have no such character.
MARK = "\0"
# ASCII: only plain spaces separate words; other Unicode spaces occur inside words.
CCG_LEAF = re.compile(r"\(<L \S+ \S+ (?P<tag>\S+) (?P<form>\S+) \S+>\)", re.ASCII)
CCG_NODE = re.compile(r"\(<T \S+ \d+ \d+>", re.ASCII)
PENN_LEAF = re.compile(r"\((?P<tag>[^\s()]+)\s+(?P<form>[^\s()]+)\s*\)", re.ASCII)
PENN_NODE = re.compile(rf"\([^\s(){MARK}]*", re.ASCII)

# How the Penn Treebank writes words that would break its format, and quotes.
ESCAPES = {
    **{"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"},
    **{"``": '"', "''": '"'},
}


def main() -> None:
    arguments = parse_arguments()
    linearizers, tags = both(arguments.model)
    tag_column = linearizers["with"].tag_column
    faults: dict[Path, list[FormatError]] = {file: [] for file in arguments.data}
    read = {file: read_corpus(file, tag_column, faults[file]) for file in faults}
    corpora = []  # read all of them before measuring any
    for file, (sentences, has_arcs) in read.items():
        corpus = begin(argparse.Namespace(data=file, limit=arguments.limit))
        sentences = sentences[: arguments.limit]
        conditions, notes = possible(arguments.conditions, sentences, has_arcs, tags)
        corpus["notes"] = faults_note(faults[file]) + notes
        unit = machine.Unit(arguments.unit_command)
        corpus["conditions"] = [
            compare(linearizers, sentences, condition, unit) for condition in conditions
        ]
        corpora.append(corpus)
    record = {"model": arguments.model, "corpora": corpora}
    finish(arguments, record, tabulate(record))


def parse_arguments() -> argparse.Namespace:
    general = treebank_options(__doc__, MAIN_CONDITIONS)
    parser = argparse.ArgumentParser(
        description=general.description,
        parents=[general],
        add_help=False,
        conflict_handler="resolve",  # several files instead of one
    )
    parser.add_argument("model", metavar="MODEL", help="a model with a language model (add-lm)")
    parser.add_argument(
        "--data",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="CoNLL-U, CCG derivations (.auto) or Penn-style trees (.trees)",
    )
    machine.add_unit_option(parser)
    return parser.parse_args()


def both(name: str) -> tuple[dict[str, syntagma.Linearizer], frozenset[str]]:
    """The model without and with its language model, and its tags."""
    path = model_path(name)
    model = load_model(path)
    if model.language_model is None:
        raise ModelError(f"{path}: a model without a language model; give it one: syntagma add-lm")
    linearizers = {
        "without": syntagma.load(path, language_model=False),
        "with": syntagma.Linearizer(model, path),
    }
    return linearizers, frozenset(model.vocabulary.tags)


def possible(
    conditions: Sequence[str],
    sentences: Sequence[syntagma.Sentence],
    has_arcs: bool,
    known: frozenset[str],
) -> tuple[list[str], list[str]]:
    """The conditions that a corpus supports, and notes on those that it does not."""
    tags = [tag for sentence in sentences for tag in sentence.tags]
    strange = [tag for tag in tags if tag not in known]
    share = len(strange) / max(len(tags), 1)
    tags_note = f"{100 * share:.1f}% of the words have tags that the model does not know"
    tags_note += f" ({', '.join(sorted(set(strange))[:5])})"
    no_arcs = [name for name in conditions if CONDITIONS[name].arcs and not has_arcs]
    kept = [name for name in conditions if name not in no_arcs]
    tagged = [name for name in kept if CONDITIONS[name].tags]
    notes = []
    if no_arcs:
        notes.append(f"left out {', '.join(no_arcs)}: the corpus has no dependencies")
    if tagged and share > STRANGE_TAGS:
        notes.append(f"left out {', '.join(tagged)}: {tags_note}")
        kept = [name for name in kept if name not in tagged]
    elif tagged and strange:
        notes.append(tags_note)
    return kept, notes


def compare(
    linearizers: dict[str, syntagma.Linearizer],
    sentences: Sequence[syntagma.Sentence],
    condition: str,
    unit: machine.Unit,
) -> dict[str, Any]:
    """The figures of one condition without and with the language model, and the difference."""
    compared: dict[str, Any] = {"condition": condition, "sentences": len(sentences)}
    outputs = []
    for side in SIDES:

        def work(side: str = side) -> syntagma.Report:
            with Ticker(f"{condition}, {side}", total=len(sentences)) as ticker:
                return syntagma.evaluate(
                    linearizers[side], sentences, [condition], on_sentence=ticker.advance
                )

        report, units = unit.around(work)
        figures = report[condition]
        if figures.violations:
            raise SystemExit(f"error: {report.model}, {condition}: broken constraints: a bug")
        names = ("bleu", "exact", "cpu_ms", "signature")
        compared[side] = {name: getattr(figures, name) for name in names} | {"units_ms": units}
        outputs.append(figures.outputs)
    interval = syntagma.paired_bootstrap(outputs[0], outputs[1], report.references)
    compared["difference"] = interval.difference
    compared["interval"] = [interval.low, interval.high]
    return compared


def faults_note(faults: Sequence[FormatError]) -> list[str]:
    if not faults:
        return []
    one = len(faults) == 1
    count = (
        "1 sentence that is not a tree" if one else f"{len(faults)} sentences that are not trees"
    )
    return [f"left out {count}, the first at {faults[0]}"]


def read_corpus(
    path: Path, tag_column: TagColumn, faults: list[FormatError]
) -> tuple[list[syntagma.Sentence], bool]:
    """The sentences of a file, in the format of its name, and whether their arcs are real.

    What is wrong in CoNLL-U is added to `faults`: treebanks made by machines have some of these.
    """
    name = path.name.removesuffix(".xz").removesuffix(".gz")
    if name.endswith(".auto"):
        sentences = list(read_ccg(path))
    elif name.endswith(".trees"):
        sentences = list(read_penn(path))
    else:
        return syntagma.read_treebank(path, tag_column, faults=faults), True
    if not sentences:
        raise FormatError("no sentences", str(path))
    return sentences, False


def read_ccg(path: Path) -> Iterator[syntagma.Sentence]:
    """CCG derivations: a line `ID=… …`, then a line with the tree, whose second tags are used."""
    name = None
    number = 0
    for number, line in lines(path):
        if name is None:
            if not line.startswith("ID="):
                raise FormatError("a derivation without a line 'ID=…' before it", str(path), number)
            name = line.split()[0].removeprefix("ID=")
        else:
            leaves = leaves_of(line, CCG_LEAF, CCG_NODE)
            if leaves is None:
                raise FormatError("not a CCG derivation like (<T … 0 2> …)", str(path), number)
            yield sentence_of(leaves, name)
            name = None
    if name is not None:
        raise FormatError(f"no derivation after ID={name}", str(path), number)


def read_penn(path: Path) -> Iterator[syntagma.Sentence]:
    """Penn-style trees, one per line, without their traces."""
    for number, line in lines(path):
        leaves = leaves_of(line, PENN_LEAF, PENN_NODE)
        if leaves is None:
            raise FormatError("not one tree like ( (S (NN word) …) )", str(path), number)
        words = [(form, tag) for form, tag in leaves if tag != "-NONE-"]
        if words:
            yield sentence_of(words, f"{path.name}:{number}")


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers."""
    for number, line in enumerate(open_text(path), start=1):
        if isinstance(line, FormatError):
            raise line
        if line.strip():
            yield number, line


def leaves_of(
    line: str, leaf: re.Pattern[str], node: re.Pattern[str]
) -> list[tuple[str, str]] | None:
    """Form and tag of each leaf; None if the line is not exactly one tree."""
    leaves = [(plain(match["form"]), match["tag"]) for match in leaf.finditer(line)]
    shape = "".join(node.sub("(", leaf.sub(MARK, line)).split())
    found = 1
    while found:  # a node above leaves counts as a leaf
        shape, found = re.subn(rf"\({MARK}+\)", MARK, shape)
    return leaves if shape == MARK and all(form for form, _ in leaves) else None


def sentence_of(leaves: Iterable[tuple[str, str]], name: str) -> syntagma.Sentence:
    """Words and tags; the arcs, which are never given, are a chain."""
    forms, tags = zip(*leaves, strict=True)
    size = len(forms)
    return syntagma.Sentence(forms, tags, tuple(range(size)), ("dep",) * size, name)


def plain(form: str) -> str:
    """A word without the escapes of the Penn Treebank.

    >>> [plain(form) for form in ("-LRB-", "``", "and\\\\/or", "word")]
    ['(', '"', 'and/or', 'word']
    """
    if form in ESCAPES:
        return ESCAPES[form]
    return "".join(form.replace("\\/", "/").replace("\\*", "*").split())  # thin spaces


def tabulate(record: dict[str, Any]) -> Table:
    table = Table(
        title=f"{record['model']}: BLEU without and with its language model",
        first="corpus, given",
        groups=[
            ("corpus", ("sentences",)),
            *((side, ("BLEU", "exact %", "CPU ms", "÷ unit")) for side in SIDES),
            ("difference", ("BLEU", "95% interval")),
        ],
    )
    for corpus in record["corpora"]:
        name = corpus["data"]["name"]
        measured = corpus["conditions"]
        for compared in measured:
            row = [f"{name}, {compared['condition']}", str(compared["sentences"])]
            for side in SIDES:
                row += cells(compared[side])
            low, high = compared["interval"]
            row += [f"{compared['difference']:+.2f}", f"{low:+.2f} to {high:+.2f}"]
            table.rows.append(row)
        table.notes += [f"{name}: {note}" for note in corpus["notes"]]
        if measured:
            units = {
                f"{compared['condition']} {side}": compared[side]["units_ms"]
                for compared in measured
                for side in SIDES
            }
            table.notes.append(f"{name}: {machine.units_note(units)}")
            for side in SIDES:
                signature = joined_signature(compared[side]["signature"] for compared in measured)
                table.notes.append(f"{name}, {side}: BLEU {signature}")
    return table


def cells(figures: dict[str, Any]) -> list[str]:
    return [
        f"{figures['bleu']:.2f}",
        f"{figures['exact']:.1f}",
        f"{figures['cpu_ms']:.2f}",
        machine.divided(figures["cpu_ms"], figures["units_ms"]),
    ]


if __name__ == "__main__":
    machine.start(main)
