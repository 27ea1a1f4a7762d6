"""The mean of the parameters of several models."""

import sys
from pathlib import Path

import numpy as np
import pytest
from toys.benchmark_runs import call
from toys.models import toy_vocabulary
from toys.network import toy_header, toy_stored

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from recipes import average

from syntagma.models.loading import load_model
from syntagma.models.saving import save_model


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
