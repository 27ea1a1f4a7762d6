"""The slot table of the neural action scorer with its weights, and the trace of a derivation: what
the scorer sees in training. The search with it is `_search`.
"""

from libc.stdint cimport int32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

import numpy as np

from syntagma.transition._legality cimport legal_leftarc, legal_rightarc, legal_shifts
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport (
    LEFTARC, NONE, SHIFT, Action, SearchTask, State, Task, apply, has, mirror, reference_actions,
)

# The names that slot tables use for addresses, sets and counts; _action_scorer.pxd explains them.
STATE_ADDRESSES = (
    "S0", "S1", "S2", "S3", "S0l", "S0l2", "S0r", "S0r2", "S1l", "S1r", "w0", "w-1", "w-2",
    "S0h", "inner",
)
CANDIDATE_ADDRESSES = ("L", "Lh", "A", "Ah", "Ap", "B")
# The scorer adds up the vectors of a path, and averages those of the other sets.
SET_NAMES = ("unplaced", "family", "dependents", "path")
# At some addresses and in some sets only some words can stand: those with given dependents (heads),
# or those that have a given head, the root included, or given dependents (linked).
OCCUPANTS = {
    **dict.fromkeys(("S0h", "Lh", "Ah", "path"), "heads"),
    **dict.fromkeys(("inner", "B", "family", "dependents"), "linked"),
}
COUNT_NAMES = ("rest", "family", "dependents", "depth", "side")
COUNT_BUCKETS = BUCKETS

assert len(STATE_ADDRESSES) == N_STATE
assert len(CANDIDATE_ADDRESSES) == N_CANDIDATE
assert len(SET_NAMES) == N_SETS
assert len(COUNT_NAMES) == N_COUNTS

VECTOR_MULTIPLE = LANES     # the size of a hidden layer is a multiple of it

# Slots are grouped by the words that can stand there: those of OCCUPANTS, or any word. The slots of
# arcs are read only if some arc is not given: in a given tree, an arc is the only legal action or
# none.
GROUPS = ("any", "arcs", "linked", "heads")


cdef class ActionScorer:
    """A slot table with its weights.

    `state`, `arc`, `candidate` and `sets` name the slots. `pairs` are pairs (candidate address,
    address or set); each has a table of scores.
    """

    def __init__(
        self, state, arc, candidate, sets, pairs, counts, shift_out, arc_out, arc_bias
    ):
        cdef const float[:, :, ::1] counts_ = counts
        cdef const float[::1] shift_out_ = shift_out, arc_bias_ = arc_bias
        cdef const float[:, ::1] arc_out_ = arc_out
        cdef Pair pair
        cdef Slot slot
        cdef int i
        if counts.shape[:2] != (N_COUNTS, BUCKETS) or arc_out.shape[0] != 2 or len(arc_bias) != 2:
            raise ValueError("the shapes of the action scorer's weights do not fit its slots")
        self.hidden = counts_.shape[2]
        self.arc_hidden = arc_out_.shape[1]
        if self.hidden % LANES or self.arc_hidden % LANES or len(shift_out) != self.hidden:
            raise ValueError(f"hidden layers must hold a multiple of {LANES} units")
        if not arc:
            raise ValueError("arcs need at least one slot")
        self.groups = {group: [] for group in GROUPS}
        self.state = self.lay_out(state, STATE_ADDRESSES, self.hidden)
        self.arc = self.lay_out(arc, STATE_ADDRESSES, self.arc_hidden, "arcs")
        for i in range(N_CANDIDATE):
            self.candidate[i] = Slot(i, 0, -1)
        for slot in self.lay_out(candidate, CANDIDATE_ADDRESSES, self.hidden):
            self.candidate[slot.address] = slot
        for i in range(N_SETS):
            self.sets[i] = Slot(i, 0, -1)
        for slot in self.lay_out(sets, SET_NAMES, self.hidden):
            self.sets[slot.address] = slot
        self.n_pairs = len(pairs)
        self.unplaced_table = -1
        if len(set(pairs)) < len(pairs):
            raise ValueError("a pair is listed twice")
        for table, (left, right) in enumerate(pairs):
            pair.table = table
            pair.first = address_number(left, CANDIDATE_ADDRESSES)
            if right == "unplaced":
                if left != "L":
                    raise ValueError("only L can be paired with the unplaced words")
                self.unplaced_table = table
                continue
            if right in STATE_ADDRESSES:
                pair.kind, pair.second = OF_STATE, address_number(right, STATE_ADDRESSES)
            elif right in CANDIDATE_ADDRESSES:
                pair.kind, pair.second = OF_CANDIDATE, address_number(right, CANDIDATE_ADDRESSES)
            elif (left, right) in (("A", "family"), ("L", "dependents")):
                pair.kind, pair.second = OF_SET, address_number(right, SET_NAMES)
            else:
                raise ValueError(f"there is no pair of {left!r} and {right!r}")
            if left == "A" and right not in ("L", "Lh", "B"):
                self.family_pairs.push_back(pair)
            else:
                self.word_pairs.push_back(pair)
        self.counts = &counts_[0, 0, 0]
        self.shift_out = &shift_out_[0]
        self.arc_out = &arc_out_[0, 0]
        self.arc_bias = &arc_bias_[0]
        self._arrays = (counts, shift_out, arc_out, arc_bias)

    cdef vector[Slot] lay_out(self, chosen, names, int size, group=None) except *:
        """Slots of `size` columns each, after those that were laid out before."""
        cdef vector[Slot] slots
        if len(set(chosen)) < len(chosen):
            raise ValueError(f"a slot is listed twice in {', '.join(chosen)}")
        for name in chosen:
            number = address_number(name, names)
            among = group or OCCUPANTS.get(name, "any")
            columns = self.groups[among]
            slots.push_back(Slot(number, GROUPS.index(among), len(columns)))
            columns.extend(range(self.columns, self.columns + size))
            self.columns += size
        return slots


def address_number(name, names):
    """The number of an address, or of a set."""
    if name not in names:
        raise ValueError(f"there is no address {name!r}; there are {', '.join(names)}")
    return names.index(name)


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
