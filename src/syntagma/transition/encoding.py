"""From a problem to the numbers of the core, and from the core's actions to a linearization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from syntagma.problem.alternative import Alternative
from syntagma.problem.problem import Problem
from syntagma.problem.shape import shape_and_suffix
from syntagma.problem.word import ROOT_LABEL, Word
from syntagma.results.linearization import Linearization, Token
from syntagma.transition._state import SearchTask
from syntagma.transition.vocabulary import Vocabulary

SHIFT, LEFTARC, RIGHTARC = 0, 1, 2
NONE, ROOT = -1, -2

Action = tuple[int, int, int, int]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Encoding:
    """A problem for the core: `order[i]` is the 0-based index in the problem of its word i.

    `fixed`: one order was asked for. `alternatives` are the forms that each word of the problem may
    take, if they are not given; then its form is the first of them.
    """

    problem: Problem
    order: tuple[int, ...]
    task: SearchTask
    fixed: bool = False
    alternatives: Sequence[Sequence[Alternative]] | None = None

    @property
    def forms(self) -> list[str]:
        """The forms of the words, in the order of the core."""
        return [self.problem.words[at].form for at in self.order]

    @property
    def choices(self) -> list[Sequence[Alternative]] | None:
        """The alternatives of each word, in the order of the core."""
        if self.alternatives is None:
            return None
        return [self.alternatives[at] for at in self.order]

    @property
    def leaders(self) -> list[int]:
        """For each word the first of those it is interchangeable with, which may be itself."""
        return leaders(self.task.twins)


def encode(
    problem: Problem,
    vocabulary: Vocabulary,
    fixed: Sequence[str] | Sequence[int] | None = None,
    alternatives: Sequence[Sequence[Alternative]] | None = None,
) -> Encoding:
    """Number the words in canonical order.

    `fixed` asks for one order of the words: their forms, or their 1-based indices.
    """
    order = problem.canonical()
    rows = word_rows(problem, order, vocabulary, alternatives)
    kinds = None
    if fixed is not None:
        if isinstance(fixed[0], int):
            same = leaders([row[5] for row in rows])
            rows = [(*row[:4], leader, *row[5:]) for row, leader in zip(rows, same, strict=True)]
        kind_of: dict[str | int, int] = {}
        for at, row in zip(order, rows, strict=True):
            kind_of[at + 1] = kind_of[problem.words[at].form] = row[4]
        kinds = np.array([kind_of[item] for item in fixed], np.int32)
    tags = [
        (row[1],) if row[1] != NONE else vocabulary.tags_of(problem.words[at].form)
        for at, row in zip(order, rows, strict=True)
    ]
    encoded = search_task(problem, order, rows, tags, kinds)
    return Encoding(problem, order, encoded, kinds is not None, alternatives)


def decode(
    encoding: Encoding,
    vocabulary: Vocabulary,
    score: float,
    actions: Sequence[Action],
    forms: Sequence[int] = (),
) -> Linearization:
    """Read the sentence and its tree off a complete derivation.

    `forms` says which of its forms each word takes, in their order.
    """
    stack: list[int] = []
    placed: list[int] = []
    tags: dict[int, int] = {}
    arcs: dict[int, tuple[int, int]] = {}
    for kind, number, tag, label in actions:
        if kind == SHIFT:
            stack.append(number)
            placed.append(number)
            tags[number] = tag
        elif kind == LEFTARC:
            arcs[stack.pop(-2)] = stack[-1], label
        else:
            dependent = stack.pop()
            arcs[dependent] = stack[-1], label
    position = {number: i for i, number in enumerate(placed, start=1)}
    problem = encoding.problem
    if encoding.alternatives is not None:
        sources = [encoding.order[number] for number in placed]
        problem = _with_forms(problem, encoding.alternatives, sources, forms)
    tokens = []
    for number in placed:
        word = problem.words[encoding.order[number]]
        head, label = arcs.get(number, (ROOT, NONE))
        tokens.append(
            Token(
                form=word.form,
                tag=word.tag or vocabulary.tags[tags[number]],
                head=position.get(head, 0),
                deprel=word.deprel
                or (ROOT_LABEL if head == ROOT else vocabulary.label_name(label)),
                source=encoding.order[number] + 1,
            )
        )
    return Linearization(tuple(tokens), score, problem)


def _with_forms(
    problem: Problem,
    alternatives: Sequence[Sequence[Alternative]],
    sources: Sequence[int],
    forms: Sequence[int],
) -> Problem:
    """The problem with the forms that its words, placed in the order of `sources`, have taken."""
    taken = [""] * len(problem.words)
    begun = False
    for source, form in zip(sources, forms, strict=True):
        chosen = alternatives[source][form]
        taken[source] = chosen.text if begun else chosen.initial
        begun = begun or chosen.spoken
    return problem.with_forms(taken)


def word_rows(
    problem: Problem,
    order: Sequence[int],
    vocabulary: Vocabulary,
    alternatives: Sequence[Sequence[Alternative]] | None = None,
) -> list[tuple[int, ...]]:
    """The given fields of the core's Word for each word, up to `may_be_root`."""
    words = problem.words
    number = {at: i for i, at in enumerate(order)}
    root = problem.root
    may_be_root = problem.may_be_root
    unknown_tag, unknown_label = len(vocabulary.tags), len(vocabulary.labels)
    named = _named(problem)
    heads = {word.head for word in words}
    kinds: dict[tuple[str, str], int] = {}
    last_like: dict[Word, int] = {}
    rows: list[tuple[int, ...]] = []
    for i, at in enumerate(order):
        word = words[at]
        form = _form_number(word.form, vocabulary)
        shape, suffix = shape_and_suffix(word.form)
        twin = NONE
        if at + 1 not in heads and at + 1 not in named:
            twin = last_like.get(word, NONE)
            last_like[word] = i
        tag = NONE
        if word.tag is not None:
            tag = vocabulary.tag_numbers.get(word.tag, unknown_tag)
        if at + 1 == root:
            head = ROOT
        elif word.head is None:
            head = NONE
        else:
            head = number[word.head - 1]
        label = NONE
        if word.deprel is not None:
            label = vocabulary.label_numbers.get(word.deprel, unknown_label)
        initial = alternatives[at][0].initial if alternatives else word.form
        kind = kinds.setdefault((word.form, initial), len(kinds))
        rows.append((form, tag, head, label, kind, twin, shape, suffix, may_be_root[at]))
    return rows


