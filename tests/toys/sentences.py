"""Gold sentences with random trees, most of them not projective, and the same in other orders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from syntagma.treebanks.treebank import Sentence
from toys.strategies import trees


@st.composite
def random_sentences(draw: st.DrawFn, max_size: int = 8) -> Sentence:
    """Sentences whose forms are all different."""
    heads = draw(trees(max_size))
    size = len(heads)
    some = st.sampled_from("XYZ")
    return Sentence(
        forms=tuple(draw(st.permutations([f"w{i}" for i in range(size)]))),
        tags=tuple(draw(st.lists(some, min_size=size, max_size=size))),
        heads=tuple(heads),
        deprels=tuple(draw(some).lower() if head else "root" for head in heads),
    )


def permuted(sentence: Sentence, listing: Sequence[int]) -> Sentence:
    """The same tree over the words in another order (0-based places of the old one)."""
    new = {old + 1: place for place, old in enumerate(listing, start=1)}
    return Sentence(
        tuple(sentence.forms[old] for old in listing),
        tuple(sentence.tags[old] for old in listing),
        tuple(new.get(sentence.heads[old], 0) for old in listing),
        tuple(sentence.deprels[old] for old in listing),
    )


def write_sentences(path: Path, sentences: Sequence[Sentence]) -> Path:
    """Write the sentences as CoNLL-U."""
    blocks = []
    for sentence in sentences:
        rows = zip(sentence.forms, sentence.tags, sentence.heads, sentence.deprels, strict=True)
        blocks.append(
            "".join(
                f"{place}\t{form}\t{form}\t_\t{tag}\t_\t{head}\t{deprel}\t_\t_\n"
                for place, (form, tag, head, deprel) in enumerate(rows, start=1)
            )
        )
    path.write_text("\n".join(blocks) + "\n", encoding="utf-8")
    return path
