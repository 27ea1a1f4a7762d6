"""Edit rules: how likely each edit of a lemma is, by its tag, its features and its ending."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from syntagma.realization.edits import Edit
from syntagma.realization.lexicon import Seen, is_typo

_SUFFIXES = 6  # the longest ending, in letters, that a rule looks at
_BACKOFF = 2.0  # back-off pseudo-count: all lemmas with a shorter ending count as this many


class EditRules:
    """Edits from the lemmas of one tag to their forms, counted by features and ending of the lemma.

    Every lemma counts once, however frequent, because rules are for unseen lemmas.
    """

    def __init__(self, counts: Mapping[tuple[str | None, str], Mapping[Edit, int]]) -> None:
        self._counts = counts

    @classmethod
    def of_lexicon(cls, lexicon: Mapping[str, Sequence[Seen]], tag: str) -> EditRules:
        counts: defaultdict[tuple[str | None, str], Counter[Edit]] = defaultdict(Counter)
        for lemma, entries in lexicon.items():
            best: dict[str, Seen] = {}
            for entry in entries:
                known = best.get(entry.features)
                if entry.tag != tag or is_typo(entry.features):
                    continue
                if known is None or entry.count > known.count:
                    best[entry.features] = entry
            endings = _endings(lemma.lower()) if best else []
            for features, entry in best.items():
                for ending in endings:
                    counts[features, ending][entry.edit] += 1
                    counts[None, ending][entry.edit] += 1
        return cls(counts)

    def chances(self, lemma: str, features: str | None) -> dict[Edit, float]:
        """The probability of each edit: relative frequency by ending, backed off to shorter ones.

        Unseen features are ignored. A lemma with an unseen last letter, such as one in another
        script, is not edited at all.
        """
        if (features, "") not in self._counts:
            features = None
        chances: dict[Edit, float] = {}
        endings = _endings(lemma.lower())
        if (None, endings[1]) not in self._counts:
            return {}
        for ending in endings:
            seen = self._counts.get((features, ending))
            if seen is None:
                break
            total = sum(seen.values()) + (_BACKOFF if chances else 0.0)
            chances = {
                edit: (seen.get(edit, 0) + _BACKOFF * chances.get(edit, 0.0)) / total
                for edit in {**chances, **seen}
            }
        return chances


def _endings(lemma: str) -> list[str]:
    """The endings of a lemma, shortest first."""
    marked = "^" + lemma
    return ["", *(marked[-size:] for size in range(1, min(_SUFFIXES, len(marked)) + 1))]
