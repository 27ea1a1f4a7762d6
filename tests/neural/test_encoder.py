"""The set encoder in NumPy and its compiled parts, against plain NumPy.

That it computes what PyTorch computes is tested in test_network.py.
"""

from __future__ import annotations

from itertools import chain
from random import Random

import numpy as np
import pytest
from references.neural import Configuration
from toys.models import relist, toy_vocabulary
from toys.network import (
    SMALL,
    encodings_of_all_sizes,
    problem_of,
    toy_lexicon,
    toy_parameters,
    toy_scorer,
)

from syntagma.neural._encoder import Matrix, attend, normalise, pair_tables
from syntagma.neural.encoder import WordVectors, read_fields
from syntagma.neural.parameters import (
    DIRECTIONS,
    FIELDS,
    SLOTS,
    table_sizes,
)
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.transition.encoding import encode


def as_bytes(encoded: WordVectors) -> tuple[bytes, ...]:
    arrays = [encoded.vectors, encoded.tags]
    for rows, pairs in encoded.directions:
        arrays += [*chain.from_iterable(rows), pairs]
    return tuple(array.tobytes() for array in arrays)


def test_a_problem_is_encoded_to_the_same_bits_in_any_company() -> None:
    rng, scorer = Random(1), toy_scorer()
    encodings = encodings_of_all_sizes(1)
    alone = [as_bytes(next(scorer.encoder.encode([encoding]))) for encoding in encodings]
    together = list(range(len(encodings)))
    for _ in range(6):
        rng.shuffle(together)
        for size in (2, 3, 7, 40):
            members = rng.choices(together, k=size)
            for number, encoded in zip(
                members, scorer.encoder.encode([encodings[i] for i in members]), strict=True
            ):
                assert as_bytes(encoded) == alone[number]


def test_words_are_read_with_all_that_is_given_of_them() -> None:
    vocabulary, lexicon = toy_vocabulary(), toy_lexicon()
    sizes = table_sizes(lexicon, vocabulary)
    for encoding in encodings_of_all_sizes(3, 20):
        fields, relations, heads = read_fields(encoding, lexicon, vocabulary)
        problem = relist(encoding.problem, encoding.order)
        n = len(problem.words)
        assert fields.shape == (n, len(FIELDS))
        assert relations.shape == (n, n)
        for row, word, head in zip(fields, problem.words, heads, strict=True):
            assert tuple(row[:4]) == lexicon.numbers(word.form)
            assert head == word.head - 1 if word.head else head < 0
        assert (fields < [sizes[name] for name in FIELDS]).all()
        assert relations.max() < sizes["relations"]


def test_all_words_see_each_other() -> None:
    """A word changes the vectors of all others, whatever is given."""
    vocabulary = toy_vocabulary()
    for seed in range(10):
        problem = problem_of(Random(seed), 6)
        words = list(problem.words)
        at = problem.canonical()[-1]  # so that the other words keep their numbers
        words[at] = Word("zzz", words[at].tag, words[at].head, words[at].deprel)
        one, other = toy_scorer().encoder.encode(
            [encode(problem, vocabulary), encode(Problem(tuple(words)), vocabulary)]
        )
        assert (np.abs(one.vectors - other.vectors).max(axis=1) > 1e-6).all()


def test_vectors_are_multiplied_with_the_matrices_of_slots_and_pairs() -> None:
    """The rows and pair tables, for both directions."""
    scorer, vocabulary = toy_scorer(), toy_vocabulary()
    groups = scorer._action_scorers[0].groups.values()
    w = toy_parameters(toy_lexicon(), vocabulary)
    for encoding in encodings_of_all_sizes(5, 8):
        [encoded] = scorer.encoder.encode([encoding])
        vectors = np.vstack([encoded.vectors, w["special"]])
        for prefix, (rows, tables_of_pairs) in zip(DIRECTIONS, encoded.directions, strict=True):
            parts = ("state", "arc", "candidate", "sets")
            expected = vectors @ np.hstack([w[f"{prefix}slots.{part}"] for part in parts])
            for columns, members, found, special in zip(groups, *rows, strict=True):
                np.testing.assert_allclose(found, expected[members][:, columns], atol=1e-4)
                np.testing.assert_allclose(special, expected[-2:, columns], atol=1e-4)
            tables = len(SLOTS.pairs) + 2
            shape_ = (len(vectors), tables, SMALL.rank)
            before = (vectors @ w[f"{prefix}pairs.first"]).reshape(shape_)
            after = (vectors @ w[f"{prefix}pairs.second"]).reshape(shape_)
            expected = np.einsum("itr,jtr->tij", before, after) / SMALL.rank**0.5
            found = tables_of_pairs[:, : len(vectors), : len(vectors)]
            np.testing.assert_allclose(found, expected, atol=1e-4)
        actions = next(scorer.searches([encoding], [1], [None])).scored_actions()
        legal = Configuration(relist(encoding.problem, encoding.order)).legal()
        assert {action[1] for action, _ in actions} == {move.word for move in legal}


