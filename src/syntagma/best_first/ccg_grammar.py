"""A CCG grammar: its categories, its binary and unary rules, and the lexicon.

`training` reads it off the derivations of a CCGbank; `_ccg_edges` builds edges with it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from syntagma.files.sections import (
    Section,
    check_sections,
    damaged,
    pack_lines,
    read_lines,
    text_section,
)
from syntagma.transition.vocabulary import Vocabulary

Int32 = npt.NDArray[np.int32]
LexicalEntry = tuple[int, int]  # tag, category
T = TypeVar("T", bound=Hashable)

# Rows as explained in `CcgGrammar`; `…_starts` are the bounds of the lists of each form and tag.
TABLE = (
    text_section("ccg_categories"),
    Section("ccg_binary", np.int32, ("binary rules", 4), least=0),
    Section("ccg_unary", np.int32, ("unary rules", 2), least=0, below="categories"),
    text_section("ccg_forms"),
    Section("ccg_rare", np.bool_, ("forms",)),
    Section("ccg_form_starts", np.int32, ("forms and end",), least=0),
    Section("ccg_form_leaves", np.int32, ("leaves", 2), least=0),
    Section("ccg_tag_starts", np.int32, ("tags and end",), least=0),
    Section("ccg_tag_categories", np.int32, ("listed",), least=0, below="categories"),
)
CHAINS = Section("ccg_chains", np.bool_, (1,))  # absent if there are none


@dataclass(eq=False, repr=False)
class CcgGrammar:
    """Categories, numbered by position, and the rules and the lexicon over them.

    `binary` has a row (left, right, result, head side) for each rule, `unary` a row (from, to); the
    rows are sorted. Rules that differ only in the side of the head are different rules. With
    `chains`, unary rules may be applied on top of unary rules, as long as no category occurs twice
    in a chain. The lexicon lists pairs of tag and category for each form (`form_leaves`), and
    categories for each tag (`tag_categories`), to be tried for rare and unseen forms; the last of
    these lists is for tags that the vocabulary does not know.
    """

    SECTIONS: ClassVar = frozenset(section.name for section in TABLE)

    categories: Sequence[str]
    binary: Int32
    unary: Int32
    form_leaves: dict[str, tuple[LexicalEntry, ...]]
    rare_forms: frozenset[str]
    tag_categories: Sequence[tuple[int, ...]]
    chains: bool = False

    def __post_init__(self) -> None:
        self.category_numbers = {category: i for i, category in enumerate(self.categories)}
        # By their rows. `_ccg_edges` numbers rules from 1, binary rules first.
        rows = [*self.binary.tolist(), *self.unary.tolist()]
        self.rule_numbers = {tuple(row): number for number, row in enumerate(rows, start=1)}

    def leaves_of(
        self, form: str, tag: int | None, vocabulary: Vocabulary, *, as_unseen: bool = False
    ) -> list[LexicalEntry]:
        """The pairs of tag and category to try for a form, the most frequent first; at least one.

        A given tag restricts them. For a rare form, the pairs of its lower-case form and all
        categories of its tags are added; the latter also for a form that was not seen with the
        given tag. With `as_unseen`, the form is treated as if it were not in the lexicon.
        """
        found: list[LexicalEntry] = []
        if not as_unseen:
            found += self.form_leaves.get(form, ())
        rare = not found or form in self.rare_forms
        if rare and not as_unseen and form.lower() != form:
            found += self.form_leaves.get(form.lower(), ())
        if tag is not None:
            found = [leaf for leaf in found if leaf[0] == tag]
        if rare or not found:
            tags = vocabulary.tags_of(form, as_unseen=as_unseen) if tag is None else (tag,)
            found += [(each, category) for each in tags for category in self._categories_of(each)]
        return list(dict.fromkeys(found))

    def _categories_of(self, tag: int) -> tuple[int, ...]:
        return self.tag_categories[min(tag, len(self.tag_categories) - 1)]

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The grammar as arrays of a model file; `from_arrays` is the inverse."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "ccg_categories": pack_lines(self.categories),
            "ccg_binary": self.binary,
            "ccg_unary": self.unary,
            "ccg_forms": pack_lines(self.form_leaves),
            "ccg_rare": np.array([form in self.rare_forms for form in self.form_leaves], np.bool_),
            "ccg_form_starts": _starts(self.form_leaves.values()),
            "ccg_form_leaves": np.array(
                [*chain.from_iterable(self.form_leaves.values())], np.int32
            ).reshape(-1, 2),
            "ccg_tag_starts": _starts(self.tag_categories),
            "ccg_tag_categories": np.array([*chain.from_iterable(self.tag_categories)], np.int32),
        }
        if self.chains:
            arrays[CHAINS.name] = np.array([True])
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> CcgGrammar:
        categories = read_lines(arrays, "ccg_categories")
        forms = read_lines(arrays, "ccg_forms")
        if not categories or len(set(categories)) < len(categories):
            raise damaged("ccg_categories", "it is empty, or a category occurs twice")
        if len(set(forms)) < len(forms):
            raise damaged("ccg_forms", "a form occurs twice")
        numbers = [section for section in TABLE if section.dtype is not np.uint8]
        if CHAINS.name in arrays:
            numbers.append(CHAINS)
        known = {
            "categories": len(categories),
            "forms": len(forms),
            "forms and end": len(forms) + 1,
        }
        check_sections(arrays, numbers, known)
        _check_rules(arrays)
        for name, columns in (("ccg_binary", slice(3)), ("ccg_form_leaves", slice(1, 2))):
            if (arrays[name][:, columns] >= len(categories)).any():
                raise damaged(name, f"there are only {len(categories)} categories")
        pairs = [(tag, category) for tag, category in arrays["ccg_form_leaves"].tolist()]
        return cls(
            categories,
            np.array(arrays["ccg_binary"]),
            np.array(arrays["ccg_unary"]),
            dict(zip(forms, _slices(pairs, arrays, "ccg_form_starts"), strict=True)),
            frozenset(form for form, rare in zip(forms, arrays["ccg_rare"], strict=True) if rare),
            _slices(arrays["ccg_tag_categories"].tolist(), arrays, "ccg_tag_starts"),
            chains=CHAINS.name in arrays and bool(arrays[CHAINS.name][0]),
        )

    def check_vocabulary(self, vocabulary: Vocabulary) -> None:
        """Refuse a grammar whose lexicon is for other tags."""
        tags = len(vocabulary.tags)
        if len(self.tag_categories) != tags + 1 or not all(self.tag_categories):
            raise damaged("ccg_tag_starts", f"it does not list categories for {tags} tags")
        if any(tag >= tags for leaves in self.form_leaves.values() for tag, _ in leaves):
            raise damaged("ccg_form_leaves", f"there are only {tags} tags")


def _check_rules(arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Rules are found by bisection, so they must be sorted; none may occur twice."""
    if (arrays["ccg_binary"][:, 3] > 1).any():
        raise damaged("ccg_binary", "the head of a rule is neither left nor right")
    for name in ("ccg_binary", "ccg_unary"):
        rules = [tuple(rule) for rule in arrays[name].tolist()]
        if any(one >= other for one, other in pairwise(rules)):
            raise damaged(name, "its rules are not sorted, or one occurs twice")


def _starts(lists: Iterable[Sequence[Any]]) -> Int32:
    """Where each list starts in the concatenation of all, and where the last one ends."""
    return np.cumsum([0, *map(len, lists)], dtype=np.int32)


def _slices(
    items: Sequence[T], arrays: Mapping[str, npt.NDArray[Any]], name: str
) -> list[tuple[T, ...]]:
    bounds = arrays[name].tolist()
    if bounds[:1] != [0] or bounds[-1] != len(items) or bounds != sorted(bounds):
        raise damaged(name, f"it does not divide a list of {len(items)} items")
    return [tuple(items[a:b]) for a, b in pairwise(bounds)]
