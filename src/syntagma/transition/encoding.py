"""From a problem to the numbers of the core, and from the core's actions to a linearization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from syntagma.problem.problem import Problem
from syntagma.problem.shape import shape_and_suffix
from syntagma.problem.word import ROOT_LABEL, Word
from syntagma.results.linearization import Linearization, Token
from syntagma.transition._state import SearchTask
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence

SHIFT, LEFTARC, RIGHTARC = 0, 1, 2
_NONE, _ROOT = -1, -2

Action = tuple[int, int, int, int]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Alternative:
    """A form that a word may take, the same as first of a sentence, and the logarithm of its share
    among the forms of the word."""

    text: str
    initial: str
    log_share: float = 0.0

    @property
    def spoken(self) -> bool:
        """Whether it is more than punctuation, so that what comes after is not the first word."""
        return any(map(str.isalnum, self.text))


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
    def leaders(self) -> list[int]:
        """For each word the first of those it is interchangeable with, which may be itself."""
        return _leaders(self.task.twins)


@dataclass(frozen=True, slots=True)
class Reference:
    """The gold derivation of an encoding, in the core's numbers."""

    order: Ints
    heads: Ints
    labels: Ints
    tags: Ints


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
    rows = _rows(problem, order, vocabulary, alternatives)
    kinds = None
    if fixed is not None:
        if isinstance(fixed[0], int):
            leaders = _leaders([row[5] for row in rows])
            rows = [(*row[:4], leader, *row[5:]) for row, leader in zip(rows, leaders, strict=True)]
        kind_of: dict[str | int, int] = {}
        for at, row in zip(order, rows, strict=True):
            kind_of[at + 1] = kind_of[problem.words[at].form] = row[4]
        kinds = np.array([kind_of[item] for item in fixed], np.int32)
    tags = [
        (row[1],) if row[1] != _NONE else vocabulary.tags_of(problem.words[at].form)
        for at, row in zip(order, rows, strict=True)
    ]
    encoded = _encoded(problem, order, rows, tags, kinds)
    return Encoding(problem, order, encoded, kinds is not None, alternatives)


def encode_training(
    sentence: Sentence, problem: Problem, vocabulary: Vocabulary
) -> tuple[Encoding, Reference]:
    """Encode a problem whose words are listed in the order of `sentence`, with its derivation.

    Rare words are treated as unseen, so that the model learns to deal with them; the gold tag is
    always among the candidates.
    """
    order = problem.canonical()
    rows = _rows(problem, order, vocabulary)
    number_at = _positions(order, [row[5] for row in rows])
    size = len(order)
    heads = np.full(size, _ROOT, np.int32)
    labels = np.full(size, len(vocabulary.labels), np.int32)
    tags = np.zeros(size, np.int32)
    for position, number in enumerate(number_at):
        tags[number] = vocabulary.tag_numbers[sentence.tags[position]]
        if sentence.heads[position]:
            heads[number] = number_at[sentence.heads[position] - 1]
            labels[number] = vocabulary.label_numbers[sentence.deprels[position]]
    reference = Reference(np.array(number_at, np.int32), heads, labels, tags)
    candidates = []
    for at, row, gold in zip(order, rows, tags.tolist(), strict=True):
        proposed = vocabulary.tags_of(problem.words[at].form, as_unseen=row[0] == 0)
        if row[1] != _NONE:
            proposed = (row[1],)
        elif gold not in proposed:
            proposed = (*proposed, gold)
        candidates.append(proposed)
    return Encoding(problem, order, _encoded(problem, order, rows, candidates, None)), reference


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
        head, label = arcs.get(number, (_ROOT, _NONE))
        tokens.append(
            Token(
                form=word.form,
                tag=word.tag or vocabulary.tags[tags[number]],
                head=position.get(head, 0),
                deprel=word.deprel
                or (ROOT_LABEL if head == _ROOT else vocabulary.label_name(label)),
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


def _rows(
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
        twin = _NONE
        if at + 1 not in heads and at + 1 not in named:
            twin = last_like.get(word, _NONE)
            last_like[word] = i
        tag = _NONE
        if word.tag is not None:
            tag = vocabulary.tag_numbers.get(word.tag, unknown_tag)
        if at + 1 == root:
            head = _ROOT
        elif word.head is None:
            head = _NONE
        else:
            head = number[word.head - 1]
        label = _NONE
        if word.deprel is not None:
            label = vocabulary.label_numbers.get(word.deprel, unknown_label)
        initial = alternatives[at][0].initial if alternatives else word.form
        kind = kinds.setdefault((word.form, initial), len(kinds))
        rows.append((form, tag, head, label, kind, twin, shape, suffix, may_be_root[at]))
    return rows


def _encoded(
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
    root = next((i for i, row in enumerate(rows) if row[2] == _ROOT), _NONE)
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


def _positions(order: Sequence[int], twins: Sequence[int]) -> list[int]:
    """The number of the word at each gold position, interchangeable words in rising order."""
    number_at = [0] * len(order)
    for number, at in enumerate(order):
        number_at[at] = number
    members: dict[int, list[int]] = {}
    for number, leader in enumerate(_leaders(twins)):
        members.setdefault(leader, []).append(number)
    for group in members.values():
        if len(group) > 1:
            places = sorted(order[number] for number in group)
            for place, number in zip(places, group, strict=True):
                number_at[place] = number
    return number_at


def _leaders(twins: Sequence[int]) -> list[int]:
    """For each word the first of those it is interchangeable with, which may be itself."""
    leaders: list[int] = []
    for number, twin in enumerate(twins):
        leaders.append(number if twin == _NONE else leaders[twin])
    return leaders
