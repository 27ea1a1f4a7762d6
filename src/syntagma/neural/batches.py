"""Examples and batches for training the network.

A sentence teaches its order, after the lifting that makes its tree projective, and how far its
words are lifted (`transition.lifting` explains liftings). Batches are padded for the encoder, and
flat for the action scorer: one row for each word, step or candidate, and indices that point to
them. Only training imports this module.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from syntagma.neural._action_scorer import CANDIDATE_ADDRESSES, SET_NAMES, STATE_ADDRESSES
from syntagma.neural.encoder import blank_fields
from syntagma.neural.parameters import ARCS, DIRECTIONS, SLOTS, SPECIAL
from syntagma.problem.problem import Problem
from syntagma.problem.trees import least_lifting, lift_heads
from syntagma.transition.encoding import Encoding
from syntagma.transition.lifting import MOST_STEPS, Lifting, lift_encoding, room_of
from syntagma.transition.training import Reference, encode_training
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence

_S0, _S1 = STATE_ADDRESSES.index("S0"), STATE_ADDRESSES.index("S1")


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence under a condition: what is given, its canonical derivations, and its gold tree.

    There is a trace for each of DIRECTIONS. `tags` and `labels` are the gold ones, or -1 where
    they are given; the number after the last label is that of the root. `lifts` says how far the
    words of the problem are lifted, `steps` how far they are to be lifted, or -1 where that is not
    open. An example without traces is there for the `steps` alone.
    """

    fields: npt.NDArray[np.int32]
    relations: npt.NDArray[np.int32]
    given_heads: npt.NDArray[np.int32]
    traces: Sequence[Mapping[str, Any]]
    heads: npt.NDArray[np.int32]
    tags: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32]
    lifts: npt.NDArray[np.int32]
    steps: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of several derivations: T steps, C candidates."""

    states: Tensor  # [T, addresses]: rows
    legal_arcs: Tensor  # [T, 2]
    gold: Tensor  # [T]: column of the gold action
    columns: int  # of SHIFTs; two more for the arcs
    steps: Tensor  # [C]: the step of each candidate
    column: Tensor  # [C]: its column
    candidates: Tensor  # [C, addresses]: rows
    words: Tensor  # [C]: L, as a word number
    counts: Tensor  # [C, counts]
    sets: dict[str, tuple[Tensor, Tensor]]  # rows, starts
    unplaced: Tensor  # the set of that name, as word numbers of the padded batch
    pairs: Tensor  # [C, pairs without sets]: indices into the flat pair tables
    set_pairs: Tensor  # indices into the flat pair tables, of pairs with sets
    set_pair_of: Tensor  # the candidate of each of those
    arc_pairs: Tensor  # [T, 2]: indices into the flat pair tables


@dataclass(frozen=True, slots=True)
class Batch:
    """Several examples: B sentences padded to N words."""

    fields: Tensor  # [B, N, fields]
    relations: Tensor  # [B, N, N]
    mask: Tensor  # [B, N]
    given_heads: Tensor  # [B, N]; N: none
    tags: Tensor  # [words]; -1: given
    labels: Tensor  # [words]; -1: given
    arcs_to_label: Tensor  # [arcs, 3]: rows of head and dependent, label
    lifts: Tensor  # [B, N]
    liftable: Tensor  # [words to lift, 5]: rows of word, head and its head; room, steps
    directions: tuple[Steps, ...]
    n_words: int  # of the examples with traces


def with_lifting(sentence: Sentence) -> tuple[Sentence, Lifting]:
    """A sentence with the least lifting that makes its tree, as annotated, projective."""
    lifting = least_lifting(sentence.annotated_heads or sentence.heads)
    assert lifting is not None  # of a tree with one root
    return sentence, lifting


def lift_sentence(sentence: Sentence, lifting: Lifting) -> tuple[Sentence, Sentence]:
    """A sentence as annotated, and the same with its words lifted."""
    if not any(lifting):
        return sentence, sentence
    heads = sentence.annotated_heads or sentence.heads
    lifted = tuple(head or 0 for head in lift_heads(heads, lifting))
    return replace(sentence, heads=heads), replace(sentence, heads=lifted)


def encode_lifted(
    projective: Sentence, lifting: Lifting, problem: Problem, vocabulary: Vocabulary
) -> tuple[Encoding, Encoding, Reference]:
    """A problem that lists the words of a sentence in order: (as given, lifted, its derivation)."""
    problem = without_unreachable(problem, lifting)
    encoding, reference = encode_training(projective, problem, vocabulary)
    steps = [0] * len(problem.words)
    for number, word, each in zip(reference.order.tolist(), problem.words, lifting, strict=True):
        if word.head:
            steps[number] = each
    return encoding, lift_encoding(encoding, tuple(steps)), reference


def without_unreachable(problem: Problem, lifting: Sequence[int]) -> Problem:
    """The problem without the arcs of words that must be lifted further than arcs are given: no
    search could order it as the sentence is."""
    words = list(problem.words)
    changed = any(lifting)
    while changed:
        changed = False
        for at, steps in enumerate(lifting):
            head = words[at].head
            for _ in range(steps if head else 0):
                head = words[head - 1].head if head else None
            if words[at].head and not head:
                words[at] = replace(words[at], head=None, deprel=None)
                changed = True
    return problem if tuple(words) == problem.words else replace(problem, words=tuple(words))


def open_steps(heads: Sequence[int], lifting: Sequence[int]) -> npt.NDArray[np.int32]:
    """How far each word is to be lifted, as the network tells it; -1 if it cannot be."""
    room = np.array(room_of(heads), np.int32)
    return np.where(room > 0, np.minimum(np.array(lifting, np.int32), MOST_STEPS), -1)


def collate(examples: Sequence[Example]) -> Batch:
    """Make a batch of examples; their word numbers become rows of the flat batch."""
    size, longest = len(examples), max(len(example.fields) for example in examples)
    fields = blank_fields((size, longest), [example.fields for example in examples])
    relations = np.zeros((size, longest, longest), np.int64)
    mask = np.zeros((size, longest), bool)
    given_heads = np.full((size, longest), longest)
    lifts = np.zeros((size, longest), np.int64)
    arcs_to_label: list[npt.NDArray[Any]] = []
    liftable: list[npt.NDArray[Any]] = []
    first_row = SPECIAL
    for i, example in enumerate(examples):
        n = len(example.fields)
        fields[i, :n, : example.fields.shape[1]] = example.fields
        relations[i, :n, :n], mask[i, :n] = example.relations, True
        given_heads[i, :n] = np.where(example.given_heads < 0, longest, example.given_heads)
        dependents = np.flatnonzero((example.labels >= 0) & (example.heads >= 0))
        heads, labels = example.heads[dependents], example.labels[dependents]
        arcs_to_label.append(np.stack([heads + first_row, dependents + first_row, labels], 1))
        lifts[i, :n] = example.lifts
        words = np.flatnonzero(example.steps >= 0)
        above = example.given_heads[words]
        ends = np.stack([words, above, example.given_heads[above]], 1) + first_row
        room = np.array(room_of(example.given_heads.tolist()), np.int64)[words]
        liftable.append(np.column_stack([ends, room, example.steps[words]]))
        first_row += n
    return Batch(
        fields=torch.from_numpy(fields.astype(np.int64)),
        relations=torch.from_numpy(relations),
        mask=torch.from_numpy(mask),
        given_heads=torch.from_numpy(given_heads),
        tags=_joined([example.tags for example in examples]),
        labels=_joined([example.labels for example in examples]),
        arcs_to_label=_joined(arcs_to_label),
        lifts=torch.from_numpy(lifts),
        liftable=_joined(liftable),
        directions=tuple(
            _collate_steps(
                [each.traces[i] if each.traces else None for each in examples], mask.sum(1)
            )
            for i in range(len(DIRECTIONS))
        ),
        n_words=sum(len(example.fields) for example in examples if example.traces),
    )


def _collate_steps(
    traces: Sequence[Mapping[str, Any] | None], lengths: npt.NDArray[np.int64]
) -> Steps:
    longest = int(lengths.max())
    span, tables = longest + SPECIAL, len(SLOTS.pairs) + ARCS
    parts = defaultdict[str, list[npt.NDArray[Any]]](list)
    first_row, first_step, first_candidate, columns = SPECIAL, 0, 0, 0
    first_member = dict.fromkeys(SET_NAMES, 0)
    for i, (t, n) in enumerate(zip(traces, lengths.tolist(), strict=True)):
        if t is None:
            first_row += n
            continue
        row = np.concatenate([np.arange(n) + first_row, [0, 1]])
        number = np.concatenate([np.arange(n), [longest, longest + 1]])
        states, candidates, steps = t["states"], t["candidates"], t["steps"]
        parts["states"].append(row[states])
        parts["legal_arcs"].append(t["arcs"])
        parts["steps"].append(steps + first_step)
        first_of_step = np.searchsorted(steps, np.arange(len(states)))
        column = np.arange(len(steps)) - first_of_step[steps]
        columns = max(columns, int(column.max(initial=-1)) + 1)
        parts["column"].append(column)
        parts["gold"].append(np.where(t["chosen"] < 0, t["chosen"], t["chosen"] - first_of_step))
        parts["candidates"].append(row[candidates])
        parts["words"].append(candidates[:, 0])
        parts["counts"].append(t["counts"])
        for name in SET_NAMES:
            members, starts = t[name]
            parts[f"members of {name}"].append(row[members])
            parts[f"starts of {name}"].append(starts + first_member[name])
            first_member[name] += len(members)
        parts["unplaced"].append(t["unplaced"][0] + i * span)
        at = {
            **{name: number[states[steps, k]] for k, name in enumerate(STATE_ADDRESSES)},
            **{name: number[candidates[:, k]] for k, name in enumerate(CANDIDATE_ADDRESSES)},
        }
        of_words = []
        for table, (first, second) in enumerate(SLOTS.pairs):
            base = (i * tables + table) * span
            if second in ("family", "dependents"):
                members, starts = t[second]
                owner = np.repeat(np.arange(len(steps)), np.diff(starts, append=len(members)))
                parts["set_pairs"].append((base + at[first][owner]) * span + members)
                parts["set_pair_of"].append(owner + first_candidate)
            elif second != "unplaced":
                of_words.append((base + at[first]) * span + at[second])
        parts["pairs"].append(np.stack(of_words, 1))
        s0, s1 = number[states[:, _S0]], number[states[:, _S1]]
        parts["arc_pairs"].append(
            np.stack([((i * tables + k) * span + s1) * span + s0 for k in range(tables)[-ARCS:]], 1)
        )
        first_row += n
        first_step += len(states)
        first_candidate += len(steps)
    joined = {name: _joined(arrays) for name, arrays in parts.items()}
    sets = {
        name: (joined.pop(f"members of {name}"), joined.pop(f"starts of {name}"))
        for name in SET_NAMES
    }
    gold = joined["gold"]
    joined["gold"] = torch.where(gold < 0, columns - 1 - gold, gold)
    joined["legal_arcs"] = joined["legal_arcs"] > 0
    return Steps(columns=columns, sets=sets, **joined)


def _joined(arrays: Sequence[npt.NDArray[Any]]) -> Tensor:
    return torch.from_numpy(np.concatenate(arrays).astype(np.int64))
