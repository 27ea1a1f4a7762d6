"""The target `formats/archives`: compressed files that are cut off, damaged, joined or bombs.

What was packed before the damage is read as it was, in order; each fault is one short line; no
archive takes long or much memory, whatever it would unpack to. Batch jobs cut it as it is read.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import tempfile
import time
import tracemalloc
import zlib
from contextlib import closing
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.crafting import damage
from fuzzing.formats import MAX_READ, check_message
from syntagma.batches.plan import SliceReader, cut_file
from syntagma.errors import FormatError
from syntagma.files.reading import decoded_lines, open_text
from syntagma.formats.problems import place_of, problems_of
from syntagma.problem.limits import MAX_LINE

MOST_SECONDS = 5.0  # of processor time
MOST_MEMORY = 8 * MAX_LINE
LONG = MAX_LINE + 2
KINDS = ("whole", "whole", "cut", "cut", "damaged", "damaged", "tail", "joined", "bomb")


class Archives:
    """An input is a line of JSON that says what was packed, and the archive itself."""

    def case(self, rng: Random) -> bytes:
        kind = rng.choice(KINDS)
        lines = [_line(rng) for _ in range(rng.choice((0, 1, 3, 40, 400)))]
        if kind == "bomb" and rng.random() < 0.9:
            # Mostly small ones: a case must stay cheap.
            kind = "cut"
        text = "".join(f"{line}\n" for line in lines)
        pack = rng.choice((_gzip, _xz, _xz_checked))
        packed = pack(rng, text.encode())
        match kind:
            case "cut":  # of one stream: the end of the first of several is a whole file
                data = text.encode()
                packed = rng.choice((gzip.compress(data, mtime=0), lzma.compress(data)))
                packed = packed[: rng.randrange(1, len(packed) + 1)]
            case "damaged":
                for _ in range(rng.choice((1, 1, 3))):
                    packed = damage(rng, packed)
            case "tail":
                packed += rng.choice((b"\0" * 64, b"x", b"\x1f\x8b", packed[:9], b"\xfd7zXZ\0"))
            case "joined":
                packed += rng.choice((_gzip, _xz))(rng, text.encode())
            case "bomb":
                packed = pack(rng, text.encode() + rng.choice((b"a", b"\0", b" ")) * (4 * LONG))
        return json.dumps({"kind": kind, "lines": lines}).encode() + b"\n" + packed

    def run(self, data: bytes) -> None:
        line, _, packed = data.partition(b"\n")
        case = json.loads(line)
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            path = Path(folder, "input")
            path.write_bytes(packed)
            measured = case["kind"] == "bomb"
            if measured:
                tracemalloc.start()
            began = time.process_time()
            found = list(islice(open_text(path), MAX_READ))
            pieces = _in_pieces(path)
            seconds = time.process_time() - began
            if measured:
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                assert peak < MOST_MEMORY, f"{peak >> 20} MiB"
                seconds /= 10  # what is traced takes longer
            assert seconds < MOST_SECONDS, f"{seconds:.1f} s for {len(packed)} bytes"
            _check(case, found, packed, str(path))
            if len(found) < MAX_READ:
                _check_pieces(found, pieces)


def _in_pieces(path: Path) -> list[Any]:
    """The bags of the file as the workers of a batch job read them, and what is wrong with it."""
    items: list[Any] = []
    cut = cut_file(str(path), str(path), "text", 7)
    with closing(SliceReader()) as reader:
        for each in cut.cuts:
            piece = reader.piece(str(path), each.start, each.size)
            lines = decoded_lines(piece.lines(), str(path), from_start=each.start == 0)
            read = [*islice(problems_of(lines, str(path), "text"), each.records)]
            assert len(read) == each.records, "records lost"
            while piece.read(1 << 16):
                pass
            assert piece.sha256 == each.sha256, "the pieces are not those that were cut"
            items += read
    return [*items, cut.fault] if cut.fault is not None else items


def _check(case: dict[str, Any], found: list[Any], packed: bytes, path: str) -> None:
    lines, kind = case["lines"], case["kind"]
    faults = [each for each in found if isinstance(each, FormatError)]
    for fault in faults:
        check_message(str(fault), path)
    if kind in ("whole", "bomb"):
        read = found[: len(lines)]
        assert read == lines, "other lines than were packed"
        assert len(found) == len(lines) + (kind == "bomb"), f"{len(found)} lines"
        if kind == "bomb":
            assert "longer than the limit" in str(found[-1]), str(found[-1])
    if kind == "cut" and packed.startswith((b"\x1f\x8b", b"\xfd7zXZ\0")):
        *read, last = found or [None]
        whole = not isinstance(last, FormatError)
        read = found if whole else read
        assert read == lines[: len(read)], "other lines than were packed"
        assert not whole or len(read) == len(lines), "lines lost without a word"


def _check_pieces(found: list[Any], pieces: list[Any]) -> None:
    """A batch job has a record for each line, and the same last fault."""
    assert len(pieces) == len(found), f"{len(pieces)} records, but {len(found)} lines"
    for number, (line, record) in enumerate(zip(found, pieces, strict=True), start=1):
        if isinstance(record, FormatError):
            continue
        assert not isinstance(line, FormatError), f"record {number} has a fault only as a line"
        assert place_of(record) is not None
        forms = [word.form for word in record.words]
        assert " ".join(forms).split() == line.split(), f"record {number} is another one"


def _gzip(rng: Random, data: bytes) -> bytes:
    """One member or several."""
    cut = rng.randrange(len(data) + 1) if rng.random() < 0.2 else len(data)
    level = rng.choice((0, 1, 9))
    packed = gzip.compress(data[:cut], level, mtime=0)
    return packed + (gzip.compress(data[cut:], 1, mtime=0) if cut < len(data) else b"")


def _xz(rng: Random, data: bytes) -> bytes:
    cut = rng.randrange(len(data) + 1) if rng.random() < 0.2 else len(data)
    packed = lzma.compress(data[:cut], preset=0)
    padding = bytes(4 * rng.randrange(3))
    return packed + (padding + lzma.compress(data[cut:], preset=0) if cut < len(data) else b"")


def _xz_checked(rng: Random, data: bytes) -> bytes:
    check = rng.choice((lzma.CHECK_NONE, lzma.CHECK_CRC32, lzma.CHECK_SHA256))
    return lzma.compress(data, check=check, preset=0)


def _line(rng: Random) -> str:
    match rng.randrange(8):
        case 0:
            return ""
        case 1:
            return zlib.crc32(rng.randbytes(4)).to_bytes(4).hex() * rng.choice((1, 20))
        case 2:
            return "日本 é " + "x" * rng.choice((1, 200))
    return " ".join(f"w{rng.randrange(1000)}" for _ in range(rng.randint(1, 12)))
