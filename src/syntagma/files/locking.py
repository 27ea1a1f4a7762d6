"""Locks of output files: only one process at a time may work on the same output.

The operating system holds the locks, so that a process that was killed leaves none behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from syntagma.errors import OutputError, SyntagmaWarning, warn
from syntagma.files import temporary

_BUSY = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
_UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
_LOCKED_BYTE = 1 << 30  # on Windows: far beyond the content, which others may read


@contextlib.contextmanager
def locked(output: Path) -> Iterator[None]:
    """Hold the lock of the output of a training, which is a file `.<name>.lock` beside it.

    If another process or thread holds it, raise `OutputError`. Devices and pipes have no lock. On a
    file system without locks, warn.
    """
    target = Path(os.path.realpath(output))
    if target.exists() and not target.is_file():
        yield
        return
    with lock_file(target.with_name(f".{target.name}.lock"), output, "training"):
        yield


@contextlib.contextmanager
def lock_file(path: Path, output: Path, work: str, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock on a file, which is created; `output` and `work` are for messages.

    Several may share a lock. The file then stays until somebody has held the lock alone.
    """
    try:
        descriptor = _acquire(path, shared)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            reason = error.strerror or error
            raise OutputError(f"cannot write {output}: {path}: {reason}") from error
        message = f"the file system of {output} has no locks ({error.strerror})"
        warn(SyntagmaWarning(f"{message}: make sure that no other {work} writes this file"))
        temporary.remove(path)
        yield
        return
    if descriptor is None:
        busy = f"another {work} with this output is under way{_holder(path)}"
        raise OutputError(f"cannot write {output}: {busy}; wait for it, or choose another output")
    try:
        yield
    finally:
        if shared:
            os.close(descriptor)
        else:
            _release(path, descriptor)


def _acquire(path: Path, shared: bool) -> int | None:
    """The descriptor of the locked file, or None if somebody else has locked it."""
    while True:
        with temporary.undisturbed, contextlib.ExitStack() as unless_locked:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            unless_locked.callback(os.close, descriptor)
            if not _lock(descriptor, shared):
                return None
            # The last holder removes the file: a lock on a removed file protects nothing.
            if os.path.exists(path) and os.path.samestat(os.fstat(descriptor), os.stat(path)):
                if not shared:
                    os.truncate(descriptor, 0)
                    os.write(descriptor, f"{os.getpid()}\n".encode())
                    temporary.note(path)
                unless_locked.pop_all()
                return descriptor


def _release(path: Path, descriptor: int) -> None:
    with temporary.undisturbed:
        if os.name == "nt":  # where an open file cannot be removed
            os.close(descriptor)
            temporary.remove(path)
        else:
            temporary.remove(path)
            os.close(descriptor)


def _lock(descriptor: int, shared: bool) -> bool:
    """Lock a file; false if somebody else has. Windows knows no shared locks of this kind."""
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            import fcntl

            kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise
    return True


def _holder(path: Path) -> str:
    try:
        number = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return f" (process {number})" if number.isdecimal() else ""
