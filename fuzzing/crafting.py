"""Crafted model files: valid checksums, invalid contents; and files that are simply damaged.

A file is kept as a header and a list of sections until it is assembled, so that each part can be
changed in ways that `write_container` would not allow. The format is that of `models/container`.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from fuzzing.toys import Toy

DTYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8")
ODD_DTYPES = ("|O", "<U4", ">i4", "|V8", "<c8", "<M8[s]", "int32", "", "<f16", "i4,i4")
ODD_NAMES = ("", "forms", "lm.1.words", "lm.9.words", "network.x", "\n", "é", "spacing.rules")
MOST = 1 << 31
ODD_NUMBERS = (0, 1, -1, 2, 7, 255, 256, 1 << 15, (1 << 16) - 1, 1 << 20, MOST - 1, MOST, 1 << 64)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, "", "x", "é\ud800", "a\nb", [], {}, [[]], [None], {"": None}, {"a": [1]}),
    *(0, -1, 1, 3, 1.5, -0.0, 1e308, float("nan"), float("inf"), 10**30, -(10**400)),
    *("linear", "neural", "edges", "ccg", "dependency", "upos", "p16", "best-first"),
)
ODD_BYTES = (
    b"\n",
    b"\t",
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b" ",
    b"\t\t",
    b"\n\n",
    b"-1",
    b"9" * 30,
)


@dataclass(slots=True)
class Section:
    """One section; `shape` may be anything that JSON can hold."""

    name: Any
    dtype: Any
    shape: Any
    data: bytes

    def array(self) -> npt.NDArray[Any]:
        return np.frombuffer(self.data, self.dtype).reshape(self.shape).copy()

    def put(self, array: npt.NDArray[Any]) -> None:
        self.dtype, self.shape, self.data = array.dtype.str, list(array.shape), array.tobytes()


@dataclass(slots=True)
class ModelFile:
    """A model file before it is assembled."""

    header: Any
    sections: list[Section]

    @classmethod
    def of(cls, toy: Toy) -> ModelFile:
        header, arrays = toy
        sections = [Section(name, "", [], b"") for name in arrays]
        for section in sections:
            section.put(arrays[section.name])
        return cls(json.loads(json.dumps(header)), sections)

    def index(self) -> dict[str, Any]:
        return {
            "header": self.header,
            "sections": [
                {
                    "name": section.name,
                    "dtype": section.dtype,
                    "shape": section.shape,
                    "crc32": zlib.crc32(_padded(section.data)),
                }
                for section in self.sections
            ],
        }

    def assemble(self, index: bytes | None = None) -> bytes:
        if index is None:
            index = json.dumps(self.index()).encode("utf-8", "replace")
        index = index.ljust(-(-(28 + len(index)) // 64) * 64 - 28)
        blocks = [_padded(section.data) for section in self.sections]
        size = 28 + len(index) + sum(map(len, blocks))
        prefix = struct.pack("<8sIIQ", b"SYNTAGMA", 1, len(index), size)
        checksum = struct.pack("<I", zlib.crc32(index, zlib.crc32(prefix)))
        return b"".join((prefix, checksum, index, *blocks))


def craft(rng: Random, toy: Toy) -> bytes:
    """A file made from a toy model by one to three changes."""
    file = ModelFile.of(toy)
    kind = rng.random()
    if kind < 0.04:
        return damage(rng, file.assemble())
    if kind < 0.08:
        return file.assemble(damage(rng, json.dumps(file.index()).encode()))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choices(CHANGES, WEIGHTS)[0](rng, file)
    return file.assemble()


def damage(rng: Random, data: bytes) -> bytes:
    """Some bytes changed, cut out, repeated or cut off."""
    at, other = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    match rng.randrange(5):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + data[other:]
        case 2:
            return data[:other] + data[at:]
        case 3:
            return data[:at] + rng.choice(ODD_BYTES) + data[at:]
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def change_values(rng: Random, file: ModelFile) -> None:
    """Some or all values of an array replaced, by extreme or by ordinary ones."""
    section = _any_section(rng, file)
    array = section.array()
    flat = array.reshape(-1)
    if not flat.size:
        return
    chosen = [rng.randrange(flat.size) for _ in range(rng.choice((1, 1, 3, flat.size)))]
    value = rng.choice((None, _value(rng, array)))
    for at in chosen:
        flat[at] = _value(rng, array) if value is None else value
    section.put(array)


def change_order(rng: Random, file: ModelFile) -> None:
    section = _any_section(rng, file)
    array = section.array()
    if array.ndim and rng.random() < 0.5:
        section.put(np.ascontiguousarray(array[::-1]))
        return
    flat = np.sort(array.reshape(-1)) if rng.random() < 0.5 else array.reshape(-1)
    numbers = list(range(flat.size))
    rng.shuffle(numbers)
    section.put(flat[numbers].reshape(array.shape))


def change_size(rng: Random, file: ModelFile) -> None:
    """An array cut or extended along its first axis."""
    section = _any_section(rng, file)
    array = section.array()
    if not array.ndim:
        return
    n = len(array)
    match rng.randrange(5):
        case 0:
            array = array[: rng.randrange(n + 1)]
        case 1:
            array = array[: max(n - 1, 0)]
        case 2:
            array = array[:0]
        case 3:
            array = np.concatenate([array, array[: rng.randrange(n + 1)]])
        case _:
            array = np.concatenate([array] * rng.choice((2, 3, 16, 256)))
    section.put(np.ascontiguousarray(array))


def change_shape(rng: Random, file: ModelFile) -> None:
    section = _any_section(rng, file)
    array = section.array()
    shapes = [
        [array.size],
        [1, array.size],
        [array.size, 1],
        list(array.shape[::-1]),
        [*array.shape, 1],
    ]
    if array.size % 2 == 0:
        shapes += [[array.size // 2, 2], [2, array.size // 2]]
    if array.size == 1:
        shapes.append([])
    section.put(array.reshape(rng.choice(shapes)))


def change_type(rng: Random, file: ModelFile) -> None:
    """The same bytes or the same values as another type."""
    section = _any_section(rng, file)
    dtype = np.dtype(rng.choice(DTYPES))
    if rng.random() < 0.5:
        with np.errstate(all="ignore"):
            section.put(section.array().astype(dtype))
    elif len(section.data) % dtype.itemsize == 0:
        section.put(np.frombuffer(section.data, dtype))


def change_text(rng: Random, file: ModelFile) -> None:
    """A list of words, a table of rules, or a compressed text."""
    sections = [each for each in file.sections if each.dtype == "|u1"]
    if not sections:
        return
    section = rng.choice(sections)
    data = section.data
    try:
        data, packed = zlib.decompress(data), True
    except zlib.error:
        packed = False
    if rng.random() < 0.3:
        data = damage(rng, data)
    else:
        data = b"\n".join(_changed_lines(rng, data.split(b"\n")))
    if packed:
        data = zlib.compress(data)
        if rng.random() < 0.2:
            data = damage(rng, data)
    section.put(np.frombuffer(data, np.uint8))


def inflate(rng: Random, file: ModelFile) -> None:
    """A small section that unpacks to very much."""
    sections = [each for each in file.sections if each.name in ("inflection", "form_choice")]
    if sections:
        unit = rng.choice((b"\0", b"\n", b"\t", b"a\t1\n", b"[", b'[0,0,["",""],'))
        data = inflated(unit, rng.choice((1, 8, 48)))
        rng.choice(sections).put(np.frombuffer(data, np.uint8))


@cache
def inflated(unit: bytes, megabytes: int) -> bytes:
    packer = zlib.compressobj(1)
    block = unit * ((1 << 20) // len(unit))
    return b"".join((*(packer.compress(block) for _ in range(megabytes)), packer.flush()))


def change_sections(rng: Random, file: ModelFile) -> None:
    """Sections removed, repeated, renamed or exchanged."""
    if not file.sections:
        return
    section = rng.choice(file.sections)
    match rng.randrange(5):
        case 0:
            file.sections.remove(section)
        case 1:
            file.sections.insert(rng.randrange(len(file.sections)), section)
        case 2:
            section.name = rng.choice((*ODD_NAMES, *ODD_VALUES))
        case 3:
            prefix = str(section.name).partition(".")[0]
            file.sections = [e for e in file.sections if not str(e.name).startswith(prefix)]
        case _:
            other = rng.choice(file.sections)
            section.name, other.name = other.name, section.name


def change_index(rng: Random, file: ModelFile) -> None:
    """A type or shape that the bytes do not have."""
    if not file.sections:
        return
    section = rng.choice(file.sections)
    if rng.random() < 0.3:
        section.dtype = rng.choice((*DTYPES, *ODD_DTYPES, *ODD_VALUES))
    elif rng.random() < 0.3 or not isinstance(section.shape, list):
        section.shape = rng.choice((*ODD_VALUES, [0, 10**30], [1] * 100, [len(section.data)]))
    else:
        odd = rng.choice((*ODD_NUMBERS, *ODD_VALUES))
        section.shape = [*section.shape]
        section.shape.insert(rng.randrange(len(section.shape) + 1), odd)
        del section.shape[rng.randrange(len(section.shape))]


def change_header(rng: Random, file: ModelFile) -> None:
    """A field, at any depth, removed, added or given another value."""
    inner = file.header
    while isinstance(inner, (dict, list)) and inner:
        key = rng.choice([*inner] if isinstance(inner, dict) else range(len(inner)))
        if rng.random() < 0.5 or not isinstance(inner[key], (dict, list)) or not inner[key]:
            match rng.randrange(6):
                case 0:
                    del inner[key]
                case 1 if isinstance(inner, dict):
                    inner[rng.choice(("x", "scorer", "language_model"))] = rng.choice(ODD_VALUES)
                case 2:
                    inner[key] = rng.choice(ODD_NUMBERS)
                case 3:
                    inner[key] = [inner[key]] * rng.choice((1, 1000))
                case 4:
                    inner[key] = nested(rng.choice((50, 900)), rng.choice((0, 1)))
                case _:
                    inner[key] = rng.choice(ODD_VALUES)
            return
        inner = inner[key]
    file.header = rng.choice(ODD_VALUES)


def nested(depth: int, kind: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if kind else [value]
    return value


CHANGES: tuple[Callable[[Random, ModelFile], None], ...] = (
    *(change_values, change_order, change_size, change_shape, change_type),
    *(change_text, inflate, change_sections, change_index, change_header),
)
WEIGHTS = (30, 5, 12, 5, 6, 15, 1, 6, 4, 10)


def _any_section(rng: Random, file: ModelFile) -> Section:
    """One whose type and shape were not made nonsense before."""
    for _ in range(20):
        section = rng.choice(file.sections) if file.sections else Section("x", "|u1", [0], b"")
        try:
            section.array()
        except (TypeError, ValueError, OverflowError, SyntaxError):
            continue
        return section
    return Section("x", "|u1", [0], b"")


def _value(rng: Random, array: npt.NDArray[Any]) -> Any:
    """A value that an array of this type can hold."""
    if array.dtype.kind == "b":
        return rng.random() < 0.5
    if array.dtype.kind == "f":
        limits = np.finfo(array.dtype)
        return rng.choice((0.0, -1.0, 1e3, float(limits.max), float(limits.min), np.nan, np.inf))
    bounds = np.iinfo(array.dtype)
    near = int(array.reshape(-1)[rng.randrange(array.size)]) + rng.choice((-1, 1, 2))
    values = (0, 1, -1, near, len(array) if array.ndim else 0, bounds.min, bounds.max)
    return min(max(rng.choice((*values, rng.randrange(256))), bounds.min), bounds.max)


def _changed_lines(rng: Random, lines: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines))
    match rng.randrange(7):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, rng.choice(lines))
        case 2:
            lines.insert(at, b"")
        case 3:
            lines[at] = damage(rng, lines[at])
        case 4:
            lines += lines[: rng.randrange(len(lines) + 1)]
        case 5:
            fields = lines[at].split(b"\t")
            odd = (b"", b"-1", b"0", b"99999", b"9" * 40, b"1 2", "٣".encode(), b"1_0", b"+1", b"x")
            fields[rng.randrange(len(fields))] = rng.choice(odd)
            lines[at] = b"\t".join(fields)
        case _:
            rng.shuffle(lines)
    return lines


def _padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // 64) * 64, b"\0")
