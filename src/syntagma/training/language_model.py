"""Trains language models and adds them to models: what `train-lm` and `add-lm` do.

`language_model.tokenization` splits text into words, `language_model.kneser_ney` estimates, and
`training.balance` fits the language model weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from syntagma import __version__
from syntagma.errors import FormatError, ModelError, TrainingError, shown
from syntagma.evaluation.evaluate import evaluate
from syntagma.files.locking import locked
from syntagma.files.outputs import check_output
from syntagma.files.paths import as_paths, check_path
from syntagma.files.reading import fingerprint, open_text, source_name
from syntagma.formats.conllu import read_blocks
from syntagma.formats.text import split_bag
from syntagma.formats.tokenization import sentences as split
from syntagma.language_model.arpa import read_arpa, write_arpa
from syntagma.language_model.backoff import BackoffModel
from syntagma.language_model.balance import Balance
from syntagma.language_model.kneser_ney import Progress, estimate
from syntagma.language_model.packed import LanguageModel, word_class
from syntagma.language_model.pruning import prune_to
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.container import MAGIC, read_container, write_container
from syntagma.models.header import LANGUAGE_MODEL
from syntagma.models.loading import load_model, model_path
from syntagma.models.model import MARGIN
from syntagma.models.saving import add_language_model
from syntagma.training.balance import describe_fit, fit_balance, measure_weights
from syntagma.training.margin import describe_margin, learn_margin
from syntagma.transition.weighted_language_model import WeightedLanguageModel
from syntagma.treebanks.treebank import Sentence, as_sentences

_COMPRESSED = (".xz", ".gz")


@dataclass(frozen=True, slots=True)
class LanguageModelReport:
    """Sentences and words read, n-grams by order, and where the model was written."""

    path: Path
    sentences: int
    words: int
    ngrams: tuple[int, ...]


@dataclass(slots=True)
class _Count:
    sentences: int = 0
    words: int = 0


@dataclass(frozen=True, slots=True)
class BalanceReport:
    """The fitted balance, and BLEU by condition and weight."""

    balance: Balance
    curves: dict[str, list[float]] = field(repr=False)


def read_sentence_words(path: str | Path, *, tokenized: bool = False) -> Iterator[list[str]]:
    """The sentences of a file, as words: CoNLL-U, plain text with one paragraph per line, or, if
    `tokenized`, one sentence per line, words separated by spaces. Gzip and xz are decompressed."""
    source = source_name(path)
    name = Path(source.lower())
    if (Path(name.stem) if name.suffix in _COMPRESSED else name).suffix == ".conllu":
        for block in read_blocks(open_text(path), source):
            if isinstance(block, FormatError):
                raise block
            yield _words(row[1] for row in block.rows)
        return
    for line in open_text(path):
        if isinstance(line, FormatError):
            raise line
        if tokenized:
            if words := _words(split_bag(line)):
                yield words
        else:
            yield from split(line)


def _words(units: Iterable[str]) -> list[str]:
    """The words of units, some of which may be phrases."""
    return [word for unit in units for word in unit.split(" ") if word]


def train_lm(
    sources: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    settings: LanguageModelSettings | None = None,
    on_sentence: Callable[[], None] = lambda: None,
    on_progress: Progress = lambda stage, done: None,
) -> LanguageModelReport:
    """Estimate a language model from a text, or several, and write it; as ARPA if the output ends
    in `.arpa`."""
    settings = LanguageModelSettings() if settings is None else settings
    if not isinstance(settings, LanguageModelSettings):
        raise TrainingError(f"settings must be LanguageModelSettings, not {shown(settings)}")
    sources = as_paths(sources, "sources")
    check_path(output, "output")
    output = Path(output)
    if output.suffix.lower() in _COMPRESSED:
        raise TrainingError(
            f"{output}: a language model cannot be written compressed; leave out {output.suffix}"
        )
    check_output(output, sources)
    for source in sources:
        check_readable(source)
    with locked(output):
        return _train_lm(sources, output, settings, on_sentence, on_progress)


def _train_lm(
    sources: Sequence[str | Path],
    output: Path,
    settings: LanguageModelSettings,
    on_sentence: Callable[[], None],
    on_progress: Progress,
) -> LanguageModelReport:
    count = _Count()

    def counted(sentences: Iterable[list[str]]) -> Iterator[list[str]]:
        for sentence in sentences:
            count.sentences += 1
            count.words += len(sentence)
            on_sentence()
            yield sentence

    named = ", ".join(map(source_name, sources))
    texts = (read_sentence_words(source, tokenized=settings.tokenized) for source in sources)
    sentences = counted(chain.from_iterable(texts))
    first = next(sentences, None)
    if first is None:
        raise TrainingError(f"nothing to learn from: no sentence in {named}")
    model = estimate(
        chain([first], sentences),
        order=settings.order,
        word_class=word_class,
        prune=settings.thresholds,
        min_count=settings.min_count,
        progress=on_progress,
    )
    if settings.max_ngrams is not None:
        model = prune_to(model, settings.max_ngrams)
    about = {
        "data": [_describe(source) for source in sources],
        "sentences": count.sentences,
        "words": count.words,
        "settings": asdict(settings),
        "created_with": __version__,
    }
    _write(model, output, about)
    ngrams = tuple(len(order) for order in model.orders)
    return LanguageModelReport(output, count.sentences, count.words, ngrams)


def _describe(source: str | Path) -> dict[str, str]:
    """The name and checksum of a file; a pipe has no checksum, since it cannot be read twice."""
    if not Path(source).is_file():
        return {"name": source_name(source)}
    return {"name": Path(source).name, "sha256": fingerprint(source)}


def check_readable(path: str | Path) -> None:
    """Raise `FormatError` for a missing file, before any work is done."""
    if str(path) != "-" and not Path(path).exists():
        raise FormatError("cannot read the file: No such file or directory", source_name(path))


def _write(model: BackoffModel, path: Path, about: dict[str, Any]) -> None:
    if path.suffix.lower() == ".arpa":
        write_arpa(model, path)
    else:
        packed = LanguageModel.of(model)
        header = {LANGUAGE_MODEL: {**about, **packed.describe()}}
        write_container(path, header, packed.to_arrays())


def read_lm(path: str | Path) -> tuple[LanguageModel, dict[str, Any]]:
    """A language model and its header: from a file of `train_lm`, from a model with a language
    model, or from an ARPA file, such as those of KenLM and SRILM."""
    try:
        with open(path, "rb") as file:
            is_container = file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
    if not is_container:
        arpa = read_arpa(path)
        with _naming(path):
            return LanguageModel.of(arpa), {"data": [_describe(path)]}
    header, arrays = read_container(path)
    about = header.get(LANGUAGE_MODEL)
    if not isinstance(about, dict):
        raise ModelError(f"{path}: a model without a language model; train one: syntagma train-lm")
    with _naming(path):
        return LanguageModel.from_arrays(arrays), about


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Add the name of the file to errors about its content."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def perplexity(model: LanguageModel, sentences: Iterable[Sequence[str]]) -> float:
    """Perplexity per word, sentence ends included; unknown words are replaced by their classes."""
    scores = [model.score(sentence) for sentence in sentences]
    if not scores:
        raise TrainingError("cannot compute the perplexity of a text without sentences")
    return math.exp(-sum(map(sum, scores)) / sum(map(len, scores)))


def add_lm(
    model: str | Path,
    language_model: str | Path,
    dev: Sequence[Sentence],
    output: str | Path,
    *,
    threads: int = 1,
    on_sentence: Callable[[], None] = lambda: None,
) -> BalanceReport:
    """Write a model with a language model, whose weight is fitted on `dev`."""
    dev = as_sentences(dev, "dev")
    check_path(language_model, "language_model")
    check_path(output, "output")
    path = model_path(model)
    check_output(output, [path, language_model])
    with locked(Path(output)):
        return _add_lm(path, language_model, dev, output, threads, on_sentence)


def _add_lm(
    path: Path,
    language_model: str | Path,
    dev: Sequence[Sentence],
    output: str | Path,
    threads: int,
    on_sentence: Callable[[], None],
) -> BalanceReport:
    added, about = read_lm(language_model)
    plain = load_model(path, language_model=False)

    def bleu(condition: str, weight: float) -> float:
        constant = Balance(math.log(weight), 0, 0, 0) if weight else None
        weighted = WeightedLanguageModel(added, constant) if constant else None
        linearizer = Linearizer(replace(plain, language_model=weighted))
        report = evaluate(linearizer, dev, [condition], threads=threads, on_sentence=on_sentence)
        return report[condition].bleu

    curves = measure_weights(bleu)
    found = fit_balance(curves)
    weighted = WeightedLanguageModel(added, found)
    margin = learn_margin(Linearizer(replace(plain, language_model=weighted)), dev, threads=threads)
    add_language_model(
        output,
        path,
        weighted,
        {
            **{name: value for name, value in about.items() if name != MARGIN},
            **describe_margin(margin),
            "tuning": describe_fit(curves),
        },
    )
    return BalanceReport(found, curves)
