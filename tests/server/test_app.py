"""The application over HTTP: answers are those of the command line, errors are clean."""

import gc
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any, cast

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
pytest.importorskip("python_multipart", reason="pip install 'syntagma[server]'")
pytest.importorskip("httpx", reason="no httpx: pip install 'syntagma[server-tests]'")

from starlette.testclient import TestClient
from toys.server import english, server, wait_until

from syntagma.cli.app import run
from syntagma.request import Operation
from syntagma.server.fair_queue import FairQueue
from syntagma.server.limits import Limits
from syntagma.server.operations import TAKEN
from syntagma.server.security import HEADERS

TREE = [
    {"form": "barked", "tag": "VBD", "head": 0},
    {"form": "dog", "tag": "NN", "head": 1, "deprel": "nsubj"},
    "the",
]
PROBLEMS: list[Any] = [
    ["dog", "the", "barked"],
    {"words": TREE, "id": "s1"},
    {"words": ["New York", "in", "lives", "she"], "last": 1},
    {"words": ["a", "b", "c"], "before": [[3, 1]], "first": 2, "id": "ä"},
    ["”", "é", "日本"],
    ["a\x00b", "\x1b[1m", "\x7f", "a\u2028b"],
]


# With b before d and d before c: d is between b and c, which is below b. There is no projective
# order.
UNSATISFIABLE = [
    {"form": "a", "head": 0},
    {"form": "b", "head": 1},
    {"form": "c", "head": 2},
    {"form": "d", "head": 1},
]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with server() as client:
        yield client


