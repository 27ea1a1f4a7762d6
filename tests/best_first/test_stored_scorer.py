"""Files of models for best-first search: saving and loading, and how damaged files and models for
the other search are refused."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toys.ccg import write_ccgbank
from toys.edges import GRAMMARS, train_edges
from toys.training_runs import run as train_beam
from toys.treebank import write_treebank

from syntagma.best_first.settings import GrammarName
from syntagma.best_first.strategy import EdgeScorer
from syntagma.cli.app import run
from syntagma.errors import ModelError, TrainingError
from syntagma.evaluation.evaluate import main_conditions
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.linear.settings import LinearSettings
from syntagma.linearizer.linearizer import Linearizer, load, read_info
from syntagma.models.container import read_container, write_container
from syntagma.models.loading import load_model
from syntagma.models.model import Model
from syntagma.neural.settings import NeuralSettings
from syntagma.training.language_model import add_lm, train_lm
from syntagma.training.train import train
from syntagma.treebanks.treebank import read_treebank

BAGS = [["ran", "We", "."], ["the", "boat", "sank", "."], ["the", "fox", "saw", "the", "zebra"]]

VOCABULARY = {"forms", "tags", "labels", "form_tags", "open_tags", "label_index", "label_pool"}
WEIGHTS = {"occupied", "fingerprints", "weights", "levels"}
CCG = {
    *("ccg_categories", "ccg_binary", "ccg_unary", "ccg_forms", "ccg_rare", "ccg_form_starts"),
    *("ccg_form_leaves", "ccg_tag_starts", "ccg_tag_categories"),
}
SECTIONS: dict[GrammarName, set[str]] = {
    "dependency": VOCABULARY | WEIGHTS,
    "ccg": VOCABULARY | WEIGHTS | CCG,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of all kinds, and their training data."""
    folder = tmp_path_factory.mktemp("models")
    for grammar in GRAMMARS:
        train_edges(folder, grammar)
    treebank = folder / "toy.conllu"
    train_beam(treebank, folder / "beam.syntagma", LinearSettings(epochs=1, beam=2))
    (folder / "news.txt").write_text("The cook ran .\nThe fox hid .\n", encoding="utf-8")
    settings = LanguageModelSettings(order=2, min_count=1, tokenized=True)
    train_lm([folder / "news.txt"], folder / "news.lm", settings=settings)
    return folder


def changed(
    source: Path, target: Path, change: dict[str, Any], without: Sequence[str] = ()
) -> Path:
    """A copy of a model with other fields in its header (None: without them)."""
    header, arrays = read_container(source)
    header = {key: value for key, value in {**header, **change}.items() if value is not None}
    kept = {name: np.array(array) for name, array in arrays.items() if name not in without}
    write_container(target, header, kept)
    return target


# ---- there and back --------------------------------------------------------------------------


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_a_model_is_the_same_after_loading(folder: Path, grammar: GrammarName) -> None:
    path = folder / f"{grammar}.syntagma"
    model = load_model(path, search="best-first")
    assert isinstance(model.scorer, EdgeScorer)
    assert (model.scorer.chart, model.scorer.scaled) == (256, True)
    once, again = Linearizer(model), load(path, search="best-first")
    for bag in BAGS:
        assert once.order(bag, expansions=200) == again.order(bag, expansions=200)
    assert again.info.header == read_container(path)[0]
    assert again.info.size == path.stat().st_size


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_an_epoch_is_measured_with_the_model_that_is_saved(
    folder: Path, grammar: GrammarName
) -> None:
    """With rounded weights: evaluating the file gives the same figures."""
    from syntagma.evaluation.evaluate import evaluate
    from syntagma.treebanks.corpus import read_sentences

    model = load(folder / f"{grammar}.syntagma", search="best-first")
    data = folder / ("toy.auto" if grammar == "ccg" else "toy.conllu")
    sentences = read_sentences(data, model.tag_column)
    figures = model.info.header["figures"]["dev"]
    report = evaluate(model, sentences, list(figures), expansions=1000)
    assert {each.condition: round(each.bleu, 2) for each in report.figures} == figures


def test_what_a_model_says_of_itself(folder: Path) -> None:
    header = load(folder / "dependency.syntagma", search="best-first").info.header
    assert (header["scorer"], header["search"], header["grammar"]) == (
        *("edges", "best-first", "dependency"),
    )
    assert (header["chart"], header["scaled"]) == (256, True)
    assert len(header["templates"]) == 101
    assert header["features"] > 100
    assert "categories" not in header
    header = load(folder / "ccg.syntagma", search="best-first").info.header
    assert header["grammar"] == "ccg"
    assert header["tag_column"] == "upos"
    assert len(header["templates"]) == 26
    assert (header["categories"], header["rules"]) == (17, 20)


