"""Extends the parameters of a network for new tags and labels, more layers and hidden units.

Only training imports this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from syntagma.neural._encoder import RELATION_NAMES
from syntagma.neural.parameters import INPUTS, Dimensions, Floats, input_names
from syntagma.neural.scorer import NeuralScorer
from syntagma.transition.vocabulary import Vocabulary

_UNLIKELY = -5.0  # bias of a tag or label that has not been seen yet


def grow_network(
    network: NeuralScorer,
    vocabulary: Vocabulary,
    dimensions: Dimensions,
    fresh: Mapping[str, Floats],
) -> dict[str, Floats]:
    """The parameters of a network for this vocabulary and these dimensions; `fresh` are random
    ones of the new shapes. A network of before 0.11 has nothing of liftings."""
    grown = grow_parameters(network.parameters(), network.vocabulary, vocabulary)
    units = network.dimensions.hidden, dimensions.hidden
    for name, array in fresh.items():
        if name not in grown:
            grown[name] = 0 * array if adds_to_vectors(name) else array
        elif grown[name].shape != array.shape:
            grown[name] = _widen(name, grown[name], array, units)
    return grown


def grow_parameters(
    parameters: Mapping[str, Floats], before: Vocabulary, after: Vocabulary
) -> dict[str, Floats]:
    """Parameters for a vocabulary with more tags and labels.

    A new subtype of a label starts as a copy of the label (`obl:tmod` of `obl`). Other new tags
    and labels start as if they were not given, and are unlikely to be guessed.
    """
    tags = [before.tag_numbers.get(tag, -1) for tag in after.tags]
    labels = [
        before.label_numbers.get(label, before.label_numbers.get(label.partition(":")[0], -1))
        for label in after.labels
    ]
    n_tags, n_labels = len(before.tags), len(before.labels)
    not_given_tag, not_given_label = n_tags + 1, n_labels + 1
    given_tags = [*(not_given_tag if tag < 0 else tag for tag in tags), n_tags, not_given_tag]
    given_labels = [
        *(not_given_label if label < 0 else label for label in labels),
        *(n_labels, not_given_label),  # the first one is the root's
    ]
    guessed_labels = [*labels, n_labels]  # the last one is the root's
    n_relations = len(RELATION_NAMES)
    relations = [
        *range(n_relations),
        *(n_relations + label for label in given_labels),
        *(n_relations + n_labels + 2 + label for label in given_labels),
    ]
    grown = dict(parameters)
    for name, rows in (
        ("tables.tag", given_tags),
        ("tables.label", given_labels),
        ("guess.tag_vectors", tags),
        ("guess.label_vectors", guessed_labels),
        *((name, relations) for name in parameters if name.endswith(".attention")),
    ):
        grown[name] = _select_rows(parameters[name], rows, 0.0)
    for prefix, columns in (
        ("guess.tag.", tags),
        ("guess.label.", guessed_labels),
        ("guess.label_head", guessed_labels),
        ("labels.out.", labels),
    ):
        for name in (name for name in parameters if name.startswith(prefix)):
            default = _UNLIKELY if name.endswith("bias") else 0.0
            selected = _select_rows(parameters[name].T, columns, default)
            grown[name] = np.ascontiguousarray(selected.T)
    for name in INPUTS:
        table = f"tables.{name}"
        grown.pop(table, None)
        if names := input_names(after).get(name):
            # New names add nothing at first, so that a model that reads an input for the first time
            # starts as it was.
            known = input_names(before).get(name, ())
            numbers = {each: number for number, each in enumerate(known)}
            unknown = np.zeros((1, parameters["tables.tag"].shape[1]), np.float32)
            chosen = [*(numbers.get(each, -1) for each in names), len(known)]
            grown[table] = _select_rows(parameters.get(table, unknown), chosen, 0.0)
    return grown


def adds_to_vectors(name: str) -> bool:
    """Whether the parameter of this name decides what a new part of a network adds to the vectors
    of words: it starts at zero, so that the network starts as it was."""
    outputs = (".out.weight", ".down.weight")
    return name.startswith("tables.") or (name.startswith("layers.") and name.endswith(outputs))


def _widen(name: str, before: Floats, fresh: Floats, units: tuple[int, int]) -> Floats:
    """A parameter with more hidden units; `fresh` is a random one of its new shape, `units` the
    units of one slot before and after. New units add nothing at first."""
    adds = adds_to_vectors(name) or name.endswith("shift_out")
    widened = np.zeros_like(fresh) if adds else fresh.copy()
    if "slots." in name:  # the columns of one slot stand beside those of the next
        parts = widened.reshape(len(widened), -1, units[1])
        parts[..., : units[0]] = before.reshape(len(before), -1, units[0])
    else:
        widened[tuple(map(slice, before.shape))] = before
    return widened


def _select_rows(rows: Floats, numbers: Sequence[int], default: float) -> Floats:
    """The rows with these numbers; for -1, a row filled with the default."""
    extended = np.concatenate([rows, np.full_like(rows[:1], default)])
    selected: Floats = extended[np.array(numbers)]
    return selected
