"""Progress on standard error: shown on terminals only, and only for work that takes a while."""

import sys
import time
from typing import TYPE_CHECKING

from syntagma.cli import signals

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# Seconds before progress is shown: shorter work needs none.
PATIENCE = 1.0

SHOW_CURSOR = "\x1b[?25h"  # hidden as long as a bar is shown


class Ticker:
    """Counts what is done; on a terminal, shows it after `PATIENCE` seconds.

    Without a `total`, count and rate are shown, but no bar.
    """

    def __init__(self, label: str, total: int | None = None, enabled: bool = True) -> None:
        self.count = 0
        self._label = label
        self._total = total
        self._enabled = enabled and sys.stderr is not None and sys.stderr.isatty()
        self._started = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> "Ticker":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._progress is not None:
            self._progress.stop()
            signals.restore_terminal = ""

    def expect(self, total: int) -> None:
        """Set how many there are, before anything is shown."""
        self._total = total

    def advance(self) -> None:
        """Count one more."""
        self.count += 1
        if not self._enabled:
            return
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=self.count, rate=self._rate())
        elif time.monotonic() - self._started > PATIENCE:
            self._show()

    def reach(self, count: int, total: int) -> None:
        """Set how many are done, of how many."""
        self._total = total
        self.count = count - 1
        self.advance()

    def print(self, line: str) -> None:
        """Print a line on standard error, above the bar if there is one."""
        if self._progress is not None:
            self._progress.console.print(line, highlight=False, markup=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr)

    def restart(self) -> None:
        """Count from zero again."""
        self.count = 0
        self._started = time.monotonic()

    def relabel(self, label: str) -> None:
        """Change the label of the progress."""
        self._label = label
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=label)

    def _rate(self) -> str:
        return rate(self.count, max(time.monotonic() - self._started, 1e-3))

    def _show(self) -> None:
        from rich import progress
        from rich.console import Console

        columns: list[str | progress.ProgressColumn] = [
            "{task.description}",
            progress.MofNCompleteColumn(),
            "{task.fields[rate]}",
        ]
        if self._total is None:
            columns.append(progress.TimeElapsedColumn())
        else:
            columns.insert(1, progress.BarColumn())
            columns.append(progress.TimeRemainingColumn())
        self._progress = progress.Progress(*columns, console=Console(stderr=True))
        self._task = self._progress.add_task(
            self._label, total=self._total, completed=self.count, rate=self._rate()
        )
        signals.restore_terminal = SHOW_CURSOR + "\n"  # below the bar
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
