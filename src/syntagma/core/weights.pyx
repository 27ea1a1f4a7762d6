"""The weight table of a model: 8-byte slots, open addressing.

Training keeps a table of its own with averages in learning.pyx.
"""

from libc.stdint cimport uint32_t, uint64_t

import numpy as np

SLOT = np.dtype([("fingerprint", np.uint32), ("weight", np.float32)])


cdef class Weights:
    """A read-only table made of the two columns of a model file."""

    def __init__(self, fingerprints, weights):
        slots = len(fingerprints)
        if slots & (slots - 1) or slots == 0 or len(weights) != slots:
            raise ValueError("the weight table must have a power of two of slots")
        array = np.empty(slots, SLOT)
        array["fingerprint"] = fingerprints
        array["weight"] = weights
        cdef uint64_t[::1] view = array.view(np.uint64)
        self._array = array
        self.table.slots = <const Slot*>&view[0]
        self.table.mask = slots - 1

    def __len__(self):
        return int(np.count_nonzero(self._array["fingerprint"]))


def build_columns(keys, values, double load=0.5):
    """Lay features out in a table as small as `load` allows: (fingerprints, weights).

    A feature whose fingerprint already stands where it would be found is the same feature to the
    look-up: its weight is added there. Half of the slots stay empty: most look-ups are for features
    that are not there, and a fuller table makes them long.
    """
    cdef uint64_t slots = 16
    while slots * load < len(keys):
        slots *= 2
    cdef uint64_t mask = slots - 1, at
    cdef uint64_t[::1] key = np.ascontiguousarray(keys, np.uint64)
    cdef float[::1] value = np.ascontiguousarray(values, np.float32)
    fingerprints, weights = np.zeros(slots, np.uint32), np.zeros(slots, np.float32)
    cdef uint32_t[::1] f = fingerprints
    cdef float[::1] w = weights
    cdef Py_ssize_t i
    for i in range(key.shape[0]):
        at = key[i] & mask
        while f[at] and f[at] != fingerprint(key[i]):
            at = (at + 1) & mask
        f[at] = fingerprint(key[i])
        w[at] += value[i]
    return fingerprints, weights
