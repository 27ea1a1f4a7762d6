"""The transducer: inflects lemmas that were not seen in training with the features asked for.

Letter by letter, a small network predicts what becomes of the letter (`letters`): it is kept,
dropped, replaced, or something is inserted beside it. It sees the letters around it, the last
letters written, tag and features, and what became of the same letter in other forms of the lemma,
if some were seen (*sceler-* in *scelus*, *sceleris*). `transducer_training` learns it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from syntagma.files.sections import Section, check_sections, damaged, pack_lines, read_lines
from syntagma.realization.letters import (
    END,
    KEPT,
    MAX_AFFIX,
    MAX_LETTERS,
    START,
    Costs,
    align_letters,
    apply_change,
    letters_of,
    text_of,
)

WINDOW = 4  # letters to each side
WRITTEN = 3  # letters already written
ENDING = 3  # letters at the end of the lemma
MAX_LEFT = 7  # the number of letters to the end; more count as this many
SIBLINGS = 2  # other forms of the lemma

_BEAM = 3  # beginnings of the form
_MAX_WEIGHT = 10_000

PREFIX = "transducer."
_INPUTS, _CHANGES, _COSTS = (PREFIX + name for name in ("inputs", "changes", "costs"))
TABLE = (
    Section(PREFIX + "table", np.int8, ("inputs", "hidden")),
    Section(PREFIX + "scales", np.float16, ("inputs",), 0, _MAX_WEIGHT),
    Section(PREFIX + "bias", np.float16, ("hidden",), -_MAX_WEIGHT, _MAX_WEIGHT),
    Section(PREFIX + "output", np.float16, ("hidden", "changes"), -_MAX_WEIGHT, _MAX_WEIGHT),
    Section(PREFIX + "output_bias", np.float16, ("changes",), -_MAX_WEIGHT, _MAX_WEIGHT),
)

_Array = npt.NDArray[Any]
_Row = npt.NDArray[np.float32]


class Sibling(NamedTuple):
    """Another form of a lemma: its tag and features, and what becomes of each letter."""

    morphs: frozenset[str]
    changes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A lemma in letters, with the tag and features of the form wanted, and other known forms."""

    letters: str
    tag: str
    morphs: frozenset[str]
    siblings: tuple[Sibling, ...] = ()

    def static_inputs(self) -> list[list[str]]:
        """What the network sees at each letter apart from what was written, as names of inputs."""
        symbols = [START, *self.letters, END]
        shared = [f"m {each}" for each in sorted(self.morphs)]
        shared += (f"e{k} {each}" for k, each in enumerate(self.letters[-ENDING:][::-1]))
        for number, sibling in enumerate(self.siblings):
            shared += (f"x{number} {each}" for each in sorted(sibling.morphs - self.morphs))
        parts = self._parts()
        found = []
        for at in range(len(symbols)):
            inputs = [
                f"w{offset} {symbols[at + offset]}"
                for offset in range(-WINDOW, WINDOW + 1)
                if 0 <= at + offset < len(symbols)
            ]
            inputs.append(f"n {min(len(symbols) - at, MAX_LEFT)}")
            inputs += parts[at]
            for number, sibling in enumerate(self.siblings):
                inputs.append(f"s{number} {sibling.changes[at]}")
            found.append(inputs + shared)
        return found

    def _parts(self) -> list[list[str]]:
        """The tags of the part of the word that each letter belongs to, and of the next part, where
        lemma and tag have parts joined by `+`, as in Korean treebanks."""
        symbols = [START, *self.letters, END]
        tags = self.tag.split("+")
        if len(tags) < 2 or self.letters.count("+") != len(tags) - 1:
            return [[] for _ in symbols]
        found, part = [], 0
        for symbol in symbols:
            part += symbol == "+"
            following = tags[part + 1] if part + 1 < len(tags) else END
            found.append([f"p0 {tags[part]}", f"p1 {following}"])
        return found


def written_inputs(written: str) -> list[str]:
    """What the network sees of the letters already written."""
    padded = (START * WRITTEN + written)[-WRITTEN:]
    return [f"o{place} {letter}" for place, letter in enumerate(padded)]


def morphs_of(tag: str | None, features: str | None) -> frozenset[str]:
    """Tag and features as a set."""
    found = set(features.split("|")) if features else set()
    if tag:
        found.add(f"tag {tag}")
        found.update(f"part {part}" for part in tag.split("+") if part != tag)
    return frozenset(found)