def of_command(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert run(list(arguments)) == 0
    return capsys.readouterr().out.removesuffix("\n").split("\n")


@pytest.mark.parametrize(
    ("name", "options", "arguments"),
    [
        ("order", {}, []),
        ("order", {"n_best": 3}, ["--n-best", "3"]),
        ("order", {"n_best": 3, "diverse": True}, ["--n-best", "3", "--diverse"]),
        ("order", {"beam": 4}, ["--beam", "4"]),
        ("order", {"projective": True}, ["--projective"]),
        ("realize", {"n_best": 2, "beam": 8}, ["--n-best", "2", "--beam", "8"]),
    ],
)
def test_answers_are_the_lines_of_the_command(
    client: TestClient,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Any,
    name: str,
    options: dict[str, Any],
    arguments: list[str],
) -> None:
    file = tmp_path / "problems.jsonl"
    file.write_text("\n".join(map(json.dumps, PROBLEMS)), encoding="utf-8")
    lines = of_command(capsys, name, "--format", "json", "--file", str(file), *arguments)
    for problem, line in zip(PROBLEMS, lines, strict=True):
        whole = {"words": problem} if isinstance(problem, list) else problem
        answer = client.post(f"/v1/{name}", json={**whole, "options": options})
        assert answer.text == line + "\n"
    batch = client.post(f"/v1/{name}", json={"problems": PROBLEMS, "options": options})
    assert batch.text == '{"results": [' + ",\n".join(lines) + "]}\n"


def test_a_bare_list_is_a_problem(client: TestClient) -> None:
    assert client.post("/v1/order", json=["barks", "it"]).json()["text"] == "it barks"


def test_text_is_spelled_on_request(client: TestClient) -> None:
    words = ["do", "n't", "bark", ",", "Cats", "."]
    plain = client.post("/v1/order", json={"words": words}).json()
    spelled = client.post("/v1/order", json={"words": words, "options": {"text": True}}).json()
    assert sorted(plain["text"].split()) == sorted(words)
    assert (
        spelled["text"]
        == english()["en"].linearizer.spell(english()["en"].linearizer.order(words)).text
    )


def test_unknown_tags_give_a_warning_beside_the_answer(client: TestClient) -> None:
    from syntagma.server.logs import collect_warnings

    collect_warnings()
    words = [{"form": "dogs", "tag": "QQ"}, "bark"]
    answer = client.post("/v1/order", json={"words": words}).json()
    assert len(answer["warnings"]) == 1
    assert "does not know the tag QQ" in answer["warnings"][0]
    batch = client.post("/v1/order", json={"problems": [words, ["it"], words]}).json()
    assert batch["warnings"] == answer["warnings"]
    assert "warnings" not in client.post("/v1/order", json={"words": ["it"]}).json()


def test_a_warning_names_nothing_of_another_request(client: TestClient) -> None:
    from syntagma.server.logs import collect_warnings

    collect_warnings()
    for words in ([["a", "SECRET"], ["b", "ODD"]], [["b", "ODD"]]):
        given = [{"form": form, "tag": tag} for form, tag in words]
        answer = client.post("/v1/order", json={"words": given}).json()
    assert "does not know the tag ODD and" in answer["warnings"][0]
    assert "SECRET" not in answer["warnings"][0]


def test_messages_have_no_control_characters(client: TestClient) -> None:
    """Also those that JSON does not escape: clients print them."""
    from syntagma.server.logs import collect_warnings

    collect_warnings()
    odd = "a\x7f\x9b\u202e\u2066b"
    bodies: list[Any] = [
        {"words": [{"form": "it", "tag": odd}]},
        {"words": [{"form": "it", odd: 1}]},
        {"words": ["it"], "options": {odd: 1}},
        {"words": ["it"], "options": {"model": odd}},
        {"words": [{"form": f"it{odd}\n"}, {"form": "b", "head": 9}]},
    ]
    for body in bodies:
        answer = client.post("/v1/order", json=body).json()
        said = answer.get("error") or {"message": answer["warnings"][0]}
        for text in filter(None, said.values()):
            assert not set(text) & set("\x7f\x9b\u202e\u2066\n"), ascii(text)
        assert "a\\x7f\\x9b\\u202e\\u2066b" in said["message"]


def test_memory_does_not_grow_with_unknown_tags_of_requests(client: TestClient) -> None:
    from syntagma.server.logs import collect_warnings

    collect_warnings()

    def ask(number: int) -> None:
        problems = [[{"form": "it", "tag": f"{number}-{n}-{'x' * 5_000}"}] for n in range(100)]
        assert client.post("/v1/order", json={"problems": problems}).status_code == 200

    ask(0)
    tracemalloc.start()
    try:
        for number in range(1, 11):
            ask(number)
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept < 2 << 20


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"words": []}, "words"),
        ({}, "words"),
        ("text", None),
        (3, None),
        ({"words": ["a", 3]}, "words[1]"),
        ({"words": ["a", ""]}, "words[1].form"),
        ({"words": [{"form": "a", "head": 5}]}, "words[0].head"),
        ({"words": [{"form": "a", "head": 2}, {"form": "b", "head": 1}]}, "words[0].head"),
        ({"words": [{"form": "a", "tag": "x y"}]}, "words[0].tag"),
        ({"words": [{"form": "a", "deprel": ""}]}, "words[0].deprel"),
        ({"words": [{"form": "a", "features": "x"}]}, "words[0].features"),
        ({"words": [{"form": "a", "colour": "x"}]}, "words[0].colour"),
        ({"words": [{"lemma": "a"}]}, "words[0].form"),
        ({"words": ["a", "b"], "before": [[1, 2], [2, 1]]}, "before[0]"),
        ({"words": ["a", "b"], "before": [[1, 2], [1, 3]]}, "before[1]"),
        ({"words": ["a", "b"], "before": [[2, 1]], "first": 1}, "first"),
        ({"words": ["a", "b"], "first": 1, "last": 1}, "last"),
        ({"words": ["a"], "id": 3}, "id"),
        ({"words": ["x" * 1_001]}, "words[0].form"),
        ({"words": ["a", {"form": "a", "tag": "x" * 1_001}]}, "words[1].tag"),
        ({"words": [{"form": "a", "features": {"x": "y" * 1_000}}]}, "words[0].features"),
        ({"words": ["x" * 999] * 51}, "words"),
        ({"words": ["a"], "options": {"beam": 0}}, "options.beam"),
        ({"words": ["a"], "options": {"beam": 1.5}}, "options.beam"),
        ({"words": ["a"], "options": {"beam": "1"}}, "options.beam"),
        ({"words": ["a"], "options": {"beam": 129}}, "options.beam"),
        ({"words": ["a"], "options": {"n_best": 51}}, "options.n_best"),
        ({"words": ["a"], "options": {"timeout": 0}}, "options.timeout"),
        ({"words": ["a"], "options": {"timeout": 61}}, "options.timeout"),
        ({"words": ["a"], "options": {"timeout": 100_000}}, "options.timeout"),
        ({"words": ["a"], "options": {"diverse": 1}}, "options.diverse"),
        ({"words": ["a"], "options": {"model": "none"}}, "options.model"),
        ({"words": ["a"], "options": {"wide": 3}}, "options.wide"),
        ({"words": ["a"], "options": [1]}, "options"),
        ({"words": ["a"], "options": {"diverse": True}}, "options.diverse"),
        ({"problems": []}, "problems"),
        ({"problems": "a"}, "problems"),
        ({"problems": [["a"]], "words": ["a"]}, "problems"),
    ],
)
def test_what_is_wrong_is_named(client: TestClient, body: object, field: str | None) -> None:
    answer = client.post("/v1/order", json=body)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["code"] == "invalid"
    assert error["field"] == field
    assert "\n" not in error["message"]


