"""The global state of PyTorch, on which results depend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def torch_at_work(threads: int, seed: int) -> Iterator[None]:
    """PyTorch with these threads and this seed; its state is global, and is left as it was found.

    It draws random numbers on the CPU only.
    """
    threads_before = torch.get_num_threads()
    state_before = torch.get_rng_state()
    try:
        torch.set_num_threads(threads)
        torch.default_generator.manual_seed(seed % (1 << 63))
        yield
    finally:
        torch.set_rng_state(state_before)
        torch.set_num_threads(threads_before)
