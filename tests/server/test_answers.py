"""Answers in memory: what is made and what waits is limited; clients that do not read are cut."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")

from starlette.requests import ClientDisconnect
from starlette.types import Message

from syntagma.server.answers import PIECE, AnswerResponse, Answers
from syntagma.server.faults import Fault
from syntagma.server.limits import Limits

KIB = 1 << 10
LIMITS = Limits(answer=1024 * KIB, answers=4096 * KIB)


class Client:
    """A client that reads so many pieces and then, if these were not all, waits forever."""

    def __init__(self, most: float = float("inf")) -> None:
        self.most = most
        self.content = b""
        self.pieces: list[int] = []
        self.length = b""
        self.ended = False
        self.waits = asyncio.Event()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.length = dict(message["headers"])[b"content-length"]
            return
        if len(self.pieces) >= self.most:
            self.waits.set()
            await asyncio.Event().wait()
        self.content += message["body"]
        self.pieces.append(len(message["body"]))
        self.ended = not message["more_body"]

    @property
    def is_whole(self) -> bool:
        return self.ended and len(self.content) == int(self.length)


async def receive() -> Message:
    raise AssertionError("nothing is received")


def read(
    answers: Answers, client: Client, *parts: bytes, seconds: int = 60
) -> Coroutine[Any, Any, None]:
    response = AnswerResponse(answers, parts, "application/json", seconds)
    return response({"type": "http"}, receive, client.send)


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test())


@pytest.mark.parametrize(
    "parts", [[b"a"], [b""], [b"ab"] * PIECE, [b"x" * (3 * PIECE + 1)], [b"y" * PIECE, b"", b"z"]]
)
def test_an_answer_arrives_whole_in_pieces(parts: list[bytes]) -> None:
    async def test() -> None:
        client = Client()
        answers = Answers(LIMITS)
        await read(answers, client, *parts)
        assert client.content == b"".join(parts)
        assert client.is_whole
        assert max(client.pieces) < 2 * PIECE
        assert answers.held == 0

    run(test)


def test_those_that_have_waited_longest_are_cut_off() -> None:
    async def test() -> None:
        answers, content = Answers(LIMITS), b"x" * (1024 * KIB)
        clients = [Client(most=3) for _ in range(6)]
        tasks = []
        for client in clients:
            tasks.append(asyncio.ensure_future(read(answers, client, content)))
            await client.waits.wait()
            assert answers.held <= LIMITS.answers
        done, waiting = await asyncio.wait(tasks, timeout=0.1)
        assert done == {*tasks[:2]}
        for task in done:
            assert isinstance(task.exception(), ClientDisconnect)
        # Those that read are not disturbed, however many wait.
        reader = Client()
        await read(answers, reader, content)
        assert reader.is_whole
        small = Client(most=0)
        tasks.append(asyncio.ensure_future(read(answers, small, b"x" * KIB)))
        await small.waits.wait()
        assert answers.held == 3 * len(content)
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)
        assert answers.held == 0

    run(test)


def test_an_answer_must_be_read_in_time() -> None:
    async def test() -> None:
        answers = Answers(LIMITS)
        with pytest.raises(ClientDisconnect):
            await read(answers, Client(most=1), b"x" * (1024 * KIB), seconds=0)
        assert answers.held == 0

    run(test)


def test_what_is_made_is_limited() -> None:
    async def test() -> None:
        answers = Answers(LIMITS)
        with answers.draft() as one:
            answers.grow(one, LIMITS.answer)
            with pytest.raises(Fault, match="more bytes than the limit of 1048576") as caught:
                answers.grow(one, 1)
            assert caught.value.status == 422
            with answers.draft() as two, answers.draft() as three, answers.draft() as four:
                for each in (two, three, four):
                    answers.grow(each, LIMITS.answer)
                with answers.draft() as five:
                    answers.grow(five, 4 * KIB)  # small ones always fit
                    with pytest.raises(Fault, match="limit: answers") as caught:
                        answers.grow(five, 1)
                    assert caught.value.status == 503
                    assert caught.value.headers["Retry-After"] == "1"
                assert answers.held == LIMITS.answers
            assert answers.held == LIMITS.answer
        answers.grow(one, LIMITS.answer)  # a thread that has not noticed that nobody waits
        assert answers.held == 0

    run(test)


def test_what_is_made_pushes_out_what_waits() -> None:
    async def test() -> None:
        answers, content = Answers(LIMITS), b"x" * (1024 * KIB)
        client = Client(most=1)
        waiting = asyncio.ensure_future(read(answers, client, content))
        await client.waits.wait()
        with answers.draft() as draft:
            await asyncio.to_thread(answers.grow, draft, LIMITS.answer)
            with answers.draft() as other:
                await asyncio.to_thread(answers.grow, other, LIMITS.answer)
                with answers.draft() as last:
                    await asyncio.to_thread(answers.grow, last, LIMITS.answer)
                    assert not waiting.done()
                    with answers.draft() as beyond:
                        await asyncio.to_thread(answers.grow, beyond, 100 * KIB)
                        with pytest.raises(ClientDisconnect):
                            await waiting
                        assert answers.held <= LIMITS.answers

    run(test)
