"""Averages the parameters of models that were trained from the same model, for one more.

    python benchmarks/recipes/average.py MODEL MODEL … --output FILE

Trainings that start from one network and differ in data and seed stay close enough for the mean of
their parameters to be a network that is better than each (Wortsman et al. 2022). The models must
have the same vocabulary and dimensions; but one that the first has grown from may have fewer
layers, and counts as if the others added nothing. Of models with several networks, each is
averaged by itself. All else is taken from the first.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from syntagma.models.container import read_container, write_container
from syntagma.models.loading import load_model
from syntagma.neural.growth import adds_to_vectors
from syntagma.neural.parameters import Floats
from syntagma.neural.scorer import NeuralScorer, networks_of
from syntagma.neural.stored import StoredNetwork


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args()
    average(arguments.models, arguments.output)


def average(models: Sequence[Path], output: Path) -> None:
    header, arrays = read_container(models[0])
    networks = [networks_of(load_model(path).scorer) for path in models]
    for path, others in zip(models, networks, strict=True):
        if others.keys() != networks[0].keys():
            raise SystemExit(f"error: {path} has other networks than {models[0]}")
    means = {kind: mean(models, [each[kind] for each in networks]) for kind in networks[0]}
    stored = StoredNetwork.from_parameters(networks[0]["trees"].lexicon, means.pop("trees"), means)
    write_container(output, header, {**arrays, **stored.to_arrays()})


def mean(models: Sequence[Path], scorers: Sequence[NeuralScorer]) -> dict[str, Floats]:
    """The mean of the parameters of networks, one of each model."""
    parameters = [scorer.parameters() for scorer in scorers]
    shapes = [{name: array.shape for name, array in each.items()} for each in parameters]
    names = [scorer.lexicon.names for scorer in scorers]
    for path, its_shapes, its_names in zip(models, shapes, names, strict=True):
        missing = {
            name: shape
            for name, shape in shapes[0].items()
            if name not in its_shapes and name.startswith("layers.")
        }
        if its_names != names[0] or {**its_shapes, **missing} != shapes[0]:
            raise SystemExit(f"error: {path} has another vocabulary or size than {models[0]}")
    means = {}
    for name, array in parameters[0].items():
        others = [each[name] for each in parameters[1:] if name in each]
        count = len(models) if adds_to_vectors(name) else 1 + len(others)
        means[name] = (sum(others) + array) / np.float32(count)
    return means


if __name__ == "__main__":
    main()
