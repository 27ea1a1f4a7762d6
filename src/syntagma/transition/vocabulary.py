"""What a model knows of forms, tags and labels: numbers, tag dictionary, labels to propose.

Numbers are given to the words of one problem in encoding.py; weights live in the core.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from syntagma.files.packing import pack_lines, unpack_lines
from syntagma.problem.shape import shape

if TYPE_CHECKING:
    from syntagma.treebanks.treebank import Sentence

MIN_COUNT = 2  # rarer forms have no number: features see their tag, suffix and shape only
MAX_TAGS = 5
MAX_LABELS = 4
MIN_SHARE = 0.02  # a tag of a form, or a label of a tag pair, that is rarer is not proposed

UNKNOWN_LABEL = "dep"

Counts = dict[int, int]


class Vocabulary:
    """Forms, tags and labels of a training treebank.

    Form 0 is the unknown form. Tag `len(tags)` and label `len(labels)` stand for those that are
    given in a problem but unknown to the model.
    """

    def __init__(
        self,
        forms: dict[str, int],
        tags: Sequence[str],
        labels: Sequence[str],
        form_tags: dict[str, tuple[int, ...]],
        open_tags: dict[str, tuple[int, ...]],
        label_index: npt.NDArray[np.int32],
        label_pool: npt.NDArray[np.int32],
    ) -> None:
        self.forms = forms
        self.tags = tuple(tags)
        self.labels = tuple(labels)
        self.tag_numbers = {tag: i for i, tag in enumerate(self.tags)}
        self.label_numbers = {label: i for i, label in enumerate(self.labels)}
        self.form_tags = form_tags
        self.open_tags = open_tags
        self.label_index = label_index
        self.label_pool = label_pool

    @classmethod
    def of_treebank(cls, sentences: Iterable[Sentence]) -> Vocabulary:
        form_counts: Counter[str] = Counter()
        tag_counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        arcs: Counter[tuple[int, str, str, str]] = Counter()
        for sentence in sentences:
            form_counts.update(sentence.forms)
            for form, tag in zip(sentence.forms, sentence.tags, strict=True):
                tag_counts[form][tag] += 1
            for i, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
                if head:
                    side = 0 if i < head - 1 else 1
                    arcs[side, sentence.tags[head - 1], sentence.tags[i], label] += 1
        tags = sorted({tag for counts in tag_counts.values() for tag in counts})
        labels = sorted({arc[3] for arc in arcs})
        forms = sorted(form for form, count in form_counts.items() if count >= MIN_COUNT)
        tag_numbers = {tag: i for i, tag in enumerate(tags)}
        by_shape: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for form, counts in tag_counts.items():
            if form_counts[form] == 1:
                for tag in counts:
                    by_shape[shape(form)][tag_numbers[tag]] += 1
                    by_shape[""][tag_numbers[tag]] += 1
        return cls(
            {form: i for i, form in enumerate(forms, start=1)},
            tags,
            labels,
            {
                form: _most_frequent({tag_numbers[t]: c for t, c in counts.items()}, MAX_TAGS)
                for form, counts in tag_counts.items()
            },
            {name: _most_frequent(counts, MAX_TAGS) for name, counts in by_shape.items()},
            *_label_proposals(arcs, tag_numbers, {label: i for i, label in enumerate(labels)}),
        )

    def without_forms(self) -> Vocabulary:
        """For scorers that have a lexicon of their own."""
        return Vocabulary(
            {}, self.tags, self.labels, {}, self.open_tags, self.label_index, self.label_pool
        )

    def grown(self, sentences: Iterable[Sentence]) -> Vocabulary:
        """With the tags and labels of these sentences that are new; for scorers with a lexicon of
        their own, which propose no labels."""
        tags, labels = set(self.tags), set(self.labels)
        for sentence in sentences:
            tags.update(sentence.tags)
            labels.update(
                label for head, label in zip(sentence.heads, sentence.deprels, strict=True) if head
            )
        return Vocabulary(
            self.forms,
            (*self.tags, *sorted(tags - set(self.tags))),
            (*self.labels, *sorted(labels - set(self.labels))),
            self.form_tags,
            self.open_tags,
            self.label_index,
            self.label_pool,
        )

    def tags_of(self, form: str, *, as_unseen: bool = False) -> tuple[int, ...]:
        """The tags to try for a form: those it was seen with, or the open-class tags."""
        known = self.form_tags.get(form)
        if known and not as_unseen:
            return known
        return self.open_tags.get(shape(form)) or self.open_tags.get("") or (0,)

    def label_name(self, number: int) -> str:
        """The label with this number; UD's `dep` where the model knows none."""
        return self.labels[number] if number < len(self.labels) else UNKNOWN_LABEL

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The vocabulary as arrays of a model file; `from_arrays` is the inverse."""
        return {
            "forms": pack_lines(sorted(self.forms, key=self.forms.__getitem__)),
            "tags": pack_lines(self.tags),
            "labels": pack_lines(self.labels),
            "form_tags": pack_lines(_tag_lines(self.form_tags)),
            "open_tags": pack_lines(_tag_lines(self.open_tags)),
            "label_index": self.label_index,
            "label_pool": self.label_pool,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> Vocabulary:
        return cls(
            {form: i for i, form in enumerate(unpack_lines(arrays["forms"]), start=1)},
            unpack_lines(arrays["tags"]),
            unpack_lines(arrays["labels"]),
            _parse_tag_lines(unpack_lines(arrays["form_tags"])),
            _parse_tag_lines(unpack_lines(arrays["open_tags"])),
            np.array(arrays["label_index"]),
            np.array(arrays["label_pool"]),
        )


def _most_frequent(counts: Counts, limit: int) -> tuple[int, ...]:
    """The most frequent ones, ties by number; but for the first, none of a negligible share."""
    total = sum(counts.values())
    ranked = sorted(counts, key=lambda item: (-counts[item], item))
    others = (item for item in ranked[1:limit] if counts[item] >= MIN_SHARE * total)
    return (*ranked[:1], *others)


def _label_proposals(
    arcs: Counter[tuple[int, str, str, str]], tags: dict[str, int], labels: dict[str, int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Labels to try by side, head tag and dependent tag; backed off to the dependent tag alone."""
    pairs: defaultdict[tuple[int, int, int], Counter[int]] = defaultdict(Counter)
    dependents: defaultdict[int, Counter[int]] = defaultdict(Counter)
    everything: Counter[int] = Counter()
    for (side, head_tag, tag, label), count in arcs.items():
        pairs[side, tags[head_tag], tags[tag]][labels[label]] += count
        dependents[tags[tag]][labels[label]] += count
        everything[labels[label]] += count
    size = len(tags) + 1
    index = np.zeros((2, size, size, 2), np.int32)
    pool: list[int] = []
    starts: dict[tuple[int, ...], int] = {}
    for side in range(2):
        for head in range(size):
            for dependent in range(size):
                counts = pairs.get((side, head, dependent)) or dependents.get(dependent)
                chosen = _most_frequent(counts or everything, MAX_LABELS) or (len(labels),)
                if chosen not in starts:
                    starts[chosen] = len(pool)
                    pool.extend(chosen)
                index[side, head, dependent] = starts[chosen], len(chosen)
    return index, np.array(pool, np.int32)


def _tag_lines(tags: dict[str, tuple[int, ...]]) -> list[str]:
    return [f"{name}\t{' '.join(map(str, numbers))}" for name, numbers in tags.items()]


def _parse_tag_lines(lines: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Forms may hold anything but a tab and a line end."""
    interned: dict[str, tuple[int, ...]] = {}
    parsed = {}
    for line in lines:
        name, _, numbers = line.partition("\t")
        if numbers not in interned:
            interned[numbers] = tuple(map(int, numbers.split(" ")))
        parsed[name] = interned[numbers]
    return parsed
