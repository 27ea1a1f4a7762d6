"""Files of a batch job by address: on this machine, or wherever fsspec can reach.

An address is a path, or a URL such as `s3://bucket/folder` with the extra `batch` installed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from syntagma.errors import FormatError, OutputError, SyntagmaError, missing_package
from syntagma.files.writing import sync_directory

UNFINISHED = "_unfinished"  # the folder of all that is not final
_CHUNK = 1 << 20


def is_remote(address: str) -> bool:
    """Whether an address is one for fsspec."""
    return "://" in address


def without_scheme(address: str) -> str:
    """A URL of a local file as a path; any other address as it is."""
    path = address.removeprefix("file://")
    if os.name == "nt" and path != address:
        path = path.removeprefix("/")  # file:///C:/folder
    return path


def open_input(address: str, source: str) -> io.BufferedReader:
    """Open a file for reading; one that cannot be opened raises `FormatError`, which names its
    `source`."""
    with _reading_input(source):
        if not is_remote(address):
            return open(address, "rb")
        system, path = file_system(address)
        return io.BufferedReader(_RemoteFile(system.open(path, "rb")), _CHUNK)


def input_mark(address: str, source: str) -> str:
    """What changes with a file, without reading it: its size and the time of its last change."""
    with _reading_input(source):
        if is_remote(address):
            system, path = file_system(address)
            return str(system.ukey(path))
        status = os.stat(address)
        if not stat.S_ISREG(status.st_mode):
            raise FormatError("not a regular file: a batch job reads it more than once", source)
        return f"{status.st_size}:{status.st_mtime_ns}"


@contextlib.contextmanager
def _reading_input(source: str) -> Iterator[None]:
    try:
        yield
    except SyntagmaError:
        raise
    except Exception as error:  # fsspec's file systems raise errors of the libraries behind them
        raise FormatError(f"cannot read the file: {reason(error)}", source) from error


def file_system(address: str) -> tuple[Any, str]:
    """The file system of a remote address, and the path in it."""
    try:
        import fsspec.core
    except ImportError as error:
        raise missing_package(f"the address {address}", "fsspec", "batch", error) from error
    try:
        system, path = fsspec.core.url_to_fs(address)
    except ImportError as error:  # of the package for this kind of address, such as s3fs
        raise OutputError(f"{address}: {error}") from error
    except ValueError as error:  # a protocol that fsspec does not know
        raise FormatError(f"not an address that fsspec knows: {error}", address) from error
    return system, str(path)


def reason(error: Exception) -> str:
    """What went wrong, on one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(text).splitlines())