def test_a_longer_timeout_than_the_server_has_names_that_of_the_server(client: TestClient) -> None:
    for seconds in (60.5, 100_000):
        body = {"words": ["a"], "options": {"timeout": seconds}}
        error = client.post("/v1/order", json=body).json()["error"]
        expected = f"options.timeout must be at most 60 seconds, not {seconds}"
        assert error["message"].replace("60.0", "60") == expected


@pytest.mark.parametrize("name", ["order", "realize", "score", "accept"])
def test_an_option_beside_the_words_is_told_where_it_belongs(client: TestClient, name: str) -> None:
    for option in TAKEN[cast(Operation, name)]:
        message = f"{option} is an option of the request, not of a problem: give options.{option}"
        problem = (
            {"words": ["a"], "order": ["a"]} if name in ("score", "accept") else {"words": ["a"]}
        )
        answer = client.post(f"/v1/{name}", json={**problem, option: 1})
        assert answer.status_code == 422
        assert answer.json()["error"] == {"code": "invalid", "message": message, "field": option}
        batch = client.post(f"/v1/{name}", json={"problems": [problem], option: 1})
        assert batch.status_code == 422
        assert batch.json()["error"] == answer.json()["error"]
        inside = client.post(f"/v1/{name}", json={"problems": [{**problem, option: 1}]})
        [result] = inside.json()["results"]
        assert result["error"]["message"] == message
        assert result["error"]["field"] == f"problems[0].{option}"


