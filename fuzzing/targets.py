"""What is fuzzed: the targets by name, and what a target must offer.

To add a target, write a class with `case` and `run` in a module of its own, and list it in TARGETS.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Protocol


class Target(Protocol):
    """One way to put input into Syntagma. A worker makes one target and runs many cases with it."""

    def case(self, rng: Random) -> bytes:
        """An input, drawn with `rng` alone: the same state of `rng` gives the same bytes. It must
        hold everything that `run` depends on, because it is what a finding is replayed from."""

    def run(self, data: bytes) -> None:
        """Feed the input to Syntagma. Anything raised is a finding: a target catches what a user
        is meant to see, such as `SyntagmaError`, and raises AssertionError where a promise is
        broken. A crash, a hang and too much memory are noticed from outside."""


def _lazily(module: str, name: str) -> Callable[[], Target]:
    """A worker imports only the module of its own target."""

    def make() -> Target:
        target: Target = getattr(import_module(f"fuzzing.{module}"), name)()
        return target

    return make


# A name before a slash stands for all targets whose names begin with it.
TARGETS: dict[str, Callable[[], Target]] = {
    "problems": _lazily("problems", "Problems"),
    "command-lines": _lazily("command_lines", "CommandLines"),
    "models/linear": _lazily("models", "linear"),
    "models/best-first": _lazily("models", "best_first"),
    "models/ccg": _lazily("models", "ccg"),
    "models/neural": _lazily("models", "neural"),
    "models/language-model": _lazily("models", "LanguageModelFiles"),
    "models/arpa": _lazily("models", "ArpaFiles"),
    "formats/text": _lazily("formats", "text"),
    "formats/jsonl": _lazily("formats", "jsonl"),
    "formats/conllu": _lazily("formats", "conllu"),
    "formats/sr": _lazily("formats", "shared_task"),
    "formats/auto": _lazily("formats", "auto"),
    "formats/penn": _lazily("penn", "PennFiles"),
    "formats/archives": _lazily("archives", "Archives"),
    "time-limits": _lazily("time_limits", "TimeLimits"),
    "messages": _lazily("messages", "Messages"),
    "pictures": _lazily("pictures", "Pictures"),
    "server/multipart": _lazily("server", "Multipart"),
}


def create(name: str) -> Target:
    return _lazily("faults", "Faults")() if name == "faults" else TARGETS[name]()


def names_of(name: str) -> list[str]:
    """The targets that a name stands for; none if it is unknown."""
    return [each for each in TARGETS if name in (each, each.partition("/")[0])]


def case_of(target: Target, name: str, seed: int, number: int) -> bytes:
    """The input of a case. Cases are numbered from 0; each has a random sequence of its own."""
    return target.case(Random(f"{name} {seed} {number}"))
