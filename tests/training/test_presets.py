"""The settings of the papers: what they are, how they are changed, and the models they lead to."""

from __future__ import annotations

import warnings
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toys.ccg import write_ccgbank
from toys.training_runs import Cut, cut_at
from toys.treebank import write_treebank

from syntagma import (
    ArgumentError,
    BestFirstSettings,
    LinearSettings,
    SyntagmaWarning,
    TrainingError,
    Word,
    load,
    paper_settings,
    train,
)
from syntagma.cli.app import run
from syntagma.models.container import read_container
from syntagma.models.loading import load_model
from syntagma.request import SearchName
from syntagma.training.presets import PRESETS, describe_preset
from syntagma.transition.training import MIN_COUNT

# None of the papers leaves out rare words, tags, labels or weights, or knows more of a word than
# its form and its tag; all measure the whole development set.
PLAIN = {
    "min_count": 1,
    "back_off": False,
    "whole_dictionary": True,
    "quantized": False,
    "max_features": 1 << 28,
    "dev_sentences": 1 << 31,
}
# L15 §3.1: the averaged perceptron with early update; §4.1: a beam of 64. An update after each
# sentence (Collins 2002); all labels of an arc are actions (P16 §2); no states are merged.
BEAM = {
    **PLAIN,
    "update": "early",
    "beam": 64,
    "batch": 1,
    "every_label": True,
    "merging": False,
    "realize": False,
}
TABLE: dict[str, dict[str, Any]] = {
    "l15": {
        **BEAM,
        "features": "l15",  # Table 2
        "arcs": "lazy",  # Table 1
        "unlabelled": True,  # Figure 3
        "condition": "none",
    },
    "p16": {
        **BEAM,
        "features": "p16",  # Tables 1 and 2
        "arcs": "eager",  # §2: John loves Mary
        "unlabelled": False,  # §2
        "condition": "labelled",
    },
    "zc15": {
        **PLAIN,
        "grammar": "dependency",
        "update": "margin",  # §3.5, §4.4
        "scaled": True,  # §3.3
        "negatives": True,  # Algorithm 3
        "first_update": False,
        "averaged": False,
        "chart_by_size": False,  # §3.4
        "unlabelled": True,  # §4.2
        "condition": "none",  # §5.5
    },
    "z13": {
        **PLAIN,
        "grammar": "dependency",
        "update": "margin",
        "scaled": True,  # §5.3
        "negatives": False,  # §5.3
        "first_update": True,  # §4.4
        "averaged": False,
        "chart_by_size": False,
        "unlabelled": True,
        "condition": "none",  # §5.5
    },
    "z11": {
        **PLAIN,
        "grammar": "ccg",
        "update": "perceptron",  # §3.5
        "scaled": False,  # §3.3
        "negatives": False,  # Algorithm 2
        "first_update": False,
        "averaged": False,
        "chart_by_size": True,  # §3.4
        "unlabelled": False,
        "condition": "pos",
    },
}
OPEN = {"preset", "epochs", "seed", "tag_column"}  # what the papers leave open
OPEN_IN_SEARCH = {"heads", "chart", "expansions", "dev_expansions", "realize"}


@pytest.mark.parametrize("name", list(PRESETS))
def test_settings_are_those_of_the_paper(name: str) -> None:
    settings = asdict(paper_settings(name))
    kind = LinearSettings if name in ("l15", "p16") else BestFirstSettings
    left_open = OPEN if kind is LinearSettings else OPEN | OPEN_IN_SEARCH
    assert {key: value for key, value in settings.items() if key not in left_open} == TABLE[name]
    assert settings["preset"] == name
    usual = asdict(kind())
    for key in left_open - {"preset"}:
        assert settings.get(key) == usual.get(key)


