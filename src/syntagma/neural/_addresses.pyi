STATE_ADDRESSES: tuple[str, ...]
CANDIDATE_ADDRESSES: tuple[str, ...]
SET_NAMES: tuple[str, ...]
COUNT_NAMES: tuple[str, ...]
COUNT_BUCKETS: int
