"""A problem: a bag of words with whatever is known of them, validated when it is built.

The checks are in `validation`, the canonical order in `canonical`, the closure of the order
constraints in `precedence`. Files are read into problems by `formats`, parsed sentences of other
packages by `objects`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from syntagma.problem import objects, validation
from syntagma.problem.canonical import canonical_order
from syntagma.problem.parse import (
    Given,
    Parse,
    ParseOrigin,
    canonical_listing,
    without_order,
)
from syntagma.problem.precedence import predecessors
from syntagma.problem.word import TagColumn, Word


@dataclass(frozen=True, slots=True)
class Problem:
    """A bag of words and the constraints that every result satisfies.

    All indices are 1-based. `before` holds pairs (a, b): word a stands somewhere before word b.
    `id` is carried over to the output; `origin` is for the writer: where and what was read.
    `predecessors` is derived: see `precedence.predecessors`.

    A word without a given head is the root if its label is given as "root"; with any other given
    label it cannot be the root.
    """

    words: tuple[Word, ...]
    before: tuple[tuple[int, int], ...] = ()
    first: int | None = None
    last: int | None = None
    id: str | None = None
    origin: object | None = field(default=None, compare=False, repr=False)
    predecessors: tuple[int, ...] | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if type(self.words) is not tuple:
            validation.check_iterable(self.words, validation.A_BAG)
            object.__setattr__(self, "words", tuple(self.words))
        validation.check_words(self.words)
        if self.id is not None:
            validation.check_id(self.id)
        validation.check_heads(self.words)
        validation.check_root(self.words)
        if type(self.before) is not tuple or self.before:
            object.__setattr__(self, "before", validation.as_pairs(self.before))
        if self.before or self.first is not None or self.last is not None:
            object.__setattr__(self, "first", validation.as_bound(self.first, "first"))
            object.__setattr__(self, "last", validation.as_bound(self.last, "last"))
            validation.check_order_constraints(self.words, self.before, self.first, self.last)
        closure = predecessors(self.words, self.before, self.first, self.last)
        object.__setattr__(self, "predecessors", closure)

    @classmethod
    def of(
        cls,
        words: Iterable[str | Word],
        *,
        before: Iterable[Sequence[int]] = (),
        first: int | None = None,
        last: int | None = None,
        id: str | None = None,
    ) -> Problem:
        """Build a problem from words or plain strings.

        >>> Problem.of(["barks", "dog", "the"], before=[(3, 2)]).words[1].form
        'dog'
        """
        validation.check_iterable(words, validation.A_BAG)
        return cls(
            tuple(Word(word) if isinstance(word, str) else word for word in words),
            before,  # type: ignore[arg-type]
            first,
            last,
            id,
        )

    @classmethod
    def from_spacy(
        cls,
        sentence: Any,
        *,
        tags: bool = True,
        arcs: bool = True,
        labels: bool = True,
        lemmas: bool = False,
        tag_column: TagColumn = "xpos",
    ) -> Problem:
        """Build a problem from a sentence of spaCy: a `Span`, or a `Doc` of one sentence.

        Everything in the parse is given to the search, unless `tags`, `arcs` or `labels` is False;
        labels are those of given arcs. Without arcs the words are ordered freely. `lemmas=True`
        gives lemmas and features instead of forms, for `Linearizer.realize`.

        `tag_column` is `Linearizer.tag_column`: "xpos" gives spaCy's `tag_`, "upos" its `pos_`.

        The words are listed in canonical order, which does not reveal that of the sentence.
        `Linearization.to_spacy` is the way back: it restores the annotations of each word.
        """
        parse = objects.parse_from_spacy(sentence)
        return cls._of_parse(parse, Given(tags, arcs, labels, lemmas, tag_column))

    @classmethod
    def from_conllu(
        cls,
        token_list: Any,
        *,
        tags: bool = True,
        arcs: bool = True,
        labels: bool = True,
        lemmas: bool = False,
        tag_column: TagColumn = "xpos",
    ) -> Problem:
        """Build a problem from a `TokenList` of the package conllu.

        The other arguments are those of `from_spacy`. `Linearization.to_conllu` is the way back.
        """
        parse = objects.parse_from_conllu(token_list)
        return cls._of_parse(parse, Given(tags, arcs, labels, lemmas, tag_column))

    @classmethod
    def from_stanza(
        cls,
        sentence: Any,
        *,
        tags: bool = True,
        arcs: bool = True,
        labels: bool = True,
        lemmas: bool = False,
        tag_column: TagColumn = "xpos",
    ) -> Problem:
        """Build a problem from a `Sentence` of Stanza, or a `Document` of one sentence.

        The other arguments are those of `from_spacy`. `Linearization.to_stanza` is the way back.
        """
        parse = objects.parse_from_stanza(sentence)
        return cls._of_parse(parse, Given(tags, arcs, labels, lemmas, tag_column))

    @classmethod
    def from_udapi(
        cls,
        tree: Any,
        *,
        tags: bool = True,
        arcs: bool = True,
        labels: bool = True,
        lemmas: bool = False,
        tag_column: TagColumn = "xpos",
    ) -> Problem:
        """Build a problem from a tree of udapi, given by its `Root`.

        The other arguments are those of `from_spacy`. `Linearization.to_udapi` is the way back.
        """
        parse = objects.parse_from_udapi(tree)
        return cls._of_parse(parse, Given(tags, arcs, labels, lemmas, tag_column))

    @classmethod
    def _of_parse(cls, parse: Parse, given: Given) -> Problem:
        given.warn_of_tags(parse.words)
        parse = without_order(parse)
        problem = cls(given.words(parse.words), id=parse.id)
        words, known = canonical_listing(problem.words, [word.annotation for word in parse.words])
        origin = ParseOrigin(known, parse.comments, given.tag_column)
        return problem._replace(words=words, origin=origin)

    @property
    def root(self) -> int | None:
        """The 1-based index of the word that must be the root, if the constraints decide that."""
        return validation.given_root(self.words) or None

    @property
    def may_be_root(self) -> tuple[bool, ...]:
        """For each word, whether the constraints on heads and labels allow it to be the root."""
        if root := validation.given_root(self.words):
            return tuple(index == root for index in range(1, len(self.words) + 1))
        return tuple(word.head is None and word.deprel is None for word in self.words)

    def with_forms(self, forms: Sequence[str]) -> Problem:
        """The problem with one form per word; the forms are not validated."""
        return self._replace(
            words=tuple(
                Word(form, word.tag, word.head, word.deprel, word.lemma, word.features, word.upos)
                for word, form in zip(self.words, forms, strict=True)
            )
        )

    def _replace(self, **changes: object) -> Problem:
        """A copy with other values of some fields, which are not validated."""
        problem = copy(self)
        for name, value in changes.items():
            object.__setattr__(problem, name, value)
        return problem

    def canonical(self) -> tuple[int, ...]:
        """The 0-based indices of the words in an order that does not depend on how they are listed.

        Only interchangeable words (swapping them leaves the problem the same) may come out in
        another order when the problem is listed in another order.
        """
        return canonical_order(self.words, self.before, self.first, self.last)
