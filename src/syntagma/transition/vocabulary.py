"""What a model knows of forms, tags, features and labels: numbers, tag dictionary, labels to
propose.

It is learned in `training`; `encoding` numbers the words of one problem with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from syntagma.caches import cached_texts
from syntagma.errors import shown
from syntagma.files.sections import (
    Section,
    check_sections,
    damaged,
    pack_lines,
    read_lines,
    text_section,
)
from syntagma.problem.word import ROOT_LABEL, UPOS_TAGS, Word, shape

UNKNOWN_LABEL = "dep"
NO_LABEL = "_"  # the one label of the arcs of an unlabelled model
_SOME_LABEL = "\t"  # not the label of any arc

MAX_NAMES = (1 << 15) - 2  # tags, or labels: the states of a search hold them in 16 bits
_NUMBERS = re.compile("[0-9]{1,5}(?: [0-9]{1,5})*", re.ASCII)

# `known tags`: the unknown tag included; fewer if training added tags to those of another model,
# and one for scorers that need no proposals of labels.
TABLE = (
    *map(text_section, ("forms", "tags", "labels", "form_tags", "open_tags")),
    Section("label_index", np.int32, (2, "known tags", "known tags", 2), least=0),
    Section("label_pool", np.int32, ("pool",), least=0, below="labels"),
)
# Sections of models that read UPOS tags beside the tags, and morphological features.
UPOS_SECTION, FEATURES_SECTION = "upos_tags", "feature_values"


@dataclass(eq=False, repr=False)
class Vocabulary:
    """Forms, tags and labels of a training treebank.

    Form 0 is the unknown form. Label `len(labels)` is that of the root. Tags and labels that are
    given in a problem but not in the vocabulary count as not given. With `back_off`, unseen forms
    are distinguished by shape and suffix, and an unseen phrase is represented by its last word;
    without, all unseen forms are alike.

    `upos` are the UPOS tags that the model reads beside its tags, `features` the values of
    morphological features (`Number=Plur`); both are empty for models that do not read them.
    """

    SECTIONS: ClassVar = frozenset(section.name for section in TABLE)

    forms: dict[str, int]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    form_tags: dict[str, tuple[int, ...]]
    open_tags: dict[str, tuple[int, ...]]
    label_index: npt.NDArray[np.int32]
    label_pool: npt.NDArray[np.int32]
    back_off: bool = True
    upos: tuple[str, ...] = ()
    features: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.tag_numbers, self.label_numbers, self.upos_numbers, self.feature_numbers = (
            {name: number for number, name in enumerate(names)}
            for names in (self.tags, self.labels, self.upos, self.features)
        )
        self._tags_are_upos = not self.upos and UPOS_TAGS.issuperset(self.tags)
        self._known_features = cached_texts(1 << 14)(self._find_known_features)

    @property
    def wide(self) -> bool:
        """Whether there are more tags or labels, that of the root included, than bits in a word of
        memory."""
        return max(len(self.tags), len(self.labels) + 1) > 64

    @property
    def unlabelled(self) -> bool:
        """Whether arcs have no labels."""
        return self.labels == (NO_LABEL,)

    def without_forms(self) -> Vocabulary:
        """For scorers that have a lexicon of their own, and score all labels: without proposals of
        labels, too, which grow with the square of the number of tags."""
        return replace(
            self,
            forms={},
            form_tags={},
            label_index=np.zeros((2, 1, 1, 2), np.int32),
            label_pool=np.zeros(0, np.int32),
            back_off=True,
        )

    def with_inputs(self, upos: Sequence[str], features: Sequence[str]) -> Vocabulary:
        """The vocabulary of a model that reads these UPOS tags and values of features."""
        return replace(self, upos=tuple(upos), features=tuple(features))

    def tags_of(self, form: str, *, as_unseen: bool = False) -> tuple[int, ...]:
        """The tags to try for a form: those it was seen with, or the open-class tags."""
        known = self.form_tags.get(form)
        if known and not as_unseen:
            return known
        return self.open_tags.get(shape(form)) or self.open_tags.get("") or (0,)

    def form_number(self, form: str) -> int:
        """The number of a form, 0 if it is unseen. An unseen phrase is represented by its last
        word, in English most often its head."""
        number = self.forms.get(form, 0)
        return number or (self.forms.get(form.rpartition(" ")[2], 0) if self.back_off else 0)

    def label_number(self, label: str, default: int) -> int:
        """The number of a given label; `default` for an unknown one."""
        return self.label_numbers.get(label, len(self.labels) if label == ROOT_LABEL else default)

    def as_read(self, word: Word) -> Word:
        """The word without what models of this kind do not read.

        Features of a lemma stay: they decide its forms.
        """
        upos = word.upos if self.upos or self._tags_are_upos else None
        features = word.features if self.features or word.lemma is not None else None
        if (upos, features) == (word.upos, word.features):
            return word
        return replace(word, upos=upos, features=features)

    def as_known(self, word: Word) -> Word:
        """The word as the search sees it: without an unknown tag, feature or label.

        A UPOS tag in place of the tag counts as a UPOS tag. All unknown labels are the same to the
        search. They still matter where the head is not given: a word with such a label is not the
        root.
        """
        tag, upos = self._known_tags(word)
        features, label = word.features, word.deprel
        if self.features:
            features = self._known_features(features)
        elif word.lemma is None:
            features = None
        if label is not None and self.label_number(label, -1) < 0:
            label = _SOME_LABEL if word.head is None else None
        if (tag, upos, features, label) == (word.tag, word.upos, word.features, word.deprel):
            return word
        return Word(word.form, tag, word.head, label, word.lemma, features, upos)

    def known_words(self, words: Iterable[Word]) -> tuple[Word, ...]:
        """The words of a problem as the search sees them. If none of them has features, they are
        not given: empty features are informative only beside words that have some."""
        known = tuple(map(self.as_known, words))
        if not self.features or any(word.features for word in known):
            return known
        return tuple(
            word if word.features is None else replace(word, features=None) for word in known
        )

    def _known_tags(self, word: Word) -> tuple[str | None, str | None]:
        """The tag and the UPOS tag of a word, as far as they are known."""
        tag, upos = word.tag, word.upos
        if tag is not None and tag not in self.tag_numbers:
            tag, upos = None, upos or tag
        if tag is None and self._tags_are_upos and upos in self.tag_numbers:
            tag = upos
        return tag, upos if upos in self.upos_numbers else None

    def _find_known_features(self, features: str | None) -> str | None:
        """The known values among features; None if there are only unknown ones."""
        if not features:
            return features
        known = self.feature_numbers.keys() & feature_values(features)
        return "|".join(sorted(known)) or None

    def tag_of(self, word: Word, guess: int) -> str:
        """The tag that the model uses: the given one if it knows it, else its guess."""
        return self._known_tags(word)[0] or self.tags[guess]

    def unknown_tags(self, words: Iterable[Word]) -> list[str]:
        """The tags of the words that are not in the vocabulary, neither as tag nor as UPOS tag."""
        as_tag, as_upos = self.tag_numbers.keys(), self.upos_numbers.keys()
        return sorted(
            {
                word.tag
                for word in words
                if word.tag and not (word.upos is None and word.tag in as_upos)
            }
            - as_tag
        )

    def unknown_upos(self, words: Sequence[Word]) -> list[str]:
        """The UPOS tags of the words that are not in the vocabulary. A model that has none does
        without them where any word has a tag."""
        if not self.upos and (self._tags_are_upos or any(word.tag for word in words)):
            return []
        return sorted({word.upos for word in words if word.upos} - self.upos_numbers.keys())

    def unknown_features(self, words: Iterable[Word]) -> list[str]:
        """The values of the features of the words, if the vocabulary has none of them. A few
        unknown ones are in every other treebank."""
        if not self.features:
            return []
        given = {value for word in words for value in feature_values(word.features or "")}
        return [] if given & self.feature_numbers.keys() else sorted(given)

    def unknown_labels(self, words: Iterable[Word]) -> list[str]:
        """The labels of the words that are not in the vocabulary; a root's adds nothing to its
        head."""
        labels = {word.deprel for word in words if word.deprel and word.head != 0}
        return sorted(labels - self.label_numbers.keys() - {ROOT_LABEL})

    def label_name(self, number: int) -> str:
        """The label with this number; UD's `dep` where the model knows none."""
        return self.labels[number] if number < len(self.labels) else UNKNOWN_LABEL

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The vocabulary as arrays of a model file; `from_arrays` is the inverse."""
        further = ((UPOS_SECTION, self.upos), (FEATURES_SECTION, self.features))
        return {
            "forms": pack_lines(sorted(self.forms, key=self.forms.__getitem__)),
            "tags": pack_lines(self.tags),
            "labels": pack_lines(self.labels),
            "form_tags": pack_lines(_tag_lines(self.form_tags)),
            "open_tags": pack_lines(_tag_lines(self.open_tags)),
            "label_index": self.label_index,
            "label_pool": self.label_pool,
            **{name: pack_lines(names) for name, names in further if names},
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], *, back_off: bool = True
    ) -> Vocabulary:
        forms = read_lines(arrays, "forms")
        named: dict[str, tuple[str, ...]] = {}
        for name in ("tags", "labels", UPOS_SECTION, FEATURES_SECTION):
            optional = name in (UPOS_SECTION, FEATURES_SECTION) and name not in arrays
            named[name] = names = () if optional else tuple(read_lines(arrays, name))
            if len(names) > MAX_NAMES or "" in names or len(set(names)) < len(names):
                raise damaged(name, "an entry is empty or occurs twice, or there are too many")
        tags, labels, upos, features = named.values()
        if not tags:
            raise damaged("tags", "it is empty")
        # A label that is proposed may also be the unknown one.
        numbered = [section for section in TABLE if section.dtype is not np.uint8]
        sizes = check_sections(arrays, numbered, {"labels": len(labels) + 1})
        if not 1 <= sizes["known tags"] <= len(tags) + 1:
            raise damaged("label_index", f"it is not for {len(tags)} tags")
        index = np.array(arrays["label_index"])
        starts, counts = index[..., 0], index[..., 1]
        if (counts > len(labels) + 1).any() or (starts > sizes["pool"] - counts).any():
            raise damaged("label_index", "it points outside of 'label_pool'")
        form_tags, open_tags = (
            _parse_tag_lines(read_lines(arrays, name), name, len(tags))
            for name in ("form_tags", "open_tags")
        )
        numbers = {form: i for i, form in enumerate(forms, start=1)}
        if len(numbers) < len(forms) or not numbers.keys() <= form_tags.keys():
            raise damaged("forms", "a form occurs twice, or is not in 'form_tags'")
        pool = np.array(arrays["label_pool"])
        proposals = form_tags, open_tags, index, pool
        return cls(numbers, tags, labels, *proposals, back_off, upos, features)

    def check_proposals(self) -> None:
        """Refuse a vocabulary that does not propose labels for each pair of tags; for scorers that
        try the proposed labels."""
        if self.label_index.shape[1] != len(self.tags) + 1:
            raise damaged("label_index", f"it is not for {len(self.tags)} tags")


def feature_values(features: str) -> Iterator[str]:
    """The values of features as a vocabulary lists them: one for each of several of a name, as in
    `PronType=Int,Rel`. Notes that are not features of Universal Dependencies, such as `lin=+1`, are
    left out."""
    for part in features.split("|") if features else ():
        name, _, values = part.partition("=")
        if name[:1].isupper():
            for value in values.split(","):
                yield f"{name}={value}"


def _tag_lines(tags: dict[str, tuple[int, ...]]) -> list[str]:
    return [f"{name}\t{' '.join(map(str, numbers))}" for name, numbers in tags.items()]


def _parse_tag_lines(lines: Sequence[str], section: str, tags: int) -> dict[str, tuple[int, ...]]:
    """Forms may hold anything but a tab and a line end."""
    interned: dict[str, tuple[int, ...]] = {}
    parsed = {}
    for line in lines:
        name, _, numbers = line.partition("\t")
        if numbers not in interned:
            found = tuple(map(int, numbers.split(" "))) if _NUMBERS.fullmatch(numbers) else ()
            if not 0 < len(found) <= tags or max(found) >= tags:
                raise damaged(section, f"the tags of {shown(name)} are not numbers below {tags}")
            interned[numbers] = found
        parsed[name] = interned[numbers]
    if len(parsed) < len(lines):
        raise damaged(section, "an entry occurs twice")
    return parsed
