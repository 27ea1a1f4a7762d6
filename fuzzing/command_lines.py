"""The target `command-lines`: random arguments, standard input and files for every command."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, cast
from unittest import mock

from fuzzing import toys
from fuzzing.crafting import damage
from fuzzing.problems import ODD_TEXTS
from fuzzing.toys import Toy
from syntagma.cli.app import run
from syntagma.models.container import write_container

MODELS: dict[str, Callable[[], Toy]] = {
    "linear.syntagma": lambda: toys.linear("p16"),
    "neural.syntagma": toys.neural,
    "edges.syntagma": lambda: toys.best_first("dependency"),
    "ccg.syntagma": lambda: toys.best_first("ccg"),
    "lm.syntagma": toys.language_model_alone,
}
TREEBANK = """\
# sent_id = t1
# text = Owls hoot.
1\tOwls\towl\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_
2\thoot\thoot\tVERB\tVBP\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

# sent_id = t2
1\tA\ta\tDET\tDT\t_\t2\tdet\t_\t_
2\tfox\tfox\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\truns\trun\tVERB\tVBZ\t_\t0\troot\t_\t_

"""
FILES = {
    "trees.conllu": TREEBANK,
    "partial.conllu": "1\truns\t_\t_\t_\t_\t_\t_\t_\t_\n2\tfox\t_\t_\tNN\t_\t1\t_\t_\t_\n\n",
    "t1.conllu": """\
1\tfox\t_\tNOUN\tNN\tlin=-1\t2\tnsubj\t_\t_
2\trun\t_\tVERB\tVBZ\t_\t0\troot\t_\t_

""",
    "bags.txt": "dog the barked\nNew\\ York in live I .\n\nfox the fox saw\n",
    "bags.jsonl": """\
