"""Finds the treebanks of Universal Dependencies below folders, and what they state about licence
and authors."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path

from syntagma.errors import ArgumentError, FormatError
from syntagma.files.paths import expand_paths
from syntagma.files.reading import open_regular

# A large part comes in several files: de_hdt-ud-train-a-1.conllu.
_FILE = re.compile(r"(?P<name>.+)-ud-(?P<part>train|dev|test)(-[\w-]+)?\.conllu(\.gz|\.xz)?")
PARTS = ("train", "dev", "test")
_NAMES = (
    "no treebank here: its training file must be named NAME-ud-train.conllu, as in Universal "
    "Dependencies"
)


@dataclass(frozen=True, slots=True)
class FoundTreebank:
    """A treebank and its files; one without `dev` or `test` is complete, too."""

    name: str  # as its files begin: fr_sequoia
    language: str
    train: tuple[Path, ...]
    dev: tuple[Path, ...] = ()
    test: tuple[Path, ...] = ()

    @property
    def folder(self) -> Path:
        return self.train[0].parent


@dataclass(frozen=True, slots=True)
class Found:
    """The treebanks that were found, and the names of those with nothing to learn from."""

    treebanks: tuple[FoundTreebank, ...]
    without_training: tuple[str, ...]


def find_treebanks(folders: object) -> Found:
    """The treebanks in folders and all folders below them, sorted by name.

    `folders` is a folder, a pattern such as `ud/UD_*`, the training file of a treebank, or a list
    of these. Files are named as in Universal Dependencies: NAME-ud-train.conllu, with -dev and
    -test beside it. Of a file that is there plain and compressed, one is taken. Treebanks with the
    same name in different folders are named after their folders.
    """
    found: list[FoundTreebank] = []
    without: set[str] = set()
    given = expand_paths(folders, "folders", folders=True)
    if not given:
        raise ArgumentError("give at least one folder of treebanks")
    for path in given:
        for folder, names in _folders_below(path) if path.is_dir() else [_beside(path)]:
            for name, parts in _by_treebank(folder, names).items():
                if "train" in parts:
                    language = re.split(r"[_-]", name, maxsplit=1)[0]
                    files = (tuple(parts.get(part, ())) for part in PARTS)
                    found.append(FoundTreebank(name, language, *files))
                else:
                    without.add(name)
    if not found:
        raise FormatError(_NAMES, str(given[0]))
    named = _with_distinct_names({each.train[0].resolve(): each for each in found}.values())
    return Found(
        tuple(sorted(named, key=lambda each: each.name)),
        tuple(sorted(without - {each.name for each in found})),
    )


def _folders_below(top: Path) -> Iterator[tuple[Path, list[str]]]:
    """The folder and all below it, links included, each once; hidden ones are left out."""
    seen: set[str] = set()
    for place, folders, names in os.walk(top, followlinks=True, onerror=_refuse):
        real = os.path.realpath(place)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield Path(place), names


def _refuse(error: OSError) -> None:
    raise FormatError(error.strerror or str(error), str(error.filename)) from error


def _beside(path: Path) -> tuple[Path, list[str]]:
    """The files of the treebank whose training file this is."""
    match = _FILE.fullmatch(path.name)
    if not path.exists():
        raise FormatError("no such file or folder", str(path))
    if match is None or match["part"] != "train":
        raise FormatError(_NAMES, str(path))
    return path.parent, [
        name
        for name in os.listdir(path.parent)
        if (other := _FILE.fullmatch(name)) and other["name"] == match["name"]
    ]


def _by_treebank(folder: Path, names: list[str]) -> dict[str, dict[str, list[Path]]]:
    """The files of a folder by treebank and part, each sorted."""
    treebanks: dict[str, dict[str, list[Path]]] = {}
    seen: set[str] = set()
    for name in sorted(names):  # a plain file comes before its compressed copies
        match = _FILE.fullmatch(name)
        plain = re.sub(r"\.(gz|xz)$", "", name)
        if match is not None and not name.startswith(".") and plain not in seen:
            seen.add(plain)
            parts = treebanks.setdefault(match["name"], {})
            parts.setdefault(match["part"], []).append(folder / name)
    return treebanks


def _with_distinct_names(found: Collection[FoundTreebank]) -> list[FoundTreebank]:
    counts = Counter(each.name for each in found)
    named = [
        replace(each, name=each.folder.resolve().name) if counts[each.name] > 1 else each
        for each in found
    ]
    places: dict[str, Path] = {}
    for each in named:
        if each.name in places:
            raise ArgumentError(
                f"two treebanks are named {each.name}: {places[each.name]} and {each.train[0]}; "
                "rename a folder, or train them with different outputs"
            )
        places[each.name] = each.train[0]
    return named


_STATED = re.compile(r"^(License|Contributors): *(\S.*?) *$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Licence:
    """The licence of a treebank; empty where the treebank states nothing."""

    name: str = ""
    authors: str = ""
    text: str | None = None


def read_licence(folder: Path) -> Licence:
    """What the files of a treebank's folder state."""
    readme = _text(folder / "README.md") or _text(folder / "README.txt") or ""
    stated = dict(_STATED.findall(readme))
    return Licence(
        stated.get("License", ""), stated.get("Contributors", ""), _text(folder / "LICENSE.txt")
    )


def _text(path: Path) -> str | None:
    try:
        with TextIOWrapper(open_regular(path), encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None
