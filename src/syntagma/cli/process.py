"""The process of a command: signals that end it, and standard streams that it can rely on.

When a signal ends it, temporary files are removed and no traceback is shown. A dedicated thread
handles signals, even while the main thread is in compiled code. They never interrupt a step of
`files/temporary.py`.
"""

import io
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

# What is printed at the end: a line, or what a terminal needs. Set by commands.
farewell: Callable[[], str] = lambda: ""  # noqa: E731
restore_terminal = ""


def end_on_signals() -> None:
    """From now on, SIGINT, SIGTERM and SIGHUP end the process with exit code 130, 143 or 129.

    A signal that the caller had ignored, as `nohup` does, stays ignored.
    """
    wanted = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    wanted = [number for number in wanted if signal.getsignal(number) is not signal.SIG_IGN]
    if os.name != "posix":  # where only sockets can wake a thread
        for number in wanted:
            signal.signal(number, lambda number, frame: _end(number))
        return
    import _thread  # lighter than threading; the process ends without waiting for this thread

    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    _thread.start_new_thread(_wait, (reading, frozenset(wanted)))
    for number in wanted:
        signal.signal(number, _leave_it_to_the_thread)


def _leave_it_to_the_thread(number: int, frame: FrameType | None) -> None:
    pass


def _wait(reading: int, wanted: frozenset[int]) -> None:
    while True:
        for number in os.read(reading, 1):
            if number in wanted:
                _end(number)


def _end(number: int) -> None:
    try:
        # If it is not loaded, there are no temporary files.
        temporary = sys.modules.get("syntagma.files.temporary")
        if temporary is not None and hasattr(temporary, "abandon"):
            temporary.abandon()
        line = farewell()
        text = restore_terminal + (line + "\n" if line else "")
        if text:
            os.write(2, text.encode(errors="backslashreplace"))
    except OSError:
        pass  # nobody reads it
    finally:
        os._exit(128 + number)


def occupy_descriptors() -> None:
    """Keep files from being opened in place of closed standard streams, and written to."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def prepare_standard_streams() -> None:
    """Make closed streams harmless; end with exit code 2 if standard output is closed.

    A closed standard input is empty. Messages that cannot be written to standard error are lost.
    """
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO())
    if sys.stderr is None or (os.name == "posix" and sys.stderr is sys.__stderr__):
        sys.stderr = io.TextIOWrapper(
            _Messages(),
            encoding=getattr(sys.stderr, "encoding", "utf-8"),
            errors="backslashreplace",
            write_through=True,
        )
    if sys.stdout is None:
        print("error: standard output is closed", file=sys.stderr)
        sys.exit(2)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # as all formats are, whatever the locale


class _Messages(io.RawIOBase):
    """Standard error that never fails: messages to a full disk or a closed pipe are lost."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def isatty(self) -> bool:
        return os.isatty(2)

    def write(self, data: bytes) -> int:  # type: ignore[override]
        rest = memoryview(data).cast("B")
        size = len(rest)
        try:
            while rest:
                rest = rest[os.write(2, rest) :]
        except OSError:
            pass
        return size
