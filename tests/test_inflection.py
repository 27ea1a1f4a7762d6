"""Inflection: forms that were seen, then those of a dictionary, then those of learned rules."""

# ruff: noqa: RUF001, the characters that look alike are meant

from __future__ import annotations

import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from syntagma import inflection
from syntagma.edits import find_edit
from syntagma.errors import ModelError
from syntagma.inflection import (
    MAX_FORMS,
    SECTION,
    Form,
    Inflector,
    Rules,
    capitalised,
    neutral_forms,
)
from syntagma.treebank import Sentence

Row = tuple[str, str, str, str]  # form, lemma, tag, features
Asked = tuple[str, str | None, str | None]  # lemma, tag, features

NEEDS_LEMMINFLECT = "needs lemminflect: pip install 'syntagma[english]'"


def of_rows(rows: Sequence[Row]) -> Sentence:
    forms, lemmas, tags, features = zip(*rows, strict=True) if rows else ((), (), (), ())
    nothing = ("x",) * len(rows)
    return Sentence(forms, tags, (0,) * len(rows), nothing, lemmas=lemmas, features=features)


def sentence(words: str) -> Sentence:
    """Words as `wugs/wug/NNS/Number=Plur`; another in front, so that none is the first."""
    rows = [tuple((word + "///").split("/")[:4]) for word in words.split()]
    return of_rows([("x", "", "x", ""), *((a, b, c, d) for a, b, c, d in rows)])


def learned(*sentences: str, english: bool = False) -> Inflector:
    return Inflector.of_treebank(map(sentence, sentences), english=english)


def texts(forms: Sequence[Form]) -> list[str]:
    return [form.text for form in forms]


def shares(forms: Sequence[Form]) -> list[float]:
    return [math.exp(form.log_share) for form in forms]


def check(forms: Sequence[Form]) -> None:
    """What holds of the forms of any lemma."""
    assert 1 <= len(forms) <= MAX_FORMS
    assert all(texts(forms))
    assert len({form.lower() for form in texts(forms)}) == len(forms)
    assert shares(forms) == sorted(shares(forms), reverse=True)
    assert sum(shares(forms)) <= 1 + 1e-9


VERBS = [
    f"{verb}/{verb}/VB/VerbForm=Inf {verb}ed/{verb}/VBD/Tense=Past"
    f" {verb}ing/{verb}/VBG/VerbForm=Ger"
    for verb in ("walk", "plog", "dax", "blick")
]
NOUNS = [
    *(f"{noun}s/{noun}/NNS/Number=Plur {noun}/{noun}/NN/Number=Sing" for noun in ("wug", "tove")),
    "spies/spy/NNS/Number=Plur flies/fly/NNS/Number=Plur days/day/NNS/Number=Plur",
]
IRREGULAR = "went/go/VBD/Tense=Past go/go/VB/VerbForm=Inf mice/mouse/NNS/Number=Plur"
TOY = learned(*VERBS, *NOUNS, IRREGULAR)

ODD = [
    "😀",
    "👩‍👩‍👧",
    "שלום",
    "مرحبا",
    "e\u0301te",
    "\u0301",
    "\u200b",
    "1984",
    "3.14",
    "x" * 5000,
    "новый",
    "字",
    "გამარჯობა",
    "İstanbul",
    "ıssız",
    "ß",
    "ẞ",
    "ǆem",
    "ŉ",
    "ΟΔΟΣ",
    "in spite of",
    "_",
    "^",
    "=",
    "[",
    '["wug","plog"]',
    "@card@",
    "\\n",
    "\ud800",
]

