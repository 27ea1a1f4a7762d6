"""Arrays in temporary files, processed in blocks: n-gram tables may be larger than memory.

Used by `counting` and `kneser_ney`.
"""

from __future__ import annotations

import array
import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from syntagma.errors import TrainingError
from syntagma.files.temporary import temporary_folder

_BYTES_PER_ITEM = 64  # of all arrays of a block that are in memory at the same time
_MIN_BLOCK = 8

UInt32 = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Scratch:
    """A folder of temporary arrays, and the number of items to process at a time."""

    folder: Path
    block: int

    def zeros(self, size: int, dtype: type[np.generic]) -> npt.NDArray[Any]:
        """An array backed by a file, which disappears with the array."""
        if not size:
            return np.zeros(0, dtype)
        with self._file() as stream, self._named_errors():
            size_in_bytes = size * np.dtype(dtype).itemsize
            if hasattr(os, "posix_fallocate"):  # a full disk is an error now, not a crash later
                os.posix_fallocate(stream.fileno(), 0, size_in_bytes)
            else:
                stream.truncate(size_in_bytes)
            return np.memmap(stream, dtype, "r+")

    def spill(self, chunks: Iterable[array.array[int]]) -> UInt32:
        """All chunks of 32-bit numbers as one array."""
        with self._file() as stream:
            for chunk in chunks:
                with self._named_errors():
                    chunk.tofile(stream)
            with self._named_errors():
                stream.flush()
            return np.memmap(stream, np.uint32, "r+") if stream.tell() else np.zeros(0, np.uint32)

    def blocks(self, size: int) -> Iterator[slice]:
        for start in range(0, size, self.block):
            yield slice(start, min(start + self.block, size))

    @contextlib.contextmanager
    def _file(self) -> Iterator[IO[bytes]]:
        with self._named_errors():
            handle, name = tempfile.mkstemp(dir=self.folder)
        with open(handle, "w+b") as stream:
            yield stream
        with contextlib.suppress(OSError):  # some systems cannot remove a mapped file
            os.unlink(name)

    @contextlib.contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise _cannot_write(self.folder.parent, error) from error


@contextlib.contextmanager
def open_scratch(directory: Path | None, memory: int) -> Iterator[Scratch]:
    parent = Path(tempfile.gettempdir()) if directory is None else directory
    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(temporary_folder(parent))
        except OSError as error:
            raise _cannot_write(parent, error) from error
        yield Scratch(folder, max(memory // _BYTES_PER_ITEM, _MIN_BLOCK))


def _cannot_write(directory: Path, error: OSError) -> TrainingError:
    return TrainingError(
        f"cannot write temporary files in {directory}: {error.strerror or error}; "
        "give another directory"
    )