def test_a_refused_problem_of_a_batch_keeps_its_id(client: TestClient) -> None:
    problems = [
        {"words": [3], "id": "s1"},
        {"words": ["a", "b"], "before": [[1, 2], [2, 1]], "id": "s2"},
        {"words": ["a"], "n_best": 3, "id": "s3"},
        {"words": ["a"] * 300, "id": "ä"},
        {"words": UNSATISFIABLE, "before": [[2, 4], [4, 3]], "id": "s5"},
        {"words": []},
        {"words": ["a"], "id": 3},
        {"words": ["a"], "id": "\ud800"},
        {"words": ["a"], "id": "x" * 10_001},
        ["b", 3],
    ]
    answer = client.post(
        "/v1/order",
        content=json.dumps({"problems": problems}),
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 200
    results = answer.json()["results"]
    assert all("error" in each for each in results)
    assert [each.get("id") for each in results] == ["s1", "s2", "s3", "ä", "s5", *[None] * 5]
    alone = client.post("/v1/order", json=problems[0]).json()
    assert list(alone) == ["error"]


def test_a_bad_problem_does_not_spoil_its_batch(client: TestClient) -> None:
    answer = client.post("/v1/order", json={"problems": [["a"], [3], {"words": ["b"], "first": 2}]})
    assert answer.status_code == 200
    first, second, third = answer.json()["results"]
    assert first["text"] == "a"
    assert second["error"]["field"] == "problems[1].words[0]"
    assert third["error"]["field"] == "problems[2].first"


def test_no_solution_is_an_error_of_its_own(client: TestClient) -> None:
    answer = client.post("/v1/order", json={"words": UNSATISFIABLE, "before": [[2, 4], [4, 3]]})
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] in ("unsatisfiable", "invalid")


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "not JSON"),
        (b"{", "line 1, column 2"),
        (b'{"words": ["a"], "words": ["b"]}', "duplicate key"),
        (b'{"words": ["\xff"]}', "not UTF-8 at byte 13"),
        (b'{"words": [NaN]}', "not JSON: NaN"),
        (b'{"words": [{"form": "a", "head": 12345678901234567890}]}', "too many digits"),
        (b"[" * 100_000, "nested too deeply"),
        (b'\xef\xbb\xbf["a"]', "BOM"),
    ],
)
def test_what_is_not_json_is_refused(client: TestClient, content: bytes, part: str) -> None:
    answer = client.post("/v1/order", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_json"
    assert part in answer.json()["error"]["message"]


@pytest.mark.parametrize("content_type", [None, "text/plain", "application/x-www-form-urlencoded"])
def test_json_must_say_so(client: TestClient, content_type: str | None) -> None:
    headers = {} if content_type is None else {"Content-Type": content_type}
    answer = client.post("/v1/order", content=b'["a"]', headers=headers)
    assert answer.status_code == 415


def test_limits_of_a_request() -> None:
    with server(Limits(words=3, problems=2, body=2000, answer=900)) as client:
        too_many = client.post("/v1/order", json={"words": ["a"] * 4})
        assert (too_many.status_code, too_many.json()["error"]["field"]) == (422, "words")
        assert "limit of 3" in too_many.json()["error"]["message"]
        batch = client.post("/v1/order", json={"problems": [["a"]] * 3})
        assert (batch.status_code, batch.json()["error"]["field"]) == (422, "problems")
        large = client.post("/v1/order", json={"words": ["a"], "id": "x" * 3000})
        assert (large.status_code, large.json()["error"]["code"]) == (413, "too_large")
        assert large.json()["error"]["field"] == "body"
        assert "(limit: body)" in large.json()["error"]["message"]
        long = client.post("/v1/order", json={"words": ["a", "b", "c"], "options": {"n_best": 6}})
        assert long.status_code == 422
        assert "the answer has more bytes than the limit of 900" in long.json()["error"]["message"]
        assert client.post("/v1/order", json={"words": ["a"] * 3}).status_code == 200


def test_a_body_in_pieces_is_refused_while_it_arrives() -> None:
    sent = 0

    def pieces() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(1000):
            sent += 1
            yield b" " * 1000

    with server(Limits(body=5000)) as client:
        headers = {"Content-Type": "application/json"}
        answer = client.post("/v1/order", content=pieces(), headers=headers)
        assert answer.status_code == 413
        assert client.app_state["service"].held == 0


def test_the_memory_for_bodies_is_limited() -> None:
    with server(Limits(body=1000, bodies=1000)) as client:
        service = client.app_state["service"]
        service.held = 990
        answer = client.post("/v1/order", json={"words": ["a", "b"]})
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "busy")
        assert answer.headers["Retry-After"] == "1"
        service.held = 0
        assert client.post("/v1/order", json={"words": ["a", "b"]}).status_code == 200