def nearest(morphs: frozenset[str], siblings: Sequence[Sibling]) -> tuple[Sibling, ...]:
    """The siblings with the most similar features; of equal ones, the first."""
    return tuple(sorted(siblings, key=lambda each: len(each.morphs ^ morphs))[:SIBLINGS])


class Transducer:
    """A network over named inputs with one hidden layer, and its search.

    `weights` are the arrays of `TABLE`: a row for each input, its scale and the bias of the rows,
    and a column for each change and its bias.
    """

    def __init__(
        self,
        inputs: Sequence[str],
        changes: Sequence[str],
        costs: Costs,
        weights: Mapping[str, _Array],
    ) -> None:
        self._inputs = inputs
        self._changes = changes
        self._costs = costs
        self._weights = {section.name: weights[section.name] for section in TABLE}
        self._number = {name: number for number, name in enumerate(inputs)}
        rows, scales, self._bias, self._output, self._output_bias = (
            array.astype(np.float32) for array in self._weights.values()
        )
        self._table = rows * scales[:, None]
        self._known = frozenset(name[3:] for name in inputs if name.startswith("w0 "))

    def align(self, lemma: str, form: str) -> list[str] | None:
        """What becomes of each letter of a lemma in a form."""
        return align_letters(letters_of(lemma), letters_of(form), self._costs)

    def inflect(
        self, lemma: str, tag: str | None, features: str | None, siblings: Sequence[Sibling] = ()
    ) -> str:
        """The likeliest form of a lemma in lower case; may be empty."""
        letters = letters_of(lemma)
        if len(letters) > MAX_LETTERS:
            return lemma
        morphs = morphs_of(tag, features)
        lexeme = Lexeme(letters, tag or "", morphs, nearest(morphs, siblings))
        static = [self._sum(names) + self._bias for names in lexeme.static_inputs()]
        beam: list[tuple[float, str]] = [(0.0, "")]
        for symbol, row in zip([START, *letters, END], static, strict=True):
            edge = symbol in (START, END)
            if symbol not in self._known and not edge:  # such as a letter of another script
                beam = [(score, written + symbol) for score, written in beam]
                continue
            hidden = np.stack([row + self._sum(written_inputs(written)) for _, written in beam])
            scores = np.maximum(hidden, 0) @ self._output + self._output_bias
            scores -= np.logaddexp.reduce(scores, axis=1, keepdims=True)
            found: dict[str, float] = {}
            for (score, written), row_scores in zip(beam, scores, strict=True):
                for best in np.argsort(-row_scores, kind="stable")[:_BEAM]:
                    change = self._changes[best]
                    if edge and KEPT in change:
                        continue
                    text = written + apply_change(symbol, change)
                    total = score + float(row_scores[best])
                    found[text] = max(total, found.get(text, -np.inf))
            beam = [(score, text) for text, score in found.items()]
            beam = sorted(beam, key=lambda each: -each[0])[:_BEAM] or [(0.0, "")]
        return text_of(beam[0][1])

    def _sum(self, names: Sequence[str]) -> _Row:
        numbers = [self._number[name] for name in names if name in self._number]
        total: _Row = self._table[numbers].sum(axis=0)
        return total

    def to_arrays(self) -> dict[str, _Array]:
        """Sections of a model file; `from_arrays` is the inverse."""
        costs = (f"{symbol}\t{change}\t{c:.3f}" for (symbol, change), c in self._costs.items())
        return {
            _INPUTS: pack_lines(self._inputs),
            _CHANGES: pack_lines(f"={change}" for change in self._changes),
            _COSTS: pack_lines(costs),
            **self._weights,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, _Array]) -> Transducer | None:
        """None for models that have no transducer, as all before 0.11."""
        if not any(name.startswith(PREFIX) for name in arrays):
            return None
        inputs, changes = read_lines(arrays, _INPUTS), read_lines(arrays, _CHANGES)
        sizes = {"inputs": len(inputs), "changes": len(changes)}
        check_sections(arrays, TABLE, sizes)
        if any(not change.startswith("=") or len(change) > MAX_AFFIX + 1 for change in changes):
            raise damaged(_CHANGES, "a line is not what a letter becomes")
        costs = {}
        for line in read_lines(arrays, _COSTS):
            try:
                symbol, change, cost = line.split("\t")
                costs[symbol, change] = float(cost)
            except ValueError as error:
                raise damaged(_COSTS, "a line is malformed") from error
            if not 0 <= costs[symbol, change] <= _MAX_WEIGHT:
                raise damaged(_COSTS, "a cost is out of range")
        return cls(inputs, [change[1:] for change in changes], costs, arrays)
