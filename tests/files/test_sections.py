"""Tables of sections: arrays that do not fit them are refused, with the name of the section."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from syntagma.errors import ModelError
from syntagma.files.sections import (
    MAX_UNPACKED,
    Section,
    check_sections,
    read_lines,
    unpack_text,
)

TABLE = (
    Section("rows", np.int32, ("n", 2), least=0, below="names"),
    Section("ends", np.uint8, ("n",), below=4),
    Section("logs", np.float32, ("m",)),
)
GOOD: dict[str, npt.NDArray[Any]] = {
    "rows": np.array([[0, 1], [2, 2]], np.int32),
    "ends": np.array([0, 3], np.uint8),
    "logs": np.array([-1.0, 0.0, 1e30], np.float32),
}


def test_good_arrays() -> None:
    assert check_sections(GOOD, TABLE, {"names": 3}) == {"names": 3, "n": 2, "m": 3}
    empty = {name: array[:0] for name, array in GOOD.items()}
    assert check_sections(empty, TABLE, {"names": 0})["n"] == 0


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("rows", GOOD["rows"].astype(np.int64), "its type is int64 in 2 dimensions, not int32"),
        ("rows", GOOD["rows"].astype(">i4"), "its type is >i4"),
        ("rows", GOOD["rows"].reshape(-1), "in 1 dimensions, not int32 in 2"),
        ("rows", GOOD["rows"].reshape(1, 4), "a length is 4, not 2"),
        ("ends", GOOD["ends"][:1], "a length is 1, not 2"),
        ("rows", GOOD["rows"] - 1, "values below 0"),
        ("rows", GOOD["rows"] + 1, "values of 3 or more"),
        ("ends", GOOD["ends"] + 1, "values of 4 or more"),
        ("logs", GOOD["logs"] * np.float32(np.nan), "not finite"),
        ("logs", GOOD["logs"] - np.float32(np.inf), "not finite"),
    ],
)
def test_an_array_that_does_not_fit(name: str, array: npt.NDArray[Any], message: str) -> None:
    with pytest.raises(ModelError, match=rf"damaged model: section '{name}': .*{message}"):
        check_sections({**GOOD, name: array}, TABLE, {"names": 3})


def test_a_missing_array() -> None:
    with pytest.raises(ModelError, match="section 'ends': it is missing"):
        check_sections({"rows": GOOD["rows"]}, TABLE, {"names": 3})


def test_lines() -> None:
    assert read_lines({"a": np.frombuffer(b"x\n\xc3\xa9", np.uint8)}, "a") == ["x", "é"]
    with pytest.raises(ModelError, match="section 'a': it is not UTF-8"):
        read_lines({"a": np.array([255], np.uint8)}, "a")


def test_compressed_text() -> None:
    packed = zlib.compress("é".encode())
    assert unpack_text(packed, "a") == "é"
    for bad in (packed[:-1], packed + b"x", b"", b"x", zlib.compress(b"\xff")):
        with pytest.raises(ModelError, match="section 'a'"):
            unpack_text(bad, "a")


def test_text_that_unpacks_to_very_much() -> None:
    packer = zlib.compressobj(1)
    block = bytes(1 << 20)
    parts = [packer.compress(block) for _ in range((MAX_UNPACKED >> 20) + 1)]
    bomb = b"".join((*parts, packer.flush()))
    assert len(bomb) < 1 << 20
    with pytest.raises(ModelError, match="section 'a': it unpacks to more than 32 MiB"):
        unpack_text(bomb, "a")
