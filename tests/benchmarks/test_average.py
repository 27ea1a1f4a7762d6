"""The mean of the parameters of several models."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from recipes import average
from toys.benchmark_runs import call
from toys.models import toy_vocabulary
from toys.network import SMALL, toy_header, toy_lexicon, toy_parameters, toy_stored

from syntagma.models.loading import load_model
from syntagma.models.model import save_model
from syntagma.neural.scorer import networks_of
from syntagma.neural.stored import StoredNetwork, describe_network


def write_model(path: Path, seed: int = 0) -> Path:
    save_model(path, {**toy_header(), "name": path.stem}, toy_vocabulary(), toy_stored(seed=seed))
    return path


def test_parameters_are_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = [write_model(tmp_path / f"{seed}.syntagma", seed) for seed in (1, 2, 3)]
    output = tmp_path / "mean.syntagma"
    call(monkeypatch, "average.py", *models, "--output", output)
    average.main()
    of_all = [load_model(path).scorer.parameters() for path in models]
    mean = load_model(output).scorer.parameters()
    for name, array in mean.items():
        expected = np.mean([each[name] for each in of_all], axis=0)
        precision = np.abs(array).max() / 100  # tables are stored in 8 bits
        np.testing.assert_allclose(array, expected, atol=precision)
    assert load_model(output).header["name"] == "1"


def test_models_of_another_size_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = write_model(tmp_path / "first.syntagma")
    lifting = tmp_path / "lifting.syntagma"
    header = {**toy_header(lifting=True), "name": "lifting"}
    save_model(lifting, header, toy_vocabulary(), toy_stored(lifting=True))
    output = tmp_path / "mean.syntagma"
    call(monkeypatch, "average.py", first, lifting, "--output", output)
    with pytest.raises(SystemExit, match=r"lifting\.syntagma has another vocabulary or size"):
        average.main()
    assert not output.exists()


def test_a_model_with_fewer_layers_counts_as_if_the_others_added_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep, shallow = write_model(tmp_path / "deep.syntagma", 1), tmp_path / "shallow.syntagma"
    two = replace(SMALL, layers=2)
    lexicon, vocabulary = toy_lexicon(), toy_vocabulary()
    parameters = toy_parameters(lexicon, vocabulary, 2, two)
    stored = StoredNetwork.from_parameters(lexicon, parameters)
    save_model(
        shallow, {**toy_header(), **describe_network(two, (), lifting=False)}, vocabulary, stored
    )
    output = tmp_path / "mean.syntagma"
    call(monkeypatch, "average.py", deep, shallow, "--output", output)
    average.main()
    [one, other, mean] = [load_model(path).scorer.parameters() for path in (deep, shallow, output)]
    for name, expected in (
        ("layers.0.out.weight", (one["layers.0.out.weight"] + other["layers.0.out.weight"]) / 2),
        ("layers.2.out.weight", one["layers.2.out.weight"] / 2),
        ("layers.2.down.weight", one["layers.2.down.weight"] / 2),
        ("layers.2.qkv.weight", one["layers.2.qkv.weight"]),
    ):
        np.testing.assert_allclose(mean[name], expected, atol=1e-3)

    call(monkeypatch, "average.py", shallow, deep, "--output", tmp_path / "other.syntagma")
    with pytest.raises(SystemExit, match=r"deep\.syntagma has another vocabulary or size"):
        average.main()


def test_each_of_two_networks_is_averaged_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lexicon, vocabulary = toy_lexicon(), toy_vocabulary()
    seeds = {"one": (1, 2), "other": (3, 4)}
    drawn = {seed: toy_parameters(lexicon, vocabulary, seed) for seed in range(1, 5)}
    header = {**toy_header(), "networks": {"bags": toy_header()["dimensions"]}}
    for name, (trees, bags) in seeds.items():
        stored = StoredNetwork.from_parameters(lexicon, drawn[trees], {"bags": drawn[bags]})
        save_model(tmp_path / name, header, vocabulary, stored)
    output = tmp_path / "mean.syntagma"
    call(monkeypatch, "average.py", *(tmp_path / name for name in seeds), "--output", output)
    average.main()
    mean = load_model(output).scorer
    for part, (one, other) in (("trees", (1, 3)), ("bags", (2, 4))):
        array = networks_of(mean)[part].parameters()["layers.1.up.weight"]
        expected = (drawn[one]["layers.1.up.weight"] + drawn[other]["layers.1.up.weight"]) / 2
        np.testing.assert_allclose(array, expected, atol=np.abs(expected).max() / 50)

    single = write_model(tmp_path / "single.syntagma")
    call(monkeypatch, "average.py", tmp_path / "one", single, "--output", tmp_path / "bad")
    with pytest.raises(SystemExit, match=r"single\.syntagma has other networks"):
        average.main()
    assert not (tmp_path / "bad").exists()
