"""Learns a transducer from the lexicon of a treebank."""

from __future__ import annotations

import math
import warnings
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import chain

import numpy as np
import numpy.typing as npt

from syntagma.errors import SyntagmaWarning
from syntagma.neural.parameters import EmbeddingTable
from syntagma.realization.letters import END, START, Costs, align_letters, apply_change, letters_of
from syntagma.realization.lexicon import Seen, SeenForms, most_frequent
from syntagma.realization.transducer import (
    TABLE,
    Lexeme,
    Sibling,
    Transducer,
    morphs_of,
    nearest,
    written_inputs,
)

MIN_INFLECTED = 100  # with fewer forms that differ from their lemmas, there is no transducer
MIN_INPUT = 2  # an input seen less often has no weights
MIN_CHANGE = 2
HIDDEN = 128
EPOCHS = 60
BATCH = 256  # letters
LEARNING_RATE = 6e-3
DROPOUT = 0.3
HARD = 0.02  # a letter with at least this loss is learned in every epoch,
EASY = 0.2  # any other with a probability in proportion, but at least this
_ROUNDS = 2  # of hard EM

_Example = tuple[Lexeme, list[str]]  # and what becomes of each letter


def learn_transducer(lexicon: SeenForms, seed: int = 1) -> Transducer | None:
    """None if too few forms differ from their lemmas to learn from."""
    entries = [
        (lemma, entry) for lemma, seen in sorted(lexicon.items()) for entry in most_frequent(seen)
    ]
    pairs = [(letters_of(lemma.lower()), letters_of(e.form.lower())) for lemma, e in entries]
    if sum(lemma != form for lemma, form in pairs) < MIN_INFLECTED:
        return None
    if find_spec("torch") is None:
        warnings.warn(
            "PyTorch is not installed: edit rules will inflect unseen words, which is less "
            "accurate; to install it: pip install 'syntagma[train]'",
            SyntagmaWarning,
            stacklevel=2,
        )
        return None
    costs = learn_costs(pairs)
    aligned = [align_letters(lemma, form, costs) for lemma, form in pairs]
    counts = Counter(chain.from_iterable(changes for changes in aligned if changes is not None))
    usual = {
        change
        for change, count in counts.items()
        if count >= MIN_CHANGE and not {"\n", "\t"} & set(change)
    }
    examples = list(_examples(entries, aligned, usual))
    from syntagma.neural.network import torch_at_work

    with torch_at_work(threads=1, seed=seed):
        return _fit(examples, sorted(usual), costs)


