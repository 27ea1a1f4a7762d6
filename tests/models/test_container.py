"""The model file: what is written is read back, and nothing damaged or foreign is accepted."""

import errno
import json
import os
import struct
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from syntagma.errors import ModelError, OutputError
from syntagma.files.reading import fingerprint
from syntagma.models.container import (
    ALIGNMENT,
    content_mark,
    read_container,
    read_header,
    write_container,
)
from syntagma.training.language_model import read_lm

HEADER = {"name": "toy", "language": "en", "figures": {"none": 19.5}, "note": "naïve ☕"}


def arrays() -> dict[str, npt.NDArray[Any]]:
    return {
        "weights": np.arange(1000, dtype=np.float32).reshape(10, 100),
        "empty": np.zeros((0, 4), dtype=np.uint8),
        "keys": np.array([2**63 + 5, 7], dtype=np.uint64),
        "flags": np.array([True, False, True]),
        "scale": np.array(0.5, dtype=np.float16),
    }


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "toy.syntagma"
    write_container(path, HEADER, arrays())
    return path


def rebuild(path: Path, index: Any, body: bytes = b"") -> None:
    """Write a file whose checksums are right but whose index is `index`."""
    encoded = index if isinstance(index, bytes) else json.dumps(index).encode()
    prefix = struct.pack("<8sIIQ", b"SYNTAGMA", 1, len(encoded), 28 + len(encoded) + len(body))
    checksum = struct.pack("<I", zlib.crc32(encoded, zlib.crc32(prefix)))
    path.write_bytes(prefix + checksum + encoded + body)


def test_round_trip(model: Path) -> None:
    header, read = read_container(model)
    assert header == HEADER
    assert list(read) == list(arrays())
    for name, array in arrays().items():
        assert read[name].dtype == array.dtype
        assert read[name].shape == array.shape
        np.testing.assert_array_equal(read[name], array)


def test_arrays_are_read_only_aligned_views_of_the_file(model: Path) -> None:
    _, read = read_container(model)
    for array in read.values():
        assert not array.flags.writeable
        assert not array.flags.owndata
        if array.size:
            assert array.ctypes.data % ALIGNMENT == 0


def test_same_content_gives_the_same_bytes(model: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.syntagma"
    write_container(again, HEADER, arrays())
    assert again.read_bytes() == model.read_bytes()
    assert fingerprint(again) == fingerprint(model)


def test_foreign_byte_order_and_strides_are_normalised(tmp_path: Path) -> None:
    path = tmp_path / "model"
    table = np.arange(12, dtype=">i4").reshape(3, 4).T
    write_container(path, {}, {"table": table})
    np.testing.assert_array_equal(read_container(path)[1]["table"], table)


def test_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="'words'"):
        write_container(tmp_path / "model", {}, {"words": np.array(["a", None], dtype=object)})


@pytest.mark.slow
def test_every_flipped_byte_is_noticed(model: Path, tmp_path: Path) -> None:
    good = model.read_bytes()
    path = tmp_path / "flipped"
    for place in range(len(good)):
        damaged = bytearray(good)
        damaged[place] ^= 0x10
        path.write_bytes(damaged)
        with pytest.raises(ModelError, match="flipped: "):
            read_container(path)


@pytest.mark.slow
def test_every_truncation_is_noticed(model: Path, tmp_path: Path) -> None:
    good = model.read_bytes()
    path = tmp_path / "short"
    for length in range(len(good)):
        path.write_bytes(good[:length])
        with pytest.raises(ModelError, match=r"truncated|empty file"):
            read_container(path)


def test_damage_names_the_section(model: Path) -> None:
    data = bytearray(model.read_bytes())
    data[-1] ^= 1
    model.write_bytes(data)
    with pytest.raises(ModelError, match="damaged model file: wrong checksum of section 'scale'"):
        read_container(model)


def test_trailing_bytes(model: Path) -> None:
    model.write_bytes(model.read_bytes() + b"more")
    with pytest.raises(ModelError, match="4 bytes follow its end"):
        read_container(model)


