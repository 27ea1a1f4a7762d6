"""The cost of storing a neural model in 8 and 16 bits: BLEU before and after.

    python benchmarks/quantisation.py MODEL STATE --data TREEBANK

STATE is the file `state` in the folder of a training run (`<output>.training`). It holds the
parameters after the last epoch in 32 bits. MODEL is the file `best` beside it; only its lexicon
and vocabulary are used, so its epoch does not matter. A finished run removes its folder: copy both
files before that.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any, cast

import machine
import numpy as np
from records import Table, begin, finish, joined_signature, treebank_options

import syntagma
from syntagma.errors import ModelError
from syntagma.models.container import read_container
from syntagma.models.header import Header
from syntagma.models.model import Model, build_model
from syntagma.neural.lexicon import SUFFIX, Lexicon
from syntagma.neural.parameters import Dimensions, Floats, parameter_shapes, table_sizes
from syntagma.neural.scorer import NeuralScorer
from syntagma.neural.stored import StoredNetwork
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.conditions import MAIN_CONDITIONS


def main() -> None:
    arguments = parse_arguments()
    exact, stored, sizes = both(arguments.model, arguments.state)
    sentences = syntagma.read_treebank(arguments.data, exact.tag_column)[: arguments.limit]
    before, after = (
        syntagma.evaluate(linearizer, sentences, arguments.conditions, beam=arguments.beam)
        for linearizer in (exact, stored)
    )
    record = begin(arguments)
    record["sizes_mb"] = sizes
    record["sentences"] = len(sentences)
    record["beam"] = arguments.beam
    record["conditions"] = []
    for a, b in zip(before.figures, after.figures, strict=True):
        interval = syntagma.paired_bootstrap(a.outputs, b.outputs, before.references)
        same = sum(map(str.__eq__, a.outputs, b.outputs))
        record["conditions"].append(
            {
                "condition": a.condition,
                "exact": {"bleu": a.bleu, "exact": a.exact},
                "stored": {"bleu": b.bleu, "exact": b.exact},
                "interval": [interval.low, interval.high],
                "same": 100 * same / len(sentences),
                "signature": b.signature,
            }
        )
    finish(arguments, record, tabulate(record))


def parse_arguments() -> argparse.Namespace:
    parser = treebank_options(__doc__, MAIN_CONDITIONS)
    parser.add_argument("model", type=Path, metavar="MODEL", help="a model file of the run")
    parser.add_argument("state", type=Path, metavar="STATE", help="the state of the run")
    parser.add_argument("--beam", type=int, default=16)
    return parser.parse_args()


def both(
    model: Path, state: Path
) -> tuple[syntagma.Linearizer, syntagma.Linearizer, dict[str, float]]:
    """The network of a state in 32 bits and as a model file stores it, and both sizes in MB."""
    header, arrays = read_container(model)
    state_header, state_arrays = read_container(state)
    run = state_header.get("run", {})
    if header.get("scorer") != "neural" or "average" not in state_arrays:
        raise ModelError(f"{model} and {state} are not files of a neural training run")
    if {name: header.get(name) for name in run} != run:
        raise ModelError(f"{state} and {model} are not of the same training run")
    vocabulary = Vocabulary.from_arrays(arrays)
    suffix = header.get("suffix_length", SUFFIX)
    lexicon = Lexicon(StoredNetwork.from_arrays(arrays).names, suffix)
    dimensions = Dimensions(**header["dimensions"])
    shapes = parameter_shapes(
        dimensions,
        table_sizes(lexicon, vocabulary),
        lifting=header.get("lifting") is True,
    )
    parameters = cut(state_arrays["average"], shapes)
    network = StoredNetwork.from_parameters(lexicon, parameters)
    scorer = NeuralScorer.from_parameters(dimensions, lexicon, vocabulary, parameters)
    exact = Model(cast(Header, header), vocabulary, scorer)
    sizes = {
        "exact": sum(array.nbytes for array in parameters.values()) / 1e6,
        "stored": sum(array.nbytes for array in network.arrays.values()) / 1e6,
    }
    return (
        syntagma.Linearizer(exact),
        syntagma.Linearizer(build_model(header, vocabulary, network)),
        sizes,
    )


def cut(vector: Floats, shapes: dict[str, tuple[int, ...]]) -> dict[str, Floats]:
    """Cut the vector in which training keeps all parameters into parameters by name."""
    ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
    if ends[-1] != len(vector):
        raise ModelError(f"the state has {len(vector)} parameters, the network {ends[-1]}")
    parts = np.split(vector.copy(), ends[:-1])  # the vector of a file is read-only
    return {
        name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)
    }


def tabulate(record: dict[str, Any]) -> Table:
    sizes = record["sizes_mb"]
    table = Table(
        title=f"{record['data']['name']}, {record['sentences']} sentences, beam {record['beam']}",
        first="given",
        groups=[
            ("32 bits", ("BLEU", "exact %")),
            ("8 and 16 bits", ("BLEU", "exact %")),
            ("difference", ("BLEU", "95% interval", "same output %")),
        ],
    )
    for figures in record["conditions"]:
        exact, stored = figures["exact"], figures["stored"]
        low, high = figures["interval"]
        table.rows.append(
            [
                figures["condition"],
                f"{exact['bleu']:.2f}",
                f"{exact['exact']:.1f}",
                f"{stored['bleu']:.2f}",
                f"{stored['exact']:.1f}",
                f"{stored['bleu'] - exact['bleu']:+.2f}",
                f"{low:+.2f} to {high:+.2f}",
                f"{figures['same']:.1f}",
            ]
        )
    table.rows.append(["parameters", f"{sizes['exact']:.1f} MB", "", f"{sizes['stored']:.1f} MB"])
    signature = joined_signature(each["signature"] for each in record["conditions"])
    table.notes.append(f"BLEU {signature}")
    return table


if __name__ == "__main__":
    machine.start(main)
