"""The files of a treebank in folders, such as the Penn Treebank and CCGbank, by sections.

Section 23 is all files with names like `wsj_2301.mrg`, whatever folders they are in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from syntagma.errors import ArgumentError, FormatError, shown
from syntagma.files.paths import as_paths, expand_paths

_SECTION = re.compile(r"wsj_(\d\d)\d\d(?!\d)", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?")


def parse_sections(text: str) -> frozenset[int]:
    """Sections as people write them: numbers and ranges, separated by commas.

    >>> sorted(parse_sections("00, 22-24"))
    [0, 22, 23, 24]
    """
    found: set[int] = set()
    for part in text.split(",") if isinstance(text, str) else ("",):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise ArgumentError(
                f"sections must be numbers from 00 to 99 and ranges, as in 02-21,23, not "
                f"{shown(text)}"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise ArgumentError(f"the range of sections {part.strip()} runs backwards")
        found.update(range(first, last + 1))
    return frozenset(found)


def section_of(path: str | os.PathLike[str]) -> int | None:
    """The section of a file of the Wall Street Journal; None if its name does not tell."""
    match = _SECTION.match(os.path.basename(path))
    return int(match[1]) if match else None


def treebank_files(
    paths: str | Path | Sequence[str | Path],
    extensions: Sequence[str],
    sections: Iterable[int] | None = None,
) -> list[Path]:
    """The files of a treebank that is given by files, folders and patterns.

    Folders are searched at all depths for files with these extensions, perhaps compressed, in the
    order of their names; hidden ones are left alone. With `sections`, only files of these count. A
    file that is named, not found, is taken whatever its extension is, but its name must tell its
    section.
    """
    wanted = None if sections is None else frozenset(sections)
    named = {os.path.realpath(path) for path in as_paths(paths, "paths")}
    places = expand_paths(paths, "paths", folders=True)
    if not places:
        raise ArgumentError("paths must name at least one file or folder")
    endings = " or ".join(extensions)
    chosen: dict[str, Path] = {}
    for place in places:
        is_named = os.path.realpath(place) in named
        found = list(_files_below(place, extensions)) if place.is_dir() else [place]
        if not found and is_named:
            raise FormatError(f"no file in this folder ends in {endings}", str(place))
        if wanted is not None and found == [place] and is_named and section_of(place) is None:
            raise FormatError(
                "the name does not tell its section, as wsj_2301.mrg does; leave out the "
                "sections, or rename the file",
                str(place),
            )
        for path in found:
            if wanted is None or section_of(path) in wanted:
                chosen.setdefault(os.path.realpath(path), path)
    if not chosen:
        what = f"ends in {endings}" if wanted is None else "belongs to these sections"
        raise FormatError(f"no file here {what}", str(places[0]))
    return list(chosen.values())


def _files_below(folder: Path, extensions: Sequence[str]) -> Iterator[Path]:
    endings = tuple(
        extension + packing for extension in extensions for packing in ("", ".gz", ".xz")
    )
    visited = {os.path.realpath(folder)}  # links may lead in circles
    for parent, folders, names in os.walk(folder, onerror=_unreadable, followlinks=True):
        real = {name: os.path.realpath(os.path.join(parent, name)) for name in sorted(folders)}
        folders[:] = [
            name for name in real if not name.startswith(".") and real[name] not in visited
        ]
        visited.update(real.values())
        for name in sorted(names):
            if name.lower().endswith(endings) and not name.startswith("."):
                yield Path(parent, name)


def _unreadable(error: OSError) -> None:
    reason = error.strerror or error
    raise FormatError(f"cannot read the folder: {reason}", str(error.filename)) from error
