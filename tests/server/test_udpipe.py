"""The calls of UDPipe's REST service."""

import email.policy
import json
from collections.abc import Iterator
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from typing import Any
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
pytest.importorskip("python_multipart", reason="pip install 'syntagma[server]'")
pytest.importorskip("httpx", reason="no httpx: pip install 'syntagma[server-tests]'")

from starlette.testclient import TestClient
from toys.server import english, server

from syntagma import __version__
from syntagma.formats import text, tokenization
from syntagma.formats.conllu import read_conllu, write_conllu
from syntagma.problem.problem import Problem
from syntagma.server.limits import Limits

CONLLU = """\
# sent_id = s1
# note = ä
1\tbarked\tbark\tVERB\tVBD\t_\t0\troot\t_\t_
2\tdog\tdog\tNOUN\tNN\t_\t1\tnsubj\t_\tGloss=Hund
3\tthe\t_\t_\t_\t_\t_\t_\t_\t_

1\tsings\t_\t_\t_\t_\t_\t_\t_\t_
2\tShe\t_\t_\t_\t_\t_\t_\t_\t_

"""
HEADER = (
    f"# generator = Syntagma {__version__}\n"
    "# syntagma_model = en\n"
    "# syntagma_model_licence = CC-BY-SA-4.0\n"
)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with server() as client:
        yield client


@pytest.fixture(scope="module")
def ordered() -> str:
    linearizer = english()["en"].linearizer
    problems = read_conllu(CONLLU.split("\n"), "test", linearizer.tag_column)
    results = (linearizer.order(each) for each in problems if isinstance(each, Problem))
    return HEADER + "".join(map(write_conllu, results))


def test_models(client: TestClient) -> None:
    assert client.get("/models").json() == {
        "models": {"en": ["order", "realize", "score", "accept"]},
        "default_model": "en",
    }


@pytest.mark.parametrize("way", ["query", "form", "multipart", "file", "both"])
def test_trees_come_back_in_order(client: TestClient, ordered: str, way: str) -> None:
    data = {"data": CONLLU, "model": "en", "input": "conllu", "output": "conllu"}
    rest = {key: value for key, value in data.items() if key != "data"}
    match way:
        case "query":
            answer = client.get("/process", params=data)
        case "form":
            answer = client.post("/process", data=data)
        case "multipart":
            fields: Any = {key: (None, value) for key, value in data.items()}
            answer = client.post("/process", files=fields)
        case "file":
            file = {"data": ("trees.conllu", CONLLU.encode(), "application/octet-stream")}
            answer = client.post("/process", data=rest, files=file)
        case "both":
            answer = client.post("/process", params=rest, data={"data": CONLLU})
    assert answer.status_code == 200
    found = answer.json()
    assert list(found) == ["model", "acknowledgements", "result"]
    assert found["model"] == "en"
    assert "UD English EWT" in found["acknowledgements"][0]
    assert found["result"] == ordered


def test_a_message_of_the_client_of_udpipe_2(client: TestClient, ordered: str) -> None:
    """Its parts have a type, a charset and an encoding, and boundaries of its own."""
    part = (
        '--=={0}==\r\nContent-Type: text/plain; charset="utf-8"\r\nMIME-Version: 1.0\r\n'
        'Content-Disposition: form-data; name="{1}"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n'
        "{2}\r\n"
    )
    fields = {"input": "conllu", "output": "conllu", "data": CONLLU, "tagger": "", "parser": ""}
    body = "".join(part.format(7, name, value) for name, value in fields.items()) + "--==7==--\r\n"
    answer = client.post(
        "/process",
        content=body.encode(),
        headers={"Content-Type": 'multipart/form-data; boundary="==7=="'},
    )
    assert answer.json()["result"] == ordered


@pytest.mark.parametrize("name", ["english", "English", "english-ewt-ud-2.15-241121", ""])
def test_a_model_is_also_found_by_its_language(client: TestClient, name: str) -> None:
    data = {"data": "dog the barked", "input": "horizontal", "model": name}
    assert client.post("/process", data=data).json()["model"] == "en"


