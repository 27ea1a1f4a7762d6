"""The calls of UDPipe's REST service, for clients that are made for it: `/models` and `/process`.

There, `/process` tags and parses text; here it puts the words of each sentence in order. The order
in which `data` lists them means nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
import quopri
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby, islice
from typing import Any, Final
from urllib.parse import parse_qsl

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from syntagma import __version__
from syntagma.errors import FormatError, ProblemError, shown, visible
from syntagma.files.reading import Place
from syntagma.formats.conllu import read_conllu, write_conllu
from syntagma.formats.text import read_text
from syntagma.models.languages import name_of
from syntagma.problem.limits import MAX_WORDS
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.request import Request
from syntagma.results.linearization import Linearization
from syntagma.server.faults import Fault
from syntagma.server.limits import Limits
from syntagma.server.operations import Problems, Result, Work
from syntagma.server.served import Models, Served

INPUTS: Final = ("conllu", "horizontal", "vertical", "generic_tokenizer")
OUTPUTS: Final = ("conllu", "horizontal", "vertical", "plaintext")
MAX_PARAMETERS: Final = 32
MAX_PART_HEADER: Final = 4096  # bytes of all headers of a part of a multipart form
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"

Parameters = dict[str, str]


def describe_models(models: Models) -> dict[str, Any]:
    """The answer of `/models`: names, each with what it does."""
    return {
        "models": {served.name: list(served.operations) for served in models.values()},
        "default_model": models.default,
    }


def read_parameters(query: bytes, content_type: str, body: bytes) -> Parameters:
    """The parameters of a request: those in its address, then those in its body. Raises `Fault`."""
    parameters = dict(_pairs(query, "the query"))
    kind = content_type.partition(";")[0].strip().lower()
    if kind == MULTIPART:
        parameters.update(_parts(content_type, body))
    elif kind == FORM:
        parameters.update(_pairs(body, "the body"))
    elif body or kind:
        raise Fault("unsupported_media_type", f"the body must be {FORM} or {MULTIPART}")
    return parameters


def _pairs(text: bytes, what: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            text.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS
        )
    except UnicodeDecodeError:
        raise Fault("bad_request", f"{what} is not a form in UTF-8") from None
    except ValueError:
        raise _too_many() from None


# Encodings of parts by Python's mail package, with which the client of UDPipe 2 makes its forms.
_DECODERS: Final[dict[bytes, Callable[[bytes], bytes]]] = {
    b"base64": base64.b64decode,
    b"quoted-printable": quopri.decodestring,
}


def _parts(content_type: str, body: bytes) -> Iterator[tuple[str, str]]:
    """The fields of a multipart form; that of a file is its content. Raises `Fault`."""
    parts: list[tuple[dict[bytes, bytes], bytearray]] = []
    name, value = bytearray(), bytearray()
    ends: list[bool] = []
    room = 0

    def begin_part() -> None:
        nonlocal room
        if len(parts) == MAX_PARAMETERS:
            raise _too_many()
        parts.append(({}, bytearray()))
        room = MAX_PART_HEADER

    def add(text: bytearray, data: bytes, start: int, end: int) -> None:
        nonlocal room
        room -= end - start
        if room < 0:
            message = f"the headers of a part have more than {MAX_PART_HEADER} bytes, the limit"
            raise Fault("bad_request", message)
        text += data[start:end]

    def end_header() -> None:
        parts[-1][0][bytes(name).lower()] = bytes(value)
        name.clear()
        value.clear()

    boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
    callbacks: Any = {
        "on_part_begin": begin_part,
        "on_header_field": partial(add, name),
        "on_header_value": partial(add, value),
        "on_header_end": end_header,
        "on_part_data": lambda data, start, end: parts[-1][1].extend(data[start:end]),
        "on_end": lambda: ends.append(True),
    }
    with suppress(FormParserError):
        MultipartParser(boundary, callbacks).write(body)
    if not boundary or not ends:
        raise Fault("bad_request", "the body is not a multipart form, or not all of it")
    for headers, content in parts:
        key = parse_options_header(headers.get(b"content-disposition"))[1].get(b"name")
        if key is None:
            raise Fault("bad_request", "the body is not a multipart form: a part has no name")
        encoding = headers.get(b"content-transfer-encoding", b"").strip().lower()
        field = key.decode(errors="replace")[:40]
        try:
            yield key.decode(), _DECODERS.get(encoding, bytes)(bytes(content)).decode()
        except UnicodeDecodeError as error:
            message = f"{field}: not UTF-8 at byte {error.start + 1}"
            raise Fault("bad_request", message, field) from None
        except binascii.Error:
            raise Fault("bad_request", f"{field}: not in base64", field) from None


def _too_many() -> Fault:
    return Fault("bad_request", f"more than {MAX_PARAMETERS} parameters, the limit")


def _model(name: str | None, models: Models) -> Served:
    """The model of this name or, as there, of this language: english, english-ewt-ud-2.15-241121.
    Raises `Fault`."""
    try:
        return models.choose(name)
    except Fault as fault:
        language = (name or "").partition("-")[0].lower()
        for served in models.values():
            stated = served.linearizer.info.header.get("language", "")
            if language and language in (stated.lower(), name_of(stated).lower()):
                return served
        raise Fault(fault.code, fault.message, "model") from None


def _format(key: str, parameters: Parameters, known: Sequence[str]) -> str:
    """The format that a parameter names. What it may have after the name, as in `conllu=v2`, is
    about details that are not offered here. Raises `Fault`."""
    value = parameters.get(key, "conllu")
    name = value.partition("=")[0]
    if name not in known:
        raise Fault("invalid", f"{key} must be one of {', '.join(known)}, not {shown(value)}", key)
    return name


class Process(Problems):
    """One call of `/process`: sentences in, the same sentences in order out."""

    def __init__(self, parameters: Parameters, models: Models, limits: Limits) -> None:
        """Raises `Fault` if a parameter is missing or unknown, or at the first sentence that is
        wrong."""
        served = _model(parameters.get("model") or None, models)
        if "data" not in parameters:
            raise Fault("invalid", "the parameter data is missing", "data")
        most = min(limits.words, served.linearizer.max_words)
        request = Request(search=served.linearizer.search, max_words=most, judge=False)
        super().__init__(served, request, limits)
        self._name = served.name
        self._output = _format("output", parameters, OUTPUTS)
        given = _format("input", parameters, INPUTS)
        self._input = "generic_tokenizer" if "tokenizer" in parameters else given
        found: list[Problem] = []
        for problem in self._read_data(parameters["data"]):
            if isinstance(problem, FormatError):
                raise Fault("invalid", str(problem), "data")
            if len(found) == limits.problems:
                message = f"data: more than {limits.problems} sentences, the limit"
                raise Fault("invalid", message, "data")
            found.append(problem)
        self.work = Work("process", found, self.solve, self.answer)

    def write(self, result: Linearization, **more: object) -> str:
        """A part of the string that is the answer, as JSON writes it."""
        return json.dumps(self._block(result), ensure_ascii=False)[1:-1]

    def _block(self, result: Linearization) -> str:
        match self._output:
            case "horizontal":
                # As there, a space within a word is not one between words.
                return " ".join(form.replace(" ", "\u00a0") for form in result.words) + "\n"
            case "vertical":
                return "".join(form + "\n" for form in result.words) + "\n"
            case "plaintext":
                return self.linearizer.spell(result).text + "\n"
        return write_conllu(result, self.linearizer.tag_column)

    def answer(self, results: Sequence[Result]) -> list[bytes]:
        header = self.linearizer.info.header
        licence, attribution = header.get("licence", ""), header.get("attribution", "")
        text = ""
        if self._output == "conllu":
            text = (
                f"# generator = Syntagma {__version__}\n"
                f"# syntagma_model = {visible(self._name)}\n"
                f"# syntagma_model_licence = {visible(' '.join(licence.split()))}\n"
            )
        blocks: list[bytes] = []
        for number, (block, _) in enumerate(results, start=1):
            if isinstance(block, Fault):
                raise Fault(block.code, f"data: sentence {number}: {block.message}", "data")
            blocks.append(block)
        thanks = [attribution] if attribution else []
        value = {"model": self._name, "acknowledgements": thanks, "result": text}
        end = '"\n}'
        head = json.dumps(value, ensure_ascii=False, indent=1).removesuffix(end)
        return [head.encode(), *blocks, f"{end}\n".encode()]

    def _read_data(self, data: str) -> Iterable[Problem | FormatError]:
        data = data.removeprefix("\ufeff").replace("\r\n", "\n")
        lines = data.split("\n")
        match self._input:
            case "generic_tokenizer":
                return read_text(self._split(data), "data")
            case "horizontal":
                blank = FormatError("")  # millions of them would take long to be read as bags
                marked = (line if line.strip() else blank for line in lines)
                return (bag for bag in read_text(marked, "data") if bag is not blank)
            case "vertical":
                return _read_vertical(lines)
        return read_conllu(lines, "data", self.linearizer.tag_column)

    def _split(self, data: str) -> Iterator[str]:
        """Sentences of plain text, with spaces between words. Those that are too long are refused
        before they are split into words."""
        from syntagma.formats.tokenization import split_sentences, words

        most = self.limits.characters
        for paragraph in data.split("\n\n"):
            for pieces in split_sentences(paragraph):
                if (count := sum(map(len, pieces))) > most:
                    message = f"data: a sentence has {count} characters, more than the limit of"
                    raise Fault("invalid", f"{message} {most} (limit: characters)", "data")
                if found := words(" ".join(pieces)):
                    yield " ".join(found)


def _read_vertical(lines: Iterable[str]) -> Iterator[Problem | FormatError]:
    """A word per line, and an empty line after each sentence."""
    for filled, group in groupby(enumerate(lines, start=1), lambda line: bool(line[1].strip())):
        if filled:
            numbers, words = zip(*islice(group, MAX_WORDS + 1), strict=True)
            place = Place("data", numbers[0])
            if len(words) > MAX_WORDS:
                yield FormatError(f"more than {MAX_WORDS} words, the limit", *place)
                return
            try:
                yield Problem(tuple(Word(word.strip()) for word in words), origin=place)
            except ProblemError as error:
                yield FormatError(str(error), *place)
