"""Results written to a shard as they are found: lines of text, or rows of a Parquet file."""

from __future__ import annotations

import gzip
import hashlib
import io
from typing import Any, BinaryIO, cast

from syntagma.batches.job import BatchJob
from syntagma.errors import missing_package
from syntagma.files.reading import Place
from syntagma.formats.results import Result, Results, write_results, write_scored
from syntagma.problem.word import TagColumn
from syntagma.results.linearization import Linearization
from syntagma.results.realization import NBest, Realization


class TextLines:
    """Results in one of the text formats, compressed or not."""

    def __init__(self, job: BatchJob, tag_column: TagColumn, file: Checked) -> None:
        self._job = job
        self._tag_column: TagColumn = tag_column
        self._file: Any = file
        if job.gzip:  # without a time and a name, equal contents are equal files
            self._file = gzip.GzipFile("", "wb", 6, cast(BinaryIO, file), mtime=0)

    def add(self, results: Results, place: Place) -> None:
        format = self._job.format
        assert format != "parquet"
        if self._job.request.operation == "score" and format == "text":
            assert isinstance(results, Linearization)
            text = write_scored(results)
        else:
            text = write_results(results, format, self._tag_column)
        self._file.write(text.encode())

    def close(self) -> None:
        if self._job.gzip:
            self._file.close()


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


# Names and types, as docs/guide/batch.md lists them.
COLUMNS = {
    "id": "string",  # of the problem
    "source": "string",
    "line": "int64",  # where the problem was found
    "rank": "int32",  # 1 for the best of an n-best list
    "text": "string",
    "score": "double",
    "syntax": "double",
    "fluency": "double",
    "finished": "bool",
    "narrowed": "bool",
    "forms": "list<string>",
    "tags": "list<string>",
    "heads": "list<int32>",
    "deprels": "list<string>",
    "order": "list<int32>",  # the words' places in the problem, counted from 1
    "space_after": "list<bool>",  # of detokenised sentences
}
_ATTRIBUTES = ("score", "fluency", "finished", "narrowed", "tags", "heads", "deprels", "order")
_ROWS = 4096  # of a row group


def import_pyarrow() -> Any:
    """The package pyarrow, with the module that writes Parquet."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise missing_package("the format parquet", "pyarrow", "batch", error) from error
    return pyarrow


class ParquetRows:
    """Writes results as rows."""

    def __init__(self, file: object) -> None:
        pyarrow = import_pyarrow()

        def type_of(kind: str) -> Any:
            if kind.startswith("list<"):
                return pyarrow.list_(type_of(kind[5:-1]))
            return pyarrow.type_for_alias(kind)

        self._schema = pyarrow.schema([(name, type_of(kind)) for name, kind in COLUMNS.items()])
        self._record_batch = pyarrow.RecordBatch
        self._writer = pyarrow.parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[dict[str, object]] = []

    def add(self, results: Results, place: Place) -> None:
        listed = results if isinstance(results, NBest) else [results]
        for rank, result in enumerate(listed, start=1):
            self._rows.append(_row(result, rank, place))
        if len(self._rows) >= _ROWS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_batch(
                self._record_batch.from_pylist(self._rows, schema=self._schema)
            )
            self._rows = []


def _row(result: Result, rank: int, place: Place) -> dict[str, object]:
    spelling = result.spelling if isinstance(result, Realization) else None
    found = result.linearization if isinstance(result, Realization) else result
    return {
        "id": found.problem.id,
        "source": place.source,
        "line": place.line,
        "rank": rank,
        "text": result.text,
        "syntax": None if found.fluency is None else found.syntax,
        "forms": found.words,
        "space_after": None if spelling is None else spelling.spaces,
        **{name: getattr(found, name) for name in _ATTRIBUTES},
    }


Writer = TextLines | ParquetRows


def open_writer(job: BatchJob, tag_column: TagColumn, file: Checked) -> Writer:
    """The writer of the format of a job; it takes the results of one problem at a time."""
    return ParquetRows(file) if job.format == "parquet" else TextLines(job, tag_column, file)
