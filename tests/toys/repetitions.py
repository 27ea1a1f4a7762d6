"""How often tests repeat themselves with other random inputs: `make test THOROUGH=1` takes all."""

import os

THOROUGH = os.environ.get("SYNTAGMA_TESTS") == "thorough"
FEWEST = 20


def cases(all_of_them: int) -> int:
    """The number of random cases of a test: a quarter of them at hand, but not fewer than 20.

    The first cases are the same in both runs.
    """
    return all_of_them if THOROUGH else min(all_of_them, max(FEWEST, all_of_them // 4))
