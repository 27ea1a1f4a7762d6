"""Allocation failure in a search is a `MemoryError`; the process goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Orders a bag with less and less memory to spare; prints what came of each try.
SCRIPT = """
import resource, sys
from pathlib import Path
from toys.models import toy_linearizer
from toys.network import toy_neural_linearizer
from toys.realizer import toy_realizing_linearizer

kind, words = sys.argv[1], int(sys.argv[2])
linearizer = {
    "linear": lambda: toy_linearizer("p16"),
    "neural": toy_neural_linearizer,
    "fluent": lambda: toy_realizing_linearizer("neural"),
}[kind]()
bag = [f"w{number % 50}" for number in range(words)]
small = linearizer.order(bag[:9], n_best=20)

def mapped():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()

hard = resource.getrlimit(resource.RLIMIT_AS)[1]
for spare in (0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64):
    resource.setrlimit(resource.RLIMIT_AS, (mapped() + int(spare * 2**20), hard))
    try:
        found = linearizer.order(bag, n_best=20, beam=256)
    except MemoryError:
        found = None
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    print("failed" if found is None else "done")
assert linearizer.order(bag[:9], n_best=20) == small
print("alive")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are Linux's")
@pytest.mark.parametrize(("kind", "words"), [("linear", 60), ("neural", 120), ("fluent", 60)])
def test_a_search_without_memory_fails_and_the_process_goes_on(kind: str, words: int) -> None:
    tests = Path(__file__).resolve().parents[1]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tests), *sys.path]),
        "OPENBLAS_NUM_THREADS": "1",
        # Otherwise freed memory is kept, and later tries need no more of it.
        "MALLOC_TRIM_THRESHOLD_": "0",
        "MALLOC_ARENA_MAX": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, kind, str(words)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr == ""  # no exception was ignored
    lines = done.stdout.split()
    assert lines[-1] == "alive"
    assert lines.count("failed") >= 2
