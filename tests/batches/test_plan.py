"""Files cut into shards: whatever they hold, the pieces are read as the whole file is."""

import errno
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from syntagma.batches import plan
from syntagma.batches.plan import CutFile, SliceReader, cut_file
from syntagma.errors import FormatError
from syntagma.files.reading import decoded_lines
from syntagma.formats.problems import place_of, problems_of, read_problems

Format = Literal["conllu", "jsonl", "text"]

LINES = {
    "text": ["the dog", "", " ", "\ufeffw", "caf\u00e9 \u2028 x", "\t", "BZh9", "x" * 30],
    "jsonl": ['["a", "b"]', "", "{", '{"words": ["x"], "id": "s"}', "\ufeff[]"],
    "conllu": ["# sent_id = 1", "1\ta" + "\t_" * 8, "2\tb" + "\t_" * 8, "", "", "", "junk", " "],
}


def described(item: object, shift: int = 0) -> tuple[object, ...]:
    if isinstance(item, FormatError):
        return item.message, None if item.line is None else item.line + shift
    place = place_of(item)  # type: ignore[arg-type]
    assert place is not None
    assert place.line is not None
    return item, place.line + shift


def whole(path: Path, format: Format) -> list[tuple[object, ...]]:
    read = [described(item) for item in read_problems(path, format)]
    return [] if read == [("empty file: no problems", None)] else read


def in_pieces(path: Path, format: Format, found: CutFile) -> list[tuple[object, ...]]:
    read: list[tuple[object, ...]] = []
    with closing(SliceReader()) as reader:
        for cut in found.cuts:
            piece = reader.piece(str(path), cut.start, cut.size)
            lines = decoded_lines(piece.lines(), str(path), from_start=cut.start == 0)
            items = [*problems_of(lines, str(path), format)]
            assert len(items) == cut.records
            assert piece.sha256 == cut.sha256
            read += [described(item, cut.line - 1) for item in items]
    return read


@settings(max_examples=60)
@given(st.data())
def test_pieces_hold_the_records_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    format: Format = data.draw(st.sampled_from(["conllu", "jsonl", "text"]))
    lines = data.draw(st.lists(st.sampled_from(LINES[format]), max_size=12))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    content = (end.join(lines) + data.draw(st.sampled_from(["", end]))).encode()
    content = data.draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + content
    content += data.draw(st.sampled_from([b"", b"\xff\n\n"]))
    assume(not content.startswith(b"BZh"))
    size = data.draw(st.integers(1, 4))
    folder = tmp_path_factory.getbasetemp()
    plain, packed = folder / "plain", folder / "packed"
    plain.write_bytes(content)
    zipped = data.draw(st.booleans())
    packed.write_bytes(gzip.compress(content) if zipped else lzma.compress(content))
    found = cut_file(str(plain), str(plain), format, size)
    assert in_pieces(plain, format, found) == whole(plain, format)
    assert all(cut.records == size for cut in found.cuts[:-1])
    assert cut_file(str(packed), str(packed), format, size) == found
    in_pieces(packed, format, found)


def test_a_long_line_is_one_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("syntagma.batches.plan", "syntagma.files.reading"):
        monkeypatch.setattr(f"{module}.MAX_LINE", 8)
    path = tmp_path / "bags.txt"
    path.write_text("a b\n" + "x" * 50 + "\n" + "y" * 9 + "\n" + "z" * 8 + "\nc\n")
    found = cut_file(str(path), str(path), "text", 2)
    assert [cut.records for cut in found.cuts] == [2, 2, 1]
    assert in_pieces(path, "text", found) == whole(path, "text")


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_compressed_file_is_cut_up_to_a_line_that_is_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    for module in ("syntagma.batches.plan", "syntagma.files.reading"):
        monkeypatch.setattr(f"{module}.MAX_LINE", 8)
    path = tmp_path / "bags"
    path.write_bytes(pack(b"a b\n" + b"y" * 9 + b"\nc\nd\n" + b"x" * 50 + b"\ne\n"))
    found = cut_file(str(path), str(path), "text", 3)
    assert [cut.records for cut in found.cuts] == [3, 1]
    assert found.fault is not None
    assert "5: the line is longer than the limit" in str(found.fault)
    assert str(found.fault).endswith("a compressed file is not read beyond such a line")
    assert len(in_pieces(path, "text", found)) == 4
    assert len(whole(path, "text")) == 5  # with the fault


def test_pieces_are_found_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "bags.txt.gz"
    path.write_bytes(gzip.compress(b"".join(b"w%d\n" % number for number in range(100))))
    cuts = [*cut_file(str(path), "bags", "text", 7).cuts]
    Random(1).shuffle(cuts)
    with closing(SliceReader()) as reader:
        for cut in cuts:
            first = reader.piece(str(path), cut.start, cut.size).lines().readline()
            assert first == b"w%d\n" % (cut.line - 1)


@pytest.mark.parametrize("format", ["text", "conllu"])
def test_a_damaged_archive_is_cut_up_to_the_damage(tmp_path: Path, format: Format) -> None:
    rng = Random(1)  # lines that cannot be compressed, so that the file ends within them
    block = "1\t%s" + "\t_" * 8 + "\n\n" if format == "conllu" else "%s\n"
    content = "".join(block % rng.randbytes(99).hex() for _ in range(200)).encode()
    path = tmp_path / "cut"
    path.write_bytes(gzip.compress(content)[:-5000])
    found = cut_file(str(path), "cut", format, 50)
    assert found.fault is not None
    assert "damaged or cut off" in found.fault.message
    records = sum(cut.records for cut in found.cuts)
    assert 50 < records < 200
    assert found.cuts[-1].records == records % 50
    read = in_pieces(path, format, found)
    assert all(not isinstance(item, str) for item, _ in read)  # only whole records


def test_what_precedes_damage_is_read_however_much_is_unpacked_at_once(tmp_path: Path) -> None:
    rng = Random(1)
    packer, packed, starts = zlib.compressobj(wbits=31), b"", []
    for number in range(400):
        packed += packer.compress(f"{rng.randbytes(99).hex()}\n".encode())
        if number % 20 == 19:
            packed += packer.flush(zlib.Z_FULL_FLUSH)
            starts.append(len(packed))  # of a block of deflate
    path = tmp_path / "damaged"
    for start in starts[3:-1:3]:
        path.write_bytes(packed[:start] + b"\xff" + packed[start + 1 :])  # of no known type
        found = cut_file(str(path), "damaged", "text", 60)
        assert found.fault is not None
        assert "invalid block type" in found.fault.message
        assert found.cuts
        in_pieces(path, "text", found)


def test_a_file_that_cannot_be_read_is_not_taken_for_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            if self.tell_of_fault:
                raise OSError(errno.ECONNRESET, "Connection reset by peer")
            self.tell_of_fault = True
            buffer[:4] = b"a b\n"
            return 4

        tell_of_fault = False

    monkeypatch.setattr(plan, "open_input", lambda *names: io.BufferedReader(Broken()))
    with pytest.raises(FormatError, match=r"^bags: cannot read the file: Connection reset"):
        cut_file("bags", "bags", "text", 50)


def test_a_foreign_archive_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "bags.bz2"
    path.write_bytes(b"BZh91AY")
    found = cut_file(str(path), "bags.bz2", "text", 50)
    assert found.cuts == ()
    assert found.fault is not None
    assert "bzip2" in found.fault.message
