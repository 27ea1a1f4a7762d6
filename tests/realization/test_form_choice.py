"""The choice of forms by neighbours in the tree: what is learned, and how it is used."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from syntagma.errors import ModelError
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization import training
from syntagma.realization.form_choice import FormChoice, TreeContexts
from syntagma.realization.training import MIN_CONTEXT, MIN_LEMMA, learn_form_choice, learn_inflector
from syntagma.treebanks.treebank import Sentence


def sentence(verb: str, negation: str) -> Sentence:
    """Wugs do n't run; wugs can not run."""
    return Sentence(
        forms=("wugs", verb, negation, "run"),
        tags=("NNS", "MD", "RB", "VB"),
        heads=(4, 4, 4, 0),
        deprels=("nsubj", "aux", "advmod", "root"),
        lemmas=("wug", verb, "not", "run"),
        features=("", "", "", ""),
    )


def treebank(seed: int = 1) -> list[Sentence]:
    """*not* is *n't* beside *do* nine times in ten, and *not* beside *can*."""
    seen = [sentence("do", "n't")] * 27 + [sentence("do", "not")] * 3
    seen += [sentence("can", "not")] * 27 + [sentence("can", "n't")] * 3
    Random(seed).shuffle(seen)
    return seen


INFLECTOR = learn_inflector(treebank())
CHOICE = learn_form_choice(treebank(), INFLECTOR)


def problem(verb: str, *, arcs: bool = True, labels: bool = True) -> Problem:
    """The same tree of lemmas in another order, with or without arcs and labels."""
    words = [
        Word(lemma="not", tag="RB", head=2, deprel="advmod", features=""),
        Word(lemma="run", tag="VB", head=0, deprel="root", features=""),
        Word(lemma=verb, tag="MD", head=2, deprel="aux", features=""),
        Word(lemma="wug", tag="NNS", head=2, deprel="nsubj", features=""),
    ]
    if not labels:
        words = [replace(word, deprel=None) for word in words]
    if not arcs:
        words = [replace(word, head=None, deprel=None) for word in words]
    return Problem.of(words)


def chances(choice: FormChoice, given: Problem) -> dict[str, float]:
    """The probability of each form of *not*."""
    forms = [INFLECTOR.forms(w.lemma or "", w.tag, w.features) for w in given.words]
    shares = choice.log_shares(given, forms)
    at = next(i for i, word in enumerate(given.words) if word.lemma == "not")
    return {form.text: math.exp(share) for form, share in zip(forms[at], shares[at], strict=True)}


def test_neighbours_decide() -> None:
    assert chances(CHOICE, problem("do"))["n't"] > 0.75
    assert chances(CHOICE, problem("can"))["not"] > 0.75


def test_shares_are_those_of_all_forms() -> None:
    for verb in ("do", "can", "never-seen"):
        assert sum(chances(CHOICE, problem(verb)).values()) == pytest.approx(1)


def test_without_arcs_it_is_as_if_nothing_were_known() -> None:
    found = chances(CHOICE, problem("do", arcs=False))
    assert found == pytest.approx({"not": 0.5, "n't": 0.5}, abs=0.01)


def test_labels_may_be_missing() -> None:
    assert sum(chances(CHOICE, problem("do", labels=False)).values()) == pytest.approx(1)


def test_words_with_one_form_and_given_words_keep_their_share() -> None:
    given = Problem.of([Word("not", tag="RB"), Word(lemma="wug", tag="NNS")])
    forms = [INFLECTOR.forms("wug", "NNS", "")[:1]] * 2
    assert CHOICE.log_shares(given, forms) == [[0.0], [0.0]]


def test_the_listing_makes_no_difference() -> None:
    words = list(problem("do").words)
    order = [3, 1, 0, 2]
    place = {old + 1: new + 1 for new, old in enumerate(order)}
    listed = [replace(words[i], head=place.get(words[i].head or 0, 0)) for i in order]
    assert chances(CHOICE, Problem.of(listed)) == chances(CHOICE, problem("do"))


