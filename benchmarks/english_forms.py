"""English inflection: makes the table of irregular verbs, and measures how many forms are right.

    python benchmarks/english_forms.py make --unimorph UNIMORPH --treebank TRAIN [--silver FILE …]
        [--text FILE …] --output src/syntagma/realization/english_verbs.tsv

takes from UniMorph the verb forms that the spelling rules of `realization` miss. Where UniMorph has
several forms of a verb, the treebanks decide which is usual (those of TRAIN and, machine-tagged, of
SILVER), or else how frequent they are in TEXT. An archaic form that no text has is left out, unless
it is spelled like one that a text has.

    python benchmarks/english_forms.py measure --unimorph UNIMORPH --data TREEBANK [--model MODEL]

shows which share of the forms is right: of UniMorph's verbs, given lemma and tag, by the model's
inflector (in which the treebank comes first), by rules and table, by the rules alone, and by
LemmInflect if it is installed; and of the words of a treebank, given lemma, tag and features, by
the model's inflector. A form of UniMorph counts as right if UniMorph has it for lemma and tag.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import syntagma
from syntagma.files.reading import open_text
from syntagma.models.loading import load_model, model_path
from syntagma.realization import english
from syntagma.realization.english import RULES, VERBS
from syntagma.realization.inflection import Inflector
from syntagma.realization.training import neutral_forms

TAGS = {
    "V;PST": "VBD",
    "V;V.PTCP;PST": "VBN",
    "V;V.PTCP;PRS": "VBG",
    "V;3;SG;PRS": "VBZ",
}
ENOUGH = 5  # tagged occurrences of a verb in a tense that tell which of its forms is usual
SHARE = 0.05  # a rarer variant is left out

Cell = tuple[str, str]  # lemma and tag
Inflect = Callable[[str, str], Sequence[str]]


def main() -> None:
    arguments = parse_arguments()
    cells = read_unimorph(arguments.unimorph)
    if arguments.task == "make":
        tagged = count_tagged([arguments.treebank, *arguments.silver])
        make(cells, tagged, count_words(arguments.text), arguments.output)
    else:
        realizer = load_model(model_path(arguments.model)).realizer
        if realizer is None:
            raise SystemExit(f"{arguments.model} has not learned to realize lemmas")
        measure_unimorph(cells, realizer.inflector)
        if arguments.data:
            measure_treebank(arguments.data, realizer.inflector)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    tasks = parser.add_subparsers(dest="task", required=True)
    making = tasks.add_parser("make", help="write the table of irregular verbs")
    measuring = tasks.add_parser("measure", help="count right forms")
    for task in (making, measuring):
        task.add_argument("--unimorph", type=Path, required=True)
    making.add_argument("--treebank", type=Path, required=True, help="with lemmas and XPOS")
    making.add_argument("--silver", type=Path, nargs="*", default=[], help="further ones")
    making.add_argument("--text", type=Path, nargs="*", default=[])
    making.add_argument("--output", type=Path, required=True)
    measuring.add_argument("--data", type=Path, help="a treebank with lemmas and XPOS")
    measuring.add_argument("--model", default="en", help="a name or a file (default: en)")
    return parser.parse_args()


def read_unimorph(path: Path) -> dict[Cell, list[str]]:
    """The forms of each verb and tag."""
    cells: defaultdict[Cell, list[str]] = defaultdict(list)
    for line in lines(path):
        lemma, form, tags = (*line.split("\t"), "", "")[:3]
        if tags in TAGS:
            cells[lemma, TAGS[tags]].append(form)
    return dict(cells)


def lines(path: Path) -> Iterator[str]:
    for line in open_text(path):
        if isinstance(line, Exception):
            raise line
        yield line


def count_tagged(paths: Sequence[Path]) -> Counter[tuple[str, str, str]]:
    """How often each lemma and tag has each form, and each form occurs at all."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for path in paths:
        for line in lines(path):
            columns = line.split("\t")
            if len(columns) == 10 and "Typo=Yes" not in columns[5]:
                form = columns[1].lower()
                counts["", "", form] += 1
                if columns[4] in VERBS:
                    counts[columns[2], columns[4], form] += 1
    return counts


