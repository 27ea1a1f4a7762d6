"""Tokenisation: what is split and what is not, that nothing is lost, and agreement with EWT."""

# ruff: noqa: RUF001, the characters that look alike are what this is about

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import pytest
import tokenization as benchmark
from hypothesis import given
from hypothesis import strategies as st
from shared_data import EWT_DEV

from syntagma.formats import tokenization
from syntagma.formats.tokenization import normalize, sentences, words

# A sentence as it is printed, and its words.
SENTENCES = """
    Don't they know that she ca n't, won't and shouldn't've?
    Do n't they know that she ca n't , wo n't and should n't 've ?
    We'll see what he'd say, I'm sure they're late and you've lost.
    We 'll see what he 'd say , I 'm sure they 're late and you 've lost .
    The cook's boat is older than the foxes ' den.
    The cook 's boat is older than the foxes ' den .
    Isn't O'Hara's watch at five o'clock?
    Is n't O'Hara 's watch at five o'clock ?
    I can not go, but you're gon na sing.
    I can not go , but you 're gon na sing .
    Well-known, non-profit and re-elected ex-mayors met a co-author's sister-in-law.
    Well - known , non-profit and re-elected ex-mayors met a co-author 's sister - in - law .
    Pay $5 or US$1,000.50 or £3 by 10:30, which is 5% less.
    Pay $ 5 or US$ 1,000.50 or £ 3 by 10:30 , which is 5 % less .
    Mr. Fox, Dr. J. R. Hen and the U.S. envoy, e.g., left at 5 p.m. today.
    Mr. Fox , Dr. J. R. Hen and the U.S. envoy , e.g. , left at 5 p.m. today .
    Foxes, hens, etc.
    Foxes , hens , etc .
    He lives in the U.S.
    He lives in the U.S .
    She ran 35 mm of film at 9 am in the 1990s, the 20th time since '98.
    She ran 35 mm of film at 9 am in the 1990s , the 20th time since '98 .
    Write to ann@example.org or see http://example.org/a-b?c=d, please.
    Write to ann@example.org or see http://example.org/a-b?c=d , please .
    The site example.com has it... and/or not.
    The site example.com has it ... and / or not .
    Really?! Yes !!!
    Really ?! Yes !!!
    ( See p. 5 of [the] book; it is a joke :) )
    ( See p. 5 of [ the ] book ; it is a joke :) )
    On 9/11, and on 12/24/2001, 1/2 of AT&T called 800-555-0100.
    On 9/11 , and on 12/24/2001 , 1 / 2 of AT&T called 800-555-0100 .
    " Run, " he said, " or don't . "
    " Run , " he said , " or do n't . "
    Give 'em 'til ten.
    Give 'em 'til ten .
""".strip().splitlines()


@pytest.mark.parametrize(("text", "expected"), [*zip(SENTENCES[::2], SENTENCES[1::2], strict=True)])
def test_the_words_of_sentences(text: str, expected: str) -> None:
    assert words(text) == expected.split()
    assert words(expected) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("cannot", "can not"),
        ("CANNOT", "CAN not".upper()),
        ("dont", "do nt"),
        ("as was his wont", "as was his wont"),
        ("7:30PM", "7:30 PM"),
        ("$5m", "$ 5 m"),
        ("3.5m", "3.5 m"),
        ("1,000th", "1,000th"),
        ("the 80's", "the 80's"),
        ("6'2", "6 ' 2"),
        (".5", ".5"),
        ("etc...", "etc ..."),
        ("(e.g., pears)", "( e.g. , pears )"),
        ("fleur-de-lis", "fleur - de - lis"),
        ("#1", "# 1"),
        ("(http://example.org/)", "( http://example.org/ )"),
        ("a--b", "a -- b"),
        ("cafe\u0301", "cafe\u0301"),
        ("the cooks'", "the cooks '"),
        ('the "U.S."', 'the " U.S . "'),
    ],
)
def test_pieces(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“Don’t,” he said", '" Do n\'t , " he said'),
        ("‘Tis", "'Tis"),
        ("the fox’s den—a hole", "the fox 's den - a hole"),
        ("1914–1918", "1914 - 1918"),
        ("re—well", "re - well"),
        ("so…", "so ..."),
        ("Mr. D⸺ ran", "Mr. D -- ran"),
        ("non‑stop", "non-stop"),
        ("soft\u00adly\u2060", "softly"),
        ("\u200b", ""),
    ],
)
def test_quotes_and_dashes(text: str, expected: str) -> None:
    assert words(text) == expected.split()


# A slash marks the end of a sentence.
PARAGRAPHS = {
    "plain": "The cook ran. / She sang! / Why? / 5 boats sank.",
    "titles": "I saw Dr. Fox, Mrs. Hen and St. Bernard. / They ran.",
    "initials": "A. B. Cook met J. Fox. / Neither spoke.",
    "I": "She is older than I. / But so is he.",
    "acronyms": "He left the U.S. Senate at 5 p.m. Monday. / He was in the U.S. / It was cold.",
    "numbers": "See No. 5 and fig. 3. / No. / I will not.",
    "company": "Fox Inc. Hens fear it. / So do I.",
    "list": "1. Run. / 2. Hide.",
    "quotes": "“Run.” / “Where?” he asked. / “To sea!” cried Ann. / He ran.",
    "speaker": "“Who is it?” I asked. / “Ann!” Fox said. / “Oh!” / It was.",
    "brackets": "It sank. / (Nobody saw it.) / [We did.] / Then it rained.",
    "ellipsis": "Well… / She sang. / He was so ... old.",
    "dash": "It was he—Mr. Fox—who ran. / We hid.",
    "lower case": "the boat sank. / nobody saw it.",
    "exclamation": "Ah! what a fox!",
    "currency": "He paid. / $5 is little.",
    "no end": "The cook and the fox",
}


