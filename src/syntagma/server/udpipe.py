"""The calls of UDPipe's REST service, for clients that are made for it: `/models` and `/process`.

There, `/process` tags and parses text; here it puts the words of each sentence in order. The order
in which `data` lists them means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from email.parser import BytesHeaderParser
from itertools import groupby
from typing import Any, Final
from urllib.parse import parse_qsl

from syntagma import __version__
from syntagma.errors import FormatError, ProblemError, shown
from syntagma.files.reading import Place
from syntagma.formats.conllu import read_conllu, write_conllu
from syntagma.formats.text import read_text
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization
from syntagma.server.faults import Fault
from syntagma.server.limits import Limits
from syntagma.server.operations import Order
from syntagma.server.served import Models, Served

INPUTS: Final = ("conllu", "horizontal", "vertical", "generic_tokenizer")
OUTPUTS: Final = ("conllu", "horizontal", "vertical", "plaintext")
MAX_PARAMETERS: Final = 32
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
BOUNDARY: Final = re.compile(r';\s*boundary=(?:"([^"]+)"|([^\s;"]+))', re.IGNORECASE)

Parameters = dict[str, str]


def describe_models(models: Models) -> dict[str, Any]:
    """The answer of `/models`: names, each with what it does."""
    return {
        "models": {served.name: list(served.operations) for served in models},
        "default_model": models.default,
    }


def read_parameters(query: bytes, content_type: str | None, body: bytes) -> Parameters:
    """The parameters of a request: those in its address, then those in its body. Raises `Fault`."""
    parameters = dict(_pairs(query, "the query"))
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind == MULTIPART:
        parameters.update(_parts(str(content_type), body))
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


def _parts(content_type: str, body: bytes) -> Iterator[tuple[str, str]]:
    """The fields of a multipart form; that of a file is its content.

    Forms are flat. A parser of mail would also go into parts of parts, as deep as the client likes.
    """
    found = BOUNDARY.search(content_type)
    delimiter = f"\r\n--{found[1] or found[2]}".encode("latin-1") if found else b""
    pieces = (b"\r\n" + body).split(delimiter, MAX_PARAMETERS + 2) if delimiter else []
    if len(pieces) > MAX_PARAMETERS + 2:
        raise _too_many()
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise Fault("bad_request", "the body is not a multipart form, or not all of it")
    for piece in pieces[1:-1]:
        part = BytesHeaderParser().parsebytes(piece.partition(b"\r\n")[2])
        name = part.get_param("name", header="Content-Disposition")
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            raise Fault("bad_request", "the body is not a multipart form: a part has no name")
        try:
            yield name, content.decode()
        except UnicodeDecodeError as error:
            place = f"not UTF-8 at byte {error.start + 1}"
            raise Fault("bad_request", f"{name[:40]}: {place}", name[:40]) from None


def _too_many() -> Fault:
    return Fault("bad_request", f"more than {MAX_PARAMETERS} parameters, the limit")


def _model(name: str | None, models: Models) -> Served:
    """The model of this name or, as there, of this language: english, english-ewt-ud-2.15-241121.
    Raises `Fault`."""
    try:
        return models[name]
    except Fault as fault:
        language = (name or "").partition("-")[0].lower()
        for served in models:
            if served.linearizer.info.header.get("language", "").lower() == language != "":
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


class Process(Order):
    """One call of `/process`: sentences in, the same sentences in order out."""

    def __init__(self, served: Served, parameters: Parameters, limits: Limits) -> None:
        options = {"n_best": None, "diverse": False, "beam": None, "timeout": None}
        options |= {"projective": False, "text": False}
        super().__init__(served.linearizer, options, limits)
        self._served = served
        self._output = _format("output", parameters, OUTPUTS)
        given = _format("input", parameters, INPUTS)
        self._input = "generic_tokenizer" if "tokenizer" in parameters else given
        self._data = parameters.get("data")

    @classmethod
    def of(cls, parameters: Parameters, models: Models, limits: Limits) -> Process:
        """Raises `Fault` if a parameter is missing or unknown."""
        served = _model(parameters.get("model") or None, models)
        if "data" not in parameters:
            raise Fault("invalid", "the parameter data is missing", "data")
        return cls(served, parameters, limits)

    def sentences(self) -> list[Problem]:
        """The sentences of the data. Raises `Fault` at the first that is wrong."""
        found: list[Problem] = []
        for problem in self._read_data():
            if isinstance(problem, FormatError):
                raise Fault("invalid", str(problem), "data")
            if len(found) == self.limits.problems:
                most = self.limits.problems
                raise Fault("invalid", f"data: more than {most} sentences, the limit", "data")
            found.append(problem)
        return found

    def read(self, value: Any) -> Problem:
        problem: Problem = value
        return problem

    def write(self, result: Linearization) -> str:
        match self._output:
            case "horizontal":
                # As there, a space within a word is not one between words.
                return " ".join(form.replace(" ", "\u00a0") for form in result.words) + "\n"
            case "vertical":
                return "".join(form + "\n" for form in result.words) + "\n"
            case "plaintext":
                return self.linearizer.spell(result).text + "\n"
        return write_conllu(result, self.linearizer.tag_column)

    def answer(self, blocks: Sequence[str]) -> dict[str, Any]:
        header = self.linearizer.info.header
        licence, attribution = header.get("licence", ""), header.get("attribution", "")
        comments = (
            f"# generator = Syntagma {__version__}\n"
            f"# syntagma_model = {self._served.name}\n"
            f"# syntagma_model_licence = {' '.join(licence.split())}\n"
        )
        return {
            "model": self._served.name,
            "acknowledgements": [attribution] if attribution else [],
            "result": (comments if self._output == "conllu" else "") + "".join(blocks),
        }

    def _read_data(self) -> Iterable[Problem | FormatError]:
        data = (self._data or "").removeprefix("\ufeff").replace("\r\n", "\n")
        lines = data.split("\n")
        match self._input:
            case "generic_tokenizer":
                from syntagma.formats.tokenization import sentences

                found = (each for paragraph in data.split("\n\n") for each in sentences(paragraph))
                return read_text((" ".join(words) for words in found), "data")
            case "horizontal":
                bags = zip(lines, read_text(lines, "data"), strict=True)
                return (bag for line, bag in bags if line.strip())
            case "vertical":
                return _read_vertical(lines)
        return read_conllu(lines, "data", self.linearizer.tag_column)


def _read_vertical(lines: Iterable[str]) -> Iterator[Problem | FormatError]:
    """A word per line, and an empty line after each sentence."""
    for filled, group in groupby(enumerate(lines, start=1), lambda line: bool(line[1].strip())):
        if filled:
            numbers, words = zip(*group, strict=True)
            place = Place("data", numbers[0])
            try:
                yield Problem(tuple(Word(word.strip()) for word in words), origin=place)
            except ProblemError as error:
                yield FormatError(str(error), *place)
