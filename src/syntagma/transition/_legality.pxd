"""Legality of the actions of the transition system, in either order of arcs."""

from libc.stdint cimport uint64_t

from syntagma.transition._state cimport State, Task

cdef void legal_shifts(const Task* task, State* state, uint64_t* out) noexcept nogil
cdef bint legal_leftarc(const Task* task, State* state) noexcept nogil
cdef bint legal_rightarc(const Task* task, State* state) noexcept nogil
cdef int first_legal_shift(const Task* task, State* state, uint64_t* out) noexcept nogil
