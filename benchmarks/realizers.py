"""How well realizers inflect and spell what they learned from treebanks, without any network.

    python benchmarks/realizers.py --data FOLDER … [--part dev] [--errors N]

learns a realizer from the training part of each treebank (a folder with `*-train.conllu` and so on)
and measures it on another part, in the order of the treebank, as a network that orders perfectly
would use it.

Forms: the lemmas, with tags and features, are inflected, and the form chooser takes one of several
forms by the neighbours in the tree and in the sentence. *Seen* are words whose lemma was seen with
this tag and these features in training; *other* those whose lemma was seen in another way only;
*unseen* those with an unseen lemma. Case does not count.

Text: the words of the treebank are spelled. *Exact* is the share of sentences that come out as
written, CER the number of wrong characters per 100 of the text. With `--errors`, the most frequent
faults are listed.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from form_choice import chosen, in_order
from records import Table, add_file_options, finish
from samples import usual_tag_column

import syntagma
from syntagma.evaluation.shared_task import shared_task_scores
from syntagma.files.reading import fingerprint
from syntagma.problem.word import TagColumn
from syntagma.realization.lexicon import sorted_features
from syntagma.realization.realizer import Realizer
from syntagma.realization.training import learn_realizer, neutral_forms
from syntagma.treebanks.treebank import Sentence

GROUPS = ("all", "seen", "other", "unseen")


@dataclass(slots=True)
class Figures:
    """Counts of one treebank."""

    right: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    proposed: int = 0
    exact: int = 0
    sentences: int = 0
    spelled: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    wrong_forms: Counter[tuple[str, ...]] = field(default_factory=Counter)
    wrong_spaces: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        from sacrebleu.metrics.bleu import BLEU

        share = {name: 100 * self.right[name] / n for name, n in self.words.items() if n}
        return {
            "words": dict(self.words),
            "forms": share,
            "proposed": 100 * self.proposed / self.words["all"],
            "exact": 100 * self.exact / self.sentences,
            "bleu": BLEU(force=True).corpus_score(self.spelled, [self.written]).score,
            "cer": 100 - shared_task_scores(self.spelled, self.written).dist,
        }


def main() -> None:
    arguments = parse_arguments()
    record: dict[str, Any] = {"syntagma": syntagma.__version__, "treebanks": {}}
    for folder in arguments.data:
        train, part = (find(folder, name) for name in ("train", arguments.part))
        figures, column = measure(train, part, arguments.tag_column)
        record["treebanks"][folder.name] = {
            "data": {"name": part.name, "sha256": fingerprint(part)},
            "tags": column,
            **figures.to_json(),
        }
        if arguments.errors:
            show_errors(folder.name, figures, arguments.errors)
    finish(arguments, record, tabulate(record))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of treebanks")
    parser.add_argument("--part", choices=("dev", "test"), default="dev")
    parser.add_argument("--tag-column", choices=("xpos", "upos"), help="default: xpos if it exists")
    parser.add_argument("--errors", type=int, default=0, metavar="N", help="list N faults of each")
    add_file_options(parser)
    return parser.parse_args()


def find(folder: Path, part: str) -> Path:
    """The file of a part of a treebank; the references of a shared task are `.ref.conllu`."""
    for pattern in (f"*-{part}.ref.conllu", f"*-{part}.conllu"):
        for path in sorted(folder.glob(pattern)):
            return path
    raise SystemExit(f"{folder} has no file *-{part}.conllu")


def measure(train: Path, part: Path, column: TagColumn | None) -> tuple[Figures, TagColumn]:
    if column is None:
        column = usual_tag_column(train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # words without a tag
        learned = syntagma.read_treebank(train, column)
        sentences = syntagma.read_treebank(part, column)
    realizer = learn_realizer(learned, train.name.partition("_")[0])
    keys = {key for sentence in learned for key in keys_of(sentence)}
    lemmas = {key[0] for key in keys}
    figures = Figures(sentences=len(sentences))
    for sentence in sentences:
        count_forms(figures, realizer, sentence, keys, lemmas)
        spelling = realizer.detokenizer.spell(sentence.forms, sentence.tags)
        text = spelling.text(sentence.forms)
        figures.spelled.append(text)
        figures.written.append(sentence.written)
        figures.exact += text == sentence.written
        if text != sentence.written:
            figures.wrong_spaces.update(differences(sentence, text))
    return figures, column


def keys_of(sentence: Sentence) -> list[tuple[str, str, str]]:
    lemmas = (lemma or form for lemma, form in zip(sentence.lemmas, sentence.forms, strict=True))
    features = map(sorted_features, sentence.features)
    return list(zip(lemmas, sentence.tags, features, strict=True))


def count_forms(
    figures: Figures,
    realizer: Realizer,
    sentence: Sentence,
    keys: set[tuple[str, str, str]],
    lemmas: set[str],
) -> None:
    problem = in_order(sentence)
    found = [form for _, _, form in chosen(realizer, problem)]
    proposed = realizer.inflect(problem)[1]
    gold = [form.lower() for form in neutral_forms(sentence)]
    for key, form, choice, right in zip(keys_of(sentence), found, proposed, gold, strict=True):
        group = "seen" if key in keys else "other" if key[0] in lemmas else "unseen"
        for name in ("all", group):
            figures.words[name] += 1
            figures.right[name] += form == right
        figures.proposed += right in {each.text.lower() for each in choice}
        if form != right:
            figures.wrong_forms[group, *key, right, form] += 1


def differences(sentence: Sentence, text: str) -> Iterator[tuple[str, ...]]:
    """The parts of a text, cut at spaces, that differ from what is written, with their context."""
    from difflib import SequenceMatcher

    gold, found = sentence.written.split(" "), text.split(" ")
    for kind, a, b, c, d in SequenceMatcher(None, gold, found, autojunk=False).get_opcodes():
        if kind != "equal":
            yield " ".join(gold[a:b]), " ".join(found[c:d])


def show_errors(name: str, figures: Figures, number: int) -> None:
    print(f"{name}: wrong forms (group, lemma, tag, features; right, found)")
    for fault, count in figures.wrong_forms.most_common(number):
        print(f"  {count:4} {'  '.join(fault)}")
    print(f"{name}: wrong text (written, found)")
    for fault, count in figures.wrong_spaces.most_common(number):
        print(f"  {count:4} {'  →  '.join(fault)}")


def tabulate(record: dict[str, Any]) -> Table:
    table = Table(
        "realizers, in the order of the treebank, in percent",
        "",
        [
            ("right forms", [*GROUPS, "proposed"]),
            ("share of words", list(GROUPS[1:])),
            ("text", ["exact", "BLEU", "CER"]),
        ],
    )
    for name, figures in record["treebanks"].items():
        words, forms = figures["words"], figures["forms"]
        table.rows.append(
            [
                f"{name} ({figures['tags']})",
                *(f"{forms[group]:.2f}" if group in forms else "" for group in GROUPS),
                f"{figures['proposed']:.2f}",
                *(f"{100 * words.get(group, 0) / words['all']:.1f}" for group in GROUPS[1:]),
                f"{figures['exact']:.1f}",
                f"{figures['bleu']:.2f}",
                f"{figures['cer']:.2f}",
            ]
        )
    return table


if __name__ == "__main__":
    main()
