"""Training a model: epochs over a treebank, the best of which on a development set is kept.

What an epoch does is decided by the learner (`learners`), how a run is interrupted and resumed by
`run`, how its treebanks are read and described by `data`. Language models are trained in
`language_model`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

from syntagma import __version__
from syntagma.arguments import as_integer
from syntagma.best_first.settings import BestFirstSettings
from syntagma.errors import FormatError, SyntagmaWarning, TrainingError, shown
from syntagma.files.paths import as_paths, check_path
from syntagma.language_model.balance import Balance
from syntagma.language_model.packed import LanguageModel
from syntagma.models.header import LANGUAGE_MODEL
from syntagma.models.loading import model_path
from syntagma.models.model import MARGIN
from syntagma.neural.adaptation import adapt
from syntagma.neural.scorer import starting_network
from syntagma.neural.settings import NeuralSettings
from syntagma.realization.training import learn_realizer
from syntagma.training.data import (
    MIN_LEMMAS,
    TrainingPlan,
    describe_start,
    fill_lemmas,
    lemma_share,
    load_start,
    read_training_data,
    sample_evenly,
)
from syntagma.training.diagnostics import (
    check_orders,
    doubts_of_data,
    doubts_of_lemmas,
    doubts_of_result,
)
from syntagma.training.language_model import read_lm
from syntagma.training.learners import check_learner, create_learner
from syntagma.training.presets import describe_preset
from syntagma.training.run import Epoch, Run, TrainingReport, digest_inputs, open_folder
from syntagma.treebanks.corpus import corpus_files
from syntagma.treebanks.settings import Settings


def train(
    train: str | Path | Sequence[str | Path],
    dev: str | Path | Sequence[str | Path] | None,
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
    on_plan: Callable[[TrainingPlan], None] = lambda plan: None,
    on_start: Callable[[int], None] = lambda sentences: None,
    on_sentence: Callable[[], None] = lambda: None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
    on_faults: Callable[[Sequence[FormatError]], None] = lambda faults: None,
) -> TrainingReport:
    """Train a model and write it to `output`; the epoch that is best on `dev` is kept.

    Each of `train` and `dev` is a file, a pattern such as `wsj/*.conllu`, or a list of both.
    Without `dev` (None), one sentence in ten of the treebank is held out.

    The type of the settings chooses the scorer, by default a neural one, which also learns to
    realize lemmas. What its settings leave open, the treebank decides; the header of the model
    records the outcome, and the same settings, given, make the same model. `pretrain` are further
    treebanks from which a neural scorer learns first. They may be machine-made: faulty sentences
    are left out, and the faults of each file are reported to `on_faults`. `start` is a neural model
    (a file, or the name of a shipped model) from which training starts. It keeps its vocabulary,
    dimensions, language and language model, and learns new tags and labels. `lm` is a language
    model, or a model with one, whose scores become features of a best-first model.

    Until training is finished, a folder `<output>.training` holds the state after the last whole
    epoch. The same call resumes from there and ends with the same model. A call with other data or
    settings raises `TrainingError`, a second one with this output while the first is under way
    `OutputError`. The number of threads does not change a linear model; it may change the rounding
    of a neural one. Threads and random states of PyTorch are left as they were found.

    A `SyntagmaWarning` says what looks odd about the data or the outcome.

    For progress, `on_plan` is called once with the settings that were decided, `on_start` once with
    the number of sentences of the treebank, which is about what each epoch visits; `on_sentence`
    and `on_epoch` are called after each of them.
    """
    settings = NeuralSettings() if settings is None else settings
    if not isinstance(settings, Settings):
        raise TrainingError(f"settings must be those of a learner, not {shown(settings)}")
    check_path(output, "output")
    train = corpus_files(train, "train")
    dev = [] if dev is None else corpus_files(dev, "dev")
    pretrain = as_paths(pretrain, "pretrain")
    _check_arguments(settings, output, pretrain, start, lm, threads)
    output = Path(output)
    given_name = output.stem
    if os.path.islink(output):  # the model will be where the link points to
        output = Path(os.path.realpath(output))
    further_models = [model_path(each) for each in (start, lm) if each is not None]
    with open_folder(output, [*train, *dev, *pretrain, *further_models]) as folder:
        # Read.
        check_learner(settings)
        begun = load_start(start, settings) if start is not None else None
        data, settings = read_training_data(train, dev, pretrain, settings, begun, on_faults)
        check_orders(data.sentences, data.names[0])

        # Decide.
        if isinstance(settings, NeuralSettings):
            network = None if begun is None else starting_network(begun.scorer, settings.specialize)
            settings = adapt(settings, data.sentences, [*chain(*data.further)], network)
        _warn(doubts_of_data(data.sentences, data.dev, data.names, pretrains=settings.PRETRAINS))
        if settings.realizes:
            _warn(doubts_of_lemmas(data.sentences, data.names[0]))
        on_plan(TrainingPlan.of(settings, data))

        # Learn.
        if begun is not None:
            language = language or begun.header.get("language", "")
        sentences, annotated, realizer = data.sentences, data.dev, None
        if settings.realizes:
            if lemma_share(sentences) < MIN_LEMMAS:
                annotated = fill_lemmas(annotated, sentences)
                sentences = fill_lemmas(sentences, sentences)
            realizer = learn_realizer(sentences, language)
        language_model, about_lm = (None, {}) if lm is None else read_lm(model_path(lm))
        learner = create_learner(settings, threads, begun, realizer, language_model)
        vocabulary = learner.begin(sentences, data.further)
        header: dict[str, Any] = {
            "name": name or given_name,
            "language": language,
            "licence": licence,
            "attribution": attribution,
            "data": data.described,
            **({} if start is None or begun is None else {"start": describe_start(start, begun)}),
            "tag_column": settings.tag_column,
            "scorer": settings.SCORER,
            **learner.describe(),
            **describe_preset(settings),
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
            inputs=digest_inputs(sentences, annotated, data.further, realizer),
            learner=learner,
            vocabulary=vocabulary,
            dev_sentences=sample_evenly(annotated, settings.dev_sentences),
            dev_conditions=settings.dev_conditions,
            threads=threads,
            realizer=realizer,
            language_model=language_model,
        )
        run.resume()
        on_start(len(sentences))
        run.learn(on_sentence, on_epoch)
        report = run.finish()
        _warn(doubts_of_result(report, len(sentences)))
        return report


def _warn(doubts: Iterable[str]) -> None:
    for doubt in doubts:
        warnings.warn(doubt, SyntagmaWarning, stacklevel=3)


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
    if isinstance(settings, NeuralSettings) and settings.specialize and start is None:
        raise TrainingError(
            "a network is specialised after it has learned every condition: name the model to "
            "start from (--start)"
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