def count_words(paths: Sequence[Path]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for path in paths:
        for line in lines(path):
            counts.update(re.findall(r"[a-z]+(?:[-'][a-z]+)*", line))
    return counts


# The table


def make(
    cells: dict[Cell, list[str]],
    tagged: Counter[tuple[str, str, str]],
    words: Counter[str],
    output: Path,
) -> None:
    """Write the forms that the rules, with what is listed of shorter verbs, do not give."""
    chosen = {
        (lemma, tag): choose(lemma, tag, forms, tagged, words)
        for (lemma, tag), forms in cells.items()
        if re.fullmatch("[a-z]+(?:-[a-z]+)*", lemma)
    }
    rows: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    table: dict[Cell, tuple[str, ...]] = {}
    english.irregular_words = lambda: table  # type: ignore[assignment]
    known = {lemma for lemma, tag, _ in tagged} | set(words)
    for lemma, tag in sorted(chosen, key=lambda cell: (len(cell[0]), *cell)):
        forms = chosen[lemma, tag]
        given = english.listed(lemma, tag) or (RULES[tag](lemma),)
        attested = any(tagged[lemma, tag, form] or words[form] for form in forms)
        if not forms or forms == given or (given[0] in forms and not attested):
            continue
        rule = forms[0] == RULES[tag](lemma)  # but the lemma looks like an irregular one
        if attested or rule or is_derived(lemma, forms[0], known, table, tag):
            table[lemma, tag] = rows[lemma][tag] = forms
    with open(output, "w", encoding="utf-8", newline="\n") as file:
        file.write("# Irregular verbs, from UniMorph English (CC BY-SA 3.0): see LICENSE.md\n")
        file.write("# lemma\t" + "\t".join(VERBS) + "\n")
        for lemma, row in sorted(rows.items()):
            line = "\t".join((lemma, *("/".join(row.get(tag, ())) for tag in VERBS)))
            file.write(line.rstrip("\t") + "\n")
    print(f"{output}: {len(rows)} verbs, {len(table)} forms")


def choose(
    lemma: str,
    tag: str,
    forms: Sequence[str],
    tagged: Counter[tuple[str, str, str]],
    words: Counter[str],
) -> tuple[str, ...]:
    """The usual forms, most frequent first; American *traveled* comes before *travelled*."""
    rule = RULES[tag](lemma)
    counts: dict[str, float] = {form: tagged[lemma, tag, form] for form in forms}
    if sum(counts.values()) < ENOUGH:
        counts = {form: words[form] * share(lemma, form, tagged) for form in forms}
    total = sum(counts.values())
    ranked = sorted(forms, key=lambda form: (-counts[form], form != rule, form))
    kept = [form for form in ranked if counts[form] > 0 and counts[form] >= SHARE * total]
    if lemma.endswith("l") and rule in kept:
        kept.sort(key=lambda form: form != rule)
    return tuple(kept or ranked[:1])


def share(lemma: str, form: str, tagged: Counter[tuple[str, str, str]]) -> float:
    """The share of this verb among the uses of a form: *lamp* is hardly ever a form of *limp*."""
    own = sum(tagged[lemma, tag, form] for tag in VERBS)
    return (own + 0.1) / (tagged["", "", form] + 0.2)


def is_derived(
    lemma: str, form: str, known: set[str], table: dict[Cell, tuple[str, ...]], tag: str
) -> bool:
    """Whether a form that no text has is spelled like one that a text has: *beslept* as *slept*,
    or doubles its last letter."""
    for size in range(1, len(lemma) - 1):
        forms = table.get((lemma[size:], tag), ())
        if lemma[size:] in known and form in (lemma[:size] + each for each in forms):
            return True
    return form in (lemma + lemma[-1] + "ed", lemma + lemma[-1] + "ing")


# The measure


def measure_unimorph(cells: dict[Cell, list[str]], inflector: Inflector) -> None:
    """Regular are the verbs that have a form by rule wherever UniMorph has any."""
    regular = {lemma for lemma, _ in cells}
    regular -= {lemma for (lemma, tag), forms in cells.items() if RULES[tag](lemma) not in forms}
    ways: dict[str, Inflect] = {
        "the model": lambda lemma, tag: [inflector.forms(lemma, tag, None)[0].text],
        "rules and table": english.inflected,
        "rules alone": lambda lemma, tag: [english.regular(lemma, tag)],
    }
    if find_spec("lemminflect"):
        inflection = import_module("lemminflect").getInflection
        ways["LemmInflect"] = lambda lemma, tag: inflection(lemma, tag)
    for name, inflect in ways.items():
        right: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for (lemma, tag), forms in cells.items():
            found = inflect(lemma, tag)
            for kind in ("all", "regular" if lemma in regular else "irregular"):
                total[kind] += 1
                right[kind] += bool(found) and found[0] in forms
        show(f"UniMorph verbs, {name}", right, total)


def measure_treebank(path: Path, inflector: Inflector) -> None:
    """All words but those marked as typos, regardless of case; then the inflected classes."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    unseen = "inflected, lemma and tag not seen"
    for sentence in syntagma.read_treebank(path, "xpos", lift=False):
        words = zip(sentence.lemmas, sentence.tags, sentence.features, strict=True)
        for (lemma, tag, features), form in zip(words, neutral_forms(sentence), strict=True):
            if not lemma or "Typo=Yes" in features:
                continue
            found = inflector.forms(lemma, tag, features)[0].text
            kinds = ["all words"]
            if tag in RULES:
                seen = any(entry.tag == tag for entry in inflector.lexicon.get(lemma, ()))
                kinds += ["inflected", tag] if seen else ["inflected", tag, unseen]
            for kind in kinds:
                total[kind] += 1
                right[kind] += found.lower() == form.lower()
    show(path.name, right, total)


def show(title: str, right: Counter[str], total: Counter[str]) -> None:
    print(title)
    for kind, count in total.items():
        print(f"  {kind:36}{100 * right[kind] / count:7.2f}%  {right[kind]} of {count}")


if __name__ == "__main__":
    main()
