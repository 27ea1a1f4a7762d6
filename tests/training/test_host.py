"""Training leaves the process that it runs in as it found it, whether it succeeds or fails."""

from __future__ import annotations

import gc
import locale
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toys.treebank import write_treebank

from syntagma.errors import SyntagmaError
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.linear.settings import LinearSettings
from syntagma.neural.settings import NeuralSettings
from syntagma.training.language_model import train_lm
from syntagma.training.train import train

torch = pytest.importorskip("torch")


def state_of_the_host() -> dict[str, Any]:
    return {
        "random": random.getstate(),
        "numpy": repr(np.random.get_state()),
        "numpy errors": np.geterr(),
        "torch": torch.get_rng_state().tolist(),
        "torch threads": (torch.get_num_threads(), torch.get_num_interop_threads()),
        "torch numbers": (torch.get_default_dtype(), torch.is_grad_enabled()),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "filters": list(warnings.filters),
        "signals": [signal.getsignal(number) for number in sorted(signal.valid_signals())],
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), gc.get_threshold()),
        "hooks": (sys.excepthook, threading.excepthook, sys.stdout, sys.stderr),
        "threads": threading.active_count(),
    }


class Stop(Exception):
    pass


def stop(*_: object) -> None:
    raise Stop


NEURAL = NeuralSettings(epochs=1, realize=False)


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_treebank(tmp_path_factory.mktemp("treebank") / "toy.conllu")
    warm_up = path.with_name("warm-up")
    train(path, path, warm_up, settings=NEURAL)  # imports may do what training must not
    return path


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {"settings": NEURAL},
        {"settings": LinearSettings(epochs=1, beam=4)},
        {"settings": NEURAL, "on_start": stop},
        {"settings": NEURAL, "on_sentence": stop},
        {"settings": NEURAL, "on_epoch": stop},
        {"settings": NeuralSettings(epochs=1, realize=True)},
    ],
)
def test_train(treebank: Path, tmp_path: Path, options: dict[str, Any], threads: int) -> None:
    torch.set_num_threads(2)
    before = state_of_the_host()
    attempt(lambda: train(treebank, treebank, tmp_path / "m", threads=threads, **options))
    assert state_of_the_host() == before


def test_callbacks_see_the_threads_and_seeds_of_the_host(treebank: Path, tmp_path: Path) -> None:
    torch.set_num_threads(2)
    before = state_of_the_host()
    seen: list[dict[str, Any]] = []
    train(
        treebank,
        treebank,
        tmp_path / "m",
        settings=NEURAL,
        on_start=lambda _: seen.append(state_of_the_host()),
        on_epoch=lambda _: seen.append(state_of_the_host()),
    )
    assert seen == [before, before]


def test_train_lm(treebank: Path, tmp_path: Path) -> None:
    before = state_of_the_host()
    settings = LanguageModelSettings(prune=(0,), min_count=1)
    train_lm([treebank], tmp_path / "lm", settings=settings)
    attempt(lambda: train_lm([treebank], tmp_path / "lm", settings=settings, on_sentence=stop))
    assert state_of_the_host() == before


def attempt(work: Callable[[], object]) -> None:
    try:
        work()
    except (Stop, SyntagmaError):
        return
