"""What is given of words and pairs of words, against a plain computation."""

from __future__ import annotations

from random import Random

import pytest
from references.neural import bucket
from references.transition import ROOT, Given
from toys.models import toy_vocabulary
from toys.random_network import draw_problem, listed

from syntagma.neural._encoder import RELATION_NAMES, read_given
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.transition.encoding import encode


@pytest.mark.parametrize("max_words", [5, 9, 70])
def test_fields_and_relations_are_what_is_given(max_words: int) -> None:
    vocabulary = toy_vocabulary()
    n_tags, n_labels = len(vocabulary.tags), len(vocabulary.labels)
    for seed in range(80 if max_words < 70 else 6):
        rng = Random(f"{max_words}:{seed}")
        encoding = encode(draw_problem(rng, max_words, "none"), vocabulary)
        problem = listed(encoding)
        head = Given.of(problem).head
        words, n = problem.words, len(problem.words)
        fields, relations = read_given(encoding.task, n_tags, n_labels)
        assert fields.shape == (n, 5)
        assert relations.shape == (n, n)

        def ancestors(word: int, head: list[int | None] = head) -> list[int]:
            found = []
            while (up := head[word]) is not None and up != ROOT:
                found.append(up)
                word = up
            return found

        def number(known: dict[str, int], name: str | None) -> int:
            """Not given, or else; the label of the root follows those of arcs."""
            return len(known) if name == "root" else known.get(name or "", len(known) + 1)

        above = [ancestors(word) for word in range(n)]
        labels = [number(vocabulary.label_numbers, word.deprel) for word in words]
        for i, word in enumerate(words):
            assert fields[i].tolist() == [
                number(vocabulary.tag_numbers, word.tag),
                labels[i],
                0 if head[i] is None else 2 if head[i] == ROOT else 1,
                bucket(head.count(i)),
                bucket(sum(i in each for each in above)),
            ]
            for j in range(n):
                if head[i] == j:
                    expected = len(RELATION_NAMES) + labels[i]
                elif head[j] == i:
                    expected = len(RELATION_NAMES) + n_labels + 2 + labels[j]
                else:
                    expected = RELATION_NAMES.index(relation(i, j, head, above))
                assert relations[i, j] == expected, (problem, i, j)


def test_numbers_of_dependents_and_descendants_are_told_apart_up_to_15() -> None:
    """In a star all are dependents, in a chain one is."""
    for n in range(1, 21):
        for chain in (False, True):
            heads = [i if chain else min(i, 1) for i in range(n)]
            words = tuple(Word(f"w{i}", head=head) for i, head in enumerate(heads))
            encoding = encode(Problem(words), toy_vocabulary())
            fields, _ = read_given(encoding.task, 1, 1)
            top = encoding.order.index(0)
            dependents = min(n - 1, 1) if chain else n - 1
            assert fields[top, 3:].tolist() == [bucket(dependents), bucket(n - 1)]


def relation(i: int, j: int, head: list[int | None], above: list[list[int]]) -> str:
    """What word j is to word i, arcs apart."""
    if i == j:
        return "self"
    if head[i] not in (None, ROOT) and head[i] == head[j]:
        return "sibling"
    if j in above[i]:
        return "ancestor"
    if i in above[j]:
        return "descendant"
    tops = ([*above[i], i][-1] if not above[i] else above[i][-1], [j, *above[j]][-1])
    return "component" if tops[0] == tops[1] else "unrelated"
