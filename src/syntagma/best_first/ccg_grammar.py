"""A CCG grammar read off derivations: the categories, the rules, and the categories of each word.

The grammar of Zhang and Clark (2015), §3.1: every instance of a binary or unary rule that training
derivations hold, and no other. Searching with it is the business of the core; which of two
categories is the head is decided by `categories`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from syntagma.files.packing import pack_lines, unpack_lines
from syntagma.results.categories import head_side
from syntagma.results.derivation import Derivation
from syntagma.transition.vocabulary import Vocabulary

# On EWT's dev set 96.7% of the words have their category among 6 on average if tags are given,
# 95.0% tag and category among 11 pairs if they are not. (RARE 10: 96.3% of 5.6 and 94.7% of 10.3.)
RARE = 20  # a form seen less often may have categories that it was not seen with
MAX_CATEGORIES = 20  # of a tag
MIN_SHARE = 0.005  # a pair of a form, or a category of a tag, that is rarer is not proposed

Int32 = npt.NDArray[np.int32]
LexicalEntry = tuple[int, int]  # tag, category
T = TypeVar("T", bound=Hashable)


class CcgGrammar:
    """Categories, which have numbers by their place, and the rules and words that use them.

    `binary` has a row (left, right, result, head side) for each rule, `unary` a row (from, to); the
    rows are sorted. A tag's categories are those of rare words with it; the last list is for tags
    that the vocabulary does not know.
    """

    SECTIONS: ClassVar = frozenset(
        {
            *("ccg_categories", "ccg_binary", "ccg_unary", "ccg_forms", "ccg_rare"),
            *("ccg_form_starts", "ccg_form_leaves", "ccg_tag_starts", "ccg_tag_categories"),
        }
    )

    def __init__(
        self,
        categories: Sequence[str],
        binary: Int32,
        unary: Int32,
        form_leaves: dict[str, tuple[LexicalEntry, ...]],
        rare_forms: frozenset[str],
        tag_categories: Sequence[tuple[int, ...]],
    ) -> None:
        self.categories = tuple(categories)
        self.category_numbers = {category: i for i, category in enumerate(self.categories)}
        self.binary = binary
        self.unary = unary
        self.form_leaves = form_leaves
        self.rare_forms = rare_forms
        self.tag_categories = tuple(tag_categories)
        # The core numbers rules from 1, the binary ones first: by their categories.
        rows = [*binary[:, :3].tolist(), *unary.tolist()]
        self.rule_numbers = {tuple(row): number for number, row in enumerate(rows, start=1)}

    @classmethod
    def of_derivations(
        cls, derivations: Iterable[Derivation], vocabulary: Vocabulary
    ) -> CcgGrammar:
        """The grammar of the derivations; the vocabulary must know their tags."""
        names: set[str] = set()
        binary: set[tuple[str, str, str]] = set()
        unary: set[tuple[str, str]] = set()
        words: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for derivation in derivations:
            for node in derivation.nodes:
                names.add(node.category)
                if len(node.children) == 2:
                    left, right = node.children
                    binary.add((left.category, right.category, node.category))
                elif node.children:
                    unary.add((node.children[0].category, node.category))
                elif node.form is not None and node.tag is not None:
                    words[node.form][node.tag, node.category] += 1
        categories = sorted(names)
        number = {category: i for i, category in enumerate(categories)}
        forms: dict[str, Counter[LexicalEntry]] = {
            form: Counter(
                {
                    (vocabulary.tag_numbers[tag], number[category]): count
                    for (tag, category), count in words[form].items()
                }
            )
            for form in sorted(words)
        }
        rare = frozenset(form for form, counts in forms.items() if counts.total() < RARE)
        return cls(
            categories,
            _rows(((number[a], number[b], number[c], head_side(a, b, c)) for a, b, c in binary), 4),
            _rows(((number[a], number[b]) for a, b in unary), 2),
            {form: _most_frequent(counts) for form, counts in forms.items()},
            rare,
            _categories_by_tag(forms, rare, len(vocabulary.tags)),
        )

    def leaves_of(
        self, form: str, tag: int | None, vocabulary: Vocabulary, *, as_unseen: bool = False
    ) -> list[LexicalEntry]:
        """The pairs of tag and category to try for a form, at least one, the likeliest first.

        A tag that is given restricts them. A rare form has those it was seen with, in lower case
        too, and the categories of its tags; and so has a form that was not seen with the tag. With
        `as_unseen`, a form is treated as if training had not seen it.
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
        return {
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

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> CcgGrammar:
        forms = unpack_lines(arrays["ccg_forms"])
        leaves = [(tag, category) for tag, category in arrays["ccg_form_leaves"].tolist()]
        return cls(
            unpack_lines(arrays["ccg_categories"]),
            np.array(arrays["ccg_binary"]),
            np.array(arrays["ccg_unary"]),
            dict(zip(forms, _slices(leaves, arrays["ccg_form_starts"]), strict=True)),
            frozenset(form for form, rare in zip(forms, arrays["ccg_rare"], strict=True) if rare),
            _slices(arrays["ccg_tag_categories"].tolist(), arrays["ccg_tag_starts"]),
        )


def _rows(rules: Iterable[tuple[int, ...]], width: int) -> Int32:
    return np.array(sorted(rules), np.int32).reshape(-1, width)


def _starts(lists: Iterable[Sequence[Any]]) -> Int32:
    """Where each list starts when all are written one after the other, and where the last ends."""
    return np.cumsum([0, *map(len, lists)], dtype=np.int32)


def _slices(items: Sequence[T], starts: npt.NDArray[Any]) -> list[tuple[T, ...]]:
    bounds = starts.tolist()
    return [tuple(items[a:b]) for a, b in pairwise(bounds)]


def _most_frequent(counts: Counter[T], limit: int | None = None) -> tuple[T, ...]:
    """The most frequent ones, ties by order; but for the first, none of a negligible share."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]
    least = MIN_SHARE * counts.total()
    return tuple(item for i, (item, count) in enumerate(ranked) if i == 0 or count >= least)


def _categories_by_tag(
    forms: Mapping[str, Counter[LexicalEntry]], rare: frozenset[str], size: int
) -> list[tuple[int, ...]]:
    """The categories of each tag by what rare forms have, by what all have if none is rare.

    The categories of unknown tags, which come last, are those of rare forms of any tag.
    """
    of_rare = [Counter[int]() for _ in range(size + 1)]
    of_all = [Counter[int]() for _ in range(size + 1)]
    for form, counts in forms.items():
        for (tag, category), count in counts.items():
            for each in (tag, size):
                of_all[each][category] += count
                if form in rare:
                    of_rare[each][category] += count
    chosen = [
        _most_frequent(some or every, MAX_CATEGORIES)
        for some, every in zip(of_rare, of_all, strict=True)
    ]
    return [categories or chosen[size] or (0,) for categories in chosen]