class _RemoteFile(io.RawIOBase):
    """A file of fsspec whose faults are `OSError`, whatever library they come from."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        with self._faults():
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        with self._faults():
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise OSError(errno.EIO, reason(error)) from error


class Storage(Protocol):
    """The output folder. Names are relative to it, with slashes."""

    address: str
    name: str  # for messages

    def make(self) -> None: ...
    def create(self, name: str) -> contextlib.AbstractContextManager[BinaryIO]:
        """A new file, which counts for nothing until it is moved to its name."""
        ...

    def move(self, old: str, new: str) -> None: ...
    def jot(self, name: str, content: bytes) -> None:
        """Write a small file that need not survive a crash of the machine."""
        ...

    def read(self, name: str) -> bytes | None:
        """The content of a file, None if there is none."""
        ...

    def holds(self, name: str, size: int, sha256: str) -> bool:
        """Whether a file is as it was written; of a remote one, only the size is compared."""
        ...

    def names(self, folder: str = "") -> list[str]: ...
    def remove(self, name: str) -> None:
        """Remove a file or a folder, if it is there."""
        ...


def open_storage(address: str | os.PathLike[str]) -> Storage:
    """The storage of an output folder."""
    text = without_scheme(os.fspath(address))
    return RemoteFolder(text) if is_remote(text) else LocalFolder(Path(text))


def save(storage: Storage, name: str, content: bytes) -> None:
    """Write a file whole or not at all."""
    new = f"{UNFINISHED}/new-{os.urandom(4).hex()}"
    with storage.create(new) as file:
        file.write(content)
    storage.move(new, name)


class LocalFolder:
    """A folder of this machine, or one that several machines mount."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.address = str(self.path)
        self.name = str(path)

    def make(self) -> None:
        with self._faults("write", ""):
            self.path.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def create(self, name: str) -> Iterator[BinaryIO]:
        path = self.path / name
        with self._faults("write", name):
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())

    def move(self, old: str, new: str) -> None:
        path = self.path / new
        with self._faults("write", new):
            if not (self.path / old).exists():
                raise OutputError(
                    f"cannot write {new}: {self.path / old} is not there, where a worker wrote it; "
                    "all machines must share the output folder"
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.path / old, path)
            sync_directory(path.parent)

    def jot(self, name: str, content: bytes) -> None:
        path = self.path / name
        with self._faults("write", name):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def read(self, name: str) -> bytes | None:
        with self._faults("read", name):
            try:
                return (self.path / name).read_bytes()
            except FileNotFoundError:
                return None

    def holds(self, name: str, size: int, sha256: str) -> bool:
        path = self.path / name
        with self._faults("read", name):
            if not path.is_file() or path.stat().st_size != size:
                return False
            with open(path, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == sha256

    def names(self, folder: str = "") -> list[str]:
        with self._faults("read", folder):
            try:
                return sorted(os.listdir(self.path / folder))
            except FileNotFoundError:
                return []

    def remove(self, name: str) -> None:
        path = self.path / name
        with self._faults("remove", name), contextlib.suppress(FileNotFoundError):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)

    @contextlib.contextmanager
    def _faults(self, verb: str, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            place = os.path.join(self.name, name) if name else self.name
            raise OutputError(f"cannot {verb} {place}: {reason(error)}") from error


class RemoteFolder:
    """A folder of an fsspec file system. An upload appears when it is complete."""

    def __init__(self, address: str) -> None:
        self.address = self.name = address.rstrip("/")
        self._system, self._root = file_system(self.address)

    def make(self) -> None:
        with self._faults("write", ""):
            self._system.makedirs(self._root, exist_ok=True)

    @contextlib.contextmanager
    def create(self, name: str) -> Iterator[BinaryIO]:
        with self._faults("write", name):
            self._system.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)
            with self._system.open(self._path(name), "wb") as file:
                yield file

    def move(self, old: str, new: str) -> None:
        with self._faults("write", new):
            self._system.makedirs(self._path(new).rpartition("/")[0], exist_ok=True)
            self._system.mv(self._path(old), self._path(new))

    def jot(self, name: str, content: bytes) -> None:
        with self.create(name) as file:
            file.write(content)

    def read(self, name: str) -> bytes | None:
        with self._faults("read", name):
            try:
                return bytes(self._system.cat_file(self._path(name)))
            except FileNotFoundError:
                return None

    def holds(self, name: str, size: int, sha256: str) -> bool:
        with self._faults("read", name):
            try:
                return int(self._system.size(self._path(name))) == size
            except FileNotFoundError:
                return False

    def names(self, folder: str = "") -> list[str]:
        with self._faults("read", folder):
            self._system.invalidate_cache()
            try:
                found = self._system.ls(self._path(folder), detail=False)
            except FileNotFoundError:
                return []
            paths = {str(each).rstrip("/") for each in found}
            paths.discard(self._path(folder).rstrip("/"))  # object stores may list it
            return sorted(path.rpartition("/")[2] for path in paths)

    def remove(self, name: str) -> None:
        with self._faults("remove", name), contextlib.suppress(FileNotFoundError):
            self._system.rm(self._path(name), recursive=True)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    @contextlib.contextmanager
    def _faults(self, verb: str, name: str) -> Iterator[None]:
        try:
            yield
        except SyntagmaError:
            raise
        except Exception as error:  # file systems raise errors of the libraries behind them
            place = f"{self.address}/{name}".rstrip("/")
            raise OutputError(f"cannot {verb} {place}: {reason(error)}") from error
