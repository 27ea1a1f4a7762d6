"""Checks that two versions of Syntagma give the same output, byte for byte.

    python benchmarks/regression.py record BEFORE --command old/.venv/bin/syntagma --data DEV
    python benchmarks/regression.py record AFTER --command .venv/bin/syntagma --data DEV
    python benchmarks/regression.py compare BEFORE AFTER

`record` runs one version on a treebank and keeps what it prints in a folder: orders under the five
main conditions, n-best lists, realisations, scores of given orders, and models trained from a fixed
seed. It uses the command line only, so that it can record any version, and builds its inputs by
itself. What is there already is not recorded again. `compare` names every file that differs; of
models it names the header fields.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
# By condition: the shares of tags and of arcs that are given, and whether arcs carry labels.
CONDITIONS = {
    "none": (0.0, 0.0, False),
    "pos": (1.0, 0.0, False),
    "half": (0.5, 0.5, False),
    "tree": (1.0, 1.0, False),
    "labelled": (1.0, 1.0, True),
}
EXPANSIONS = 300  # of best-first search: a limit in seconds would depend on the machine
TRAINING_SENTENCES, TRAINING_DEV = 200, 40
ALLOWED = {"created_with"}  # header fields of a model in which versions may differ


class Row(NamedTuple):
    """A word of a treebank, as its CoNLL-U columns have it."""

    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    deprel: str


class Ordering(NamedTuple):
    """A model, its search options, the column of its tags, and what it can be given."""

    model: str
    options: tuple[str, ...]
    tags: str
    conditions: tuple[str, ...]


MODELS = {
    "en": Ordering("en", (), "xpos", tuple(CONDITIONS)),
    "en-linear": Ordering(
        str(ROOT / "benchmarks/models/en-linear.syntagma"), (), "xpos", tuple(CONDITIONS)
    ),
    "en-best-first": Ordering(
        "en-best-first",
        ("--search", "best-first", "--expansions", str(EXPANSIONS)),
        "xpos",
        tuple(CONDITIONS),
    ),
    "en-ccg": Ordering(
        str(ROOT / "benchmarks/models/en-ccg.syntagma"),
        ("--search", "best-first", "--expansions", str(EXPANSIONS)),
        "upos",
        ("none", "pos"),
    ),
}


def main() -> None:
    arguments = parse_arguments()
    if arguments.action == "compare":
        sys.exit(compare(arguments.before, arguments.after))
    record(arguments)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    actions = parser.add_subparsers(dest="action", required=True)
    recording = actions.add_parser("record", help="run one version and keep what it prints")
    recording.add_argument("folder", type=Path)
    recording.add_argument(
        "--command",
        type=shlex.split,
        default=[str(Path(sys.executable).parent / "syntagma")],
        help="the `syntagma` of the version; default: the one beside this Python",
    )
    recording.add_argument("--data", type=Path, required=True, help="a treebank in CoNLL-U")
    recording.add_argument("--ccg", type=Path, help="a CCGbank to train a CCG model on")
    recording.add_argument("--limit", type=int, help="its first sentences only")
    recording.add_argument("--threads", type=int, default=1)
    recording.add_argument(
        "--only", nargs="+", metavar="NAME", help="parts to record: model names, realize, train"
    )
    comparing = actions.add_parser("compare", help="name the files in which two records differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    return parser.parse_args()


def record(arguments: argparse.Namespace) -> None:
    folder: Path = arguments.folder
    (folder / "inputs").mkdir(parents=True, exist_ok=True)
    sentences = list(read_rows(arguments.data))[: arguments.limit]
    run = Recorder(folder, arguments.command, arguments.threads)

    def wanted(name: str) -> bool:
        return not arguments.only or name in arguments.only

    for name, ordering in MODELS.items():
        if wanted(name):
            record_orders(run, name, ordering, sentences)
    for name in ("en", "en-linear"):
        if wanted(name):
            record_scores(run, name, sentences)
    if wanted("realize"):
        lemmas = run.input("lemmas.jsonl", map(lemma_problem, sentences))
        for suffix, options in (("", ()), (".n-best", ("--n-best", "3"))):
            run.command(
                f"realize{suffix}.jsonl", "realize", "--file", lemmas, "--format", "json", *options
            )
        run.command("realize.conllu", "realize", "--file", lemmas, "--format", "conllu")
    if wanted("train"):
        record_training(run, arguments.data, arguments.ccg)


class Recorder:
    """Runs commands of one version; the output of each is a file of the folder."""

    def __init__(self, folder: Path, command: Sequence[str], threads: int) -> None:
        self.folder = folder
        self.prefix = list(command)
        self.threads = threads

    def input(self, name: str, problems: Iterator[Any] | map[Any]) -> str:
        path = self.folder / "inputs" / name
        text = "".join(json.dumps(problem, ensure_ascii=False) + "\n" for problem in problems)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def command(self, name: str, *arguments: str) -> None:
        """Run a command that orders or realizes; its output appears when it is complete."""
        threads = ("--threads", str(self.threads))
        self.run(name, *arguments, *threads, "--output", str(self.folder / name))

    def run(self, name: str, *arguments: str) -> str:
        """Run any command that makes the file `name`, unless it is there; what it prints."""
        if (self.folder / name).exists():
            return ""
        started = time.perf_counter()
        done = subprocess.run(
            [*self.prefix, *arguments],
            check=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        print(f"{name}: {time.perf_counter() - started:.1f} s", flush=True)
        return done.stdout


def record_orders(
    run: Recorder, name: str, ordering: Ordering, sentences: Sequence[Sequence[Row]]
) -> None:
    for condition in ordering.conditions:
        problems = (
            bag(rows, index, condition, ordering.tags) for index, rows in enumerate(sentences)
        )
        file = run.input(f"{condition}.{ordering.tags}.jsonl", problems)
        common = ("order", "--file", file, "--model", ordering.model, *ordering.options)
        run.command(f"{name}.{condition}.jsonl", *common, "--format", "json")
        run.command(
            f"{name}.{condition}.n-best.jsonl", *common, "--n-best", "3", "--format", "json"
        )


def record_scores(run: Recorder, name: str, sentences: Sequence[Sequence[Row]]) -> None:
    """Scores of the gold order and of one with two words swapped, for 30 short sentences."""
    chosen = [rows for rows in sentences if 4 <= len(rows) <= 12][:30]
    output = run.folder / f"{name}.scores.txt"
    if output.exists():
        return
    lines = []
    for index, rows in enumerate(chosen):
        forms = [row.form for row in rows]
        swapped = [*forms[:-2], forms[-1], forms[-2]]
        file = run.input(f"score-{index}.json", iter([bag(rows, index, "tree", "xpos")]))
        lines.append(
            run.run(
                f"{name}.score-{index}",
                *("score", "--file", file, "--model", MODELS[name].model),
                *("--order", " ".join(forms), "--order", " ".join(forms[::-1])),
                *("--format", "json"),
            )
            if is_projective(rows)
            else run.run(
                f"{name}.score-{index}",
                *("score", *forms, "--model", MODELS[name].model),
                *("--order", " ".join(forms), "--order", " ".join(swapped)),
            )
        )
    output.write_text("".join(lines), encoding="utf-8")


def record_training(run: Recorder, data: Path, ccg: Path | None) -> None:
    """A model of each learner from the first sentences of the treebank, from a fixed seed."""
    train, dev = (run.folder / "inputs" / f"{part}.conllu" for part in ("train", "dev"))
    blocks = data.read_text(encoding="utf-8").strip().split("\n\n")
    train.write_text("\n\n".join(blocks[:TRAINING_SENTENCES]) + "\n\n", encoding="utf-8")
    held_out = blocks[TRAINING_SENTENCES : TRAINING_SENTENCES + TRAINING_DEV]
    dev.write_text("\n\n".join(held_out) + "\n\n", encoding="utf-8")
    common = ("--epochs", "2", "--seed", "3")
    kinds: dict[str, tuple[str, ...]] = {
        "neural": ("--realize", "--language", "English"),
        "neural-start": ("--start", "en", "--epochs", "1"),
        "linear": ("--scorer", "linear", "--beam", "8"),
        "linear-l15": ("--scorer", "linear", "--beam", "4", "--features", "l15"),
        "best-first": ("--search", "best-first", "--expansions", "100"),
    }
    for kind, options in kinds.items():
        name = f"{kind}.syntagma"
        output = ("--output", str(run.folder / name), "--name", kind)
        run.run(name, "train", str(train), str(dev), *output, *common, *options)
    if ccg is not None:
        lines = ccg.read_text(encoding="utf-8").splitlines(keepends=True)
        parts = {"ccg-train.auto": lines[:400], "ccg-dev.auto": lines[400:440]}
        for part, chosen in parts.items():
            (run.folder / "inputs" / part).write_text("".join(chosen), encoding="utf-8")
        run.run(
            "ccg.syntagma",
            *("train", *(str(run.folder / "inputs" / part) for part in parts)),
            *("--output", str(run.folder / "ccg.syntagma"), "--name", "ccg", *common),
            *("--search", "best-first", "--grammar", "ccg", "--expansions", "100"),
        )
    run.run("words.lm", "train-lm", str(train), "--output", str(run.folder / "words.lm"))
    run.run(
        "with-lm.syntagma",
        *("add-lm", str(run.folder / "linear.syntagma"), str(run.folder / "words.lm"), str(dev)),
        *("--output", str(run.folder / "with-lm.syntagma"), "--limit", "10"),
    )


def read_rows(path: Path) -> Iterator[list[Row]]:
    """The syntactic words of each sentence."""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        columns = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        yield [Row(*row[:8]) for row in columns if row[0].isdigit()]


def bag(rows: Sequence[Row], index: int, condition: str, tags: str) -> dict[str, Any]:
    """The words of a sentence as a problem, shuffled; the same whenever it is recorded."""
    tag_share, arc_share, labelled = CONDITIONS[condition]
    rng = random.Random(f"regression:{index}")
    draws = [(rng.random(), rng.random()) for _ in rows]
    places = list(range(len(rows)))
    rng.shuffle(places)
    position = {rows[place].id: at for at, place in enumerate(places, start=1)}
    words = []
    for place in places:
        row, (tag_draw, arc_draw) = rows[place], draws[place]
        word: dict[str, Any] = {"form": row.form}
        if tag_draw < tag_share:
            word["tag"] = row.xpos if tags == "xpos" else row.upos
        if arc_draw < arc_share:
            word["head"] = position.get(row.head, 0)
            if labelled:
                word["deprel"] = row.deprel
        words.append(word)
    return {"words": words, "id": str(index)}


def lemma_problem(rows: Sequence[Row]) -> dict[str, Any]:
    words = [
        {
            "lemma": row.lemma if row.lemma != "_" else row.form,
            "tag": row.xpos,
            "head": int(row.head),
            "deprel": row.deprel,
            "features": "" if row.feats == "_" else row.feats,
        }
        for row in rows
    ]
    return {"words": words}


def is_projective(rows: Sequence[Row]) -> bool:
    heads = [int(row.head) for row in rows]
    arcs = [sorted(arc) for arc in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def compare(before: Path, after: Path) -> int:
    """Print what differs; the exit code: 0 if nothing does that matters."""
    names = sorted(
        {path.name for folder in (before, after) for path in folder.iterdir() if path.is_file()}
    )
    different = 0
    for name in names:
        found = difference(before / name, after / name)
        different += found is not None and not found.startswith("same")
        print(f"{name}: {found or 'same'}")
    print(f"{len(names)} files, {different} differ")
    return int(different > 0)


def difference(before: Path, after: Path) -> str | None:
    if not before.exists() or not after.exists():
        return f"only in {(before if before.exists() else after).parent}"
    a, b = before.read_bytes(), after.read_bytes()
    if a == b:
        return None
    if not a.startswith(b"SYNTAGMA"):
        pairs = zip(a.splitlines(), b.splitlines(), strict=False)
        lines = [number for number, (x, y) in enumerate(pairs, start=1) if x != y]
        return f"{len(lines)} lines differ, the first: {lines[:5]}"
    (header_a, sections_a), (header_b, sections_b) = parse_model(a), parse_model(b)
    if sections_a != sections_b:
        return "the sections differ"
    fields = [path for path in differing_fields(header_a, header_b) if path[-1] not in ALLOWED]
    if fields:
        return f"the header differs in {', '.join('.'.join(path) for path in fields)}"
    return f"same but for {', '.join(sorted(ALLOWED))}"


def differing_fields(a: Any, b: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of the innermost fields in which two headers differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            yield from differing_fields(a.get(key), b.get(key), (*path, key))
    elif a != b:
        yield path


def parse_model(data: bytes) -> tuple[dict[str, Any], tuple[Any, bytes]]:
    """The header of a model file, and the rest of the file; layout: models/container.py."""
    (size,) = struct.unpack_from("<I", data, 12)
    index = json.loads(data[28 : 28 + size])
    return index["header"], (index["sections"], data[28 + size :])


if __name__ == "__main__":
    main()
