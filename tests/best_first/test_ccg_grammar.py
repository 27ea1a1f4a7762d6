"""CCG grammars: extraction from derivations, the lexicon, files, and the checker of derivations."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references.ccg_rules import broken_rules
from shared_data import CCG
from toys.ccg import (
    DERIVATIONS,
    backward,
    derivations,
    forward,
    node,
    the,
    toy_grammar,
    toy_vocabulary,
    word,
)

from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.training import MAX_CATEGORIES, RARE, extract_grammar, returns
from syntagma.ccg.derivation import Derivation
from syntagma.models.container import read_container, write_container
from syntagma.transition.training import learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.corpus import CcgSentence, read_ccgbank


def grammar_of(derivations: list[Derivation]) -> tuple[CcgGrammar, Vocabulary]:
    vocabulary = learn_vocabulary(CcgSentence(None, each).sentence for each in derivations)
    return extract_grammar(derivations, vocabulary), vocabulary


def leaf(form: str, tag: str, category: str) -> Derivation:
    return Derivation(category, form=form, tag=tag)


def named(
    grammar: CcgGrammar, vocabulary: Vocabulary, form: str, tag: str | None = None
) -> list[tuple[str, str]]:
    number = None if tag is None else vocabulary.tag_numbers[tag]
    return [
        (vocabulary.tags[tag], grammar.categories[category])
        for tag, category in grammar.leaves_of(form, number, vocabulary)
    ]


def same(one: CcgGrammar, other: CcgGrammar) -> bool:
    return all(np.array_equal(a, other.to_arrays()[name]) for name, a in one.to_arrays().items())


def test_rules_are_those_of_the_derivations() -> None:
    grammar, _ = grammar_of([DERIVATIONS["reduced"]])
    name = grammar.categories
    assert list(name) == sorted(name)
    assert {(name[a], name[b], name[c]): head for a, b, c, head in grammar.binary.tolist()} == {
        ("NP/NP", "NP", "NP"): 1,
        (r"S/(S\NP)", r"(S\NP)/NP", "S/NP"): 1,
        ("NP", r"NP\NP", "NP"): 0,
        ("NP", r"S\NP", "S"): 1,
    }
    assert [(name[a], name[b]) for a, b in grammar.unary.tolist()] == [
        ("NP", r"S/(S\NP)"),
        ("S/NP", r"NP\NP"),
    ]
    assert grammar.binary.dtype == grammar.unary.dtype == np.int32


@pytest.mark.slow
@given(st.lists(derivations(), min_size=1, max_size=3))
def test_rows_are_sorted_and_have_the_heads_of_the_derivations(trees: list[Derivation]) -> None:
    grammar, _ = grammar_of(trees)
    for rules in (grammar.binary.tolist(), grammar.unary.tolist()):
        assert all(a < b for a, b in pairwise(rules))
    given = {
        (*(child.category for child in each.children), each.category, each.head_side)
        for tree in trees
        for each in tree.nodes
        if len(each.children) == 2
    }
    name = grammar.categories
    assert {(name[a], name[b], name[c], head) for a, b, c, head in grammar.binary.tolist()} == given


@pytest.mark.slow
@given(st.lists(derivations(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_derivations_has_no_influence(trees: list[Derivation], rng: Random) -> None:
    mixed = rng.sample(trees, len(trees))
    assert same(grammar_of(trees)[0], grammar_of(mixed)[0])


@pytest.mark.slow
@given(st.lists(derivations(), min_size=1, max_size=3))
def test_a_grammar_has_what_it_was_made_of(trees: list[Derivation]) -> None:
    """No form is frequent enough here for a pair to be negligible; but a chain of unary rules that
    returns to one of its categories is never built."""
    grammar, vocabulary = grammar_of(trees)
    for tree in trees:
        broken = broken_rules(tree, grammar, vocabulary)
        assert all(each.startswith("no chain") for each in broken)
        assert bool(broken) == any(map(returns, tree.unary_chains))


@pytest.mark.slow
@given(derivations(), st.text(max_size=4), st.none() | st.integers(0, 3), st.booleans())
def test_a_word_always_has_a_leaf(
    tree: Derivation, form: str, tag: int | None, as_unseen: bool
) -> None:
    grammar, vocabulary = grammar_of([tree])
    if tag is not None:
        tag = min(tag, len(vocabulary.tags))
    for each in (form, tree.forms[0]):
        leaves = grammar.leaves_of(each, tag, vocabulary, as_unseen=as_unseen)
        assert leaves
        assert len(set(leaves)) == len(leaves)
        assert tag is None or {found for found, _ in leaves} == {tag}
        assert all(0 <= category < len(grammar.categories) for _, category in leaves)


def test_a_frequent_form_has_what_it_was_seen_with_the_likeliest_first() -> None:
    trees = [leaf("run", "VERB", r"S\NP")] * RARE + [leaf("run", "NOUN", "NP")] * 3
    trees += [leaf("zig", "VERB", r"(S\NP)/NP")]
    grammar, vocabulary = grammar_of(trees)
    assert named(grammar, vocabulary, "run") == [("VERB", r"S\NP"), ("NOUN", "NP")]
    assert named(grammar, vocabulary, "run", "NOUN") == [("NOUN", "NP")]


def test_a_negligible_pair_of_a_frequent_form_is_left_out() -> None:
    trees = [leaf("run", "VERB", r"S\NP")] * 999 + [leaf("run", "NOUN", "NP")]
    grammar, vocabulary = grammar_of(trees)
    assert named(grammar, vocabulary, "run") == [("VERB", r"S\NP")]
    assert named(grammar, vocabulary, "run", "NOUN") == [("NOUN", "NP")]  # if the tag is given


def test_a_rare_form_may_be_what_its_tags_are() -> None:
    trees = [leaf("zag", "VERB", r"S\NP"), *[leaf("zig", "VERB", r"(S\NP)/NP")] * 2]
    grammar, vocabulary = grammar_of(trees)
    assert named(grammar, vocabulary, "zag") == [("VERB", r"S\NP"), ("VERB", r"(S\NP)/NP")]
    assert named(grammar, vocabulary, "zug", "VERB") == [("VERB", r"(S\NP)/NP"), ("VERB", r"S\NP")]


def test_a_rare_form_has_what_it_has_in_lower_case() -> None:
    trees = [leaf("near", "ADP", r"(NP\NP)/NP")] * RARE + [leaf("Zig", "NOUN", "NP")]
    grammar, vocabulary = grammar_of(trees)
    assert named(grammar, vocabulary, "Near") == [("ADP", r"(NP\NP)/NP"), ("NOUN", "NP")]


def test_categories_of_a_tag_are_those_of_rare_forms() -> None:
    trees = [leaf("be", "VERB", r"(S\NP)/(S\NP)")] * RARE + [leaf("zig", "VERB", r"S\NP")]
    trees += [leaf("the", "DET", "NP/NP")] * RARE
    grammar, vocabulary = grammar_of(trees)
    assert named(grammar, vocabulary, "zug", "VERB") == [("VERB", r"S\NP")]
    assert named(grammar, vocabulary, "zug", "DET") == [("DET", "NP/NP")]  # none is rare


def test_a_tag_that_the_vocabulary_does_not_know() -> None:
    grammar, vocabulary = toy_grammar(), toy_vocabulary()
    unknown = len(vocabulary.tags)
    leaves = grammar.leaves_of("the", unknown, vocabulary)
    assert {tag for tag, _ in leaves} == {unknown}
    assert grammar.categories[leaves[0][1]] == "NP"


def test_as_unseen() -> None:
    grammar, vocabulary = toy_grammar(), toy_vocabulary()
    as_unseen = grammar.leaves_of("the", None, vocabulary, as_unseen=True)
    assert as_unseen == grammar.leaves_of("zzz", None, vocabulary)
    assert as_unseen != grammar.leaves_of("the", None, vocabulary)


def test_a_tag_has_a_limited_number_of_categories() -> None:
    trees = [leaf(f"w{i}", "X", "NP" + "/NP" * i) for i in range(2 * MAX_CATEGORIES)]
    grammar, vocabulary = grammar_of(trees)
    assert len(grammar.leaves_of("new", 0, vocabulary)) == MAX_CATEGORIES


@pytest.mark.slow
@given(st.lists(derivations(), min_size=1, max_size=3))
def test_arrays_give_the_grammar_back(trees: list[Derivation]) -> None:
    """A grammar without categories, which no sentence could be made with, is refused."""
    grammar, vocabulary = grammar_of(trees)
    again = CcgGrammar.from_arrays(grammar.to_arrays())
    assert same(grammar, again)
    assert again.categories == grammar.categories
    assert again.category_numbers == grammar.category_numbers
    assert again.form_leaves == grammar.form_leaves
    assert again.rare_forms == grammar.rare_forms
    assert again.tag_categories == grammar.tag_categories
    for form in {form for tree in trees for form in tree.forms}:
        assert again.leaves_of(form, None, vocabulary) == grammar.leaves_of(form, None, vocabulary)


def test_a_model_file_holds_a_grammar(tmp_path: Path) -> None:
    arrays = toy_grammar().to_arrays()
    assert all(name.startswith("ccg_") for name in arrays)
    write_container(tmp_path / "x", {}, arrays)
    assert same(CcgGrammar.from_arrays(read_container(tmp_path / "x")[1]), toy_grammar())


@pytest.mark.parametrize(
    ("tree", "broken"),
    [
        (backward(the("old", "boat"), word("sank")), []),
        (node("NP", word("ran"), word("the")), [r"no rule S\NP  NP/NP -> NP"]),
        (node(r"NP\NP", word("ran")), [r"no rule S\NP -> NP\NP"]),
        (
            node("S", word("we"), node("X", word("ran"))),
            ["no rule NP  X -> S", r"no rule S\NP -> X"],
        ),
        (leaf("we", "PRON", ","), ["'we' with the tag PRON is no ,"]),
        (leaf("we", "PRON", "Y"), ["'we' with the tag PRON is no Y"]),
        (
            forward(word("the"), replace(word("cook"), tag="DET")),
            ["'cook' with the tag DET is no NP"],
        ),
        (node("NP/NP", forward(word("a"), word("fox"))), ["no rule NP -> NP/NP"]),
    ],
)
def test_broken_rules_are_found(tree: Derivation, broken: list[str]) -> None:
    assert broken_rules(tree, toy_grammar(), toy_vocabulary()) == broken


@pytest.mark.parametrize("name", DERIVATIONS)
def test_toy_derivations_keep_to_the_toy_grammar(name: str) -> None:
    assert broken_rules(DERIVATIONS[name], toy_grammar(), toy_vocabulary()) == []


@pytest.mark.slow
@pytest.mark.skipif(not CCG.exists(), reason="the CCG derivations of EWT are not in SYNTAGMA_DATA")
def test_coverage_of_real_sentences() -> None:
    train = read_ccgbank(CCG / "en_ewt-ud-train.auto")
    vocabulary = learn_vocabulary(each.sentence for each in train)
    grammar = extract_grammar((each.derivation for each in train), vocabulary)
    assert grammar.binary.shape == (846, 4)
    assert grammar.unary.shape == (123, 2)
    words = right = proposed = complete = 0
    dev = read_ccgbank(CCG / "en_ewt-ud-dev.auto")
    for each in dev:
        for found in each.derivation.leaves:
            assert found.form is not None
            assert found.tag is not None
            tag = vocabulary.tag_numbers[found.tag]
            leaves = grammar.leaves_of(found.form, tag, vocabulary)
            words += 1
            right += (tag, grammar.category_numbers.get(found.category)) in leaves
            proposed += len(leaves)
        broken = broken_rules(each.derivation, grammar, vocabulary)
        complete += not any(fault.startswith("no rule") for fault in broken)
    assert right / words > 0.966
    assert proposed / words < 6.0
    assert complete / len(dev) > 0.978
