"""Counts of treebanks against counts by definition, on random trees."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from syntagma.treebanks.statistics import TreebankStatistics, stats
from syntagma.treebanks.treebank import Sentence


def random_sentence(rng: Random) -> Sentence:
    size = rng.randint(1, 8)
    order = rng.sample(range(1, size + 1), size)
    heads = {word: rng.choice(order[:place]) if place else 0 for place, word in enumerate(order)}
    tags = rng.choices(("NP", "VB"), k=size)
    return Sentence(
        forms=tuple(" ".join("w" * rng.randint(1, 3 if tag == "NP" else 1)) for tag in tags),
        tags=tuple(tags),
        heads=tuple(heads[word] for word in range(1, size + 1)),
        deprels=("x",) * size,
    )


def crossed(heads: tuple[int, ...]) -> int:
    """The arcs over a word that does not descend from their head."""

    def above(word: int) -> set[int]:
        return {word} | (above(heads[word - 1]) if word else set())

    return sum(
        any(head not in above(between) for between in range(min(head, word), max(head, word)))
        for word, head in enumerate(heads, start=1)
        if head
    )


@pytest.mark.parametrize("seed", range(20))
def test_counts_by_definition(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    parts = [[random_sentence(rng) for _ in range(rng.randint(1, 4))] for _ in range(2)]
    found = []
    for number, sentences in enumerate(parts):
        rows = [
            [
                f"{i}\t{form}\t_\t_\t{tag}\t_\t{head}\t{deprel}\t_\t_"
                for i, (form, tag, head, deprel) in enumerate(
                    zip(each.forms, each.tags, each.heads, each.deprels, strict=True), start=1
                )
            ]
            for each in sentences
        ]
        path = tmp_path / f"{number}.conllu"
        path.write_text("".join("\n".join(each) + "\n\n" for each in rows))
        found.append(stats(path))
    every = [each for sentences in parts for each in sentences]
    phrases = [
        form
        for each in every
        for form, tag in zip(each.forms, each.tags, strict=True)
        if tag == "NP"
    ]
    total = stats(str(tmp_path / "*.conllu"))
    assert total == found[0] + found[1] == sum(found, TreebankStatistics())
    assert total == TreebankStatistics(
        sentences=len(every),
        words=sum(len(each.text.split()) for each in every),
        units=sum(map(len, every)),
        longest=max(len(each.text.split()) for each in every),
        base_noun_phrases=len(phrases),
        base_noun_phrase_words=sum(len(each.split()) for each in phrases),
        arcs=sum(len(each) - 1 for each in every),
        nonprojective_arcs=sum(crossed(each.heads) for each in every),
        nonprojective_sentences=sum(crossed(each.heads) > 0 for each in every),
    )
