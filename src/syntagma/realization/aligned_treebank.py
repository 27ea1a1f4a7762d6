"""Treebanks made of trees of lemmas and raw sentences, as SR'11 gives them (ZC15 §5.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from syntagma.errors import FormatError
from syntagma.files.reading import about_sentence, open_text, source_name
from syntagma.formats.sr11 import read_sr11
from syntagma.realization.alignment import align, aligned_sentence
from syntagma.realization.realizer import Realizer
from syntagma.results.rows import NO_SPACE
from syntagma.treebanks.treebank import Sentence


@dataclass(slots=True)
class AlignmentReport:
    """How many sentences were aligned; those without a projective mapping are left out."""

    sentences: int = 0
    words: int = 0
    left_out: int = 0
    guessed: int = 0  # words whose form in the text the realizer does not propose


def read_aligned(path: Path, realizer: Realizer, report: AlignmentReport) -> Iterator[Sentence]:
    """The sentences of a file of SR'11 with their words in order; the first fault, or a sentence
    without its text, raises `FormatError`."""
    for tree in read_sr11(open_text(path), source_name(path)):
        if isinstance(tree, FormatError):
            raise tree
        if tree.text is None:
            raise FormatError(
                f"{about_sentence(tree.id)}no text to align the lemmas with; test sets have none: "
                "use the training or development set",
                *tree.place,
            )
        found = align(tree.problem, tree.text, realizer)
        if found is None:
            report.left_out += 1
            continue
        report.sentences += 1
        report.words += len(found.spans)
        report.guessed += len(found.guessed)
        yield aligned_sentence(tree.problem, tree.text, found, tree.id)


def aligned_conllu(sentence: Sentence) -> str:
    """A sentence as CoNLL-U, with lemmas and features; its tags are XPOS."""
    spaces = sentence.spelling.spaces if sentence.spelling is not None else ()
    lines = [f"# sent_id = {sentence.id}"] if sentence.id else []
    lines.append(f"# text = {sentence.written}")
    for at, form in enumerate(sentence.forms):
        last = at + 1 == len(sentence)
        fields = (
            *(str(at + 1), form, sentence.lemmas[at] or "_", "_", sentence.tags[at] or "_"),
            *(sentence.features[at] or "_", str(sentence.heads[at]), sentence.deprels[at], "_"),
            "_" if last or spaces[at] else NO_SPACE,
        )
        lines.append("\t".join(fields))
    return "\n".join([*lines, "", ""])
