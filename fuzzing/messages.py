"""The target `messages`: control characters wherever a file or its name can hold them. None reaches
the terminal with a message, and no message is long.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzzing import toys
from fuzzing.command_lines import TREEBANK
from fuzzing.crafting import ModelFile
from syntagma import Problem, SyntagmaError, Word, load
from syntagma.cli.app import run
from syntagma.errors import visible

LONGEST_LINE = 40_000  # one value of a header may have thousands of characters, all of them escapes
LONGEST_MESSAGE = 6_000
CONTROLS = (
    *map(chr, (*range(0x20), *range(0x7F, 0xA0))),
    *"\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff",
    *("\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\r\n", "\nerror: ", "\x1b[", "\u2066\u202e"),
)
PLAIN = (
    "",
    "a",
    "NN",
    "é",
    "日本",
    "\\",
    "=",
    "|",
    ":",
    "…",
    "\u200d",
    "\xa0",
    "x" * 100,
    "x" * 3_000,
)
COLUMNS = ("form", "lemma", "tag", "deprel", "features", "upos")
USUAL = {
    "form": "fox",
    "lemma": "fox",
    "tag": "NN",
    "deprel": "obj",
    "features": "A=b",
    "upos": "X",
}


class Messages:
    """Commands run in this process, in a folder of their own."""

    def case(self, rng: Random) -> bytes:
        kind = rng.choice(("conllu", "conllu", "json", "library", "header", "header", "treebank"))
        words = []
        for _ in range(rng.randint(1, 4)):
            odd = rng.sample(COLUMNS, rng.choice((0, 1, 1, 2)))
            words.append({each: _text(rng) if each in odd else USUAL[each] for each in COLUMNS})
        return json.dumps(
            {
                "kind": kind,
                "name": _text(rng)[:40].replace("/", "").replace("\0", ""),
                "words": words,
                "text": _text(rng),
                "field": rng.randrange(1 << 16),
                "command": rng.randrange(6),
                "debug": rng.random() < 0.1,
            }
        ).encode()

    def run(self, data: bytes) -> None:
        case = json.loads(data)
        if case["kind"] == "library":
            _use_library(case)
            return
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        before = os.getcwd()
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            os.chdir(folder)
            try:
                _COMMANDS[case["kind"]](case)
            finally:
                os.chdir(before)


def _order_conllu(case: dict[str, Any]) -> None:
    rows = []
    for number, word in enumerate(case["words"], start=1):
        columns = [word[each] for each in ("form", "lemma", "upos", "tag", "features")]
        head = "1" if number > 1 else "0"
        rows.append("\t".join((str(number), *columns, head, word["deprel"], "_", case["text"])))
    text = f"# sent_id = {case['text']}\n" + "\n".join(rows) + "\n\n"
    _order(case, ".conllu", text)


def _order_json(case: dict[str, Any]) -> None:
    problems: list[Any] = [
        {"words": case["words"], "id": case["text"]},
        {"words": ["fox", {"form": "fox", case["text"]: 1}]},
        [{"form": word["form"], "tag": word["tag"], "head": 9} for word in case["words"]],
        {case["text"]: []},
    ]
    _order(case, ".jsonl", "".join(json.dumps(each) + "\n" for each in problems))


def _order(case: dict[str, Any], extension: str, text: str) -> None:
    name = f"x{case['name']}{extension}"
    Path(name).write_text(text, encoding="utf-8", errors="replace")
    Path("toy.syntagma").write_bytes(_model())
    options = [
        "--model",
        "./toy.syntagma",
        "--beam",
        "1",
        "--on-error",
        ("skip", "stop")[case["command"] % 2],
    ]
    command = "realize" if case["command"] == 5 else "order"
    code, _, said = _run(case, command, "--file", name, *options)
    assert code in (0, 2), said


def _describe_model(case: dict[str, Any]) -> None:
    """One of the texts of a header, or the name of a field, is odd."""
    file = ModelFile.of(toys.linear("p16"))
    places = list(_texts(file.header))
    inner, key = places[case["field"] % len(places)]
    if case["field"] % 7:
        inner[key] = case["text"]
    else:
        file.header[case["text"]] = {case["text"]: [case["text"]]}
    name = f"./x{case['name']}.syntagma"
    Path(name).write_bytes(file.assemble())
    Path("bag.conllu").write_text(TREEBANK)
    package = ("package", name, "--output", f"out{case['name']}", "--name", "toy-model")
    commands: tuple[tuple[str, ...], ...] = (
        ("info", name),
        ("info", name, "--all"),
        package,
        ("accept", "--model", name, "--order", "the fox"),
        ("evaluate", "--model", name, "--data", "bag.conllu", "--condition", "none", "--beam", "1"),
        ("order", "--model", name, "fox", "the"),
    )
    command = commands[case["command"]]
    code, out, said = _run(case, *command)
    assert code in (0, 2), said
    if command[0] != "order":
        _check(out, LONGEST_LINE)
    if command is package and code == 0:
        for page in Path(f"out{case['name']}").glob("*.*"):
            _check(page.read_text(encoding="utf-8"), 1 << 20)


def _count_treebank(case: dict[str, Any]) -> None:
    name = f"x{case['name']}.conllu"
    Path(name).write_text(TREEBANK)
    missing = f"y{case['name']}.conllu"
    commands: tuple[tuple[str, ...], ...] = (
        ("stats", name),
        ("stats", name, missing),
        ("convert", missing, "--from", "ptb"),
        ("stats", name, case["text"].replace("\0", "")),
        ("info", f"./{missing}"),
        (case["text"].replace("\0", "") or "x",),
    )
    code, out, said = _run(case, *commands[case["command"]])
    assert code in (0, 2), said
    _check(out, LONGEST_LINE)


_COMMANDS = {
    "conllu": _order_conllu,
    "json": _order_json,
    "header": _describe_model,
    "treebank": _count_treebank,
}


def _run(case: dict[str, Any], *arguments: str) -> tuple[int, str, str]:
    """The exit code of a command, its output and its messages, which are checked."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
    debug = ["--debug"] if case["debug"] and len(arguments) > 1 else []
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([*arguments, *debug])
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    _check(texts[1], LONGEST_MESSAGE if not debug else LONGEST_LINE)
    return code, texts[0], texts[1]