["fox", "the"]
{"words": [{"form": "saw", "head": 0}, "we"], "before": [[2, 1]]}
""",
    "orders.jsonl": """\
{"words": ["fox", "the", "saw"], "order": "the fox saw"}
{"words": ["fox", {"form": "the", "head": 1}, "saw"], "last": 3, "order": [1, 2, 3]}
{"order": ["we", "saw", "."]}
""",
    "trees.mrg": "( (S (NP-SBJ (DT The) (NN fox)) (VP (VBD ran) (NP (-NONE- *))) (. .)) )\n",
    "ccg.auto": toys.DERIVATIONS.strip() + "\n",
    "news.txt": "The fox ran. We saw it!\nOwls hoot.\n",
    "empty": "",
    "binary": "\x00\x01\x02\ufffd\n",
}
PLACES = (*FILES, *MODELS, "missing", "folder", "-", "missing/new", "")
# Every command but `serve`, which would not come to an end; schemathesis tries that.
POSITIONAL: dict[str, tuple[tuple[str, ...], ...]] = {
    "order": (toys.FORMS,) * 3,
    "realize": (toys.LEMMAS,) * 3,
    "score": (),
    "accept": (),
    "train": (PLACES, PLACES),
    "train-lm": (PLACES,),
    "add-lm": (PLACES, PLACES, PLACES),
    "fit-margin": (PLACES, PLACES),
    "evaluate": (),
    "convert": (PLACES, PLACES),
    "stats": (PLACES, PLACES),
    "info": (PLACES,),
}
# What may rightly take long, or changes the user's shell, is not drawn.
LEFT_OUT = {
    *("--help", "--threads", "--max-words", "--timeout", "--epochs"),
    *("--install-completion", "--show-completion"),
}
NUMBERS = ("0", "1", "2", "3", "4", "-1", "x", "", "1.5", "nan", "99999999999999999999", "٣")
TEXTS = ("none", "labelled", "en", "toy", "1,2", "0,0,1", "the dog barked", "fox the")


class CommandLines:
    """Commands run in this process, in an empty folder of their own."""

    def case(self, rng: Random) -> bytes:
        files = dict(FILES)
        for name in rng.sample(sorted(files), rng.choice((0, 0, 1, 2))):
            files[name] = damage(rng, files[name].encode()).decode("latin-1")
        stdin = rng.choice((*FILES.values(), "", "\x00", "x " * 700 + "\n"))
        arguments = _arguments(rng)
        return json.dumps({"arguments": arguments, "stdin": stdin, "files": files}).encode()

    def run(self, data: bytes) -> None:
        case = json.loads(data)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for name, text in case["files"].items():
                    Path(name).write_bytes(text.encode("utf-8", "surrogatepass"))
                for name in MODELS:
                    Path(name).write_bytes(_model(name))
                Path("folder").mkdir()
                self._run(case)
            finally:
                os.chdir(before)

    def _run(self, case: dict[str, Any]) -> None:
        inputs = {name: name.read_bytes() for name in Path().iterdir() if name.is_file()}
        given = io.BytesIO(case["stdin"].encode("utf-8", "surrogatepass"))
        stdin = io.TextIOWrapper(io.BufferedReader(cast(io.RawIOBase, given)))
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
        with (
            mock.patch.object(sys, "stdin", stdin),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = run(case["arguments"])
        out.flush()
        err.flush()
        printed = out.buffer.getvalue().decode()
        said = err.buffer.getvalue().decode()
        errors = [line for line in said.splitlines() if line.startswith("error:")]
        assert code in (0, 2), f"exit code {code}: {said[-300:]}"
        assert "Traceback" not in said or "--debug" in case["arguments"], said[-300:]
        assert (code == 2) == (len(errors) == 1), f"exit code {code}, but {errors}"
        for name, content in inputs.items():  # a file named once may be one to overwrite
            if case["arguments"].count(str(name)) != 1:
                assert name.read_bytes() == content, f"input changed: {name}"
        new = {str(name) for name in Path().iterdir()} - {str(name) for name in inputs} - {"folder"}
        unnamed = {name for name in new if not any(name in each for each in case["arguments"])}
        assert not unnamed, f"files that nobody asked for: {unnamed}"
        assert not list(Path("folder").iterdir()), "files that nobody asked for"
        if code == 0 and _option(case["arguments"], "--format") == "json" and "-o" not in said:
            for line in printed.splitlines():
                if line.startswith(("{", "[")):
                    json.loads(line)
        if code == 0 and printed.startswith("<svg "):
            ElementTree.fromstring(printed)


def _arguments(rng: Random) -> list[str]:
    if rng.random() < 0.02:
        return [_text(rng) for _ in range(rng.randrange(3))]
    name = rng.choice(sorted(POSITIONAL))
    required = dict.fromkeys(("train", "train-lm", "add-lm", "fit-margin"), ("--output",))
    required["convert"] = ("--from",)
    drawn = [
        [option] if kind is None else [option, _value(rng, option, kind)]
        for option, kind in _options(name)
        if rng.random() < (0.95 if option in required.get(name, ()) else 0.12)
    ]
    for choices in POSITIONAL[name]:
        if rng.random() < 0.9:
            drawn.append([_text(rng) if rng.random() < 0.05 else rng.choice(choices)])
    if name == "train":  # a network would take PyTorch and minutes
        drawn += [["--scorer", "linear"], ["--epochs", "1"], ["--beam", "2"]]
    rng.shuffle(drawn)
    arguments = [name, *(each for group in drawn for each in group)]
    if name not in (*required, "info", "stats") and rng.random() < 0.7:
        arguments += ["--model", rng.choice(sorted(MODELS))]
    if rng.random() < 0.05:
        arguments.insert(rng.randrange(1, len(arguments) + 1), _text(rng))
    return arguments


def _value(rng: Random, option: str, kind: str) -> str:
    """A value of an option, mostly of the kind that its help names."""
    if rng.random() < 0.05:
        return _text(rng)
    if "|" in kind and kind.islower():
        return rng.choice(kind.split("|"))
    if kind in ("N", "X", "SECONDS", "LOSS"):
        return rng.choice(NUMBERS)
    if option in ("--output", "--json"):
        return rng.choice(("new", "new.arpa", "new.json", *PLACES))
    return rng.choice(PLACES if "FILE" in kind else (*TEXTS, *toys.FORMS))


@cache
def _options(name: str) -> list[tuple[str, str | None]]:
    """The options of a command as its help lists them, with the kind of their value."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        run([name, "--help"])
    found = re.findall(r"^  (?:-\w, )?(--[\w-]+)(?: (\S+))?", printed.getvalue(), re.MULTILINE)
    return [(option, kind or None) for option, kind in found if option not in LEFT_OUT]


def _text(rng: Random) -> str:
    """Text as it may stand in an argument: a byte that is not UTF-8 is a surrogate there, and null
    characters are impossible."""
    text = rng.choice((*ODD_TEXTS, "--", "--x", "-h", "--version", "=", "--beam="))
    return text.replace("\0", "0").replace("\ud800", "\udcff")


def _option(arguments: list[str], name: str) -> str | None:
    return arguments[arguments.index(name) + 1] if name in arguments[:-1] else None


@cache
def _model(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        write_container(path, *MODELS[name]())
        return path.read_bytes()
