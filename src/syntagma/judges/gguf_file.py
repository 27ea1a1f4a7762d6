"""Reads GGUF files. They are taken for hostile: every count, length and offset is checked against
limits and against the file before anything is allocated, and no file is mapped into memory.

What the fields mean is decided in `llama`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from syntagma.errors import ModelError, shown

MAX_FILE: Final = 4 << 30  # bytes
_MAX_DESCRIPTION: Final = 32 << 20  # bytes before the tensors
_MAX_FIELDS: Final = 1_000
_MAX_TENSORS: Final = 10_000
_MAX_TEXT: Final = 1 << 20  # bytes of a string
_MAX_ITEMS: Final = 1 << 20  # of an array
_MAX_DIMENSIONS: Final = 4

_SCALARS = {
    **{0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?"},
    **{10: "<Q", 11: "<q", 12: "<d"},
}
_STRING, _ARRAY = 8, 9

# The types of tensors that are read, by number: name, weights per block, bytes per block.
TENSOR_TYPES: Final = {
    **{0: ("F32", 1, 4), 1: ("F16", 1, 2), 30: ("BF16", 1, 2)},
    **{2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22), 7: ("Q5_1", 32, 24)},
    **{8: ("Q8_0", 32, 34), 12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176)},
    14: ("Q6_K", 256, 210),
}


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where a tensor is in its file; rows first."""

    type: int
    shape: tuple[int, ...]
    offset: int
    size: int

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape in bytes: whole blocks in the last dimension."""
        _, weights, size = TENSOR_TYPES[self.type]
        return (*self.shape[:-1], self.shape[-1] // weights * size)


@dataclass(frozen=True, slots=True)
class Description:
    """What a file says of itself: its fields and where its tensors are."""

    fields: Mapping[str, Any]
    tensors: Mapping[str, Tensor]


def read_description(file: BinaryIO, size: int) -> Description:
    """The fields and tensors of a file of this size. Raises `ModelError`, without the file's
    name."""
    if size > MAX_FILE:
        raise ModelError(f"{size:,} bytes, more than the limit of {MAX_FILE:,}")
    reader = _Reader(file, size)
    if reader.take(4) != b"GGUF":
        raise ModelError("not a GGUF file")
    version = reader.number("<I")
    if version not in (2, 3):
        raise ModelError(f"version {version} of GGUF: only versions 2 and 3 are read")
    tensor_count = reader.count("<Q", _MAX_TENSORS, "tensors")
    field_count = reader.count("<Q", _MAX_FIELDS, "fields")
    fields: dict[str, Any] = {}
    for _ in range(field_count):
        name = reader.text("the name of a field")
        if name in fields:
            raise ModelError(f"the field {shown(name)} is there twice")
        fields[name] = reader.value(reader.number("<I"), f"the field {shown(name)}")
    tensors: dict[str, Tensor] = {}
    for _ in range(tensor_count):
        name = reader.text("the name of a tensor")
        if name in tensors:
            raise ModelError(f"the tensor {shown(name)} is there twice")
        tensors[name] = _tensor(reader, f"the tensor {shown(name)}", size)
    alignment = fields.get("general.alignment", 32)
    if type(alignment) is not int or not 1 <= alignment <= 1 << 16 or alignment & (alignment - 1):
        raise ModelError("the field 'general.alignment' is not a power of 2 up to 65,536")
    start = -(-reader.place // alignment) * alignment
    placed = {}
    for name, each in tensors.items():
        if each.offset % alignment or start + each.offset + each.size > size:
            raise ModelError(f"the tensor {shown(name)} does not lie within the file; is it whole?")
        placed[name] = Tensor(each.type, each.shape, start + each.offset, each.size)
    return Description(fields, placed)


def _tensor(reader: _Reader, what: str, file_size: int) -> Tensor:
    """The description of a tensor; its offset is that from the first one."""
    count = reader.count("<I", _MAX_DIMENSIONS, f"dimensions of {what}")
    shape = tuple(reader.number("<Q") for _ in range(count))[::-1]
    kind, offset = reader.number("<I"), reader.number("<Q")
    if kind not in TENSOR_TYPES:
        names = ", ".join(name for name, _, _ in TENSOR_TYPES.values())
        raise ModelError(f"{what} has the type {kind}: only {names} are read")
    _, weights, size = TENSOR_TYPES[kind]
    # A weight takes half a byte or more.
    if not shape or min(shape) < 1 or math.prod(shape) > 2 * file_size or shape[-1] % weights:
        raise ModelError(f"{what} has an impossible shape")
    return Tensor(kind, shape, offset, math.prod(shape) // weights * size)


class _Reader:
    """Reads the description from its start; never beyond its limit."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._end = min(size, _MAX_DESCRIPTION)
        self.place = 0

    def take(self, size: int) -> bytes:
        found = self._file.read(size) if size <= self._end - self.place else b""
        if len(found) != size:
            raise ModelError(f"the file ends in its description, after byte {self.place:,}")
        self.place += size
        return found

    def number(self, layout: str) -> Any:
        [value] = struct.unpack(layout, self.take(struct.calcsize(layout)))
        return value

    def count(self, layout: str, most: int, what: str) -> int:
        count: int = self.number(layout)
        if count > most:
            raise ModelError(f"{count:,} {what}, more than the limit of {most:,}")
        return count

    def text(self, what: str) -> str:
        try:
            return self.take(self.count("<Q", _MAX_TEXT, f"bytes of {what}")).decode()
        except UnicodeDecodeError:
            raise ModelError(f"{what} is not UTF-8") from None

    def value(self, kind: int, what: str) -> Any:
        if kind == _STRING:
            return self.text(what)
        if kind == _ARRAY:
            kind, count = self.number("<I"), self.count("<Q", _MAX_ITEMS, f"items of {what}")
            if kind in _SCALARS:  # nothing that is needed is an array of numbers
                return self.take(count * struct.calcsize(_SCALARS[kind]))
            return [self._item(kind, what) for _ in range(count)]
        return self._item(kind, what)

    def _item(self, kind: int, what: str) -> Any:
        if kind == _STRING:
            return self.text(what)
        if kind not in _SCALARS:
            raise ModelError(f"{what} has the type {kind}, which is unknown or an array of arrays")
        return self.number(_SCALARS[kind])
