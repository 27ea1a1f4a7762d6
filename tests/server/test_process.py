"""The server as a process: start, signals, clients that are slow, vanish or talk nonsense."""

import asyncio
import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
pytest.importorskip("python_multipart", reason="pip install 'syntagma[server]'")
pytest.importorskip("httpx", reason="no httpx: pip install 'syntagma[server-tests]'")

from toys.server import Running, running, wait_until

from syntagma.cli.app import run
from syntagma.server.process import listen

pytestmark = pytest.mark.slow

JSON = {"Content-Type": "application/json"}
BAG = json.dumps({"words": ["dog", "the", "barked"]})


@pytest.fixture(scope="module")
def quick() -> Iterator[Running]:
    """A server that loses patience soon."""
    limits = ("body_seconds=1", "connections=12")
    with running("--threads", "2", *(f"--limit={each}" for each in limits)) as server:
        yield server


@pytest.fixture(scope="module")
def patient() -> Iterator[Running]:
    with running("--threads", "2") as server:
        yield server


def post(server: Running, path: str, body: str | bytes, **headers: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
    try:
        connection.request("POST", path, body, {**JSON, **headers})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def talk(server: Running, *pieces: bytes) -> bytes:
    """Everything that the server answers to these bytes, until it closes the connection."""
    with socket.create_connection((server.host, server.port), timeout=60) as client:
        for piece in pieces:
            client.sendall(piece)
        return read_all(client)


def read_all(client: socket.socket) -> bytes:
    received = b""
    try:
        while piece := client.recv(65536):
            received += piece
    except ConnectionResetError:
        pass
    return received


def is_well(server: Running) -> bool:
    status, answer = post(server, "/v1/order", BAG)
    return bool(status == 200 and answer["text"] == "the dog barked")


def header(length: int, *more: str) -> bytes:
    lines = ("POST /v1/order HTTP/1.1", "Host: localhost", "Content-Type: application/json")
    return "\r\n".join((*lines, f"Content-Length: {length}", *more, "", "")).encode()


def test_it_starts_and_stops() -> None:
    with running() as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert "syntagma_requests_total{" not in metrics(server)  # the warm-up is not counted
        assert is_well(server)
        assert 'syntagma_problems_total{operation="order",outcome="ok"} 1.0' in metrics(server)
        code, log = server.stop()
    assert code == 0
    assert [line["event"] for line in log] == ["started", "request", "stopping", "stopped"]
    assert log[0]["address"] == server.url
    assert log[2]["signal"] == "SIGTERM"


def test_a_stop_under_load_finishes_what_runs_and_refuses_what_is_new() -> None:
    words = [f"w{number}" for number in range(60)]
    batch = json.dumps({"problems": [words] * 8, "options": {"beam": 64}})
    with running("--threads", "1") as server:
        answers: list[tuple[int, Any]] = []
        client = threading.Thread(target=lambda: answers.append(post(server, "/v1/order", batch)))
        client.start()
        while metric(server, "syntagma_active_requests") < 1:
            pass
        server.process.terminate()
        while (refused := post(server, "/v1/order", BAG))[0] == 200:
            pass  # the signal is on its way
        assert refused[0] == 503
        assert refused[1]["error"]["code"] == "stopping"
        client.join()
        code, log = server.wait()
    [(status, answer)] = answers
    assert status == 200
    assert len(answer["results"]) == 8
    assert code == 0
    assert log[-1]["event"] == "stopped"


def test_a_second_signal_ends_at_once() -> None:
    words = [f"w{number}" for number in range(100)]
    batch = json.dumps({"problems": [words] * 200, "options": {"beam": 128}})
    with running("--threads", "1") as server:
        answers: list[tuple[int, Any]] = []
        client = threading.Thread(target=lambda: answers.append(post(server, "/v1/order", batch)))
        client.start()
        while metric(server, "syntagma_active_requests") < 1:
            pass
        server.process.send_signal(signal.SIGINT)
        while post(server, "/v1/order", BAG)[0] != 503:
            pass
        code, log = server.stop()
        client.join()
    [(status, answer)] = answers
    assert (status, answer["error"]["code"]) == (503, "stopping")
    assert code == 0
    events = [line["event"] for line in log if line["event"] != "request"]
    assert events == ["started", "stopping", "stopping at once", "stopped"]


def metrics(server: Running) -> str:
    connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return text


def metric(server: Running, name: str) -> float:
    lines = metrics(server).splitlines()
    return float(next(line for line in lines if line.startswith(name + " ")).split()[1])


def test_grace_is_limited() -> None:
    words = [f"w{number}" for number in range(100)]
    batch = json.dumps({"problems": [words] * 200, "options": {"beam": 128}})
    with running("--threads", "1", "--limit=grace=1") as server:
        answers: list[tuple[int, Any]] = []
        client = threading.Thread(target=lambda: answers.append(post(server, "/v1/order", batch)))
        client.start()
        while metric(server, "syntagma_active_requests") < 1:
            pass
        code, log = server.stop()
        client.join()
    assert answers[0][0] == 503
    assert code == 0
    assert "out of grace" in [line["event"] for line in log]


def test_a_slow_body_is_answered_and_cut_off(quick: Running) -> None:
    answer = talk(quick, header(1000), b'{"words": ')
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"request_timeout"' in answer
    assert is_well(quick)


def test_a_client_that_does_not_read_disturbs_no_other(quick: Running) -> None:
    """Its answer is larger than the kernel's buffers: each word comes back twice."""
    batch = json.dumps({"problems": [["x" * 9_000]] * 400}).encode()
    with socket.create_connection((quick.host, quick.port), timeout=60) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(header(len(batch)) + batch)
        while metric(quick, "syntagma_active_requests") > 0:
            pass
        assert is_well(quick)


def test_clients_that_do_not_read_take_bounded_memory() -> None:
    """Eight answers of 30 MB, of which one may wait."""
    problems = [[letter * 900 for letter in "abcd"]] * 1_000
    batch = json.dumps({"problems": problems, "options": {"n_best": 4, "beam": 8}}).encode()
    limits = ("--limit=answers=40000000", "--limit=answer_seconds=600")
    with running("--threads", "2", *limits) as server:
        before = metric(server, "process_resident_memory_bytes")
        clients = []
        for _ in range(8):
            client = socket.create_connection((server.host, server.port), timeout=60)
            clients.append(client)
            client.sendall(header(len(batch)) + batch)
            assert client.recv(1) == b"H"  # the answer has begun
            assert metric(server, "syntagma_answer_bytes") <= 40_000_000
            assert is_well(server)
        after = metric(server, "process_resident_memory_bytes")
        assert after - before < 150e6
        assert 'route="/v1/order",status="499"} 7.0' in metrics(server)
        assert len(read_all(clients[0])) < 30e6
        for client in clients:
            client.close()
        wait_until(lambda: metric(server, "syntagma_answer_bytes") == 0)


@pytest.mark.parametrize("when", ["in the header", "in the body", "before the answer"])
def test_clients_that_vanish_leave_nothing_behind(quick: Running, when: str) -> None:
    words = [f"w{number}" for number in range(50)]
    batch = json.dumps({"problems": [words] * 1000, "options": {"beam": 64}}).encode()
    sent = {
        "in the header": header(10)[:30],
        "in the body": header(len(batch)) + batch[:100],
        "before the answer": header(len(batch)) + batch,
    }[when]
    for _ in range(5):
        with socket.create_connection((quick.host, quick.port), timeout=60) as client:
            client.sendall(sent)
    assert is_well(quick)
    while metric(quick, "syntagma_active_requests") > 0:
        pass  # ends only if the batches are dropped, long before they are done
    assert metric(quick, "syntagma_body_bytes") == 0


def test_a_client_that_vanishes_frees_the_thread_that_works_for_it() -> None:
    words = [f"w{number}" for number in range(2_000)]
    batch = json.dumps({"problems": [words] * 8, "options": {"beam": 512}}).encode()
    limits = ("--limit=words=2000", "--limit=beam=512", "--limit=seconds=10")
    with running("--threads", "1", *limits) as server:
        with socket.create_connection((server.host, server.port), timeout=60) as client:
            client.sendall(header(len(batch)) + batch)
            while metric(server, "syntagma_active_requests") < 1:
                pass
        assert is_well(server)  # a single problem takes longer than a request may


@pytest.mark.parametrize("chunked", [False, True])
def test_ten_megabytes_are_refused_with_an_answer(patient: Running, chunked: bool) -> None:
    body: Any = iter([b" " * 100_000] * 100) if chunked else b" " * 10_000_000
    status, answer = post(patient, "/v1/order", body)
    assert (status, answer["error"]["code"]) == (413, "too_large")
    assert is_well(patient)


def test_a_body_that_was_announced_too_large_is_not_awaited(quick: Running) -> None:
    with socket.create_connection((quick.host, quick.port), timeout=60) as client:
        client.sendall(header(10**12, "Expect: 100-continue"))
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\rInjected: 1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 40_000,
        header(-1),
        header(10, "Transfer-Encoding: gzip"),
        header(1000)[:-2] + b"Transfer-Encoding: chunked\r\n\r\n" + b"1" * 40_000,
        b"\x16\x03\x01\x02\x00\x01\x00",  # TLS
    ],
)
def test_what_is_not_http_is_refused(quick: Running, request_bytes: bytes) -> None:
    assert talk(quick, request_bytes).startswith(b"HTTP/1.1 400 ")
    assert is_well(quick)