@pytest.mark.parametrize("name", PARAGRAPHS)
def test_sentences(name: str) -> None:
    expected = PARAGRAPHS[name].split(" / ")
    assert sentences(" ".join(expected)) == [words(sentence) for sentence in expected]


def test_nothing_is_no_sentence() -> None:
    assert sentences("") == sentences(" \n\t\u00a0") == sentences("\u200b \u2060") == []


def characters(text: str) -> str:
    return "".join(normalize(text).split())


# Arbitrary characters, and texts that look real.
PIECES = r"""
    a I x Mr Co etc U.S. p.m. . .. ... ! ? , : ; ' ’ " “ ” - -- — – / \ 's n't 'll 're dont cannot $
    % & @ # ( ) [ ] 5 35 1,000 10:30 9/11 mm www. http:// .com non re- é * _ + = < > | ` ^_^ :)
"""
TEXTS = st.one_of(
    st.text(st.characters()),
    st.lists(st.sampled_from([*PIECES.split(), *"    "])).map("".join),
)


@given(TEXTS)
def test_no_character_is_lost(text: str) -> None:
    assert "".join(words(text)) == characters(text)
    assert "".join(word for sentence in sentences(text) for word in sentence) == characters(text)


@given(TEXTS)
def test_no_word_is_empty_or_has_white_space(text: str) -> None:
    for sentence in [words(text), *sentences(text)]:
        assert all(word.split() == [word] for word in sentence)


@given(TEXTS)
def test_no_sentence_is_empty(text: str) -> None:
    assert all(sentences(text))


@pytest.mark.slow
@given(TEXTS)
def test_normalized_text_stays(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)
    assert words(normalize(text)) == words(text)


@given(TEXTS)
def test_words_stay_words(text: str) -> None:
    once = words(text)
    assert words(" ".join(once)) == once


# Separated by spaces; "_" stands for a space.
LONG = """
    a 1 . - ' ? _ — a. a- a' a's n't 1. 1' 12/ a@ a& a.com www. www.) re- ._A .)_( :'
    longer-than-the-patterns-look-ahead-in-a-word-with-many-hyphens.
"""


@pytest.mark.slow
@pytest.mark.parametrize("part", ["\0", "\ud800", *LONG.split()])
def test_time_does_not_explode(part: str) -> None:
    """Long runs of one thing: quadratic time would not terminate in reasonable time."""
    text = part.replace("_", " ") * (100_000 // len(part))
    assert "".join(word for sentence in sentences(text) for word in sentence) == characters(text)


def test_a_megabyte_of_one_character() -> None:
    text = "a" * 1_000_000
    assert sentences(text) == [words(text)] == [[text]]


def test_examples_in_docstrings() -> None:
    failed, tried = doctest.testmod(tokenization)
    assert tried >= 3
    assert failed == 0


TREEBANK = """\
# newdoc
# text = I don’t. I won't
1\tI\t_\t_\t_\t_\t_\t_\t_\t_
2-3\tdon’t\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\t_\t_\t_\t_\t_\t_\t_\t_
3\tn’t\t_\t_\t_\t_\t_\t_\t_\t_
4\t.\t_\t_\t_\t_\t_\t_\t_\t_
5\tI\t_\t_\t_\t_\t_\t_\t_\t_
6\twon't\t_\t_\t_\t_\t_\t_\t_\t_

# text = Go.
1\tGo\t_\t_\t_\t_\t_\t_\t_\t_
2\t!\t_\t_\t_\t_\t_\t_\t_\t_

# newpar
# text = Foxes ran.
1\tFoxes\t_\t_\t_\t_\t_\t_\t_\t_
2\tran\t_\t_\t_\t_\t_\t_\t_\t_
3\t.\t_\t_\t_\t_\t_\t_\t_\t_

"""


def test_the_benchmark_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    treebank, text = tmp_path / "a.conllu", tmp_path / "a.txt"
    treebank.write_text(TREEBANK, encoding="utf-8")
    text.write_text("A fox ran.\n", encoding="utf-8")
    figures = benchmark.measure(benchmark.read_sentences(treebank))
    assert figures.words == benchmark.Spans(gold=9, found=10, right=8)
    assert figures.sentences == benchmark.Spans(gold=3, found=3, right=1)
    assert (figures.compared, figures.exact, figures.incomparable) == (2, 1, 1)

    monkeypatch.setattr(sys, "argv", ["tokenization.py", str(treebank), "--text", str(text)])
    benchmark.main()
    printed = capsys.readouterr().out
    assert "words      precision 80.00%  recall 88.89%  F1 84.21%" in printed
    assert "a.txt: 4 words" in printed


@pytest.mark.skipif(not EWT_DEV.exists(), reason="UD English EWT is not in SYNTAGMA_DATA")
def test_the_english_web_treebank() -> None:
    figures = benchmark.measure(benchmark.read_sentences(EWT_DEV))
    assert figures.incomparable == 0
    assert figures.words.f1 > 0.992
    assert figures.sentences.f1 > 0.82
    assert figures.exact / figures.compared > 0.945
