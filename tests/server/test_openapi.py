"""The OpenAPI document: its examples work, and the service keeps what it promises."""

import html
import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
pytest.importorskip("python_multipart", reason="pip install 'syntagma[server]'")
pytest.importorskip("httpx", reason="no httpx: pip install 'syntagma[server-tests]'")

from hypothesis import HealthCheck, given, settings
from starlette.testclient import TestClient
from toys.server import server

from syntagma.server.limits import Limits
from syntagma.server.openapi import EXAMPLES
from syntagma.server.security import Access

schemathesis = pytest.importorskip(
    "schemathesis", reason="no schemathesis: pip install 'syntagma[server-tests]'"
)
from schemathesis.specs.openapi.checks import positive_data_acceptance  # noqa: E402

LIMITS = Limits(words=12, problems=4, beam=4, n_best=3)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with server(LIMITS) as client:
        yield client


@pytest.fixture(scope="module")
def document(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


@pytest.mark.parametrize(
    ("operation", "name"), [(each, name) for each, group in EXAMPLES.items() for name in group]
)
def test_examples_work_when_pasted(operation: str, name: str) -> None:
    with server() as client:
        answer = client.post(f"/v1/{operation}", json=EXAMPLES[operation][name])
    assert answer.status_code == 200
    assert "error" not in answer.text


def test_every_example_is_shown(document: dict[str, Any]) -> None:
    for operation, examples in EXAMPLES.items():
        content = document["paths"][f"/v1/{operation}"]["post"]["requestBody"]["content"]
        shown = content["application/json"]["examples"]
        assert {name: each["value"] for name, each in shown.items()} == examples


def test_every_route_is_documented(document: dict[str, Any]) -> None:
    assert set(document["paths"]) == {
        *(f"/v1/{name}" for name in EXAMPLES),
        *("/v1/models", "/healthz", "/readyz", "/metrics", "/models", "/process"),
    }
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert operation["tags"]


def test_limits_are_in_the_schemas(document: dict[str, Any]) -> None:
    text = json.dumps(document["components"]["schemas"]["OrderRequest"])
    assert '"maxItems": 12' in text
    assert '"maxItems": 4' in text
    assert '"maximum": 3' in text


def commands(page: str) -> list[str]:
    found = re.findall(r"<pre><code>(curl .*?)</code></pre>", page, re.DOTALL)
    return [html.unescape(each) for each in found]


def test_commands_of_the_reference_can_be_pasted() -> None:
    """Whatever host the client named, and with the token that the server wants."""
    with server(access=Access(token=b"x" * 16)) as client:
        page = client.get("/docs", headers={"Host": "evil$(id);x"}).text
    shown = commands(page)
    assert len(shown) == sum(map(len, EXAMPLES.values()))
    for command in shown:
        program, url, *more = shlex.split(command)
        assert program == "curl"
        assert url.startswith("http://evil$(id);x/v1/")
        assert f"'{url}'" in command
        assert "Authorization: Bearer $SYNTAGMA_TOKEN" in more
        assert json.loads(more[-1])
    with server() as client:
        [first, *_] = commands(client.get("/docs").text)
        [secure, *_] = commands(client.get("/docs", headers={"X-Forwarded-Proto": "https"}).text)
    assert "Authorization" not in first
    assert "'http" not in first
    assert secure == first.replace("http://", "https://")


def test_the_reference_is_a_page_without_programs(client: TestClient) -> None:
    answer = client.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    assert "<script" not in answer.text
    assert "style=" not in answer.text
    assert "POST /v1/order" in answer.text
    assert "http://testserver/v1/order" in answer.text
    assert client.get("/page/docs.css").headers["content-type"].startswith("text/css")


@pytest.fixture(scope="module")
def promised(client: TestClient) -> Any:
    return schemathesis.openapi.from_asgi("/openapi.json", client.app)


# What fits the schema may still be refused: a schema cannot say that heads form no cycle.
LEFT_OUT = [positive_data_acceptance]
MODES = list(schemathesis.GenerationMode)
PLAIN = ["/v1/models", "/healthz", "/readyz", "/metrics", "/models"]  # nothing can be wrong
CALLS = [
    *(("GET", path, MODES[0]) for path in PLAIN),
    *(("POST", f"/v1/{name}", mode) for name in EXAMPLES for mode in MODES),
    *((method, "/process", mode) for method in ("GET", "POST") for mode in MODES),
]
# Read as the requests of another call are, with almost the same schema.
REPEATED = [(path, MODES[1]) for path in ("/v1/realize", "/v1/accept")]


def is_sent_whole(case: Any) -> bool:
    """An empty list leaves no trace in a query, so what is wrong about it does not arrive. Nor does
    one that holds nothing but such."""
    return not any(map(is_nothing, (case.query or {}).values()))


def is_nothing(value: Any) -> bool:
    if isinstance(value, (list, dict)):
        return all(map(is_nothing, value.values() if isinstance(value, dict) else value))
    return value is None


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path", "mode"), CALLS)
def test_what_is_promised_is_kept(promised: Any, method: str, path: str, mode: Any) -> None:
    cases = promised[path][method].as_strategy(generation_mode=mode).filter(is_sent_whole)

    @settings(
        max_examples=3 if (path, mode) in REPEATED else 15,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def keep(case: Any) -> None:
        case.call_and_validate(excluded_checks=LEFT_OUT)

    keep()
