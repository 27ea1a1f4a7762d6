"""Progress on standard error: shown on terminals only, and only for work that takes a while."""

import sys
import time
from typing import TYPE_CHECKING

from syntagma.cli import process
from syntagma.errors import as_line, visible

if TYPE_CHECKING:
    from rich.progress import Progress

# Seconds before progress is shown: shorter work needs none.
PATIENCE = 1.0

SHOW_CURSOR = "\x1b[?25h"  # hidden as long as a bar is shown


class Ticker:
    """Counts what is done; on a terminal, shows it after `PATIENCE` seconds.

    Without a `total`, count and rate are shown, but no bar.
    """

    def __init__(self, label: str, total: int | None = None, enabled: bool = True) -> None:
        self.count = 0
        self.total = total
        self._label = label
        self._enabled = enabled and sys.stderr is not None and sys.stderr.isatty()
        self._started = time.monotonic()
        self._progress: Progress | None = None  # of one task

    def __enter__(self) -> "Ticker":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._progress is not None:
            self._progress.stop()
            process.restore_terminal = ""

    def expect(self, total: int) -> None:
        """Set how many there are, before anything is shown."""
        self.total = total

    def advance(self) -> None:
        """Count one more."""
        self.reach(self.count + 1)

    def reach(self, count: int, total: int | None = None) -> None:
        """Set how many are done and, if it is known now, of how many."""
        self.count = count
        self.total = total or self.total
        if self._progress is not None:
            self._progress.update(self._progress.task_ids[0], completed=count, rate=self._rate())
        elif self._enabled and time.monotonic() - self._started > PATIENCE:
            self._show()

    def print(self, line: str) -> None:
        """Print a line on standard error, above the bar if there is one."""
        if self._progress is not None:
            console = self._progress.console
            console.print(as_line(line), highlight=False, markup=False, soft_wrap=True)
        else:
            print(as_line(line), file=sys.stderr)

    def restart(self) -> None:
        """Count from zero again."""
        self.count = 0
        self._started = time.monotonic()

    def relabel(self, label: str) -> None:
        """Change the label of the progress."""
        self._label = visible(label)
        if self._progress is not None:
            self._progress.update(self._progress.task_ids[0], description=self._label)

    def _rate(self) -> str:
        return rate(self.count, max(time.monotonic() - self._started, 1e-3))

    def _show(self) -> None:
        from rich import progress
        from rich.console import Console

        bar = [] if self.total is None else [progress.BarColumn()]
        time_column = progress.TimeRemainingColumn() if bar else progress.TimeElapsedColumn()
        self._progress = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            *bar,
            progress.MofNCompleteColumn(),
            "{task.fields[rate]}",
            time_column,
            console=Console(stderr=True),
        )
        self._progress.add_task(
            self._label, total=self.total, completed=self.count, rate=self._rate()
        )
        process.restore_terminal = SHOW_CURSOR + "\n"  # below the bar
        self._progress.start()


def rate(count: int, seconds: float) -> str:
    """How many are done per second or, of slow work, per minute or hour.

    >>> rate(90, 2.0), rate(1, 2.0), rate(3, 1800.0), rate(0, 9.0)
    ('45/s', '30/min', '6/h', '')
    """
    for unit, length in (("s", 1), ("min", 60), ("h", 3600)):
        if count * length >= seconds:
            return f"{count * length / seconds:.0f}/{unit}"
    return ""
