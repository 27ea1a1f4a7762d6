"""Treebanks of other formats as this package trains on: the Penn Treebank as CoNLL-U, CCGbank as
one .auto file; by sections, and with base noun phrases as units if the papers are to be repeated.

Section 23 is all files with names like `wsj_2301.mrg`, whatever folders they are in.

A unit is one word with spaces in its form: models order it as a whole, and BLEU counts its words.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from syntagma.ccg.derivation import Derivation
from syntagma.errors import ArgumentError, FormatError, SyntagmaWarning, shown
from syntagma.files.paths import as_paths, check_path, expand_paths
from syntagma.files.reading import open_text, source_name
from syntagma.files.writing import atomic_write, check_output
from syntagma.formats.auto import read_auto, write_auto
from syntagma.formats.penn import NOUN_PHRASE, read_penn, without_traces
from syntagma.problem.limits import MAX_CHARACTERS
from syntagma.treebanks.penn2malt import Labels, conllu, dependencies

Source = Literal["ptb", "auto"]
EXTENSIONS: dict[Source, tuple[str, ...]] = {
    "ptb": (".mrg", ".trees", ".ptb", ".parse"),
    "auto": (".auto",),
}
_SECTION = re.compile(r"wsj_(\d\d)\d\d(?!\d)", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?")
_FEATURE = re.compile(r"\[\w+\]")


@dataclass(slots=True)
class ConversionReport:
    """What was converted. Words of base noun phrases count one by one, units as wholes."""

    files: int = 0
    sentences: int = 0
    words: int = 0
    units: int = 0
    base_noun_phrases: int = 0
    left_out: int = 0  # trees that consist of traces

    def add(self, forms: Sequence[str], tags: Sequence[str]) -> None:
        """Count a sentence."""
        self.sentences += 1
        self.units += len(forms)
        self.words += sum(form.count(" ") + 1 for form in forms)
        self.base_noun_phrases += sum(tag == NOUN_PHRASE for tag in tags)


class Conversion:
    """The sentences of a treebank in another format, read one at a time."""

    def __init__(
        self,
        paths: str | Path | Sequence[str | Path],
        source: Source,
        *,
        sections: str | None = None,
        base_np: bool = False,
        labels: Labels = "malt",
    ) -> None:
        for name, value, choices in (
            ("source", source, get_args(Source)),
            ("labels", labels, get_args(Labels)),
        ):
            if value not in choices:
                raise ArgumentError(f"{name} must be {' or '.join(choices)}, not {shown(value)}")
        wanted = None if sections is None else parse_sections(sections)
        self.files = treebank_files(paths, EXTENSIONS[source], wanted)
        self.report = ConversionReport()
        self._read = self._penn_sentences if source == "ptb" else self._derivations
        self._base_np = base_np
        self._labels: Labels = labels

    def sentences(self) -> Iterator[str]:
        """Each sentence as the output has it; the first fault raises `FormatError`.

        A `SyntagmaWarning` says how many trees were left out because they consist of traces.
        """
        for path in self.files:
            yield from self._read(path)
            self.report.files += 1
        left_out = self.report.left_out
        if not self.report.sentences:
            why = "trees consist of traces alone" if left_out else "there are no trees"
            raise FormatError(f"nothing to convert: {why}", source_name(self.files[0]))
        if left_out:
            warnings.warn(
                f"{left_out:,} tree{'s' * (left_out > 1)} without words (traces alone) left out",
                SyntagmaWarning,
                stacklevel=2,
            )

    def _penn_sentences(self, path: Path) -> Iterator[str]:
        for number, tree in enumerate(read_penn(open_text(path), source_name(path)), start=1):
            if isinstance(tree, FormatError):
                raise tree
            root = without_traces(tree.root, base_noun_phrases=self._base_np)
            if root is None:
                self.report.left_out += 1
                continue
            words = dependencies(root, self._labels)
            if any(len(word.form) > MAX_CHARACTERS for word in words):
                raise FormatError(
                    f"a base NP of more than {MAX_CHARACTERS} characters, the limit",
                    source_name(path),
                    tree.line,
                )
            self.report.add([word.form for word in words], [word.tag for word in words])
            yield conllu(words, f"{_stem(path)}.{number}")

    def _derivations(self, path: Path) -> Iterator[str]:
        entries = read_auto(open_text(path), source_name(path), "file")
        for number, entry in enumerate(entries, start=1):
            if isinstance(entry, FormatError):
                raise entry
            derivation = entry.derivation
            if self._base_np:
                derivation = join_base_noun_phrases(derivation)
            self.report.add(derivation.forms, derivation.tags)
            yield write_auto(derivation, entry.id or f"{_stem(path)}.{number}")


def convert(
    paths: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    source: Source = "ptb",
    sections: str | None = None,
    base_np: bool = False,
    labels: Labels = "malt",
    on_sentence: Callable[[], None] = lambda: None,
) -> ConversionReport:
    """Convert a treebank into one file that `train` and `evaluate` read.

    `source` is "ptb" for bracketed trees of the Penn Treebank, which become CoNLL-U by the rules of
    Penn2Malt, or "auto" for CCGbank, which stays in its format. `paths` are files, folders or
    patterns; folders are searched at all depths. `sections`, as in "02-21", chooses files by their
    names (`wsj_0201.mrg`). With `base_np`, every NP that contains no other NP becomes one unit with
    the tag NP. `labels` are those of Penn2Malt, or "none".

    The first faulty tree raises `FormatError` with its file and line, and nothing is written.
    """
    check_path(output, "output")
    conversion = Conversion(paths, source, sections=sections, base_np=base_np, labels=labels)
    check_output(output, conversion.files)
    with atomic_write(output, "w") as file:
        for sentence in conversion.sentences():
            file.write(sentence)
            on_sentence()
    return conversion.report


def join_base_noun_phrases(derivation: Derivation) -> Derivation:
    """The derivation with every NP that does not contain another NP as one word (ZC15 §5).

    Features do not count: NP[nb], the category of *the dog* in CCGbank, is an NP, too.
    """
    built: list[tuple[Derivation, bool]] = []  # with whether it is, or contains, an NP
    for node in derivation.bottom_up:
        below = [built.pop() for _ in node.children][::-1]
        recursive = any(contains for _, contains in below)
        is_np = _FEATURE.sub("", node.category) == NOUN_PHRASE
        if is_np and not recursive:
            node = Derivation(node.category, form=node.text, tag=NOUN_PHRASE, source=node.source)
        elif node.children:
            node = replace(node, children=tuple(child for child, _ in below))
        built.append((node, is_np or recursive))
    return built[0][0]


def _stem(path: Path) -> str:
    """The name of a file without extensions, for ids: `wsj_0001` of `wsj_0001.mrg.gz`.

    Names of files may hold what a line of text cannot, such as a line end.
    """
    name = re.sub(r"\.(gz|xz)$", "", path.name, flags=re.IGNORECASE)
    stem = Path(name).stem if str(path) != "-" else "stdin"
    return "".join(each if each.isprintable() and each != " " else "_" for each in stem)


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
