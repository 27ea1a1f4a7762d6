"""The targets `formats/…`: mutated files of each format, read, and written again.

Each bad item is one short line and spoils no other: the good item at the end is always read.
"""

from __future__ import annotations

import gzip
import json
import lzma
import tempfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Literal

from syntagma.ccg.derivation import Derivation
from syntagma.errors import FormatError
from syntagma.files.reading import open_text
from syntagma.formats.auto import auto_line, parse_auto, read_auto
from syntagma.formats.conllu import Lemmas, write_conllu
from syntagma.formats.jsonl import write_jsonl
from syntagma.formats.problems import InputFormat, read_problems
from syntagma.problem.parse import ParseOrigin
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization, Token

Format = Literal["text", "jsonl", "conllu", "sr", "auto"]

MAX_MESSAGE = 1_500
MAX_MUTATIONS = 6
MAX_SIZE = 3_000_000
MAX_WRITTEN = 50  # problems of a file that are written again
MAX_READ = 200_000  # a file may hold millions of bad lines

SEEDS: dict[Format, list[str]] = {
    "text": ["barked the dog", "lives\tNew York\tin\tshe", "a", "n't do . it"],
    "jsonl": [
        '["barked", "the", "dog"]',
        '{"words": ["a", {"form": "dog", "tag": "NN", "head": 1, "deprel": "nsubj"}, "the"],'
        ' "first": 3, "last": 1, "id": "s1"}',
        '{"words": ["a", "b", "c", "d"], "before": [[1, 2], [2, 3], [1, 4]]}',
        '[{"lemma": "dog", "form": "dogs", "features": {"Number": "Plur", "Case": "Nom"},'
        ' "upos": "NOUN"}]',
    ],
    "conllu": [
        "# sent_id = s1\n# text = the dog barked\n1\tbarked\tbark\tVERB\tVBD\t_\t0\troot\t_\t_\n"
        "2\tdog\tdog\tNOUN\tNN\tNumber=Sing\t1\tnsubj\t_\tSpaceAfter=No\n3\tthe\t_\t_\t_\t_\t_\t_\t_\t_\n",
        "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\tIN\t_\t2\tcase\t_\t_\n"
        "2\tle\tle\tDET\tDT\t_\t_\t_\t_\t_\n2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n",
    ],
    "sr": [
        "1\tsleep\t_\tVERB\tVB\t_\t0\troot\t_\t_\n2\tcat\t_\tNOUN\tNN\tNumber=Plur|lin=-1\t1\tnsubj\t_\t_\n"
        "3\t.\t_\tPUNCT\t.\tlin=+2\t1\tpunct\t_\t_\n4\tnow\t_\tADV\tRB\tlin=+1\t1\tadvmod\t_\t_\n",
    ],
    "auto": [
        "ID=birds-1 PARSER=GOLD NUMPARSE=1\n"
        "(<T S 1 2> (<L NP NOUN NOUN Birds NP>) (<L S\\NP VERB VERB sing S\\NP>) )",
        "(<T NP 0 1> (<L N NOUN NOUN Birds N>) )",
    ],
}
GOOD: dict[Format, str] = {
    "text": "\nlast good\n",
    "jsonl": '\n["last", "good"]\n',
    "conllu": "\n\n1\tlast" + "\t_" * 8 + "\n2\tgood" + "\t_" * 8 + "\n\n",
    "sr": "\n\n1\tlast" + "\t_" * 8 + "\n2\tgood" + "\t_" * 8 + "\n\n",
    "auto": "\nID=x\n(<T S 0 2> (<L A A A last A>) (<L B B B good B>) )\n",
}
TOKENS = (
    *("\n", "\r\n", "\r", "\t", " ", "\0", "\x0b", "\x1c", "\x1b", "\x85", "\xa0", "\u2028"),
    *("\ufeff", "\u0661", "\u200b", "\U0001f600", "\\ud800", "\\u0000", "\\n", '"', "'", "\\"),
    *("[", "]", "{", "}", ":", ",", "(", ")", "<", ">", "|", "=", "_", "#", "-", ".", "/"),
    *("0", "1", "2", "-1", "10001", "9" * 12, "9" * 5_000, "1e400", "NaN", "Infinity", "1.0"),
    *("null", "true", "[]", "{}", '"a":1', "lin=+1", "lin=-2", "lin=+0", "A=b", "root", "(<T"),
    *("(<L", "1-2", "2-1", "1-" + "9" * 5_000, "0.1", "# sent_id = ", "# text = x", "\n\n"),
)
BYTES = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\x1f\x8b")


