"""Forms by the words before and after: what is learned, and that the best sequence is found."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from random import Random
from types import MappingProxyType

import numpy as np
import pytest

from syntagma.errors import ModelError
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative, Word
from syntagma.realization.form_choice import (
    EDGE,
    Contribution,
    FormChoice,
    FormContext,
    best_forms,
    neighbour_contexts,
    pooled_keys,
)
from syntagma.realization.inflection import Form
from syntagma.realization.realizer import Realizer, likeliest_first
from syntagma.realization.training import learn_form_context, learn_inflector, learn_realizer
from syntagma.results.linearization import Linearization, Token
from syntagma.treebanks.treebank import Sentence

NOUNS = (("le", "mur"), ("l'", "air"), ("le", "lac"), ("l'", "eau"))


def sentence(article: str, noun: str) -> Sentence:
    return Sentence(
        forms=(article, noun, "bouge"),
        tags=("DET", "NOUN", "VERB"),
        heads=(2, 3, 0),
        deprels=("det", "nsubj", "root"),
        lemmas=("le", noun, "bouger"),
        features=("", "", ""),
    )


TREEBANK = [sentence(*pair) for pair in NOUNS * 8]
REALIZER = learn_realizer(TREEBANK, "fr")


def settle(
    realizer: Realizer,
    *lemmas: str,
    tags: Mapping[str, str] = MappingProxyType({}),
    features: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """The forms that the form chooser takes in this order."""
    tags = {"le": "DET", "bouger": "VERB", **tags}
    problem = Problem(
        tuple(
            Word(lemma=each, tag=tags.get(each, "NOUN"), features=features.get(each, ""))
            for each in lemmas
        )
    )
    inflected, alternatives = realizer.inflect(problem)
    tokens = tuple(
        Token(word.form, word.tag or "", 0, "dep", source)
        for source, word in enumerate(inflected.words, start=1)
    )
    found = realizer.settle(Linearization(tokens, 0.0, inflected), likeliest_first(alternatives))
    assert [token.form for token in found.tokens] == [word.form for word in found.problem.words]
    return [token.form for token in found.tokens]


def test_the_next_word_decides() -> None:
    assert settle(REALIZER, "le", "mur", "bouger") == ["Le", "mur", "bouge"]
    assert settle(REALIZER, "le", "eau", "bouger") == ["L'", "eau", "bouge"]
    assert settle(REALIZER, "bouger", "le", "air", "le", "lac") == [
        *("Bouge", "l'", "air", "le", "lac")
    ]


def test_an_unseen_word_decides_by_the_letter_next_to_it() -> None:
    assert settle(REALIZER, "le", "ami", "bouger")[0] == "L'"
    assert settle(REALIZER, "le", "lit", "bouger")[0] == "Le"


def test_without_weights_the_likeliest_form_is_taken() -> None:
    """As in models that were trained before."""
    arrays = REALIZER.to_arrays()
    del arrays[FormContext.SECTION]
    before = Realizer.from_arrays(arrays, "fr")
    forms = {settle(before, "le", noun, "bouger")[0] for _, noun in NOUNS}
    assert len(forms) == 1


RARE = [
    replace(sentence(article, noun), lemmas=("de", noun, "bouger"))
    for article, noun in (("de", "mur"), ("d'", "air"))
]


@pytest.mark.parametrize(("noun", "form"), [("ami", "D'"), ("lit", "De"), ("eau", "D'")])
def test_rare_words_go_by_others_whose_forms_end_alike(noun: str, form: str) -> None:
    tags = {"de": "DET"}
    pooled = learn_realizer([*TREEBANK, *RARE], "fr")
    assert pooled.context.pooled
    again = Realizer.from_arrays(pooled.to_arrays(), "fr")
    assert settle(pooled, "de", noun, "bouger", tags=tags)[0] == form
    assert settle(again, "de", noun, "bouger", tags=tags)[0] == form


def test_rare_features_go_by_others_of_the_lemma() -> None:
    """Even where no other lemma has such forms."""
    marked = [replace(sentence(*pair), features=("Gender=Masc", "", "")) for pair in NOUNS[:2]]
    pooled = learn_realizer([*TREEBANK, *marked], "fr")
    for noun, form in (("ami", "L'"), ("lit", "Le")):
        found = settle(pooled, "le", noun, "bouger", features={"le": "Gender=Masc"})
        assert found[0] == form


def test_nothing_is_pooled_where_one_lemma_has_such_forms() -> None:
    assert not REALIZER.context.pooled


def test_keys_of_pools() -> None:
    assert pooled_keys("De", ["d'", "de"]) == (("de", "*", "' e"), ("", "*", "' e"))
    assert pooled_keys("le", ["l'", "le"])[1] == pooled_keys("que", ["qu'", "que"])[1]
    assert pooled_keys("ab", ["a", "ab", "b"])[1] == ("", "*", "a ab b")


def test_a_model_keeps_what_was_learned() -> None:
    again = Realizer.from_arrays(REALIZER.to_arrays(), "fr")
    assert settle(again, "le", "eau", "bouger") == ["L'", "eau", "bouge"]


@pytest.mark.parametrize("text", ["x", "\tnot\tRB", "\ta\tb\tc\nx\tone"])
def test_damaged_sections(text: str) -> None:
    packed = np.frombuffer(zlib.compress(text.encode()), np.uint8)
    damaged = Realizer.from_arrays({**REALIZER.to_arrays(), FormContext.SECTION: packed}, "fr")
    with pytest.raises(ModelError, match="damaged model: section 'form_context'"):
        settle(damaged, "le", "eau")


def test_forms_that_agreement_leaves_out_keep_the_weights_of_the_others() -> None:
    context = FormContext({("be", "VBP", ""): {"after i": (5, 300, -7)}})
    forms = [Form("are"), Form("am"), Form("is")]
    choice = [Alternative("is", "Is"), Alternative("are", "Are")]
    found = context.contribution(("be", "VBP", ""), forms, choice)
    assert found("after", "I") == pytest.approx([-0.07, 0.05])
    assert found("before", "I") == [0, 0]


def test_contexts() -> None:
    assert neighbour_contexts("after", EDGE) == ("after edge",)
    assert neighbour_contexts("after", "The") == ("after the", "after letter e")
    assert neighbour_contexts("before", "Oak") == ("before oak", "before letter o")


def drawn_contribution(rng: Random, size: int) -> Contribution:
    table: dict[tuple[str, str], list[float]] = {}

    def contribute(side: str, neighbour: str) -> list[float]:
        return table.setdefault((side, neighbour), [rng.uniform(-3, 3) for _ in range(size)])

    return contribute


def score(
    choices: Sequence[Sequence[Alternative]],
    contributions: Sequence[Contribution],
    forms: Sequence[int],
) -> float:
    """What best_forms maximises, summed up directly."""
    chosen = [choice[form] for choice, form in zip(choices, forms, strict=True)]
    around = [EDGE, *(each.text for each in chosen), EDGE]
    total = sum(each.log_share for each in chosen)
    for at, form in enumerate(forms):
        total += contributions[at]("after", around[at])[form]
        total += contributions[at]("before", around[at + 2])[form]
    return total


def test_the_best_sequence_is_that_of_brute_force() -> None:
    rng = Random(1)
    for _ in range(40):
        choices = [
            [Alternative(f"{i}{j}", "", -rng.uniform(0, 3)) for j in range(rng.randint(1, 3))]
            for i in range(rng.randint(1, 5))
        ]
        contributions = [drawn_contribution(rng, len(choice)) for choice in choices]
        every = product(*(range(len(choice)) for choice in choices))
        best = max(every, key=partial(score, choices, contributions))
        assert tuple(best_forms(choices, contributions)) == best


def test_of_equal_forms_the_first_is_taken() -> None:
    choices = [[Alternative("a", "A", -1.0), Alternative("b", "B", -1.0)]] * 3
    none = FormContext({}).contribution(("a", "", ""), [], choices[0])
    assert best_forms(choices, [none] * 3) == [0, 0, 0]


def test_weights_add_to_what_the_tree_says() -> None:
    """What the tree decides already is not learned again."""
    inflector = learn_inflector(TREEBANK)
    sure = {("le", "DET", ""): {f"head {noun}": _weights(article) for article, noun in NOUNS}}
    learned = learn_form_context(TREEBANK, inflector, FormChoice(sure)).to_arrays()[
        FormContext.SECTION
    ]
    alone = learn_form_context(TREEBANK, inflector, FormChoice({})).to_arrays()[FormContext.SECTION]
    assert zlib.decompress(learned.tobytes()) == b""
    assert zlib.decompress(alone.tobytes()) != b""


def _weights(article: str) -> tuple[int, ...]:
    forms = [form.text for form in learn_inflector(TREEBANK).forms("le", "DET", "")]
    return (2000, 0) if forms[0] == article else (0, 2000)