@pytest.mark.parametrize("name", ["de", "german", "German-gsd-ud-2.15-241121"])
def test_a_language_is_found_by_its_code_and_by_its_name(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(english()["en"].linearizer.info.header, "language", "de")
    data = {"data": "dog the barked", "input": "horizontal", "model": name}
    assert client.post("/process", data=data).json()["model"] == "en"


@pytest.mark.parametrize("name", ["-", "czech-pdt", "eng", "english2"])
def test_other_models_are_refused(client: TestClient, name: str) -> None:
    refused = client.post("/process", data={"data": "a", "input": "horizontal", "model": name})
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "model")


def test_the_message_that_pythons_mail_package_makes(client: TestClient, ordered: str) -> None:
    """As the client of UDPipe 2 does, with parts in base64."""
    message = MIMEMultipart("form-data")
    for name, value in {"data": CONLLU, "output": "conllu"}.items():
        field = MIMENonMultipart("text", "plain")
        field.add_header("Content-Disposition", f'form-data; name="{name}"')
        field.set_payload(value, "utf-8")
        message.attach(field)
    body = message.as_bytes(policy=email.policy.HTTP).split(b"\r\n\r\n", maxsplit=1)[1]
    assert b"base64" in body
    answer = client.post(
        "/process", content=body, headers={"Content-Type": message["Content-Type"]}
    )
    assert answer.json()["result"] == ordered


def test_other_formats(client: TestClient) -> None:
    bags = "dog the barked\n\nNew\u00a0York it is\n"
    answer = client.post("/process", data={"data": bags, "input": "horizontal"})
    assert answer.json()["result"].count("# text = ") == 2
    answer = client.post("/process", data={"data": CONLLU, "output": "horizontal"})
    assert answer.json()["result"] == "the dog barked\nShe sings\n"
    answer = client.post("/process", data={"data": CONLLU, "output": "vertical"})
    assert answer.json()["result"] == "the\ndog\nbarked\n\nShe\nsings\n\n"
    answer = client.post(
        "/process", data={"data": "sings\nShe\n.", "input": "vertical", "output": "plaintext"}
    )
    assert answer.json()["result"] == "She sings.\n"
    windows = client.post("/process", data={"data": "\ufeff" + CONLLU.replace("\n", "\r\n")})
    assert (
        windows.json()["result"] == client.post("/process", data={"data": CONLLU}).json()["result"]
    )
    assert client.post("/process", data={"data": ""}).json()["result"] == HEADER


@pytest.mark.parametrize(
    "how",
    [
        {"tokenizer": ""},
        {"tokenizer": "ranges", "input": "conllu"},
        {"input": "generic_tokenizer"},
        {"input": "generic_tokenizer=presegmented"},
    ],
)
def test_plain_text_is_split_first(client: TestClient, how: dict[str, str]) -> None:
    data = {"data": "barked the dog. It didn't\nbite.", "output": "horizontal", **how}
    assert client.post("/process", data=data).json()["result"].splitlines() == [
        "the dog barked .",
        "It did n't bite .",
    ]


def test_empty_lines_of_bags_are_not_read(
    monkeypatch: pytest.MonkeyPatch, client: TestClient
) -> None:
    read: list[str] = []

    def split(line: str) -> list[str]:
        read.append(line)
        return line.split()

    monkeypatch.setattr(text.read_text, "__kwdefaults__", {"lemmas": False, "split": split})
    data = {
        "data": "\n" * 1000 + "barked the dog\n" + " \n" * 10 + "sings she",
        "input": "horizontal",
    }
    answer = client.post("/process", data={**data, "output": "horizontal"})
    assert answer.json()["result"] == "the dog barked\nshe sings\n"
    assert read == ["barked the dog", "sings she"]


