"""From a problem to the numbers that the compiled search works on, and from its trees to words.

Gold derivations are encoded in `training`.
"""

from __future__ import annotations

from bisect import bisect
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

# Upper bounds of the buckets of -log share of a form.
BOUNDS = (0.05, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0)


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
    the first of them. `known` are the words as the model knows them, by number; none if it knows
    no more than forms, tags and labels. `is_tree`: whether all arcs are given.

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
    fixed: bool
    asked: tuple[int, ...] | None
    alternatives: Sequence[Sequence[Alternative]] | None
    known: tuple[Word, ...]
    is_tree: bool
    lifts: tuple[int, ...]
    given_heads: tuple[int, ...]
    liftings: tuple[tuple[int, ...], ...] | None

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
    gold_tags: Sequence[int] | None = None,
) -> Encoding:
    """Number the words in canonical order; with `lifting`, orders need not be projective.

    A tag, feature or label that the vocabulary does not have counts as not given. `fixed` asks for
    one order of the words: their forms, or their 1-based indices. If it has fewer forms than there
    are words, it asks for orders that begin with them. In training, `gold_tags` in the gold order
    are always among the candidates, and rare words are treated as unseen.
    """
    read = tuple(map(vocabulary.as_read, problem.words))
    known = vocabulary.known_words(read)
    order = _search_order(problem, read, known)
    rows = _word_rows(problem, order, vocabulary, known, alternatives)
    leaders: list[int] = []
    for number, row in enumerate(rows):
        leaders.append(number if row.twin == NONE else leaders[row.twin])
    kinds = asked = None
    if fixed is not None:
        if isinstance(fixed[0], int):
            rows = [row._replace(kind=kind) for row, kind in zip(rows, leaders, strict=True)]
            asked = tuple(int(index) - 1 for index in fixed)
        kind_of: dict[str | int, int] = {}
        for at, row in zip(order, rows, strict=True):
            kind_of[at + 1] = kind_of[problem.words[at].form] = row.kind
        kinds = np.full(len(rows), NONE, np.int32)
        kinds[: len(fixed)] = [kind_of[item] for item in fixed]
    gold = {}
    if gold_tags is not None:
        gold = dict(zip(gold_numbers(order, leaders), gold_tags, strict=True))
    pool: list[int] = []
    fields = []
    for number, (at, row) in enumerate(zip(order, rows, strict=True)):
        tags: tuple[int, ...] = (row.tag,)
        if row.tag == NONE:
            unseen = gold_tags is not None and row.form == 0
            tags = vocabulary.tags_of(problem.words[at].form, as_unseen=unseen)
            if gold.get(number, tags[0]) not in tags:
                tags = (*tags, gold[number])
        fields.append((*row, len(pool), len(tags)))
        pool.extend(tags)
    masks = None
    if problem.predecessors is not None:
        masks = list(renumbered((problem.predecessors[at] for at in order), order))
    heads = tuple(row.head for row in rows)
    root = heads.index(ROOT) if ROOT in heads else NONE
    attached = sum(word.head is not None for word in problem.words)
    tagged = sum(word.tag is not None or word.upos is not None for word in known)
    labelled = sum(row.label != NONE for row in rows)
    with_inputs = vocabulary.upos or vocabulary.features
    return Encoding(
        problem=problem,
        order=order,
        task=SearchTask(np.array(fields, np.int32), np.array(pool, np.int32), root, masks, kinds),
        tags=tuple(row.tag for row in rows),
        heads=heads,
        leaders=tuple(leaders),
        shares=(tagged / len(rows), attached / len(rows), labelled / len(rows)),
        fixed=fixed is not None,
        asked=asked,
        alternatives=alternatives,
        known=tuple(known[at] for at in order) if with_inputs else (),
        is_tree=attached == len(rows),
        lifts=(0,) * len(rows),
        given_heads=heads,
        liftings=() if lifting else None,
    )


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


