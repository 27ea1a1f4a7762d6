"""The judge of a server: asked by requests that want it, named, refused where there is none; it
keeps nothing waiting that does without it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
pytest.importorskip("python_multipart", reason="pip install 'syntagma[server]'")
pytest.importorskip("httpx", reason="no httpx: pip install 'syntagma[server-tests]'")

from toys.models import model_of, toy_linearizer
from toys.server import server

from syntagma.cli.app import run
from syntagma.errors import ArgumentError
from syntagma.formats.jsonl import write_jsonl
from syntagma.judges.opening import open_judge
from syntagma.linearizer.linearizer import Linearizer
from syntagma.server.fair_queue import STAND_INS, FairQueue
from syntagma.server.limits import Limits
from syntagma.server.process import warm_up_threads
from syntagma.server.served import Models, Served, load_models
from syntagma.server.service import Service

BAG = ["w1", "w2", "w3", "w4"]
ASKED: dict[str, Any] = {"words": BAG, "options": {"judge": True}}


class Whimsical:
    """Gives every sentence a random number; does what it is told before."""

    def __init__(self, before: Callable[[], object] = lambda: None) -> None:
        self.before = before
        self.read: list[str] = []

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        self.before()
        self.read += sentences
        return [Random(each).gauss(-20, 10) for each in sentences]


def judged_by(judge: object) -> Models:
    opened = open_judge(judge, 1.0)  # type: ignore[arg-type]
    return Models(toy=Served("toy", Linearizer(model_of(toy_linearizer()), None, opened)))


def test_only_requests_that_ask_for_it_are_judged() -> None:
    judge = Whimsical()
    models = judged_by(judge)
    linearizer = models["toy"].linearizer
    with server(models=models) as client:
        for options in ({}, {"judge": False}):
            plain = client.post("/v1/order", json={"words": BAG, "options": options})
            assert plain.text == write_jsonl(toy_linearizer().order(BAG))
        problems = {"problems": [BAG, BAG[:1], BAG[1:]]}
        client.post("/v1/order", json=problems)
        client.post("/v1/score", json={"words": BAG, "order": BAG})
        accepted = {"words": BAG, "order": BAG, "options": {"margin": 1}}
        assert "verdict" in client.post("/v1/accept", json=accepted).json()
        assert client.post("/process", data={"data": "w1 w2 w3", "input": "horizontal"}).is_success
        assert judge.read == []
        answer = client.post("/v1/order", json=ASKED)
        assert answer.text == write_jsonl(linearizer.order(BAG))
        assert "judge" in answer.json()["parts"]
        batch = client.post("/v1/order", json={**problems, "options": {"judge": True}})
        expected = list(linearizer.order_many(problems["problems"]))
        found = [each["text"] for each in batch.json()["results"]]
        assert found == [each.text for each in expected]  # type: ignore[union-attr]


def test_the_judge_is_named() -> None:
    with server(models=judged_by(Whimsical())) as client:
        [model] = client.get("/v1/models").json()["models"]
        assert model["judge"] == {"judge": "Whimsical", "judge_weight": "1"}
        schemas = client.get("/openapi.json").json()["components"]["schemas"]
        for name, there in (("Order", True), ("Realize", True), ("Score", False)):
            options = schemas[f"{name}Request"]["anyOf"][0]["properties"]["options"]
            assert ("judge" in options["properties"]) == there
    with server(models=Models(toy=Served("toy", toy_linearizer()))) as client:
        assert client.get("/v1/models").json()["models"][0]["judge"] is None


@pytest.mark.parametrize(
    ("path", "judge", "message"),
    [
        ("order", True, "options.judge: the model toy has no judge (syntagma serve --judge)"),
        ("order", 1, "options.judge must be True or False, not 1"),
        ("score", True, "options: unknown option 'judge'"),
        ("accept", False, "options: unknown option 'judge'"),
    ],
)
def test_where_there_is_no_judge_it_cannot_be_asked(path: str, judge: object, message: str) -> None:
    with server(models=Models(toy=Served("toy", toy_linearizer()))) as client:
        body = {"words": BAG, **({} if path == "order" else {"order": BAG})}
        answer = client.post(f"/v1/{path}", json={**body, "options": {"judge": judge}})
        assert answer.status_code == 422
        error = answer.json()["error"]
        assert error["message"].startswith(message)
        assert (error["code"], error["field"]) == ("invalid", "options.judge")
        assert client.post("/v1/order", json={"words": BAG, "options": {"judge": False}}).is_success


def test_a_judge_that_fails_is_an_error_of_its_problem() -> None:
    def fail() -> None:
        raise MemoryError("no room")

    with server(models=judged_by(Whimsical(fail))) as client:
        answer = client.post("/v1/order", json=ASKED)
        assert answer.status_code == 422
        message = answer.json()["error"]["message"]
        assert message.startswith("the judge Whimsical failed (MemoryError: no room); order")
        batch = {"problems": [BAG, ["w1"]], "options": {"judge": True}}
        first, second = client.post("/v1/order", json=batch).json()["results"]
        assert first["error"]["field"] == "problems[0]"
        assert second["text"] == "w1"  # has no other order
        assert client.post("/v1/order", json={"words": BAG}).is_success
        metrics = client.get("/metrics").text
        assert 'syntagma_problems_total{operation="order",outcome="ok"} 2.0' in metrics
        assert 'syntagma_problems_total{operation="order",outcome="invalid"} 2.0' in metrics


def test_what_is_not_judged_does_not_wait_for_what_is() -> None:
    begun, released = threading.Semaphore(0), threading.Event()

    def wait() -> None:
        begun.release()
        assert released.wait(60)

    with server(models=judged_by(Whimsical(wait))) as client:
        threads = client.app_state["service"].queue.threads
        count = 2 * (1 + STAND_INS) * len(threads)  # twice what would hold all threads
        with ThreadPoolExecutor(count) as pool:
            asked = [pool.submit(client.post, "/v1/order", json=ASKED) for _ in range(count)]
            assert begun.acquire(timeout=60)
            try:
                for _ in range(3):
                    assert client.post("/v1/order", json={"words": BAG}).is_success
                assert not any(each.done() for each in asked)
            finally:
                released.set()
            assert all("judge" in each.result().json()["parts"] for each in asked)


def test_the_time_limit_holds_while_a_judge_reads() -> None:
    released = threading.Event()
    judge = Whimsical(lambda: released.wait(60))
    with server(Limits(seconds=1), models=judged_by(judge)) as client:
        late = client.post("/v1/order", json=ASKED)
        assert (late.status_code, late.json()["error"]["code"]) == (503, "time_limit")
        assert client.post("/v1/order", json={"words": BAG}).is_success
        assert client.get("/readyz").is_success
        released.set()
        assert "judge" in client.post("/v1/order", json=ASKED).json()["parts"]


def test_the_judge_is_asked_before_the_first_request() -> None:
    judge, queue = Whimsical(), FairQueue(threads=2)
    try:
        warm_up_threads(Service(judged_by(judge), queue))
        assert judge.read
    finally:
        queue.close()


def test_models_for_beam_search_share_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_judge(Whimsical())
    monkeypatch.setattr("syntagma.judges.opening.open_judge", lambda *given: opened)
    models = load_models(["en", "en-best-first"], "smollm2")
    judge = models["en"].linearizer.judge
    assert judge is not None
    assert judge.model is opened.model
    assert models["en-best-first"].describe()["judge"] is None
    with pytest.raises(ArgumentError, match="a judge goes with beam search"):
        load_models(["en-best-first"], "smollm2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--judge", "nobody"], "there is no judge 'nobody': give smollm2, or the path of a GGUF"),
        (["--judge", "none.gguf"], "none.gguf: cannot be read: No such file or directory"),
        (["--judge-weight", "1"], "--judge-weight goes with a judge: name one"),
    ],
)
def test_a_judge_that_cannot_be_opened_ends_the_start(
    capfd: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert run(["serve", "--port", "0", *options]) == 2
    out, error = capfd.readouterr()
    assert out == ""
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1