def search_task(
    problem: Problem,
    order: Sequence[int],
    rows: Sequence[tuple[int, ...]],
    tags: Sequence[tuple[int, ...]],
    kinds: Ints | None,
) -> SearchTask:
    """`tags` holds the candidate tags of each word."""
    pool: list[int] = []
    fields = []
    for row, candidates in zip(rows, tags, strict=True):
        fields.append((*row, len(pool), len(candidates)))
        pool.extend(candidates)
    root = next((i for i, row in enumerate(rows) if row[2] == ROOT), NONE)
    masks = None
    if problem.predecessors is not None:
        masks = [_renumber(problem.predecessors[at], order) for at in order]
    return SearchTask(np.array(fields, np.int32), np.array(pool, np.int32), root, masks, kinds)


def _renumber(mask: int, order: Sequence[int]) -> int:
    return sum(1 << i for i, at in enumerate(order) if mask >> at & 1)


def _named(problem: Problem) -> set[int]:
    """The words that an order constraint names."""
    named = {index for pair in problem.before for index in pair}
    return named | {index for index in (problem.first, problem.last) if index is not None}


def _form_number(form: str, vocabulary: Vocabulary) -> int:
    """A phrase that was not seen as such goes by its last word, in English most often its head."""
    number = vocabulary.forms.get(form)
    if number is None:
        number = vocabulary.forms.get(form.rpartition(" ")[2], 0)
    return number


def leaders(twins: Sequence[int]) -> list[int]:
    """For each word the first of those it is interchangeable with, which may be itself."""
    leaders: list[int] = []
    for number, twin in enumerate(twins):
        leaders.append(number if twin == NONE else leaders[twin])
    return leaders