@pytest.mark.parametrize(
    ("data", "input", "line"),
    [("a\n\nb\tc\t\n", "horizontal", 3), ("a\nb\n\n\nc\nd\te\n", "vertical", 5)],
)
def test_the_line_of_a_bad_bag_is_named(
    client: TestClient, data: str, input: str, line: int
) -> None:
    answer = client.post("/process", data={"data": data, "input": input})
    assert answer.json()["error"]["message"].startswith(f"data:{line}: ")


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({}, "data"),
        ({"data": CONLLU, "model": "cs"}, "model"),
        ({"data": CONLLU, "input": "matxin=v2"}, "input"),
        ({"data": CONLLU, "output": "epe"}, "output"),
        ({"data": "1\ta\n\n"}, "data"),
        ({"data": "1\ta\t_\t_\t_\t_\t7\tx\t_\t_\n\n"}, "data"),
        ({"data": "a\n" * 5, "input": "horizontal"}, "data"),
        ({"data": "a a a a a\n", "input": "horizontal"}, "data"),
    ],
)
def test_what_is_wrong_is_named(parameters: dict[str, str], field: str) -> None:
    with server(Limits(problems=4, words=4)) as client:
        for answer in (
            client.get("/process", params=parameters),
            client.post("/process", data=parameters or {"x": ""}),
        ):
            assert answer.status_code == 422
            assert answer.json()["error"]["field"] == field


def test_the_line_of_a_fault_is_named(client: TestClient) -> None:
    answer = client.post("/process", data={"data": CONLLU + "1\tx\n\n"})
    assert answer.json()["error"]["message"].startswith("data:10: ")


def part(name: str, content: bytes) -> bytes:
    header = f'Content-Disposition: form-data; name="{name}"'.encode("latin-1")
    return b"--x\r\n" + header + b"\r\n\r\n" + content + b"\r\n"


def nested(depth: int) -> bytes:
    """Parts that hold parts, none of which ends."""
    return b"".join(
        f"--b{each}\r\nContent-Type: multipart/mixed; boundary=b{each + 1}\r\n\r\n".encode()
        for each in range(depth)
    )


@pytest.mark.parametrize(
    ("content", "content_type", "status"),
    [
        (b"data=%FF", "application/x-www-form-urlencoded", 400),
        (b"&".join([b"a=b"] * 40), "application/x-www-form-urlencoded", 400),
        (b"nonsense", "multipart/form-data; boundary=x", 400),
        (b"nonsense", "multipart/form-data", 400),
        (b"--x\r\n\r\nno name\r\n--x--\r\n", "multipart/form-data; boundary=x", 400),
        (
            b'--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n\xff\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
            400,
        ),
        (nested(5000), "multipart/form-data; boundary=b0", 400),
        (part("data", b"a") * 40 + b"--x--\r\n", "multipart/form-data; boundary=x", 400),
        (part("data", b"a"), "multipart/form-data; boundary=x", 400),  # the end is missing
        (part("\xff", b"\xff") + b"--x--\r\n", "multipart/form-data; boundary=x", 400),
        (json.dumps({"data": "x"}).encode(), "application/json", 415),
        (b"x", "text/plain", 415),
    ],
)
def test_bodies_that_are_no_forms(
    client: TestClient, content: bytes, content_type: str, status: int
) -> None:
    answer = client.post("/process", content=content, headers={"Content-Type": content_type})
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message", "field"}


def with_header(header: bytes) -> bytes:
    return b"--x\r\n" + header + b"\r\n\r\na\r\n--x--\r\n"


