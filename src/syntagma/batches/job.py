"""What determines the output of a batch job, apart from its inputs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from syntagma.arguments import check_range
from syntagma.errors import ArgumentError, shown
from syntagma.formats.problems import InputFormat
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
    """The settings of a job. Equal settings and equal inputs give equal shards."""

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

    def __post_init__(self) -> None:
        check_choice("task", self.request.operation, get_args(Task))
        check_choice("format", self.format, get_args(OutputFormat))
        if self.input_format is not None:
            check_choice("input_format", self.input_format, ("text", "jsonl", "conllu"))
        check_range("shard_size", self.shard_size, MAX_SHARD_SIZE)
        if self.gzip and self.format == "parquet":
            raise ArgumentError("gzip is for text: Parquet is compressed by itself")
        ordered_text = self.request.operation == "order" and self.format in ("text", "parquet")
        if self.detokenize and not ordered_text:
            raise ArgumentError("text=True (--text) goes with order and the format text or parquet")

    @property
    def extension(self) -> str:
        return EXTENSIONS[self.format] + ".gz" * self.gzip

    def to_json(self) -> dict[str, Any]:
        """All settings side by side."""
        value = asdict(self)
        request = value.pop("request")
        return {"task": request.pop("operation"), **value, **request}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> BatchJob:
        own = {field.name for field in fields(cls)}
        asked = {name: each for name, each in value.items() if name not in own and name != "task"}
        return cls(
            request=Request(operation=value["task"], **asked),
            **{name: value[name] for name in own if name != "request"},
        )

    def differences(self, settings: dict[str, Any]) -> list[str]:
        """How these settings differ from others in what the output depends on, for messages.

        The same model may have another name or place.
        """
        mine = self.to_json()
        unknown = [name for name in settings if name not in mine]
        if unknown:
            return [f"a setting that this version does not know ({unknown[0]})"]
        different = [name for name in mine if name != "model" and settings.get(name) != mine[name]]
        messages = {
            "model_checksum": f"another model ({shown(settings.get('model'))})",
            "detokenize": f"text={settings.get('detokenize')} (--text), now {self.detokenize}",
            "version": f"version {settings.get('version')} of Syntagma, now {self.version}",
        }
        return [
            messages.get(name, f"{name} {shown(settings.get(name))}, now {shown(mine[name])}")
            for name in different
        ]


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(f"{name} must be one of {', '.join(choices)}, not {shown(value)}")