class FormatFiles:
    """Mutated files of one format."""

    def __init__(self, format: Format) -> None:
        self._format: Format = format

    def case(self, rng: Random) -> bytes:
        seeds = SEEDS[self._format]
        blank = "\n\n" if self._format in ("conllu", "sr") else "\n"
        data = blank.join(rng.choices(seeds, k=rng.randint(1, 4))).encode()
        for _ in range(rng.randint(1, MAX_MUTATIONS)):
            data = mutated(rng, data)[:MAX_SIZE]
        data += GOOD[self._format].encode()
        match rng.randrange(20):
            case 0:
                return gzip.compress(data, 1, mtime=0)
            case 1:
                return lzma.compress(data, preset=0)
            case 2:
                packed = gzip.compress(data, 1, mtime=0)
                return packed[: rng.randrange(2, len(packed))]
            case 3:
                return mutated(rng, gzip.compress(data, 1, mtime=0))
        return data

    def run(self, data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "input"
            path.write_bytes(data)
            if self._format == "auto":
                items: list[Any] = list(islice(read_auto(open_text(path), str(path)), MAX_READ))
            else:
                items = list(islice(read_problems(path, *_reader(self._format)), MAX_READ))
            written = 0
            for item in items:
                if isinstance(item, FormatError):
                    check_message(str(item), str(path))
                elif isinstance(item, Problem):
                    written += 1
                    if written <= MAX_WRITTEN:
                        _check_problem(item, self._format, path)
                else:
                    _check_derivation(item.derivation)
            whole = len(items) < MAX_READ and data[:2] != b"\x1f\x8b"
            if whole and data.endswith(GOOD[self._format].encode()):
                _check_last(items, data)


def _reader(format: Format) -> tuple[InputFormat, Literal["xpos"], Lemmas | None]:
    if format == "sr":
        return "conllu", "xpos", "shared task"
    assert format != "auto"
    return format, "xpos", None


def mutated(rng: Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + rng.choice((1, 1, 3, 10, 40)))
    match rng.randrange(8):
        case 0:
            return data[:at] + data[end:]
        case 1:
            return data[:at] + data[at:end] * rng.choice((2, 2, 3, 100, 20_000)) + data[end:]
        case 2:
            other = rng.randrange(len(data) + 1)
            return data[:other] + data[at:end] + data[other:]
        case 3:
            return data[:at] + rng.choice(BYTES) + data[end:]
        case 4:
            return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        case 5:
            token = rng.choice(TOKENS).encode()
            return data[:at] + token * rng.choice((2, 100, 12_000)) + data[at:]
        case _:
            return data[:at] + rng.choice(TOKENS).encode() + data[rng.choice((at, end)) :]


def check_message(message: str, source: str) -> None:
    assert message.startswith(source), message
    assert len(message) <= MAX_MESSAGE, f"a message of {len(message)} characters: {message[:300]}"
    assert len(message.splitlines()) == 1, f"not one line: {message!r}"
    message.encode()


def _check_last(items: Iterable[Any], data: bytes) -> None:
    *_, last = items
    if data.startswith(b"BZh") or data.startswith(b"PK\x03\x04"):
        return  # refused as a whole
    assert not isinstance(last, FormatError), f"the good item is lost: {last}"
    if isinstance(last, Problem):
        assert [word.name for word in last.words][-2:] == ["last", "good"]
    else:
        assert last.derivation.forms == ("last", "good")


def _check_problem(problem: Problem, format: Format, path: Path) -> None:
    """What was read can be written, and says the same when it is read again."""
    match format:
        case "text":
            text = "\t".join(word.form for word in problem.words) + "\n"
            if "\t" not in text and " " in text:
                return  # a phrase alone is written like two words
        case "jsonl":
            text = json.dumps(_as_json(problem)) + "\n"
        case _:
            assert isinstance(problem.origin, ParseOrigin)
            rows = []
            for number, word in enumerate(problem.words, start=1):
                *columns, misc = problem.origin.annotations[number - 1]
                arc = "_" if word.head is None else str(word.head), word.deprel or "_"
                rows.append("\t".join((str(number), word.name, *columns, *arc, "_", misc)))
            text = "\n".join((*problem.origin.comments, *rows)) + "\n\n"
    if len(text) > 100_000:
        return
    if format == "text":  # a byte order mark that begins a word is one only on the first line
        text = "first\n" + text
    path.write_bytes(text.encode())
    *_, again = read_problems(path, *_reader(format))
    assert again == problem, f"{again!r} != {problem!r}"[:2_000]
    if all(word.form for word in problem.words):
        _check_result(problem, path)


def _as_json(problem: Problem) -> dict[str, object]:
    words = [
        {
            name: getattr(word, name)
            for name in ("form", "tag", "head", "deprel", "features", "upos")
        }
        | ({"lemma": word.lemma} if word.lemma is not None else {})
        for word in problem.words
    ]
    for word in words:
        if not word["form"]:
            del word["form"]
    ends = {"first": problem.first, "last": problem.last, "id": problem.id}
    return {"words": words, "before": problem.before, **ends}


def _check_result(problem: Problem, path: Path) -> None:
    """A result in the order of the input, all words below the first."""
    tokens = tuple(
        Token(word.form, word.tag or "X", int(source > 1), word.deprel or "dep", source)
        for source, word in enumerate(problem.words, start=1)
    )
    result = Linearization(tokens, 0.0, problem)
    line = write_jsonl(result)
    assert line.count("\n") == 1
    forms = [word.form for word in problem.words]
    assert [word["form"] for word in json.loads(line)["words"]] == forms
    path.write_bytes(write_conllu(result).encode())
    (again,) = read_problems(path, "conllu")
    assert isinstance(again, Problem), str(again)
    assert [word.form for word in again.words] == forms


def _check_derivation(derivation: Derivation) -> None:
    assert parse_auto(auto_line(derivation)) == derivation


def text() -> FormatFiles:
    return FormatFiles("text")


def jsonl() -> FormatFiles:
    return FormatFiles("jsonl")


def conllu() -> FormatFiles:
    return FormatFiles("conllu")


def shared_task() -> FormatFiles:
    return FormatFiles("sr")


def auto() -> FormatFiles:
    return FormatFiles("auto")
