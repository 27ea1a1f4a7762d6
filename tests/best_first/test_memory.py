"""No memory is an error that can be caught, wherever in a search it is noticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# The limit is set after everything is loaded. A search without a limit of its own runs into it.
SEARCH = """
import resource, sys
from pathlib import Path
from syntagma import load
from fuzzing import toys
from syntagma.models.container import write_container

write_container({path!r}, *toys.best_first("dependency"))
model = load({path!r}, search="best-first")
words = [f"{{form}}{{i}}" for i in range(40) for form in ("fox", "the")]
model.order(words[:4], expansions=10)
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + ({megabytes} << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    model.order(words, expansions=10**9, timeout=60)
except MemoryError:
    print("MemoryError")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("megabytes", [3, 8, 30])
def test_a_search_without_memory(tmp_path: Path, megabytes: int) -> None:
    script = SEARCH.format(path=str(tmp_path / "toy"), megabytes=megabytes)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=Path(__file__).parents[2],  # for `fuzzing`
    )
    assert (done.returncode, done.stdout.strip()) == (0, "MemoryError"), done.stderr
    assert "ignored" not in done.stderr
