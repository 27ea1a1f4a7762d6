"""English inflection: spelling rules, irregular words, and their place among the sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys.inflection import IRREGULAR, ODD, VERBS, Asked, asked, learned, shares, texts

from syntagma.realization.english import BASIC, RULES, inflected, irregular_words

FORMS = {
    "VBZ": """fix fixes, try tries, play plays, go goes, do does, pass passes, watch watches,
        buzz buzzes, echo echoes, veto vetoes, say says, have has, be is, tweet tweets""",
    "VBD": """sing sang, swim swam, drink drank, tweet tweeted, stop stopped, visit visited,
        prefer preferred, offer offered, occur occurred, try tried, play played, die died,
        agree agreed, panic panicked, mimic mimicked, quiz quizzed, admit admitted, focus focused,
        format formatted, travel traveled, overcome overcame, rewrite rewrote, undo undid,
        re-send re-sent, misspend misspent, outgrow outgrew, upload uploaded, babysit babysat,
        bring brought, lead led, read read, cut cut, see saw, seed seeded, need needed, heal healed,
        limp limped, bear bore, swear swore, wake woke, behave behaved, fix fixed, row rowed,
        equip equipped, kidnap kidnapped, text texted, google googled, give up=gave up""",
    "VBN": """sing sung, swim swum, drink drunk, write written, overwrite overwritten, take taken,
        mistake mistaken, bite bitten, forget forgotten, stride stridden, be been, tread trodden,
        get got, run run, hide hidden, choose chosen, freeze frozen, unfreeze unfrozen""",
    "VBG": """make making, run running, lie lying, die dying, see seeing, dye dyeing,
        agree agreeing, panic panicking, begin beginning, open opening, refer referring,
        quit quitting, singe singeing, ski skiing, argue arguing, fix fixing, tie tying""",
    "NNS": """dog dogs, box boxes, city cities, key keys, hero heroes, photo photos, piano pianos,
        potato potatoes, video videos, zoo zoos, church churches, stomach stomachs,
        monarch monarchs, bus buses, quiz quizzes, waltz waltzes, child children, mouse mice,
        foot feet, criterion criteria, analysis analyses, hypothesis hypotheses, wife wives,
        housewife housewives, knife knives, roof roofs, belief beliefs, chief chiefs, sheep sheep,
        series series, aircraft aircraft, goldfish goldfish, woman women, policeman policemen,
        human humans, german germans, goods goods, clothes clothes, lens lenses, virus viruses,
        alumnus alumni, matrix matrices, axis axes, brother-in-law brothers-in-law,
        passer-by passers-by, runner-up runners-up, man-of-war men-of-war, meta-analysis
        meta-analyses, DVD DVDs, iPhone iPhones, BlackBerry BlackBerries, CEO CEOs,
        1990 1990s, 1990s 1990s, rep. reps., soliloquy
        soliloquies, mongoose mongooses, blouse blouses, fox foxes, vice president=vice
        presidents, x-ray x-rays, tomato tomatoes, salesperson salespeople, kg kg""",
    "NNPS": """Smith Smiths, Jones Joneses, Bush Bushes, Kennedy Kennedys, Study Studies,
        Frenchman Frenchmen, Freeman Freemans, Alps Alps, Iraqi Iraqis, Iraqis Iraqis, Harris
        Harrises, Chinese Chinese, State States, Monday Mondays, Leaf Leafs""",
    "JJR": """big bigger, happy happier, nice nicer, good better, bad worse, far further, low lower,
        slow slower, quiet quieter, free freer, dry drier, shy shyer, clever cleverer, red redder,
        better better, later later, new newer, little less, cheap cheaper""",
    "JJS": """big biggest, happy happiest, nice nicest, good best, bad worst, many most, best best,
        lowest lowest, modest modestest, gray grayest, thin thinnest""",
    "RBR": "well better, badly worse, fast faster, early earlier, much more",
    "RBS": "well best, far furthest, soon soonest",
    "VBP": "be are, have have, go go",
    "NN": "dog dog, Mice Mice",
}
CASES = [
    (lemma, tag, form)
    for tag, listed in FORMS.items()
    for lemma, form in (
        entry.split("=") if "=" in entry else entry.split()
        for entry in (" ".join(part.split()) for part in listed.split(","))
    )
]


@pytest.mark.parametrize(("lemma", "tag", "form"), CASES)
def test_the_usual_form_comes_first(lemma: str, tag: str, form: str) -> None:
    assert inflected(lemma, tag)[0] == form


@pytest.mark.parametrize(
    ("lemma", "tag", "forms"),
    [
        ("learn", "VBD", {"learned", "learnt"}),
        ("travel", "VBG", {"traveling", "travelling"}),
        ("cactus", "NNS", {"cacti", "cactuses"}),
        ("be", "VBD", {"was", "were"}),
        ("be", "VBP", {"am", "are"}),
    ],
)
def test_variants_are_kept(lemma: str, tag: str, forms: set[str]) -> None:
    assert set(inflected(lemma, tag)) == forms


@pytest.mark.parametrize(
    ("lemma", "tag", "form"),
    [
        *(("Child", "NNS", "Children"), ("CHILD", "NNS", "CHILDREN"), ("Sing", "VBD", "Sang")),
        *(("USB", "NNS", "USBs"), ("DM", "VBD", "DMed"), ("GPS", "NNS", "GPSes")),
    ],
)
def test_letter_case_is_that_of_the_lemma(lemma: str, tag: str, form: str) -> None:
    assert inflected(lemma, tag)[0] == form


@pytest.mark.parametrize("tag", ["DT", "PRP", "UNSEEN", "", "MD", "CD"])
def test_other_tags_are_not_inflected(tag: str) -> None:
    assert inflected("wug", tag) == ()


@given(asked, st.sampled_from([*RULES, *BASIC]))
def test_any_text_has_a_form(question: Asked, tag: str) -> None:
    forms = inflected(question[0], tag)
    assert forms
    assert all(forms)


@pytest.mark.parametrize("lemma", ODD)
def test_odd_lemmas_have_forms_or_none(lemma: str) -> None:
    assert all(form for tag in RULES for form in inflected(lemma, tag))


def test_the_tables_are_well_formed() -> None:
    for (lemma, tag), forms in irregular_words().items():
        assert tag in RULES
        assert lemma == lemma.lower() == lemma.strip()
        assert forms
        assert all(form and form == form.strip() for form in forms)
        assert len(set(forms)) == len(forms)


# Among the other sources


def test_what_was_seen_comes_first() -> None:
    inflector = learned(*VERBS, *["dove/dive/VBD/Tense=Past"] * 2, english=True)
    assert texts(inflector.forms("dive", "VBD", "Tense=Past")) == ["dove"]


def test_english_comes_before_edit_rules() -> None:
    """*seek* was the only verb like *sing*: its *sought* is no pattern."""
    seen = [*VERBS, "sought/seek/VBD/Tense=Past met/meet/VBD/Tense=Past bins/bin/NNS/Number=Plur"]
    inflector = learned(*seen, english=True)
    for lemma, tag, form in (
        ("sing", "VBD", "sang"),
        ("tweet", "VBD", "tweeted"),
        ("swim", "VBD", "swam"),
        ("drink", "VBD", "drank"),
        ("fix", "VBZ", "fixes"),
        ("hero", "NNS", "heroes"),
        ("Smith", "NNPS", "Smiths"),
    ):
        assert texts(inflector.forms(lemma, tag, None)) == [form]
        assert texts(inflector.forms(lemma, tag, "Tense=Past")) == [form]


def test_a_form_seen_once_does_not_outdo_the_table() -> None:
    inflector = learned("sweared/swear/VBD/ dove/dive/VBD/", english=True)
    assert texts(inflector.forms("swear", "VBD", "")) == ["swore"]


def test_other_languages_go_by_edit_rules() -> None:
    inflector = learned(*VERBS, IRREGULAR, english=False)
    assert texts(inflector.forms("sing", "VBD", "Tense=Past")) == ["singed"]


def test_the_first_of_several_is_the_likeliest() -> None:
    forms = learned(english=True).forms("learn", "VBD", None)
    assert texts(forms) == ["learned", "learnt"]
    assert shares(forms) == pytest.approx([2 / 3, 1 / 3])


def test_a_bare_lemma_has_its_likely_forms() -> None:
    """Those of a noun, or of an irregular verb; a name or a number has no other."""
    inflector = learned(*VERBS, english=True)
    assert texts(inflector.forms("wug", None, None)) == ["wug", "wugs"]
    assert set(texts(inflector.forms("sing", None, None))) == {
        *("sing", "sings", "sang", "sung", "singing")
    }
    assert texts(inflector.forms("Wug", None, None)) == ["Wug"]
    assert texts(inflector.forms("1984", None, None)) == ["1984"]


# UPOS tags and features


@pytest.mark.parametrize(
    ("lemma", "tag", "features", "form"),
    [
        ("apple", "NOUN", "Number=Plur", "apples"),
        ("apple", "NOUN", "Number=Sing", "apple"),
        ("apple", None, "Number=Plur", "apples"),
        ("Smith", "PROPN", "Number=Plur", "Smiths"),
        ("sing", "VERB", "Mood=Ind|Tense=Past|VerbForm=Fin", "sang"),
        ("sing", "VERB", "Tense=Past|VerbForm=Part", "sung"),
        ("sing", "VERB", "Tense=Past|VerbForm=Part|Voice=Pass", "sung"),
        ("sing", "VERB", "Tense=Pres|VerbForm=Part", "singing"),
        ("sing", "VERB", "VerbForm=Ger", "singing"),
        ("sing", "VERB", "VerbForm=Inf", "sing"),
        ("sing", "VERB", "Mood=Imp|VerbForm=Fin", "sing"),
        ("sing", "VERB", "Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "sings"),
        ("sing", "VERB", "Number=Plur|Person=3|Tense=Pres|VerbForm=Fin", "sing"),
        ("sing", "VERB", "Number=Sing|Person=1|Tense=Pres|VerbForm=Fin", "sing"),
        ("sing", None, "Tense=Past|VerbForm=Fin", "sang"),
        ("have", "AUX", "Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "has"),
        ("cheap", "ADJ", "Degree=Cmp", "cheaper"),
        ("cheap", None, "Degree=Sup", "cheapest"),
        ("soon", "ADV", "Degree=Cmp", "sooner"),
        ("of", "ADP", None, "of"),
    ],
)
def test_universal_tags_and_features_tell_the_form(
    lemma: str, tag: str | None, features: str | None, form: str
) -> None:
    assert texts(learned(*VERBS, english=True).forms(lemma, tag, features)) == [form]


@pytest.mark.parametrize(
    ("lemma", "tag", "features", "expected"),
    [
        ("apple", "NOUN", None, "apple apples"),
        ("apple", "NOUN", "", "apple apples"),
        ("apple", "NOUN", "Case=Nom", "apple apples"),
        ("sing", "VERB", None, "sing sings sang sung singing"),
        ("sing", "VERB", "Tense=Pres", "sing sings"),
        ("sing", "VERB", "Number=Sing|Person=3", "sings sang"),
        ("sing", "VERB", "VerbForm=Fin", "sing sings sang"),
        ("sing", "VERB", "VerbForm=Part", "singing sung"),
        ("good", "ADJ", None, "good better best"),
        ("dull", "ADJ", None, "dull duller dullest"),
        ("beautiful", "ADJ", None, "beautiful"),
        ("soon", "ADV", None, "soon sooner soonest"),
        ("quickly", "ADV", None, "quickly"),
        ("soon", "ADV", "PronType=Dem", "soon"),
        ("London", "PROPN", None, "London"),
    ],
)
def test_a_feature_that_is_not_given_is_open(
    lemma: str, tag: str, features: str | None, expected: str
) -> None:
    forms = texts(learned(*VERBS, english=True).forms(lemma, tag, features))
    assert set(forms) == set(expected.split())


def test_an_open_class_has_the_forms_seen_with_its_tags_alone() -> None:
    seen = "saw/saw/NN/ saws/saw/NNS/ saw/see/VBD/ seen/see/VBN/ saw/saw/VB/ sawed/saw/VBD/"
    inflector = learned(*[seen] * 5, english=True)
    assert set(texts(inflector.forms("saw", "NOUN", None))) == {"saw", "saws"}
    assert {"saw", "sawed", "sawing"} <= set(texts(inflector.forms("saw", "VERB", None)))
    assert set(texts(inflector.forms("see", "VERB", None))) == {
        *("see", "sees", "saw", "seen", "seeing")
    }


@pytest.mark.parametrize(
    ("lemma", "upos", "form", "expected"),
    [
        ("sing", "VERB", "sings", "VBZ"),
        ("sing", "VERB", "sang", "VBD"),
        ("walk", "VERB", "walked", None),  # VBD or VBN
        ("sing", "VERB", "sing", None),
        ("apple", "NOUN", "apples", "NNS"),
        ("walk", None, "Walks", "VBZ"),  # seen as a verb alone
        ("walk", None, "walk", None),
        ("zorp", None, "zorps", None),
    ],
)
def test_a_form_may_tell_the_tag(
    lemma: str, upos: str | None, form: str, expected: str | None
) -> None:
    assert learned(*VERBS, english=True).tag_of_form(lemma, upos, None, form) == expected