def test_a_large_header_is_refused_although_it_arrives_at_once(quick: Running) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 60_000 + b"\r\n\r\n"
    # The system may still have cut it.
    assert talk(quick, head).startswith((b"HTTP/1.1 431 ", b"HTTP/1.1 400 "))


def test_header_values_come_back_nowhere(quick: Running) -> None:
    connection = http.client.HTTPConnection(quick.host, quick.port, timeout=60)
    connection.request("GET", "/healthz", headers={"X-Request-Id": "mine", "Origin": "http://x"})
    answer = connection.getresponse()
    assert "mine" not in str(answer.getheaders())
    assert "http://x" not in str(answer.getheaders())
    connection.close()


def test_answers_are_sent_without_delay() -> None:
    """No assertion of times: whether the kernel may hold a piece of an answer back."""

    async def without_delay(listening: socket.socket) -> int:
        accepted = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda _, out: accepted.set_result(out), sock=listening)
        async with server:
            _, client = await asyncio.open_connection(*listening.getsockname())
            out = await accepted
            end: socket.socket = out.get_extra_info("socket")
            without = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            out.close()
            client.close()
        return without

    with listen("127.0.0.1", 0) as listening:
        assert asyncio.run(without_delay(listening))


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system has no such option")
def test_connections_end_whose_clients_do_not_read() -> None:
    """No assertion of times: whether the system ends connections on which nothing is read."""
    option = socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT
    with (
        listen("127.0.0.1", 0, unread=7) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(*option) == 7_000


def test_too_many_connections_are_refused_with_an_answer(quick: Running) -> None:
    clients = [socket.create_connection((quick.host, quick.port), timeout=60) for _ in range(12)]
    try:
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        # The server may not yet have accepted all connections.
        wait_until(lambda: talk(quick, request).startswith(b"HTTP/1.1 503 "))
        clients.pop().close()
        wait_until(lambda: talk(quick, request).startswith(b"HTTP/1.1 200 "))
    finally:
        for client in clients:
            client.close()
    wait_until(lambda: is_well_again(quick))


def is_well_again(server: Running) -> bool:
    try:
        return post(server, "/v1/order", BAG)[0] == 200
    except (ConnectionError, http.client.HTTPException):
        return False


def test_a_model_without_a_margin_is_served() -> None:
    linear = Path(__file__).parents[2] / "benchmarks/models/en-linear.syntagma"
    with running("--model", str(linear)) as server:
        assert post(server, "/v1/order", BAG)[0] == 200
        status, answer = post(server, "/v1/accept", '{"words": ["a"], "order": ["a"]}')
        assert status == 422
        assert "no margin" in answer["error"]["message"]


def test_no_text_of_a_user_is_logged() -> None:
    secret = "xyzzy"
    bodies = [
        json.dumps({"words": [secret, {"form": "a", "tag": secret}]}),
        json.dumps({"words": [{"form": secret, "head": 7}]}),
        json.dumps({secret: 1}),
        f"{{{secret}",
        json.dumps({"words": ["a"], "options": {"model": secret}}),
        json.dumps({"words": ["a"], "id": secret, "options": {secret: 1}}),
    ]
    with running() as server:
        for body in bodies:
            post(server, "/v1/order", body)
            post(server, f"/v1/order?{secret}={secret}", body)
        for path in (f"/{secret}", f"/page/{secret}", f"/process?data={secret}"):
            post(server, path, secret, **{"User-Agent": secret, "Referer": secret})
        talk(
            server, f"{secret} / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )
        talk(server, f"{secret}\r\n\r\n".encode())
        with socket.create_connection((server.host, server.port), timeout=60) as client:
            client.sendall(header(100) + secret.encode())
        server.process.terminate()
        output, log = server.process.communicate(timeout=60)
    assert secret not in output
    assert secret not in log
    assert "uvicorn" not in log
    assert log.count('"event": "request"') >= 2 * len(bodies) + 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "which other machines can reach, give a token: --token-file FILE"),
        (["--host", "::"], "which other machines can reach"),
        (["--host", "example.invalid"], "which other machines can reach"),
        (["--model", "none"], "no model named 'none' is installed"),
        (["--limit", "words"], "a limit is set as NAME=N"),
        (["--limit", "words=0"], "words must be between 1 and 10000, not 0"),
        (["--limit", "body=100000000"], "bodies must be at least body"),
        (["--allow-origin", "*"], "an allowed origin is a scheme and a host"),
        (["--token-file", "missing"], "missing: cannot read the token: No such file"),
    ],
)
def test_what_is_refused_at_the_start(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", "--port", "0", *arguments]) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.startswith("error: ")
    assert printed.count("\n") == 1


def test_a_port_that_is_taken_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["serve", "--port", str(port)]) == 2
    message = f"error: cannot listen on 127.0.0.1:{port}: Address already in use; choose another"
    assert capsys.readouterr().err.startswith(message)


