"""What a training run reads, as checksums, and how two runs differ: may one resume the other?

`run` keeps the checksums with its checkpoint. The header of a model describes its data by `data`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from syntagma.ccg.derivation import Derivation
from syntagma.formats.auto import auto_line
from syntagma.models.header import LANGUAGE_MODEL
from syntagma.realization.realizer import Realizer
from syntagma.realization.training import inflect_sentence
from syntagma.treebanks.treebank import Sentence

Digests = dict[str, str]

_INFLECTED = 300  # sentences by which other inflection is noticed
_SHOWN = 5  # differences that a message lists
_LONGEST = 40  # characters of a value in a message


def digest_inputs(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    pretrain: Sequence[Sequence[Sentence]],
    realizer: Realizer | None,
) -> Digests:
    """A checksum of each input with all that its sentences hold, by the input's name in messages.

    The model to start from is described in the header of the run.
    """
    digests = {"training set": _digest(sentences), "development set": _digest(dev)}
    for number, treebank in enumerate(pretrain, start=1):
        digests[f"pre-training set {number}"] = _digest(treebank)
    if realizer is not None:
        # Inflection depends on the tables and rules of a language, too.
        sample = dev[:_INFLECTED]
        digests["inflection"] = _digest([inflect_sentence(realizer, each) for each in sample])
    return digests


def _digest(sentences: Sequence[Sentence]) -> str:
    digest = hashlib.sha256()
    names = [field.name for field in fields(Sentence)]
    for sentence in sentences:
        values = [_plain(getattr(sentence, name)) for name in names]
        digest.update(json.dumps(values).encode())
    return digest.hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Derivation):
        return auto_line(value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def list_differences(
    there: tuple[Mapping[str, Any], Mapping[str, str]],
    here: tuple[Mapping[str, Any], Mapping[str, str]],
) -> str:
    """How two runs differ, for a message; empty if one may resume the other.

    Each run is given by the header of its model and by the checksums of its inputs.
    """
    found = [*_other_inputs(there[1], here[1]), *_other_fields(there[0], here[0])]
    if len(found) > _SHOWN:
        found[_SHOWN:] = [f"{len(found) - _SHOWN} more"]
    return "; ".join(found)


def _other_inputs(there: Mapping[str, str], here: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*here, *there]):
        if name not in there:
            yield f"{name} here, none there"
        elif name not in here:
            yield f"{name} there, none here"
        elif there[name] != here[name]:
            yield f"the {name} has other content"


def _other_fields(there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    """Other fields of the header. What sums up the data is compared by its checksums, what repeats
    a setting by the setting."""
    here = json.loads(json.dumps(here))  # as the checkpoint holds it
    repeated = {*here.get("settings", ()), "preset_changes"}
    for name in dict.fromkeys([*here, *there]):
        old, new = there.get(name), here.get(name)
        if old == new or name in repeated:
            continue
        if name == "settings" and isinstance(old, dict) and isinstance(new, dict):
            yield from _other_fields(old, new)
        elif name == "data":
            yield from _other_names(old, new)
        elif name == "start":
            yield "another model to start from"
        elif name == "created_with":
            yield f"version {_shown(old)} there, {_shown(new)} here"
        elif name == "templates":
            yield "other feature templates"
        elif name == LANGUAGE_MODEL:
            yield "another language model"
        elif isinstance(old, dict | list) or isinstance(new, dict | list):
            yield f"another {name.replace('_', ' ')}"
        else:
            yield f"{name.replace('_', ' ')}: {_shown(old)} there, {_shown(new)} here"


def _other_names(there: object, here: object) -> Iterator[str]:
    """Treebanks with other file names; other content is noticed by the checksums of the inputs."""
    names = [
        [each.get("name") for each in data] if isinstance(data, list) else []
        for data in (there, here)
    ]
    for old, new in zip(*names, strict=False):
        if old != new:
            yield f"file name: {_shown(old)} there, {_shown(new)} here"


def _shown(value: object) -> str:
    text = "none" if value in (None, "") else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
