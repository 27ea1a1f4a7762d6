"""The vocabulary: what it counts, what it proposes, and that a model file gives it back."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.models import make_scorer
from toys.probes import beam_search, decode_actions
from toys.strategies import trees

from syntagma.linear._search import LinearSearch
from syntagma.problem.problem import Problem
from syntagma.problem.word import shape, shape_and_suffix
from syntagma.results.linearization import violations
from syntagma.transition.encoding import encode
from syntagma.transition.training import MAX_LABELS, MAX_TAGS, learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence

ODD_FORMS = (
    "🦊",
    "👩‍🍳",
    "ספינה",
    "سفينة",
    "a\x07b",
    "a\u2028b",
    "a\x85b",
    "New York",
    "1990s",
    "…",
    "naïve",
)
# Any form that a problem accepts: no tab, no line end, spaces only one by one between words.
FORMS = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n"), min_size=1)
    .map(lambda text: " ".join(part for part in text.split(" ") if part))
    .filter(lambda text: bool(text) and not text.isspace())
)
TAGS = ("NN", "VB", "IN", "🏷")
LABELS = ("det", "obj", "nmod:poss", "ספ")
# A form seen once, one seen twice, and an arc.
SEED = Sentence(("two", "two", "one"), ("CD", "CD", "NN"), (3, 3, 0), ("nummod", "nummod", "root"))


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    heads = draw(trees(max_size=6))
    forms = [draw(st.one_of(st.sampled_from(ODD_FORMS), FORMS)) for _ in heads]
    tags = [draw(st.sampled_from(TAGS)) for _ in heads]
    deprels = [draw(st.sampled_from(LABELS)) if head else "root" for head in heads]
    return Sentence(tuple(forms), tuple(tags), tuple(heads), tuple(deprels))


def proposals(vocabulary: Vocabulary, side: int, head: int, dependent: int) -> list[str]:
    """The proposed labels; an unknown one would be out of range."""
    start, count = vocabulary.label_index[side, head, dependent]
    return [vocabulary.labels[label] for label in vocabulary.label_pool[start : start + count]]


def pairs(*arcs: tuple[str, str, str]) -> list[Sentence]:
    """Two-word sentences: tag of the dependent, tag of the head after it, label."""
    return [
        Sentence(("x", "y"), (tag, head_tag), (2, 0), (label, "root"))
        for tag, head_tag, label in arcs
    ]


@pytest.mark.slow
@given(st.lists(sentences(), max_size=5))
@settings(deadline=None)
def test_arrays_give_the_same_vocabulary_back(treebank: list[Sentence]) -> None:
    vocabulary = learn_vocabulary([SEED, *treebank])
    again = Vocabulary.from_arrays(vocabulary.to_arrays())
    assert again.forms == vocabulary.forms
    assert (again.tags, again.labels) == (vocabulary.tags, vocabulary.labels)
    assert again.tag_numbers == vocabulary.tag_numbers
    assert again.label_numbers == vocabulary.label_numbers
    assert again.form_tags == vocabulary.form_tags
    assert again.open_tags == vocabulary.open_tags
    assert again.label_index.tolist() == vocabulary.label_index.tolist()
    assert again.label_pool.tolist() == vocabulary.label_pool.tolist()


@pytest.mark.slow
@given(st.lists(sentences(), max_size=5), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_the_sentences_has_no_influence(treebank: list[Sentence], rng: Random) -> None:
    shuffled = [SEED, *treebank]
    rng.shuffle(shuffled)
    one, other = (learn_vocabulary(each) for each in ([SEED, *treebank], shuffled))
    assert one.forms == other.forms
    assert one.form_tags == other.form_tags
    assert one.open_tags == other.open_tags
    assert one.label_index.tolist() == other.label_index.tolist()
    assert one.label_pool.tolist() == other.label_pool.tolist()


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param(Sentence(("a", "a"), ("X", "X"), (0, 1), ("root", "l")), id="no rare form"),
        pytest.param(Sentence(("a", "b"), ("X", "X"), (0, 1), ("root", "l")), id="rare forms only"),
        pytest.param(Sentence(("a",), ("X",), (0,), ("root",)), id="no label"),
    ],
)
def test_arrays_give_the_smallest_vocabularies_back(sentence: Sentence) -> None:
    vocabulary = learn_vocabulary([sentence])
    again = Vocabulary.from_arrays(vocabulary.to_arrays())
    assert (again.forms, again.tags) == (vocabulary.forms, vocabulary.tags)
    assert (again.labels, again.open_tags) == (vocabulary.labels, vocabulary.open_tags)


@pytest.mark.slow
@given(st.lists(sentences(), max_size=5))
@settings(deadline=None)
def test_only_forms_seen_twice_have_a_number(treebank: list[Sentence]) -> None:
    vocabulary = learn_vocabulary([SEED, *treebank])
    counts = Counter(form for sentence in [SEED, *treebank] for form in sentence.forms)
    assert sorted(vocabulary.forms) == sorted(form for form in counts if counts[form] > 1)
    assert sorted(vocabulary.forms.values()) == list(range(1, len(vocabulary.forms) + 1))


@pytest.mark.slow
@given(st.lists(sentences(), max_size=5), FORMS)
@settings(deadline=None)
def test_every_form_has_tags_to_try(treebank: list[Sentence], unseen: str) -> None:
    vocabulary = learn_vocabulary([SEED, *treebank])
    for form in (*vocabulary.form_tags, unseen):
        for tags in (vocabulary.tags_of(form), vocabulary.tags_of(form, as_unseen=True)):
            assert 1 <= len(tags) == len(set(tags)) <= MAX_TAGS
            assert all(0 <= tag < len(vocabulary.tags) for tag in tags)


@pytest.mark.slow
@given(st.lists(sentences(), max_size=5))
@settings(deadline=None)
def test_every_pair_of_tags_has_labels_to_try(treebank: list[Sentence]) -> None:
    """Also a pair never seen, and with the tag that stands for unknown ones."""
    vocabulary = learn_vocabulary([SEED, *treebank])
    size = len(vocabulary.tags) + 1
    assert vocabulary.label_index.shape == (2, size, size, 2)
    for side in range(2):
        for head in range(size):
            for dependent in range(size):
                labels = proposals(vocabulary, side, head, dependent)
                assert 1 <= len(labels) == len(set(labels)) <= MAX_LABELS


def test_labels_are_proposed_by_side_and_pair_then_by_dependent_then_at_all() -> None:
    left = pairs(("DT", "NN", "det"), ("DT", "NN", "det"), ("DT", "VB", "obj"), ("NN", "VB", "obj"))
    right = Sentence(("y", "x"), ("NN", "DT"), (0, 1), ("root", "appos"))
    vocabulary = learn_vocabulary([*left, right])
    dt, nn, vb = (vocabulary.tag_numbers[tag] for tag in ("DT", "NN", "VB"))
    unknown = len(vocabulary.tags)
    assert proposals(vocabulary, 0, nn, dt) == ["det"]
    assert proposals(vocabulary, 0, vb, dt) == ["obj"]
    assert proposals(vocabulary, 1, nn, dt) == ["appos"]
    assert proposals(vocabulary, 1, vb, dt) == ["det", "appos", "obj"]
    assert proposals(vocabulary, 0, unknown, nn) == ["obj"]
    assert proposals(vocabulary, 0, nn, unknown) == ["det", "obj", "appos"]


def test_at_most_four_labels_are_proposed_and_no_negligible_one() -> None:
    counts = {"det": 60, "obj": 30, "obl": 8, "orphan": 1}
    arcs = [("DT", "NN", label) for label, count in counts.items() for _ in range(count)]
    vocabulary = learn_vocabulary(pairs(*arcs))
    dt, nn = vocabulary.tag_numbers["DT"], vocabulary.tag_numbers["NN"]
    assert proposals(vocabulary, 0, nn, dt) == ["det", "obj", "obl"]
    arcs = [("DT", "NN", label) for label in ("e", "d", "c", "b", "a")]
    assert proposals(learn_vocabulary(pairs(*arcs)), 0, nn, dt) == ["a", "b", "c", "d"]


def test_some_label_is_proposed_where_each_of_many_has_a_negligible_share() -> None:
    vocabulary = learn_vocabulary(pairs(*[("X", "X", f"l{i:02}") for i in range(60)]))
    assert proposals(vocabulary, 0, 0, 0) == ["l00"]
    encoding = encode(Problem.of(["x", "y"]), vocabulary)
    scorer = make_scorer("l15", vocabulary)
    [(score, actions)] = beam_search(LinearSearch(encoding.task, 4, scorer))
    assert violations(decode_actions(encoding, vocabulary, score, actions)) == []


def tagged(*words: str) -> Sentence:
    """`form/tag` words, all depending on the first."""
    forms, tags = zip(*(word.split("/") for word in words), strict=True)
    heads = (0, *(1 for _ in words[1:]))
    return Sentence(forms, tags, heads, ("root", *("dep" for _ in words[1:])))


def test_tags_of_seen_rare_and_unseen_forms() -> None:
    vocabulary = learn_vocabulary(
        [
            tagged("saw/VBD", "saw/VBD", "saw/NN", "the/DT", "the/DT"),
            tagged("fox/NN", "boat/NN", "Anna/NNP", "1990s/CD", "ran/VBD"),
        ]
    )

    def tags_of(form: str, *, as_unseen: bool = False) -> list[str]:
        return [vocabulary.tags[tag] for tag in vocabulary.tags_of(form, as_unseen=as_unseen)]

    assert tags_of("saw") == ["VBD", "NN"]
    assert tags_of("the") == ["DT"]
    assert tags_of("Anna") == ["NNP"]
    assert tags_of("fox") == ["NN"]
    # Seen once, in training: as if it were unseen, so by the forms of its shape seen once.
    assert tags_of("fox", as_unseen=True) == ["NN", "VBD"]
    assert tags_of("pear") == ["NN", "VBD"]
    assert tags_of("Berta") == ["NNP"]
    assert tags_of("20s") == ["CD"]
    # A shape never seen: all tags of forms seen once, and never a closed class such as DT.
    assert tags_of("🦊") == ["NN", "CD", "NNP", "VBD"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        *[("fox", "x"), ("Fox", "Xx"), ("NATO", "X"), ("McDonald", "XxXx"), ("1990s", "dx")],
        *[("3.14", "d.d"), ("...", "."), ("e-mail", "x-x"), ("🦊🦊", "🦊"), ("ספינה", "x")],
        *[("New York", "Xx Xx"), ("a\x07b", "x\x07x"), ("", "")],
    ],
)
def test_shape(form: str, expected: str) -> None:
    assert shape(form) == expected


@given(FORMS)
def test_shapes_have_no_runs_and_an_end(form: str) -> None:
    found = shape(form)
    assert 1 <= len(found) <= 8
    assert all(a != b for a, b in pairwise(found))
    assert found == shape("".join(2 * character for character in form))


def test_numbers_of_shape_and_suffix_are_told_apart_and_fit_the_core() -> None:
    assert shape_and_suffix("walking") == shape_and_suffix("singing")
    assert shape_and_suffix("walking")[1] == shape_and_suffix("WALKING")[1]
    assert shape_and_suffix("walking")[0] != shape_and_suffix("WALKING")[0]
    assert shape_and_suffix("walking")[1] != shape_and_suffix("walked")[1]
    # The suffix `x` is not the shape `x`.
    assert shape_and_suffix("x")[0] != shape_and_suffix("x")[1]
    assert all(0 < number < 2**31 for form in ODD_FORMS for number in shape_and_suffix(form))


def test_a_vocabulary_without_forms_keeps_the_usual_tags() -> None:
    """Those of unseen words, by suffix: networks propose them where no tag is given."""
    rare = Sentence(("walked", "home"), ("VBD", "RB"), (0, 1), ("root", "advmod"))
    vocabulary = learn_vocabulary([SEED, rare])
    without = vocabulary.without_forms()
    assert vocabulary.open_tags
    assert without.open_tags == vocabulary.open_tags
    assert without.tags_of("walked") == vocabulary.tags_of("walked", as_unseen=True)
