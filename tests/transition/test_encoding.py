"""Encoding and decoding: a sentence survives the way into the core's numbers and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references.transition import LEFTARC, RIGHTARC, SHIFT, Action
from toys.models import make_scorer
from toys.probes import beam_search, decode_actions
from toys.strategies import problems, trees

from syntagma.linear._perceptron import DerivationWalk
from syntagma.linear._search import LinearSearch
from syntagma.linear.scorer import LinearScorer
from syntagma.problem.problem import Problem
from syntagma.problem.trees import lift
from syntagma.problem.word import Word
from syntagma.results.linearization import violations
from syntagma.transition.encoding import Encoding, encode
from syntagma.transition.training import Reference, encode_training, learn_vocabulary
from syntagma.treebanks.conditions import CONDITIONS, Condition, constrain
from syntagma.treebanks.treebank import Sentence

# `a` and `b` are frequent, `c` is rare, `d` unseen; all forms that an arc needs are there.
TREEBANK = [
    Sentence(("a", "b", "a"), ("X", "Y", "Z"), (2, 0, 2), ("l", "root", "m")),
    Sentence(("b", "c"), ("Y", "Y"), (0, 1), ("root", "l")),
]
VOCABULARY = learn_vocabulary(TREEBANK)
TAG_OF = {"a": "X", "b": "Y", "c": "Z", "d": "X"}


@st.composite
def sentences(draw: st.DrawFn, forms: str = "abcd") -> Sentence:
    """Sentences with repeated words and trees that had to be lifted; equal forms, equal tags."""
    heads = lift(draw(trees(max_size=8)))
    words = [draw(st.sampled_from(forms)) for _ in heads]
    labels = [draw(st.sampled_from("lm")) if head else "root" for head in heads]
    return Sentence(tuple(words), tuple(TAG_OF[word] for word in words), heads, tuple(labels))


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    share = st.sampled_from([0.0, 0.5, 1.0])
    return Condition("drawn", draw(share), draw(share), draw(st.booleans()))


def derivation(reference: Reference) -> list[Action]:
    """The canonical derivation of a tree: left dependents first, right ones when complete."""
    heads, labels = reference.heads.tolist(), reference.labels.tolist()
    due = Counter(heads)
    stack: list[int] = []
    actions: list[Action] = []
    for number in reference.order.tolist():
        stack.append(number)
        actions.append((SHIFT, number, int(reference.tags[number]), -1))
        while len(stack) > 1:
            below, top = stack[-2:]
            if heads[below] == top:
                actions.append((LEFTARC, -1, -1, labels[below]))
                del stack[-2]
                due[top] -= 1
            elif heads[top] == below and not due[top]:
                actions.append((RIGHTARC, -1, -1, labels[top]))
                del stack[-1]
                due[below] -= 1
            else:
                break
    return actions


def scorer() -> LinearScorer:
    return make_scorer("l15", VOCABULARY)


def assert_within_reach(encoding: Encoding, reference: Reference) -> None:
    """Every step of the gold derivation is legal."""
    walk = DerivationWalk(encoding.task, scorer())
    for action in derivation(reference):
        # Labels that are not given are proposed by the model, which may miss the gold one.
        assert action[:3] in {legal[:3] for legal in walk.legal()}
        walk.apply(action)
    assert walk.finished


@given(sentences(), conditions(), st.integers(0, 99))
@settings(deadline=None)
def test_a_gold_derivation_decodes_to_its_sentence(
    sentence: Sentence, condition: Condition, seed: int
) -> None:
    problem = constrain(sentence, condition, Random(seed), shuffle=False)
    encoding, reference = encode_training(sentence, problem, VOCABULARY)
    found = decode_actions(encoding, VOCABULARY, 1.5, derivation(reference))
    assert found.words == sentence.forms
    assert found.tags == sentence.tags
    assert found.heads == sentence.heads
    assert found.deprels == sentence.deprels
    assert (found.score, found.problem) == (1.5, problem)
    assert violations(found) == []


@given(sentences(), conditions(), st.integers(0, 99))
@settings(deadline=None)
def test_a_gold_derivation_is_legal_throughout(
    sentence: Sentence, condition: Condition, seed: int
) -> None:
    """So the reference is within reach of the search: also with twins and tags never seen."""
    problem = constrain(sentence, condition, Random(seed), shuffle=False)
    encoding, reference = encode_training(sentence, problem, VOCABULARY)
    assert_within_reach(encoding, reference)


def test_each_of_two_twins_has_the_gold_tag_of_its_place_among_its_candidates() -> None:
    """Twins are shifted in their canonical order, so the gold tags go by place and not by word."""
    sentence = Sentence(("a", "d", "d"), ("X", "Y", "Z"), (0, 1, 1), ("root", "l", "l"))
    problem = constrain(sentence, CONDITIONS["none"], Random(1), shuffle=False)
    encoding, reference = encode_training(sentence, problem, VOCABULARY)
    assert_within_reach(encoding, reference)


@pytest.mark.slow
@given(problems(), st.integers(1, 4))
@settings(deadline=None)
def test_what_the_search_finds_decodes_to_what_was_asked_for(problem: Problem, beam: int) -> None:
    encoding = encode(problem, VOCABULARY)
    assert sorted(encoding.order) == list(range(len(problem.words)))
    for score, actions in beam_search(LinearSearch(encoding.task, beam, scorer())):
        assert violations(decode_actions(encoding, VOCABULARY, score, actions)) == []


def test_given_tags_and_labels_unknown_to_the_model_come_back() -> None:
    problem = Problem.of([Word("a", "NEW", 0), Word("🦊", "🏷", 1, "nmod:new"), Word("b", None, 1)])
    encoding = encode(problem, VOCABULARY)
    [(score, actions)] = beam_search(LinearSearch(encoding.task, 4, scorer()))
    found = decode_actions(encoding, VOCABULARY, score, actions)
    by_source = {token.source: token for token in found.tokens}
    assert (by_source[1].tag, by_source[1].deprel) == ("NEW", "root")
    assert (by_source[2].tag, by_source[2].deprel) == ("🏷", "nmod:new")
    assert (by_source[3].tag, by_source[3].deprel in "lm") == ("Y", True)


def test_shares_of_what_is_given() -> None:
    """Order constraints do not matter, and what is unknown is not counted."""
    words = [Word("a", "X", 2, "l"), Word("b", "Y", 0), Word("c", "Z"), Word(".")]
    assert encode(Problem.of(words), VOCABULARY).shares == (0.75, 0.5, 0.25)
    assert encode(Problem.of(words, before=[(1, 2)]), VOCABULARY).shares == (0.75, 0.5, 0.25)
    words = [Word("a", "NEW", 2, "new"), Word("b", "Y", 0, "root"), Word("c", "Z", None, "new")]
    assert encode(Problem.of(words), VOCABULARY).shares == (2 / 3, 2 / 3, 1 / 3)


def shift_features(form: str) -> list[int]:
    encoding = encode(Problem.of([Word(form, "Y")]), VOCABULARY)
    walk = DerivationWalk(encoding.task, scorer())
    return walk.features(walk.legal()[0])


def test_an_unseen_phrase_goes_by_its_last_word() -> None:
    """Seen by the features of L15, which hold form and tag of the word in the action."""
    assert shift_features("a") != shift_features("b") == shift_features("🦊 a b")
    # Words without a number are told apart by suffix and shape only.
    assert shift_features("b ailing") != shift_features("b")
    assert shift_features("sailing") == shift_features("wailing") != shift_features("waited")


def shiftable(problem: Problem) -> set[int]:
    """The 1-based words that may come first."""
    encoding = encode(problem, VOCABULARY)
    legal = DerivationWalk(encoding.task, scorer()).legal()
    return {encoding.order[word] + 1 for _, word, _, _ in legal}


@pytest.mark.parametrize(
    "problem",
    [
        Problem.of(["a", "a", "b"]),
        Problem.of([Word("a", "X"), Word("a", "X"), Word("b")]),
        Problem.of([Word("a", head=3), Word("a", head=3), Word("b")]),
        Problem.of([Word("a", None, 3, "l"), Word("a", None, 3, "l"), Word("b")]),
        Problem.of([Word("a", deprel="l"), Word("a", deprel="l"), Word("b")]),
        Problem.of(["New York", "New York", "b"]),
    ],
)
def test_of_interchangeable_words_only_one_may_be_shifted(problem: Problem) -> None:
    assert shiftable(problem) in ({1, 3}, {2, 3})


@pytest.mark.parametrize(
    "problem",
    [
        Problem.of([Word("a", "X"), Word("a"), Word("b")]),
        Problem.of([Word("a", "X"), Word("a", "Y"), Word("b")]),
        Problem.of([Word("a", head=3), Word("a"), Word("b")]),
        Problem.of([Word("a", None, 3, "l"), Word("a", None, 3, "m"), Word("b")]),
        Problem.of([Word("a", None, 3, "l"), Word("a", None, 3), Word("b")]),
        Problem.of([Word("a"), Word("a"), Word("b", head=1)]),
        Problem.of(["a", "a", "b", "c"], before=[(1, 4)]),
        Problem.of(["a", "A", "b"]),
    ],
)
def test_words_that_differ_in_anything_may_all_be_shifted(problem: Problem) -> None:
    assert shiftable(problem) >= {1, 2, 3}


def ordered(problem: Problem, order: Sequence[str] | Sequence[int]) -> tuple[int, ...]:
    """The sources of the words when one order is asked for."""
    encoding = encode(problem, VOCABULARY, order)
    assert encoding.fixed
    [(score, actions)] = beam_search(LinearSearch(encoding.task, 64, scorer()))
    found = decode_actions(encoding, VOCABULARY, score, actions)
    assert violations(found) == []
    return found.order


@given(st.lists(st.sampled_from(["a", "b", "New York", "1"]), min_size=1, max_size=6), st.data())
@settings(deadline=None)
def test_an_order_by_forms(forms: list[str], data: st.DataObject) -> None:
    order = data.draw(st.permutations(forms))
    found = ordered(Problem.of(forms), order)
    assert [forms[source - 1] for source in found] == order


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=6), st.data())
@settings(deadline=None)
def test_an_order_by_indices_tells_words_with_equal_forms_apart(
    forms: list[str], data: st.DataObject
) -> None:
    words = [Word(form, f"T{number}") for number, form in enumerate(forms)]
    order = data.draw(st.permutations(range(1, len(forms) + 1)))
    assert ordered(Problem.of(words), order) == tuple(order)


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=6), st.data())
@settings(deadline=None)
def test_an_order_by_indices_may_name_interchangeable_words_in_any_order(
    forms: list[str], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(1, len(forms) + 1)))
    found = ordered(Problem.of(forms), order)
    assert [forms[source - 1] for source in found] == [forms[source - 1] for source in order]


def test_an_order_by_forms_leaves_the_choice_among_equal_forms_to_the_constraints() -> None:
    words = [Word("a", "X"), Word("a", head=3), Word("b", head=0), Word("a", "Y", 2)]
    problem = Problem.of(words, before=[(4, 1)])
    found = ordered(problem, ["a", "a", "a", "b"])
    assert found.index(4) < found.index(1)
    assert ordered(replace(problem, before=()), [1, 4, 2, 3]) == (1, 4, 2, 3)


def test_an_order_that_the_arcs_forbid_has_no_derivation() -> None:
    problem = Problem.of([Word("a", head=2), Word("b"), Word("a", "X", 4), Word("c")])
    crossing = encode(problem, VOCABULARY, [1, 3, 2, 4])
    assert beam_search(LinearSearch(crossing.task, 64, scorer())) == []
    assert ordered(problem, [1, 2, 3, 4]) == (1, 2, 3, 4)
