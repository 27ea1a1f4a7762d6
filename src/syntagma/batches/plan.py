"""The plan of a batch job: its inputs and the shards that they are cut into.

A shard is a range of bytes of the decompressed file that holds a number of whole records: lines of
text or JSON, sentence blocks of CoNLL-U. The plan depends on the settings and on the inputs'
content only, so that every run of the job, on whatever machines, has the same shards. `formats`
reads the records in them.
"""

from __future__ import annotations

import codecs
import hashlib
import io
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import astuple, dataclass, replace
from typing import Any, BinaryIO, cast

from syntagma.batches.job import BatchJob, Input, Plan, Shard
from syntagma.batches.storage import input_mark, open_input, reason
from syntagma.errors import ArgumentError, FormatError, OutputError
from syntagma.files.reading import reading_faults, too_long, unpacked, unreadable
from syntagma.formats.problems import InputFormat, guess_format
from syntagma.problem.limits import MAX_LINE

_CHUNK = 1 << 20
_BUFFER = 1 << 16
_BLANK = (b"\n", b"\r\n", b"\r", b"")


def make_plan(files: Iterable[tuple[str, str]], job: BatchJob) -> Plan:
    """Cut these files, each a name and an address, into shards."""
    inputs: list[Input] = []
    shards: list[Shard] = []
    for source, address in files:
        found, cuts = _examine(source, address, job)
        shards += [
            Shard(len(shards) + index, len(inputs), *astuple(cut)) for index, cut in enumerate(cuts)
        ]
        inputs.append(found)
    if not shards:
        faults = [each for each in inputs if each.fault is not None]
        if faults:
            raise FormatError(faults[0].fault or "", faults[0].source, faults[0].fault_line)
        raise ArgumentError("the inputs are empty: there is no problem to solve")
    return Plan(tuple(inputs), tuple(shards))


def check_inputs(plan: Plan, files: list[tuple[str, str]], job: BatchJob, output: str) -> None:
    """Raise `OutputError` unless these files hold what the plan was made for.

    A file is read again only if its size or the time of its last change differ.
    """
    if len(files) != len(plan.inputs):
        count = len(plan.inputs)
        raise OutputError(
            f"{output} was made with {count} input file{'s' * (count != 1)}, now there are "
            f"{len(files)}: give the same inputs, or choose another output"
        )
    for (source, address), known in zip(files, plan.inputs, strict=True):
        if source == known.source and input_mark(address, source) == known.mark:
            continue
        again, _ = _examine(source, address, job)
        if replace(again, source=known.source, mark=known.mark) != known:
            raise OutputError(
                f"{source} is not what {output} was made with ({known.source}): give the same "
                "inputs, or choose another output"
            )


def _examine(source: str, address: str, job: BatchJob) -> tuple[Input, tuple[Cut, ...]]:
    """An input, and the ranges of records that it is cut into."""
    format, mark = _format(source, job), input_mark(address, source)
    found = cut_file(address, source, format, job.shard_size)
    checksums = "".join(cut.sha256 for cut in found.cuts)
    described = Input(
        source,
        format,
        mark,
        hashlib.sha256(checksums.encode()).hexdigest(),
        sum(cut.records for cut in found.cuts),
        None if found.fault is None else found.fault.message,
        None if found.fault is None else found.fault.line,
    )
    return described, found.cuts


def _format(source: str, job: BatchJob) -> InputFormat:
    """The format of an input: the one given, or the one that its name implies."""
    if job.input_format is not None:
        return job.input_format
    format = guess_format(source)
    if format == "sr11" or source.lower().endswith(".parquet"):
        raise FormatError("a batch job reads text, JSON lines and CoNLL-U, not this format", source)
    return format


@dataclass(frozen=True, slots=True)
class Cut:
    """A range of whole records: where it starts, in bytes and lines, and what it holds."""

    start: int
    size: int
    line: int  # of its first line, counted from 1
    records: int
    sha256: str


@dataclass(frozen=True, slots=True)
class CutFile:
    """A file cut into ranges of records, and what is wrong with it, if it ends early."""

    cuts: tuple[Cut, ...]
    fault: FormatError | None = None


def cut_file(address: str, source: str, format: InputFormat, records: int) -> CutFile:
    """Cut a file into ranges of this many records; the last one may have fewer.

    A file that is damaged is cut up to the damage. One that cannot be opened or read, such as a
    remote one when a connection breaks, raises `FormatError`.
    """
    cuts: list[Cut] = []
    cutter, fault = None, None
    with open_input(address, source) as raw:
        try:
            stream = unpacked(raw, source)
            packed = source if stream is not raw else None
            cutter = _Cutter(stream, blocks=format == "conllu", most=records, packed=packed)
            cuts.extend(cutter.cuts())
        except FormatError as error:  # a kind of archive that is not read, or a line without end
            fault = error
        except reading_faults() as error:
            if isinstance(error, OSError) and error.errno is not None:  # not one of the content
                raise FormatError(f"cannot read the file: {reason(error)}", source) from error
            fault = unreadable(error, source, cutter.line or None if cutter else None)
    if fault is not None and cutter is not None and cutter.records:
        with closing(SliceReader()) as reader:
            piece = reader.piece(address, cutter.start, cutter.end - cutter.start)
            while piece.read(_CHUNK):
                pass
        cuts.append(cutter.cut(piece.sha256))
    return CutFile(tuple(cuts), fault)


