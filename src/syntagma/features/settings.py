"""Settings that all learners of sparse features share: linear scorers and best-first search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from syntagma.errors import TrainingError
from syntagma.treebanks.conditions import CONDITIONS
from syntagma.treebanks.settings import REALIZE, Settings, check_limits, check_one_of

PresetName = Literal["l15", "p16", "zc15", "z13", "z11"]
PRESET_NAMES = ("l15", "p16", "zc15", "z13", "z11")
MAX_FEATURES = 1 << 28


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseSettings(Settings):
    """Settings that all learners of sparse features share.

    `preset` is the name of the published system that the settings were taken from, if any; see
    `training/presets.py`.
    """

    epochs: int = 10
    preset: PresetName | None = None
    unlabelled: bool = False  # arcs have no labels
    min_count: int = 2  # rarer forms are treated as unseen
    back_off: bool = True  # unseen forms by shape and suffix, unseen phrases by their last word
    whole_dictionary: bool = False  # propose all tags that a form was seen with, and all labels
    quantized: bool = True  # round the weights of the model file to 8 bits
    max_features: int = 4_000_000

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        if self.preset is not None:
            check_one_of("preset", self.preset, PRESET_NAMES)
        check_limits("min_count", self.min_count, 1 << 31)
        check_limits("max_features", self.max_features, MAX_FEATURES)
        given = CONDITIONS.get(self.condition)
        if self.unlabelled and given is not None and given.labelled:
            raise TrainingError(
                f"condition {self.condition!r} gives labels, which unlabelled models do not have: "
                "choose tree, or train a labelled model"
            )

    @property
    def labelled(self) -> bool:
        return not self.unlabelled

    @property
    def dev_conditions(self) -> tuple[str, ...]:
        usual = super(SparseSettings, self).dev_conditions
        if self.labelled:
            return usual
        return tuple(name for name in usual if name == REALIZE or not CONDITIONS[name].labelled)
