"""The shared task's scores: by hand, against slow plain ones, against NLTK; its output format."""

from __future__ import annotations

import functools
import io
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syntagma.evaluation.shared_task import (
    SharedTaskScores,
    shared_task_block,
    shared_task_scores,
)

Corpus = list[tuple[str, str]]


def score(corpus: Corpus) -> SharedTaskScores:
    return shared_task_scores([h for h, _ in corpus], [r for _, r in corpus])


# A slow reference: lists instead of counters, formulas as they stand in the papers.


def grams(words: list[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + order]) for i in range(len(words) - order + 1)]


def matched(hypothesis: list[str], reference: list[str], order: int) -> list[tuple[str, ...]]:
    """The n-grams of the hypothesis, each struck off the reference's when it is found there."""
    left = grams(reference, order)
    found = []
    for gram in grams(hypothesis, order):
        if gram in left:
            left.remove(gram)
            found.append(gram)
    return found


def slow_bleu(pairs: list[tuple[list[str], list[str]]]) -> float:
    product = 1.0
    for order in range(1, 5):
        right = sum(len(matched(h, r, order)) for h, r in pairs)
        every = sum(len(grams(h, order)) or 1 for h, _ in pairs)
        product *= right / every if order == 1 else (right + 1) / (every + 1)
    if not product:
        return 0.0
    h_size, r_size = sum(len(h) for h, _ in pairs), sum(len(r) for _, r in pairs)
    penalty = 1.0 if h_size > r_size else math.exp(1 - r_size / h_size)
    return float(100 * penalty * product**0.25)


def slow_nist(pairs: list[tuple[list[str], list[str]]]) -> float:
    h_size, r_size = sum(len(h) for h, _ in pairs), sum(len(r) for _, r in pairs)
    total = 0.0
    for order in range(1, 5):
        longer = [gram for _, r in pairs for gram in grams(r, order)]
        shorter = [gram for _, r in pairs for gram in grams(r, order - 1)]
        every = sum(len(grams(h, order)) for h, _ in pairs)
        for h, r in pairs:
            for gram in matched(h, r, order):
                before = r_size if order == 1 else shorter.count(gram[:-1])
                total += math.log(before / longer.count(gram), 2) / every
    if not total:
        return 0.0
    beta = math.log(0.5) / math.log(1.5) ** 2
    return total * math.exp(beta * math.log(min(h_size / r_size, 1)) ** 2)


def slow_edits(a: str, b: str) -> int:
    @functools.cache
    def edits(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        change = edits(i - 1, j - 1) + (a[i - 1] != b[j - 1])
        return min(change, edits(i - 1, j) + 1, edits(i, j - 1) + 1)

    return edits(len(a), len(b))


def slow_dist(pairs: list[tuple[list[str], list[str]]]) -> float:
    texts = [(" ".join(h), " ".join(r)) for h, r in pairs]
    longest = sum(max(len(h), len(r)) for h, r in texts)
    return 100 * (1 - sum(slow_edits(h, r) for h, r in texts) / longest) if longest else 100


def slow_scores(corpus: Corpus) -> SharedTaskScores:
    pairs = [(h.lower().split(), r.lower().split()) for h, r in corpus]
    return SharedTaskScores(slow_bleu(pairs), slow_nist(pairs), slow_dist(pairs), len(pairs))


def assert_close(one: SharedTaskScores, other: SharedTaskScores) -> None:
    assert one.sentences == other.sentences
    for name in ("bleu", "nist", "dist"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9, abs=1e-9), name


TEXTS = st.lists(st.sampled_from(["a", "A", "b", "ab", "cab", "É", "."]), max_size=8).map(" ".join)
CORPORA = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5)


@pytest.mark.slow
@given(CORPORA)
def test_scores_are_those_of_the_slow_reference(corpus: Corpus) -> None:
    assert_close(score(corpus), slow_scores(corpus))


def random_corpus(seed: int, sentences: int, longest: int = 25) -> Corpus:
    """Hypotheses are their references with words moved, lost, doubled and replaced."""
    rng = random.Random(seed)
    vocabulary = ["".join(rng.choices("abcdeÄß", k=rng.randint(1, 8))) for _ in range(60)]
    vocabulary += [word.title() for word in vocabulary]
    corpus = []
    for _ in range(sentences):
        reference = rng.choices(vocabulary, k=rng.randint(1, longest))
        hypothesis = list(reference)
        for _ in range(rng.randint(0, 4)):
            start, end = sorted(rng.choices(range(len(hypothesis) + 1), k=2))
            moved = hypothesis[start:end]
            del hypothesis[start:end]
            position = rng.randint(0, len(hypothesis))
            hypothesis[position:position] = rng.choice([moved, moved, moved, moved * 2, []])
        hypothesis = [w if rng.random() < 0.95 else rng.choice(vocabulary) for w in hypothesis]
        corpus.append((" ".join(hypothesis), " ".join(reference)))
    return corpus


