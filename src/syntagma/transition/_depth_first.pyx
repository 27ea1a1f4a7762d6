"""Depth-first search: the last resort where the whole beam came to a dead end.

That is possible only where order constraints meet a partial tree; see `beam`.
"""

from libc.stdint cimport int16_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.transition._clock cimport Clock
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport (
    Candidate, DeadStates, State, Task, copy_state, keep_best, keep_first_of_each_move, lay_out,
)

from syntagma.transition._clock import NO_LIMIT


cdef int state_key(const Task* task, const State* state, string* key) except -1 nogil:
    """What the legal continuations of a state depend on: stack, buffer, closed words."""
    cdef int i
    key.clear()
    for i in range(state.size):
        key.append(<const char*>&state.stack[i].word, sizeof(int16_t))
        if task.lazy:
            key.push_back(1 if state.stack[i].n_left else 0)
    key.append(<const char*>state.buffer, task.blocks * sizeof(uint64_t))
    key.push_back(1 if state.size and state.stack[state.size - 1].n_right else 0)
    if state.size:
        key.append(<const char*>&state.stack[state.size - 1].due, sizeof(int16_t))
    return 0


cdef bint depth_first(
    Search search, char* memory, int64_t limit, Clock clock, bint* exhausted
) except -1 nogil:
    """Look for one complete derivation, best action first, expanding at most `limit` states.

    One tag per word is enough, and a state that led nowhere is not tried again: legality does
    not depend on tags, labels, or how a stack was built. `memory` holds one state per step. On
    success the beam is that one state. `exhausted`: there was no need to stop at the limit.
    """
    cdef int64_t work = 0
    cdef int depth = 0, steps = 2 * search.task.n - 1
    cdef vector[vector[Candidate]] choices
    cdef vector[size_t] chosen
    cdef State* state
    cdef State* after
    cdef Candidate candidate
    cdef DeadStates dead
    cdef string key
    cdef bint found = False
    choices.resize(steps)
    chosen.assign(steps, 0)
    search.links.clear()
    state = <State*>memory
    lay_out(state, search.task.n, search.task.blocks)
    search.begin(state)
    exhausted[0] = True
    while depth >= 0:
        state = <State*>(memory + depth * search.bytes)
        if depth == steps:
            found = True
            break
        if chosen[depth] == 0:
            state_key(search.task, state, &key)
            if dead.holds(key):
                depth -= 1
                continue
            if work >= limit:
                exhausted[0] = False
                break
            work += 1
            clock.look_closely()
            search.candidates.clear()
            search.expand(state, 0)
            keep_best(search.candidates, search.candidates.size())
            keep_first_of_each_move(search.candidates)
            choices[depth] = search.candidates
        if chosen[depth] == choices[depth].size():
            state_key(search.task, state, &key)
            dead.add(key)
            chosen[depth] = 0
            depth -= 1
            continue
        candidate = choices[depth][chosen[depth]]
        chosen[depth] += 1
        after = <State*>(memory + (depth + 1) * search.bytes)
        lay_out(after, search.task.n, search.task.blocks)
        copy_state(search.task, state, after)
        search.take(after, &candidate)
        depth += 1
    if found:
        copy_state(search.task, state, search.current[0])
        for depth in range(steps):
            candidate = choices[depth][chosen[depth] - 1]
            state = <State*>(memory + (depth + 1) * search.bytes)
            search.link(depth - 1, &candidate, state)
        search.current[0].history = steps - 1
        search.size = 1
    return found


def depth_first_search(Search search, int64_t limit, Clock clock=NO_LIMIT):
    """(results, exhausted): one complete derivation if there is one within the work limit. Raises
    `TimeIsUp`."""
    cdef bint found, exhausted
    cdef char* memory = <char*>malloc(2 * search.task.n * search.bytes)
    if not memory:
        raise MemoryError()
    try:
        with nogil:
            found = depth_first(search, memory, limit, clock, &exhausted)
            if found:
                search.conclude(1)
    finally:
        free(memory)
    return (search.results(1) if found else []), exhausted