def test_what_can_be_given_to_a_model(folder: Path) -> None:
    trees = load(folder / "dependency.syntagma", search="best-first")
    assert main_conditions(trees) == ["none", "pos", "half", "tree", "labelled"]
    assert main_conditions(load(folder / "ccg.syntagma", search="best-first")) == ["none", "pos"]
    assert not trees.has_language_model


def test_a_model_has_what_its_header_says(folder: Path, tmp_path: Path) -> None:
    """Chart and scaling are read from the header, and make a difference."""
    source = folder / "dependency.syntagma"
    small = changed(source, tmp_path / "small", {"chart": 1})
    bag = ["the", "boat", "sank", "near", "the", "bridge", "."]
    assert load(source, search="best-first").order(bag, expansions=2000).finished
    assert not load(small, search="best-first").order(bag, expansions=2000).finished
    unscaled = load(changed(source, tmp_path / "x", {"scaled": False}), search="best-first")
    scaled = load(source, search="best-first")
    [word], [same] = (model.order(["ran"], n_best=1) for model in (scaled, unscaled))
    assert word.score == pytest.approx(same.score)
    two, same = (model.order(["We", "ran"]) for model in (scaled, unscaled))
    assert two.words == same.words
    assert 2 * abs(two.score) < abs(same.score)


# ---- the other search ------------------------------------------------------------------------

FOR_BEST_FIRST = r"\.syntagma: a model for best-first search; .*search='best-first' \(--search best"
FOR_BEAM = r"beam\.syntagma: a model for beam search; load it with search='beam' \(--search beam\)"


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_a_model_for_best_first_search_is_not_searched_with_a_beam(
    folder: Path, grammar: GrammarName
) -> None:
    path = folder / f"{grammar}.syntagma"
    assert load_model(path, search=None).search == "best-first"
    with pytest.raises(ModelError, match=FOR_BEST_FIRST):
        load(path)
    with pytest.raises(ModelError, match=FOR_BEST_FIRST):
        load(path, search="beam")
    with pytest.raises(ModelError, match=FOR_BEST_FIRST):
        load_model(path)


def test_a_model_for_beam_search_is_not_searched_best_first(folder: Path) -> None:
    path = folder / "beam.syntagma"
    assert load_model(path, search=None).search == "beam"
    assert isinstance(load_model(path), Model)
    with pytest.raises(ModelError, match=FOR_BEAM):
        load(path, search="best-first")
    with pytest.raises(ModelError, match="syntagma train --search best-first"):
        load_model(path, search="best-first")


