"""Realizing lemmas: the promises of an ordered bag hold, and every lemma comes out in one form.

The search over forms: transition/test_forms.py. Spelling: realization/test_detokenization.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations
from math import fsum
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from references.brute_force import problems, random_problem
from toys.models import model_of, relist, toy_vocabulary
from toys.realizer import (
    BALANCE,
    FEATURES,
    LEMMAS,
    as_lemmas,
    lemmas_of,
    realizer_of,
    tagged_lemmas,
    toy_realizer,
    toy_realizing_linearizer,
    toy_realizing_model,
    with_forms,
)
from toys.spelling import recover

from syntagma.errors import FormatError, ModelError, ProblemError, SyntagmaError
from syntagma.language_model.balance import Balance
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.packed import LanguageModel, word_class
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization.letters import capitalised
from syntagma.results.linearization import violations
from syntagma.results.realization import Realization
from syntagma.transition import beam as beam_module
from syntagma.transition.encoding import encode
from syntagma.transition.strategy import WeightedLanguageModel

TOLERANCE = 1e-8
KINDS = ["linear", "neural"]
FLUENT = toy_realizing_linearizer()
ALL = {
    (kind, fluent): toy_realizing_linearizer(kind, fluent)
    for kind in (*KINDS, "forms")
    for fluent in (False, True)
}
randoms = st.randoms(use_true_random=False)
linearizers = st.sampled_from(list(ALL.values()))


def shown(realization: Realization) -> tuple[object, ...]:
    """All of a realization but how its words were listed."""
    found = realization.linearization
    words = [found.problem.words[source - 1] for source in found.order]
    given = [(word.lemma, word.features) for word in words]
    return (
        *(realization.text, found.words, found.heads, found.tags, found.deprels),
        *(given, found.score, found.fluency),
    )


def assert_inflected(realization: Realization, problem: Problem) -> None:
    """Every word in one of its forms, exactly once; only the first spoken one has a capital."""
    found = realization.linearization
    assert sorted(found.order) == list(range(1, len(problem.words) + 1))
    assert lemmas_of(found.problem.words) == lemmas_of(problem.words)
    begun = False
    for token in found.tokens:
        word = problem.words[token.source - 1]
        if word.form:
            assert token.form == word.form
            begun = begun or any(map(str.isalnum, token.form))
            continue
        assert word.lemma is not None
        forms = [form.text for form in toy_realizer().inflector.forms(*lemma_of(word))]
        assert token.form in (forms if begun else list(map(capitalised, forms)))
        begun = begun or any(map(str.isalnum, token.form))


def lemma_of(word: Word) -> tuple[str, str | None, str | None]:
    """The question to the inflector; a tag that it has not seen counts as not given."""
    assert word.lemma is not None
    tag = word.tag if toy_realizer().inflector.knows(word.tag) else None
    return word.lemma, tag, word.features


# ---- stories ---------------------------------------------------------------------------------


def storyteller() -> Linearizer:
    """One that goes by what it has read: three sentences."""
    text = ["Two foxes ran .", "The fox runs .", "“ The fox ran . ”"]
    model = LanguageModel.of(
        estimate([each.split() for each in text * 3], order=4, word_class=word_class)
    )
    lemmas = {"fox": "fox foxes", "run": "run runs ran", "two": "two", "the": "the", ".": "."}
    return Linearizer(
        replace(
            toy_realizing_model(),
            realizer=realizer_of(lemmas),
            language_model=WeightedLanguageModel(model, Balance(4, 0, 0, 0)),
        )
    )


@pytest.mark.parametrize(
    ("lemmas", "text"),
    [
        ("run . fox two", "Two foxes ran."),
        ("the run . fox", "The fox runs."),
        ("“ ” the run . fox", "“The fox ran.”"),
    ],
)
def test_order_and_forms_are_found_together(lemmas: str, text: str) -> None:
    realization = storyteller().realize(lemmas.split(), beam=256)
    assert realization.text == text
    assert realization.words == realization.linearization.words
    assert realization.score == realization.linearization.score


def test_a_form_that_is_given_is_kept() -> None:
    words = [Word("ran", lemma="run"), Word(lemma="fox"), Word(lemma="the"), Word(".")]
    assert storyteller().realize(words, beam=256).text == "The fox ran."
    words[0] = Word("RUN", lemma="run")
    assert "RUN" in storyteller().realize(words, beam=256).words


def test_features_and_tags_decide_on_the_form() -> None:
    plural = Word(lemma="w3", tag="NN", features="Number=Plur")
    assert FLUENT.realize([plural]).text == "W3s"
    assert FLUENT.realize([replace(plural, features="Number=Sing")]).text == "W3"
    assert FLUENT.realize([replace(plural, tag="DT", features=None)]).text == "W3"
    past = FLUENT.realize([Word(lemma="w3", tag="VB", features="Tense=Past")], n_best=9)
    assert sorted(each.text for each in past) == ["W3ed", "W3t"]


def test_a_contraction_that_the_model_has_learned_is_written() -> None:
    words = [Word("w1", "NN"), Word("w3", "NN"), Word(".", "JJ")]
    problem = Problem.of(words, before=[(1, 2), (2, 3)])
    assert FLUENT.realize(problem).text == "wow."
    assert FLUENT.realize(problem).words == ("w1", "w3", ".")


def test_without_a_language_model_every_lemma_takes_its_likeliest_form() -> None:
    rng = Random(1)
    for kind in KINDS:
        for _ in range(15):
            problem = as_lemmas(rng, random_problem(rng, 7, "exact"))
            found = ALL[kind, False].realize(problem).linearization
            assert found.fluency is None
            likeliest = with_forms(problem).words
            assert [token.form.lower() for token in found.tokens] == [
                likeliest[token.source - 1].form.lower() for token in found.tokens
            ]


# ---- laws ------------------------------------------------------------------------------------


@pytest.mark.slow
@given(linearizers, problems(7, "mixed"), randoms, st.sampled_from([1, 5, 64]))
@settings(max_examples=60)
def test_where_all_forms_are_given_to_realize_is_to_order(
    linearizer: Linearizer, problem: Problem, rng: Random, beam: int
) -> None:
    """Bit for bit; lemmas and features that come with the forms make no difference to that."""
    words = (
        replace(word, lemma=rng.choice(LEMMAS), features=rng.choice(FEATURES))
        if rng.random() < 0.5
        else word
        for word in problem.words
    )
    problem = replace(problem, words=tuple(words))
    ordered = linearizer.order(problem, n_best=3, beam=beam)
    assert [each.linearization for each in linearizer.realize(problem, n_best=3, beam=beam)] == (
        ordered
    )
    assert linearizer.realize(problem, beam=beam).linearization == ordered[0]


@given(linearizers, problems(7, "mixed"), st.sampled_from([1, 5, 64]))
@settings(max_examples=40)
def test_lemmas_with_one_form_each_are_ordered_as_that_form_is(
    linearizer: Linearizer, problem: Problem, beam: int
) -> None:
    """In capitals, so that they are the same as first of a sentence: the realizer has seen none."""
    given = replace(
        problem,
        words=tuple(
            replace(word, form=word.form.upper(), lemma=word.form.upper()) for word in problem.words
        ),
    )
    lemmas = replace(problem, words=tuple(replace(word, form="") for word in given.words))
    bare = Linearizer(replace(model_of(linearizer), realizer=realizer_of({"x": "x"})))
    ordered = linearizer.order(given, n_best=3, beam=beam)
    assert [each.linearization for each in bare.realize(lemmas, n_best=3, beam=beam)] == ordered


@pytest.mark.slow
@given(linearizers, problems(8, "mixed"), randoms, st.sampled_from([1, 16]))
@settings(max_examples=80)
def test_every_lemma_comes_out_once_and_every_promise_is_kept(
    linearizer: Linearizer, problem: Problem, rng: Random, beam: int
) -> None:
    problem = as_lemmas(rng, problem)
    found = linearizer.realize(problem, n_best=5, beam=beam)
    assert found
    for each in found:
        assert violations(each.linearization) == []
        # The constraints of the result are those that were asked for.
        kept = replace(each.linearization.problem, words=problem.words)
        assert kept == problem
        for word, taken in zip(problem.words, each.linearization.problem.words, strict=True):
            assert replace(taken, form=word.form) == word
        assert_inflected(each, problem)


@pytest.mark.slow
@given(linearizers, problems(7, "mixed"), randoms)
@settings(max_examples=40)
def test_the_listing_of_the_lemmas_has_no_influence(
    linearizer: Linearizer, problem: Problem, rng: Random
) -> None:
    problem = as_lemmas(rng, problem)
    size = len(problem.words)
    other = relist(problem, rng.sample(range(size), size))
    found, expected = (linearizer.realize(each, n_best=3, beam=8) for each in (other, problem))
    assert list(map(shown, found)) == list(map(shown, expected))


@pytest.mark.parametrize(
    "words",
    [
        [Word("w3", "NN", lemma="a"), Word("w3", "NN", lemma="b"), Word("w3", "NN")],
        [Word(lemma="w3", tag="DT", features=f) for f in ("Case=Acc", None, "Case=Nom")],
        [Word(lemma="w3", tag="DT", features=f) for f in ("", None, "Case=Nom")],
    ],
)
def test_words_that_differ_in_lemma_or_features_only_come_in_one_order(words: list[Word]) -> None:
    for linearizer in ALL.values():
        found = [shown(linearizer.realize(each, beam=8)) for each in permutations(words)]
        assert found == [found[0]] * 6


@pytest.mark.slow
@given(linearizers, problems(8, "mixed"), randoms)
@settings(max_examples=60)
def test_the_words_are_found_again_in_the_text(
    linearizer: Linearizer, problem: Problem, rng: Random
) -> None:
    marks = tuple(Word(rng.choice(".,-()'")) for _ in range(rng.randint(0, 2)))
    problem = as_lemmas(rng, problem)
    problem = replace(problem, words=(*problem.words, *marks))
    for each in linearizer.realize(problem, n_best=3, beam=4):
        assert recover(each.text, each.words, each.spelling) == list(each.words)
        assert each == linearizer.spell(each.linearization)


@pytest.mark.slow
@given(linearizers, problems(7, "mixed"), randoms, st.sampled_from([1, 4, 64]))
@settings(max_examples=60)
def test_n_best_are_different_and_sorted(
    linearizer: Linearizer, problem: Problem, rng: Random, beam: int
) -> None:
    """Lemmas without anything in common; those that share forms: transition/test_forms.py."""
    problem = tagged_lemmas(rng, distinct(problem))
    found = linearizer.realize(problem, n_best=12, beam=beam)
    assert 1 <= len(found) <= 12
    assert all(one.score >= other.score for one, other in pairwise(found))
    assert len({each.words for each in found}) == len(found)
    assert shown(found[0]) == shown(linearizer.realize(problem, n_best=1, beam=beam)[0])
    assert shown(found[0]) == shown(linearizer.realize(problem, beam=beam))


def distinct(problem: Problem) -> Problem:
    """The problem with another form for each of its words."""
    words = (replace(word, form=LEMMAS[i]) for i, word in enumerate(problem.words))
    return replace(problem, words=tuple(words))


@pytest.mark.parametrize("kind", KINDS)
def test_a_realization_is_worth_its_order_its_fluency_and_the_shares_of_its_forms(
    kind: str,
) -> None:
    """The order is judged as that of the likeliest forms. With a beam that loses nothing; only for
    given forms, a network may find a better tree of the order from right to left."""
    rng = Random(kind)
    linearizer, silent = ALL[kind, True], ALL[kind, False]
    model = toy_realizing_model(kind).language_model
    assert model is not None
    changed = equal = results = 0
    for _ in range(30):
        problem = tagged_lemmas(rng, distinct(random_problem(rng, 4, "exact")))
        weight = BALANCE.weight(*encode(problem, toy_vocabulary()).shares)
        for each in linearizer.realize(problem, n_best=5, beam=1024):
            found = each.linearization
            shares = []
            for token in found.tokens:
                word = problem.words[token.source - 1]
                if not word.form:
                    forms = toy_realizer().inflector.forms(*lemma_of(word))
                    by_text = {form.text.lower(): form.log_share for form in forms}
                    shares.append(by_text[token.form.lower()])
                    changed += token.form.lower() != forms[0].text.lower()
            said = fsum(model.language_model.score(found.words))
            assert found.fluency == pytest.approx(weight * said, abs=TOLERANCE)
            alone = silent.score(with_forms(problem), found.order, beam=1024)
            expected = alone.score + weight * (said + fsum(shares))
            equal += each.score == pytest.approx(expected, abs=TOLERANCE)
            results += 1
            assert each.score <= expected + TOLERANCE
    assert equal == results if kind == "linear" else equal > results / 2
    assert changed > 20


def some_lemmas(count: int) -> list[Problem]:
    rng = Random(count)
    return [as_lemmas(rng, random_problem(rng, 8, "mixed")) for _ in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_many_are_realized_as_one_by_one(kind: str, threads: int) -> None:
    linearizer, listed = ALL[kind, True], some_lemmas(30)
    alone = [linearizer.realize(problem, beam=4) for problem in listed]
    assert list(linearizer.realize_many(listed, beam=4, threads=threads)) == alone
    assert list(linearizer.realize_many(iter(listed), beam=4, threads=threads)) == alone
    several = [linearizer.realize(problem, n_best=3, beam=4) for problem in listed]
    found = linearizer.realize_many(listed, n_best=3, beam=4, threads=threads)
    assert list(found) == several


def test_a_bag_a_list_of_words_and_a_problem_are_the_same() -> None:
    lemmas = ["w4", "w2", "w9"]
    words = [Word(lemma=lemma) for lemma in lemmas]
    expected = FLUENT.realize(lemmas)
    assert FLUENT.realize(words) == FLUENT.realize(iter(words)) == expected
    assert FLUENT.realize(Problem.of(words)) == expected
    assert list(FLUENT.realize_many([lemmas, words, Problem.of(words)])) == [expected] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_resort_takes_forms_too(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_module, "beam_search", lambda search, n_best, seconds: [])
    changed = 0
    for problem in some_lemmas(30):
        found = ALL[kind, True].realize(problem)
        assert violations(found.linearization) == []
        assert_inflected(found, problem)
        likeliest = with_forms(problem).words
        changed += any(
            token.form.lower() != likeliest[token.source - 1].form.lower()
            for token in found.linearization.tokens
        )
    assert changed > 5


# ---- input that is refused -------------------------------------------------------------------


def test_a_model_without_a_realizer_says_how_to_get_one() -> None:
    model = replace(toy_realizing_model(), realizer=None)
    without = Linearizer(model)
    message = "the model toy has not learned to realize lemmas: use another.* train --realize"
    with pytest.raises(ModelError, match=message):
        without.realize(["w1"])
    with pytest.raises(ModelError, match=message):
        list(without.realize_many([["w1"]]))
    with pytest.raises(ModelError, match=message):  # whatever the problems are
        without.realize_many([["w1"]], on_error="yield")
    # To order words, and to write them, is no matter of lemmas.
    ordered = without.order(Problem.of(["so", ",", "no"], before=[(1, 2), (2, 3)]))
    assert without.spell(ordered).text == "so, no"


@pytest.mark.parametrize(
    ("lemmas", "message"),
    [
        ("two foxes", "lemmas are given as a list, not one string: split it"),
        ([], "empty bag"),
        ([""], "the lemma of word 1 is empty"),
        (["w1", " "], "the lemma of word 2 is empty"),
        (["w1", "w2 "], "the lemma of word 2 has an extra space"),
        (["a\tb"], "the lemma of word 1 contains a tab"),
        (["\ud800"], "the lemma of word 1 contains half of a surrogate pair"),
        ([1], "word 1 is not a Word but int"),
        ([Word()], "the form of word 1 is empty"),
        ([Word(lemma="w1", head=1)], "word 1 'w1' is given as its own head"),
    ],
)
def test_lemmas_that_are_none(lemmas: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        FLUENT.realize(lemmas)
    with pytest.raises(ProblemError, match=message):
        list(FLUENT.realize_many([lemmas]))


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("Number", "'Number' in the features of word 2 'w1' is not of the form Name=Value"),
        ("=x", "'=x' in the features of word 2 'w1' is not of the form"),
        ("A=", "'A=' in the features of word 2 'w1' is not of the form"),
        ("A=1|", "'' in the features of word 2 'w1' is not of the form"),
        ("A=1|A=2", "the features of word 2 'w1' give 'A' twice"),
        ("A=1 |B=2", "the features of word 2 'w1' contain white space"),
        (" ", "the features of word 2 'w1' contain white space"),
        (7, "the features of word 2 'w1' are neither a string nor a mapping: 7"),
        ({"A": 1}, "the features of word 2 'w1': the value of 'A' is not a string: 1"),
        ({2: "b"}, "the features of word 2 'w1': the name 2 is not a string"),
        ({"A": "x|B=y"}, r"the features of word 2 'w1': the value of 'A' contains \|"),
        ({"A=B": "c"}, "the features of word 2 'w1': the name 'A=B' contains ="),
        ({"A": ""}, "'A=' in the features of word 2 'w1' is not of the form"),
        ({"A": "b c"}, "the features of word 2 'w1' contain white space"),
    ],
)
def test_features_that_are_none(features: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Problem.of(["w0", Word(lemma="w1", features=features)])


def test_the_limit_of_words_is_stated_and_can_be_moved() -> None:
    lemmas = ["w1"] * 5
    with pytest.raises(ProblemError, match="5 words, more than the limit of 4; raise max_words"):
        FLUENT.realize(lemmas, max_words=4)
    with pytest.raises(ProblemError, match="limit of 4"):
        list(FLUENT.realize_many([lemmas], max_words=4))
    assert len(FLUENT.realize(lemmas, max_words=5).words) == 5
    with pytest.raises(ProblemError, match="513 words, more than the limit of 512"):
        FLUENT.realize(["w1"] * 513)
    with pytest.raises(ValueError, match="max_words must be between 1 and"):
        FLUENT.realize(lemmas, max_words=0)


@pytest.mark.parametrize(
    "options", [{"beam": 0}, {"beam": 1025}, {"n_best": 0}, {"n_best": 1025}, {"beam": -1}]
)
def test_numbers_out_of_range(options: dict[str, Any]) -> None:
    name, value = next(iter(options.items()))
    message = f"^{name} must be between 1 and 1024, not {value}$"
    with pytest.raises(ValueError, match=message):
        FLUENT.realize(["w1"], **options)
    with pytest.raises(ValueError, match=message):
        list(FLUENT.realize_many([["w1"]], **options))
    with pytest.raises(ValueError, match="threads must be between 1 and 256, not 0"):
        list(FLUENT.realize_many([["w1"]], threads=0))


def test_a_word_without_a_form_can_only_be_realized() -> None:
    words = [Word("w1"), Word(lemma="w2", tag="NN")]
    message = "word 2 'w2' has a lemma but no form: .*syntagma realize"
    for linearizer in ALL.values():
        with pytest.raises(ProblemError, match=message):
            linearizer.order(words)
        with pytest.raises(ProblemError, match=message):
            list(linearizer.order_many([words]))
        with pytest.raises(ProblemError, match=message):
            linearizer.score(words, ["w1", "w2"])
        with pytest.raises(ProblemError, match=message):
            linearizer.score(words, [1, 2])
        assert len(linearizer.realize(words).words) == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_take_the_place_of_realizations(threads: int) -> None:
    passed_on = FormatError("bad line", "lemmas.txt", 3)
    stream: list[Any] = [["w1"], [], passed_on, "one string", ["w2"], ["w3"] * 4]
    found = list(FLUENT.realize_many(stream, threads=threads, max_words=3, on_error="yield"))
    assert found[2] is passed_on
    assert [isinstance(each, SyntagmaError) for each in found] == [
        *(False, True, True, True, False, True)
    ]
    assert found[0] == FLUENT.realize(["w1"])
    assert found[4] == FLUENT.realize(["w2"])
    with pytest.raises(FormatError, match=r"lemmas\.txt:3: bad line"):
        list(FLUENT.realize_many([passed_on], threads=threads))
    results = FLUENT.realize_many([["w1"], []], threads=threads)
    assert next(results) == found[0]
    with pytest.raises(ProblemError, match="empty bag"):
        next(results)


def test_constraints_that_cannot_be_met_are_named_by_lemmas() -> None:
    crossing = [Word(lemma="a"), Word(lemma="b", head=1), Word(lemma="c"), Word(lemma="d", head=3)]
    with pytest.raises(ProblemError, match="word 1 'a' before word 3 'c'"):
        FLUENT.realize(Problem.of(crossing, before=[(1, 3), (3, 2), (2, 4)]))


# ---- odd input -------------------------------------------------------------------------------

ODD_LEMMAS = (
    *(
        "🙂",
        "👩‍👩‍👧",
        "كتاب",
        "ספר",
        "ﬁx",
        "ßeta",
        "İx",
        "ŉ",
        "é",
        "e\u0301",
        "本",
        "ไทย",
        "\u200b",
        "\u00a0x",
    ),
    *(".", "...", "'", "“", "(", "—", "5", "5,000", "w1s", "W77", "new w1", "the old w2", "w1-w2"),
    *("a" * 300, "<s>", "</s>", "<unk>", "n't", "=", "|", "http://w.w/w", "w@w"),
)
ODD_TAGS = (None, "NN", "VB", "DT", "JJ", "NNS", "UNHEARD", "🙂", ".")
ODD_FEATURES = (
    *(None, "", "Number=Plur", "Number=Plur|Tense=Past", "Number=Dual", "Odd[x]=Yes", "é=ß"),
    "Tense=Past|Number=Sing|Case=Gen",
)
odd_words = st.builds(
    Word,
    lemma=st.one_of(st.sampled_from(ODD_LEMMAS), st.sampled_from(LEMMAS)),
    tag=st.sampled_from(ODD_TAGS),
    features=st.sampled_from(ODD_FEATURES),
    deprel=st.sampled_from((None, None, None, "obj", "unheard")),
)


@pytest.mark.slow
@given(linearizers, st.lists(odd_words, min_size=1, max_size=5))
@example(ALL["linear", False], [Word(lemma="w1", features=""), Word(lemma="w1")])
@settings(max_examples=100)
def test_odd_lemmas_are_realized_as_well_as_can_be(
    linearizer: Linearizer, words: Sequence[Word]
) -> None:
    words = [*words, Word(lemma="w1")]  # for the root
    found = linearizer.realize(words, beam=4)
    assert violations(found.linearization) == []
    assert lemmas_of(found.linearization.problem.words) == lemmas_of(words)
    assert recover(found.text, found.words, found.spelling) == list(found.words)
    if not any(word.features for word in words):  # empty ones count as not given
        words = [replace(word, features=None) for word in words]
    assert_inflected(found, Problem.of(words))


@pytest.mark.parametrize("lemma", ODD_LEMMAS)
def test_a_single_odd_lemma_is_a_sentence(lemma: str) -> None:
    for linearizer in ALL.values():
        found = linearizer.realize([lemma])
        assert found.words == (capitalised(lemma),)
        assert found.text == found.words[0]
        assert found.linearization.heads == (0,)


def test_a_rule_that_takes_a_whole_word_off_a_phrase_makes_no_form() -> None:
    """wugs → wug and gonks → gonk, so *vitamin s* would become *vitamin* and a space."""
    realizer = realizer_of({"wugs": "wug", "gonks": "gonk"})
    linearizer = Linearizer(replace(toy_realizing_model(), realizer=realizer))
    assert linearizer.realize([Word(lemma="vitamin s", tag="NN")]).text == "Vitamin s"


def test_interchangeable_lemmas_make_each_sentence_once() -> None:
    """Two words of the same lemma and tag, in either order."""
    words = [Word(lemma="w3", tag="VB", features="Tense=Past")] * 2
    found = FLUENT.realize(words, n_best=20, beam=64)
    assert sorted(each.text for each in found) == sorted(
        f"W3{first} w3{second}" for first in ("ed", "t") for second in ("ed", "t")
    )


def test_a_given_form_that_equals_a_form_of_a_lemma_makes_each_sentence_once() -> None:
    """Words that look the same change places without anyone seeing it."""
    words = [Word("w3ed", "VB"), Word(lemma="w3", tag="VB", features="Tense=Past"), Word("w5")]
    for linearizer in ALL.values():
        found = linearizer.realize(words, n_best=50, beam=256)
        texts = [each.text for each in found]
        assert len(set(texts)) == len(texts) > 3
        assert linearizer.realize(words, beam=256).text == texts[0]
        for size in (1, 2, 3):
            several = linearizer.realize(words, n_best=size, beam=256)
            assert len({each.text for each in several}) == len(several) == size
            assert several[0].text == texts[0]
            assert list(linearizer.realize_many([words], n_best=size, beam=256)) == [several]


def test_without_a_language_model_a_form_is_chosen_by_its_neighbours_in_the_tree() -> None:
    realizer = toy_realizer()
    words = [Word(lemma="w3", tag="VB", features="Tense=Past")]
    _, [alternatives] = realizer.inflect(Problem.of(words))
    best = max(alternatives, key=lambda each: each.log_share)
    assert ALL[KINDS[0], False].realize(words).words == (best.initial,)