def test_without_its_packages_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['starlette'] = None; sys.argv = ['syntagma', 'serve']\n"
        "from syntagma.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "pip install 'syntagma[server]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_token_opens_the_server_to_other_addresses(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("0123456789abcdef\n")
    file.chmod(0o600)
    limits = ("--limit=words=3", "--limit=body=100")  # the requests of the warm-up are larger
    with running("--host", "0.0.0.0", "--token-file", str(file), *limits) as server:
        assert post(server, "/v1/order", BAG)[0] == 401
        good = {"Authorization": "Bearer 0123456789abcdef"}
        assert post(server, "/v1/order", BAG, **good)[0] == 200
        server.process.send_signal(signal.SIGHUP)
        code, log = server.wait()
    assert code == 0
    assert log[-2]["signal"] == "SIGHUP"


def test_a_signal_that_the_caller_ignores_is_ignored() -> None:
    ignoring = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from syntagma.cli import main; main()"
    )
    with running(command=[sys.executable, "-c", ignoring, "serve", "--port", "0"]) as server:
        server.process.send_signal(signal.SIGHUP)
        assert is_well(server)
        server.process.send_signal(signal.SIGINT)
        code, log = server.wait()
    assert code == 0
    assert [line["signal"] for line in log if "signal" in line] == ["SIGINT"]


def test_clients_that_are_slow_to_send_take_no_place_in_the_queue() -> None:
    with running("--limit=queue=1") as server:
        clients = [socket.create_connection((server.host, server.port)) for _ in range(5)]
        for client in clients:
            client.sendall(header(1000) + b"{")
        assert is_well(server)
        for client in clients:
            client.close()