def test_the_order_of_sentences_makes_no_difference() -> None:
    other = learn_form_choice(treebank(seed=2), INFLECTOR)
    assert (
        other.to_arrays()[FormChoice.SECTION].tobytes()
        == CHOICE.to_arrays()[FormChoice.SECTION].tobytes()
    )


def test_a_rare_lemma_and_a_rare_context_have_no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    few = treebank()[: MIN_LEMMA - 1]
    assert learn_form_choice(few, learn_inflector(few)).to_arrays()[
        FormChoice.SECTION
    ].tobytes() == zlib.compress(b"", 9)
    learned: list[int] = []

    def learn(examples: Sequence[object], shares: object) -> dict[str, tuple[int, ...]]:
        learned.append(len(examples))
        return {}

    monkeypatch.setattr(training, "_learn", learn)
    learn_form_choice(treebank(), INFLECTOR)
    assert learned == [60]  # of *not* alone
    rare = [*treebank(), *[sentence("may", "n't")] * (MIN_CONTEXT - 1)]
    monkeypatch.undo()
    text = zlib.decompress(
        learn_form_choice(rare, learn_inflector(rare)).to_arrays()[FormChoice.SECTION].tobytes()
    ).decode()
    assert "aux do" in text
    assert "aux may" not in text


def test_contexts() -> None:
    tree = TreeContexts(
        ["Wug", "do", "not", "run"], [4, 4, 4, 0], ["nsubj", "aux", "advmod", "root"]
    )
    assert tree.contexts(2) == [
        "arc advmod",
        "head run",
        "sibling nsubj",
        "sibling nsubj wug",
        "sibling aux",
        "sibling aux do",
    ]
    assert tree.contexts(3) == [
        "arc root",
        "dependent nsubj wug",
        "dependent aux do",
        "dependent advmod not",
    ]


def test_arrays_give_back_the_same_choice() -> None:
    again = FormChoice.from_arrays(CHOICE.to_arrays())
    for verb in ("do", "can"):
        assert chances(again, problem(verb)) == chances(CHOICE, problem(verb))
    assert (
        again.to_arrays()[FormChoice.SECTION].tobytes()
        == CHOICE.to_arrays()[FormChoice.SECTION].tobytes()
    )


def test_weights_for_other_forms_than_there_are_do_not_count() -> None:
    """Such as those of a lemma for which another inflector knows more forms."""
    choice = FormChoice({("not", "RB", ""): {"arc advmod": (500, 0, 0)}})
    assert chances(choice, problem("do")) == pytest.approx({"not": 0.5, "n't": 0.5}, abs=0.01)


@pytest.mark.parametrize(
    "text",
    ["x", "\tnot\tRB", "arc x\t1 2\t3", "\ta\tb\tc\narc x\tone", "\ta\tb\tc\nx\t1 2\ny\t1"],
)
def test_damaged_lines(text: str) -> None:
    packed = np.frombuffer(zlib.compress(text.encode()), np.uint8)
    with pytest.raises(ModelError, match="damaged model: section 'form_choice'"):
        chances(FormChoice.from_arrays({FormChoice.SECTION: packed}), problem("do"))


def test_damaged_sections() -> None:
    array = CHOICE.to_arrays()[FormChoice.SECTION]
    sections: Sequence[dict[str, np.ndarray]] = (
        {},
        {FormChoice.SECTION: array[:-5]},
        {FormChoice.SECTION: array[:0]},
    )
    for arrays in sections:
        with pytest.raises(ModelError, match="damaged model: section 'form_choice'"):
            chances(FormChoice.from_arrays(arrays), problem("do"))


def test_features_may_be_listed_in_any_order() -> None:
    seen = [replace(each, features=("", "", "A=1|B=2", "")) for each in treebank()]
    inflector = learn_inflector(seen)
    choice = learn_form_choice(seen, inflector)
    words = list(problem("do").words)
    found = []
    for features in ("A=1|B=2", "B=2|A=1"):
        given = Problem.of([replace(words[0], features=features), *words[1:]])
        forms = [inflector.forms(w.lemma or "", w.tag, w.features) for w in given.words]
        found.append(choice.log_shares(given, forms)[0])
    assert found[0] == found[1]
    assert max(found[0]) > math.log(0.75)