def _search_order(
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


def _word_rows(
    problem: Problem,
    order: Sequence[int],
    vocabulary: Vocabulary,
    known: Sequence[Word],
    alternatives: Sequence[Sequence[Alternative]] | None,
) -> list[WordRow]:
    """What is given for each word, by number; `known` are the words as the vocabulary knows
    them."""
    words, root, may_be_root = problem.words, problem.root, problem.may_be_root
    number = {at: i for i, at in enumerate(order)}
    constrained = {problem.first, problem.last}.union(*problem.before)
    heads = {word.head for word in words}
    kinds: dict[tuple[str, str], int] = {}
    last_like: dict[tuple[Word, tuple[Alternative, ...]], int] = {}
    rows: list[WordRow] = []
    for i, at in enumerate(order):
        word = words[at]
        shape, suffix = shape_and_suffix(word.form) if vocabulary.back_off else (0, 0)
        twin = NONE
        if at + 1 not in heads and at + 1 not in constrained:
            # Unknown tags may still lead to different forms.
            like = known[at], tuple(alternatives[at]) if alternatives else ()
            twin = last_like.get(like, NONE)
            last_like[like] = i
        tag = NONE if (name := known[at].tag) is None else vocabulary.tag_numbers[name]
        given = NONE if word.head is None else number.get(word.head - 1, ROOT)
        head = ROOT if at + 1 == root else given
        label = NONE if word.deprel is None else vocabulary.label_number(word.deprel, NONE)
        initial = alternatives[at][0].initial if alternatives else word.form
        kind = kinds.setdefault((word.form, initial), len(kinds))
        form = vocabulary.form_number(word.form)
        rows.append(WordRow(form, tag, head, label, kind, twin, shape, suffix, may_be_root[at]))
    return rows


def gold_numbers(order: Sequence[int], leaders: Sequence[int]) -> list[int]:
    """The number of the word at each place of the problem. In training, that is the gold order, in
    which interchangeable words are in ascending order."""
    places: dict[int, list[int]] = {}
    for at, leader in sorted(zip(order, leaders, strict=True), reverse=True):
        places.setdefault(leader, []).append(at)
    number_at = [0] * len(order)
    for number, leader in enumerate(leaders):
        number_at[places[leader].pop()] = number
    return number_at


GoldForm = tuple[int, int, int]  # word, index of its form, tag


class FormRow(NamedTuple):
    """A form that a word may take."""

    form: int
    shape: int
    suffix: int
    kind: int  # forms of one kind are written alike
    share: int  # the interval of its share, from 1; 0 if it is the only form
    tags_start: int
    tags_count: int


# The number of the first form of each word and, last, that of all forms; all forms; their tags.
FormArrays = tuple[Sequence[int], Sequence[FormRow], Sequence[int]]


def form_arrays(
    encoding: Encoding, vocabulary: Vocabulary, gold: Sequence[GoldForm] = ()
) -> FormArrays | None:
    """The forms of all words, or None if there is no choice.

    A word without a given tag takes the tags of its form. In training, forms that the vocabulary
    does not have take those of unseen words, and the gold tags are added.
    """
    choices = encoding.choices
    if choices is None:
        return None
    added: dict[tuple[int, int], list[int]] = {}
    for word, index, tag in gold:
        added.setdefault((encoding.leaders[word], index), []).append(tag)
    kinds: dict[tuple[str, str], int] = {}
    first_forms, rows, tags = [0], list[FormRow](), list[int]()
    for number, choice in enumerate(choices):
        given = encoding.tags[number]
        for index, each in enumerate(choice):
            form = vocabulary.form_number(each.text)
            tried: tuple[int, ...] = (given,)
            if given == NONE:
                proposed = vocabulary.tags_of(each.text, as_unseen=bool(gold) and form == 0)
                more = added.get((encoding.leaders[number], index), ())
                tried = tuple(dict.fromkeys((*proposed, *more)))
            kind = kinds.setdefault((each.text, each.initial), len(kinds))
            share = share_interval(choice, index)
            shape, suffix = shape_and_suffix(each.text) if vocabulary.back_off else (0, 0)
            rows.append(FormRow(form, shape, suffix, kind, share, len(tags), len(tried)))
            tags += tried
        first_forms.append(len(rows))
    return first_forms, rows, tags


def share_interval(choice: Sequence[Alternative], index: int) -> int:
    """The interval of the share of a form among those of its word; 0 if it is the only one."""
    return 0 if len(choice) == 1 else 1 + bisect(BOUNDS, -choice[index].log_share)
