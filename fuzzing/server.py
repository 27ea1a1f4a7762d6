"""The target `server/multipart`: forms as browsers, scripts and attackers send them to `/process`.

A sound form has the answer that the same fields have in another encoding. Whatever else is sent is
answered: refused in one visible line, never by a failure of the server.
"""

from __future__ import annotations

import asyncio
import base64
import json
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fuzzing import toys
from fuzzing.crafting import damage
from syntagma.errors import visible
from syntagma.linearizer.linearizer import load
from syntagma.models.container import write_container
from syntagma.server.app import build_app
from syntagma.server.fair_queue import FairQueue
from syntagma.server.limits import Limits
from syntagma.server.logs import collect_warnings
from syntagma.server.served import Models, Served
from syntagma.server.service import Service

LIMITS = Limits(body=1 << 20, bodies=1 << 20, words=40, problems=20, seconds=20)
EXPECTED = (200, 400, 413, 415, 422, 503)
MOST_SECONDS = 5.0  # of processor time, for a body of a megabyte at most
MAX_MESSAGE = 1_500

CONLLU = "1\tsaw\t_\t_\t_\t_\t0\troot\t_\t_\n2\tfox\t_\t_\tNN\t_\t1\tnsubj\t_\t_\n\n"
DATA = (
    *(
        CONLLU,
        "the fox saw\n",
        "fox\nthe\nsaw\n\n",
        "The fox ran. We saw it!",
        "",
        "\r\n",
        "é 日本\n",
    ),
    *("--x", "\r\n--x\r\n", "--x--", "a\x00b\n", "\ufeffthe fox\n", "x " * 60 + "\n"),
)
FIELDS = {
    "data": DATA,
    "model": ("toy", "toy", "", "", "", "en", "x\x1b[2J"),
    "input": ("conllu", "horizontal", "horizontal", "vertical", "conllu=v2", "none"),
    "output": ("conllu", "horizontal", "vertical", "plaintext", "plaintext", "none"),
    "tokenizer": ("",),
    "x" * 300: ("x",),
    'a"b\\c;d': ("1",),
}
BOUNDARIES = (
    *("x", "----WebKitFormBoundary7MA4YWxkTrZu0gW", "=_?:/()+,-.'", "a b", "x" * 70, "x" * 4_000),
    *("", " ", "-", "--", "é", "x\x00", "x\r\n", '"', "x; y=z", "boundary", "a\tb", "\x7f"),
)
SOUND_BOUNDARIES = BOUNDARIES[:2]
NAMES = (
    *(
        ' name="data"',
        " name=data",
        " name='data'",
        "",
        ' name=""',
        ' name="',
        " name*=utf-8''data",
    ),
    *(' name="data"; name="model"', ' NAME="data"', ' filename="a.conllu"', ' name="d\\"ata"'),
    *(
        ' name="\x00"',
        ' name="data\x1b[2J"',
        " name*0=da; name*1=ta",
        ";" * 5_000,
        ' name="' + "x" * 9_000,
    ),
)
HEADERS = (
    *(
        "Content-Type: text/plain",
        "Content-Transfer-Encoding: base64",
        "Content-Transfer-Encoding: 8bit",
    ),
    *(
        "Content-Transfer-Encoding: quoted-printable",
        "Content-Transfer-Encoding: x-odd",
        ": x",
        "x",
        "x:",
    ),
    *(
        " folded",
        "\tfolded: more",
        "X: \x00",
        "X" * 9_000 + ": y",
        "X: " + "y" * 70_000,
        "Content-Length: -1",
    ),
    *("Content-Disposition: form-data", "Content-Type: multipart/mixed; boundary=x", "Ä: ö"),
)
LINE_ENDS = ("\n", "\r", "\r\n\r\n", "\n\r")
ENDS = ("--", "--\r\nepilogue", "", "-", "--\r\n" * 500)  # of a body
KINDS = (
    *("multipart/form-data",) * 8,
    *("Multipart/Form-Data", "multipart/mixed", "multipart/"),
)


class Answer(NamedTuple):
    """What the application sent."""

    status: int
    content_type: str
    body: bytes


