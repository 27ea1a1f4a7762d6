"""Chooses the settings of a network that are left open by the treebank it learns from, and counts
its lexicon.

Each choice is a function of a few counts. `docs/lab/training.md` has the figures behind them, and
says what is not measured yet. The tag column is chosen before a treebank is read, in
`training/data.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TypeVar

from syntagma.errors import TrainingError
from syntagma.neural.lexicon import LEXICAL, SUFFIX, Lexicon, lexical_names
from syntagma.neural.parameters import Dimensions
from syntagma.neural.scorer import NeuralScorer
from syntagma.neural.settings import AdaptedSettings, NeuralSettings
from syntagma.treebanks.treebank import Sentence

T = TypeVar("T")

# Words that all epochs together see. A word takes about 0.5 ms of CPU time: half an hour for up to
# MEDIUM sentences, twice that from LARGE on, the size of the treebank that the rest was tuned for.
MEDIUM, LARGE = 5_000, 12_544
MEDIUM_BUDGET, LARGE_BUDGET = 3_000_000, 6_150_000
FEWEST_EPOCHS, MOST_EPOCHS = 5, 60

SMALL = 30_000  # words of a treebank below which the network is narrower, with more dropout

WORD_DROPOUT = 0.3

# Of the words seen once, the share that must end as another word does: shorter suffixes are taken
# where fewer do. With three letters it is 86 to 96% in alphabetic scripts; in Korean 24% with three
# syllables and 74% with two; in Chinese 15% with two characters and 94% with one.
_SHARED_SUFFIXES = 0.7
MIN_COUNT = 2
MOST_NAMES = 16_000  # of the lexicon, at `width` bytes each: the model file stays below 9 MB


def adapt(
    settings: NeuralSettings,
    sentences: Sequence[Sentence],
    further: Sequence[Sentence] = (),
    start: NeuralScorer | None = None,
) -> AdaptedSettings:
    """The settings with everything decided that they leave open.

    `further` are the sentences of treebanks for
    pre-training, which add words to the lexicon. With a network to `start` from, its width and its
    lexicon stay, and its layers and hidden units may only become more.
    """
    if isinstance(settings, AdaptedSettings):
        return settings
    words = sum(map(len, sentences))
    if start is not None:
        dimensions, lexicon = start.dimensions, start.lexicon
        width = _of_start("width", dimensions.width, settings.width)
        layers = _at_least("layers", "layers", dimensions.layers, settings.layers)
        hidden = _at_least("hidden", "hidden units", dimensions.hidden, settings.hidden)
        suffix_length = _of_start("suffix_length", lexicon.suffix, settings.suffix_length)
        min_count = _or(settings.min_count, MIN_COUNT)
    else:
        width = _or(settings.width, choose_width(words))
        layers = _or(settings.layers, Dimensions().layers)
        hidden = _or(settings.hidden, width)
        forms = count_forms([*sentences, *further])
        suffix_length = settings.suffix_length or choose_suffix(forms)
        min_count = settings.min_count or choose_min_count(
            forms, suffix_length, MIN_COUNT, MOST_NAMES
        )
    return AdaptedSettings(
        **{
            **asdict(settings),
            "epochs": _or(settings.epochs, choose_epochs(len(sentences), words)),
            "width": width,
            "layers": layers,
            "hidden": hidden,
            "min_count": min_count,
            "suffix_length": suffix_length,
            "dropout": _or(settings.dropout, choose_dropout(words)),
            "word_dropout": _or(settings.word_dropout, WORD_DROPOUT),
            "realize": _or(settings.realize, True),
        }
    )


def choose_epochs(sentences: int, words: int) -> int:
    """As many epochs as the budget of words allows."""
    grown = min(max(sentences - MEDIUM, 0) / (LARGE - MEDIUM), 1)
    budget = MEDIUM_BUDGET + grown * (LARGE_BUDGET - MEDIUM_BUDGET)
    return min(max(int(budget / max(words, 1)), FEWEST_EPOCHS), MOST_EPOCHS)


def choose_width(words: int) -> int:
    return 128 if words < SMALL else Dimensions().width


def choose_dropout(words: int) -> float:
    return 0.4 if words < SMALL else 0.3


def dimensions_of(settings: AdaptedSettings) -> Dimensions:
    """The dimensions of a network with these settings."""
    return Dimensions(
        width=settings.width,
        layers=settings.layers,
        feedforward=2 * settings.hidden,
        hidden=settings.hidden,
    )


def grown_dimensions(before: Dimensions, settings: AdaptedSettings) -> Dimensions:
    """The dimensions of a network that goes on learning with these settings."""
    more = settings.hidden - before.hidden
    return replace(
        before,
        layers=settings.layers,
        hidden=settings.hidden,
        feedforward=before.feedforward + 2 * more,
    )


def _of_start(name: str, its: int, given: int | None) -> int:
    """A setting that the network to start from has decided."""
    if given is not None and given != its:
        raise TrainingError(
            f"the model to start from has {name} {its}, which stays, so {name} cannot be {given}"
        )
    return its


def _at_least(name: str, units: str, its: int, given: int | None) -> int:
    """A setting that may be more than that of the network to start from."""
    if given is not None and given < its:
        raise TrainingError(
            f"the model to start from has {its} {units}, which stay, so {name} cannot be {given}"
        )
    return _or(given, its)


def _or(given: T | None, chosen: T) -> T:
    return chosen if given is None else given


def learn_lexicon(sentences: Iterable[Sentence], min_count: int, suffix: int = SUFFIX) -> Lexicon:
    """The lexicon of the names that occur at least `min_count` times in the sentences."""
    tables = _count_names(count_forms(sentences), suffix).items()
    names = {
        table: sorted(name for name, count in counts.items() if count >= min_count)
        for table, counts in tables
    }
    return Lexicon(names, suffix)


def count_forms(sentences: Iterable[Sentence]) -> Counter[str]:
    return Counter(form for sentence in sentences for form in sentence.forms)


def choose_suffix(forms: Mapping[str, int]) -> int:
    """The longest suffixes, up to SUFFIX, that most words seen once share with another word.

    Nothing is learned from a suffix that no other word has. The words of a treebank decide: letters
    carry less information than syllables, and syllables less than Chinese characters.
    """
    words: Counter[str] = Counter()
    for form, count in forms.items():
        words[lexical_names(form)[1]] += count
    rare = [word for word, count in words.items() if count == 1]
    for length in range(SUFFIX, 1, -1):
        suffixes = Counter(word[-length:] for word in words)
        shared = sum(suffixes[word[-length:]] > 1 for word in rare)
        if shared >= _SHARED_SUFFIXES * len(rare):
            return length
    return 1


def choose_min_count(forms: Mapping[str, int], suffix: int, least: int, most_names: int) -> int:
    """The smallest count from `least` on with which the lexicon has at most `most_names` names."""
    counts = sorted(
        (count for table in _count_names(forms, suffix).values() for count in table.values()),
        reverse=True,
    )
    return max(least, counts[most_names] + 1) if len(counts) > most_names else least


def _count_names(forms: Mapping[str, int], suffix: int) -> dict[str, Counter[str]]:
    """How often each name of each table occurs."""
    counts: dict[str, Counter[str]] = {table: Counter() for table in LEXICAL}
    for form, count in forms.items():
        for table, name in zip(LEXICAL, lexical_names(form, suffix), strict=True):
            if name:
                counts[table][name] += count
    return counts
