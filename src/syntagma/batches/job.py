"""A batch job as data: its settings, the plan of its shards, and what driver and workers tell each
other, which is plain JSON whichever engine carries it.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from syntagma import errors
from syntagma.arguments import check_choice, check_range
from syntagma.errors import ArgumentError, SyntagmaError, shown
from syntagma.formats.problems import InputFormat
from syntagma.judges.judging import JudgeErrors
from syntagma.request import Request

Task = Literal["order", "realize", "score"]
OutputFormat = Literal["text", "json", "conllu", "parquet"]

EXTENSIONS: dict[OutputFormat, str] = {
    "text": ".txt",
    "json": ".jsonl",
    "conllu": ".conllu",
    "parquet": ".parquet",
}
DEFAULT_SHARD_SIZE = 10_000
MAX_SHARD_SIZE = 10_000_000


@dataclass(frozen=True, slots=True)
class BatchJob:
    """What determines the output of a job, apart from its inputs. Equal settings and equal inputs
    give equal shards."""

    request: Request
    format: OutputFormat
    gzip: bool
    input_format: InputFormat | None
    tokenize: bool
    detokenize: bool
    model: str  # a name, or an absolute path
    model_checksum: str
    language_model: bool
    shard_size: int
    version: str
    judge: str | None = None  # a name, or an absolute path
    judge_weight: float | None = None
    judge_errors: JudgeErrors = "raise"
    judge_signature: str | None = None  # which judge that is, its weights and its runtime

    def __post_init__(self) -> None:
        check_choice("format", self.format, get_args(OutputFormat))
        if self.input_format is not None:
            check_choice("input_format", self.input_format, ("text", "jsonl", "conllu"))
        check_range("shard_size", self.shard_size, MAX_SHARD_SIZE)
        if self.gzip and self.format == "parquet":
            raise ArgumentError("gzip is for text: Parquet is compressed by itself")
        ordered_text = self.request.operation == "order" and self.format in ("text", "parquet")
        if self.detokenize and not ordered_text:
            raise ArgumentError("text=True (--text) goes with order and the format text or parquet")

    def to_json(self) -> dict[str, Any]:
        """All settings side by side."""
        value = asdict(self)
        request = value.pop("request")
        del request["judge"]  # whether there is one, the job says
        return {"task": request.pop("operation"), **value, **request}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> BatchJob:
        own = {field.name for field in fields(cls)}
        asked = {name: each for name, each in value.items() if name not in own and name != "task"}
        return cls(
            request=Request(operation=value["task"], **asked),
            **{name: value[name] for name in own if name != "request"},
        )

    def difference_from(self, settings: dict[str, Any]) -> str | None:
        """The first difference from other settings that changes the output, for messages.

        The same model may have another name or place, the same judge another place.
        """
        mine = self.to_json()
        for name in settings:
            if name not in mine:
                return f"a setting that this version does not know ({name})"
        messages = {
            "model_checksum": f"another model ({shown(settings.get('model'))})",
            "detokenize": f"text={settings.get('detokenize')} (--text), now {self.detokenize}",
            "judge_signature": f"judge {shown(settings.get('judge_signature'))}, "
            f"now {shown(self.judge_signature)}",
            "version": f"version {settings.get('version')} of Syntagma, now {self.version}",
        }
        for name, value in mine.items():
            if name not in ("model", "judge", "judge_weight") and settings.get(name) != value:
                changed = f"{name} {shown(settings.get(name))}, now {shown(value)}"
                return messages.get(name, changed)
        return None


@dataclass(frozen=True, slots=True)
class Input:
    """An input file: its name for messages, what identifies its content, and any damage."""

    source: str
    format: InputFormat
    mark: str
    sha256: str
    records: int
    fault: str | None = None
    fault_line: int | None = None


@dataclass(frozen=True, slots=True)
class Shard:
    """A range of records of one input, numbered through the job."""

    number: int
    input: int  # index of the file
    start: int  # in bytes of the decompressed file
    size: int
    line: int  # the first, counted from 1
    records: int
    input_sha256: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The inputs of a job and its shards."""

    inputs: tuple[Input, ...]
    shards: tuple[Shard, ...]

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Plan:
        return cls(
            tuple(Input(**each) for each in value["inputs"]),
            tuple(fields_of(Shard, each) for each in value["shards"]),
        )


@dataclass(frozen=True, slots=True)
class Assignment(Shard):
    """A shard to be solved: where its input is, and the name of its output."""

    run: str  # identifies the driver's run
    name: str
    source: str
    address: str
    format: InputFormat

    @property
    def label(self) -> str:
        """The shard as messages name it."""
        count = f"{self.records} problem{'s' * (self.records != 1)}"
        return f"shard {self.number} ({self.source}, {count} from line {self.line})"


@dataclass(frozen=True, slots=True)
class Done:
    """The output of a shard."""

    file: str
    bytes: int
    sha256: str
    results: int
    rejected: int
    unfinished: int
    narrowed: int


@dataclass(frozen=True, slots=True)
class ShardOutcome:
    """What became of a shard: two files that wait to be moved to their names, or why it failed."""

    number: int
    written: str = ""
    rejected_written: str = ""
    done: Done | None = None
    warnings: tuple[tuple[str, str], ...] = ()  # message and topic
    failed: str = ""

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ShardOutcome:
        done = value["done"] and Done(**value["done"])
        warnings = tuple((text, topic) for text, topic in value["warnings"])
        return cls(**{**value, "done": done, "warnings": warnings})


ShardOutcomes = Generator[ShardOutcome, None, None]  # of an engine; closed, it ends all workers


@dataclass(frozen=True, slots=True)
class Rejection:
    """A record without a result: where it stands, and why."""

    source: str
    line: int | None
    id: str | None
    shard: int | None  # None: a whole input that is damaged
    reason: str

    def as_line(self) -> bytes:
        """A line of JSON."""
        return (json.dumps(asdict(self), ensure_ascii=False) + "\n").encode()


def fields_of(kind: Any, value: dict[str, Any]) -> Any:
    """The part of a JSON object that describes a shard or what is done of it."""
    return kind(**{field.name: value[field.name] for field in fields(kind)})


def error_answer(error: Exception) -> dict[str, str]:
    """What a worker answers when an error ends the job; its class is known by its name."""
    return {"error": type(error).__name__, "message": str(error)}


def raise_error(answer: dict[str, Any]) -> None:
    """Raise the error that an answer tells of, if it does."""
    if "error" in answer:
        kind, message = answer["error"], answer["message"]
        known = getattr(errors, kind, None)
        if isinstance(known, type) and issubclass(known, SyntagmaError):
            raise known(message)
        raise RuntimeError(f"{kind}: {message}")
