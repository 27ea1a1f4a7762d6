from syntagma.transition._clock import NO_LIMIT, Clock
from syntagma.transition._search import FoundTree, Search

def depth_first_search(
    search: Search, limit: int, clock: Clock = NO_LIMIT
) -> tuple[list[FoundTree], bool]: ...