def test_small_bodies_are_let_in_beside_large_ones() -> None:
    with server(Limits(body=200_000, bodies=200_000)) as client:
        service = client.app_state["service"]
        service.held = 200_000
        assert client.post("/v1/order", json=["a"]).status_code == 200
        assert client.post("/v1/order", json={"words": ["a"], "id": "x" * 300}).status_code == 503


def test_the_memory_for_answers_is_limited() -> None:
    with server(Limits(answer=10_000, answers=10_000)) as client:
        answers = client.app_state["service"].answers
        answers._made = 10_000
        refused = client.post("/v1/order", json=["a"])
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
        assert "(limit: answers)" in refused.json()["error"]["message"]
        answers._made = 0
        assert client.post("/v1/order", json=["a"]).status_code == 200
        assert answers.held == 0


def test_characters_of_a_problem_are_limited() -> None:
    with server(Limits(word_characters=5, characters=12)) as client:
        long = client.post("/v1/order", json=["a", "words6"])
        assert long.status_code == 422
        message = "6 characters, more than the limit of 5 (limit: word_characters)"
        assert long.json()["error"]["message"] == message
        many = {"words": [{"form": "abcde", "lemma": "abc"}, "xyz"], "id": "id"}
        refused = client.post("/v1/order", json=many)
        assert refused.status_code == 422
        message = "13 characters in all, more than the limit of 12 (limit: characters)"
        assert refused.json()["error"]["message"] == message
        batch = client.post("/v1/order", json={"problems": [["words6"], ["a"]]}).json()["results"]
        assert batch[0]["error"]["field"] == "problems[0].words[0].form"
        assert batch[1]["text"] == "a"
        form = client.post("/process", data={"data": "words6 a\n", "input": "horizontal"})
        assert (form.status_code, form.json()["error"]["field"]) == (422, "data")


def test_a_full_queue_refuses() -> None:
    with server(Limits(queue=2)) as client:
        service = client.app_state["service"]
        service.active = 2
        answer = client.post("/v1/order", json=["a"])
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "queue_full")
        assert int(answer.headers["Retry-After"]) >= 1
        assert "(limit: queue)" in answer.json()["error"]["message"]
        service.active = 0
        assert client.post("/v1/order", json=["a"]).status_code == 200
        assert service.active == 0


def test_a_server_that_stops_refuses_and_is_not_ready() -> None:
    with server() as client:
        service = client.app_state["service"]
        assert client.get("/readyz").json() == {"status": "ready"}
        service.stopping = True
        answer = client.post("/v1/order", json=["a"])
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "stopping")
        assert answer.headers["Retry-After"] == "5"
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200


def test_a_server_is_not_ready_while_it_would_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer_of(client: TestClient) -> tuple[int, str]:
        answer = client.get("/readyz")
        if answer.status_code == 200:
            return 200, answer.json()["status"]
        assert int(answer.headers["Retry-After"]) >= 1
        return answer.status_code, answer.json()["error"]["code"]

    with server(Limits(queue=2)) as client:
        service = client.app_state["service"]
        assert answer_of(client) == (200, "ready")
        service.active = 2
        assert answer_of(client) == (503, "busy")
        service.active = 0
        service.held = service.limits.bodies
        assert answer_of(client) == (503, "busy")
        service.held = 0
        assert answer_of(client) == (200, "ready")
        monkeypatch.setattr(FairQueue, "held", True)
        assert answer_of(client) == (503, "busy")


def test_a_request_beyond_its_time_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    with server(Limits(seconds=1)) as client:
        service = client.app_state["service"]
        monkeypatch.setattr(service.queue, "submit", lambda job: None)  # nobody works
        answer = client.post("/v1/order", json=["a"])
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "time_limit")
        assert "Retry-After" in answer.headers


# Each takes a minute or more, if nothing ends its search.
LONG: list[Any] = [
    {"words": ["top", *({"form": f"w{number}", "head": 1} for number in range(1_999))]},
    {"words": [f"w{number}" for number in range(2_000)]},
]