def learn_costs(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Costs by which lemmas and forms are aligned consistently: minus the logarithm of the share of
    each change among those of its letter, by hard EM."""
    costs: dict[tuple[str, str], float] | None = None
    for _ in range(_ROUNDS):
        counts: Counter[tuple[str, str]] = Counter()
        totals: Counter[str] = Counter()
        for lemma, form in pairs:
            changes = align_letters(lemma, form, costs)
            if changes is not None:
                seen = zip([START, *lemma, END], changes, strict=True)
                for symbol, change in seen:
                    counts[symbol, change] += 1
                    totals[symbol] += 1
        costs = {
            (symbol, change): round(math.log((totals[symbol] + 1) / count), 3)  # as stored
            for (symbol, change), count in counts.items()
        }
    return costs or {}


def _examples(
    entries: Sequence[tuple[str, Seen]], aligned: Sequence[list[str] | None], usual: set[str]
) -> Iterator[_Example]:
    """Each entry, as if no other form of its lemma were known and, if some are, with those."""
    siblings: defaultdict[str, list[tuple[int, Sibling]]] = defaultdict(list)
    for number, ((lemma, entry), changes) in enumerate(zip(entries, aligned, strict=True)):
        if changes is not None:
            sibling = Sibling(morphs_of(entry.tag, entry.features), changes)
            siblings[lemma].append((number, sibling))
    for number, ((lemma, entry), changes) in enumerate(zip(entries, aligned, strict=True)):
        if changes is None or not usual.issuperset(changes):
            continue
        letters = letters_of(lemma.lower())
        morphs = morphs_of(entry.tag, entry.features)
        yield Lexeme(letters, entry.tag, morphs), changes
        others = [sibling for other, sibling in siblings[lemma] if other != number]
        if others:
            yield Lexeme(letters, entry.tag, morphs, nearest(morphs, others)), changes


def _fit(examples: Sequence[_Example], changes: Sequence[str], costs: Costs) -> Transducer:
    import torch
    import torch.nn.functional as F

    inputs, padded, gold = _as_numbers(examples, changes)
    rows, targets = torch.from_numpy(padded), torch.from_numpy(gold)
    table = torch.nn.EmbeddingBag(len(inputs) + 1, HIDDEN, mode="sum", padding_idx=0)
    layer = torch.nn.Linear(HIDDEN, len(changes))
    bias = torch.nn.Parameter(torch.zeros(HIDDEN))
    with torch.no_grad():
        table.weight.normal_(0, 0.1)
        table.weight[0] = 0
        layer.weight.normal_(0, HIDDEN**-0.5)
        layer.bias.zero_()
    parameters = [table.weight, bias, *layer.parameters()]
    optimizer = torch.optim.Adam(parameters, betas=(0.9, 0.99))
    chances = torch.ones(len(gold))
    for epoch in range(EPOCHS):
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * (1 - epoch / EPOCHS)
        picked = torch.nonzero(torch.rand(len(gold)) < chances).squeeze(1)
        order = picked[torch.randperm(len(picked))]
        for batch in torch.split(order, BATCH):
            hidden = F.relu(table(rows[batch]) + bias)
            keep = torch.rand(hidden.shape) >= DROPOUT
            scores = layer(hidden * keep / (1 - DROPOUT))
            losses = F.cross_entropy(scores, targets[batch], reduction="none")
            optimizer.zero_grad(set_to_none=True)
            losses.mean().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            chances[batch] = (losses.detach() / HARD).clamp(EASY, 1)
    quantised = EmbeddingTable.quantised(table.weight[1:].detach().numpy())
    assert quantised.scales is not None
    others = (each.detach().numpy() for each in (bias, layer.weight.T, layer.bias))
    weights = [quantised.rows, quantised.scales, *others]
    sections = {
        section.name: array.astype(section.dtype)
        for section, array in zip(TABLE, weights, strict=True)
    }
    return Transducer(inputs, changes, costs, sections)


def _as_numbers(
    examples: Sequence[_Example], changes: Sequence[str]
) -> tuple[list[str], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """The inputs that get weights; for each letter of the examples, their numbers, counted from 1
    and filled up with 0, and the number of what becomes of the letter."""
    names: dict[str, int] = {}
    rows: list[array[int]] = []
    gold = []
    change_number = {change: number for number, change in enumerate(changes)}
    for lexeme, wanted in examples:
        written = ""
        symbols = [START, *lexeme.letters, END]
        for inputs, symbol, change in zip(lexeme.static_inputs(), symbols, wanted, strict=True):
            seen = chain(inputs, written_inputs(written))
            rows.append(array("i", [names.setdefault(name, len(names)) for name in seen]))
            gold.append(change_number[change])
            written += apply_change(symbol, change)
    counts = np.bincount(np.concatenate([np.asarray(row) for row in rows]))
    usual = (name for name, at in names.items() if counts[at] >= MIN_INPUT)
    kept = sorted(name for name in usual if "\n" not in name)
    renumbered = np.zeros(len(names), np.int32)
    renumbered[[names[name] for name in kept]] = np.arange(1, len(kept) + 1)
    padded = np.zeros((len(rows), max(map(len, rows))), np.int32)
    for at, row in enumerate(rows):
        padded[at, : len(row)] = renumbered[row]
    return kept, padded, np.array(gold, np.int64)
