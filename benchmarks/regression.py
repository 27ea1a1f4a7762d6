"""Checks that two versions of Syntagma give the same output, byte for byte.

    python benchmarks/regression.py record BEFORE --command old/.venv/bin/syntagma
    python benchmarks/regression.py record AFTER --command .venv/bin/syntagma
    python benchmarks/regression.py compare BEFORE AFTER

`record` runs one version and keeps what it prints, a folder for each part: the shipped models
(orders under the five main conditions, n-best lists, diverse ones, realisations, scores and
judgements of given orders), the output formats, and models trained from a fixed seed by each
learner. It uses the command line only, so that it can record any version, and builds its inputs
itself. What is recorded already is not recorded again. `compare` names every file that differs; of
models it names the header fields. JSON of the later version may have keys that the earlier one
lacks: they are ignored and reported. `--quick` leaves out training and most languages.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SYNTAGMA_DATA", ROOT.parent / "shared" / "data"))
# By condition: the shares of tags and of arcs that are given, and whether arcs carry labels.
CONDITIONS = {
    "none": (0.0, 0.0, False),
    "pos": (1.0, 0.0, False),
    "half": (0.5, 0.5, False),
    "tree": (1.0, 1.0, False),
    "labelled": (1.0, 1.0, True),
}
BUDGET = ("--expansions", "200")  # of best-first search: a time limit depends on the machine
BEST_FIRST = ("--search", "best-first", *BUDGET)
SENTENCES = 20  # of each treebank, under each condition
LONGEST = 25  # words
TRAINING_SENTENCES, TRAINING_DEV = 100, 20
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


class ShippedModel(NamedTuple):
    """A model, a treebank of its language, the column of its tags, and what it can do."""

    model: str
    treebank: str = "en_ewt"
    tags: str = "xpos"
    options: tuple[str, ...] = ()  # of its search
    conditions: tuple[str, ...] = tuple(CONDITIONS)
    realizes: bool = True


def _package(language: str, treebank: str, tags: str = "upos") -> ShippedModel:
    path = ROOT / "languages" / language / f"syntagma_{language}" / f"{language}.syntagma"
    return ShippedModel(str(path), treebank, tags)


MODELS = {
    "en": ShippedModel("en"),
    "en-linear": ShippedModel(str(ROOT / "benchmarks/models/en-linear.syntagma"), realizes=False),
    "en-best-first": ShippedModel("en-best-first", options=BEST_FIRST, realizes=False),
    "en-ccg": ShippedModel(
        str(ROOT / "benchmarks/models/en-ccg.syntagma"),
        tags="upos",
        options=BEST_FIRST,
        conditions=("none", "pos"),
        realizes=False,
    ),
    "fr": _package("fr", "fr_sequoia"),
    "id": _package("id", "id_gsd"),
    "ko": _package("ko", "ko_gsd", "xpos"),
    "pt": _package("pt", "pt_bosque"),
    "ru": _package("ru", "ru_taiga"),
    "vi": _package("vi", "vi_vtb"),
    "zh": _package("zh", "zh_gsd", "xpos"),
}
FORMATS, TRAINING = "formats", "training"
PARTS = (*MODELS, FORMATS, TRAINING)
QUICK = ("en", "en-linear", "en-best-first", "fr", FORMATS)

# The options of `train`, by model; those named after papers are presets.
LEARNERS: dict[str, tuple[str, ...]] = {
    "neural": ("--language", "en"),
    "neural-pretrained": ("--pretrain", "{dev}", "--pretrain-epochs", "1", "--no-realize"),
    "neural-grown": ("--start", "{neural}", "--layers", "4", "--hidden", "160"),
    "neural-bags": ("--start", "{neural}", "--specialize", "bags"),
    "linear": ("--scorer", "linear", "--beam", "8", "--realize"),
    "l15": ("--preset", "l15", "--beam", "4"),
    "p16": ("--preset", "p16", "--beam", "4"),
    "best-first": ("--search", "best-first", "--expansions", "100", "--realize"),
    "best-first-lm": ("--search", "best-first", "--expansions", "100", "--lm", "{words}"),
    "zc15": ("--preset", "zc15", "--expansions", "50"),
    "z13": ("--preset", "z13", "--expansions", "50"),
}
SMALL = ("--width", "64", "--layers", "2")  # a network that is new


def main() -> None:
    arguments = parse_arguments()
    parts = arguments.only or (QUICK if arguments.quick else PARTS)
    if arguments.action == "compare":
        sys.exit(compare(arguments.before, arguments.after, parts))
    for part in parts:
        run = Recorder(arguments.folder / part, arguments.command)
        if part == FORMATS:
            record_formats(run, arguments.data)
        elif part == TRAINING:
            record_training(run, arguments.data)
        else:
            record_model(run, MODELS[part], arguments.data)


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
    recording.add_argument(
        "--data", type=Path, default=DATA, help="folder with ud/ and ccg/; default: %(default)s"
    )
    comparing = actions.add_parser("compare", help="name the files in which two records differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    for action in (recording, comparing):
        action.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"of {PARTS}")
        action.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    return parser.parse_args()


class Recorder:
    """Runs commands of one version; the output of each is a file of the folder."""

    def __init__(self, folder: Path, command: Sequence[str]) -> None:
        self.folder = folder
        self.prefix = list(command)
        (folder / "inputs").mkdir(parents=True, exist_ok=True)

    def input(self, name: str, text: str) -> str:
        path = self.folder / "inputs" / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def printed(self, name: str, *arguments: str) -> None:
        """Keep what a command prints."""
        path = self.folder / name
        if not path.exists():
            path.write_bytes(self._run(name, arguments))

    def written(self, name: str, *arguments: str) -> str:
        """Keep the file that a command writes; returns its path."""
        path = self.folder / name
        if not path.exists():
            self._run(name, (*arguments, "--output", str(path)))
        return str(path)

    def _run(self, name: str, arguments: Sequence[str]) -> bytes:
        started = time.perf_counter()
        done = subprocess.run([*self.prefix, *arguments], capture_output=True)
        if done.returncode:
            sys.exit(f"{shlex.join([*self.prefix, *arguments])}\n{done.stderr.decode()}")
        print(f"{self.folder.name}/{name}: {time.perf_counter() - started:.1f} s", flush=True)
        return done.stdout


def record_model(run: Recorder, model: ShippedModel, data: Path) -> None:
    """All that a shipped model does: it orders, scores, judges and realizes."""
    sentences = read_sentences(dev_file(data, model.treebank), SENTENCES)
    bags = [
        bag(rows, index, condition, model.tags)
        for index, rows in enumerate(sentences)
        for condition in model.conditions
    ]
    judged = [
        {**bag(rows, index, condition, model.tags), "order": " ".join(order)}
        for index, rows in enumerate(sentences)
        for condition in ("none", "pos")
        for order in orders(rows)
    ]
    with_model = ("--model", model.model)
    problems = ("--file", run.input("bags.jsonl", json_lines(bags)), *with_model)
    as_json = ("--format", "json")
    run.printed("order.jsonl", "order", *problems, *model.options, *as_json)
    run.printed("n-best.jsonl", "order", *problems, *model.options, "--n-best", "3", *as_json)
    if not model.options:
        run.printed("diverse.txt", "order", *problems, "--n-best", "3", "--diverse")
        run.printed("narrow.jsonl", "order", *problems, "--projective", "--beam", "4", *as_json)
        run.printed("no-lm.txt", "order", *problems, "--no-lm")
        file = run.input("orders.jsonl", json_lines(judged))
        if model.realizes:  # trained with a margin, too
            run.printed("accept.jsonl", "accept", "--file", file, *with_model, *as_json)
        run.printed("accept.txt", "accept", "--file", file, *with_model, "--margin", "0.5")
        record_scores(run, model, sentences)
    if model.realizes:
        lemmas = json_lines(lemma_problem(rows, model.tags) for rows in sentences)
        of_lemmas = ("realize", "--file", run.input("lemmas.jsonl", lemmas), *with_model)
        run.printed("realize.jsonl", *of_lemmas, *as_json)
        run.printed("realize.n-best.jsonl", *of_lemmas, "--n-best", "3", *as_json)
        run.printed("realize.diverse.txt", *of_lemmas, "--n-best", "3", "--diverse")


def record_scores(run: Recorder, model: ShippedModel, sentences: Sequence[Sequence[Row]]) -> None:
    """Scores of orders of a bag, with a tree and without, and of sentences without a bag."""
    with_model = ("--model", model.model)
    shortest = min((rows for rows in sentences if is_projective(rows)), key=len)
    given = [argument for order in orders(shortest) for argument in ("--order", " ".join(order))]
    for condition in ("none", "labelled"):
        problem = json_lines([bag(shortest, 0, condition, model.tags)])
        file = run.input(f"score-{condition}.jsonl", problem)
        run.printed(
            f"score.{condition}.jsonl",
            *("score", "--file", file, *given, *with_model, "--format", "json"),
        )
    texts = [argument for rows in sentences for argument in ("--order", text(rows))]
    run.printed("score.txt", "score", *texts, *with_model)


def record_formats(run: Recorder, data: Path) -> None:
    """The formats of inputs and outputs, with the default model."""
    path = dev_file(data, "en_ewt")
    trees = run.input("trees.conllu", first_blocks(path, 8))
    sentences = read_sentences(path, 8)
    bags = "".join(" ".join(shuffled(rows)) + "\n" for rows in sentences)
    lines = run.input("bags.txt", bags)
    for kind in ("text", "json", "conllu", "tree", "html"):
        run.printed(f"order.trees.{kind}", "order", "--file", trees, "--format", kind)
        run.printed(f"order.bags.{kind}", "order", "--file", lines, "--format", kind)
    for kind in ("text", "json", "conllu", "sr", "tree"):
        run.printed(f"realize.trees.{kind}", "realize", "--file", trees, "--format", kind)
    run.printed("order.svg", "order", "--format", "svg", "dog", "the", "barked")
    run.printed("detokenised.txt", "order", "--file", lines, "--text", "--n-best", "2")
    run.printed("raw.txt", "order", "--tokenize", "--file", lines)
    run.printed("accept.trees.json", "accept", "--file", trees, "--format", "json")
    run.printed("accept.bags.txt", "accept", "--file", lines)
    run.printed("phrase.txt", "score", "New York", "is", "big", "--order", "New York is big")
    ccg = ("--model", MODELS["en-ccg"].model, *BEST_FIRST, "big", "dogs", "bark")
    for kind in ("auto", "indented", "tree"):
        run.printed(f"ccg.{kind}", "order", *ccg, "--format", kind)


def record_training(run: Recorder, data: Path) -> None:
    """A model of each learner from the first sentences of a treebank, from a fixed seed."""
    files = {}
    for language, treebank in (("", "en_ewt"), ("nl-", "nl_mixed")):
        blocks = first_blocks(dev_file(data, treebank), TRAINING_SENTENCES + TRAINING_DEV)
        cut = blocks.split("\n\n")
        for part, chosen in (
            ("train", cut[:TRAINING_SENTENCES]),
            ("dev", cut[TRAINING_SENTENCES:-1]),
        ):
            name = language + part
            files[name] = run.input(f"{name}.conllu", "\n\n".join(chosen) + "\n\n")
    files["words"] = run.written("words.lm", "train-lm", files["train"], "--min-count", "2")
    run.written("words.arpa", "train-lm", files["train"], "--order", "3", "--prune", "0")
    common = ("--epochs", "2", "--seed", "3")
    for name, options in LEARNERS.items():
        new = SMALL if name.startswith("neural") and "--start" not in options else ()
        files[name] = run.written(
            f"{name}.syntagma",
            *("train", files["train"], files["dev"], *common, *new),
            *(option.format_map(files) for option in options),
        )
    # Dutch has non-projective trees, whose arcs are lifted; its development set is held out.
    for name, options in (("nl", SMALL), ("nl-linear", ("--scorer", "linear", "--beam", "4"))):
        run.written(f"{name}.syntagma", "train", files["nl-train"], *common, *options)
    ccg = dev_file(data, "en_ewt", "ccg").read_text(encoding="utf-8").splitlines(keepends=True)
    run.written(
        "ccg.syntagma",
        *("train", run.input("ccg-train.auto", "".join(ccg[:200]))),
        *(run.input("ccg-dev.auto", "".join(ccg[200:240])), *common),
        *("--search", "best-first", "--grammar", "ccg", "--expansions", "100"),
    )
    run.written(
        "with-lm.syntagma",
        *("add-lm", files["linear"], files["words"], files["dev"], "--limit", "10"),
    )
    dev = run.input("margin.conllu", first_blocks(dev_file(data, "en_ewt"), 200))
    run.written("with-margin.syntagma", "fit-margin", files["linear"], dev)


def dev_file(data: Path, treebank: str, kind: str = "ud") -> Path:
    (path,) = (data / kind / treebank).glob("*-dev.*")
    return path


def first_blocks(path: Path, count: int) -> str:
    """The first sentences of a CoNLL-U file."""
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    return "\n\n".join(blocks[:count]) + "\n\n"


def read_sentences(path: Path, count: int) -> list[list[Row]]:
    """The syntactic words of the first sentences that are neither trivial nor long."""
    found = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        columns = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        rows = [Row(*row[:8]) for row in columns if row[0].isdigit()]
        if 4 <= len(rows) <= LONGEST:
            found.append(rows)
        if len(found) == count:
            break
    return found


def json_lines(values: Iterable[Any]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def text(rows: Sequence[Row]) -> str:
    return " ".join(row.form for row in rows)


def orders(rows: Sequence[Row]) -> list[list[str]]:
    """The gold order of a sentence, and the same with two words swapped."""
    forms = [row.form for row in rows]
    return [forms, [*forms[:-3], forms[-2], forms[-3], forms[-1]]]


def shuffled(rows: Sequence[Row]) -> list[str]:
    forms = [row.form for row in rows]
    random.Random(" ".join(forms)).shuffle(forms)
    return forms


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
    return {"words": words, "id": f"{condition}-{index}"}


def lemma_problem(rows: Sequence[Row], tags: str) -> dict[str, Any]:
    words = [
        {
            "lemma": row.lemma if row.lemma != "_" else row.form,
            "tag": row.xpos if tags == "xpos" else row.upos,
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


def compare(before: Path, after: Path, parts: Sequence[str]) -> int:
    """Print what differs; the exit code: 0 if nothing does that matters."""
    names = sorted(
        {
            f"{part}/{path.name}"
            for folder in (before, after)
            for part in parts
            if (folder / part).is_dir()
            for path in (folder / part).iterdir()
            if path.is_file()
        }
    )
    different = 0
    new_keys: set[str] = set()
    for name in names:
        found = difference(before / name, after / name, new_keys)
        different += found is not None
        if found is not None:
            print(f"{name}: {found}")
    if new_keys:
        print(f"ignored, only in {after}: {', '.join(sorted(new_keys))}")
    print(f"{len(names)} files, {different} differ")
    return int(different > 0 or not names)


def difference(before: Path, after: Path, new_keys: set[str]) -> str | None:
    """How two files differ; keys that only the later one has are added to `new_keys`."""
    if not before.exists() or not after.exists():
        return f"only in {(before if before.exists() else after).parent}"
    a, b = before.read_bytes(), after.read_bytes()
    if a == b:
        return None
    if a.startswith(b"SYNTAGMA"):
        (header_a, sections_a), (header_b, sections_b) = parse_model(a), parse_model(b)
        if sections_a != sections_b:
            return "the sections differ"
        fields = [
            path
            for path in differing_fields(header_a, without_new_keys(header_a, header_b, new_keys))
            if path[-1] not in ALLOWED
        ]
        if fields:
            return f"the header differs in {', '.join('.'.join(path) for path in fields)}"
        return None
    lines_a, lines_b = a.splitlines(), b.splitlines()
    if len(lines_a) != len(lines_b):
        return f"{len(lines_a)} lines became {len(lines_b)}"
    pairs = zip(lines_a, lines_b, strict=True)
    differing = [
        number
        for number, (x, y) in enumerate(pairs, start=1)
        if x != y and not is_same_json(x, y, new_keys)
    ]
    return f"{len(differing)} lines differ, the first: {differing[:5]}" if differing else None


def is_same_json(before: bytes, after: bytes, new_keys: set[str]) -> bool:
    """Whether two lines are the same JSON but for new keys; the order of keys counts."""
    try:
        a, b = json.loads(before), json.loads(after)
    except ValueError:
        return False
    return json.dumps(a) == json.dumps(without_new_keys(a, b, new_keys))


def without_new_keys(before: Any, after: Any, new_keys: set[str]) -> Any:
    """The later of two JSON values without the keys that the earlier one lacks."""
    if isinstance(before, dict) and isinstance(after, dict):
        new_keys.update(after.keys() - before.keys())
        return {
            key: without_new_keys(before[key], value, new_keys)
            for key, value in after.items()
            if key in before
        }
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = zip(before, after, strict=True)
        return [without_new_keys(x, y, new_keys) for x, y in pairs]
    return after


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
