"""Standard input, output and error made usable, even if the caller closed them."""

import io
import os
import sys


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
