"""Sets of tags or labels as atoms of features, exact for any number of members.

A set is a bit set in blocks of 64. Beside it, in as many blocks, stand the members that were added
more than once, so that one of them can be left out again.
"""

from libc.stdint cimport uint64_t

from syntagma.features._templates cimport fold


cdef inline void add_member(uint64_t* set, int blocks, int member) noexcept nogil:
    cdef uint64_t bit = <uint64_t>1 << (member & 63)
    set += member >> 6
    set[blocks] |= set[0] & bit
    set[0] |= bit


cdef inline void toggle_single(uint64_t* set, int blocks, int member) noexcept nogil:
    """Take out a member that was added once, or put it back."""
    set += member >> 6
    set[0] ^= ~set[blocks] & (<uint64_t>1 << (member & 63))


cdef inline uint64_t set_atom(const uint64_t* set, int blocks, bint* empty) noexcept nogil:
    """The atom of a set; members below 64 are hashed as one word, however many blocks there are.
    `empty` is cleared if the set has a member."""
    cdef uint64_t key = fold(1, set[0])
    cdef int i
    empty[0] = empty[0] and set[0] == 0
    for i in range(1, blocks):
        if set[i]:
            key = fold(fold(key, i), set[i])
            empty[0] = False
    return key | 1