def test_what_else_needs_a_model_for_beam_search(folder: Path, tmp_path: Path) -> None:
    edges, treebank = folder / "dependency.syntagma", folder / "toy.conllu"
    with pytest.raises(ModelError, match=FOR_BEST_FIRST):
        add_lm(edges, folder / "news.lm", read_treebank(treebank), tmp_path / "out")
    with pytest.raises(ModelError, match=FOR_BEST_FIRST):
        train(treebank, treebank, tmp_path / "out", settings=NeuralSettings(), start=edges)
    with pytest.raises(TrainingError, match=r"kind 'linear' learns from one .* leave out start"):
        train(treebank, treebank, tmp_path / "out", settings=LinearSettings(), start=edges)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["order", "-m", "{edges}", "a"], "--search best-first"),
        (["order", "-m", "{edges}", "--search", "beam", "a"], "--search best-first"),
        (["order", "-m", "{beam}", "--search", "best-first", "a"], "--search beam"),
        (["evaluate", "-m", "{edges}", "-d", "{data}"], "--search best-first"),
        (["evaluate", "-m", "{beam}", "-d", "{data}", "--search", "best-first"], "--search beam"),
        (["score", "-m", "{edges}", "--order", "a b"], "needs a model for beam search"),
        (["add-lm", "{edges}", "{lm}", "{data}", "-o", "{out}"], "needs a model for beam search"),
        (
            ["train", "{data}", "{data}", "-o", "{out}", "--start", "{edges}"],
            "needs a model for beam search",
        ),
        (
            ["train", "{data}", "{data}", "-o", "{out}", "--search=best-first", "--start={edges}"],
            "--start goes with --scorer neural, not with best-first",
        ),
    ],
)
def test_commands_refuse_models_for_the_other_search_in_one_line(
    folder: Path,
    tmp_path: Path,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths = {
        "edges": folder / "dependency.syntagma",
        "beam": folder / "beam.syntagma",
        "data": folder / "toy.conllu",
        "lm": folder / "news.lm",
        "out": tmp_path / "out",
    }
    assert run([argument.format_map(paths) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_language_model_is_no_model(folder: Path) -> None:
    for loading in (partial(load_model, search="best-first"), load_model, read_info):
        with pytest.raises(ModelError, match=r"news\.lm: a language model by itself"):
            loading(folder / "news.lm")


@pytest.mark.parametrize("name", ["dependency", "ccg", "beam"])
def test_info_knows_all_kinds(folder: Path, name: str) -> None:
    info = read_info(folder / f"{name}.syntagma")
    assert info.path == folder / f"{name}.syntagma"
    assert info.header == read_container(info.path)[0]


# ---- damage ----------------------------------------------------------------------------------


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_there_are_no_other_sections(folder: Path, grammar: GrammarName) -> None:
    """So that the next test covers all sections."""
    assert set(read_container(folder / f"{grammar}.syntagma")[1]) == SECTIONS[grammar]


@pytest.mark.parametrize(
    ("grammar", "section"),
    [(grammar, section) for grammar in GRAMMARS for section in sorted(SECTIONS[grammar])],
)
def test_a_missing_section(
    folder: Path, tmp_path: Path, grammar: GrammarName, section: str
) -> None:
    path = changed(folder / f"{grammar}.syntagma", tmp_path / "toy", {}, [section])
    with pytest.raises(ModelError, match=f"toy: not a model .*no section '{section}'"):
        load(path, search="best-first")


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tag_column": "pos"}, "no tag column"),
        ({"tag_column": None}, "no tag column"),
        *(({"chart": value}, "no chart size") for value in (None, 0, -1, 10**10)),
        *(({"chart": value}, "'chart' is not an integer") for value in ("1", 1.5, True)),
        ({"scaled": None}, "whether scores are scaled"),
        *(({"scaled": value}, "'scaled' is not true or false") for value in ("yes", 1)),
        *(({"grammar": value}, "no grammar") for value in (None, "tag")),
        *(({"grammar": value}, "'grammar' is not a string") for value in (1, ["ccg"])),
        ({"scorer": "cubic"}, "this version of Syntagma does not know the scorer 'cubic'"),
        ({"scorer": "linear"}, "a model for beam search"),
        ({"scorer": None}, "a model for beam search"),  # as the first models were
        ({"templates": None}, "trained with other feature templates than those of this version"),
        ({"templates": ["edge: hw"]}, "trained with other feature templates"),
        ({"templates": 5}, "'templates' is not a list"),
    ],
)
def test_headers_that_make_no_sense(
    folder: Path, tmp_path: Path, grammar: GrammarName, change: dict[str, Any], message: str
) -> None:
    path = changed(folder / f"{grammar}.syntagma", tmp_path / "toy", change)
    with pytest.raises(ModelError, match=f"toy: .*{message}"):
        load(path, search="best-first")


@pytest.mark.parametrize(
    ("grammar", "claimed", "message"),
    [
        ("dependency", "ccg", "no section 'ccg_binary'"),
        ("ccg", "dependency", "other feature templates"),
    ],
)
def test_a_model_with_the_other_grammar(
    folder: Path, tmp_path: Path, grammar: GrammarName, claimed: str, message: str
) -> None:
    path = changed(folder / f"{grammar}.syntagma", tmp_path / "toy", {"grammar": claimed})
    with pytest.raises(ModelError, match=message):
        load(path, search="best-first")


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_a_damaged_file(folder: Path, tmp_path: Path, grammar: GrammarName) -> None:
    data = (folder / f"{grammar}.syntagma").read_bytes()
    path = tmp_path / "toy"
    for cut in (0, 10, 100, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:cut])
        with pytest.raises(ModelError, match="toy: "):
            load(path, search="best-first")
    for place in range(0, len(data), len(data) // 50):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(ModelError, match="toy: "):
            load(path, search="best-first")
    with pytest.raises(ModelError, match="no such model file"):
        load(tmp_path / "nothing", search="best-first")


def test_the_data_is_not_in_the_way(tmp_path: Path) -> None:
    """A treebank or a CCGbank is no model."""
    for path in (write_treebank(tmp_path / "x.conllu"), write_ccgbank(tmp_path / "x.auto")):
        with pytest.raises(ModelError, match="not a Syntagma model"):
            load(path, search="best-first")
