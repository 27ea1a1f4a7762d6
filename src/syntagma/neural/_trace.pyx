"""The canonical derivation as the action scorer sees it. Only training imports this module."""

from libc.stdint cimport int32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

import numpy as np

from syntagma.neural._action_scorer import SET_NAMES

from syntagma.neural._action_scorer cimport (
    DEPENDENTS, FAMILY, N_CANDIDATE, N_COUNTS, N_SETS, N_STATE, PATH, UNPLACED, CandidateView,
    bucket, find_unplaced, resolve_candidate, resolve_family, resolve_state,
)
from syntagma.transition._search cimport Search
from syntagma.transition._legality cimport legal_leftarc, legal_rightarc, legal_shifts
from syntagma.transition._state cimport (
    LEFTARC, NONE, SHIFT, Action, SearchTask, State, Task, apply, has, mirror, reference_actions,
)


def trace(SearchTask search_task, order, heads, backward=False):
    """What the action scorer sees along the canonical derivation, as arrays of rows.

    If `backward`, the derivation is that of the sentence from right to left.

    Steps with only one legal action are left out. A step has its state addresses (`states`), its
    unplaced words, the legality of both arcs (`arcs`), and the index of the gold candidate
    (`chosen`; -1: LEFTARC, -2: RIGHTARC). A candidate has its step (`steps`), its addresses
    (`candidates`), its counts and the three other sets. A set is a pair of arrays: the members of
    all sets of that name one after the other, and the start of each set.
    """
    cdef const Task* task = &search_task.task
    cdef Search search = Search(search_task, 1)
    cdef State* state = search.current[0]
    cdef vector[int32_t] order_ = order, heads_ = heads, open_
    cdef vector[Action] gold
    cdef vector[int32_t] states, arcs, chosen, steps, candidates, counts
    cdef vector[int32_t] sets[N_SETS]
    cdef vector[int32_t] starts[N_SETS]
    cdef vector[int32_t] buffers, unplaced
    cdef int32_t at[N_STATE]
    cdef CandidateView view
    cdef int i, word, n_shifts, n_steps = 0, want
    cdef bint left, right, backward_ = backward
    buffers.resize(3 * task.n)
    view.family = buffers.data()
    view.dependents = buffers.data() + task.n
    view.path = buffers.data() + 2 * task.n
    unplaced.resize(task.n)
    with nogil:
        if backward_:
            mirror(task, &order_, &heads_)
        open_.assign(task.n, NONE)
        reference_actions(task, order_.data(), heads_.data(), open_.data(), open_.data(), &gold)
        for i in range(<int>gold.size()):
            legal_shifts(task, state, search.shifts)
            left = legal_leftarc(task, state)
            right = legal_rightarc(task, state)
            n_shifts = 0
            for word in range(task.n):
                n_shifts += has(search.shifts, word)
            if n_shifts + left + right > 1:
                resolve_state(task, state, at)
                states.insert(states.end(), at, at + N_STATE)
                collect(&sets[UNPLACED], &starts[UNPLACED], unplaced.data(),
                        find_unplaced(task, state, unplaced.data()))
                want = -1 if gold[i].kind == LEFTARC else -2
                for word in range(task.n):
                    if not has(search.shifts, word):
                        continue
                    if gold[i].kind == SHIFT and gold[i].word == word:
                        want = steps.size()
                    resolve_candidate(task, state, word, &view)
                    resolve_family(task, state, &view)
                    candidates.insert(candidates.end(), view.at, view.at + N_CANDIDATE)
                    counts.push_back(bucket(task.n - state.shifted))
                    counts.push_back(bucket(view.n_family))
                    counts.push_back(bucket(view.n_dependents))
                    counts.push_back(bucket(view.depth))
                    counts.push_back(view.side)
                    collect(&sets[FAMILY], &starts[FAMILY], view.family, view.n_family)
                    collect(&sets[DEPENDENTS], &starts[DEPENDENTS], view.dependents,
                            view.n_dependents)
                    collect(&sets[PATH], &starts[PATH], view.path, view.n_path)
                    steps.push_back(n_steps)
                arcs.push_back(left)
                arcs.push_back(right)
                chosen.push_back(want)
                n_steps += 1
            apply(task, state, gold[i])
    return {
        "states": to_array(&states).reshape(-1, N_STATE),
        "arcs": to_array(&arcs).reshape(-1, 2),
        "chosen": to_array(&chosen),
        "steps": to_array(&steps),
        "candidates": to_array(&candidates).reshape(-1, N_CANDIDATE),
        "counts": to_array(&counts).reshape(-1, N_COUNTS),
        **{name: (to_array(&sets[i]), to_array(&starts[i])) for i, name in enumerate(SET_NAMES)},
    }


cdef int collect(
    vector[int32_t]* members, vector[int32_t]* starts, const int32_t* words, int count
) except -1 nogil:
    starts.push_back(members.size())
    members.insert(members.end(), words, words + count)
    return 0


cdef to_array(vector[int32_t]* values):
    array = np.empty(values.size(), np.int32)
    cdef int32_t[::1] view = array
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(int32_t))
    return array
