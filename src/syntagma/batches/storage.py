"""Inputs and output folder of a batch job, on this machine or wherever fsspec can reach.

An address is a path, or a URL such as `s3://bucket/folder` with the extra `batch` installed.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import hashlib
import io
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from syntagma.errors import (
    ArgumentError,
    FormatError,
    OutputError,
    SyntagmaError,
    missing_package,
)
from syntagma.files.paths import as_paths, expand_paths
from syntagma.files.writing import sync_directory

UNFINISHED = "_unfinished"  # the folder of all that is not final
_CHUNK = 1 << 20
# What is taken from a folder if no format is given; a file that is named may have any extension.
_EXTENSION = re.compile(r"\.(txt|text|jsonl?|conllu)(\.gz|\.xz)?$", re.IGNORECASE)


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
    with _reading(source):
        if not is_remote(address):
            return open(address, "rb")
        system, path = file_system(address)
        return io.BufferedReader(_RemoteFile(system.open(path, "rb")), _CHUNK)


def input_mark(address: str, source: str) -> str:
    """What changes with a file, without reading it: its size and the time of its last change."""
    with _reading(source):
        if is_remote(address):
            system, path = file_system(address)
            return str(system.ukey(path))
        status = os.stat(address)
        if not stat.S_ISREG(status.st_mode):
            raise FormatError("not a regular file: a batch job reads it more than once", source)
        return f"{status.st_size}:{status.st_mtime_ns}"


@contextlib.contextmanager
def _reading(source: str, fault: str = "cannot read the file") -> Iterator[None]:
    try:
        yield
    except SyntagmaError:
        raise
    except Exception as error:  # fsspec's file systems raise errors of the libraries behind them
        raise FormatError(f"{fault}: {reason(error)}", source) from error


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


def find_inputs(
    inputs: object, output: str, *, any_extension: bool = False
) -> list[tuple[str, str]]:
    """Every input file once: its name for messages, and its address.

    Of a folder, the files at any depth whose names say that they are text, JSON lines or CoNLL-U,
    or with `any_extension` all of them, sorted; hidden files and those whose names begin with "_"
    are left out. So is what lies in the output folder, where a second run would find it; an input
    that has nothing else raises `OutputError`.
    """
    found: dict[str, tuple[str, str]] = {}  # by what identifies a file
    for given in as_paths(inputs, "inputs"):
        text = without_scheme(os.fspath(given))
        if text == "-":
            raise ArgumentError("a batch job reads files, not standard input: syntagma order does")
        names = _remote(text, any_extension) if is_remote(text) else _local(text, any_extension)
        outside = [name for name in names if not _is_within(name, output)]
        if names and not outside:
            raise OutputError(
                f"the input {names[0]} lies within the output folder {output}: choose another "
                "output"
            )
        for name in outside:
            readable = os.fsencode(name).decode(errors="replace")
            address = name if is_remote(name) else os.path.abspath(name)
            found.setdefault(_identity(name), (readable, address))
    if not found:
        raise ArgumentError("give at least one input: a file, a folder or a pattern")
    return [*found.values()]


def _local(text: str, any_extension: bool) -> list[str]:
    if os.path.isdir(text):
        return _in_folder(text, any_extension) or _nothing_in(text)
    files: list[str] = []
    for path in expand_paths([text], "inputs", folders=True):
        files += _in_folder(str(path), any_extension) if path.is_dir() else [str(path)]
    return files


def _in_folder(folder: str, any_extension: bool) -> list[str]:
    def refuse(error: OSError) -> NoReturn:
        raise FormatError(f"cannot be listed: {reason(error)}", error.filename) from error

    names = [
        os.path.relpath(os.path.join(place, name), folder)
        for place, _, files in os.walk(folder, onerror=refuse)
        for name in files
    ]
    paths = [os.path.join(folder, name) for name in _chosen(names, any_extension)]
    return [path for path in paths if os.path.isfile(path)]


def _remote(address: str, any_extension: bool) -> list[str]:
    system, path = file_system(address)
    with _reading(address, "cannot be listed"):
        if glob.has_magic(address) and not system.exists(path):
            found = sorted(str(each) for each in system.glob(path) if not system.isdir(each))
            if not found:
                raise FormatError("no file matches this pattern; check its spelling", address)
            return [str(system.unstrip_protocol(each)) for each in found]
        # To find out whether a page of the web is a folder, fsspec would read it.
        if not re.match("https?://.*[^/]$", address) and system.isdir(path):
            prefix = path.rstrip("/") + "/"
            names = (str(each).removeprefix(prefix) for each in system.find(path))
            chosen = _chosen(names, any_extension) or _nothing_in(address)
            return [f"{address.rstrip('/')}/{name}" for name in chosen]
    return [address]


def _chosen(names: Iterable[str], any_extension: bool) -> list[str]:
    return sorted(
        name
        for name in names
        if not any(part.startswith((".", "_")) for part in re.split(r"[/\\]", name))
        and (any_extension or _EXTENSION.search(name))
    )


def _nothing_in(folder: str) -> NoReturn:
    raise FormatError(
        "no file of this folder is named .txt, .jsonl or .conllu (or .gz, .xz of them); if the "
        "files have other names, give their format (--input-format)",
        folder,
    )


def _is_within(address: str, folder: str) -> bool:
    if is_remote(address) != is_remote(folder):
        return False
    separator = "/" if is_remote(folder) else os.sep
    inner, outer = _identity(address), _identity(folder).rstrip(separator)
    return inner == outer or inner.startswith(outer + separator)


def _identity(address: str) -> str:
    """What is the same for all addresses of a file."""
    if not is_remote(address):
        return os.path.realpath(address)
    system, path = file_system(address)
    return f"{system.protocol}:{path}"


class _Folder:
    """An output folder. Names of files are relative to it, with slashes."""

    address: str
    name: str  # for messages
    _FAULTS: type[Exception]

    @contextlib.contextmanager
    def _faults(self, verb: str, name: str) -> Iterator[None]:
        try:
            yield
        except SyntagmaError:
            raise
        except self._FAULTS as error:
            place = f"{self.name}/{name}" if name else self.name
            raise OutputError(f"cannot {verb} {place}: {reason(error)}") from error


class LocalFolder(_Folder):
    """A folder of this machine, or one that several machines mount."""

    _FAULTS = OSError

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.address = str(self.path)
        self.name = str(path)

    def make(self) -> None:
        with self._faults("write", ""):
            self.path.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def create(self, name: str) -> Iterator[BinaryIO]:
        """A new file, which counts for nothing until it is moved to its name."""
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
        """Write a small file that need not survive a crash of the machine."""
        path = self.path / name
        with self._faults("write", name):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def read(self, name: str) -> bytes | None:
        """The content of a file, None if there is none."""
        with self._faults("read", name):
            try:
                return (self.path / name).read_bytes()
            except FileNotFoundError:
                return None

    def holds(self, name: str, size: int, sha256: str) -> bool:
        """Whether a file is as it was written."""
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
        """Remove a file or a folder, if it is there."""
        path = self.path / name
        with self._faults("remove", name), contextlib.suppress(FileNotFoundError):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)


class RemoteFolder(_Folder):
    """A folder of an fsspec file system. An upload appears when it is complete."""

    _FAULTS = Exception  # of the libraries behind fsspec

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
        """Whether a file has its size; its content is not read."""
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


Storage = LocalFolder | RemoteFolder


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
