"""Learns again which forms the lemmas of a model take: its lexicon and its choice of forms.

    python benchmarks/relearn.py MODEL --treebank TRAIN --output NEW

reads the treebank that the model was trained on and writes the model with what a training run of
this version would learn about forms. All other sections, and the header, stay as they are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import syntagma
from syntagma.errors import ModelError
from syntagma.models.container import read_container, write_container
from syntagma.models.loading import model_path
from syntagma.realization import transducer
from syntagma.realization.form_choice import FormContext
from syntagma.realization.training import learn_realizer


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", help="a name or a file")
    parser.add_argument("--treebank", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    for name, before, after in relearn(arguments.model, arguments.treebank, arguments.output):
        print(f"{name}: {before} bytes, now {after}")


def relearn(model: str | Path, treebank: Path, output: Path) -> list[tuple[str, int, int]]:
    """Write the model; the sections that changed, and their sizes before and after."""
    header, arrays = read_container(model_path(model))
    sentences = syntagma.read_treebank(treebank, header["tag_column"])
    realizer = learn_realizer(sentences, str(header.get("language", "")))
    parts = (realizer.inflector, realizer.choice, realizer.context)
    learned = {name: array for part in parts for name, array in part.to_arrays().items()}
    new = {name for name in learned if name.startswith(transducer.PREFIX)} | {FormContext.SECTION}
    missing = sorted(learned.keys() - arrays.keys() - new)
    if missing:
        raise ModelError(f"{model} has no section {missing[0]}: it has not learned to realize")
    write_container(output, header, {**arrays, **learned})
    return [
        (name, arrays[name].nbytes if name in arrays else 0, array.nbytes)
        for name, array in learned.items()
        if name not in arrays or arrays[name].tobytes() != array.tobytes()
    ]


if __name__ == "__main__":
    main()
