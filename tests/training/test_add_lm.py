"""A language model in a model: what is fitted and written, and that it is used."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from toys.text import toy_text

from syntagma import load, read_treebank
from syntagma.errors import ModelError, OutputError, SyntagmaError, SyntagmaWarning
from syntagma.language_model.balance import Balance
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.models.container import read_container, write_container
from syntagma.models.loading import load_model
from syntagma.models.model import add_language_model
from syntagma.results.linearization import Linearization
from syntagma.training.language_model import WEIGHTS, add_lm, read_lm, train_lm, weight_under
from syntagma.transition.encoding import encode
from syntagma.transition.strategy import WeightedLanguageModel
from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS

SMALL = LanguageModelSettings(order=2, prune=(0,), min_count=1, tokenized=True)


def lines(sentences: list[list[str]]) -> str:
    return "".join(" ".join(words) + "\n" for words in sentences)


def no_work() -> None:
    pytest.fail("a fault should have been noticed before")


def bags() -> list[list[str]]:
    return [sorted(words) for words in toy_text()]


def found(path: Path, **options: Any) -> list[Linearization]:
    linearizer = load(path, **options)
    return [linearizer.order(words) for words in bags()]


def test_a_model_orders_with_its_language_model(fluent: Path) -> None:
    linearizer = load(fluent)
    model, about = read_lm(fluent)
    balance = Balance.from_json(about["balance"])
    silent = load(fluent, language_model=False)
    vocabulary = load_model(fluent).vocabulary
    for words in bags():
        result = linearizer.order(words)
        share = balance.weight(*encode(result.problem, vocabulary).shares) * sum(
            model.score(result.words)
        )
        assert result.fluency == pytest.approx(share)
        assert result.score == pytest.approx(result.syntax + share)
        alone = silent.score(words, result.words)
        assert result.syntax == pytest.approx(alone.score, abs=1e-6)
        assert linearizer.score(words, result.words).score == pytest.approx(result.score)


def test_without_it_the_model_is_as_before(fluent: Path, plain: Path) -> None:
    before, after = found(plain), found(fluent, language_model=False)
    assert [each.tokens for each in after] == [each.tokens for each in before]
    assert [each.score for each in after] == [each.score for each in before]
    assert all(each.fluency is None for each in after)
    assert [each.score for each in found(fluent)] != [each.score for each in before]


def test_a_language_model_that_counts_enough_decides(
    plain: Path, treebank: Path, tmp_path: Path
) -> None:
    """It was trained on reversed sentences only."""
    text = tmp_path / "text.txt"
    text.write_text(lines([words[::-1] for words in toy_text()]))
    settings = LanguageModelSettings(order=3, prune=(0,), min_count=1, tokenized=True)
    train_lm([text], tmp_path / "back.lm", settings=settings)
    language_model, _ = read_lm(tmp_path / "back.lm")
    path = tmp_path / "back.syntagma"
    fluent = WeightedLanguageModel(language_model, Balance(math.log(1e4), 0, 0, 0))
    add_language_model(path, plain, fluent, {})
    assert load(path).order(["She", "sang", "."]).text == ". sang She"
    assert load(path).order(["Foxes", "run", "fast", "."]).text == ". fast run Foxes"


def test_the_header_of_the_model(fluent: Path, plain: Path, lm: Path) -> None:
    header, arrays = read_container(fluent)
    before, old_arrays = read_container(plain)
    about = header.pop("language_model")
    assert header == before
    assert set(old_arrays) == {name for name in arrays if not name.startswith("lm.")}
    alone = read_container(lm)[0]["language_model"]
    assert {name: about[name] for name in alone} == alone
    assert set(about) - set(alone) == {"tuning", "balance"}
    assert set(about["balance"]) == {"base", "tags", "arcs", "labels"}
    assert about["tuning"]["weights"] == list(WEIGHTS)
    assert list(about["tuning"]["bleu"]) == list(MAIN_CONDITIONS)


@pytest.mark.slow
def test_what_is_reported(plain: Path, lm: Path, treebank: Path, tmp_path: Path) -> None:
    dev = read_treebank(treebank)[:2]
    heard = 0

    def hear() -> None:
        nonlocal heard
        heard += 1

    path = tmp_path / "out.syntagma"
    report = add_lm(plain, lm, dev, path, threads=2, on_sentence=hear)
    assert heard == len(dev) * len(WEIGHTS) * len(MAIN_CONDITIONS)
    assert {name: len(curve) for name, curve in report.curves.items()} == dict.fromkeys(
        MAIN_CONDITIONS, len(WEIGHTS)
    )
    assert read_lm(path)[1]["balance"] == report.balance.to_json()
    assert all(weight_under(report.balance, CONDITIONS[name]) > 0 for name in MAIN_CONDITIONS)
    again = tmp_path / "again.syntagma"
    add_lm(plain, lm, dev, again)
    assert again.read_bytes() == path.read_bytes()


def test_a_language_model_is_replaced(fluent: Path, treebank: Path, tmp_path: Path) -> None:
    """By one of a lower order; nothing of the old one remains."""
    text = tmp_path / "text.txt"
    text.write_text("wug plogs\nwug\n")
    train_lm([text], tmp_path / "small.lm", settings=SMALL)
    path = tmp_path / "out.syntagma"
    add_lm(fluent, tmp_path / "small.lm", read_treebank(treebank)[:1], path)
    header, arrays = read_container(path)
    assert header["language_model"]["words"] == 3
    small = read_container(tmp_path / "small.lm")[1]
    assert {name for name in arrays if name.startswith("lm.")} == set(small)
    model, _ = read_lm(path)
    assert model.score(["wug"]) == read_lm(tmp_path / "small.lm")[0].score(["wug"])
    assert [each.tokens for each in found(path, language_model=False)] == [
        each.tokens for each in found(fluent, language_model=False)
    ]


@pytest.mark.parametrize("written", ["small.lm", "small.arpa"])
def test_a_much_smaller_language_model_is_warned_of(
    written: str, fluent: Path, plain: Path, treebank: Path, tmp_path: Path
) -> None:
    """Before any sentence is ordered. ARPA files do not say how many words were read."""
    text = tmp_path / "text.txt"
    text.write_text("wug plogs\nwug\n")
    train_lm([text], tmp_path / written, settings=SMALL)
    old = read_lm(fluent)[1]
    counts = {
        "small.lm": (3, old["words"], "words"),
        "small.arpa": (9, sum(old["ngrams"]), "n-grams"),
    }
    new, replaced, unit = counts[written]
    expected = (
        f"{tmp_path / written}: a language model of {new} {unit} replaces that of fluent.syntagma, "
        f"of {replaced} {unit}: bare words may be ordered much worse"
    )

    def stop() -> None:
        raise KeyboardInterrupt

    dev, path = read_treebank(treebank)[:1], tmp_path / "out.syntagma"
    with pytest.warns(SyntagmaWarning, match=re.escape(expected)), pytest.raises(KeyboardInterrupt):
        add_lm(fluent, tmp_path / written, dev, path, on_sentence=stop)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        add_lm(plain, tmp_path / written, dev, path)
        add_lm(fluent, fluent, dev, tmp_path / "own.syntagma")
        add_lm(path, fluent, dev, tmp_path / "larger.syntagma")


@pytest.mark.slow
def test_a_language_model_can_be_replaced_by_itself(
    fluent: Path, treebank: Path, tmp_path: Path
) -> None:
    path = tmp_path / "own.syntagma"
    add_lm(fluent, fluent, read_treebank(treebank), path)
    assert path.read_bytes() == fluent.read_bytes()


def test_an_input_is_not_overwritten(plain: Path, lm: Path, treebank: Path, tmp_path: Path) -> None:
    dev = read_treebank(treebank)[:1]
    for given in (plain, lm):
        before = given.read_bytes()
        link = tmp_path / given.name
        link.symlink_to(given)
        for output in (given, link):
            with pytest.raises(OutputError, match="it is also an input"):
                add_lm(plain, lm, dev, output)
        assert given.read_bytes() == before


def test_nothing_is_written_without_sentences_or_a_model(
    plain: Path, lm: Path, treebank: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.syntagma"
    with pytest.raises(SyntagmaError, match="no sentences"):
        add_lm(plain, lm, [], output)
    with pytest.raises(ModelError, match=r"toy\.lm: a language model by itself.*add-lm"):
        add_lm(lm, lm, read_treebank(treebank)[:1], output)
    with pytest.raises(ModelError, match="no model named"):
        add_lm("zorpish", lm, read_treebank(treebank)[:1], output)
    for place in (tmp_path / "nowhere" / "out.syntagma", tmp_path):
        with pytest.raises(OutputError, match="cannot write"):
            add_lm(plain, lm, read_treebank(treebank)[:1], place, on_sentence=no_work)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("balance", [None, {}, {"base": 0}])
def test_a_header_that_does_not_say_how_much_it_counts(
    balance: object, fluent: Path, tmp_path: Path
) -> None:
    header, arrays = read_container(fluent)
    path = tmp_path / "bad.syntagma"
    about = {**header["language_model"], "balance": balance}
    write_container(path, {**header, "language_model": about}, arrays)
    with pytest.raises(ModelError, match=r"bad\.syntagma: .*no valid balance"):
        load(path)
    assert load(path, language_model=False).order(["She", "sang", "."])
