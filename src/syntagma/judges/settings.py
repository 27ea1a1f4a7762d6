"""The settings of a judge as JSON, stored beside its file; `training/judge_fitting` makes them."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from syntagma.errors import ModelError, ProblemError, shown
from syntagma.files.reading import open_regular
from syntagma.files.writing import atomic_write
from syntagma.formats.jsonl import parse_json
from syntagma.judges.judging import KINDS, JudgeSettings, Share
from syntagma.request import MAX_BEAM

FILE: Final = "judge.json"  # in the folder of a judge; beside a file, the end of the name
_MAX_BYTES: Final = 100_000
_FIELDS: Final = ("judge", "model", "lead", *KINDS)
_SHARE: Final = ("weight", "pool", "read")


@dataclass(frozen=True, slots=True)
class StoredSettings:
    """Settings, the SHA-256 of the judge that they are for, and the model that they were fitted
    with."""

    judge: str
    model: str
    settings: JudgeSettings

    def to_json(self) -> dict[str, Any]:
        """The fields of the file."""
        return {"judge": self.judge, "model": self.model, **_as_json(self.settings)}


def beside(file: Path) -> Path:
    """Where the settings of a GGUF file are."""
    return file.with_name(f"{file.name.removesuffix('.gguf')}.{FILE}")


def read_settings(path: Path) -> StoredSettings | None:
    """The settings in a file, None if there is none. Raises `ModelError`."""
    try:
        with open_regular(path) as file:
            content = file.read(_MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        if len(content) > _MAX_BYTES:
            raise ModelError(f"more than the limit of {_MAX_BYTES:,} bytes")
        return _checked(parse_json(content.decode("utf-8")))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ModelError(f"{path}: not JSON: {error.msg} at {place}") from error
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: not JSON: it is not UTF-8") from error
    except (ModelError, ProblemError) as error:
        raise ModelError(f"{path}: not the settings of a judge: {error}") from error


def write_settings(path: Path, stored: StoredSettings) -> None:
    """Write the file whole or not at all."""
    with atomic_write(path, "w") as file:
        file.write(json.dumps(stored.to_json(), indent=2, ensure_ascii=False) + "\n")


def digest_settings(settings: JudgeSettings) -> str:
    """What identifies settings in signatures."""
    return hashlib.sha256(json.dumps(_as_json(settings)).encode()).hexdigest()[:8]


def _as_json(settings: JudgeSettings) -> dict[str, Any]:
    shares = {kind: getattr(settings, kind) for kind in KINDS}
    return {
        "lead": None if settings.lead == math.inf else float(settings.lead),
        **{k: {**asdict(each), "weight": float(each.weight)} for k, each in shares.items()},
    }


def _checked(value: Any) -> StoredSettings:
    _check_keys(value, _FIELDS, "")
    for name in ("judge", "model"):
        if not isinstance(value[name], str) or not value[name]:
            raise _fault(name, "a text that is not empty", value[name])
    lead = value["lead"]
    if lead is not None and not (_is_number(lead) and lead > 0):
        raise _fault("lead", "a number above 0, or null", lead)
    settings = JudgeSettings(
        **{kind: _share(value[kind], kind) for kind in KINDS},
        lead=math.inf if lead is None else float(lead),
    )
    return StoredSettings(value["judge"], value["model"], settings)


def _share(value: Any, kind: str) -> Share:
    _check_keys(value, _SHARE, kind)
    weight, pool, read = (value[name] for name in _SHARE)
    if not _is_number(weight) or weight < 0:
        raise _fault(f"{kind}.weight", "a number that is 0 or more", weight)
    for name, number, most in (("pool", pool, MAX_BEAM), ("read", read, pool)):
        if type(number) is not int or not 1 <= number <= most:
            raise _fault(f"{kind}.{name}", f"an integer from 1 to {most}", number)
    return Share(float(weight), pool, read)


def _check_keys(value: Any, keys: tuple[str, ...], where: str) -> None:
    what = f"the field {where!r}" if where else "the file"
    if not isinstance(value, dict):
        raise ModelError(f"{what} must hold an object, not {shown(value)}")
    prefix = f"{where}." if where else ""
    for key in keys:
        if key not in value:
            raise ModelError(f"the field {prefix + key!r} is missing")
    for key in value:
        if key not in keys:
            raise ModelError(f"the field {shown(prefix + key)} is not known")


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]


def _fault(field: str, expected: str, value: object) -> ModelError:
    return ModelError(f"the field {field!r} must be {expected}, not {shown(value)}")
