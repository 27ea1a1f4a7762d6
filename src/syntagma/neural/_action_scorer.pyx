"""The slot table of the neural action scorer with its weights. The search with it is `_search`."""

from libcpp.vector cimport vector

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
