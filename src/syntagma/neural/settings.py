"""Settings of training the network. Those left open are chosen by `adaptation`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from syntagma.errors import TrainingError, shown
from syntagma.neural.lexicon import SUFFIX
from syntagma.treebanks.settings import REALIZE, Settings, check_limits, check_one_of, check_type

MAX_WIDTH = 1024
WIDTH_MULTIPLE = 32  # attention has 8 heads, and vectors are computed in blocks
LEAST_LAYERS, MAX_LAYERS = 2, 12  # tags and labels are guessed after the second
_MOST = {
    **{"pretrain_epochs": 1000, "batch_words": 1_000_000, "min_count": 1_000_000},
    **{"suffix_length": SUFFIX, "width": MAX_WIDTH, "layers": MAX_LAYERS, "hidden": MAX_WIDTH},
}


class Speciality(NamedTuple):
    """What one of several networks learns (`scorer`): the relative frequencies of conditions,
    the share of visits from lemmas, and the conditions in which the development set is scored."""

    shares: tuple[int, ...]
    lemmas: float
    dev_conditions: tuple[str, ...]


SPECIALITIES = {
    "trees": Speciality((0, 0, 0, 1, 1), 0.4, ("tree", "labelled")),
    "bags": Speciality((3, 3, 4, 0, 0), 0.2, ("none", "pos", "half")),
    "second": Speciality((0, 0, 0, 1, 1), 0.4, ("tree", "labelled")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuralSettings(Settings):
    """Settings of training the network; the treebank decides those that are None."""

    SCORER = "neural"
    PRETRAINS = True
    SHARES = (1, 1, 2, 3, 3)

    epochs: int | None = None
    pretrain_epochs: int = 2
    learning_rate: float = 1.5e-3
    batch_words: int = 300  # words per batch
    width: int | None = None  # of the vectors of the network
    layers: int | None = None  # of the encoder; a network to start from may grow
    hidden: int | None = None  # units that score a SHIFT; it may grow by these, too
    min_count: int | None = None  # rarer forms are unknown: only their suffix and shape are read
    suffix_length: int | None = None  # characters
    dropout: float | None = None
    word_dropout: float | None = None  # rate at which forms are replaced by unknown
    realize: bool | None = None  # also learn to realize lemmas; None: yes
    specialize: str = ""  # or, of several networks, the one that learns: one of SPECIALITIES

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        if self.specialize:
            check_one_of("specialize", self.specialize, SPECIALITIES)
            if self.condition != "mixed":
                raise TrainingError(
                    f"a network that is specialised in {self.specialize} chooses its conditions: "
                    "leave out condition (--condition)"
                )
        for name in ("width", "layers", "hidden", "min_count", "suffix_length"):
            check_type(self, name, int)
        for name in ("dropout", "word_dropout"):
            check_type(self, name, float)
        check_type(self, "realize", bool)
        for name, most in _MOST.items():
            check_limits(name, getattr(self, name), most, LEAST_LAYERS if name == "layers" else 1)
        for name, size in (("width", self.width), ("hidden", self.hidden)):
            if size is not None and size % WIDTH_MULTIPLE:
                raise TrainingError(
                    f"{name} must be a multiple of {WIDTH_MULTIPLE}, not {shown(size)}"
                )
        for name, rate in (("dropout", self.dropout), ("word_dropout", self.word_dropout)):
            if rate is not None and not 0 <= rate < 1:
                raise TrainingError(f"{name} must be at least 0 and less than 1, not {rate}")
        if not 0 < self.learning_rate <= 1:
            raise TrainingError(f"learning_rate must be between 0 and 1, not {self.learning_rate}")

    @property
    def shares(self) -> tuple[int, ...]:
        usual = super(NeuralSettings, self).shares
        return SPECIALITIES[self.specialize].shares if self.specialize else usual

    @property
    def lemmas(self) -> float:
        usual = super(NeuralSettings, self).lemmas
        return SPECIALITIES[self.specialize].lemmas if self.specialize else usual

    @property
    def dev_conditions(self) -> tuple[str, ...]:
        usual = super(NeuralSettings, self).dev_conditions
        if not self.specialize:
            return usual
        realized = (REALIZE,) if REALIZE in usual else ()
        return (*SPECIALITIES[self.specialize].dev_conditions, *realized)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptedSettings(NeuralSettings):
    """Settings of training the network, none of them open; made by `adaptation.adapt`."""

    epochs: int
    width: int
    layers: int
    hidden: int
    min_count: int
    suffix_length: int
    dropout: float
    word_dropout: float
    realize: bool
