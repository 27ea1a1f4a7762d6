"""The linearizer's contract: results, errors, and what it does at a dead end.

Streams of problems are the business of test_order_sweeps.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.models import toy_linearizer
from toys.strategies import problems
from toys.treebank import write_treebank

from syntagma.errors import (
    ArgumentError,
    ModelError,
    ProblemError,
    SyntagmaError,
    UnsatisfiableError,
)
from syntagma.linear.settings import LinearSettings
from syntagma.linearizer.linearizer import Linearizer, load, read_info
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import violations
from syntagma.training.train import train
from syntagma.transition import beam as beam_module
from syntagma.transition._clock import Clock
from syntagma.transition._search import Search

COOK = ("The", "cook", "hid", "a", "pear", ".")
# a → b and c → d, which cross in the order a c b d. Unrelated: e.
CROSSING = (
    Word("a", "NN"),
    Word("b", "NN", 1),
    Word("c", "NN"),
    Word("d", "NN", 3),
    Word("e", "NN"),
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    treebank = write_treebank(folder / "toy.conllu")
    train(treebank, treebank, folder / "toy.syntagma", settings=LinearSettings(epochs=4, beam=8))
    return folder / "toy.syntagma"


@pytest.fixture(scope="module")
def toy(model: Path) -> Linearizer:
    return load(model)


# ---- order and score -------------------------------------------------------------------------


def test_a_bag_a_list_of_words_and_a_problem_are_the_same(toy: Linearizer) -> None:
    bag = sorted(COOK)
    found = toy.order(bag)
    assert found.words == COOK
    assert found == toy.order(Word(form) for form in bag) == toy.order(Problem.of(bag))


def test_n_best_gives_a_list_of_different_orders_best_first(toy: Linearizer) -> None:
    found = toy.order(COOK, n_best=7, beam=512)
    assert len(found) == len({each.words for each in found}) == 7
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert toy.order(COOK, n_best=1, beam=512) == [found[0]] == [toy.order(COOK, beam=512)]
    # No more than there are, no more than the beam holds, and twins make no difference.
    assert len(toy.order(["cook"], n_best=5)) == 1
    assert len(toy.order(["cook", "cook", "fox"], n_best=100, beam=512)) == 3
    assert len(toy.order(COOK, n_best=7, beam=2)) <= 2


@given(st.permutations(COOK))
@settings(deadline=None, max_examples=20)
def test_the_listing_of_the_bag_has_no_influence(toy: Linearizer, listing: list[str]) -> None:
    found, expected = toy.order(listing, beam=4), toy.order(COOK, beam=4)
    assert (found.words, found.heads, found.score) == (
        *(expected.words, expected.heads),
        expected.score,
    )


@pytest.mark.slow
@given(problems(max_size=6), st.sampled_from([1, 2, 64]))
@settings(deadline=None)
def test_every_promise_is_kept_or_refused(toy: Linearizer, problem: Problem, beam: int) -> None:
    try:
        found = toy.order(problem, n_best=3, beam=beam)
    except UnsatisfiableError:
        assert problem.before or problem.first is not None
        return
    assert found
    assert [violations(each) for each in found] == [[] for _ in found]


@pytest.mark.slow
@given(st.lists(st.sampled_from(["cook", "fox", "The", "."]), min_size=1, max_size=4))
@settings(deadline=None)
def test_the_score_of_an_order_is_the_score_it_was_found_with(
    toy: Linearizer, bag: list[str]
) -> None:
    """With a beam that loses nothing; so the best order scores best."""
    ranked = toy.order(bag, n_best=24, beam=1024)
    for found in ranked:
        by_forms, by_indices = toy.score(bag, found.words), toy.score(bag, found.order)
        assert by_forms.words == by_indices.words == found.words
        assert by_forms.score == pytest.approx(found.score, abs=1e-3)
        assert by_indices.score == pytest.approx(found.score, abs=1e-3)


def test_score_keeps_the_constraints(toy: Linearizer) -> None:
    problem = Problem.of([Word("fox", "NN", 2, "obj"), Word("saw", "VBD", 0), Word("fox", "NN", 2)])
    found = toy.score(problem, ["fox", "saw", "fox"])
    assert found.words == ("fox", "saw", "fox")
    assert violations(found) == []
    assert toy.score(problem, [1, 2, 3]).deprels[0] == "obj"
    assert toy.score(problem, [3, 2, 1]).deprels[2] == "obj"


@pytest.mark.parametrize("order", [["a", "c", "b", "d"], [1, 3, 2, 4]])
def test_score_of_an_order_with_crossing_arcs(toy: Linearizer, order: Sequence[Any]) -> None:
    with pytest.raises(UnsatisfiableError, match="the given order has no projective tree") as error:
        toy.score(Problem.of(CROSSING[:4]), order)
    assert not error.value.limit_reached


def test_score_of_an_order_that_breaks_an_order_constraint(toy: Linearizer) -> None:
    with pytest.raises(UnsatisfiableError, match="the given order"):
        toy.score(Problem.of(["cook", "fox"], before=[(1, 2)]), ["fox", "cook"])


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("a b c", "not one string"),
        (["a", "b"], "'c' of the bag is missing"),
        ([], "'a' of the bag is missing"),
        (["a", "b", "c", "c"], "uses 'c' more often"),
        (["a", "b", "c", "x"], "uses 'x' more often"),
        ([1, 2], "each of 1 to 3 once"),
        ([1, 2, 2], "each of 1 to 3 once"),
        ([0, 1, 2], "each of 1 to 3 once"),
        ([1, 2, 3, 4], "each of 1 to 3 once"),
        ([1, "b", 3], "by forms or by indices, not by both"),
    ],
)
def test_an_order_must_use_each_word_once(
    toy: Linearizer, order: Sequence[Any], message: str
) -> None:
    with pytest.raises(ProblemError, match=message):
        toy.score(["a", "b", "c"], order)


@pytest.mark.parametrize(
    "options", [{"beam": 0}, {"beam": 1025}, {"n_best": 0}, {"n_best": 1025}, {"beam": -1}]
)
def test_numbers_out_of_range(toy: Linearizer, options: dict[str, Any]) -> None:
    name, value = next(iter(options.items()))
    message = f"^{name} must be between 1 and 1024, not {value}$"
    with pytest.raises(ValueError, match=message):
        toy.order(COOK, **options)
    with pytest.raises(ValueError, match=message):
        list(toy.order_many([COOK], **options))
    if name == "beam":
        with pytest.raises(ValueError, match=message):
            toy.score(COOK, COOK, beam=value)
    with pytest.raises(ValueError, match="threads must be between 1 and 256, not 0"):
        list(toy.order_many([COOK], threads=0))


@pytest.mark.parametrize("beam", [1, 1024])
def test_the_narrowest_and_the_widest_beam(toy: Linearizer, beam: int) -> None:
    assert violations(toy.order(COOK, beam=beam)) == []


def test_words_as_one_string(toy: Linearizer) -> None:
    with pytest.raises(ProblemError, match="not one string"):
        toy.order("The cook hid")
    with pytest.raises(ProblemError, match="not one string"):
        toy.score("The cook hid", ["The", "cook", "hid"])


def test_the_limit_of_words_is_stated_and_can_be_moved(toy: Linearizer) -> None:
    bag = ["fox"] * 513
    with pytest.raises(
        ProblemError, match="513 words, more than the limit of 512; raise max_words"
    ):
        toy.order(bag)
    assert len(toy.order(bag, max_words=513, beam=1).words) == 513
    with pytest.raises(ProblemError, match="limit of 2"):
        list(toy.order_many([COOK], max_words=2))
    assert len(list(toy.order_many([COOK], max_words=len(COOK)))) == 1
    with pytest.raises(ValueError, match="max_words must be between 1 and 10000, not 10001"):
        toy.order(COOK, max_words=10_001)
    with pytest.raises(ProblemError, match="10001 words, more than the limit of 10000"):
        toy.score(["fox"] * 10_001, ["fox"] * 10_001)


# ---- loading ---------------------------------------------------------------------------------


def test_load_says_what_the_model_is(toy: Linearizer, model: Path) -> None:
    assert toy.info.path == model
    assert toy.info.size == model.stat().st_size
    assert toy.info.header["name"] == "toy"
    assert toy.info.name == model.name
    assert read_info("en").name == "en"
    assert toy.tag_column == "xpos"
    assert load(str(model)).order(COOK) == toy.order(COOK)


def test_load_of_a_path_in_the_current_folder(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`./plain` is a path; `plain` alone would be the name of a shipped model."""
    (tmp_path / "plain").write_bytes(model.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert load("./plain").info.path == load(Path("plain")).info.path == Path("plain")
    with pytest.raises(ModelError, match="no model named 'plain' is installed"):
        load("plain")


def test_load_of_an_unknown_name_or_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no model named 'tlh' is installed \(installed: .*\)"):
        load("tlh")
    for missing in (tmp_path / "none.syntagma", tmp_path / "none"):
        with pytest.raises(ModelError, match=f"{missing}: no such model file"):
            load(missing)
    with pytest.raises(ModelError, match=str(tmp_path)):
        load(tmp_path)


# ---- dead ends -------------------------------------------------------------------------------


def test_an_error_names_the_order_constraints_in_conflict_and_no_others(toy: Linearizer) -> None:
    problem = Problem.of(CROSSING, before=[(5, 1), (1, 3), (3, 2), (2, 4)], first=5)
    with pytest.raises(UnsatisfiableError) as error:
        toy.order(problem)
    assert str(error.value) == (
        "these order constraints cannot be met together with the given arcs: "
        "word 1 'a' before word 3 'c'; word 3 'c' before word 2 'b'; word 2 'b' before word 4 'd'"
    )
    assert not error.value.limit_reached
    for pair in [(1, 3), (3, 2), (2, 4)]:  # each of them is needed for the conflict
        rest = tuple(other for other in problem.before if other != pair)
        assert violations(toy.order(replace(problem, before=rest))) == []


def test_a_conflict_is_named_exactly_without_given_tags(toy: Linearizer) -> None:
    """Tags multiply the states; the search for the conflict must not run out of them."""
    words = [Word("a"), Word("b", head=1), Word("c"), Word("d", head=3), Word("e"), Word("f")]
    before = [(5, 6), (1, 3), (3, 2), (2, 4), (5, 1)]
    with pytest.raises(UnsatisfiableError) as error:
        toy.order(Problem.of(words, before=before, last=6))
    assert "'a' before word 3 'c'" in str(error.value)
    assert "'e'" not in str(error.value)
    assert "'f'" not in str(error.value)


def test_first_and_last_are_named_too(toy: Linearizer) -> None:
    problem = Problem.of(CROSSING[:4], before=[(3, 2)], first=1, last=4)
    with pytest.raises(UnsatisfiableError, match="'c' before word 2 'b'; word 1 'a' first; word 4"):
        toy.order(problem)


def test_an_error_says_when_the_search_was_given_up(
    toy: Linearizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beam_module, "WORK_LIMIT", 0)
    problem = Problem.of(CROSSING, before=[(1, 3), (3, 2), (2, 4)])
    with pytest.raises(UnsatisfiableError, match="within 0 states: word 1 'a' before") as error:
        toy.order(problem)
    assert error.value.limit_reached


def test_a_dead_beam_is_widened_and_then_searched_depth_first(
    toy: Linearizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    widths: list[int] = []

    def dead(search: Search, n_best: int, clock: Clock) -> list[Any]:
        widths.append(search.width)
        return []

    monkeypatch.setattr(beam_module, "beam_search", dead)
    problem = Problem.of(CROSSING, before=[(1, 3), (2, 4)])
    assert violations(toy.order(problem, beam=64)) == []
    assert violations(toy.order(problem, beam=1024)) == []
    its, core, way = [64], [64, 256, 1024], [64]
    assert widths == [*its, *core, *way, 1024, 1024, 1024]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beam": 0}, "beam must be between 1 and 1024, not 0"),
        ({"beam": "x"}, "beam must be an integer, not 'x'"),
        ({"beam": True}, "beam must be an integer, not True"),
        ({"n_best": 1.5}, "n_best must be an integer, not 1.5"),
        ({"max_words": 0}, "max_words must be between 1 and"),
        ({"expansions": 1}, "expansions"),
        ({"timeout": "soon"}, "timeout must be more than 0"),
    ],
)
def test_bad_arguments_are_errors_of_the_package_raised_at_the_call(
    arguments: dict[str, Any], message: str
) -> None:
    linearizer = toy_linearizer()
    with pytest.raises(ArgumentError, match=message) as caught:
        linearizer.order(["a"], **arguments)
    assert isinstance(caught.value, SyntagmaError)
    assert isinstance(caught.value, ValueError)  # what 0.6 raised
    with pytest.raises(ArgumentError, match=message):
        linearizer.order_many([["a"]], **arguments)  # not at the first next()


@pytest.mark.parametrize("bag", [None, 5, "the dog"])
def test_a_bag_that_is_no_list_is_an_error_of_the_package(bag: Any) -> None:
    linearizer = toy_linearizer()
    for call in (linearizer.order, linearizer.beam, lambda words: linearizer.score(words, ["a"])):
        with pytest.raises(ProblemError, match="a bag is a list of words"):
            call(bag)
    with pytest.raises(ProblemError, match="an order is a list of words"):
        linearizer.score(["a"], bag)
    with pytest.raises(ArgumentError, match="a model is given by its name or its path, not 5"):
        load(5)  # type: ignore[arg-type]