DISPOSITION = b'Content-Disposition: form-data; name="data"; '


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (with_header(DISPOSITION + b'x="' + b";" * 3_900), 422),  # within the limit of a header
        (with_header(DISPOSITION + b'x="' + b";" * 4_000_000), 400),
        (with_header(DISPOSITION + b"name*" + b"1" * 3_900 + b"=x"), 422),
        (with_header(b"Content-Disposition: form-data; name*" + b"1" * 3_900 + b"=x"), 400),
        (with_header(DISPOSITION + b"name*" + b"1" * 5_000 + b"=x"), 400),
        (with_header(DISPOSITION + b"\r\nX: y" * 10), 400),
        (with_header(b"\r\n".join([b"X: y"] * 500_000)), 400),
        (with_header(b"X" * 4_000_000), 400),
        (with_header(DISPOSITION + b"\r\nContent-Transfer-Encoding: base64"), 400),
        (part("data", b"\r\n--y" * 700_000) + b"--x--", 422),
        (part("data", b"\r" * 4_000_000) + b"--x--", 422),
        (b"--x\r\n" * 700_000, 400),
        (b"\r\n" * 2_000_000, 400),
    ],
)
def test_hostile_forms_are_answered_soon(client: TestClient, content: bytes, status: int) -> None:
    """Without the bounds, some take minutes or give a 500."""
    answer = client.post(
        "/process", content=content, headers={"Content-Type": "multipart/form-data; boundary=x"}
    )
    assert (answer.status_code, answer.json()["error"]["field"] == "data") == (
        status,
        status == 422 or b"base64" in content,
    )
    assert answer.elapsed.total_seconds() < 30


@pytest.mark.parametrize(
    ("data", "input", "message"),
    [
        ("(" * 1_000_000, "generic_tokenizer", "a sentence has 1000000 characters, more than the"),
        ("( " * 900_000, "generic_tokenizer", "a sentence has 900000 characters, more than the"),
        ("a\n" * 900_000, "vertical", "data:1: more than 10000 words, the limit"),
    ],
)
def test_what_is_too_long_is_refused_before_it_is_split(
    monkeypatch: pytest.MonkeyPatch, client: TestClient, data: str, input: str, message: str
) -> None:
    monkeypatch.setattr(tokenization, "_words", lambda pieces: pytest.fail("they are split"))
    answer = client.post("/process", data={"data": data, "input": input})
    assert answer.status_code == 422
    assert message in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "content_type",
    [
        'multipart/form-data; boundary="' + ";" * 8_000,
        "multipart/form-data; boundary*" + "1" * 5_000 + "=x",
        "multipart/form-data; boundary=" + "x" * 300,
        "multipart/form-data; boundary=",
    ],
)
def test_hostile_boundaries_are_refused(client: TestClient, content_type: str) -> None:
    answer = client.post("/process", content=b"--x--", headers={"Content-Type": content_type})
    assert answer.status_code == 400


def test_the_headers_of_a_part_are_limited_in_all(client: TestClient) -> None:
    long = b"\r\n".join((DISPOSITION, *(b"X: " + b"y" * 700 for _ in range(6))))
    answer = client.post(
        "/process",
        content=with_header(long),
        headers={"Content-Type": "multipart/form-data; boundary=x"},
    )
    assert answer.status_code == 400
    message = "the headers of a part have more than 4096 bytes, the limit"
    assert answer.json()["error"]["message"] == message


def test_too_many_parameters_are_called_so(client: TestClient) -> None:
    for answer in (
        client.get("/process?" + "&".join(["a=b"] * 40)),
        client.post(
            "/process",
            content=part("a", b"b") * 40 + b"--x--\r\n",
            headers={"Content-Type": "multipart/form-data; boundary=x"},
        ),
    ):
        assert answer.json()["error"]["message"] == "more than 32 parameters, the limit"


def test_the_lines_of_a_part_stay_as_they_are(client: TestClient) -> None:
    content = part("data", CONLLU.encode()) + part("output", b"horizontal") + b"--x--"
    answer = client.post(
        "/process", content=content, headers={"Content-Type": "multipart/form-data; boundary=x"}
    )
    assert answer.json()["result"] == "the dog barked\nShe sings\n"


def test_a_query_that_is_not_utf8(client: TestClient) -> None:
    assert client.get("/process?data=%FF").status_code == 400
    assert client.get("/process?" + urlencode({"data": "a", "input": "horizontal"})).is_success
