"""Caches of functions of texts: short texts are computed once, long ones are not kept."""

from __future__ import annotations

from collections import Counter

from syntagma.caches import LONGEST_KEPT, cached_texts


def test_results_of_short_texts_are_kept_and_those_of_long_ones_are_not() -> None:
    calls: Counter[str] = Counter()

    @cached_texts(4)
    def doubled(text: str, other: str | None = None) -> str:
        """Twice."""
        calls[text] += 1
        return 2 * text

    assert doubled.__name__ == "doubled"
    longest, longer = "x" * LONGEST_KEPT, "x" * (LONGEST_KEPT + 1)
    for text in (longest, longer, "short", longest, longer, "short"):
        assert doubled(text, None) == 2 * text
    assert calls == {longest: 1, longer: 2, "short": 1}
    assert doubled("short", longer) == doubled("short", longer) == "shortshort"
    assert calls["short"] == 3
    for number in range(5):
        doubled(str(number), None)
    assert doubled("short", None) == "shortshort"
    assert calls["short"] == 4
