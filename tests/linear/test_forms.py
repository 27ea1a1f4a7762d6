"""Linear scorers that choose forms: features and search against the slow references, and learning.

Without a choice of forms: test_features.py, test_perceptron.py. Whole realizations:
linearizer/test_realize.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from references.brute_force import random_problem
from references.features import Configuration, features
from references.transition import Action
from toys.models import make_scorer, random_weights, relist, rescored, toy_vocabulary
from toys.searches import tagged

from syntagma.linear._perceptron import DerivationWalk
from syntagma.linear.scorer import LinearScorer
from syntagma.linear.settings import LinearSettings
from syntagma.linear.templates import FEATURE_SETS, FORMS, FeatureSet, templates
from syntagma.linearizer.linearizer import load
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative, Word
from syntagma.training.train import train
from syntagma.transition._search import beam_search
from syntagma.transition.encoding import BOUNDS, Encoding, encode, form_arrays, share_interval
from syntagma.transition.vocabulary import Vocabulary

VOCABULARY = toy_vocabulary(sentences=20)


def draw_choices(rng: Random, problem: Problem, most: int = 3) -> list[tuple[Alternative, ...]]:
    """The form of each word and perhaps others, some of them unknown or phrases."""
    choices = []
    for word in problem.words:
        others = [f"w{rng.randrange(12)}", f"w{rng.randrange(12)}ed", f"the w{rng.randrange(12)}"]
        texts = list(dict.fromkeys([word.form, *rng.sample(others, rng.randrange(most))]))
        choices.append(tuple(Alternative(t, t.title(), -rng.uniform(0, 6)) for t in texts))
    return choices


def encode_choices(rng: Random, problem: Problem, most: int = 3) -> Encoding:
    choices = draw_choices(rng, problem, most)
    return encode(problem, VOCABULARY, alternatives=choices)


def configure(encoding: Encoding, vocabulary: Vocabulary) -> Configuration:
    assert encoding.choices is not None
    intervals = [
        [(each.text, share_interval(choice, i)) for i, each in enumerate(choice)]
        for choice in encoding.choices
    ]
    listed = relist(encoding.problem, encoding.order)
    return Configuration(listed, vocabulary, choices=intervals)


def walk(encoding: Encoding, scorer: LinearScorer) -> DerivationWalk:
    return DerivationWalk(encoding.task, scorer, form_arrays(encoding, VOCABULARY))


@pytest.mark.parametrize("feature_set", sorted(FEATURE_SETS))
def test_the_core_has_the_features_of_the_reference(feature_set: str) -> None:
    rng = Random(3)
    texts = templates(feature_set, forms=True).texts
    scorer = make_scorer(feature_set, VOCABULARY, forms=True)
    chosen = 0
    for _ in range(12):
        encoding = encode_choices(rng, random_problem(rng, 7))
        derivation = walk(encoding, scorer)
        configuration = configure(encoding, VOCABULARY)
        while not derivation.finished:
            legal = derivation.legal()
            for action in rng.sample(legal, min(len(legal), 4)):
                expected = features(configuration, action, texts, feature_set == "l15")
                assert sorted(derivation.features(action)) == sorted(expected), action
            taken = rng.choice(legal)
            chosen += taken[2] > len(VOCABULARY.tags)
            derivation.apply(taken)
            configuration.apply(taken)
    assert chosen > 10  # other forms than the first


def test_every_template_of_forms_fires() -> None:
    rng = Random(4)
    silent = {f"candidate: {' '.join(text.split())}" for text in FORMS.split(";")}
    assert silent <= set(templates("p16", forms=True).texts) - set(templates("p16").texts)
    scorer = make_scorer("p16", VOCABULARY, forms=True)
    for _ in range(30):
        encoding = encode_choices(rng, random_problem(rng, 4))
        configuration = configure(encoding, VOCABULARY)
        for action in walk(encoding, scorer).legal():
            silent -= {text for text in silent if features(configuration, action, [text], False)}
    assert not silent


def test_forms_have_the_tag_that_the_search_was_given() -> None:
    """Inflection may put a tag that the model knows in place of one that it does not."""
    tag = VOCABULARY.tags[1]
    choice = (Alternative("w1", "W1", -0.5), Alternative("w2", "W2", -1.5))
    encoding = encode(Problem.of([Word("w1", tag), Word("w1")]), VOCABULARY, None, [choice] * 2)
    given = encoding.order.index(0)
    posed = replace(encoding, problem=Problem.of([Word("w1", "unknown"), Word("w1")]))
    for each in (encoding, posed):
        arrays = form_arrays(each, VOCABULARY)
        assert arrays is not None
        starts, rows, tags = arrays
        found = [tags[row.tags_start : row.tags_start + row.tags_count] for row in rows]
        assert found[starts[given] : starts[given + 1]] == [[1], [1]]
        assert [*VOCABULARY.tags_of("w1")] in found


def test_without_back_off_unseen_forms_are_alike() -> None:
    choice = (Alternative("Unseen", "Unseen"), Alternative("a phrase", "A phrase"))
    for back_off in (True, False):
        vocabulary = Vocabulary.from_arrays(VOCABULARY.to_arrays(), back_off=back_off)
        arrays = form_arrays(
            encode(Problem.of(["Unseen"]), vocabulary, alternatives=[choice]), vocabulary
        )
        assert arrays is not None
        seen = {(row.form, row.shape, row.suffix) for row in arrays[1]}
        assert len(seen) == 2 if back_off else seen == {(0, 0, 0)}


def test_shares_fall_into_intervals() -> None:
    def intervals(*shares: float) -> list[int]:
        choice = [Alternative(str(share), "", share) for share in shares]
        return [share_interval(choice, i) for i in range(len(shares))]

    assert intervals(-4.0) == [0]
    assert intervals(0.0, -1.5, -99.0) == [1, 1 + 4, 1 + len(BOUNDS)]


def all_derivations(
    encoding: Encoding, scorer: LinearScorer, begun: tuple[Action, ...] = ()
) -> Iterator[tuple[Action, ...]]:
    derivation = walk(encoding, scorer)
    for action in begun:
        derivation.apply(action)
    if derivation.finished:
        yield begun
        return
    for action in derivation.legal():
        yield from all_derivations(encoding, scorer, (*begun, action))


def with_weights(rng: Random, encodings: list[Encoding]) -> LinearScorer:
    weights = random_weights(rng, make_scorer("p16", VOCABULARY, forms=True), encodings, walks=3)
    return make_scorer("p16", VOCABULARY, weights, forms=True)


@pytest.mark.parametrize("merging", [False, True])
def test_a_wide_beam_finds_the_best_order_and_forms(merging: bool) -> None:
    rng = Random(5)
    several = 0
    for _ in range(12):
        problem = tagged(random_problem(rng, 3))
        encoding = encode_choices(rng, problem, most=2)
        scorer = with_weights(rng, [encoding])
        [search] = scorer.searches([encoding], [1000], [None], merging=merging)
        [found] = beam_search(search, 1)
        derivations = list(all_derivations(encoding, scorer))
        best = max(rescored(walk(encoding, scorer), each) for each in derivations)
        assert found.score == best
        assert encoding.choices is not None
        several += any(found.forms)
        for number, form in zip(found.order, found.forms, strict=True):
            assert 0 <= form < len(encoding.choices[number])
            given = encoding.problem.words[encoding.order[number]].tag or ""
            assert found.tags[number] == VOCABULARY.tag_numbers.get(given, found.tags[number])
            assert found.tags[number] < len(VOCABULARY.tags)
    assert several > 3


def test_sentences_of_an_n_best_list_differ_in_words() -> None:
    rng = Random(6)
    problem = Problem(tuple(Word(f"w{i}", "NN") for i in range(4)))
    encoding = encode_choices(rng, problem)
    [search] = with_weights(rng, [encoding]).searches([encoding], [500], [None])
    choices = encoding.choices
    assert choices is not None
    found = beam_search(search, 30)
    sentences = [
        tuple(choices[w][f].text for w, f in zip(each.order, each.forms, strict=True))
        for each in found
    ]
    assert len(set(sentences)) == len(sentences) == 30
    assert sorted((each.score for each in found), reverse=True) == [each.score for each in found]


def test_one_form_each_is_no_choice() -> None:
    """With one form for each word, results are those of a search without a choice."""
    rng = Random(7)
    for _ in range(10):
        problem = random_problem(rng, 5)
        single = [(Alternative(word.form, word.form),) for word in problem.words]
        plain = encode(problem, VOCABULARY)
        chosen = encode(problem, VOCABULARY, alternatives=single)
        scorer = with_weights(rng, [chosen])
        [first], [second] = (
            beam_search(search, 1)
            for search in scorer.searches([plain, chosen], [8, 8], [None, None])
        )
        assert first == second


# ---- learning --------------------------------------------------------------------------------


def sentence(article: str, noun: str, number: int) -> str:
    rows = [
        (article.capitalize(), "a", "DT", "2", "det"),
        (noun, noun, "NN", "3", "nsubj"),
        ("fell", "fall", "VBD", "0", "root"),
    ]
    lines = [
        f"{i}\t{form}\t{lemma}\tX\t{tag}\t_\t{head}\t{label}\t_\t_"
        for i, (form, lemma, tag, head, label) in enumerate(rows, start=1)
    ]
    return "\n".join([f"# sent_id = {number}", *lines, "", ""])


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nouns = [("a", "cup"), ("an", "egg"), ("a", "box"), ("an", "owl")] * 8
    path = tmp_path_factory.mktemp("treebank") / "articles.conllu"
    path.write_text("".join(sentence(*pair, i) for i, pair in enumerate(nouns)))
    return path


@pytest.mark.parametrize("features", ["l15", "p16+"])
def test_a_linear_model_learns_that_the_next_word_decides(
    treebank: Path, features: FeatureSet, tmp_path: Path
) -> None:
    """The language has no rules for articles here, and there is no language model."""
    settings = LinearSettings(
        condition="labelled", epochs=6, beam=4, features=features, realize=True
    )
    path = tmp_path / "model.syntagma"
    report = train(treebank, treebank, path, settings=settings, language="xx")
    assert set(report.epochs[0].bleu) == {"labelled", "realize"}
    linearizer = load(path)
    assert not linearizer.has_language_model
    for noun, article in (("cup", "A"), ("egg", "An"), ("box", "A"), ("owl", "An")):
        words = [
            Word(lemma="a", tag="DT", head=2, deprel="det"),
            Word(lemma=noun, tag="NN", head=3, deprel="nsubj"),
            Word(lemma="fall", tag="VBD", head=0),
        ]
        assert linearizer.realize(words).text == f"{article} {noun} fell"
    plain = tmp_path / "plain.syntagma"
    train(treebank, treebank, plain, settings=replace(settings, realize=False), language="xx")
    assert "chooses_forms" not in load(plain).info.header