class Multipart:
    """Calls an application in this process, without a socket."""

    def __init__(self) -> None:
        collect_warnings()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "toy.syntagma")
            write_container(path, *toys.linear("p16"))
            models = Models(toy=Served("toy", load(path)))
        self._loop = asyncio.new_event_loop()
        self._app = build_app(Service(models, FairQueue(threads=1), LIMITS))

    def case(self, rng: Random) -> bytes:
        fields = [
            (name, rng.choice(values))
            for name, values in FIELDS.items()
            if rng.random() < (0.95 if name == "data" else 0.4)
        ]
        if fields and rng.random() < 0.3:
            boundary = rng.choice(SOUND_BOUNDARIES)
            body = _sound_body(rng, fields, boundary)
            if body.count(f"--{boundary}".encode()) == len(fields) + 1:
                return _case("multipart/form-data; boundary=" + boundary, body, fields)
        boundary = rng.choice(BOUNDARIES)
        kind = rng.choice(KINDS)
        quoted = f'"{boundary}"' if rng.random() < 0.4 else boundary
        content_type = rng.choice(
            (
                f"{kind}; boundary={quoted}",
                f"{kind}; boundary={quoted}",
                f"{kind}; boundary={quoted}",
                f"{kind};boundary={quoted}; charset=utf-16",
                f"{kind}; x={'y' * 5_000}; boundary={quoted}; boundary=other",
                kind,
                f"{kind}; boundary",
                "application/x-www-form-urlencoded",
            )
        )
        body = _odd_body(rng, fields, boundary)
        for _ in range(rng.choice((0, 0, 0, 1, 3))):
            body = damage(rng, body)
        return _case(content_type, body[: LIMITS.body + 100], None)

    def run(self, data: bytes) -> None:
        line, _, body = data.partition(b"\n")
        case = json.loads(line)
        answer = self._post(case["content_type"].encode("latin-1"), body, case["chunk"])
        _check(answer)
        if case["fields"] is not None:
            form = urlencode(list(map(tuple, case["fields"]))).encode()
            same = self._post(b"application/x-www-form-urlencoded", form, len(form) + 1)
            assert answer == same, f"{answer} is not the answer to the same fields, {same}"[:2_000]

    def _post(self, content_type: bytes, body: bytes, chunk: int) -> Answer:
        began = time.process_time()
        answer = self._loop.run_until_complete(self._answer(content_type, body, chunk))
        seconds = time.process_time() - began
        assert seconds < MOST_SECONDS, f"{seconds:.1f} s for a body of {len(body)} bytes"
        return answer

    async def _answer(self, content_type: bytes, body: bytes, chunk: int) -> Answer:
        pieces = [body[at : at + chunk] for at in range(0, len(body), chunk)] or [b""]
        sent: list[dict[str, Any]] = []
        never = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if not pieces:
                await never.wait()  # the client stays
            more = len(pieces) > 1
            return {"type": "http.request", "body": pieces.pop(0), "more_body": more}

        async def send(message: Any) -> None:
            sent.append(message)

        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": "/process",
            "raw_path": b"/process",
            "root_path": "",
            "query_string": b"",
            "headers": [
                (b"host", b"localhost"),
                (b"content-type", content_type),
                (b"content-length", b"%d" % len(body)),
            ],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8000),
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await self._app(scope, receive, send)
        start, *rest = sent
        headers = dict(start["headers"])
        content = b"".join(each.get("body", b"") for each in rest)
        return Answer(start["status"], headers.get(b"content-type", b"").decode(), content)


def _case(content_type: str, body: bytes, fields: Any) -> bytes:
    chunk = max(1, len(body) // 7) if len(body) % 2 else 1 << 16
    line = {"content_type": content_type, "chunk": chunk, "fields": fields}
    return json.dumps(line).encode() + b"\n" + body


def _check(answer: Answer) -> None:
    assert answer.status in EXPECTED, f"status {answer.status}: {answer.body[:300]!r}"
    assert answer.content_type.startswith("application/json"), answer.content_type
    value = json.loads(answer.body)
    if answer.status == 200:
        assert isinstance(value["result"], str)
        return
    message = value["error"]["message"]
    assert len(message) <= MAX_MESSAGE, f"a message of {len(message)} characters"
    assert visible(message) == message, f"not visible: {message!r}"
    assert visible(value["error"]["field"] or "") == (value["error"]["field"] or "")


def _sound_body(rng: Random, fields: list[tuple[str, str]], boundary: str) -> bytes:
    """As a browser, or Python's mail package, writes it."""
    parts = []
    for name, value in fields:
        name = name.replace("\\", "\\\\").replace('"', '\\"')
        content, headers = value.encode(), ""
        match rng.randrange(4):
            case 0:
                content = base64.encodebytes(content)
                headers = "Content-Transfer-Encoding: base64\r\n"
            case 1:
                headers = "Content-Type: text/plain; charset=utf-8\r\n"
        disposition = f'Content-Disposition: form-data; name="{name}"'
        if rng.random() < 0.2:
            disposition += '; filename="a.txt"'
        head = f"--{boundary}\r\n{disposition}\r\n{headers}\r\n"
        parts.append(head.encode() + content + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode()


def _odd_body(rng: Random, fields: list[tuple[str, str]], boundary: str) -> bytes:
    """A body that is odd in a few places, or in many."""
    rate = rng.choice((0.02, 0.1, 0.5))

    def odd(usual: str, others: Sequence[str]) -> str:
        return rng.choice(others) if rng.random() < rate else usual

    parts = [odd("", ("preamble\r\n", "\r\n", "--"))]
    if rng.random() < 0.05:
        fields = fields * 500
    for name, value in fields:
        end = odd("\r\n", LINE_ENDS)
        parts.append(f"--{boundary}{odd('', (' ', '  x', '-'))}{end}")
        parts.append(odd(f"Content-Disposition: form-data; name={name}{end}", ("", end)))
        parts.append(odd("", [f"Content-Disposition: form-data;{each}{end}" for each in NAMES]))
        parts += [f"{odd('X: y', HEADERS)}{end}" for _ in range(rng.choice((0, 0, 0, 1, 2, 40)))]
        parts.append(odd(end, ("",)))
        parts.append(odd(value, (2 * value, 1_000 * value, (20_000 * value)[: LIMITS.body])))
        parts.append(odd(end, ("", "\n")))
    parts.append(f"--{boundary}" + odd("--\r\n", ENDS))
    return "".join(parts)[: LIMITS.body + 50].encode("utf-8", "replace")
