"""The margin is learned from attested orders and from orders with two words swapped."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys.models import toy_sentence, toy_vocabulary
from toys.network import toy_header, toy_neural_linearizer, toy_stored
from toys.searches import toy_language_model
from toys.training_runs import Cut, cut_at, run
from toys.treebank import write_treebank

from syntagma import LinearSettings, Sentence, load, read_treebank, train
from syntagma.errors import ArgumentError, ModelError, OutputError, TrainingError
from syntagma.language_model.balance import Balance
from syntagma.models.container import read_container, write_container
from syntagma.models.loading import load_model
from syntagma.models.model import add_language_model, save_model
from syntagma.training.margin import (
    ACCEPTED,
    MAX_WORDS,
    Losses,
    fit,
    fit_margin,
    learn_margin,
    measure,
    swap,
    tasks,
)
from syntagma.transition.strategy import WeightedLanguageModel

AMOUNTS = st.floats(0, 20, allow_nan=False)


def dev_set(count: int = 60) -> list[Sentence]:
    rng = Random("dev")
    return [toy_sentence(rng) for _ in range(count)]


def many(treebank: Path, times: int = 4) -> Path:
    """The treebank several times over: enough sentences to learn a margin from."""
    treebank.write_text(treebank.read_text(encoding="utf-8") * times, encoding="utf-8")
    return treebank


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=8), st.integers(0, 99))
def test_a_swap_exchanges_two_different_words(forms: list[str], seed: int) -> None:
    swapped = swap(forms, Random(seed))
    if len(set(forms)) == 1:
        assert swapped is None
        return
    assert swapped is not None
    assert Counter(swapped) == Counter(forms)
    different = [at for at, (a, b) in enumerate(zip(forms, swapped, strict=True)) if a != b]
    assert len(different) == 2


def test_swaps_are_those_of_the_place_in_the_treebank() -> None:
    sentences = dev_set()
    judged = tasks(sentences)
    assert judged == tasks(sentences)
    assert all(2 <= len(forms) <= MAX_WORDS for forms, _ in judged)
    longer = Sentence(("a", "b") * 7, ("X",) * 14, (0, *[1] * 13), ("root", *["x"] * 13))
    assert tasks([longer, *sentences[1:]])[-5:] == judged[-5:]


@given(st.lists(st.builds(Losses, AMOUNTS, AMOUNTS), min_size=20, max_size=80))
def test_the_least_margin_that_accepts_enough(losses: list[Losses]) -> None:
    margin = fit(losses)
    accepted = sum(each.attested <= margin.loss for each in losses)
    assert accepted >= ACCEPTED * len(losses)
    fewer = sum(each.attested <= margin.loss - 0.01 for each in losses)
    assert margin.loss == 0 or fewer < ACCEPTED * len(losses)
    assert margin.sentences == len(losses)
    assert 0 <= margin.swapped <= 1


def test_rates_are_measured_on_sentences_that_the_margin_was_not_fitted_to() -> None:
    losses = [Losses(1.0, 1.5) if place % 2 else Losses(2.0, 3.0) for place in range(40)]
    margin = fit(losses)
    # With the margin of one half, 2, all of the other are accepted, swaps included; with that of
    # the other, 1, none is.
    assert (margin.loss, margin.attested, margin.swapped) == (2.0, 0.5, 0.5)


def test_losses_are_those_of_accept() -> None:
    toy = toy_neural_linearizer()
    for task in tasks(dev_set(12)):
        losses = measure(toy, task)
        for order, loss in zip(task, (losses.attested, losses.swapped), strict=True):
            found = toy.accept(order, order, margin=0)
            assert loss == pytest.approx(max(found.loss, 0) / (len(order) - 1))
            again = toy.accept(order, order, margin=math.nextafter(loss, math.inf) + 1e-9)
            assert again.accepted


def test_threads_do_not_matter_and_progress_is_reported() -> None:
    toy = toy_neural_linearizer()
    done: list[None] = []
    margin = learn_margin(toy, dev_set(), on_sentence=lambda: done.append(None))
    assert margin is not None
    assert margin.sentences == len(done) == len(tasks(dev_set()))
    assert learn_margin(toy, dev_set(), threads=3) == margin


def test_too_few_sentences_teach_nothing() -> None:
    assert learn_margin(toy_neural_linearizer(), dev_set(15)) is None


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model with a language model and without margins."""
    plain, path = tmp_path / "plain.syntagma", tmp_path / "toy.syntagma"
    save_model(plain, toy_header(), toy_vocabulary(), toy_stored())
    weighted = WeightedLanguageModel(toy_language_model(2), Balance(math.log(0.5), 0, 0, 0))
    add_language_model(path, plain, weighted, {})
    return path


def test_a_model_gets_its_margins(model: Path, tmp_path: Path) -> None:
    output = tmp_path / "with.syntagma"
    plain, fluent = fit_margin(model, dev_set(), output)
    assert load_model(output).margin == fluent
    assert load_model(output, language_model=False).margin == plain
    assert learn_margin(load(output), dev_set()) == fluent
    (header, arrays), (new_header, new_arrays) = read_container(model), read_container(output)
    assert arrays.keys() == new_arrays.keys()
    assert all((arrays[name] == new_arrays[name]).all() for name in arrays)
    del new_header["margin"], new_header["language_model"]["margin"]
    assert header == new_header
    again = tmp_path / "again.syntagma"
    assert fit_margin(output, dev_set(), again) == [plain, fluent]
    assert again.read_bytes() == output.read_bytes()


def test_faults(model: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"from at least 20 sentences of 2 to 12 words, but "):
        fit_margin(model, dev_set(10), tmp_path / "a")
    with pytest.raises(ArgumentError, match="dev must be a list of sentences, not a path"):
        fit_margin(model, "dev.conllu", tmp_path / "a")  # type: ignore[arg-type]
    with pytest.raises(OutputError, match="is also an input"):
        fit_margin(model, dev_set(), model)
    with pytest.raises(ModelError, match="best-first search cannot score orders"):
        fit_margin("en-best-first", dev_set(), tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_training_ends_with_a_margin(tmp_path: Path) -> None:
    treebank = many(write_treebank(tmp_path / "toy.conllu"))
    train(treebank, treebank, tmp_path / "my.syntagma", settings=LinearSettings(epochs=2, beam=4))
    linearizer = load(tmp_path / "my.syntagma")
    margin = load_model(tmp_path / "my.syntagma").margin
    assert margin is not None
    assert margin == learn_margin(linearizer, read_treebank(treebank, "xpos"))
    words = ["The", "cook", "hid", "a", "pear", "."]
    assert linearizer.accept(words, words).margin == margin.loss


@pytest.mark.parametrize("after", [False, True])
def test_training_that_is_cut_off_while_it_learns_the_margin_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    treebank = many(write_treebank(tmp_path / "toy.conllu"))
    settings = LinearSettings(epochs=1, beam=4)
    run(treebank, tmp_path / "whole.syntagma", settings)
    with monkeypatch.context() as patch:
        cut_off = cut_at(1, write_container, after=after)
        patch.setattr("syntagma.training.margin.write_container", cut_off)
        with pytest.raises(Cut):
            run(treebank, tmp_path / "cut.syntagma", settings)
    assert not (tmp_path / "cut.syntagma").exists()
    run(treebank, tmp_path / "cut.syntagma", settings)
    assert load_model(tmp_path / "cut.syntagma").margin is not None
    whole, cut = (read_container(tmp_path / f"{name}.syntagma")[0] for name in ("whole", "cut"))
    assert whole["margin"] == cut["margin"]
