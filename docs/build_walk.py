"""Writes the walk of a sentence in docs/architecture.md by watching one being ordered: `make docs`.

A call is on the walk if the sentence goes in and comes out, if it gets the finished line, or if it
makes such a call. The sentence is, one after the other, a list of words, a `Problem`, an
`Encoding`, its `WordVectors`, a search, a `FoundTree`, a `Linearization` and a line of text; a
collection or an iterator of these counts, too. Checks, look-ups and helpers that compute a part of
something return none of these, so they are not on the walk. Comprehensions are not calls. A
function that is called twice is listed once. Calls of compiled functions are not seen. A test fails
when the page is stale.
"""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from types import CodeType, FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- walk: begin -->", "<!-- walk: end -->"
WIDTH = 118
WORDS = ["dog", "the", "barked"]
LINE = "the dog barked"
SHAPES = {"Problem", "Encoding", "WordVectors", "FoundTree", "Linearization", "NBest"}
COMPREHENSION = re.compile(r"<(genexpr|\w+comp)>$")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")


class Step(NamedTuple):
    module: str
    function: str
    description: str


class Walk:
    """The calls of the package that the sentence passes through, in the order in which it does."""

    def __init__(self, package: Path) -> None:
        self.package = f"{package.as_posix()}/"
        self.calls: dict[CodeType, None] = {}
        self.passed: set[CodeType] = set()

    def watch(self, frame: FrameType, event: str, value: object) -> None:
        """A profile function: see `sys.setprofile`."""
        code = frame.f_code
        if not self._counts(code):
            return
        if event == "call" and code not in self.passed:
            self.calls.pop(code, None)  # the sentence did not pass through an earlier call
            self.calls[code] = None
        elif event == "return":
            given = arguments(frame)
            passes = holds_sentence(value) and any(map(holds_sentence, given))
            if passes or any(map(is_line, given)):
                self.passed |= {code, *self._callers(frame)}

    def steps(self) -> list[Step]:
        return [
            Step(self._path(code), code.co_qualname, description(code))
            for code in self.calls
            if code in self.passed
        ]

    def _callers(self, frame: FrameType) -> Iterator[CodeType]:
        caller = frame.f_back
        while caller is not None:
            if self._counts(caller.f_code):
                yield caller.f_code
            caller = caller.f_back

    def _counts(self, code: CodeType) -> bool:
        is_ours = Path(code.co_filename).as_posix().startswith(self.package)
        return is_ours and code.co_name != "<module>" and not COMPREHENSION.search(code.co_name)

    def _path(self, code: CodeType) -> str:
        return Path(code.co_filename).as_posix().removeprefix(self.package)


def arguments(frame: FrameType) -> list[Any]:
    values = inspect.getargvalues(frame)
    return [values.locals.get(name) for name in values.args]


def is_line(value: Any) -> bool:
    return isinstance(value, str) and value.strip() == LINE


def holds_sentence(value: Any) -> bool:
    """Whether a value is the sentence, in any of its shapes, or a collection of them."""
    name = type(value).__name__
    if name in SHAPES or name.endswith("Search"):
        return True
    if isinstance(value, list | tuple):
        return value == WORDS or (len(value) > 0 and holds_sentence(value[0]))
    if isinstance(value, str):
        return is_line(value)
    return hasattr(value, "__next__") and type(value).__module__ in {"builtins", "itertools"}


def description(code: CodeType) -> str:
    """The first sentence of the docstring; nothing for a function within a function."""
    value: Any = next(
        module
        for module in sys.modules.values()
        if getattr(module, "__file__", None) == code.co_filename
    )
    for name in code.co_qualname.split("."):
        value = getattr(value, name, None)
    if value is None:
        return ""
    paragraph = " ".join(inspect.cleandoc(value.__doc__ or "").partition("\n\n")[0].split())
    return SENTENCE_END.split(paragraph)[0]


def watch() -> None:
    """Order the sentence in this process, and write the steps to standard error, as JSON."""
    import syntagma
    from syntagma.cli import main

    walk = Walk(Path(syntagma.__file__).parent)
    sys.argv = ["syntagma", "order", *WORDS]
    sys.setprofile(walk.watch)
    try:
        main()
    finally:
        sys.setprofile(None)
        json.dump(walk.steps(), sys.stderr)


def steps() -> list[Step]:
    """The steps of the walk, in a fresh process."""
    run = subprocess.run(
        [sys.executable, __file__, "--watch"], capture_output=True, encoding="utf-8", check=True
    )
    return [Step(*step) for step in json.loads(run.stderr)]


def walk() -> str:
    """The steps as a numbered list."""
    lines = []
    for number, step in enumerate(steps(), 1):
        text = f"{number}. `{step.module}: {step.function}`"
        if step.description:
            text += f" \N{EN DASH} {step.description}"
        indent = " " * len(f"{number}. ")
        lines += wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join(lines)


def page(written: str) -> str:
    """The page with its list replaced."""
    before, _, rest = written.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{walk()}\n\n{END}{after}"


if __name__ == "__main__":
    if "--watch" in sys.argv:
        watch()
    else:
        TARGET.write_text(page(TARGET.read_text(encoding="utf-8")), encoding="utf-8")
