"""Ordering by best-first search, with toy models of trees and of CCG derivations.

The search itself is compared with a slow reference in test_search.py.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references.brute_force import random_problem
from references.ccg_rules import broken_rules
from toys.ccg import DERIVATIONS, toy_grammar, toy_vocabulary
from toys.edges import GRAMMARS, train_edges
from toys.strategies import problems, relist
from toys.treebank import SENTENCES

from syntagma.best_first import strategy as best_first_module
from syntagma.cli.options import FormatName
from syntagma.cli.output import Document
from syntagma.errors import ModelError, OutputError, ProblemError, SyntagmaError
from syntagma.formats.auto import parse_auto
from syntagma.formats.problems import read_problems
from syntagma.linearizer import linearizer as linearizer_module
from syntagma.linearizer.linearizer import Linearizer, load
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, violations

FORMATS: tuple[FormatName, ...] = ("text", "json", "conllu", "tree", "auto", "indented")
TREES = [
    [token.rsplit("/", 3)[0] for token in line.split()] for line in SENTENCES.strip().splitlines()
]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Linearizer]:
    folder = tmp_path_factory.mktemp("models")
    return {
        grammar: load(train_edges(folder, grammar), search="best-first") for grammar in GRAMMARS
    }


@pytest.fixture(scope="module")
def trees(models: dict[str, Linearizer]) -> Linearizer:
    return models["dependency"]


@pytest.fixture(scope="module")
def ccg(models: dict[str, Linearizer]) -> Linearizer:
    return models["ccg"]


@pytest.fixture(scope="module", params=GRAMMARS)
def model(models: dict[str, Linearizer], request: pytest.FixtureRequest) -> Linearizer:
    return models[request.param]


def unordered(result: Linearization) -> tuple[object, ...]:
    """The parts of a result that do not depend on the order in which the bag lists its words."""
    derivations = [[each.category for each in d.nodes] for d in result.derivations]
    shown = (result.words, result.tags, result.heads, result.deprels)
    return (*shown, result.score, result.finished, derivations)


# ---- what comes out --------------------------------------------------------------------------


def test_what_was_learned_comes_out(models: dict[str, Linearizer]) -> None:
    sentences = [list(derivation.forms) for derivation in DERIVATIONS.values()]
    for grammar, known in (("dependency", TREES), ("ccg", sentences)):
        model = models[grammar]
        found = [model.order(sorted(forms)) for forms in known]
        assert all(result.finished and violations(result) == [] for result in found)
        right = sum(list(r.words) == forms for r, forms in zip(found, known, strict=True))
        assert right >= 0.8 * len(known), grammar


def test_a_tree(trees: Linearizer) -> None:
    result = trees.order(["boats", "sea", "saw", ".", "two", "at", "We"])
    assert result.text == "We saw two boats at sea ."
    assert result.tags == ("PRP", "VBD", "CD", "NNS", "IN", "NN", ".")
    assert result.heads == (2, 0, 4, 2, 6, 2, 2)
    assert result.deprels == ("nsubj", "root", "nummod", "obj", "case", "obl", "punct")
    assert result.order == (7, 3, 5, 1, 6, 2, 4)
    assert result.derivations == ()
    assert result.fluency is None


def test_a_derivation(ccg: Linearizer) -> None:
    result = ccg.order(["pear", "the", ".", "the", "hid", "cook"])
    [derivation] = result.derivations
    assert derivation.forms == result.words == ("the", "cook", "hid", "the", "pear", ".")
    assert derivation.tags == result.tags
    assert derivation.heads() == result.heads
    assert [leaf.source for leaf in derivation.leaves] == [*result.order]
    assert sorted(result.order) == [1, 2, 3, 4, 5, 6]
    assert broken_rules(derivation, toy_grammar(), toy_vocabulary()) == []
    assert set(result.deprels) == {"dep", "root"}


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.sampled_from([1, 2, 5, 20, 2000]))
@settings(max_examples=150)
def test_constraints_are_kept_with_any_budget(
    trees: Linearizer, rng: Random, expansions: int
) -> None:
    problem = random_problem(rng, 7, "mixed")
    result = trees.order(problem, expansions=expansions)
    assert violations(result) == []
    assert result.finished or expansions <= 20 or problem.before or problem.first or problem.last
    assert result.tokens


@pytest.mark.slow
@given(problems(), st.sampled_from([1, 2, 5, 20, 2000]))
def test_constraints_are_kept_in_problems_that_may_have_no_solution(
    trees: Linearizer, problem: Problem, expansions: int
) -> None:
    assert violations(trees.order(problem, expansions=expansions)) == []


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.sampled_from([1, 3, 10, 500]))
def test_constraints_are_kept_with_ccg(ccg: Linearizer, rng: Random, expansions: int) -> None:
    forms = rng.choices(
        ["the", "fox", "we", "saw", "ran", "and", "zebra", "."], k=rng.randint(1, 7)
    )
    order = rng.sample(range(1, len(forms) + 1), len(forms))
    before = [(order[0], order[-1])] if len(forms) > 1 and rng.random() < 0.5 else []
    last = order[-1] if rng.random() < 0.3 else None
    words = [Word(form, rng.choice([None, None, "NOUN", "X"])) for form in forms]
    result = ccg.order(Problem.of(words, before=before, last=last), expansions=expansions)
    assert violations(result) == []
    assert [leaf for each in result.derivations for leaf in each.forms] == [*result.words]
    assert len(result.derivations) == result.heads.count(0)
    assert not result.finished or len(result.derivations) == 1


# ---- n best ----------------------------------------------------------------------------------


def test_the_best_orders_are_different_and_the_best_comes_first(model: Linearizer) -> None:
    bag = ["sank", "the", "old", "boat", "."]
    ranked = model.order(bag, n_best=10, expansions=5000)
    assert 1 < len(ranked) <= 10
    assert len({result.words for result in ranked}) == len(ranked)
    scores = [result.score for result in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(result.finished and violations(result) == [] for result in ranked)
    assert model.order(bag).words in {result.words for result in ranked}
    assert unordered(model.order(bag, n_best=1)[0]) == unordered(model.order(bag))


def test_there_may_be_fewer_orders_than_asked_for(trees: Linearizer, ccg: Linearizer) -> None:
    assert len(trees.order(["ran", "We", "."], n_best=100)) == 6
    assert {result.text for result in trees.order(["ran", "ran"], n_best=9)} == {"ran ran"}
    assert ccg.order(["ran", "we"], n_best=9)[0].text == "we ran"
    assert len(ccg.order(["ran", "we"], n_best=9)) <= 2


def test_an_unfinished_search_has_one_result(model: Linearizer) -> None:
    [result] = model.order(["sank", "the", "boat", "."], n_best=5, expansions=2)
    assert not result.finished
    assert unordered(result) == unordered(model.order(["sank", "the", "boat", "."], expansions=2))


@pytest.mark.parametrize("n_best", [0, -1, 1025])
def test_how_many_can_be_asked_for(model: Linearizer, n_best: int) -> None:
    with pytest.raises(ValueError, match="n_best must be between 1 and 1024"):
        model.order(["a"], n_best=n_best)


# ---- many ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_best", [None, 3])
def test_threads_make_no_difference(model: Linearizer, n_best: int | None) -> None:
    bags = [[f"w{i}", "the", "boat", "sank", "."][: 1 + i % 5] for i in range(40)]
    spent: dict[str, Any] = {"n_best": n_best, "expansions": 60}
    alone = [model.order(bag, **spent) for bag in bags]
    assert list(model.order_many(bags, **spent)) == alone
    assert list(model.order_many(iter(bags), **spent)) == alone
    assert list(model.order_many(bags, threads=3, **spent)) == alone


def test_errors_take_the_place_of_results(ccg: Linearizer) -> None:
    items: list[Any] = [["ran"], [], [Word("ran", head=0)], "one string", ["we", "ran"]]
    found = list(ccg.order_many(items, on_error="yield", threads=2))
    assert [isinstance(each, SyntagmaError) for each in found] == [False, True, True, True, False]
    with pytest.raises(ProblemError, match="the head of word 1 'ran' is given"):
        list(ccg.order_many(items[2:]))


# ---- unfinished results ----------------------------------------------------------------------


@pytest.mark.parametrize("expansions", [1, 2, 3, 6])
def test_an_unfinished_result_says_what_it_leaves_out(model: Linearizer, expansions: int) -> None:
    problem = Problem.of(["sank", "the", "old", "boat", "near", "the", "pear", "."], id="s1")
    result = model.order(problem, expansions=expansions)
    assert not result.finished
    assert sorted([*result.order, *result.left_out]) == [*range(1, 9)]
    assert 1 <= len(result.tokens) <= expansions
    assert violations(result) == []


def test_a_larger_budget_leaves_out_fewer_words(model: Linearizer) -> None:
    bag = ["sank", "the", "old", "boat", "near", "the", "fox", "."]
    sizes = [len(model.order(bag, expansions=limit).tokens) for limit in (1, 4, 16, 1000)]
    assert sizes == sorted(sizes)
    assert sizes[0] == 1


@pytest.mark.parametrize("expansions", [1, 3, 1000])
@pytest.mark.parametrize("n_best", [None, 2])
@pytest.mark.parametrize("format", FORMATS)
def test_results_can_be_written(
    model: Linearizer, format: FormatName, n_best: int | None, expansions: int
) -> None:
    problem = Problem.of(["sank", "the", "old boat", "."], id="s1")
    result: Any = model.order(problem, n_best=n_best, expansions=expansions)
    first: Linearization = result if n_best is None else result[0]
    if format in ("auto", "indented") and not first.derivations:
        with pytest.raises(OutputError, match=f"no derivation to write as '{format}'"):
            Document(format, model.tag_column).add(result)
        return
    text = Document(format, model.tag_column).add(result)
    assert text.endswith("\n")
    for token in first.tokens:
        if format == "auto":
            assert f" {token.form.replace(' ', chr(0xA0))} " in text
        else:
            assert token.form in text
    if format == "auto":
        lines = text.splitlines()
        assert lines[0] == "ID=s1 PARSER=SYNTAGMA NUMPARSE=1"
        assert parse_auto(lines[1]).heads() == first.derivations[0].heads()


def test_unfinished_results_as_json(trees: Linearizer, ccg: Linearizer) -> None:
    for model in (trees, ccg):
        result = model.order(["sank", "the", "boat"], expansions=2)
        value = json.loads(Document("json", "xpos").add(result))
        assert value["finished"] is False
        assert value["left_out"] == [*result.left_out]
        assert [word["head"] for word in value["words"]] == [*result.heads]
        if model is ccg:
            found = [parse_auto(line).text for line in value["derivations"]]
            assert found == [each.text for each in result.derivations]
        else:
            assert "derivations" not in value


def test_unfinished_results_as_conllu(model: Linearizer, tmp_path: Any) -> None:
    result = model.order(["sank", "the", "boat"], expansions=2)
    text = Document("conllu", model.tag_column).add(result)
    assert f"# unfinished = {len(result.left_out)} word" in text
    if result.heads.count(0) == 1:
        (tmp_path / "x.conllu").write_text(text, encoding="utf-8")
        [again] = read_problems(tmp_path / "x.conllu", tag_column=model.tag_column)
        assert isinstance(again, Problem)
        assert [word.form for word in again.words] == [*result.words]


# ---- words -----------------------------------------------------------------------------------


@pytest.mark.parametrize("expansions", [1, 5, 5000])
def test_each_of_several_equal_words_is_used_once(model: Linearizer, expansions: int) -> None:
    bag = ["the", "fox", "saw", "the", "fox", "and", "the", "fox", "."]
    result = model.order(bag, expansions=expansions)
    assert violations(result) == []
    assert len(set(result.order)) == len(result.order)
    assert sorted([*result.order, *result.left_out]) == [*range(1, 10)]


def test_a_bag_of_nothing_but_equal_words(trees: Linearizer) -> None:
    result = trees.order(["fox"] * 7, expansions=5000)
    assert result.finished
    assert sorted(result.order) == [*range(1, 8)]


def test_equal_words_of_which_something_else_is_given(trees: Linearizer) -> None:
    words = [Word("fox", head=3), Word("fox", tag="NN"), Word("saw"), Word("fox", deprel="obj")]
    problem = Problem.of(words, before=[(4, 1)])
    assert violations(trees.order(problem)) == []


def test_a_phrase_is_kept_together(model: Linearizer) -> None:
    result = model.order(["sank", "the old boat", "."], expansions=5000)
    assert "the old boat" in result.words
    assert "the old boat" in result.text


@pytest.mark.parametrize("expansions", [1, 5000])
def test_words_that_were_never_seen(model: Linearizer, expansions: int) -> None:
    result = model.order(["zebra", "🦊", "שלום", "a\x07b", "ran"], expansions=expansions)
    assert violations(result) == []
    assert all(result.tags)
    tags = [Word("zebra", "ZZ"), Word("ran", "VBD"), Word("the", "ZZ")]
    result = model.order(tags, expansions=expansions)
    assert violations(result) == []
    assert {token.tag for token in result.tokens} <= {"ZZ", "VBD"}


def test_labels_that_were_never_seen(trees: Linearizer) -> None:
    words = [Word("boat", deprel="vessel"), Word("sank", head=0), Word("the", head=1, deprel="?!")]
    result = trees.order(words)
    assert result.finished
    assert violations(result) == []
    assert {"vessel", "?!"} < set(result.deprels)


@pytest.mark.parametrize("form", ["ran", "zebra", "the old boat", "."])
def test_one_word(model: Linearizer, form: str) -> None:
    for result in (model.order([form]), model.order([form], expansions=1)):
        assert (result.words, result.heads, result.deprels) == ((form,), (0,), ("root",))
        assert result.left_out == ()


def test_one_word_with_everything_given(trees: Linearizer) -> None:
    result = trees.order([Word("ran", "X", 0, "root")])
    assert (result.tags, result.finished) == (("X",), True)


# ---- constraints -----------------------------------------------------------------------------


def test_what_is_given_is_kept(trees: Linearizer) -> None:
    words = [
        Word("boat", "VBD", 0, "root"),
        Word("sank", "NN", 1, "obj"),
        Word("the", None, 2),
        Word(".", deprel="det"),
    ]
    result = trees.order(words)
    assert result.finished
    assert violations(result) == []
    by_source = {token.source: token for token in result.tokens}
    assert (by_source[1].tag, by_source[1].head) == ("VBD", 0)
    assert result.tokens[by_source[2].head - 1].source == 1
    assert (by_source[2].tag, by_source[2].deprel) == ("NN", "obj")
    assert result.tokens[by_source[3].head - 1].source == 2
    assert by_source[4].deprel == "det"


def test_order_constraints(model: Linearizer) -> None:
    bag = ["sank", "the", "boat", "."]
    assert model.order(bag).words[0] != "."
    assert model.order(Problem.of(bag, first=4)).words[0] == "."
    words = model.order(Problem.of(bag, before=[(4, 1)])).words
    assert words.index(".") < words.index("sank")


def test_any_order_can_be_asked_for_of_trees(trees: Linearizer) -> None:
    words = ["sank", ".", "The", "slowly", "boat"]
    problem = Problem.of(words, before=[(1, 2), (2, 3), (3, 4), (4, 5)], first=1, last=5)
    result = trees.order(problem)
    assert result.finished
    assert list(result.words) == words


def test_constraints_that_cannot_be_met_leave_something_out(trees: Linearizer) -> None:
    """A best-first search does not say why it did not finish."""
    words = [Word("a"), Word("b", head=1), Word("c"), Word("d", head=3), Word("e")]
    result = trees.order(Problem.of(words, before=[(1, 3), (3, 2), (2, 4)]))
    assert not result.finished
    assert violations(result) == []


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (Word("boat", head=1), "the head of word 2 'boat' is given, but a CCG model can only keep"),
        (Word("boat", head=0), "the head of word 2 'boat' is given"),
        (Word("boat", deprel="obj"), "the label of word 2 'boat' is given"),
        (Word("boat", head=1, deprel="obj"), "the head of word 2 'boat' is given"),
    ],
)
def test_derivations_cannot_keep_arcs(ccg: Linearizer, word: Word, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        ccg.order(["sank", word, "the"])
    with pytest.raises(ProblemError, match="leave heads and labels out"):
        ccg.order(["sank", word, "the"], expansions=1)


# ---- limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spent", "limits"),
    [
        ({}, (1, 0, 5.0)),
        ({"timeout": 0.25}, (1, 0, 0.25)),
        ({"expansions": 7}, (1, 7, None)),
        ({"expansions": 7, "timeout": 2, "n_best": 3}, (3, 7, 2)),
    ],
)
def test_the_search_budget(
    model: Linearizer,
    monkeypatch: pytest.MonkeyPatch,
    spent: dict[str, Any],
    limits: tuple[int, int, float | None],
) -> None:
    seen = []

    def search(_: object, *given: Any) -> Any:
        seen.append(given)
        return False, [(0.0, [])]

    monkeypatch.setattr(best_first_module, "best_first_search", search)
    monkeypatch.setattr(linearizer_module, "Clock", lambda seconds, cancelled: seconds)
    model.order(["sank", "boat"], **spent)
    list(model.order_many([["sank", "boat"]], **spent))
    assert seen == [limits, limits]


@pytest.mark.parametrize("timeout", [1e-9, 0.001, 0.05])
def test_a_search_ends_unfinished_when_its_time_is_over(model: Linearizer, timeout: float) -> None:
    bag = ["the", "old", "boat", "sank", "near", "fox", "and", "cook", "."] * 20
    result = model.order(bag, timeout=timeout)
    assert not result.finished
    assert result.tokens
    assert violations(result) == []


def test_the_words_a_model_can_order(model: Linearizer) -> None:
    assert model.max_words == 2000
    with pytest.raises(ProblemError, match="the bag has 513 words, more than the limit of 512"):
        model.order(["fox"] * 513)
    assert model.order(["fox"] * 600, expansions=1, max_words=600).tokens
    with pytest.raises(ValueError, match="max_words must be between 1 and 2000, not 2001"):
        model.order(["fox"], max_words=2001)


def test_neither_scores_nor_beams(model: Linearizer) -> None:
    for ask in (lambda: model.score(["ran", "we"], ["we", "ran"]), lambda: model.beam(["ran"])):
        with pytest.raises(
            ModelError,
            match="a best-first search has no beam and does not score given orders: use a model "
            "for beam search",
        ):
            ask()


# ---- reproducibility -------------------------------------------------------------------------


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.sampled_from([3, 10, 300]))
@settings(max_examples=60)
def test_the_listing_of_the_bag_has_no_influence(
    trees: Linearizer, rng: Random, expansions: int
) -> None:
    problem = random_problem(rng, 6, "mixed")
    result = trees.order(problem, expansions=expansions)
    assert trees.order(problem, expansions=expansions) == result
    listing = rng.sample(range(len(problem.words)), len(problem.words))
    again = trees.order(relist(problem, listing), expansions=expansions)
    assert unordered(again) == unordered(result)


@given(st.permutations(["the", "fox", "saw", "the", "zebra", "and", "we", "."]))
@settings(max_examples=30)
def test_the_listing_of_the_bag_has_no_influence_on_derivations(
    ccg: Linearizer, bag: list[str]
) -> None:
    for expansions in (4, 300):
        result = ccg.order(sorted(bag), expansions=expansions)
        assert unordered(ccg.order(bag, expansions=expansions)) == unordered(result)
    ranked = ccg.order(sorted(bag), n_best=3, expansions=500)
    assert [*map(unordered, ccg.order(bag, n_best=3, expansions=500))] == [*map(unordered, ranked)]
