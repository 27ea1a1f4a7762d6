"""Results written to a shard as they are found; Parquet is in `parquet`."""

from __future__ import annotations

import gzip
import hashlib
import io
from typing import Any, BinaryIO, Protocol, cast

from syntagma.batches.job import BatchJob
from syntagma.files.reading import Place
from syntagma.formats.results import DataFormat, Results, write_results, write_scored
from syntagma.problem.word import TagColumn
from syntagma.results.linearization import Linearization


class Writer(Protocol):
    """Takes the results of one problem at a time."""

    def add(self, results: Results, place: Place) -> None: ...
    def close(self) -> None: ...


def open_writer(job: BatchJob, tag_column: TagColumn, file: Checked) -> Writer:
    """The writer of the format of a job."""
    if job.format == "parquet":
        from syntagma.batches.parquet import ParquetRows

        return ParquetRows(file)
    return TextLines(job, job.format, tag_column, file)


class TextLines:
    """Results in one of the text formats, compressed or not."""

    def __init__(
        self, job: BatchJob, format: DataFormat, tag_column: TagColumn, file: Checked
    ) -> None:
        self._scored = job.task == "score" and format == "text"
        self._format: DataFormat = format
        self._tag_column: TagColumn = tag_column
        # Without a time and a name, equal contents are equal files.
        self._zipped = (
            gzip.GzipFile("", "wb", 6, cast(BinaryIO, file), mtime=0) if job.gzip else None
        )
        self._file: Any = self._zipped or file

    def add(self, results: Results, place: Place) -> None:
        if self._scored:
            assert isinstance(results, Linearization)
            text = write_scored(results)
        else:
            text = write_results(results, self._format, self._tag_column)
        self._file.write(text.encode())

    def close(self) -> None:
        if self._zipped is not None:
            self._zipped.close()


class Checked(io.RawIOBase):
    """A file that is written through, with its checksum and size."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._file.write(data)
        self._digest.update(data)
        size = memoryview(data).nbytes
        self.size += size
        return size

    def tell(self) -> int:
        return self.size

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()