def test_other_version(model: Path) -> None:
    data = bytearray(model.read_bytes())
    data[8] = 9
    model.write_bytes(data)
    with pytest.raises(ModelError, match="format version 9, but this Syntagma reads version 1"):
        read_container(model)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty file"),
        (b"PK\x03\x04 some archive", "not a Syntagma model"),
        (b"S", "truncated"),
        (b"plain text\n" * 100, "not a Syntagma model"),
    ],
)
def test_foreign_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        read_container(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such model file"):
        read_container(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="cannot be read"):
        read_container(tmp_path)
    with pytest.raises(ModelError, match="cannot be read"):
        fingerprint(tmp_path / "nowhere")


SECTION = {"name": "a", "dtype": "<f4", "shape": [16], "crc32": zlib.crc32(bytes(64))}


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (b"{not json", "not JSON"),
        (b"[]", "not a JSON object"),
        ({"sections": []}, "no header"),
        ({"header": {}}, "no table of sections"),
        ({"header": {"a": float("nan")}, "sections": []}, "not JSON"),
        (b'{"header": {"a": 1e999}, "sections": []}', "not JSON"),
        (b'{"header": {"a": "\\ud800"}, "sections": []}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"header": {"a": ' + b"[" * 99 + b"]" * 99 + b"}}", "not JSON"),
        *(
            ({"header": {}, "sections": [SECTION | change]}, message)
            for change, message in (
                ({"shape": [16.0]}, "unknown type or shape"),
                ({"shape": [True]}, "unknown type or shape"),
                ({"shape": ["16"]}, "unknown type or shape"),
                ({"shape": [1] * 100}, "unknown type or shape"),
                ({"shape": [0, 10**30]}, "unknown type or shape"),
                ({"shape": 16}, "bad table of sections"),
                ({"name": 1}, "bad table of sections"),
                ({"dtype": "\n"}, "unknown type or shape"),
            )
        ),
        ({"header": {}, "sections": [{"name": "a"}]}, "bad table of sections"),
        ({"header": {}, "sections": [SECTION | {"shape": [17]}]}, "describes .* bytes"),
        ({"header": {}, "sections": [SECTION | {"shape": [2**30]}]}, "describes .* bytes"),
        ({"header": {}, "sections": [SECTION | {"shape": [2**40]}]}, "unknown type or shape"),
        ({"header": {}, "sections": [SECTION | {"shape": [-16]}]}, "unknown type or shape"),
        ({"header": {}, "sections": [SECTION | {"dtype": "O"}]}, "unknown type or shape"),
        ({"header": {}, "sections": []}, "describes .* bytes"),
        ({"header": {}, "sections": [SECTION, SECTION | {"shape": [0]}]}, "two sections named"),
    ],
)
def test_a_header_that_lies(tmp_path: Path, index: Any, message: str) -> None:
    path = tmp_path / "liar"
    rebuild(path, index, body=bytes(64))
    with pytest.raises(ModelError, match=message):
        read_container(path)


def test_unwritable_path(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="nowhere"):
        write_container(tmp_path / "nowhere" / "model", {}, {})


def test_full_disk_leaves_the_old_file(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = model.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left on device"):
        write_container(model, {"name": "new"}, arrays())
    assert model.read_bytes() == before
    assert list(model.parent.iterdir()) == [model]


def test_loading_copies_nothing(tmp_path: Path) -> None:
    path = tmp_path / "large"
    write_container(path, {}, {"weights": np.ones(17_000_000 // 4, dtype=np.float32)})
    tracemalloc.start()
    try:
        _, arrays = read_container(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert arrays["weights"].sum() == 17_000_000 // 4
    assert most < 1_000_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
@pytest.mark.parametrize("read", [read_container, read_header, content_mark, read_lm])
def test_a_pipe_is_not_a_model_file(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    said: list[str] = []

    def refuse() -> None:
        with pytest.raises(ModelError) as caught:
            read(path)
        said.append(str(caught.value))

    thread = threading.Thread(target=refuse, daemon=True)
    thread.start()
    thread.join(20)
    assert said == [f"{path}: cannot be read: it is not a regular file"]