# Small, so that lemmas, tags and features meet; and anything that a file can hold.
symbol = st.sampled_from(["NN", "VB", "X"])
features = st.sampled_from(["", "A=1", "A=2", "A=1|B=1", "B=1", "B=2|C=1"])
lemma = st.one_of(
    st.text("abB", min_size=1, max_size=3),
    st.sampled_from([odd for odd in ODD if len(odd) < 100]),
    st.text(st.characters(exclude_characters="\t\n\r"), min_size=1, max_size=4),
)
form = st.one_of(st.text("abBc", min_size=1, max_size=4), lemma)
row = st.tuples(form, st.one_of(st.just(""), lemma), symbol, features)
few = st.tuples(st.sampled_from(["a", "ab", "B"]), st.sampled_from(["a", "ab"]), symbol, features)
treebank = st.one_of(
    st.lists(st.lists(row, max_size=4).map(of_rows), max_size=5),
    st.lists(st.lists(few, max_size=4).map(of_rows), max_size=5),
)
asked = st.tuples(
    lemma,
    st.one_of(st.none(), symbol, st.just("UNSEEN"), st.just("")),
    st.one_of(st.none(), features, st.sampled_from(["B=1|A=1", "D=1", "A=1|D=1"])),
)


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
    """One in two hundred is kept, and one in more is not."""
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
    """Given the same tag and features: all of them, the most frequent first, and no others."""
    inflector = Inflector.of_treebank(sentences)
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
        written = {  # of forms that differ in case only, the most frequent
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
    """Nor do those matter that contradict the tag: it has been seen without them."""
    assert texts(TOY.forms("talk", "VBD", feats)) == ["talked"]


@pytest.mark.parametrize("tag", ["UNSEEN", "", "💥"])
def test_without_any_rule_for_a_tag_the_lemma_is_the_form(tag: str) -> None:
    for feats in (None, "", "Tense=Past"):
        for word in ("talk", "walk", "Go"):
            assert TOY.forms(word, tag, feats) == (Form(word, 0.0),)


def test_a_tag_that_a_lemma_was_not_seen_with_goes_by_rule() -> None:
    assert texts(TOY.forms("wug", "VBD", "Tense=Past")) == ["wuged"]
    assert texts(TOY.forms("walk", "NNS", "Number=Plur")) == ["walk"]  # no noun ends so


def test_a_bare_lemma_has_the_forms_of_its_paradigm() -> None:
    """*talk* was seen as an infinitive only, ten times; the others count as if seen once."""
    inflector = learned(*VERBS, *["talk/talk/VB/VerbForm=Inf"] * 10)
    forms = inflector.forms("talk", None, None)
    assert texts(forms) == ["talk", "talked", "talking"]
    assert shares(forms) == pytest.approx([10 / 11, 0.5 / 11, 0.5 / 11])
    assert texts(inflector.forms("talk", None, "VerbForm=Inf")) == ["talk"]


def test_tags_that_share_few_lemmas_are_no_paradigm() -> None:
    """One noun in five is a verb, too; one in four is often enough."""
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


# Rules


@pytest.mark.parametrize(
    ("word", "tag", "feats", "expected"),
    [
        ("talk", "VBD", "Tense=Past", "talked"),
        ("talk", "VBG", "VerbForm=Ger", "talking"),
        ("talk", "VB", "VerbForm=Inf", "talk"),
        ("talk", "VBD", None, "talked"),
        ("try", "NNS", "Number=Plur", "tries"),
        ("ray", "NNS", "Number=Plur", "rays"),
        ("bug", "NNS", "Number=Plur", "bugs"),
        ("Talk", "VBD", "Tense=Past", "Talked"),
        ("TALK", "VBD", "Tense=Past", "TALKed"),
    ],
)
def test_lemmas_that_were_not_seen_go_by_rule(
    word: str, tag: str, feats: str | None, expected: str
) -> None:
    assert texts(TOY.forms(word, tag, feats)) == [expected]


@pytest.mark.parametrize(
    ("pairs", "word", "expected"),
    [
        ("machen:gemacht legen:gelegt sagen:gesagt", "lachen", "gelacht"),
        ("band:bänder land:länder rand:ränder", "wand", "wänder"),
        ("singen:sang ringen:rang", "dingen", "dang"),
        ("tulis:menulis tari:menari", "tabis", "menabis"),
        ("çiçek:çiçeği böcek:böceği", "yüzek", "yüzeği"),
        ("дом:дома том:тома", "ком", "кома"),
        ("ילד:ילדים", "נד", "נדים"),
    ],
)
def test_prefixes_stems_and_suffixes_of_any_language(pairs: str, word: str, expected: str) -> None:
    rows = [pair.split(":") for pair in pairs.split()]
    inflector = learned(*(f"{form}/{lemma}/X/A=1" for lemma, form in rows))
    assert texts(inflector.forms(word, "X", "A=1")) == [expected]


def test_the_same_tag_has_a_rule_for_each_features() -> None:
    inflector = learned(
        *(
            f"{verb}e/{verb}/V/P=1 {verb}st/{verb}/V/P=2 {verb}t/{verb}/V/P=3"
            for verb in ("sag", "leg")
        )
    )
    assert [texts(inflector.forms("trag", "V", f"P={i}")) for i in (1, 2, 3)] == [
        ["trage"],
        ["tragst"],
        ["tragt"],
    ]


def test_a_rule_is_as_good_as_it_has_lemmas() -> None:
    """However often a single one was seen."""
    inflector = learned(*["oxen/ox/NNS/"] * 50, "boxs/box/NNS/", "faxs/fax/NNS/", "daxs/dax/NNS/")
    assert texts(inflector.forms("wax", "NNS", "")) == ["waxs"]


def test_of_two_forms_of_a_lemma_the_more_frequent_makes_the_rule() -> None:
    for dived, dove, expected in ((2, 1, "jived"), (1, 2, "jove")):
        inflector = learned(*["dived/dive/V/"] * dived, *["dove/dive/V/"] * dove)
        assert texts(inflector.forms("jive", "V", "")) == [expected]


def test_longer_endings_decide() -> None:
    inflector = learned(
        *(f"{noun}s/{noun}/N/" for noun in ("day", "boy", "key", "wug", "tove")),
        *(f"{noun[:-1]}ies/{noun}/N/" for noun in ("fly", "ply")),
    )
    assert texts(inflector.forms("sly", "N", "")) == ["slies"]
    assert texts(inflector.forms("ray", "N", "")) == ["rays"]


def test_endings_of_six_letters_decide() -> None:
    inflector = learned("pabcdefx/pabcdef/N/ qzbcdefy/qzbcdef/N/ rzbcdefy/rzbcdef/N/")
    assert texts(inflector.forms("wabcdef", "N", "")) == ["wabcdefx"]
    assert texts(inflector.forms("wbcdef", "N", "")) == ["wbcdefy"]


def test_endings_back_off_to_shorter_ones() -> None:
    """Of all nouns, two of three take -s; of those with -y, one of two."""
    rules = Rules.of_lexicon(
        learned("cats/cat/N/ days/day/N/ flies/fly/N/ wug/wug/V/").lexicon, "N"
    )
    s, ies = (0, 0, ("", ""), ("", "s")), (0, 1, ("", ""), ("y", "ies"))
    assert rules.chances("spy", "") == pytest.approx(
        {s: (1 + 2 * 2 / 3) / 4, ies: (1 + 2 * 1 / 3) / 4}
    )
    assert rules.chances("spy", "Unknown=1") == rules.chances("spy", "")
    assert rules.chances("SPY", None) == rules.chances("spy", None)


@given(treebank, asked)
@settings(max_examples=30)
def test_chances_are_chances(sentences: list[Sentence], question: Asked) -> None:
    word, _, feats = question
    lexicon = Inflector.of_treebank(sentences).lexicon
    for tag in ("NN", "VB", "X"):
        chances = Rules.of_lexicon(lexicon, tag).chances(word, feats)
        assert not chances or sum(chances.values()) == pytest.approx(1)
        assert all(0 <= chance <= 1 + 1e-9 for chance in chances.values())


@pytest.mark.parametrize("word", ["字", "дом", "😀", "1984", "שלום", "x" * 5000 + "ж"])
def test_what_ends_as_nothing_that_was_seen_is_not_edited(word: str) -> None:
    assert TOY.forms(word, "VBD", "Tense=Past") == (Form(word, 0.0),)


def test_an_edit_that_leaves_nothing_is_not_taken() -> None:
    """The only rule takes three letters away; of *ug*, nothing would be left."""
    inflector = learned("w/wxug/N/ y/yxug/N/")
    assert texts(inflector.forms("pxug", "N", "")) == ["p"]
    assert texts(inflector.forms("xug", "N", "")) == ["xug"]


# The dictionary of English


class Dictionary:
    """In the place of lemminflect; writes down what it is asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **inflections: Sequence[str]) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self.inflections = inflections
        monkeypatch.setattr(inflection, "find_spec", lambda name: name == "lemminflect" or None)
        monkeypatch.setattr(inflection, "import_module", self._import)

    def _import(self, name: str) -> SimpleNamespace:
        assert name == "lemminflect"
        return SimpleNamespace(getAllInflections=self._look_up)

    def _look_up(self, lemma: str, upos: str | None = None) -> dict[str, Sequence[str]]:
        self.asked.append((lemma, upos))
        return self.inflections


def test_the_dictionary_comes_after_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary(monkeypatch, VBD=["fnord"])
    inflector = learned(*VERBS, IRREGULAR, english=True)
    assert texts(inflector.forms("go", "VBD", "Tense=Past")) == ["went"]
    assert not dictionary.asked


def test_the_dictionary_comes_before_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary(monkeypatch, VBD=["sang"], VBG=["singing"])
    inflector = learned(*VERBS, english=True)
    assert texts(inflector.forms("sing", "VBD", "Tense=Past")) == ["sang"]
    assert texts(inflector.forms("sing", "VBD", None)) == ["sang"]
    assert dictionary.asked == [("sing", "VERB")] * 2


def test_what_the_dictionary_has_not_goes_by_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    Dictionary(monkeypatch, VBN=["wugun"])
    inflector = learned(*VERBS, english=True)
    assert texts(inflector.forms("talk", "VBD", "Tense=Past")) == ["talked"]


def test_the_first_of_several_in_the_dictionary_is_the_likeliest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Dictionary(monkeypatch, VBD=["lit", "lighted"])
    forms = learned(english=True).forms("light", "VBD", None)
    assert texts(forms) == ["lit", "lighted"]
    assert shares(forms) == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("tag", "word_class"),
    [
        ("NN", "NOUN"),
        ("NNS", "NOUN"),
        ("NNP", "NOUN"),
        ("NNPS", "NOUN"),
        ("VBZ", "VERB"),
        ("VBN", "VERB"),
        ("JJR", "ADJ"),
        ("RBS", "ADV"),
    ],
)
def test_the_dictionary_is_asked_for_a_word_class(
    monkeypatch: pytest.MonkeyPatch, tag: str, word_class: str
) -> None:
    dictionary = Dictionary(monkeypatch, **{tag.replace("NNP", "NN"): ["zorp"]})
    assert texts(learned(english=True).forms("wug", tag, None)) == ["zorp"]
    assert dictionary.asked == [("wug", word_class)]


@pytest.mark.parametrize("tag", ["NOUN", "DT", "POS", "UNSEEN", ""])
def test_the_dictionary_knows_no_other_tags(monkeypatch: pytest.MonkeyPatch, tag: str) -> None:
    Dictionary(monkeypatch, NN=["wug"], NNS=["wugs"])
    assert texts(learned(english=True).forms("zorp", tag, None)) == ["zorp"]


def test_a_bare_lemma_has_all_forms_of_the_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary(monkeypatch, VB=["sing"], VBD=["sang"], VBN=["sung"])
    forms = learned(english=True).forms("sing", None, None)
    assert texts(forms) == ["sing", "sang", "sung"]
    assert dictionary.asked == [("sing", None)]


@pytest.mark.parametrize(
    ("word", "found", "expected"),
    [
        ("go", "went", "went"),
        ("Go", "went", "Went"),
        ("Sing", "sang", "Sang"),
        ("wug", "wugs", "wugs"),
        ("WUG", "wugs", "WUGs"),
        ("MOUSE", "mice", "Mice"),
        ("W", "ws", "Ws"),
    ],
)
def test_forms_of_the_dictionary_have_the_case_of_the_lemma(
    monkeypatch: pytest.MonkeyPatch, word: str, found: str, expected: str
) -> None:
    dictionary = Dictionary(monkeypatch, VBD=[found])
    assert texts(learned(english=True).forms(word, "VBD", None)) == [expected]
    assert dictionary.asked == [(word.lower(), "VERB")]


def test_other_languages_do_not_use_the_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary(monkeypatch, VBD=["fnord"])
    assert texts(learned(*VERBS).forms("talk", "VBD", None)) == ["talked"]
    assert texts(learned(*VERBS).forms("talk", None, None)) == ["talk"]
    assert not dictionary.asked


def test_without_the_dictionary_there_are_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary(monkeypatch, VBD=["fnord"])
    monkeypatch.setattr(inflection, "find_spec", lambda name: None)
    inflector = learned(*VERBS, english=True)
    assert texts(inflector.forms("talk", "VBD", "Tense=Past")) == ["talked"]
    assert texts(inflector.forms("talk", None, None)) == ["talk"]
    assert not dictionary.asked


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("sing", "VBD", "sang"),
        ("write", "VBN", "written"),
        ("Think", "VBD", "Thought"),
        ("go", "VBZ", "goes"),
        ("stop", "VBG", "stopping"),
        ("child", "NNS", "children"),
        ("city", "NNS", "cities"),
        ("good", "JJR", "better"),
        ("bad", "JJS", "worst"),
    ],
)
def test_irregular_words_of_english(word: str, tag: str, expected: str) -> None:
    pytest.importorskip("lemminflect", reason=NEEDS_LEMMINFLECT)
    inflector = learned(english=True)
    assert texts(inflector.forms(word, tag, None))[0] == expected
    assert expected in texts(inflector.forms(word, None, None))


@pytest.mark.parametrize("word", ODD)
def test_odd_lemmas_are_not_in_the_dictionary_of_english(word: str) -> None:
    pytest.importorskip("lemminflect", reason=NEEDS_LEMMINFLECT)
    inflector = learned(english=True)
    for tag in (None, "NN", "VBD", "X"):
        assert texts(inflector.forms(word, tag, None)) == [word]


# Case


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Wugs/wug plog/plog", "wugs plog"),  # the first word
        ("The/the Wugs/wug", "the Wugs"),  # a capital in the middle is meant
        ('"/" Wugs/wug Plog/plog', '" wugs Plog'),  # the first word after opening quotes
        ("«/« (/( Wugs/wug", "« ( wugs"),
        ("…/… Wugs/wug", "… wugs"),
        ("3/3 Wugs/wug", "3 Wugs"),  # a number is a word
        ("Paris/Paris plogs/plog", "Paris plogs"),
        ("PARIS/Paris PLOGS/plog", "Paris plogs"),  # a heading
        ("THE/the WUGS/wug OF/of NASA/NASA", "the wugs of NASA"),
        ("USA/USA", "USA"),
        ("I/I plog/plog", "I plog"),
        ("I/i plog/plog", "i plog"),
        ("A/a WUG/wug", "a wug"),
        ("X/x A/a", "x A"),  # a single letter in the middle is no heading
        ("iPlog/iPlog", "iPlog"),
        ("IPlog/iPlog", "iPlog"),
        ("Wugs/ PLOGS/", "Wugs PLOGS"),  # without lemma, nothing is known
        ("Élan/élan", "élan"),
        ("字/字 Wug/wug", "字 Wug"),
        ("NASAS/NASA", "NASAS"),
        ("ΟΔΟΣ/οδός", "οδος"),
        ("STRASSE/Straße", "Strasse"),
    ],
)
def test_neutral_forms(words: str, expected: str) -> None:
    pairs = [word.split("/") for word in words.split()]
    rows = [(form, lemma, "X", "") for form, lemma in pairs]
    assert " ".join(neutral_forms(of_rows(rows))) == expected


@given(st.lists(row, max_size=6).map(of_rows))
@example(of_rows([("ΑΣ", "ας", "X", ""), ("Σ", "σ", "X", "")]))
@settings(max_examples=60)
def test_only_case_is_neutral(any_sentence: Sentence) -> None:
    neutral = neutral_forms(any_sentence)
    lower = [form.lower().replace("i̇", "i") for form in any_sentence.forms]
    assert [form.lower().replace("i̇", "i") for form in neutral] == lower


def test_case_is_not_learned_from_the_beginning_of_a_sentence() -> None:
    headings = [
        of_rows([("Wugs", "wug", "N", "")]),
        of_rows([("“", "“", "P", ""), ("Wugs", "wug", "N", "")]),
        of_rows([("THE", "the", "D", ""), ("WUGS", "wug", "N", "")]),
    ]
    inflector = Inflector.of_treebank(headings)
    assert inflector.forms("wug", "N", "") == (Form("wugs", 0.0),)
    assert inflector.forms("the", "D", "") == (Form("the", 0.0),)


def test_a_lemma_with_a_capital_goes_as_the_same_without() -> None:
    assert texts(TOY.forms("Go", "VBD", "Tense=Past")) == ["Went"]
    assert texts(TOY.forms("Mouse", "NNS", None)) == ["Mice"]


def test_a_lemma_that_was_seen_with_a_capital_keeps_it() -> None:
    inflector = learned("Wugs/Wug/NNPS/ wugen/wug/NNPS/")
    assert texts(inflector.forms("Wug", "NNPS", "")) == ["Wugs"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("wug", "Wug"),
        ("Wug", "Wug"),
        ("wUG", "WUG"),
        ("élan", "Élan"),
        ("дом", "Дом"),
        ("ıssız", "Issız"),
        ("ßa", "ßa"),  # SS would be two letters
        ("ŉa", "ŉa"),
        ("字", "字"),
        ("'s", "'s"),
        ("1st", "1st"),
        ("😀", "😀"),
        ("", ""),
    ],
)
def test_capitalised(word: str, expected: str) -> None:
    assert capitalised(word) == expected


@given(st.text(max_size=4))
def test_only_the_first_letter_is_capitalised(word: str) -> None:
    result = capitalised(word)
    assert len(result) == len(word)
    assert result[1:] == word[1:]
    assert capitalised(result) == result
    first = word[:1]
    assert result[:1] in (first, first.upper(), first.title())


# Whatever is asked


@given(treebank, asked)
@settings(max_examples=60)
def test_there_is_always_a_form(sentences: list[Sentence], question: Asked) -> None:
    check(Inflector.of_treebank(sentences).forms(*question))


@given(asked)
@settings(max_examples=60)
def test_there_is_always_a_form_in_a_real_paradigm(question: Asked) -> None:
    word, tag, feats = question
    for known_tag in (tag, "VBD", "NNS"):
        for known in (feats, "Tense=Past", "Number=Plur"):
            check(TOY.forms(word, known_tag, known))


@pytest.mark.parametrize("word", ODD)
def test_odd_lemmas_are_learned(word: str) -> None:
    inflector = Inflector.of_treebank(
        [of_rows([("x", "", "X", ""), (word + "s", word, "N", "A=1")])]
    )
    expected = neutral_forms(of_rows([("x", "", "X", ""), (word + "s", word, "N", "A=1")]))[1]
    assert texts(inflector.forms(word, "N", "A=1")) == [expected]
    for tag in (None, "N", "V"):
        for feats in (None, "", "A=1", "A=2"):
            check(inflector.forms(word, tag, feats))


def test_an_empty_treebank_leaves_lemmas_as_they_are() -> None:
    assert learned().forms("wug", "NNS", "Number=Plur") == (Form("wug", 0.0),)
    assert Inflector.of_treebank([]).forms("Wug", None, None) == (Form("Wug", 0.0),)


# Arrays and determinism


def stored(inflector: Inflector) -> bytes:
    return inflector.to_arrays()[SECTION].tobytes()


@given(treebank.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))))
@settings(max_examples=30)
def test_the_order_of_sentences_does_not_matter(
    orders: tuple[list[Sentence], list[Sentence]],
) -> None:
    one, other = map(Inflector.of_treebank, orders)
    assert one.lexicon == other.lexicon
    assert stored(one) == stored(other)


@given(treebank, st.lists(asked, max_size=4))
@settings(max_examples=30)
def test_the_same_data_gives_the_same_forms(
    sentences: list[Sentence], questions: list[Asked]
) -> None:
    """Whatever was asked before."""
    one, other = Inflector.of_treebank(sentences), Inflector.of_treebank(sentences)
    found = [one.forms(*question) for question in questions]
    assert [other.forms(*question) for question in reversed(questions)] == found[::-1]


@given(treebank, st.lists(asked, max_size=4))
@settings(max_examples=60)
def test_arrays_give_back_the_same_inflector(
    sentences: list[Sentence], questions: list[Asked]
) -> None:
    inflector = Inflector.of_treebank(sentences)
    again = Inflector.from_arrays(inflector.to_arrays())
    assert again.lexicon == inflector.lexicon
    assert stored(again) == stored(inflector)
    for question in questions:
        assert again.forms(*question) == inflector.forms(*question)


def test_arrays_give_back_rules_and_paradigms() -> None:
    again = Inflector.from_arrays(TOY.to_arrays())
    for word in ("go", "talk", "Talk", "spy", "try", "字"):
        for tag in (None, "VB", "VBD", "NNS", "UNSEEN"):
            for feats in (None, "", "Tense=Past", "Number=Plur", "A=1"):
                assert again.forms(word, tag, feats) == TOY.forms(word, tag, feats)


def test_an_array_is_of_bytes() -> None:
    arrays = TOY.to_arrays()
    assert list(arrays) == [SECTION]
    assert arrays[SECTION].dtype == np.uint8
    assert arrays[SECTION].ndim == 1


def test_the_language_is_told_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    Dictionary(monkeypatch, VBD=["fnord"])
    arrays = TOY.to_arrays()
    assert texts(Inflector.from_arrays(arrays).forms("talk", "VBD", None)) == ["talked"]
    english = Inflector.from_arrays(arrays, english=True)
    assert texts(english.forms("talk", "VBD", None)) == ["fnord"]


def packed(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(zlib.compress(text.encode()), np.uint8)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "1\nN\t\nwug",
        "1\nN\t\nwug\t=wugs\t0",
        "1\nN\t\nwug\t=wugs\t0\t1\t1",
        "1\nN\t\nwug\t=wugs\t1\t1",
        "1\nN\t\nwug\t=wugs\tx\t1",
        "1\nN\t\nwug\t=wugs\t0\tx",
        "1\nN\nwug\t=wugs\t0\t1",
        "1\nN\t\nwug\twugs\t0\t1",
        "1\nN\t\nwug\t[]\t0\t1",
        '1\nN\t\nwug\t["plog","plogs"]\t0\t1',
        '1\nN\t\nwug\t[3,0,["",""],["",""]]\t0\t1',
        "1\nN\t\nwug\t=wugs\t0\t1\n",
        "0\nwug\t=wugs\t0\t1",
        "1\nN\t\nwug\t=wug\t0\t0",
        "1\nN\t\nwug\t=wug\t0\t-2",
        "1\nN\t\nwug\t=\t0\t1",
        '1\nN\t\nwug\t["wug",""]\t0\t1',
        "1\nN\t\nwug\t=wug\t-1\t1",
        "1\nN\t\n\t=wug\t0\t1",
        "5\nN\t",
        f"1\nN\t\nwug\t{'[' * 100_000}\t0\t1",
    ],
)
def test_damaged_lines(text: str) -> None:
    with pytest.raises(ModelError, match="inflection is damaged"):
        assert Inflector.from_arrays({SECTION: packed(text)}).lexicon


def test_good_lines() -> None:
    """As those of the damaged ones would have to be."""
    lines = '1\nN\t\nwug\t[0,0,["",""],["","s"]]\t0\t2\n\t=wugen\t0\t1'
    inflector = Inflector.from_arrays({SECTION: packed(lines)})
    assert texts(inflector.forms("wug", "N", "")) == ["wugs", "wugen"]


def test_damaged_sections() -> None:
    array = TOY.to_arrays()[SECTION]
    not_text = np.frombuffer(zlib.compress(b"\xff\xfe"), np.uint8)
    for damaged in (array[:-5], array[5:], array[:0], np.zeros(9, np.int64), not_text):
        with pytest.raises(ModelError, match="inflection is damaged"):
            assert Inflector.from_arrays({SECTION: damaged}).lexicon
    with pytest.raises(ModelError, match="inflection is damaged"):
        Inflector.from_arrays({})


@given(st.integers(0, len(stored(TOY)) - 1), st.integers(1, 255))
@settings(max_examples=30)
def test_a_byte_that_is_wrong_is_noticed(place: int, change: int) -> None:
    """Or does no harm: the checksum does not cover the first two."""
    array = TOY.to_arrays()[SECTION].copy()
    array[place] ^= change
    try:
        again = Inflector.from_arrays({SECTION: array})
        assert again.lexicon
    except ModelError:
        return
    assert place < 2
    assert again.lexicon == TOY.lexicon


# What is easily got wrong


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


def test_the_lemma_itself_comes_first_of_a_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = SimpleNamespace(
        getAllInflections=lambda lemma, upos: {"NNS": ("wugs",), "NN": ("wug",), "VBD": ("wugged",)}
    )
    monkeypatch.setattr(inflection, "find_spec", lambda name: True)
    monkeypatch.setattr(inflection, "import_module", lambda name: dictionary)
    inflector = Inflector.of_treebank([of_rows([("a", "a", "X", "")])], english=True)
    assert texts(inflector.forms("wug", None, None)) == ["wug", "wugs", "wugged"]