def test_defaults_are_not_those_of_a_paper() -> None:
    for usual in (LinearSettings(), BestFirstSettings()):
        assert usual.preset is None
        assert describe_preset(usual) == {}
        assert (usual.quantized, usual.back_off, usual.whole_dictionary) == (True, True, False)
        assert usual.min_count == MIN_COUNT


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("l15", {}, {}),
        ("l15", {"beam": 16}, {"beam": 16}),
        ("l15", {"beam": 64, "seed": 7, "epochs": 3, "condition": "pos"}, {}),
        ("l15", {"condition": "labelled"}, {"unlabelled": False}),
        ("p16", {"unlabelled": True, "condition": "tree"}, {"unlabelled": True}),
        ("p16", {"arcs": "lazy", "quantized": True}, {"arcs": "lazy", "quantized": True}),
        ("zc15", {"scaled": False, "negatives": False}, {"scaled": False, "negatives": False}),
        ("zc15", {"grammar": "ccg"}, {"grammar": "ccg", "unlabelled": False}),
        ("z11", {"update": "margin"}, {"update": "margin"}),
    ],
)
def test_changes_win_and_are_told(name: str, changes: dict[str, Any], told: dict[str, Any]) -> None:
    settings = paper_settings(name, **changes)
    assert asdict(settings).items() >= changes.items()
    assert describe_preset(settings).get("preset_changes", {}) == told


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("l16", {}, "preset 'l16' is not one of l15, p16, zc15, z13, z11"),
        ("l15", {"chart": 9}, "the preset l15 has no setting 'chart'"),
        ("z13", {"beam": 9, "arcs": "lazy"}, "the preset z13 has no setting 'arcs'"),
    ],
)
def test_unknown_names_are_refused(name: str, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        paper_settings(name, **changes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (lambda: paper_settings("l15", condition="labelled", unlabelled=True), "gives labels"),
        (lambda: paper_settings("z11", unlabelled=True), "no labels to leave out"),
        (lambda: LinearSettings(preset="l16"), "preset 'l16' is not"),  # type: ignore[arg-type]
        (lambda: LinearSettings(batch=0), "batch must be between 1 and"),
        (lambda: LinearSettings(min_count=0), "min_count must be between 1 and"),
        (lambda: LinearSettings(dev_sentences=0), "dev_sentences must be between 1 and"),
    ],
)
def test_contradictions_are_refused(settings: Any, message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        settings()


# ---- models --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("presets")
    write_treebank(folder / "toy.conllu")
    write_ccgbank(folder / "toy.auto")
    return folder


def files_of(data: Path, name: str) -> Path:
    return data / ("toy.auto" if name == "z11" else "toy.conllu")


def trained(data: Path, output: Path, name: str, **changes: Any) -> Path:
    file = files_of(data, name)
    settings = paper_settings(name, **{"epochs": 2, **changes})
    if name == "z11":
        settings = replace(settings, tag_column="upos")
    train(file, file, output, settings=settings, name="toy")
    return output


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_model_orders_and_says_what_it_is(
    data: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And a run that is interrupted and resumed ends with the same model."""
    output = trained(data, tmp_path / "whole", name)
    file = files_of(data, name)
    settings = replace(paper_settings(name, epochs=2), tag_column="upos" if name == "z11" else None)
    with pytest.raises(Cut):
        train(file, file, tmp_path / "cut", settings=settings, name="toy", on_epoch=cut_at(1))
    train(file, file, tmp_path / "cut", settings=settings, name="toy", threads=2)
    assert (tmp_path / "cut").read_bytes() == output.read_bytes()

    header, arrays = read_container(output)
    assert header["preset"] == name
    assert "preset_changes" not in header
    assert header["quantized"] is False
    assert arrays["weights"].dtype == np.float32
    best_first = name not in ("l15", "p16")
    model = load(output, search="best-first" if best_first else "beam")
    ordered = model.order(["the", "cook", "ran"], expansions=300 if best_first else None)
    assert sorted(ordered.words) == ["cook", "ran", "the"]

    assert run(["info", str(output)]) == 0
    told = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert told["preset"] == name
    assert "unquantized weights" in told["learning"]
    if not best_first:
        assert told["arcs"] == header["arcs"] == ("lazy" if name == "l15" else "eager")
        assert told["learning"].startswith("early update, beam 64, batches of 1")


def test_the_vocabulary_of_a_paper_is_not_pruned(data: Path, tmp_path: Path) -> None:
    path = trained(data, tmp_path / "p16", "p16", epochs=1)
    vocabulary = load_model(path).vocabulary
    assert "pear" in vocabulary.forms  # seen once
    assert vocabulary.tags_of("pear") == (vocabulary.tag_numbers["NN"],)
    assert set(vocabulary.tags_of("zebra")) == set(range(len(vocabulary.tags)))
    assert sorted(vocabulary.label_pool.tolist()) == list(range(len(vocabulary.labels)))
    # All unseen words are alike, whatever they look like.
    model = load(path)
    orders = [model.order(["We", "saw", unseen, "."]) for unseen in ("Zebras", "zebra", "the zoo")]
    assert len({order.score for order in orders}) == 1
    assert len({tuple(token.head for token in order.tokens) for order in orders}) == 1


def test_an_unlabelled_model(data: Path, tmp_path: Path) -> None:
    searches: tuple[tuple[str, SearchName, int | None], ...] = (
        ("l15", "beam", None),
        ("zc15", "best-first", 1000),
    )
    for name, search, expansions in searches:
        output = trained(data, tmp_path / name, name)
        model = load(output, search=search)
        assert load_model(output, search=search).vocabulary.labels == ("_",)
        bare = [Word("the", "DT", 2), Word("cook", "NN", 3), Word("ran", "VBD", 0)]
        labels = ("det", "nsubj", "root")
        labelled = [replace(bare[i], deprel=label) for i, label in enumerate(labels)]
        one = model.order(bare, expansions=expansions)
        assert sorted(token.deprel for token in one.tokens) == ["_", "_", "root"]
        message = "does not know the labels det, nsubj .* its arcs have no labels"
        with pytest.warns(SyntagmaWarning, match=message):
            other = model.order(labelled, expansions=expansions)
        assert other.words == one.words
        assert other.score == one.score
        # What is given stays in the result, as with unknown labels of any model.
        assert {token.deprel for token in other.tokens} == {"det", "nsubj", "root"}
        templates = read_container(output)[0]["templates"]
        assert not any("label" in template for template in templates)


def test_mixed_training_of_an_unlabelled_model_gives_no_labels(data: Path, tmp_path: Path) -> None:
    settings = LinearSettings(epochs=1, beam=4, unlabelled=True)
    train(data / "toy.conllu", data / "toy.conllu", tmp_path / "m", settings=settings)
    figures = read_container(tmp_path / "m")[0]["figures"]["dev"]
    assert list(figures) == ["none", "pos", "half", "tree"]


def test_an_unlabelled_model_that_realizes(tmp_path: Path) -> None:
    treebank = Path(__file__).parents[2] / "examples" / "dev.conllu"
    searches: tuple[tuple[str, SearchName], ...] = (("l15", "beam"), ("zc15", "best-first"))
    for name, search in searches:
        output = tmp_path / name
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # labels that the model does not know, for one
            warnings.filterwarnings("ignore", ".*: (only 5|100% of the) sentences")  # few, the same
            settings = paper_settings(name, realize=True, epochs=1)
            train(treebank, treebank, output, settings=settings)
        assert list(read_container(output)[0]["figures"]["dev"]) == ["none", "realize"]
        assert load(output, search=search).realize(["the", "cook", "run"]).text
