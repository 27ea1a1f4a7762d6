"""How much time a problem has: see `_clock.pyx`."""

cdef class Clock:
    cdef double end         # when time is over, in steady_seconds
    cdef double latest      # when even what has begun is given up
    cdef object _cancelled
    cdef double _next_call
    cdef bint is_over(self) noexcept nogil
    cdef bint is_late(self) noexcept nogil
    cdef int look(self) except -1 nogil
    cdef int look_closely(self) except -1 nogil
