"""Measures a model again on a development set and writes the figures into its header.

    python benchmarks/remeasure.py MODEL --dev TREEBANK

MODEL is the name of a shipped model or a file. It is measured as training does it: the same
conditions, 300 sentences spread evenly over the treebank, the search budget of training, without
language model. Only the field `figures` of the header changes; all else stays as it is, and the
file is replaced in one step. `--dry-run` prints the figures and leaves the file alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import machine

import syntagma
from syntagma.errors import ModelError
from syntagma.models.container import read_container, write_container
from syntagma.models.loading import load_model, model_path
from syntagma.request import Request
from syntagma.training.data import sample_evenly
from syntagma.training.run import measure_dev
from syntagma.treebanks.corpus import read_sentences
from syntagma.treebanks.settings import DEV_SENTENCES

NEURAL_BEAM = 16  # of `neural.training`, which cannot be imported without PyTorch


def main() -> None:
    arguments = parse_arguments()
    path = model_path(arguments.model)
    header, arrays = read_container(path)
    if "dev" not in header.get("figures", {}):
        raise ModelError(f"{path}: its header has no figures that could be measured again")
    before = header["figures"]["dev"]
    measured = measure(path, header, arguments.dev, arguments.threads)
    for name, bleu in measured.items():
        print(f"{name:<10} {before[name]:6.2f} → {bleu:6.2f}")
    if not arguments.dry_run:
        figures = {**header["figures"], "dev": measured, "measured_with": syntagma.__version__}
        write_container(path, {**header, "figures": figures}, arrays)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", metavar="MODEL", help="name or file of a model")
    parser.add_argument(
        "--dev",
        type=Path,
        required=True,
        metavar="FILE",
        help="the treebank or CCGbank (.auto) that training was measured on",
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    parser.add_argument("--dry-run", action="store_true", help="do not write the figures")
    return parser.parse_args()


def measure(path: Path, header: dict[str, Any], dev: Path, threads: int) -> dict[str, float]:
    """Dev BLEU by the conditions that the header names."""
    model = load_model(path, search=None, language_model=False)
    conditions = list(header["figures"]["dev"])
    sentences = sample_evenly(read_sentences(dev, model.header["tag_column"]), DEV_SENTENCES)
    realizer = model.realizer if "realize" in conditions else None
    return measure_dev(
        syntagma.Linearizer(model),
        sentences,
        conditions,
        budget(header),
        realizer,
        threads,
        labelled=not model.vocabulary.unlabelled,
    )


def budget(header: dict[str, Any]) -> Request:
    """The search budget with which training measures."""
    settings = header["settings"]
    if header.get("search") == "best-first":
        return Request(search="best-first", expansions=settings["dev_expansions"])
    return Request(beam=settings.get("beam", NEURAL_BEAM))


if __name__ == "__main__":
    machine.start(main)
