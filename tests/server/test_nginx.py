"""The recipe for nginx, examples/nginx.conf, in front of a server."""

import http.client
import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
pytest.importorskip("python_multipart", reason="pip install 'syntagma[server]'")
pytest.importorskip("httpx", reason="no httpx: pip install 'syntagma[server-tests]'")

from toys.server import running, wait_until

if (
    NGINX := shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
) is None:
    pytest.skip("nginx is not installed: apt-get install nginx-light", allow_module_level=True)

RECIPE = Path(__file__).parents[2] / "examples" / "nginx.conf"
NAME = "words.example.org"
HEADER = b"POST /v1/order HTTP/1.1\r\nHost: words.example.org\r\nContent-Length: %d\r\n\r\n"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of nginx on the loopback address; it loses patience after a second."""
    folder = tmp_path_factory.mktemp("nginx")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with running("--allow-host", NAME) as server:
        text = RECIPE.read_text(encoding="utf-8")
        replaced = {
            "listen 80;": f"listen 127.0.0.1:{port};",
            "server 127.0.0.1:8000;": f"server {urlsplit(server.url).netloc};",
            "client_header_timeout 10s;": "client_header_timeout 1s;",
            "client_body_timeout 10s;": "client_body_timeout 1s;",
            "limit_conn connections 20;": "limit_conn connections 4;",
            "http {": "http {\n"
            + "".join(
                f"    {kind}_temp_path {folder};\n"
                for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            ),
        }
        for old, new in replaced.items():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        file = folder / "nginx.conf"
        file.write_text(text, encoding="utf-8")
        options = f"daemon off; pid {folder}/pid; error_log {folder}/log;"
        command = [str(NGINX), "-p", str(folder), "-c", str(file), "-g", options]
        nginx = subprocess.Popen(command, stderr=subprocess.PIPE)
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    assert nginx.poll() is None, nginx.communicate()[1]
            yield port
        finally:
            nginx.terminate()
            nginx.wait(30)


def ask(port: int, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Host": NAME, "Content-Type": "application/json", "Origin": f"http://{NAME}"}
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def is_ended(port: int, sent: bytes) -> bool:
    """Whether nginx ends the connection of a client that sends nothing more."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(sent)
        try:
            return client.recv(65536) == b""
        except ConnectionResetError:
            return True


def test_an_ordinary_request_passes(port: int) -> None:
    for _ in range(3):  # over connections that are kept open
        status, body = ask(port, "POST", "/v1/order", b'{"words": ["dog", "the", "barked"]}')
        assert (status, json.loads(body)["text"]) == (200, "the dog barked")
    assert ask(port, "GET", "/")[0] == 200
    assert f"http://{NAME}/v1/order".encode() in ask(port, "GET", "/docs")[1]


def test_a_slow_header_is_ended(port: int) -> None:
    assert is_ended(port, b"POST /v1/order HTT")


def test_a_slow_body_is_ended(port: int) -> None:
    assert is_ended(port, HEADER % 100 + b"{")


def test_a_large_body_is_refused(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(HEADER % 5_000_000)
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")


def test_a_client_has_few_connections(port: int) -> None:
    # The others may not all have arrived, or may have waited too long and been ended.
    wait_until(lambda: status_beside_others(port) == 503)
    wait_until(lambda: ask(port, "GET", "/healthz")[0] == 200)


def status_beside_others(port: int) -> int:
    """The status of a request beside four others of the same client that are not finished."""
    with ExitStack() as stack:
        for _ in range(4):
            client = socket.create_connection(("127.0.0.1", port), timeout=60)
            stack.enter_context(client).sendall(HEADER % 100)
        return ask(port, "GET", "/healthz")[0]
