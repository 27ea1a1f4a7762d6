"""Training a model: epochs over a treebank, the best of which on a development set is kept.

What an epoch does is decided by the learner (`learners`), how a run is interrupted and resumed by
`run`, how its treebanks are read and described by `data`. Language models are trained in
`language_model`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from syntagma import __version__
from syntagma.best_first.settings import BestFirstSettings
from syntagma.errors import FormatError, TrainingError, shown
from syntagma.features.settings import SparseSettings
from syntagma.files.paths import as_paths, check_path
from syntagma.language_model.balance import Balance
from syntagma.language_model.packed import LanguageModel
from syntagma.models.header import LANGUAGE_MODEL
from syntagma.models.loading import model_path
from syntagma.models.margin import MARGIN
from syntagma.neural.settings import NeuralSettings
from syntagma.problem.integers import as_integer
from syntagma.realization.training import learn_realizer
from syntagma.training.data import (
    check_tagged,
    choose_heads,
    choose_tag_column,
    describe_data,
    describe_start,
    load_start,
    read_training_data,
    sample_evenly,
)
from syntagma.training.inputs import digest_inputs
from syntagma.training.language_model import read_lm
from syntagma.training.learners import create_learner
from syntagma.training.presets import preset_changes
from syntagma.training.run import Epoch, Run, TrainingReport, open_folder
from syntagma.treebanks.corpus import corpus_files
from syntagma.treebanks.settings import Settings
from syntagma.treebanks.treebank import Sentence, read_treebank


def train(
    train: str | Path | Sequence[str | Path],
    dev: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    settings: Settings | None = None,
    pretrain: str | Path | Sequence[str | Path] = (),
    start: str | Path | None = None,
    lm: str | Path | None = None,
    name: str = "",
    language: str = "",
    licence: str = "",
    attribution: str = "",
    threads: int = 1,
    on_start: Callable[[int], None] = lambda sentences: None,
    on_sentence: Callable[[], None] = lambda: None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
    on_faults: Callable[[Sequence[FormatError]], None] = lambda faults: None,
) -> TrainingReport:
    """Train a model and write it to `output`; the epoch that is best on `dev` is kept.

    Each of `train` and `dev` is a file, a pattern such as `wsj/*.conllu`, or a list of both.
    The type of the settings chooses the scorer, by default a neural one. `pretrain` are further
    treebanks from which a neural scorer learns first. They may be machine-made: faulty sentences
    are left out, and the faults of each file are reported to `on_faults`. `start` is a neural model
    (a file, or the name of a shipped model) from which training starts. It keeps its vocabulary,
    dimensions and language model, and learns new tags and labels. `lm` is a language model, or a
    model with one, whose scores become features of a best-first model.

    Until training is finished, a folder `<output>.training` holds the state after the last whole
    epoch. The same call resumes from there and ends with the same model. A call with other data or
    settings raises `TrainingError`, a second one with this output while the first is under way
    `OutputError`. The number of threads does not change a linear model; it may change the rounding
    of a neural one. Threads and random states of PyTorch are left as they were found.

    For progress, `on_start` is called once with the number of sentences of the treebank, which is
    about what each epoch visits; `on_sentence` and `on_epoch` are called after each of them.
    """
    settings = NeuralSettings() if settings is None else settings
    if not isinstance(settings, Settings):
        raise TrainingError(f"settings must be those of a learner, not {shown(settings)}")
    check_path(output, "output")
    train, dev = corpus_files(train, "train"), corpus_files(dev, "dev")
    pretrain = as_paths(pretrain, "pretrain")
    _check_arguments(settings, output, pretrain, start, lm, threads)
    output = Path(output)
    given_name = output.stem
    if os.path.islink(output):  # the model will be where the link points to
        output = Path(os.path.realpath(output))
    further_models = [model_path(each) for each in (start, lm) if each is not None]
    with open_folder(output, [*train, *dev, *pretrain, *further_models]) as folder:
        begun = load_start(start, settings) if start is not None else None
        settings = choose_tag_column(train, settings, begun)
        parts = [read_training_data(file, settings, lift=True) for file in train]
        sentences = [sentence for part in parts for sentence in part]
        check_tagged(train, sentences, settings)
        settings = choose_heads(sentences, settings)
        realizer = None
        if settings.realizes:
            realizer = learn_realizer(sentences, language)
        language_model, about_lm = (None, {}) if lm is None else read_lm(model_path(lm))
        learner = create_learner(settings, threads, begun, realizer, language_model)
        annotated = [
            sentence for file in dev for sentence in read_training_data(file, settings, lift=False)
        ]
        dev_sentences = sample_evenly(annotated, settings.dev_sentences)
        further, further_described = _read_pretraining(pretrain, settings, on_faults)
        vocabulary = learner.begin(sentences, further)
        header: dict[str, Any] = {
            "name": name or given_name,
            "language": language,
            "licence": licence,
            "attribution": attribution,
            "data": [*map(describe_data, train, parts), *further_described],
            **({"start": describe_start(start, begun)} if start is not None and begun else {}),
            "tag_column": settings.tag_column,
            "scorer": settings.SCORER,
            **learner.describe(),
            **_describe_preset(settings),
            "settings": asdict(settings),
            "created_with": __version__,
        }
        if language_model is not None:
            header[LANGUAGE_MODEL] = _describe_features(language_model, about_lm)
        if begun is not None and begun.language_model is not None:
            language_model = begun.language_model.language_model
            header[LANGUAGE_MODEL] = begun.header[LANGUAGE_MODEL]
        run = Run(
            output=output,
            folder=folder,
            header=header,
            inputs=digest_inputs(sentences, annotated, further, realizer),
            learner=learner,
            vocabulary=vocabulary,
            dev_sentences=dev_sentences,
            dev_conditions=settings.dev_conditions,
            threads=threads,
            realizer=realizer,
            language_model=language_model,
        )
        run.resume()
        on_start(len(sentences))
        while len(run.epochs) < learner.epochs:
            number = len(run.epochs) + 1
            started = time.process_time()
            figures = learner.pass_over(number, on_sentence)
            cpu_seconds = time.process_time() - started
            stored = learner.stored()
            epoch = Epoch(number, run.measure(stored), figures, cpu_seconds)
            run.close_epoch(epoch, stored)
            on_epoch(epoch)
        return run.finish()


def _check_arguments(
    settings: Settings,
    output: str | Path,
    pretrain: Sequence[str | Path],
    start: str | Path | None,
    lm: str | Path | None,
    threads: int,
) -> None:
    """Raise before anything is read."""
    if as_integer(threads) is None:
        raise TrainingError(f"threads must be an integer, not {shown(threads)}")
    if threads < 1:
        raise TrainingError(f"threads must be at least 1, not {threads}")
    for given, option in ((pretrain, "pretrain"), (start, "start")):
        if given and not settings.PRETRAINS:
            raise TrainingError(
                f"a scorer of kind {settings.SCORER!r} learns from one treebank, from scratch: "
                f"leave out {option} (--{option}) or train a neural one"
            )
    if lm is not None:
        check_path(lm, "lm")
        if not isinstance(settings, BestFirstSettings):
            raise TrainingError(
                f"a scorer of kind {settings.SCORER!r} has no features of a language model: leave "
                "out lm (--lm), and add one to the model: syntagma add-lm"
            )
    if os.path.isdir(output):
        raise TrainingError(f"cannot write the model to {output}: it is a folder")


def _describe_features(language_model: LanguageModel, about: dict[str, Any]) -> dict[str, Any]:
    """What the header says about a language model that is weighed by features."""
    neutral = Balance(0, 0, 0, 0)
    described = {name: value for name, value in about.items() if name not in (MARGIN, "tuning")}
    return {**described, **language_model.describe(), "balance": neutral.to_json()}


def _describe_preset(settings: Settings) -> dict[str, Any]:
    """The header fields that name the published system whose settings these are, if any."""
    if not isinstance(settings, SparseSettings) or settings.preset is None:
        return {}
    changes = preset_changes(settings)
    return {"preset": settings.preset, **({"preset_changes": changes} if changes else {})}


def _read_pretraining(
    paths: Sequence[str | Path],
    settings: Settings,
    on_faults: Callable[[Sequence[FormatError]], None],
) -> tuple[list[list[Sentence]], list[dict[str, Any]]]:
    """Read the treebanks for pre-training without their faulty sentences, and describe them."""
    treebanks, described = [], []
    for path in paths:
        faults: list[FormatError] = []
        column = settings.tag_column or "xpos"
        sentences = read_treebank(path, column, lift=True, faults=faults)
        if faults:
            on_faults(faults)
        treebanks.append(sentences)
        described.append(
            {
                **describe_data(path, sentences),
                "use": "pre-training",
                "left_out": len(faults),
            }
        )
    return treebanks, described
