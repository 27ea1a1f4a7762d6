"""Which words have rows in the slots. That no others are read is tested in test_search.py, where
the reference has the rows of all words."""

from itertools import chain
from random import Random

import numpy as np
from references.brute_force import random_heads

from syntagma.neural._action_scorer import GROUPS
from syntagma.neural.encoder import Occupants
from syntagma.transition.encoding import NONE, ROOT


def test_words_have_rows_where_given_arcs_let_them_stand() -> None:
    rng = Random(1)
    for _ in range(100):
        problems = []
        for size in rng.choices(range(1, 9), k=rng.randint(1, 4)):
            share = rng.choice((0, 0.5, 1))
            heads = [ROOT if head == 0 else head - 1 for head in random_heads(rng, size)]
            problems.append([head if rng.random() < share else NONE for head in heads])
        lengths = np.array([len(heads) for heads in problems], np.int32)
        starts = np.cumsum(lengths, dtype=np.int32) - lengths
        occupants = Occupants(np.array([*chain(*problems)], np.int32), starts, lengths)
        for heads, members, start in zip(problems, occupants.members, starts, strict=True):
            n = len(heads)
            expected = {
                "any": list(range(n)),
                "arcs": list(range(n)) if NONE in heads else [],
                "linked": [i for i in range(n) if heads[i] != NONE or i in heads],
                "heads": [i for i in range(n) if i in heads],
            }
            assert {g: list(each) for g, each in zip(GROUPS, members, strict=True)} == expected
            for words, group in zip(occupants.words, GROUPS, strict=True):
                inside = words[(start <= words) & (words < start + n)]
                assert list(inside - start) == expected[group]