@pytest.mark.parametrize("seed", range(5))
def test_larger_corpora_against_the_slow_reference(seed: int) -> None:
    corpus = random_corpus(seed, sentences=12, longest=16)
    assert_close(score(corpus), slow_scores(corpus))


# NLTK


@pytest.fixture(scope="module")
def nltk() -> Any:
    return pytest.importorskip("nltk", reason="nltk, which the shared task uses, is not installed")


def nltk_scores(nltk: Any, corpus: Corpus) -> SharedTaskScores:
    hypotheses = [h.lower().split() for h, _ in corpus]
    references = [[r.lower().split()] for _, r in corpus]
    bleu, nist = nltk.translate.bleu_score, nltk.translate.nist_score
    smoothing = bleu.SmoothingFunction().method2
    edits = longest = 0
    for hypothesis, (reference,) in zip(hypotheses, references, strict=True):
        one, other = " ".join(hypothesis), " ".join(reference)
        edits += nltk.edit_distance(one, other)
        longest += max(len(one), len(other))
    return SharedTaskScores(
        bleu=100 * bleu.corpus_bleu(references, hypotheses, smoothing_function=smoothing),
        nist=nist.corpus_nist(references, hypotheses, n=4),
        dist=100 * (1 - edits / longest),
        sentences=len(corpus),
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_scores_are_those_of_nltk(nltk: Any, seed: int) -> None:
    corpus = random_corpus(100 + seed, sentences=4 + 2 * seed, longest=[5, 12, 25][seed % 3])
    corpus.append(("a b c d", "a c"))  # NLTK needs one hypothesis of four words
    assert_close(score(corpus), nltk_scores(nltk, corpus))


@pytest.mark.parametrize(
    "more",
    [
        [],
        [("", "a b")],
        [("a b", "")],
        [("", "")],
        [("a", "a"), ("b", "c")],
        [("a", "a b c d e f g h i j k l m n o p")],
        [("x y z", "u v w"), ("x y z", "z y x")],
    ],
)
@pytest.mark.parametrize("first", [("a b c d", "a b c d"), ("a b c d e", "b a c d")])
def test_odd_sentences_score_as_in_nltk(nltk: Any, first: tuple[str, str], more: Corpus) -> None:
    assert_close(score([first, *more]), nltk_scores(nltk, [first, *more]))


# By hand


def test_bleu_by_hand() -> None:
    # Of 6 words 5 are right, of 5 bigrams 3, of 4 trigrams 2, of 3 4-grams 1.
    scores = score([("the cat sat on a mat", "the cat sat on the mat")])
    assert scores.bleu == pytest.approx(
        100 * (5 / 6 * (3 + 1) / (5 + 1) * (2 + 1) / (4 + 1) * (1 + 1) / (3 + 1)) ** 0.25
    )
    # A word is right as often as the reference has it; 7 words against 2, no bigram.
    scores = score([("the the the the the the the", "the cat")])
    assert scores.bleu == pytest.approx(100 * (1 / 7 * 1 / 7 * 1 / 6 * 1 / 5) ** 0.25)


def test_brevity_penalty_by_hand() -> None:
    whole = "a b c d e f g h"
    assert score([("a b c d", whole)]).bleu == pytest.approx(100 * math.exp(1 - 8 / 4))
    # Lengths are those of the corpus: one long hypothesis makes up for a short one.
    assert score([("a b c d", whole), (whole + " a b c d", whole)]).bleu == pytest.approx(
        100 * ((12 / 16) * (10 + 1) / (14 + 1) * (8 + 1) / (12 + 1) * (6 + 1) / (10 + 1)) ** 0.25
    )


def test_bleu_of_short_sentences_by_hand() -> None:
    """A sentence too short for an n-gram has a wrong one, even if it is right."""
    assert score([("yes", "yes")]).bleu == pytest.approx(100 * (1 * (1 / 2) ** 3) ** 0.25)
    assert score([("so it is", "so it is")]).bleu == pytest.approx(100 * (1 / 2) ** 0.25)
    assert score([("a b c d", "a b c d"), ("yes", "yes")]).bleu == pytest.approx(
        100 * (1 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25
    )


def test_nist_by_hand() -> None:
    # Each of four words says 2 bits, and what follows it nothing more.
    assert score([("a b c d", "a b c d")]).nist == pytest.approx(2)
    assert score([("d c b a", "a b c d")]).nist == pytest.approx(2)
    # "a" is half of the words: 1 bit; "b" and "c" 2 bits each; what follows "a" 1 bit more.
    assert score([("a b a c", "a b a c")]).nist == pytest.approx((1 + 2 + 1 + 2) / 4 + 2 / 3)
    assert score([("a b x x", "a b a c")]).nist == pytest.approx((1 + 2) / 4 + 1 / 3)
    # Information is that of all references, matches are those of the own one.
    assert score([("a a", "a b"), ("c d", "a b")]).nist == pytest.approx(1 / 4)


def test_nist_length_penalty_by_hand() -> None:
    # Two thirds of the words halve the score; log2 6 is the information of each word.
    assert score([("a b c d", "a b c d e f")]).nist == pytest.approx(math.log2(6) / 2)
    assert score([("a b c d e f x x", "a b c d e f")]).nist == pytest.approx(math.log2(6) * 6 / 8)


def test_dist_by_hand() -> None:
    assert score([("kitten", "sitting")]).dist == pytest.approx(100 * (1 - 3 / 7))
    assert score([("ab", "ba")]).dist == 0  # no transpositions
    # Spaces are characters: "b a" and "a b" differ in two of three.
    assert score([("b a", "a b")]).dist == pytest.approx(100 / 3)
    # Sums over the corpus, not means of sentences: 3 edits in 7 + 1 characters.
    assert score([("kitten", "sitting"), ("a", "a")]).dist == pytest.approx(100 * (1 - 3 / 8))


@pytest.mark.parametrize(
    ("corpus", "expected"),
    [
        ([("", "")], (0, 0, 100)),
        ([("", ""), (" \t", "\n")], (0, 0, 100)),
        ([("", "a b c d e")], (0, 0, 0)),
        ([("a b c d e", "")], (0, 0, 0)),
        ([("x", "a")], (0, 0, 0)),
        ([("a", "a")], (100 * 0.5**0.75, 0, 100)),  # the only word there is says 0 bits
        ([("a b", "a b")], (100 * 0.5**0.5, 1, 100)),
        ([("a b", "a b"), ("", "")], (100 * (2 / 3 * 2 / 3 * 1 / 3 * 1 / 3) ** 0.25, 1, 100)),
    ],
)
def test_next_to_nothing(corpus: Corpus, expected: tuple[float, float, float]) -> None:
    scores = score(corpus)
    assert (scores.bleu, scores.nist, scores.dist) == pytest.approx(expected)
    assert_close(scores, slow_scores(corpus))


def test_bad_corpora() -> None:
    with pytest.raises(ValueError, match="2 hypotheses, but 3 references"):
        shared_task_scores(["a", "b"], ["a", "b", "c"])
    with pytest.raises(ValueError, match="no sentences"):
        shared_task_scores([], [])


def test_signature() -> None:
    assert score([("a", "b")] * 2077).signature == (
        "SR19|sentences:2077|lower-cased|tok:whitespace|bleu:4,smooth:method2|nist:4|dist:characters"
    )


# Laws


@pytest.mark.slow
@given(CORPORA)
def test_scores_have_bounds(corpus: Corpus) -> None:
    scores = score(corpus)
    assert 0 <= scores.bleu <= 100 + 1e-9
    assert scores.nist >= 0
    assert 0 <= scores.dist <= 100


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_references_are_right(texts: list[str]) -> None:
    scores = shared_task_scores(texts, texts)
    assert scores.dist == 100
    if all(len(text.split()) >= 4 for text in texts):
        assert scores.bleu == 100
    else:
        assert scores.bleu < 100


@pytest.mark.slow
@given(CORPORA, st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_matter(corpus: Corpus, rng: random.Random) -> None:
    shuffled = list(corpus)
    rng.shuffle(shuffled)
    assert score(shuffled) == score(corpus)


@pytest.mark.slow
@given(CORPORA)
def test_case_and_amount_of_white_space_do_not_matter(corpus: Corpus) -> None:
    loud = [(h.upper(), f"\t{r.lower()} ".replace(" ", "\u00a0 \n")) for h, r in corpus]
    assert score(loud) == score(corpus)


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_dist_is_symmetric(one: str, other: str) -> None:
    scores = score([(one, other)])
    assert scores.dist == score([(other, one)]).dist
    longest = max(len(one), len(other), 1)
    assert scores.dist == pytest.approx(100 * (1 - slow_edits(one, other) / longest))


def test_dist_of_long_texts() -> None:
    """Longer than the words of the machine."""
    rng = random.Random(7)
    one, other = ("".join(rng.choices("abcd", k=size)) for size in (150, 220))
    assert score([(one, other)]).dist == pytest.approx(100 * (1 - slow_edits(one, other) / 220))


# Files


def test_block() -> None:
    assert shared_task_block(3, "He left .") == "# sent_id = 3\n# text = He left .\n\n"
    assert shared_task_block(4, "") == "# sent_id = 4\n# text =\n\n"
    # A line break would end the text.
    assert shared_task_block(5, "a\nb\u2028c\r\nd") == "# sent_id = 5\n# text = a b c d\n\n"


@pytest.mark.slow
@given(st.lists(TEXTS | st.text(), min_size=1))
def test_blocks_are_read_back(texts: list[str]) -> None:
    written = "".join(shared_task_block(number, text) for number, text in enumerate(texts, 1))
    read = [line[8:] for line in io.StringIO(written) if line.startswith("# text =")]
    assert [text.split() for text in read] == [text.split() for text in texts]
