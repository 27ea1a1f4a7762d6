"""From a problem to the numbers that the compiled search works on, and from its trees to words.

Gold derivations are encoded in `training`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from syntagma.problem.canonical import canonical_order
from syntagma.problem.precedence import renumbered
from syntagma.problem.problem import Problem
from syntagma.problem.word import ROOT_LABEL, Alternative, Word, shape_and_suffix
from syntagma.results.linearization import Linearization, Token
from syntagma.transition._search import FoundTree
from syntagma.transition._state import NOT_GIVEN, ROOT_HEAD, SearchTask
from syntagma.transition.vocabulary import Vocabulary

NONE, ROOT = NOT_GIVEN, ROOT_HEAD

Ints = npt.NDArray[np.int32]


@dataclass(slots=True)
class Encoding:
    """A problem in numbers: its words are numbered in canonical order.

    `order[i]` is the 0-based index in the problem of word number i, `tags[i]` the number of its
    given tag (NONE if there is none, or an unknown one), `heads[i]` that of its given head (NONE or
    ROOT if there is none), `leaders[i]` the first of the words it is interchangeable with, which
    may be itself. `shares` are the shares of words whose tag (or UPOS tag), head and label are
    given and known. `fixed`: one order is to be scored, or its first words are given; `asked` are
    the 0-based indices of its words, if it is given by indices. `alternatives` are the forms that
    each word of the problem may take, if forms are to be chosen; the form in the problem is then
    the first of them. `known` is what `numbered_words` gives. `is_tree`: whether
    all arcs are given.

    `lifts` says how far each word is lifted; `heads` are then those after lifting, `given_heads`
    those of the problem. `liftings` are what a search is to try besides what the model expects, in
    word numbers; None: orders must be projective. See `lifting`.
    """

    problem: Problem
    order: tuple[int, ...]
    task: SearchTask
    tags: tuple[int, ...]
    heads: tuple[int, ...]
    leaders: tuple[int, ...]
    shares: tuple[float, float, float]
    fixed: bool = False
    asked: tuple[int, ...] | None = None
    alternatives: Sequence[Sequence[Alternative]] | None = None
    known: tuple[Word, ...] = ()
    is_tree: bool = False
    lifts: tuple[int, ...] = ()
    given_heads: tuple[int, ...] = ()
    liftings: tuple[tuple[int, ...], ...] | None = None

    @property
    def forms(self) -> list[str]:
        """The forms of the words, by number."""
        return [self.problem.words[at].form for at in self.order]

    @property
    def has_choices(self) -> bool:
        """Whether a word may take several forms, or another one as first of a sentence."""
        return self.alternatives is not None and any(
            len(forms) > 1 or forms[0].text != forms[0].initial for forms in self.alternatives
        )

    @property
    def choices(self) -> list[Sequence[Alternative]] | None:
        """The forms that each word may take, by number."""
        if self.alternatives is None:
            return None
        return [self.alternatives[at] for at in self.order]


class WordRow(NamedTuple):
    """What is given for a word: the first fields of struct Word in _state.pxd, in its order."""

    form: int
    tag: int
    head: int
    label: int
    kind: int
    twin: int
    shape: int
    suffix: int
    may_be_root: int


def encode(
    problem: Problem,
    vocabulary: Vocabulary,
    fixed: Sequence[str] | Sequence[int] | None = None,
    alternatives: Sequence[Sequence[Alternative]] | None = None,
    *,
    lifting: bool = False,
) -> Encoding:
    """Number the words in canonical order; with `lifting`, orders need not be projective.

    A tag, feature or label that the vocabulary does not have counts as not given. `fixed` asks for
    one order of the words: their forms, or their 1-based indices. If it has fewer forms than there
    are words, it asks for orders that begin with them.
    """
    read = tuple(map(vocabulary.as_read, problem.words))
    known = vocabulary.known_words(read)
    order = search_order(problem, read, known)
    rows = word_rows(problem, order, vocabulary, known, alternatives)
    kinds = asked = None
    if fixed is not None:
        if isinstance(fixed[0], int):
            rows = [
                row._replace(kind=leader)
                for row, leader in zip(rows, find_leaders(rows), strict=True)
            ]
            asked = tuple(int(index) - 1 for index in fixed)
        kind_of: dict[str | int, int] = {}
        for at, row in zip(order, rows, strict=True):
            kind_of[at + 1] = kind_of[problem.words[at].form] = row.kind
        kinds = np.full(len(rows), NONE, np.int32)
        kinds[: len(fixed)] = [kind_of[item] for item in fixed]
    tags = [
        (row.tag,) if row.tag != NONE else vocabulary.tags_of(problem.words[at].form)
        for at, row in zip(order, rows, strict=True)
    ]
    numbered = numbered_words(known, order, vocabulary)
    encoding = build_encoding(problem, order, rows, tags, kinds, alternatives, numbered)
    encoding.asked = asked
    encoding.liftings = () if lifting else None
    return encoding


def decode(
    encoding: Encoding, vocabulary: Vocabulary, found: FoundTree, narrowed: bool = False
) -> Linearization:
    """The words and the tree that a search found."""
    position = {number: place for place, number in enumerate(found.order, start=1)}
    problem = encoding.problem
    # Interchangeable words keep the order in which they were asked for.
    sources = encoding.asked or [encoding.order[number] for number in found.order]
    if encoding.alternatives is not None:
        problem = with_chosen_forms(problem, encoding.alternatives, sources, found.forms)
    tokens, tags = [], []
    for number, source in zip(found.order, sources, strict=True):
        word = problem.words[source]
        head = found.heads[number]
        tags.append(vocabulary.tag_of(word, found.tags[number]))
        tokens.append(
            Token(
                form=word.form,
                tag=word.tag or tags[-1],
                head=position.get(head, 0),
                deprel=word.deprel
                or (ROOT_LABEL if head == ROOT else vocabulary.label_name(found.labels[number])),
                source=source + 1,
            )
        )
    return Linearization(
        tuple(tokens),
        found.score,
        problem,
        found.fluency,
        tuple(found.parts.items()),
        narrowed=narrowed,
        model_tags=tuple(tags),
    )


def with_chosen_forms(
    problem: Problem,
    alternatives: Sequence[Sequence[Alternative]],
    sources: Sequence[int],
    forms: Sequence[int],
) -> Problem:
    """The problem with the chosen forms; `sources` are its words in the order they were placed.

    Words that were not placed keep theirs.
    """
    taken = [word.form for word in problem.words]
    begun = False
    for source, form in zip(sources, forms, strict=True):
        chosen = alternatives[source][form]
        taken[source] = chosen.text if begun else chosen.initial
        begun = begun or chosen.spoken
    return problem.with_forms(taken)


def search_order(
    problem: Problem, read: tuple[Word, ...], known: tuple[Word, ...]
) -> tuple[int, ...]:
    """The 0-based indices of the words in canonical order; `read` are the words as models of this
    kind read them, `known` as this one knows them.

    Unknown tags, features and labels have no influence on what the search finds: they only decide
    which of the words that it cannot tell apart comes first. What models of this kind do not read
    does not even do that.
    """
    order = canonical_order(read, problem.before, problem.first, problem.last)
    if known == read:
        return order
    new = {at + 1: number for number, at in enumerate(order, start=1)}
    relisted = [
        replace(known[at], head=new[head] if (head := known[at].head) else head) for at in order
    ]
    again = canonical_order(
        relisted,
        [(new[a], new[b]) for a, b in problem.before],
        None if problem.first is None else new[problem.first],
        None if problem.last is None else new[problem.last],
    )
    return tuple(order[number] for number in again)


def numbered_words(
    known: Sequence[Word], order: Sequence[int], vocabulary: Vocabulary
) -> tuple[Word, ...]:
    """The words as the model knows them, by number; none for a model that knows no more than
    forms, tags and labels."""
    if not vocabulary.upos and not vocabulary.features:
        return ()
    return tuple(known[at] for at in order)


def word_rows(
    problem: Problem,
    order: Sequence[int],
    vocabulary: Vocabulary,
    known: Sequence[Word],
    alternatives: Sequence[Sequence[Alternative]] | None = None,
) -> list[WordRow]:
    """What is given for each word, by number; `known` are the words as the vocabulary knows
    them."""
    words = problem.words
    number = {at: i for i, at in enumerate(order)}
    root = problem.root
    may_be_root = problem.may_be_root
    constrained = _in_order_constraints(problem)
    heads = {word.head for word in words}
    kinds: dict[tuple[str, str], int] = {}
    last_like: dict[tuple[Word, tuple[Alternative, ...]], int] = {}
    rows: list[WordRow] = []
    for i, at in enumerate(order):
        word = words[at]
        form = form_number(word.form, vocabulary)
        shape, suffix = shape_and_suffix(word.form) if vocabulary.back_off else (0, 0)
        twin = NONE
        if at + 1 not in heads and at + 1 not in constrained:
            # Unknown tags may still lead to different forms.
            like = known[at], tuple(alternatives[at]) if alternatives else ()
            twin = last_like.get(like, NONE)
            last_like[like] = i
        tag = NONE if (name := known[at].tag) is None else vocabulary.tag_numbers[name]
        if at + 1 == root:
            head = ROOT
        elif word.head is None:
            head = NONE
        else:
            head = number[word.head - 1]
        label = NONE if word.deprel is None else vocabulary.label_number(word.deprel, NONE)
        initial = alternatives[at][0].initial if alternatives else word.form
        kind = kinds.setdefault((word.form, initial), len(kinds))
        rows.append(WordRow(form, tag, head, label, kind, twin, shape, suffix, may_be_root[at]))
    return rows


def build_encoding(
    problem: Problem,
    order: tuple[int, ...],
    rows: Sequence[WordRow],
    tags: Sequence[tuple[int, ...]],
    kinds: Ints | None = None,
    alternatives: Sequence[Sequence[Alternative]] | None = None,
    known: tuple[Word, ...] = (),
) -> Encoding:
    """The encoding of a problem; `tags` are the candidate tags of each word, `kinds` the order to
    be scored, if one is, `known` what `numbered_words` gives."""
    pool: list[int] = []
    fields = []
    for row, candidates in zip(rows, tags, strict=True):
        fields.append((*row, len(pool), len(candidates)))
        pool.extend(candidates)
    root = next((i for i, row in enumerate(rows) if row.head == ROOT), NONE)
    masks = None
    if problem.predecessors is not None:
        masks = list(renumbered((problem.predecessors[at] for at in order), order))
    n_tagged = sum(row.tag != NONE for row in rows)
    if known:
        n_tagged = sum(word.tag is not None or word.upos is not None for word in known)
    task = SearchTask(np.array(fields, np.int32), np.array(pool, np.int32), root, masks, kinds)
    heads = tuple(row.head for row in rows)
    n_attached = sum(word.head is not None for word in problem.words)
    return Encoding(
        problem,
        order,
        task,
        tuple(row.tag for row in rows),
        heads,
        find_leaders(rows),
        (
            n_tagged / len(rows),
            n_attached / len(rows),
            sum(row.label != NONE for row in rows) / len(rows),
        ),
        kinds is not None,
        alternatives=alternatives,
        known=known,
        is_tree=n_attached == len(rows),
        lifts=(0,) * len(rows),
        given_heads=heads,
    )


def _in_order_constraints(problem: Problem) -> set[int]:
    """The 1-based indices of the words that an order constraint names."""
    named = {index for pair in problem.before for index in pair}
    return named | {index for index in (problem.first, problem.last) if index is not None}


def form_number(form: str, vocabulary: Vocabulary) -> int:
    """The number of a form, 0 if it is unseen. An unseen phrase is represented by its last word, in
    English most often its head."""
    number = vocabulary.forms.get(form)
    if number is None and not vocabulary.back_off:
        return 0
    if number is None:
        number = vocabulary.forms.get(form.rpartition(" ")[2], 0)
    return number


def find_leaders(rows: Sequence[WordRow]) -> tuple[int, ...]:
    """For each word the first of those it is interchangeable with, which may be itself."""
    leaders: list[int] = []
    for number, row in enumerate(rows):
        leaders.append(number if row.twin == NONE else leaders[row.twin])
    return tuple(leaders)
