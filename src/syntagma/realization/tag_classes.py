"""The tags of a treebank by UPOS tag: for words whose own tag is missing, or of another tag set.

English has `english_tags` instead. `inflection_training` learns the classes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from syntagma.files.packing import pack_lines
from syntagma.files.sections import damaged, read_lines

SECTION = "tag_classes"
MIN_SHARE = 0.05  # of the words with a tag: a class with fewer of them does not have the tag


class TagClasses:
    """For each UPOS tag the tags that words with it have."""

    def __init__(self, tags: Mapping[str, Sequence[str]] | None = None) -> None:
        self._tags = {upos: frozenset(several) for upos, several in (tags or {}).items()}

    @classmethod
    def of_words(cls, tagged: Iterable[tuple[str, str]]) -> TagClasses:
        """The classes of words, each given by its UPOS tag and its tag; empty tags do not count."""
        counts = Counter(pair for pair in tagged if all(pair))
        totals: Counter[str] = Counter()
        for (_, tag), count in counts.items():
            totals[tag] += count
        classes: defaultdict[str, list[str]] = defaultdict(list)
        for (upos, tag), count in sorted(counts.items()):
            if count >= MIN_SHARE * totals[tag]:
                classes[upos].append(tag)
        return cls(classes)

    def __contains__(self, upos: object) -> bool:
        return upos in self._tags

    def tags(self, upos: str) -> frozenset[str]:
        return self._tags[upos]

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """A section of a model file, if there are classes; `from_arrays` is the inverse."""
        lines = [" ".join((upos, *sorted(tags))) for upos, tags in sorted(self._tags.items())]
        return {SECTION: pack_lines(lines)} if lines else {}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> TagClasses:
        if SECTION not in arrays:
            return cls()
        rows = [line.split(" ") for line in read_lines(arrays, SECTION)]
        classes = {upos: tags for upos, *tags in rows}
        if len(classes) < len(rows) or not all(all((upos, *tags)) for upos, *tags in rows):
            raise damaged(SECTION, "an entry is empty or occurs twice")
        return cls(classes)
