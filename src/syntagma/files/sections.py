"""Sections of a model file: what each kind of model declares about its arrays, and the check.

Each kind has one table of `Section`: names, types, shapes and ranges. Compiled code reads arrays
without checking them, so whatever it relies on belongs in such a table or beside its use. The
file around the arrays is the concern of `models/container.py`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError, shown

Array = npt.NDArray[Any]
# A number, or the name of one: sections that use the same name must agree.
Size = int | str

MAX_UNPACKED = 32 << 20  # bytes of a compressed section


@dataclass(frozen=True, slots=True)
class Section:
    """One array: its type, its shape and the range of its values. Floats are always finite."""

    name: str
    dtype: type[np.generic]
    shape: tuple[Size, ...]
    least: float | None = None  # the smallest value allowed
    below: Size | None = None  # values are smaller than this


def check_sections(
    arrays: Mapping[str, Array], table: Iterable[Section], sizes: dict[str, int] | None = None
) -> dict[str, int]:
    """Check arrays against their table; return the sizes that its names stand for.

    `sizes` are those known before. A name that is not among them gets its size from the first
    section whose shape uses it.
    """
    sizes = {} if sizes is None else dict(sizes)
    table = tuple(table)
    for section in table:
        _check_shape(arrays, section, sizes)
    for section in table:
        _check_range(arrays[section.name], section, sizes)
    return sizes


def _check_shape(arrays: Mapping[str, Array], section: Section, sizes: dict[str, int]) -> None:
    array = arrays.get(section.name)
    if array is None:
        raise damaged(section.name, "it is missing")
    if array.dtype != section.dtype or array.ndim != len(section.shape):
        declared = f"{section.dtype.__name__} in {len(section.shape)}"
        why = f"its type is {array.dtype} in {array.ndim} dimensions, not {declared}"
        raise damaged(section.name, why)
    for found, size in zip(array.shape, section.shape, strict=True):
        expected = sizes.setdefault(size, found) if isinstance(size, str) else size
        if found != expected:
            raise damaged(section.name, f"a length is {found}, not {expected}")


def _check_range(array: Array, section: Section, sizes: Mapping[str, int]) -> None:
    if not array.size:
        return
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise damaged(section.name, "it has values that are not finite")
    if section.least is not None and array.min() < section.least:
        raise damaged(section.name, f"it has values below {section.least}")
    if section.below is not None:
        limit = sizes[section.below] if isinstance(section.below, str) else section.below
        if array.max() >= limit:
            raise damaged(section.name, f"it has values of {limit} or more")


def read_lines(arrays: Mapping[str, Array], name: str) -> list[str]:
    """The strings of a section that `pack_lines` packed."""
    check_sections(arrays, [text_section(name)])
    try:
        return unpack_lines(arrays[name])
    except UnicodeDecodeError as error:
        raise damaged(name, "it is not UTF-8") from error


def text_section(name: str) -> Section:
    """The declaration of a section of text, compressed or not."""
    return Section(name, np.uint8, (f"bytes of {name}",))


def unpack_text(packed: bytes, name: str) -> str:
    """The text of a compressed section, if it is not larger than `MAX_UNPACKED`."""
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(packed, MAX_UNPACKED)
        if unpacker.unconsumed_tail:
            raise damaged(name, f"it unpacks to more than {MAX_UNPACKED >> 20} MiB")
        if not unpacker.eof or unpacker.unused_data:
            raise damaged(name, "its compressed text is cut off or has a tail")
        return data.decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise damaged(name, "it is not compressed UTF-8") from error


def damaged(name: str, why: str) -> ModelError:
    """The error of a section whose content is invalid for its kind of model."""
    what = f"damaged model: section {shown(name)}: {why}"
    return ModelError(f"{what}; get a fresh copy or train it again")


def pack_lines(lines: Iterable[str]) -> npt.NDArray[np.uint8]:
    """Pack strings without line ends into an array of bytes."""
    return np.frombuffer("\n".join(lines).encode("utf-8", "surrogatepass"), np.uint8)


def unpack_lines(array: npt.NDArray[Any]) -> list[str]:
    """The strings that `pack_lines` packed."""
    text = array.tobytes().decode("utf-8", "surrogatepass")
    return text.split("\n") if text else []
