"""Inflection: seen forms, by what is known of a word; no question makes it fail."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from toys.inflection import (
    NOUNS,
    ODD,
    TOY,
    VERBS,
    Asked,
    asked,
    check,
    learned,
    of_rows,
    shares,
    texts,
    treebank,
)

from syntagma.realization.inflection import MAX_FORMS, Form, Inflector
from syntagma.realization.letters import capitalised
from syntagma.realization.lexicon import Seen, find_edit
from syntagma.realization.training import learn_inflector, neutral_forms
from syntagma.treebanks.treebank import Sentence

# What was seen


def test_the_form_that_was_seen_is_taken() -> None:
    assert TOY.forms("go", "VBD", "Tense=Past") == (Form("went", 0.0),)
    assert TOY.forms("mouse", "NNS", "Number=Plur") == (Form("mice", 0.0),)
    assert texts(TOY.forms("walk", "VBG", "VerbForm=Ger")) == ["walking"]


def test_the_most_frequent_form_comes_first_with_its_share() -> None:
    inflector = learned(*["dived/dive/VBD/T=P"] * 1, *["dove/dive/VBD/T=P"] * 3)
    forms = inflector.forms("dive", "VBD", "T=P")
    assert texts(forms) == ["dove", "dived"]
    assert shares(forms) == pytest.approx([0.75, 0.25])


def test_forms_that_are_as_frequent_come_by_the_alphabet() -> None:
    inflector = learned("b/wug/X/ a/wug/X/ c/wug/X/")
    assert texts(inflector.forms("wug", "X", "")) == ["a", "b", "c"]
    inflector = learned("b/wug/X/A=1 a/wug/X/A=2 c/wug/X/A=0")
    assert texts(inflector.forms("wug", "X", None)) == ["a", "b", "c"]


def test_what_is_rarest_among_many_is_a_slip() -> None:
    """One in two hundred is kept, a rarer one is not."""
    kept = learned(*["wugs/wug/NNS/"] * 199, "wgus/wug/NNS/")
    left_out = learned(*["wugs/wug/NNS/"] * 200, "wgus/wug/NNS/")
    assert texts(kept.forms("wug", "NNS", "")) == ["wugs", "wgus"]
    assert texts(left_out.forms("wug", "NNS", "")) == ["wugs"]


def test_there_are_never_too_many_forms() -> None:
    inflector = learned(*(f"wug{i}/wug/X/" for i in range(9) for _ in range(i + 1)))
    forms = inflector.forms("wug", "X", "")
    assert texts(forms) == [f"wug{i}" for i in range(8, 2, -1)]
    assert sum(shares(forms)) == pytest.approx(sum(range(4, 10)) / sum(range(1, 10)))


def test_of_forms_that_differ_in_case_the_most_frequent_is_taken() -> None:
    inflector = learned("web/web/NN/ Web/web/NN/ Web/web/NN/ webs/web/NN/")
    assert texts(inflector.forms("web", "NN", "")) == ["Web", "webs"]


@given(treebank)
@settings(max_examples=30)
def test_forms_of_a_lemma_are_those_it_was_seen_with(sentences: list[Sentence]) -> None:
    """With the same tag and features: exactly the seen forms, the most frequent first."""
    inflector = learn_inflector(sentences)
    counts: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for each in sentences:
        words = zip(each.lemmas, each.tags, each.features, neutral_forms(each), strict=True)
        for lemma, tag, feats, form in words:
            if lemma:
                counts[lemma, tag, feats][form] += 1
    for key, seen in counts.items():
        expected: dict[str, float] = {}
        pooled: Counter[str] = Counter()
        for form, count in seen.items():
            pooled[form.lower()] += count
        written = {  # the most frequent of the forms that differ only in case
            lower: min(
                (form for form in seen if form.lower() == lower),
                key=lambda form: (-seen[form], form != form.lower(), form),
            )
            for lower in pooled
        }
        for lower in sorted(pooled, key=lambda lower: (-pooled[lower], written[lower])):
            expected[written[lower]] = pooled[lower] / seen.total()
        forms = inflector.forms(*key)
        assert texts(forms) == list(expected)[:MAX_FORMS]
        assert shares(forms) == pytest.approx(list(expected.values())[:MAX_FORMS])


def test_words_without_lemma_teach_nothing() -> None:
    inflector = learned("wugs//NNS/Number=Plur plog/plog/VB/")
    assert list(inflector.lexicon) == ["plog"]


# As much as is known


CASES = learned(
    "wugo/wug/N/Case=Nom|Number=Sing wuga/wug/N/Case=Nom|Number=Plur",
    "wugem/wug/N/Case=Ins|Number=Sing wugami/wug/N/Case=Ins|Number=Plur",
    "wug/wug/V/Mood=Imp",
)


@pytest.mark.parametrize(
    ("tag", "feats", "expected"),
    [
        ("N", "Case=Nom|Number=Plur", {"wuga"}),
        ("N", "Number=Plur|Case=Nom", {"wuga"}),
        ("N", "Number=Plur", {"wuga", "wugami"}),
        ("N", "Case=Ins", {"wugem", "wugami"}),
        ("N", "", {"wugo", "wuga", "wugem", "wugami"}),
        ("N", None, {"wugo", "wuga", "wugem", "wugami"}),
        ("V", None, {"wug"}),
        ("V", "Mood=Imp", {"wug"}),
        (None, "Mood=Imp", {"wug"}),
        (None, "Number=Sing", {"wugo", "wugem"}),
        (None, None, {"wugo", "wuga", "wugem", "wugami", "wug"}),
    ],
)
def test_features_that_are_given_must_fit(
    tag: str | None, feats: str | None, expected: set[str]
) -> None:
    assert set(texts(CASES.forms("wug", tag, feats))) == expected


def test_empty_features_are_those_of_a_word_without_any() -> None:
    inflector = learned("wug/wug/N/ wugs/wug/N/Number=Plur")
    assert texts(inflector.forms("wug", "N", "")) == ["wug"]
    assert set(texts(inflector.forms("wug", "N", None))) == {"wug", "wugs"}


def gendered(verb: str, masculine: str, feminine: str) -> str:
    return f"{masculine}/{verb}/V/Gender=Masc|T=P {feminine}/{verb}/V/Gender=Fem|T=P"


def test_features_that_change_nothing_do_not_matter() -> None:
    inflector = learned(
        *(gendered(verb, f"{verb}ed", f"{verb}ed") for verb in ("walk", "plog", "dax", "blick")),
        "went/go/V/Gender=Masc|T=P",
    )
    assert texts(inflector.forms("go", "V", "Gender=Fem|T=P")) == ["went"]
    assert texts(inflector.forms("go", "V", "T=P")) == ["went"]


def test_features_that_change_something_do_matter() -> None:
    inflector = learned(
        *(gendered(verb, f"{verb}l", f"{verb}la") for verb in ("wugo", "plogo", "daxo")),
        "shol/go/V/Gender=Masc|T=P",
    )
    assert texts(inflector.forms("go", "V", "Gender=Fem|T=P")) == ["gola"]


def test_features_that_change_one_form_in_ten_do_not_matter_and_in_nine_do() -> None:
    verbs = [gendered("klmnopqrs"[i] + "o", "x", "x") for i in range(9)]
    other = gendered("zo", "x", "y")
    seen = "went/go/V/Gender=Masc|T=P"
    assert texts(learned(*verbs, other, seen).forms("go", "V", "Gender=Fem|T=P")) == ["went"]
    found = learned(*verbs[:8], other, seen).forms("go", "V", "Gender=Fem|T=P")
    assert texts(found) != ["went"]


@pytest.mark.parametrize("feats", ["Number=Plur", "Nonsense=Yes", "Tense=Past|Zorp=1"])
def test_unknown_features_are_left_aside(feats: str) -> None:
    """Nor do features that contradict the tag, which was seen without them."""
    assert texts(TOY.forms("talk", "VBD", feats)) == ["talked"]


@pytest.mark.parametrize("tag", ["UNSEEN", "", "💥"])
def test_without_any_rule_for_a_tag_the_lemma_is_the_form(tag: str) -> None:
    for feats in (None, "", "Tense=Past"):
        for word in ("talk", "walk", "Go"):
            assert TOY.forms(word, tag, feats) == (Form(word, 0.0),)


def test_a_tag_that_a_lemma_was_not_seen_with_goes_by_rule() -> None:
    assert texts(TOY.forms("wug", "VBD", "Tense=Past")) == ["wuged"]
    assert texts(TOY.forms("walk", "NNS", "Number=Plur")) == ["walk"]  # no noun ends like this


def test_a_bare_lemma_has_the_forms_of_its_paradigm() -> None:
    """*talk* was seen only as an infinitive, ten times; the other forms count as if seen once."""
    inflector = learned(*VERBS, *["talk/talk/VB/VerbForm=Inf"] * 10)
    forms = inflector.forms("talk", None, None)
    assert texts(forms) == ["talk", "talked", "talking"]
    assert shares(forms) == pytest.approx([10 / 11, 0.5 / 11, 0.5 / 11])
    assert texts(inflector.forms("talk", None, "VerbForm=Inf")) == ["talk"]


def test_tags_that_share_few_lemmas_are_no_paradigm() -> None:
    """One noun in five is also a verb; one in four would be enough."""
    nouns = [f"{noun}/{noun}/NN/" for noun in ("wug", "tove", "rath", "dax", "zorp")]
    verbs = [f"{verb}en/{verb}/VB/" for verb in ("dax", "plag", "blick")]
    assert texts(learned(*nouns, *verbs).forms("wug", None, None)) == ["wug"]
    assert texts(learned(*nouns[:4], *verbs).forms("wug", None, None)) == ["wug", "wugen"]


def test_a_paradigm_has_the_usual_features_of_each_tag() -> None:
    finite = [f"{verb}te/{verb}/VF/P=3" for verb in ("plag", "dax")]
    rare = [f"{verb}ost/{verb}/VF/P=1" for verb in ("plag", "dax")]
    bare = [f"{verb}/{verb}/VI/" for verb in ("plag", "dax", "wug")]
    for usual, other, expected in ((finite, rare, "wugte"), (rare, finite, "wugost")):
        inflector = learned(*bare, *usual, *usual, *other)
        assert set(texts(inflector.forms("wug", None, None))) == {"wug", expected}


def test_a_bare_lemma_that_is_unknown_is_its_own_form() -> None:
    assert TOY.forms("zorp", None, None) == (Form("zorp", 0.0),)
    assert TOY.forms("zorp", None, "Tense=Past") == (Form("zorp", 0.0),)


# Whatever is asked


@given(treebank, asked)
@settings(max_examples=60)
def test_there_is_always_a_form(sentences: list[Sentence], question: Asked) -> None:
    check(learn_inflector(sentences).forms(*question))


@pytest.mark.slow
@given(asked)
@settings(max_examples=60)
def test_there_is_always_a_form_in_a_real_paradigm(question: Asked) -> None:
    word, tag, feats = question
    for known_tag in (tag, "VBD", "NNS"):
        for known in (feats, "Tense=Past", "Number=Plur"):
            check(TOY.forms(word, known_tag, known))


@pytest.mark.parametrize("word", ODD)
def test_odd_lemmas_are_learned(word: str) -> None:
    inflector = learn_inflector([of_rows([("x", "", "X", ""), (word + "s", word, "N", "A=1")])])
    expected = neutral_forms(of_rows([("x", "", "X", ""), (word + "s", word, "N", "A=1")]))[1]
    assert texts(inflector.forms(word, "N", "A=1")) == [expected]
    for tag in (None, "N", "V"):
        for feats in (None, "", "A=1", "A=2"):
            check(inflector.forms(word, tag, feats))


def test_an_empty_treebank_leaves_lemmas_as_they_are() -> None:
    assert learned().forms("wug", "NNS", "Number=Plur") == (Form("wug", 0.0),)
    assert learn_inflector([]).forms("Wug", None, None) == (Form("Wug", 0.0),)


# Pitfalls


def test_of_many_rare_forms_one_is_left() -> None:
    words = " ".join(f"{i}/@card@/CD/" for i in range(201))
    assert len(learned(words).forms("@card@", "CD", "")) == 1


def test_forms_that_differ_in_case_count_together() -> None:
    inflector = learned("web/web/NN " * 2 + "Web/web/NN " * 2 + "webs/web/NN " * 3)
    assert texts(inflector.forms("web", "NN", "")) == ["web", "webs"]


def test_features_may_be_listed_in_any_order() -> None:
    seen = (
        "waga/wag/N/Case=Nom|Number=Plur wago/wag/N/Case=Acc|Number=Plur "
        "zaga/zag/N/Case=Nom|Number=Plur zago/zag/N/Case=Acc|Number=Plur "
        "rago/rag/N/Case=Acc|Number=Plur"
    )
    inflector = learned(seen)
    for lemma in ("wag", "pag"):
        assert texts(inflector.forms(lemma, "N", "Number=Plur|Case=Nom")) == [lemma + "a"]


@pytest.mark.parametrize(
    ("lemma", "expected"),
    [("planen", "geplant"), ("Planen", "Geplant"), ("PLANEN", "Geplant"), ("KLUMEN", "Geklumt")],
)
def test_a_rule_keeps_the_capital_at_the_beginning(lemma: str, expected: str) -> None:
    inflector = learned("gespielt/spielen/V/ geweint/weinen/V/ gelernt/lernen/V/ gewohnt/wohnen/V/")
    assert texts(inflector.forms(lemma, "V", "")) == [expected]


@pytest.mark.parametrize(
    ("form", "expected"), [("გამა", "გამა"), ("ǆem", "ǅem"), ("ß", "ß"), ("", ""), ("été", "Été")]
)
def test_the_first_letter_has_title_case(form: str, expected: str) -> None:
    assert capitalised(form) == expected


def test_a_turkish_capital_is_one_letter() -> None:
    sentence = Sentence(("İyi", "İYİ"), ("A", "A"), (0, 1), ("root", "dep"), lemmas=("iyi", "iyi"))
    assert neutral_forms(sentence) == ("iyi", "iyi")


def test_a_word_longer_than_any_is_replaced_as_a_whole() -> None:
    assert find_edit("ab" * 1000, "ac" * 1000) == ("ab" * 1000, "ac" * 1000)


# Misspellings and other marked forms


@pytest.mark.parametrize("feats", [None, "", "Number=Sing"])
def test_a_slip_is_never_a_form(feats: str | None) -> None:
    inflector = learned(*["dog/dog/NN/Number=Sing"] * 9, "do/dog/NN/Number=Sing|Typo=Yes")
    assert texts(inflector.forms("dog", "NN", feats)) == ["dog"]
    assert texts(inflector.forms("dog", None, feats)) == ["dog"]
    assert texts(inflector.forms("dog", "NN", "Number=Sing|Typo=Yes")) == ["dog"]
    assert "do" not in [entry.form for entry in inflector.lexicon["dog"]]


def test_a_slip_in_an_older_model_is_never_a_form() -> None:
    slip = Seen("NN", "Typo=Yes", "do", 1, find_edit("dog", "do"))
    inflector = Inflector({"dog": [slip, Seen("NN", "", "dog", 1, find_edit("dog", "dog"))]})
    for tag in ("NN", None):
        for feats in (None, "", "Typo=Yes"):
            assert texts(inflector.forms("dog", tag, feats)) == ["dog"]


def test_a_slip_teaches_no_rule() -> None:
    inflector = learned("wugz/wug/NNS/Typo=Yes wugz/wug/NNS/Typo=Yes", *NOUNS)
    assert texts(inflector.forms("plug", "NNS", None)) == ["plugs"]


@pytest.mark.parametrize("mark", ["Typo=Yes", "Abbr=Yes", "Style=Coll"])
def test_marked_forms_are_given_where_they_are_asked_for(mark: str) -> None:
    seen = ["their/they/PRP$/Poss=Yes", *[f"thier/they/PRP$/Poss=Yes|{mark}"] * 2]
    inflector = learned(*seen)
    for tag in ("PRP$", None):
        for feats in (None, "", "Poss=Yes"):
            assert texts(inflector.forms("they", tag, feats)) == ["their"]
        assert texts(inflector.forms("they", tag, f"Poss=Yes|{mark}")) == ["thier"]


def test_a_mark_that_was_not_seen_is_left_aside() -> None:
    inflector = learned("went/go/VBD/Tense=Past goes/go/VBZ/Tense=Pres")
    assert texts(inflector.forms("go", "VBD", "Tense=Past|Typo=Yes")) == ["went"]


def test_a_word_seen_only_in_a_marked_form_has_it() -> None:
    """Unless it is English, where the rules know better."""
    seen = "cookin'/cook/VBG/Style=Vrnc"
    assert texts(learned(seen).forms("cook", "VBG", None)) == ["cookin'"]
    assert texts(learned(seen, english=True).forms("cook", "VBG", None)) == ["cooking"]
    assert texts(learned(seen, english=True).forms("cook", "VBG", "Style=Vrnc")) == ["cookin'"]