def _check(printed: str, longest: int) -> None:
    for line in printed.split("\n"):
        assert visible(line) == line, f"not visible: {line[:300]!r}"
        assert len(line) <= longest, f"a line of {len(line)} characters: {line[:300]}"


def _use_library(case: dict[str, Any]) -> None:
    """Warnings and errors of the library itself, as Python prints them."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            words = [Word(**{**word, "lemma": None}) for word in case["words"]]
            _linearizer().order(Problem.of(words, id=case["text"]), beam=1)
        except SyntagmaError as error:
            said.append(str(error))
    said += (str(each.message) for each in caught)
    for message in said:
        assert "\n" not in message, "not one line"
        _check(message, LONGEST_MESSAGE)


def _texts(value: Any) -> Any:
    """All places of a header that hold a text; of a list, the first and the last one."""
    if isinstance(value, (dict, list)):
        ends = sorted({0, len(value) - 1}) if value else []
        for key in [*value] if isinstance(value, dict) else ends:
            if isinstance(value[key], str):
                yield value, key
            else:
                yield from _texts(value[key])


@cache
def _model() -> bytes:
    return ModelFile.of(toys.linear("p16")).assemble()


@cache
def _linearizer() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "toy.syntagma")
        path.write_bytes(_model())
        return load(path)


def _text(rng: Random) -> str:
    parts = [
        rng.choice(CONTROLS if rng.random() < 0.5 else PLAIN) for _ in range(rng.randint(1, 4))
    ]
    return "".join(parts)
