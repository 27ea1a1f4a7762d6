"""The names that slot tables use for addresses, sets and counts; _addresses.pxd defines them."""

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
