"""Training of one of several networks: it learns, and all else stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from toys.training_runs import Cut, cut_at, run
from toys.treebank import write_treebank

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'syntagma[train]'")

from syntagma.errors import TrainingError  # noqa: E402
from syntagma.models.container import read_container  # noqa: E402
from syntagma.models.loading import load_model  # noqa: E402
from syntagma.neural.adaptation import adapt  # noqa: E402
from syntagma.neural.parameters import SHARED, Floats  # noqa: E402
from syntagma.neural.scorer import networks_of  # noqa: E402
from syntagma.neural.settings import NeuralSettings  # noqa: E402
from syntagma.neural.training import NeuralLearner  # noqa: E402
from syntagma.treebanks.conditions import MAIN_CONDITIONS  # noqa: E402
from syntagma.treebanks.treebank import Sentence, read_treebank  # noqa: E402

ordering = partial(NeuralSettings, realize=False, batch_words=20, learning_rate=0.01)
SHORT = ordering(epochs=1, width=32, min_count=1)
SPECIAL = partial(ordering, epochs=2)


@pytest.fixture(autouse=True, scope="module")
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("treebank") / "toy.conllu")


@pytest.fixture(scope="module")
def sentences(treebank: Path) -> list[Sentence]:
    return read_treebank(treebank)


@pytest.fixture(scope="module")
def whole(treebank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of one network."""
    path = tmp_path_factory.mktemp("whole") / "model"
    run(treebank, path, SHORT)
    return path


def test_one_of_two_networks_learns_and_all_else_stays(
    treebank: Path, whole: Path, tmp_path: Path
) -> None:
    report = run(treebank, tmp_path / "bags", SPECIAL(specialize="bags"), start=whole)
    assert {name for each in report.epochs for name in each.bleu} == {"none", "pos", "half"}
    report = run(treebank, tmp_path / "pair", SPECIAL(specialize="trees"), start=tmp_path / "bags")
    assert {name for each in report.epochs for name in each.bleu} == {"tree", "labelled"}
    before = load_model(whole).scorer.parameters()
    first, second = (load_model(tmp_path / name).scorer for name in ("bags", "pair"))
    trees, bags = first.parameters(), first.bags.parameters()
    for name, array in trees.items():
        precision = np.abs(before[name]).max() / 200  # matrices are stored in 8 bits
        np.testing.assert_allclose(array, before[name], atol=precision, err_msg=name)
        if name in SHARED:
            np.testing.assert_array_equal(array, before[name], err_msg=name)
    assert moved(trees, bags) > 0.8 * len(before.keys() - SHARED)
    assert moved(bags, second.bags.parameters()) == 0
    assert moved(trees, second.parameters()) > 0.8 * len(before.keys() - SHARED)
    for name in SHARED:
        np.testing.assert_array_equal(second.parameters()[name], before[name], err_msg=name)


def test_a_second_network_learns_from_scratch(
    treebank: Path, whole: Path, sentences: list[Sentence], tmp_path: Path
) -> None:
    run(treebank, tmp_path / "bags", SPECIAL(specialize="bags"), start=whole)
    learns = SPECIAL(specialize="second", hidden=64)
    report = run(treebank, tmp_path / "all", learns, start=tmp_path / "bags")
    assert {name for each in report.epochs for name in each.bleu} == {"tree", "labelled"}
    before = networks_of(load_model(tmp_path / "bags").scorer)
    after = networks_of(load_model(tmp_path / "all").scorer)
    assert list(after) == ["trees", "bags", "second"]
    assert (after["trees"].dimensions.hidden, after["second"].dimensions.hidden) == (32, 64)
    for kind in ("trees", "bags"):
        assert moved(before[kind].parameters(), after[kind].parameters()) == 0
    trees, second = after["trees"].parameters(), after["second"].parameters()
    for name in SHARED:
        np.testing.assert_array_equal(second[name], trees[name], err_msg=name)
    layer = "layers.0.qkv.weight"
    related = np.corrcoef(trees[layer].ravel(), second[layer].ravel())[0, 1]
    assert abs(related) < 0.2, "it does not start from the first"

    settings = adapt(SPECIAL(specialize="second"), sentences, start=after["second"])
    more = NeuralLearner(settings, 1, load_model(tmp_path / "all").scorer)
    more.begin(sentences, [])
    for name, array in more.averaged().items():
        np.testing.assert_array_equal(array, second[name], err_msg=name)


def test_where_trees_are_learned_bags_stay_as_they_were(
    treebank: Path, whole: Path, tmp_path: Path
) -> None:
    run(treebank, tmp_path / "pair", SPECIAL(specialize="trees"), start=whole)
    before, pair = load_model(whole).scorer.parameters(), load_model(tmp_path / "pair").scorer
    for name, array in pair.bags.parameters().items():
        precision = np.abs(before[name]).max() / 200
        np.testing.assert_allclose(array, before[name], atol=precision, err_msg=name)
    assert moved(pair.bags.parameters(), pair.parameters()) > 0.8 * len(before.keys() - SHARED)


def test_a_second_network_beside_a_single_one(treebank: Path, whole: Path, tmp_path: Path) -> None:
    run(treebank, tmp_path / "model", SPECIAL(specialize="second"), start=whole)
    loaded = load_model(tmp_path / "model").scorer
    assert list(networks_of(loaded)) == ["trees", "second"]


def moved(before: dict[str, Floats], after: dict[str, Floats]) -> int:
    return sum((after[name] != array).any() for name, array in before.items())


def test_a_specialised_run_is_resumed(treebank: Path, whole: Path, tmp_path: Path) -> None:
    settings = SPECIAL(specialize="bags")
    run(treebank, tmp_path / "model", settings, start=whole)
    with pytest.raises(Cut):
        run(treebank, tmp_path / "cut", settings, start=whole, on_epoch=cut_at(1))
    run(treebank, tmp_path / "cut", settings, start=whole)
    assert (
        read_container(tmp_path / "cut")[1].keys() == read_container(tmp_path / "model")[1].keys()
    )
    for name, array in read_container(tmp_path / "cut")[1].items():
        np.testing.assert_array_equal(array, read_container(tmp_path / "model")[1][name])


def test_training_from_two_networks_starts_from_that_for_trees(
    treebank: Path, whole: Path, sentences: list[Sentence], tmp_path: Path
) -> None:
    run(treebank, tmp_path / "pair", SPECIAL(specialize="bags"), start=whole)
    pair = load_model(tmp_path / "pair").scorer
    assert pair.bags is not None
    learner = NeuralLearner(adapt(ordering(epochs=1), sentences, start=pair), 1, pair)
    learner.begin(sentences, [])
    for name, array in learner.averaged().items():
        np.testing.assert_array_equal(array, pair.parameters()[name], err_msg=name)
    report = run(treebank, tmp_path / "one", ordering(epochs=1), start=tmp_path / "pair")
    assert set(report.epochs[-1].bleu) == set(MAIN_CONDITIONS)
    assert list(networks_of(load_model(tmp_path / "one").scorer)) == ["trees"]


def test_what_a_specialised_training_needs(treebank: Path, whole: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"name the model to start from \(--start\)"):
        run(treebank, tmp_path / "model", SPECIAL(specialize="bags"))
    with pytest.raises(TrainingError, match="specialize 'all' is not one of trees, bags"):
        SPECIAL(specialize="all")
    with pytest.raises(TrainingError, match="leave out condition"):
        SPECIAL(specialize="trees", condition="labelled")