@pytest.mark.slow
@pytest.mark.parametrize("problem", LONG)
def test_a_request_that_is_answered_holds_no_thread(problem: dict[str, Any]) -> None:
    with server(Limits(seconds=1, words=2_000, beam=512)) as client:
        batch = {"problems": [problem] * 8, "options": {"beam": 512}}
        for _ in range(2):  # of as many threads
            answer = client.post("/v1/order", json=batch)
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "time_limit")
        # Had the threads gone on, there would be none for this one within its second.
        wait_until(lambda: client.post("/v1/order", json=["a"]).status_code == 200, seconds=10)


@pytest.mark.slow
@pytest.mark.parametrize("timeout", [None, 4])
def test_the_search_of_a_single_problem_ends_before_its_request(timeout: int | None) -> None:
    words = ["top", *({"form": f"w{number}", "head": 1} for number in range(999))]
    with server(Limits(seconds=4, beam=512, words=1_000)) as client:
        options = {"beam": 512, "timeout": timeout}
        answer = client.post("/v1/order", json={"words": words, "options": options})
        assert answer.status_code == 200
        assert answer.json()["narrowed"] is True


def test_a_failure_says_nothing_of_the_inside(
    monkeypatch: pytest.MonkeyPatch, client: TestClient
) -> None:
    linearizer = english()["en"].linearizer
    monkeypatch.setattr(type(linearizer), "solve", lambda *more, **options: 1 / 0)
    answer = client.post("/v1/order", json=["a"])
    assert answer.status_code == 500
    assert answer.json()["error"] == {
        "code": "internal",
        "message": "the server failed; its log says more",
        "field": None,
    }


PATHS = [
    "/nothing",
    "/v1",
    "/v1/order/",
    "//v1/order",
    "/page/",
    "/page/../app.py",
    "/page/..%2fapp.py",
    "/page/%2e%2e/%2e%2e/errors.py",
    "/page//etc/passwd",
    "/page/%00",
    "/page/index.html%00.js",
    "/page/..\\app.py",
    "/%F0%9F%98%80",
    "/%FF%FE",
    "/" + "x" * 5000,
]


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_found_elsewhere(client: TestClient, path: str) -> None:
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        answer = client.request(method, path)
        assert answer.status_code in (404, 405), (method, path)
        assert answer.headers["content-type"] == "application/json"
        assert method == "HEAD" or set(answer.json()["error"]) == {"code", "message", "field"}


def test_methods_that_a_path_does_not_take(client: TestClient) -> None:
    answer = client.get("/v1/order")
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"
    assert client.post("/v1/models").status_code == 405
    assert client.request("OPTIONS", "/v1/order").status_code == 405
    assert client.request("BREW", "/v1/order").status_code == 405


@pytest.mark.parametrize("path", ["/", "/healthz", "/v1/models", "/docs", "/nothing", "/process"])
def test_every_answer_has_the_headers_of_security(client: TestClient, path: str) -> None:
    answer = client.get(path)
    for name, value in HEADERS:
        assert answer.headers[name.decode()] == value.decode()
    assert len(answer.headers["x-request-id"]) == 16
    assert "server" not in answer.headers
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_models_are_described_without_their_place(client: TestClient) -> None:
    answer = client.get("/v1/models").json()
    assert answer["default"] == "en"
    [model] = answer["models"]
    assert (model["name"], model["language_name"]) == ("en", "English")
    assert "realize" in model["operations"]
    assert model["tag_column"] == "xpos"
    assert {"NN", "VBD"} <= set(model["tags"])
    assert {"nsubj", "obj"} <= set(model["labels"])
    assert model["lifts"] is english()["en"].linearizer.lifts
    assert model["licence"] == "CC-BY-SA-4.0"
    assert answer["limits"]["words"] == Limits().words
    assert ".syntagma" not in json.dumps(answer)
    assert "path" not in model


