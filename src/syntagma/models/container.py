"""The model file: a JSON header and named arrays in one checked, memory-mappable file.

This module knows bytes, not meanings: the arrays are read in `loading` and written by `model`.

Layout, all integers little-endian, everything after the prefix padded to 64 bytes:

    offset  size  content
    0       8     magic "SYNTAGMA"
    8       4     format version
    12      4     length of the index, padding included
    16      8     length of the whole file
    24      4     CRC-32 of the 24 bytes before and of the index
    28      …     index: JSON {"header": …, "sections": [{name, dtype, shape, crc32}, …]}
    …       …     sections, one after the other in the order of the index

Place and size of a section follow from the index; every byte of the file, padding included,
is covered by a checksum.
"""

import hashlib
import json
import math
import mmap
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError, shown
from syntagma.files.reading import open_regular
from syntagma.files.writing import atomic_write

MAGIC = b"SYNTAGMA"
FORMAT_VERSION = 1
ALIGNMENT = 64

# What is larger is refused before it is read. Nothing in the file around the arrays is compressed.
MAX_FILE = 4 << 30
MAX_INDEX = 16 << 20

_PREFIX = struct.Struct("<8sIIQ")
_CHECKSUM = struct.Struct("<I")
_INDEX_START = _PREFIX.size + _CHECKSUM.size
_MAX_DEPTH = 16  # of objects and lists in the index
_MAX_DIGITS = 100  # of an integer in the index
_MAX_DIMENSIONS = 8
# Plain numbers only: a file must never be able to ask for Python objects or strings.
_DTYPES = frozenset(
    {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"}
)


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    dtype: str
    shape: tuple[int, ...]
    crc32: int

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        return _aligned(self.count * np.dtype(self.dtype).itemsize)


def write_container(
    path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Write `header` and `arrays` to `path`; the same content always gives the same bytes."""
    blocks, sections = [], []
    for name, array in arrays.items():
        data = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        if data.dtype.str not in _DTYPES:
            raise TypeError(f"array {name!r}: a model file cannot hold {data.dtype}")
        block = data.tobytes().ljust(_aligned(data.nbytes), b"\0")
        blocks.append(block)
        sections.append(_Section(name, data.dtype.str, array.shape, zlib.crc32(block)))
    described = {"header": header, "sections": [asdict(section) for section in sections]}
    text = json.dumps(described, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    index = text.encode()
    # Spaces keep the padded index JSON; the sections behind it start at a multiple of 64.
    index = index.ljust(_aligned(_INDEX_START + len(index)) - _INDEX_START)
    size = _INDEX_START + len(index) + sum(map(len, blocks))
    prefix = _PREFIX.pack(MAGIC, FORMAT_VERSION, len(index), size)
    with atomic_write(path, "wb") as file:
        file.write(prefix)
        file.write(_CHECKSUM.pack(zlib.crc32(index, zlib.crc32(prefix))))
        file.write(index)
        for block in blocks:
            file.write(block)


def read_container(path: str | Path) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read the header and the arrays of `path`; the arrays are read-only views of the file.

    Every checksum is verified, so what is returned is what was written.
    """
    data = _map(Path(path))
    header, sections, start = _read_index(path, data)
    claimed = start + sum(section.size for section in sections)
    if claimed != len(data):
        raise _malformed(path, f"its header describes {claimed} bytes, but it has {len(data)}")
    arrays: dict[str, npt.NDArray[Any]] = {}
    view = memoryview(data)
    for section in sections:
        if section.name in arrays:
            raise _malformed(path, f"two sections named {shown(section.name)}")
        if zlib.crc32(view[start : start + section.size]) != section.crc32:
            raise _damaged(path, f"wrong checksum of section {shown(section.name)}")
        flat = np.frombuffer(data, section.dtype, section.count, start)
        arrays[section.name] = flat.reshape(section.shape)
        start += section.size
    return header, arrays


def read_header(path: str | Path) -> tuple[dict[str, Any], frozenset[str]]:
    """The header of `path` and the names of its sections, without reading these: the checksum of
    the header alone is verified."""
    header, sections, _ = _read_index(path, _map(Path(path)))
    return header, frozenset(section.name for section in sections)


def content_mark(path: str | Path) -> str:
    """A checksum of checksums, which tells one model file from another without reading all of it:
    the SHA-256 of the prefix and the index."""
    try:
        with open_regular(path) as file:
            start = file.read(_INDEX_START)
            index_size = _PREFIX.unpack_from(start)[2] if len(start) == _INDEX_START else 0
            return hashlib.sha256(start + file.read(index_size)).hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error


def _malformed(path: str | Path, fault: str) -> ModelError:
    return ModelError(f"{path}: malformed model file: {fault}")


def _damaged(path: str | Path, fault: str) -> ModelError:
    return ModelError(f"{path}: damaged model file: {fault}; get a fresh copy")


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _map(path: Path) -> mmap.mmap:
    try:
        with open_regular(path) as file:
            start = file.read(_INDEX_START)
            if not start:
                raise ModelError(f"{path}: empty file, not a Syntagma model")
            if start[: len(MAGIC)] != MAGIC[: len(start)]:
                raise ModelError(f"{path}: not a Syntagma model")
            if len(start) < _INDEX_START:
                raise ModelError(f"{path}: truncated model file: only {len(start)} bytes")
            if os.fstat(file.fileno()).st_size > MAX_FILE:
                raise ModelError(f"{path}: a model file has at most {MAX_FILE >> 30} GiB")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError as error:
        raise ModelError(f"{path}: no such model file") from error
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error


def _read_index(path: str | Path, data: mmap.mmap) -> tuple[dict[str, Any], list[_Section], int]:
    """The header, the table of sections, and the offset at which they end."""
    _, version, index_size, file_size = _PREFIX.unpack_from(data)
    if version != FORMAT_VERSION:
        raise ModelError(
            f"{path}: model format version {version}, but this Syntagma reads version"
            f" {FORMAT_VERSION}; use a model made for it"
        )
    if index_size > MAX_INDEX:
        raise _malformed(path, f"its header is larger than {MAX_INDEX >> 20} MiB")
    if _INDEX_START + index_size > len(data):
        raise ModelError(f"{path}: truncated model file: it ends inside its header")
    encoded = data[_INDEX_START : _INDEX_START + index_size]
    (checksum,) = _CHECKSUM.unpack_from(data, _PREFIX.size)
    if zlib.crc32(encoded, zlib.crc32(data[: _PREFIX.size])) != checksum:
        raise _damaged(path, "wrong checksum of the header")
    if len(data) < file_size:
        raise ModelError(
            f"{path}: truncated model file: {len(data)} of {file_size} bytes; get a fresh copy"
        )
    if len(data) > file_size:
        raise _damaged(path, f"{len(data) - file_size} bytes follow its end")
    try:
        index = json.loads(encoded, parse_int=_integer)
        json.dumps(index, ensure_ascii=False, allow_nan=False).encode()  # it can be written, too
        if _depth(index) > _MAX_DEPTH:
            raise ValueError("nested too deeply")
    except (ValueError, RecursionError) as error:
        raise _malformed(path, "the header is not JSON") from error
    if not isinstance(index, dict):
        raise _malformed(path, "the header is not a JSON object")
    header, entries = index.get("header"), index.get("sections")
    if not isinstance(header, dict):
        raise _malformed(path, "its index has no header")
    if not isinstance(entries, list):
        raise _malformed(path, "it has no table of sections")
    return header, [_section(path, entry) for entry in entries], _INDEX_START + index_size


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError("an integer has too many digits")
    return int(text)


def _depth(value: object) -> int:
    if not isinstance(value, (dict, list)):
        return 0
    return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=-1)


def _section(path: str | Path, entry: object) -> _Section:
    match entry:
        case {"name": str(name), "dtype": str(dtype), "shape": list(shape), "crc32": int(crc32)}:
            pass
        case _:
            raise _malformed(path, "bad table of sections")
    if (
        dtype not in _DTYPES
        or len(shape) > _MAX_DIMENSIONS
        or any(type(extent) is not int or extent < 0 for extent in shape)
        or math.prod(max(extent, 1) for extent in shape) > MAX_FILE  # empty arrays included
    ):
        raise _malformed(path, f"section {shown(name)} has an unknown type or shape")
    return _Section(name, dtype, tuple(shape), crc32)
