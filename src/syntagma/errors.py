"""The exceptions of the package; each message is one line: what is wrong, where, what to do.

SyntagmaError
├── ArgumentError            an argument of a function that is out of range or unknown
├── ProblemError             a problem that is malformed or cannot be satisfied
│   └── UnsatisfiableError   found by searching, not by checking the problem
├── FormatError              bad content of an input file (`file:line: message`)
├── ModelError               a model file that is missing, damaged, foreign or of another version
├── OutputError              a file that cannot be written
├── PackageError             an optional package that is needed and not installed
├── TrainingError            training that cannot start or continue
└── CancelledError           work that its caller has cancelled

SyntagmaWarning              input that is accepted but makes results worse
"""

from __future__ import annotations

import re
import sys
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from typing import Protocol

LONGEST_SHOWN = 80  # characters of a value in a message
LONGEST_MESSAGE = 2_000
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
_NO_CHARACTERS = "\ufffe\uffff"
# Embeddings, overrides and isolates: an unclosed one reverses what comes after it.
_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def visible(text: str) -> str:
    """Text of a file or a request as a terminal, a log or a drawing can show it: with escapes for
    control characters, also those of the writing direction, for line ends, and for what no file or
    no XML can hold.

    >>> print(visible("a\\tb\\x1b[2J"))
    a\\tb\\x1b[2J
    """
    if text.isprintable():
        return text
    return "".join(
        repr(character)[1:-1]
        if unicodedata.category(character) in _UNPRINTABLE
        or character in _NO_CHARACTERS
        or character in _DIRECTIONS
        else character
        for character in text
    )


def brief(text: str, longest: int = LONGEST_SHOWN) -> str:
    """A name of a file or a request as messages show it without quotes."""
    return visible(text if len(text) <= longest else f"{text[: longest - 1]}…")


def one_line(message: str) -> str:
    """A message without its line ends, and visible, whatever it quotes."""
    return visible(" ".join(message.splitlines()))


def as_line(message: str) -> str:
    """A message as a line for a terminal, a log or an answer."""
    return brief(one_line(message), LONGEST_MESSAGE)


def shown(value: object) -> str:
    """A value as messages show it: its `repr` on one short line, whatever the value is."""
    try:
        text = repr(value)
    except Exception:  # an integer of thousands of digits, or any fault of a foreign class
        return f"an object of type {type(value).__name__}"
    if not text.isprintable():
        text = "".join(each if each.isprintable() else "?" for each in " ".join(text.split()))
    if len(text) > LONGEST_SHOWN:
        text = f"{text[: LONGEST_SHOWN - 4]} …{text[-1]}"
    return text


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


class Named(Protocol):
    """Anything with a name for messages."""

    @property
    def name(self) -> str: ...


def name_word(words: Sequence[Named], index: int) -> str:
    """The word with this 1-based index as messages name it."""
    return f"word {index} {shown(words[index - 1].name)}"


def name_words(words: Sequence[Named], indices: Sequence[int], separator: str = ", ") -> str:
    """Several words as messages name them; a long list is cut in the middle."""
    names = [name_word(words, index) for index in indices]
    if len(names) > 8:
        names[4:-3] = [f"… {len(names) - 7} more …"]
    return separator.join(names)


class SyntagmaError(Exception):
    """Base of every error that the package raises on purpose; its message is one visible line."""

    def __init__(self, message: str = "", **more: str) -> None:
        super().__init__(one_line(message), **more)


class SyntagmaWarning(UserWarning):
    """Something that was not refused but makes results worse than they could be.

    Of several warnings on one `topic`, the command line prints only the first.
    """

    def __init__(self, message: str, *, topic: str = "") -> None:
        super().__init__(one_line(message))
        self.topic = topic


def warn(warning: SyntagmaWarning) -> None:
    """Show a warning at the line that called the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("syntagma."):
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


class ArgumentError(SyntagmaError, ValueError):
    """An argument that is out of range, unknown, or does not go with another one.

    `field` is its name, where there is a single one; `others` are those that the message names,
    too.
    """

    def __init__(self, message: str, *, field: str = "", others: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.field = field
        self.others = others

    def renamed(self, name: Callable[[str], str]) -> str:
        """The message with arguments named as the caller knows them: `n_best` as `--n-best`."""
        if not self.field:
            return str(self)
        names = "|".join((self.field, *self.others))
        return re.sub(rf"\b({names})\b", lambda found: name(found[1]), str(self))


class ProblemError(SyntagmaError):
    """A problem that is malformed, or whose constraints contradict each other.

    `field` is the place of the fault in the JSON notation of a problem, as in `words[2].head`;
    empty where there is no single one.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class UnsatisfiableError(ProblemError):
    """Search found no sentence that meets the order constraints and the partial tree together.

    If `limit_reached`, search gave up at its work limit or time limit, and a solution may still
    exist.
    """

    def __init__(self, message: str, *, limit_reached: bool = False) -> None:
        super().__init__(message)
        self.limit_reached = limit_reached


class FormatError(SyntagmaError):
    """Bad content of an input file, with the place where it was found, and the id of the problem or
    sentence, if it could be read."""

    def __init__(
        self,
        message: str,
        source: str | None = None,
        line: int | None = None,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = str(self.args[0])
        self.source = source
        self.line = line
        self.id = id

    def __str__(self) -> str:
        if self.source is not None:
            line = "" if self.line is None else f":{self.line}"
            return f"{visible(self.source)}{line}: {self.message}"
        return self.message if self.line is None else f"line {self.line}: {self.message}"


class ModelError(SyntagmaError):
    """A model file that is missing, damaged, foreign or of another format version."""


def not_a_model(why: str) -> ModelError:
    """The error of a model file whose content is not that of a model for ordering words."""
    return ModelError(f"not a model for ordering words ({why}); train it again")


class OutputError(SyntagmaError):
    """A file that cannot be written: an unwritable path, a full disk."""


class PackageError(SyntagmaError, ImportError):
    """An optional package that is not installed, or cannot be imported."""


def missing_package(user: str, package: str, extra: str, error: ImportError) -> PackageError:
    """The error of a function that needs a package which an extra of Syntagma installs."""
    return PackageError(
        f"{user} needs the package {package}, which cannot be imported ({error}): "
        f"pip install 'syntagma[{extra}]'",
        name=package,
    )


class TrainingError(SyntagmaError):
    """Training that cannot start or cannot continue."""


class CancelledError(SyntagmaError):
    """Work that its caller has cancelled (`Linearizer.solve`); there are no further results."""
