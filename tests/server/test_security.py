"""Who is let in: tokens, hosts, origins."""

import os
import threading
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
pytest.importorskip("python_multipart", reason="pip install 'syntagma[server]'")
pytest.importorskip("httpx", reason="no httpx: pip install 'syntagma[server-tests]'")

from toys.server import server

from syntagma.errors import ArgumentError
from syntagma.server.security import CONTENT_POLICY, Access, is_loopback, read_token

TOKEN = b"correct-horse-battery"
CLOSED = ["/v1/models", "/metrics", "/models", "/process", "/nothing"]
OPEN = ["/healthz", "/readyz", "/docs", "/page/docs.css", "/openapi.json"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_token_is_not_read_from_a_pipe_or_a_device(tmp_path: Path) -> None:
    """It would wait for a writer that never comes."""
    os.mkfifo(tmp_path / "pipe")
    said: list[str] = []

    def read(path: Path) -> None:
        with pytest.raises(ArgumentError) as caught:
            read_token(path)
        said.append(str(caught.value))

    for path in (tmp_path / "pipe", Path(os.devnull)):
        thread = threading.Thread(target=read, args=[path], daemon=True)
        thread.start()
        thread.join(20)
        assert said == [f"{path}: cannot read the token: it is not a regular file"]
        said.clear()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)
    Access.of(host, None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org", "", "127.1"])
def test_other_addresses_need_a_token(host: str) -> None:
    assert not is_loopback(host)
    with pytest.raises(ArgumentError, match="--token-file"):
        Access.of(host, None)
    assert Access.of(host, TOKEN).token == TOKEN


@pytest.mark.parametrize(
    ("authorization", "allowed"),
    [
        (None, False),
        ("", False),
        ("Bearer", False),
        ("Bearer ", False),
        (f"Bearer {TOKEN.decode()}", True),
        (f"bearer {TOKEN.decode()}", True),
        (f"Bearer {TOKEN.decode()}x", False),
        (f"Bearer {TOKEN.decode()[:-1]}", False),
        (f"Basic {TOKEN.decode()}", False),
        (TOKEN.decode(), False),
        ("Bearer é", False),
    ],
)
def test_a_token_opens_what_is_closed(authorization: str | None, allowed: bool) -> None:
    given = (authorization or "").encode("latin-1")
    headers = {} if authorization is None else {b"Authorization": given}
    with server(access=Access(TOKEN)) as client:
        for path in CLOSED:
            answer = client.get(path, headers=headers)
            assert (answer.status_code != 401) is allowed
            if not allowed:
                assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        for path in OPEN:
            assert client.get(path, headers=headers).status_code == 200


def test_the_token_is_in_the_document() -> None:
    with server(access=Access(TOKEN)) as client:
        assert client.get("/openapi.json").json()["security"] == [{"token": []}]
    with server() as client:
        assert "security" not in client.get("/openapi.json").json()


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost", True),
        ("localhost:8000", True),
        ("LOCALHOST:8000", True),
        ("127.0.0.1:80", True),
        ("[::1]:8000", True),
        ("proxy.example:443", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example:8000", False),
        ("evil.example:localhost", False),
        ("", False),
    ],
)
def test_a_loopback_server_knows_its_names(host: str, allowed: bool) -> None:
    access = Access.of("127.0.0.1", None, ["proxy.example"])
    with server(access=access) as client:
        for path in ("/", "/v1/models", "/healthz"):
            answer = client.get(path, headers={"Host": host})
            assert (answer.status_code != 421) is allowed


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"Origin": "http://testserver"}, True),
        ({"Origin": "https://good.example"}, True),
        ({"Origin": "https://evil.example"}, False),
        ({"Origin": "null"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, True),  # typed or a bookmark
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, False),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, False),
    ],
)
def test_pages_of_other_origins_are_refused(headers: dict[str, str], allowed: bool) -> None:
    access = Access(origins=frozenset(["https://good.example"]))
    with server(access=access) as client:
        answer = client.get("/v1/models", headers=headers)
        assert answer.status_code == (200 if allowed else 403)
        assert client.get("/healthz", headers=headers).status_code == 200


@pytest.mark.parametrize("kind", ["document", "iframe"])
def test_links_frames_and_windows_of_other_pages_do_not_make_it_work(kind: str) -> None:
    headers = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": kind,
    }
    with server(access=Access()) as client:
        for method in ("GET", "HEAD"):
            answer = client.request(method, "/process?data=a&input=horizontal", headers=headers)
            assert answer.status_code == 403
        for path in ("/", *OPEN):
            assert client.get(path, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/healthz?" + "x" * 17_000, {}),
        ("/" + "x" * 17_000, {}),
        ("/healthz", {"X": "y" * 17_000}),
        ("/healthz", {f"X-{number}": "" for number in range(2_000)}),
    ],
)
def test_the_header_is_limited(path: str, headers: dict[str, str]) -> None:
    with server() as client:
        answer = client.get(path, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (431, "header_too_large")
        assert client.get("/healthz", headers={"X": "y" * 15_000}).status_code == 200


def test_an_allowed_origin_may_read_answers() -> None:
    access = Access(TOKEN, origins=frozenset(["https://good.example"]))
    asking = {
        "Origin": "https://good.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    with server(access=access) as client:
        answer = client.options("/healthz", headers=asking)
        assert answer.status_code == 204
        assert answer.headers["Access-Control-Allow-Origin"] == "https://good.example"
        assert answer.headers["Access-Control-Allow-Headers"] == "authorization, content-type"
        assert answer.headers["Vary"] == "origin"
        preflight = client.options("/v1/order", headers=asking)  # a browser sends no token here
        assert preflight.status_code == 204
        evil = client.options("/v1/order", headers={**asking, "Origin": "https://evil.example"})
        assert evil.status_code == 403
        assert "Access-Control-Allow-Origin" not in evil.headers


@pytest.mark.parametrize("origin", ["*", "null", "example.org", "ftp://x", "https://a/b", ""])
def test_origins_are_exact(origin: str) -> None:
    with pytest.raises(ArgumentError, match="an allowed origin is"):
        Access.of("127.0.0.1", None, (), [origin])


@pytest.mark.parametrize(
    ("content", "mode", "message"),
    [
        (b"0123456789abcdef", 0o644, "others can read the token"),
        (b"0123456789abcdef", 0o660, "others can read the token"),
        (b"brief!", 0o600, "16 or more"),
        (b"", 0o600, "16 or more"),
        (b"0123456789 abcdef", 0o600, "visible ASCII"),
        ("0123456789abcdéf".encode(), 0o600, "visible ASCII"),
        (b"x" * 5000, 0o600, "one line"),
    ],
)
def test_bad_tokens(tmp_path: Path, content: bytes, mode: int, message: str) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    file.chmod(mode)
    with pytest.raises(ArgumentError, match=message) as caught:
        read_token(file)
    assert content == b"" or content.decode() not in str(caught.value)


def test_good_tokens(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_bytes(b"0123456789abcdef\r\n")
    for mode in (0o600, 0o400):
        file.chmod(mode)
        assert read_token(file) == b"0123456789abcdef"
    with pytest.raises(ArgumentError, match="cannot read"):
        read_token(tmp_path)


def test_the_content_policy_allows_this_server_alone() -> None:
    for directive in CONTENT_POLICY.split("; "):
        assert directive.split(" ", 1)[1] in ("'none'", "'self'")
    assert CONTENT_POLICY.startswith("default-src 'none'")