class _Cutter:
    """Walks over the lines of a stream and counts records."""

    def __init__(
        self, stream: BinaryIO, *, blocks: bool, most: int, packed: str | None = None
    ) -> None:
        """`packed` is the name of a compressed file, which is not read beyond a line that is longer
        than the limit."""
        self._stream = stream
        self._packed = packed
        self._blocks = blocks
        self._most = most
        self._digest = hashlib.sha256()
        self._pending: list[bytes] = []  # read, and not in the digest yet
        self._pending_size = 0
        self._position = 0
        self.line = 0  # the number of lines read
        self.start, self._first_line, self.records = 0, 1, 0  # of the cut under way
        self.end = 0  # of the last record that is complete

    def cuts(self) -> Iterator[Cut]:
        within = False  # a block that has begun
        readline = self._stream.readline
        while line := readline(MAX_LINE + 2):
            first = line.removeprefix(codecs.BOM_UTF8) if self.line == 0 else line
            if self._packed is not None and line[-1:] != b"\n" and len(line) > MAX_LINE + 1:
                raise too_long(self._packed, self.line + 1, packed=True)
            self._take(line)
            while line[-1:] != b"\n" and (line := readline(_CHUNK)):  # longer than the limit
                self._take(line)
            self.line += 1
            if self._blocks:
                blank = first in _BLANK
                ended, within = blank and within, not blank
            else:
                ended = True
            if ended:
                self.records += 1
                self.end = self._position
                if self.records == self._most:
                    yield self.cut(self._take_digest())
        if within:
            self.records += 1
            self.end = self._position
        if self.records:
            # Blank lines at the end of the file belong to no record, but to the last cut.
            self.end = self._position
            yield self.cut(self._take_digest())

    def cut(self, sha256: str) -> Cut:
        """What was read since the last cut."""
        found = Cut(self.start, self.end - self.start, self._first_line, self.records, sha256)
        self.start, self._first_line, self.records = self.end, self.line + 1, 0
        return found

    def _take(self, data: bytes) -> None:
        self._position += len(data)
        self._pending.append(data)
        self._pending_size += len(data)
        if self._pending_size > _CHUNK:
            self._flush()

    def _flush(self) -> None:
        self._digest.update(b"".join(self._pending))
        self._pending.clear()
        self._pending_size = 0

    def _take_digest(self) -> str:
        self._flush()
        digest, self._digest = self._digest, hashlib.sha256()
        return digest.hexdigest()


class SliceReader:
    """Reads ranges of bytes of files. The last file stays open, so that ranges that follow each
    other are read in one pass even if the file is compressed."""

    def __init__(self) -> None:
        self._address = ""
        self._raw: io.BufferedReader | None = None
        self._stream: Any = None  # a `BufferedReader` or a `GzipFile`
        self._position = 0

    def close(self) -> None:
        if self._raw is not None:
            self._raw.close()
        self._raw = self._stream = None

    def piece(self, address: str, start: int, size: int) -> Piece:
        """A range of the decompressed bytes of a file; read it before asking for another."""
        if self._stream is None or self._address != address or self._position > start:
            self.close()
            self._raw = open_input(address, address)
            self._stream = unpacked(self._raw, address)
            self._address, self._position = address, 0
        if self._raw is not None and self._stream is self._raw and self._raw.seekable():
            self._position = self._raw.seek(start)
        while self._position < start and self.read(min(_CHUNK, start - self._position)):
            pass  # if the file has become shorter, the checksum will not match
        return Piece(self, size)

    def read(self, size: int) -> bytes:
        """At most this many bytes, none at the end.

        The stream is asked for one buffer at a time, as `readline` does: what comes before the
        damage in an archive depends on how much is unpacked at once.
        """
        data: bytes = self._stream.read(min(size, len(self._stream.peek(1)))) if size else b""
        self._position += len(data)
        return data


class Piece(io.RawIOBase):
    """The bytes of a range, with their checksum as far as they are read."""

    def __init__(self, reader: SliceReader, size: int) -> None:
        self._reader = reader
        self._left = size
        self._digest = hashlib.sha256()
        self.fault: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._reader.read(min(len(buffer), self._left))
        except reading_faults() as error:
            self.fault = error
            raise
        self._left -= len(data)
        self._digest.update(data)
        buffer[: len(data)] = data
        return len(data)

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def lines(self) -> BinaryIO:
        """A buffered view, to read lines from."""
        return cast(BinaryIO, io.BufferedReader(self, _BUFFER))
