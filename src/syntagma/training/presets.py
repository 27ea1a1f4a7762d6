"""The settings of the published systems, so that their experiments can be repeated.

| preset | system |
|---|---|
| `l15` | Liu et al. 2015: beam search over SHIFT-word-tag, LEFTARC, RIGHTARC |
| `p16` | Puduppully et al. 2016: the same with lookahead features and labelled arcs |
| `zc15` | Zhang and Clark 2015: best-first search over dependency trees, or over CCG derivations |
| `z13` | Zhang 2013, as ZC15 §4.4 describes it: each training sentence ends with its first update |
| `z11` | Zhang and Clark 2011, as ZC15 §3.5 describes it: CCG derivations, perceptron updates |

`docs/guide/train.md` says which setting comes from where, and what the papers leave open.
"""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any

from syntagma.best_first.settings import BestFirstSettings
from syntagma.errors import ArgumentError, shown
from syntagma.features.settings import MAX_FEATURES, PRESET_NAMES, SparseSettings
from syntagma.linear.settings import LinearSettings
from syntagma.treebanks.conditions import CONDITIONS
from syntagma.treebanks.settings import MAX_SENTENCES, Settings

# No system knows more of a word than its form and its tag, none leaves out or rounds anything.
_PLAIN: dict[str, Any] = {
    "min_count": 1,
    "back_off": False,
    "whole_dictionary": True,
    "quantized": False,
    "max_features": MAX_FEATURES,
    "dev_sentences": MAX_SENTENCES,
}
# L15 §3 and §4.1; P16 changes its features only.
_BEAM: dict[str, Any] = {
    **_PLAIN,
    "update": "early",
    "beam": 64,
    "batch": 1,
    "every_label": True,
    "merging": False,
}
PRESETS: dict[str, LinearSettings | BestFirstSettings] = {
    # Arcs in the order of Table 1.
    "l15": LinearSettings(
        preset="l15", features="l15", arcs="lazy", unlabelled=True, condition="none", **_BEAM
    ),
    # Arcs in the order of the example in §2.
    "p16": LinearSettings(
        preset="p16", features="p16", arcs="eager", condition="labelled", **_BEAM
    ),
    # Algorithm 3; §5.5: trained without tags and arcs.
    "zc15": BestFirstSettings(
        preset="zc15", unlabelled=True, averaged=False, condition="none", **_PLAIN
    ),
    # Algorithm 2 with the scaled model (§5.3).
    "z13": BestFirstSettings(
        preset="z13",
        unlabelled=True,
        negatives=False,
        first_update=True,
        averaged=False,
        condition="none",
        **_PLAIN,
    ),
    # Algorithm 2 with the standard model and a chart of several beams (§3.4).
    "z11": BestFirstSettings(
        preset="z11",
        grammar="ccg",
        update="perceptron",
        scaled=False,
        negatives=False,
        averaged=False,
        chart_by_size=True,
        condition="pos",
        **_PLAIN,
    ),
}
assert tuple(PRESETS) == PRESET_NAMES

# What every experiment, or its data, chooses; the papers do not state the number of epochs.
_FREE = ("preset", "condition", "epochs", "heads", "seed", "tag_column")


def paper_settings(name: str, **changes: Any) -> LinearSettings | BestFirstSettings:
    """The settings of a published system: l15, p16, zc15, z13 or z11.

    `changes` are settings that differ from the system's. Where labels are given (the condition
    labelled) arcs are labelled unless `unlabelled` is among the changes; CCG derivations have no
    labels to leave out.
    """
    if name not in PRESETS:
        raise ArgumentError(f"preset {shown(name)} is not one of {', '.join(PRESETS)}")
    settings = PRESETS[name]
    unknown = changes.keys() - {field.name for field in fields(settings)}
    if unknown:
        raise ArgumentError(f"the preset {name} has no setting {shown(min(unknown))}")
    given = CONDITIONS.get(changes.get("condition", settings.condition))
    if (given is not None and given.labelled) or changes.get("grammar") == "ccg":
        changes.setdefault("unlabelled", False)
    return replace(settings, **changes)


def describe_preset(settings: Settings) -> dict[str, Any]:
    """The header fields that name the published system whose settings these are, if any, and the
    settings that differ from its own, but for what every experiment chooses, such as the seed."""
    if not isinstance(settings, SparseSettings) or settings.preset is None:
        return {}
    preset = asdict(PRESETS[settings.preset])
    changes = {
        name: value
        for name, value in asdict(settings).items()
        if name not in _FREE and value != preset[name]
    }
    return {"preset": settings.preset, **({"preset_changes": changes} if changes else {})}
