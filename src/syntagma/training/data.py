"""The treebanks of a training run: reading them, and describing them in the model's header.

The readers themselves are in `treebanks`; text for language models is read in
`training/language_model.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from syntagma.best_first.settings import BestFirstSettings
from syntagma.errors import TrainingError
from syntagma.formats.auto import auto_line
from syntagma.formats.problems import guess_format
from syntagma.models.loading import load_model, model_path
from syntagma.models.model import Model
from syntagma.neural.adaptation import adapt
from syntagma.neural.scorer import NeuralScorer
from syntagma.neural.settings import NeuralSettings
from syntagma.neural.specialists import Specialists, starting_network
from syntagma.treebanks.ccgbank import is_ccgbank, read_ccgbank
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import Sentence, read_treebank

HELD_OUT = 10  # one sentence of so many
MOST_HELD_OUT = 500


def read_training_data(path: str | Path, settings: Settings, *, lift: bool) -> list[Sentence]:
    """Read a CCGbank if the settings ask for CCG derivations, else a treebank.

    Learners need lifted trees; a development set is measured on trees as annotated.
    """
    ccg = isinstance(settings, BestFirstSettings) and settings.grammar == "ccg"
    if is_ccgbank(path) and not ccg:
        raise TrainingError(
            f"{path} is a CCGbank, from which only CCG models learn: use the grammar ccg "
            "(--search best-first --grammar ccg), or a treebank in CoNLL-U"
        )
    if ccg and guess_format(path) == "conllu":
        raise TrainingError(
            f"{path} is a treebank, but CCG models learn from derivations: use a CCGbank (.auto), "
            "or the grammar dependency (--grammar dependency)"
        )
    if isinstance(settings, BestFirstSettings) and ccg:
        return [each.sentence for each in read_ccgbank(path, settings.heads)]
    return read_treebank(path, settings.tag_column or "xpos", lift=lift)


def choose_heads(sentences: Sequence[Sentence], settings: Settings) -> Settings:
    """The settings with the source of heads that the derivations were read with."""
    if not isinstance(settings, BestFirstSettings) or settings.grammar != "ccg" or settings.heads:
        return settings
    derivations = filter(None, (sentence.derivation for sentence in sentences))
    return replace(
        settings, heads="file" if any(each.has_given_heads for each in derivations) else "rule"
    )


def adapt_settings(
    settings: NeuralSettings,
    sentences: Sequence[Sentence],
    further: Sequence[Sequence[Sentence]],
    start: Model | None,
) -> Settings:
    """The settings of a network with everything decided that they leave open."""
    begun = None
    if start is not None and isinstance(start.scorer, (NeuralScorer, Specialists)):
        begun = starting_network(start.scorer, settings.specialize)
    return adapt(settings, sentences, list(chain.from_iterable(further)), begun)


def sample_evenly(sentences: Sequence[Sentence], count: int) -> Sequence[Sentence]:
    """At most `count` sentences, evenly spaced: treebanks are sorted by genre."""
    if len(sentences) <= count:
        return sentences
    return [sentences[i * len(sentences) // count] for i in range(count)]


def hold_out(count: int) -> list[int]:
    """The indices of the sentences of a treebank that become its development set: one in ten,
    evenly spaced."""
    held = min(max(count // HELD_OUT, 1), MOST_HELD_OUT)
    return [(2 * i + 1) * count // (2 * held) for i in range(held)]


def load_start(start: str | Path, settings: Settings) -> Model:
    """Load the model to start from; raise if these settings cannot continue its training."""
    model = load_model(model_path(start))
    if model.header.get("scorer") != settings.SCORER:
        raise TrainingError(f"{start} (--start) has no {settings.SCORER} scorer to start from")
    return model


def describe_data(path: str | Path, sentences: Sequence[Sentence]) -> dict[str, Any]:
    """Describe a treebank: file name, size, and a checksum of what was learned from it."""
    digest = hashlib.sha256()
    for sentence in sentences:
        described: dict[str, Any] = {
            "forms": sentence.forms,
            "tags": sentence.tags,
            "heads": sentence.heads,
            "deprels": sentence.deprels,
            "id": sentence.id,
        }
        if sentence.derivation is not None:
            described["derivation"] = auto_line(sentence.derivation)
        digest.update(json.dumps(described).encode())
    return {
        "name": Path(path).name,
        "sha256": digest.hexdigest(),
        "sentences": len(sentences),
        "words": sum(len(sentence.forms) for sentence in sentences),
    }


def describe_start(path: str | Path, model: Model) -> dict[str, Any]:
    """Describe the model that training started from; its data are also data of the new model."""
    kept = ("name", "licence", "attribution", "data", "start", "settings", "created_with")
    digest = hashlib.sha256(model_path(path).read_bytes()).hexdigest()
    header: dict[str, Any] = {**model.header}
    described = {field: header[field] for field in kept if field in header}
    return {**described, "sha256": digest}