def test_a_language_is_named(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(english()["en"].linearizer.info.header, "language", "de")
    [model] = client.get("/v1/models").json()["models"]
    assert (model["language"], model["language_name"]) == ("de", "German (de)")


def test_text_is_split_into_words(client: TestClient) -> None:
    answer = client.post("/v1/tokenize", json={"text": "The dog didn't bark."})
    assert answer.json() == {"words": ["The", "dog", "did", "n't", "bark", "."]}
    bodies = ("{}", '{"text": 3}', '{"text": "a", "more": 1}', '["a"]', '{"text": "\\ud800"}')
    for body in (*bodies, json.dumps({"text": "x" * 10_001})):
        refused = client.post(
            "/v1/tokenize", content=body, headers={"Content-Type": "application/json"}
        )
        assert (refused.status_code, refused.json()["error"]["field"]) == (422, "text")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'\xef\xbb\xbf["a"]', "the body begins with a byte order mark (BOM): leave it out"),
        (b'{"words": ["a"], "options": null}', "options: expected an object"),
        (
            b'{"words": ["a"], "options": {"\\ud800": 1}}',
            r"options: unknown option '\ud800'; "
            "known are model, n_best, diverse, beam, timeout, projective, judge, text",
        ),
    ],
)
def test_messages_are_about_the_request_and_not_about_python(
    client: TestClient, body: bytes, message: str
) -> None:
    answer = client.post("/v1/order", content=body, headers={"Content-Type": "application/json"})
    assert answer.json()["error"]["message"] == message


def test_metrics_count_requests_and_problems() -> None:
    with server() as client:
        client.post("/v1/order", json={"problems": [["a"], ["b"], [3]]})
        client.post("/v1/order", json=[3])
        client.get("/" + "secret")
        text = client.get("/metrics").text
    assert 'syntagma_requests_total{method="POST",route="/v1/order",status="200"} 1.0' in text
    assert 'syntagma_problems_total{operation="order",outcome="ok"} 2.0' in text
    assert 'syntagma_problems_total{operation="order",outcome="invalid"} 2.0' in text
    assert 'route="other"' in text
    assert "secret" not in text
    assert "syntagma_active_requests 0.0" in text


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("score", {"words": TREE, "order": "the dog barked"}),
        ("score", {"words": TREE, "order": [1, 3, 2], "id": "x"}),
        ("accept", {"words": ["the", "dog", "barked"], "order": ["barked", "dog", "the"]}),
        ("accept", {"order": "the New York dog", "words": ["New York", "the", "dog"]}),
        ("accept", {"order": "the dog barked", "last": 2}),
    ],
)
def test_orders_are_scored_and_judged_as_by_the_library(
    client: TestClient, name: str, problem: dict[str, Any]
) -> None:
    from syntagma.formats.jsonl import order_from_json, write_acceptance, write_jsonl
    from syntagma.formats.text import split_bag

    linearizer = english()["en"].linearizer
    words, order = order_from_json(problem, split_bag)
    expected = (
        write_jsonl(linearizer.score(words, order))
        if name == "score"
        else write_acceptance(linearizer.accept(words, order))
    )
    assert client.post(f"/v1/{name}", json=problem).text == expected
    batch = client.post(f"/v1/{name}", json={"problems": [problem, problem]})
    assert batch.json()["results"] == [json.loads(expected)] * 2


@pytest.mark.parametrize("name", ["score", "accept"])
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"words": ["a", "b"]}, "order"),
        (["a"], None),
        ({"words": ["a", "b"], "order": 3}, "order"),
        ({"words": ["a", "b"], "order": ["a", 1.5]}, "order[1]"),
        ({"words": ["a", "b"], "order": "a c"}, "order"),
        ({"words": ["a", "b"], "order": [1, 1]}, "order"),
        ({"words": ["a", "b"], "order": ["a", 2]}, "order"),
        ({"order": [1, 2]}, "words"),
        ({"words": ["a"] * 257, "order": ["a"] * 257}, "words"),
    ],
)
def test_what_is_wrong_with_an_order_is_named(
    client: TestClient, name: str, body: object, field: str | None
) -> None:
    answer = client.post(f"/v1/{name}", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == field
