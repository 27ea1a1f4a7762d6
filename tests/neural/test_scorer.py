"""The NumPy encoder and the network as a model file holds it.

That the encoder computes what PyTorch computes is tested in test_network.py, what the
search makes of its output in neural/test_search.py.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from itertools import chain, pairwise, permutations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from references.brute_force import Orders, random_problem, satisfying
from references.neural import Configuration
from references.transition import LEFTARC, SHIFT
from toys.models import clashing_problem, relist, toy_vocabulary
from toys.network import (
    SMALL,
    in_many_shapes,
    toy_header,
    toy_lexicon,
    toy_neural_linearizer,
    toy_parameters,
    toy_scorer,
    toy_stored,
)

from syntagma.errors import ModelError, UnsatisfiableError
from syntagma.linearizer import Linearizer
from syntagma.models.container import read_container, write_container
from syntagma.models.model import build_model, load_model, save_model
from syntagma.neural._encoder import Matrix, attend, normalise, pair_tables
from syntagma.neural._search import NeuralSearch
from syntagma.neural.counting import count_lexicon
from syntagma.neural.embeddings import EmbeddingTable
from syntagma.neural.encoder import WordVectors, read_fields
from syntagma.neural.lexicon import LEXICAL
from syntagma.neural.parameters import (
    DIRECTIONS,
    FIELDS,
    Dimensions,
    parameter_shapes,
    table_sizes,
)
from syntagma.neural.scorer import RerankedSearch
from syntagma.neural.slots import SLOTS
from syntagma.neural.stored import StoredNetwork
from syntagma.problem.problem import Problem
from syntagma.problem.shape import shape
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, violations
from syntagma.transition._search import beam_search
from syntagma.transition.encoding import Encoding, encode
from syntagma.treebanks.treebank import Sentence

Shown = tuple[str, tuple[int, ...], tuple[str, ...], tuple[str, ...], float]


def shown(result: Linearization) -> Shown:
    return result.text, result.heads, result.tags, result.deprels, result.score


def problem_of(rng: Random, n: int) -> Problem:
    """A random problem of just n words."""
    while len((problem := random_problem(rng, n)).words) < n:
        pass
    return in_many_shapes(rng, problem)


def encodings_of_all_sizes(seed: int, most: int = 40) -> list[Encoding]:
    rng = Random(seed)
    return [encode(problem_of(rng, n), toy_vocabulary()) for n in range(1, most + 1)]


# ---- the encoder -----------------------------------------------------------------------------


def as_bytes(encoded: WordVectors) -> tuple[bytes, ...]:
    arrays = (encoded.vectors, encoded.tags, *chain.from_iterable(encoded.directions))
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
            assert head == (word.head - 1 if word.head else -1)
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


def test_labels_are_those_that_score_best() -> None:
    """The label of every arc, by itself."""
    scorer, vocabulary = toy_scorer(), toy_vocabulary()
    w = toy_parameters(toy_lexicon(), vocabulary)
    for encoding in encodings_of_all_sizes(4, 12):
        search = next(scorer.searches([encoding], [4]))
        [(_, actions)] = beam_search(search)
        vectors, tags = search.words.vectors, search.words.tags
        stack: list[int] = []
        finished = search.finish(actions)
        assert [action[:2] for action in finished] == [action[:2] for action in actions]
        for kind, word, tag, label in finished:
            if kind == SHIFT:
                stack.append(word)
                assert (tag, label) == (tags[word], -1)
                continue
            dependent = stack.pop(-2 if kind == LEFTARC else -1)
            hidden = vectors[stack[-1]] @ w["labels.head"] + w["labels.bias"]
            hidden = np.maximum(hidden + vectors[dependent] @ w["labels.dependent"], 0)
            scores = hidden @ w["labels.out.weight"] + w["labels.out.bias"]
            assert tag == -1
            assert scores[label] == pytest.approx(scores.max(), abs=1e-5)
    assert scorer.label(np.zeros((1, SMALL.width), np.float32), []) == []


# ---- its compiled parts ----------------------------------------------------------------------


def test_rows_are_added_by_number() -> None:
    rng = np.random.default_rng(1)
    for width in (1, 15, 16, 37):
        rows = rng.standard_normal((7, width)).astype(np.float32)
        numbers = rng.integers(7, size=11).astype(np.int32)
        before = rng.standard_normal((11, width)).astype(np.float32)
        quantised = EmbeddingTable.quantised(rows)
        scales = np.asarray(quantised.scales)[:, None]
        for table, expected in [(EmbeddingTable(rows), rows), (quantised, quantised.rows * scales)]:
            out = before.copy()
            table.add_to(out, numbers)
            np.testing.assert_allclose(out, before + expected[numbers], atol=1e-6)


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


# ---- what the output does not depend on ------------------------------------------------------


@pytest.mark.parametrize("beam", [1, 4, 64])
def test_output_does_not_depend_on_how_the_bag_is_listed(beam: int) -> None:
    rng = Random(beam)
    linearizer = toy_neural_linearizer()
    for _ in range(40):
        problem = in_many_shapes(rng, random_problem(rng, 12, "exact"))
        shuffled = relist(problem, rng.sample(range(len(problem.words)), len(problem.words)))
        expected = [shown(result) for result in linearizer.order(problem, beam=beam, n_best=3)]
        again = linearizer.order(shuffled, beam=beam, n_best=3)
        assert [shown(result) for result in again] == expected


def test_output_does_not_depend_on_threads_or_batches() -> None:
    rng = Random(7)
    problems = [in_many_shapes(rng, random_problem(rng, 30, "exact")) for _ in range(90)]
    linearizer = toy_neural_linearizer()
    alone = [shown(linearizer.order(problem, beam=4)) for problem in problems]
    for threads in (1, 2, 3):
        results = linearizer.order_many(problems, beam=4, threads=threads)
        found = [shown(result) for result in results if isinstance(result, Linearization)]
        assert found == alone


# ---- what is promised ------------------------------------------------------------------------


@pytest.mark.parametrize("beam", [1, 4, 16])
@pytest.mark.parametrize("orders", ["none", "exact", "mixed"])
def test_every_output_satisfies_its_problem(beam: int, orders: Orders) -> None:
    rng = Random(f"{beam}:{orders}")
    linearizer = toy_neural_linearizer(beam)
    most = 9 if orders == "mixed" else 40  # there search may give up, where it is long
    problems = [in_many_shapes(rng, random_problem(rng, most, orders)) for _ in range(60)]
    for problem, result in zip(problems, linearizer.order_many(problems, beam=beam), strict=True):
        assert isinstance(result, Linearization)
        assert violations(result) == [], problem
        assert result.score <= 0


def test_where_the_beam_ends_search_goes_on_or_says_that_there_is_nothing() -> None:
    rng = Random(8)
    linearizer = toy_neural_linearizer()
    rejected = 0
    for _ in range(300):
        problem = clashing_problem(rng, 5)
        try:
            result = linearizer.order(problem, beam=1)
        except UnsatisfiableError:
            assert not satisfying(problem)
            rejected += 1
        else:
            assert violations(result) == []
    assert rejected, "the problems drawn should clash now and then"


def test_n_best_are_distinct_and_sorted() -> None:
    rng = Random(31)
    linearizer = toy_neural_linearizer()
    for _ in range(20):
        problem = random_problem(rng, 8, "exact")
        results = linearizer.order(problem, n_best=10)
        assert len({result.words for result in results}) == len(results) <= 10
        assert all(one.score >= other.score for one, other in pairwise(results))
        assert shown(results[0]) == shown(linearizer.order(problem))


def test_an_order_that_is_asked_for_has_the_score_that_the_search_gives_it() -> None:
    """Also where the order leaves no choice: its words compete with those of all other orders."""
    linearizer = toy_neural_linearizer()
    rng = Random(31)
    for size in (2, 3, 4):
        problem = problem_of(rng, size)
        for found in linearizer.order(problem, n_best=24, beam=1024):
            asked = linearizer.score(problem, found.order, beam=1024)
            assert asked.order == found.order
            assert asked.score == pytest.approx(found.score, abs=1e-4)
            assert found.score <= linearizer.order(problem, beam=1024).score
    problem = Problem.of(["w1", "w2", "w3"])
    scores = [
        linearizer.score(problem, order, beam=1024).score for order in permutations((1, 2, 3))
    ]
    assert len(set(scores)) == len(scores)
    assert sum(map(math.exp, scores)) <= 1


def test_results_have_been_read_in_both_directions() -> None:
    changed = 0
    for encoding in encodings_of_all_sizes(6, 9):
        search, plain = (next(toy_scorer().searches([encoding], [8])) for _ in range(2))
        found = beam_search(search, 8)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(RerankedSearch, "results", NeuralSearch.results)
            forward = beam_search(plain, 8)
        plain.reranker.rerank(plain)
        assert found == NeuralSearch.results(plain, 8)
        changed += found[0][1] != forward[0][1]
    assert changed > 3, "the second opinion counts"


def test_unknown_words_tags_and_labels_come_out_as_they_went_in() -> None:
    words = (
        Word("naïve café", tag="X-ODD", head=2, deprel="odd:label"),
        Word("🦊", tag="X-ODD"),
        Word("w1 of w2", head=2, deprel="nsubj"),
        Word("w3", tag="NN", deprel="strange"),
        Word("שלום", head=0, deprel="ROOT!"),
    )
    result = toy_neural_linearizer().order(Problem(words))
    assert violations(result) == []
    given_words = {token.source: token for token in result.tokens}
    for index, word in enumerate(words, 1):
        assert given_words[index].form == word.form
        assert word.tag in (None, given_words[index].tag)
        assert word.deprel in (None, given_words[index].deprel)


def test_the_scorer_looks_at_the_state_through_the_slots_it_was_trained_with() -> None:
    """The rows and tables that the encoder hands on, against the reference, for one SHIFT."""
    scorer, vocabulary = toy_scorer(), toy_vocabulary()
    w = toy_parameters(toy_lexicon(), vocabulary)
    for encoding in encodings_of_all_sizes(5, 8):
        [encoded] = scorer.encoder.encode([encoding])
        vectors = np.vstack([encoded.vectors, w["special"]])
        for prefix, (rows, tables_of_pairs) in zip(DIRECTIONS, encoded.directions, strict=True):
            first = 0
            for part in ("state", "arc", "candidate", "sets"):
                expected = vectors @ w[f"{prefix}slots.{part}"]
                found = rows[:, first : first + expected.shape[1]]
                np.testing.assert_allclose(found, expected, atol=1e-4)
                first += expected.shape[1]
            assert first == rows.shape[1]
            tables = len(SLOTS.pairs) + 2
            shape_ = (len(vectors), tables, SMALL.rank)
            before = (vectors @ w[f"{prefix}pairs.first"]).reshape(shape_)
            after = (vectors @ w[f"{prefix}pairs.second"]).reshape(shape_)
            expected = np.einsum("itr,jtr->tij", before, after) / SMALL.rank**0.5
            found = tables_of_pairs[:, : len(vectors), : len(vectors)]
            np.testing.assert_allclose(found, expected, atol=1e-4)
        actions = next(scorer.searches([encoding], [1])).scored_actions()
        legal = Configuration(relist(encoding.problem, encoding.order)).legal()
        assert {action[1] for action, _ in actions} == {move.word for move in legal}


# ---- the lexicon -----------------------------------------------------------------------------


def sentence(*forms: str) -> Sentence:
    n = len(forms)
    heads = tuple(range(n))
    return Sentence(forms, ("X",) * n, heads, ("root", *("dep",) * (n - 1)))


def test_forms_are_known_by_form_lower_case_suffix_and_shape() -> None:
    lexicon = count_lexicon([sentence("The", "the", "Running", "old red Foxes", "A")], 1)
    assert lexicon.names == {
        "form": ["A", "Foxes", "Running", "The"],
        "lower": ["a", "foxes", "running", "the"],
        "suffix": ["a", "ing", "the", "xes"],
        "shape": sorted({shape(form) for form in ("The", "the", "A", "old red Foxes")}),
    }
    assert lexicon.sizes() == {"form": 5, "lower": 5, "suffix": 5, "shape": 5}
    numbers = {form: lexicon.numbers(form) for form in ("The", "the", "THE", "any Foxes")}
    assert numbers["The"][:3] == (4, 4, 3)
    assert numbers["the"][:3] == (0, 4, 3), "a form in lower case is known as such"
    assert numbers["THE"][:3] == (0, 4, 3)
    assert numbers["any Foxes"][:3] == (2, 2, 4), "a phrase goes by its last word"
    assert lexicon.numbers("1990")[:3] == (0, 0, 0)
    assert lexicon.numbers("The") == numbers["The"], "also at second sight"


def test_rare_words_are_unknown() -> None:
    counted = [sentence("Aaa", "Aaa", "bbb", "Bbb", "cXX")]
    assert count_lexicon(counted, 2).names == {
        "form": ["Aaa"],
        "lower": ["aaa", "bbb"],
        "suffix": ["aaa", "bbb"],
        "shape": ["Xx"],
    }


# ---- in a model file -------------------------------------------------------------------------


SHAPES = parameter_shapes(SMALL, SLOTS, table_sizes(toy_lexicon(), toy_vocabulary()))
PARAMETERS = list(SHAPES)


def save(path: Path, stored: StoredNetwork | None = None) -> Path:
    save_model(path, toy_header(), toy_vocabulary(), stored or toy_stored())
    return path


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    stored = toy_stored()
    header, sections = read_container(save(tmp_path / "toy"))
    assert header["parameters"] == sum(map(math.prod, SHAPES.values()))
    again = StoredNetwork.from_arrays(sections)
    assert again.names == stored.names
    assert again.arrays.keys() == stored.arrays.keys()
    for name, array in stored.arrays.items():
        assert again.arrays[name].dtype == array.dtype
        assert again.arrays[name].tobytes() == array.tobytes()
    save_model(tmp_path / "again", toy_header(), toy_vocabulary(), again)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "toy").read_bytes()


def test_a_loaded_model_finds_what_the_built_one_finds(tmp_path: Path) -> None:
    rng = Random(9)
    built = Linearizer(build_model(toy_header(), toy_vocabulary(), toy_stored()))
    loaded = Linearizer(load_model(save(tmp_path / "toy")))
    for _ in range(20):
        problem = in_many_shapes(rng, random_problem(rng, 12))
        expected = [shown(each) for each in built.order(problem, n_best=5)]
        assert [shown(each) for each in loaded.order(problem, n_best=5)] == expected


def test_a_stored_network_is_close_to_the_one_it_was_made_of() -> None:
    vocabulary = toy_vocabulary()
    rounded = toy_stored().scorer(toy_header(), vocabulary)
    encodings = encodings_of_all_sizes(6, 20)
    for one, other in zip(
        toy_scorer().encoder.encode(encodings), rounded.encoder.encode(encodings), strict=True
    ):
        assert np.abs(one.vectors - other.vectors).mean() < 0.05
        assert not np.array_equal(one.vectors, other.vectors)


def looked_up(table: EmbeddingTable, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    out = np.zeros((len(numbers), table.rows.shape[1]), np.float32)
    table.add_to(out, numbers)
    return out


@settings(max_examples=100, deadline=None)
@given(
    arrays(
        np.float32,
        array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.floats(-8, 8, width=32),
    )
)
def test_rounding_to_8_bits_is_off_by_half_a_step(rows: npt.NDArray[np.float32]) -> None:
    """A step is a 127th of the largest value of a row, itself kept in 16 bits."""
    table = EmbeddingTable.quantised(rows)
    assert table.rows.dtype == np.int8
    found = looked_up(table, np.arange(len(rows), dtype=np.int32))
    step = np.abs(rows).max(axis=1, keepdims=True) / 127
    tiny = 127 * 2.0**-25  # where the step itself is nearly too small for 16 bits
    assert (np.abs(found - rows) <= 0.57 * step + tiny).all()


def test_other_parameters_are_rounded_to_16_bits() -> None:
    parameters = toy_parameters(toy_lexicon(), toy_vocabulary())
    stored = toy_stored()
    quantised = {f"tables.{name}" for name in LEXICAL}
    assert set(stored.arrays) == {
        *(f"network.{name}" for name in parameters),
        *(f"network.{name}.scales" for name in quantised),
    }
    for name, parameter in parameters.items():
        array = stored.arrays[f"network.{name}"]
        assert array.shape == parameter.shape
        if name not in quantised:
            assert array.dtype == np.float16
            error = np.abs(array.astype(np.float64) - parameter)
            assert (error <= np.abs(parameter) * 2.0**-11 + 2.0**-25).all()


# ---- what is refused -------------------------------------------------------------------------


def refused(path: Path, header: dict[str, Any], sections: dict[str, npt.NDArray[Any]]) -> str:
    """The one line that is said of a bad model."""
    write_container(path, header, sections)
    with pytest.raises(ModelError) as caught:
        load_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.count(str(path)) == 1
    assert "\n" not in message
    return message


def test_a_model_without_one_of_its_parameters(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    for name in PARAMETERS:
        fewer = {key: array for key, array in sections.items() if key != f"network.{name}"}
        assert f"no parameter {name} of shape" in refused(tmp_path / "bad", header, fewer)
    for name in LEXICAL:
        fewer = {key: array for key, array in sections.items() if not key.endswith(".scales")}
        assert "no parameter tables.form.scales of" in refused(tmp_path / "bad", header, fewer)
        fewer = {key: array for key, array in sections.items() if key != f"lexicon.{name}"}
        assert f"no section 'lexicon.{name}'" in refused(tmp_path / "bad", header, fewer)


def test_a_model_with_a_parameter_of_another_shape(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    for name in PARAMETERS:
        array = sections[f"network.{name}"]
        larger = np.concatenate([array, array[-1:]])
        if array.shape[-1] != array.size:
            assert name in refused(
                tmp_path / "bad", header, {**sections, f"network.{name}": array.reshape(-1)}
            )
        assert f"no parameter {name} of shape {array.shape}" in refused(
            tmp_path / "bad", header, {**sections, f"network.{name}": larger}
        )


def test_a_model_with_scales_where_none_belong(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    scales = np.ones(len(sections["network.special"]), np.float16)
    message = refused(tmp_path / "bad", header, {**sections, "network.special.scales": scales})
    assert f"the network has {len(PARAMETERS) + 5} arrays, not {len(PARAMETERS) + 4}" in message


def test_a_model_with_scales_of_another_length(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    short = sections["network.tables.lower.scales"][:-1]
    message = refused(tmp_path / "bad", header, {**sections, "network.tables.lower.scales": short})
    assert "no parameter tables.lower.scales of shape" in message


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_model_with_a_parameter_that_is_no_number(tmp_path: Path, bad: float) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    array = np.array(sections["network.slots.arc"])
    array[1, 2] = bad
    message = refused(tmp_path / "bad", header, {**sections, "network.slots.arc": array})
    assert "the parameter slots.arc of the network is not finite" in message


def test_a_model_with_a_parameter_of_another_type(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    wide = sections["network.tables.form"].astype(np.int16)
    message = refused(tmp_path / "bad", header, {**sections, "network.tables.form": wide})
    assert "no parameter tables.form of shape" in message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dimensions": None}, "does not state the dimensions"),
        ({"dimensions": [1, 2]}, "does not state the dimensions"),
        ({"dimensions": {"width": 24}}, "does not state the dimensions"),
        ({"heads": 0}, "do not fit together"),
        ({"heads": 5}, "do not fit together"),
        ({"hidden": 33}, "do not fit together"),
        ({"guess_after": 3}, "do not fit together"),
        ({"guess_after": -1}, "not an integer from 0 to 65536"),
        ({"width": 1.5}, "not an integer from 0 to 65536"),
        ({"width": True}, "not an integer from 0 to 65536"),
    ],
)
def test_a_header_with_other_dimensions(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    if "dimensions" not in changes:
        changes = {"dimensions": {**header["dimensions"], **changes}}
    assert message in refused(tmp_path / "bad", {**header, **changes}, sections)


def test_a_model_with_words_that_are_no_text(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    noise = np.array([0xFF, 0xFE], np.uint8)
    message = refused(tmp_path / "bad", header, {**sections, "lexicon.lower": noise})
    assert "a list of words is not UTF-8" in message


def test_a_model_with_other_words_than_its_tables_have(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    for name in (*(f"lexicon.{table}" for table in LEXICAL), "tags", "labels"):
        more = np.concatenate([sections[name], np.frombuffer(b"\nanother", np.uint8)])
        assert "no parameter" in refused(tmp_path / "bad", header, {**sections, name: more})


def test_a_model_with_other_slots(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    for part, names in header["slots"].items():
        for other in (names[:-1], [*names[1:], names[0]]):
            changed = {**header, "slots": {**header["slots"], part: other}}
            message = refused(tmp_path / "bad", changed, sections)
            assert "other slots than this version has; train it again" in message


@pytest.mark.parametrize("name", [n for n in Dimensions.__dataclass_fields__ if n != "guess_after"])
def test_a_model_with_other_dimensions(tmp_path: Path, name: str) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    sizes = header["dimensions"]
    changed = {**header, "dimensions": {**sizes, name: 2 * sizes[name]}}
    message = refused(tmp_path / "bad", changed, sections)
    assert "the network has no parameter" in message or "do not fit together" in message


# ---- PyTorch is not needed -------------------------------------------------------------------


def run_without_torch(arguments: Sequence[str], script: str) -> None:
    ending = "assert 'torch' not in sys.modules"
    subprocess.run(
        [sys.executable, "-c", f"import sys\n{script}\n{ending}", *arguments], check=True
    )


def test_ordering_with_a_neural_model_does_not_import_pytorch(tmp_path: Path) -> None:
    path = save(tmp_path / "toy")
    script = (
        "import syntagma\n"
        "model = syntagma.load(sys.argv[1])\n"
        "assert sorted(model.order(['w2', 'W1', 'w3']).words) == ['W1', 'w2', 'w3']\n"
        "assert len(list(model.order_many([['w1', 'w2']] * 40, threads=2))) == 40"
    )
    run_without_torch([str(path)], script)
