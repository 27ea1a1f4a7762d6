"""The orders that are read off a lattice of derivations."""

from libcpp.vector cimport vector

from syntagma.transition._clock cimport Clock
from syntagma.transition._state cimport Finished, Lattice

cdef bint list_orders(
    const Lattice* lattice, Clock clock, int n_best, vector[Finished]* finished
) except -1 nogil
