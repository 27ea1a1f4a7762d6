"""Signals of processes that tests start."""

import signal


def restore_signals() -> None:
    """A shell starts what it runs in the background with some signals ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