# ---- the compiled parts ----------------------------------------------------------------------


def test_rows_are_normalised_to_mean_0_and_variance_1() -> None:
    rng = np.random.default_rng(2)
    for width in (1, 15, 16, 37):
        x = (3 * rng.standard_normal((5, width)) + 2).astype(np.float32)
        weight, bias = rng.standard_normal((2, width)).astype(np.float32)
        before = x.copy()
        out = normalise(x, weight, bias)
        scaled = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(out, scaled * weight + bias, atol=1e-5)
        assert np.array_equal(x, before)
    small = np.array([[1e-3, -1e-3]], np.float32)
    out = normalise(small, np.ones(2, np.float32), np.zeros(2, np.float32))
    np.testing.assert_allclose(out, small / np.sqrt(1e-6 + 1e-5), rtol=1e-4)


def test_words_attend_to_the_words_of_their_sentence() -> None:
    """Head by head, word by word; what is between two sentences is not looked at."""
    rng = np.random.default_rng(3)
    heads, size, n_relations, gap = 3, 5, 4, 2
    width, lengths = heads * size, np.array([19, 1, 7, 16], np.int32)
    starts = (np.cumsum(lengths + gap) - lengths - gap).astype(np.int32)
    qkv = np.full((int((lengths + gap).sum()), 3 * width), np.nan, np.float32)
    relations = [rng.integers(n_relations, size=(n, n)).astype(np.int32) for n in lengths]
    bias = rng.standard_normal((heads, n_relations)).astype(np.float32)
    for start, n in zip(starts, lengths, strict=True):
        qkv[start : start + n] = rng.standard_normal((n, 3 * width))
    flat = np.concatenate([relation.reshape(-1) for relation in relations])
    out = attend(qkv, flat, bias, starts, lengths)
    for start, n, relation in zip(starts, lengths, relations, strict=True):
        assert (out[start + n : start + n + gap] == 0).all()
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            q, k, v = (block[:, part] for block in np.split(qkv[start : start + n], 3, axis=1))
            for word in range(n):
                scores = k @ q[word] / np.sqrt(size) + bias[head, relation[word]]
                shares = np.exp(scores - scores.max())
                expected = shares @ v / shares.sum()
                np.testing.assert_allclose(out[start + word, part], expected, atol=1e-5)


def test_matrix_products() -> None:
    """Against NumPy's, in any shape; a row is the same to the bit wherever it stands."""
    rng = np.random.default_rng(4)
    for before, after in [(1, 1), (7, 31), (16, 32), (33, 65), (160, 51)]:
        weights = rng.standard_normal((before, after)).astype(np.float32)
        bias = rng.standard_normal(after).astype(np.float32)
        matrix = Matrix(weights, bias)
        x = rng.standard_normal((13, before)).astype(np.float32)
        out = matrix(x)
        np.testing.assert_allclose(out, x @ weights + bias, atol=1e-4)
        np.testing.assert_allclose(Matrix(weights)(x), x @ weights, atol=1e-4)
        for start in range(13):
            for end in range(start, 13):
                assert np.array_equal(matrix(x[start:end]), out[start:end])
    with pytest.raises(ValueError, match="rows must have 160 columns, not 3"):
        matrix(np.zeros((2, 3), np.float32))


def test_tables_of_pairs() -> None:
    rng = np.random.default_rng(5)
    tables, rank = 3, 5
    both = rng.standard_normal((18, 2 * tables * rank)).astype(np.float32)
    first, second = both.reshape(18, 2, tables, rank).transpose(1, 2, 0, 3)
    expected = first @ second.transpose(0, 2, 1)
    np.testing.assert_allclose(pair_tables(both, tables), expected, atol=1e-5)
