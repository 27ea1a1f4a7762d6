"""What holds for all tests: which check the workshop, how often random ones repeat themselves.

No test may fail because the machine is slow: hypothesis has no deadline.
"""

import os
from pathlib import Path

import pytest
from hypothesis import settings
from toys.repetitions import cases

# Before NumPy and PyTorch are imported: threads that wait take time from other workers.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

settings.register_profile("syntagma", deadline=None, max_examples=cases(100))
settings.load_profile("syntagma")

# Files and folders of tests that check what the project is made with, not what it does.
WORKSHOP = (
    "benchmarks",
    "server/page",
    "server/test_container.py",
    "server/test_nginx.py",
    "test_notebooks.py",
    "test_release.py",
)
_WORKSHOP = tuple(Path(__file__).parent / name for name in WORKSHOP)


@pytest.hookimpl(tryfirst=True)  # before pytest reads the markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.path.is_relative_to(place) for place in _WORKSHOP):
            item.add_marker(pytest.mark.workshop)
