"""How much time a problem has, and whether anybody still waits for its result.

Every loop that may run for long looks at the clock, which costs little. Once time is over, a search
goes on with one state, so that it still ends with a sentence. A little later, time is up: what is
under way is given up, and the words that are left are placed unscored.
"""

from cpython.exc cimport PyErr_CheckSignals

from syntagma.transition._state cimport steady_seconds

from syntagma.errors import CancelledError

cdef double INFINITE = float("inf")
cdef double BETWEEN_CALLS = 0.02    # seconds

# From the end of the time to when it is up: these seconds, or this share of the limit.
cdef double GRACE = 0.05
cdef double SHARE_OF_GRACE = 0.1


class TimeIsUp(Exception):
    """Raised by loops that cannot end early with a result."""


cdef class Clock:
    """The time of a problem, in seconds or without a limit.

    `cancelled` is called now and then; once it returns true, `look` raises `CancelledError`.
    """

    def __init__(self, seconds=None, cancelled=None):
        cdef double limit
        self.end = self.latest = INFINITE
        if seconds is not None:
            limit = seconds
            self.end = steady_seconds() + limit
            self.latest = self.end + max(GRACE, SHARE_OF_GRACE * limit)
        self._cancelled = cancelled
        self._next_call = 0.0

    def part(self, int by):
        """The clock of the first of `by` searches that share what is left now."""
        cdef Clock other = Clock(None, self._cancelled)
        cdef double now = steady_seconds()
        other.end = now + max(0.0, self.end - now) / by
        other.latest = self.latest
        return other

    @property
    def limited(self):
        return self.end < INFINITE

    @property
    def over(self):
        return self.is_over()

    @property
    def late(self):
        return self.is_late()

    def check(self):
        """The same as `look_closely`, for Python."""
        self.look_closely()

    cdef bint is_over(self) noexcept nogil:
        return self.end < INFINITE and steady_seconds() >= self.end

    cdef bint is_late(self) noexcept nogil:
        return self.end < INFINITE and steady_seconds() >= self.latest

    cdef int look(self) except -1 nogil:
        """Raise if the problem was cancelled, or if a signal has come in whose handler raises, as
        that of Ctrl-C does."""
        cdef double now = steady_seconds()
        if now >= self._next_call:
            with gil:
                self._next_call = now + BETWEEN_CALLS
                PyErr_CheckSignals()
                if self._cancelled is not None and self._cancelled():
                    raise CancelledError("cancelled: nobody waits for the result")
        return 0

    cdef int look_closely(self) except -1 nogil:
        """The same; raise `TimeIsUp`, too, once it is late."""
        self.look()
        if self.is_late():
            with gil:
                raise TimeIsUp
        return 0


NO_LIMIT = Clock()
