"""Settings of training guided by best-first search: what is refused, and what CCG changes."""

from __future__ import annotations

from typing import Any

import pytest

from syntagma.best_first.settings import BestFirstSettings
from syntagma.errors import TrainingError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"grammar": "hpsg"}, "grammar 'hpsg' is not one of dependency, ccg"),
        ({"update": "early"}, "update 'early' is not one of margin, perceptron"),
        ({"condition": "all"}, "condition 'all' is not one of mixed, none, pos"),
        ({"tag_column": "pos"}, "tag_column 'pos' is not one of xpos, upos"),
        ({"epochs": 0}, "epochs must be between 1 and 10000, not 0"),
        ({"chart": 0}, "chart must be between 1 and 100000, not 0"),
        ({"chart": 100_001}, "chart must be between 1 and 100000, not 100001"),
        ({"expansions": 0}, "expansions must be between 1 and 1000000000, not 0"),
        ({"dev_expansions": 0}, "dev_expansions must be between 1 and 1000000000, not 0"),
        ({"max_features": 0}, "max_features must be between 1 and .*, not 0"),
        *(
            (
                {"grammar": "ccg", "condition": condition},
                f"condition '{condition}' gives arcs, which CCG models cannot keep: choose none",
            )
            for condition in ("half", "tree", "labelled", "tags0-arcs50", "tags100-arcs100")
        ),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        BestFirstSettings(**settings)


@pytest.mark.parametrize("condition", ["mixed", "none", "pos", "tags50-arcs0"])
def test_derivations_are_learned_without_arcs(condition: str) -> None:
    settings = BestFirstSettings(grammar="ccg", condition=condition)
    expected = ("none", "pos") if condition == "mixed" else (condition,)
    assert settings.dev_conditions == expected
