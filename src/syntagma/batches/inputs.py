"""The inputs of a batch job: files, folders, patterns and fsspec addresses, as a list of files."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from typing import NoReturn

from syntagma.batches.storage import file_system, is_remote, reason, without_scheme
from syntagma.errors import ArgumentError, FormatError, OutputError, SyntagmaError
from syntagma.files.paths import as_paths, expand_paths

# What is taken from a folder if no format is given; a file that is named may have any extension.
_EXTENSION = re.compile(r"\.(txt|text|jsonl?|conllu)(\.gz|\.xz)?$", re.IGNORECASE)


def find_inputs(
    inputs: object, output: str, *, any_extension: bool = False
) -> list[tuple[str, str]]:
    """Every input file once: its name for messages, and its address.

    Of a folder, the files at any depth whose names say that they are text, JSON lines or CoNLL-U,
    or with `any_extension` all of them, sorted; hidden files and those whose names begin with "_"
    are left out. So is what lies in the output folder, where a second run would find it; an input
    that has nothing else raises `OutputError`.
    """
    found: dict[str, tuple[str, str]] = {}  # by what identifies a file
    for given in as_paths(inputs, "inputs"):
        text = without_scheme(os.fspath(given))
        if text == "-":
            raise ArgumentError("a batch job reads files, not standard input: syntagma order does")
        names = _remote(text, any_extension) if is_remote(text) else _local(text, any_extension)
        outside = [name for name in names if not _is_within(name, output)]
        if names and not outside:
            raise OutputError(
                f"the input {names[0]} lies within the output folder {output}: choose another "
                "output"
            )
        for name in outside:
            readable = os.fsencode(name).decode(errors="replace")
            address = name if is_remote(name) else os.path.abspath(name)
            found.setdefault(_identity(name), (readable, address))
    if not found:
        raise ArgumentError("give at least one input: a file, a folder or a pattern")
    return [*found.values()]


def _local(text: str, any_extension: bool) -> list[str]:
    if os.path.isdir(text):
        return _in_folder(text, any_extension) or _nothing_in(text)
    files: list[str] = []
    for path in expand_paths([text], "inputs", folders=True):
        files += _in_folder(str(path), any_extension) if path.is_dir() else [str(path)]
    return files


def _in_folder(folder: str, any_extension: bool) -> list[str]:
    def refuse(error: OSError) -> NoReturn:
        raise FormatError(f"cannot be listed: {reason(error)}", error.filename) from error

    names = [
        os.path.relpath(os.path.join(place, name), folder)
        for place, _, files in os.walk(folder, onerror=refuse)
        for name in files
    ]
    paths = [os.path.join(folder, name) for name in _chosen(names, any_extension)]
    return [path for path in paths if os.path.isfile(path)]


def _remote(address: str, any_extension: bool) -> list[str]:
    system, path = file_system(address)
    try:
        if glob.has_magic(address) and not system.exists(path):
            found = sorted(str(each) for each in system.glob(path) if not system.isdir(each))
            if not found:
                raise FormatError("no file matches this pattern; check its spelling", address)
            return [str(system.unstrip_protocol(each)) for each in found]
        # To find out whether a page of the web is a folder, fsspec would read it.
        if not re.match("https?://.*[^/]$", address) and system.isdir(path):
            prefix = path.rstrip("/") + "/"
            names = (str(each).removeprefix(prefix) for each in system.find(path))
            chosen = _chosen(names, any_extension) or _nothing_in(address)
            return [f"{address.rstrip('/')}/{name}" for name in chosen]
        return [address]
    except SyntagmaError:
        raise
    except Exception as error:  # file systems raise errors of the libraries behind them
        raise FormatError(f"cannot be listed: {reason(error)}", address) from error


def _chosen(names: Iterable[str], any_extension: bool) -> list[str]:
    return sorted(
        name
        for name in names
        if not any(part.startswith((".", "_")) for part in re.split(r"[/\\]", name))
        and (any_extension or _EXTENSION.search(name))
    )


def _nothing_in(folder: str) -> NoReturn:
    raise FormatError(
        "no file of this folder is named .txt, .jsonl or .conllu (or .gz, .xz of them); if the "
        "files have other names, give their format (--input-format)",
        folder,
    )


def _is_within(address: str, folder: str) -> bool:
    if is_remote(address) != is_remote(folder):
        return False
    separator = "/" if is_remote(folder) else os.sep
    inner, outer = _identity(address), _identity(folder).rstrip(separator)
    return inner == outer or inner.startswith(outer + separator)


def _identity(address: str) -> str:
    """What is the same for all addresses of a file."""
    if not is_remote(address):
        return os.path.realpath(address)
    system, path = file_system(address)
    return f"{system.protocol}:{path}"
