"""A causal language model, run by ONNX Runtime. It reads trees of tokens: what several sentences
begin with is read once.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError, ProblemError, missing_package
from syntagma.judges.conversion import ABOUT, TOKENIZER
from syntagma.judges.graph import BODY, HEAD, LONGEST, news, pasts

_TOGETHER: Final = 128  # tokens that are read in one run; more are no faster, and take more memory
_SCORED: Final = 32  # tokens that are scored together: each takes 0.6 MB
_STRANGE: Final = 1.0  # how much less likely a token counts after one that it never followed
_UNKNOWN: Final = -8.0  # the log-probability of a token that was never read

Floats = npt.NDArray[np.float32]


class CausalLanguageModel:
    """A converted model. Safe to use from several threads, each of which computes on its own."""

    def __init__(self, folder: Path) -> None:
        try:
            from onnxruntime import InferenceSession, SessionOptions
            from tokenizers import Tokenizer
        except ImportError as error:
            raise missing_package("a judge", error.name or "onnxruntime", "judge", error) from error
        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are raised
        try:
            about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            self.layers, self.width, self.state = about["layers"], about["width"], about["state"]
            self._longest = min(about["context"], LONGEST)
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            self.start, self.end = (
                int(self._tokenizer.token_to_id(about[name]) or 0) for name in ("start", "end")
            )
            self._body, self._head = (
                InferenceSession(str(folder / name), options, providers=["CPUExecutionProvider"])
                for name in (BODY, HEAD)
            )
        except Exception as error:  # of a cache that somebody else has changed
            raise ModelError(
                f"{folder}: not a converted judge ({error}); delete this folder"
            ) from error
        self._states = [*pasts(self.layers)]
        self._outputs = ["hidden", *news(self.layers)]

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        """The log-probability of each sentence and of its end."""
        reading = self.open(sentences)
        rows = range(len(sentences))
        reading.read(rows)
        return reading.log_probs(rows)

    def open(self, sentences: Sequence[str]) -> SentenceReading:
        """Sentences that are to be read a few at a time."""
        return SentenceReading(self, sentences)

    def next_tokens(self, hidden: Floats, targets: Sequence[tuple[int, int]]) -> Floats:
        """The log-probability of a token after that of a row, for each pair of them."""
        pairs = np.array(targets, np.int64)
        rows, pairs[:, 0] = np.unique(pairs[:, 0], return_inverse=True)
        [found] = self._head.run(None, {"hidden": hidden[rows], "targets": pairs})
        return np.asarray(found, np.float32)

    def tokens(self, text: str) -> list[int]:
        """The numbers of the tokens of a text."""
        numbers: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return numbers

    def check_length(self, tokens: int) -> None:
        """Raise if a sentence has more tokens than the model can read."""
        if tokens > self._longest:
            raise ProblemError(
                f"the sentence has {tokens} tokens for the judge, more than its limit of "
                f"{self._longest}; order it without a judge"
            )

    def run(self, feeds: dict[str, Any], states: Sequence[Floats]) -> list[Floats]:
        """The states of tokens, and what later ones look at."""
        feeds |= dict(zip(self._states, states, strict=True))
        found: list[Floats] = self._body.run(self._outputs, feeds)
        return found


class SentenceReading:
    """Sentences of the same words, of which some are read: what they begin with is read once.

    The others can be guessed: a token that was not read counts as it did on average after the same
    token before it or, where it never followed that one, on average and a little less.
    """

    def __init__(self, model: CausalLanguageModel, sentences: Sequence[str]) -> None:
        self._model = model
        self._reading = Reading(model)
        self._tokens, self._parents = list[int](), list[int]()
        self._log_probs = list[float]()  # NaN where a token was not read
        self._numbers: dict[tuple[int, int], int] = {}
        rows = [[model.start, *model.tokens(each), model.end] for each in sentences]
        model.check_length(max(map(len, rows), default=0))
        self._paths = [self._add(row) for row in rows]
        self._places: dict[int, int] = {}  # of tokens in the reading
        self._hidden = dict[int, Floats]()

    def _add(self, row: Sequence[int]) -> list[int]:
        """The numbers of the tokens of a row; those of its beginning may be there."""
        path, at = list[int](), -1
        for token in row:
            at = self._numbers.setdefault((at, token), len(self._tokens))
            if at == len(self._tokens):
                self._tokens.append(token)
                self._parents.append(path[-1] if path else -1)
                self._log_probs.append(math.nan if path else 0.0)
            path.append(at)
        return path

    def read(self, rows: Iterable[int]) -> None:
        """Read these sentences."""
        paths = [self._paths[row] for row in rows]
        # By depth, so that each token comes after those before it. The last one says nothing.
        new = [
            node
            for depth in range(max(map(len, paths), default=1) - 1)
            for node in dict.fromkeys(path[depth] for path in paths if depth < len(path) - 1)
            if node not in self._places
        ]
        for start in range(0, len(new), _TOGETHER):
            nodes = new[start : start + _TOGETHER]
            for place, node in enumerate(nodes, start=self._reading.size):
                self._places[node] = place
            parents = [self._places.get(self._parents[node], -1) for node in nodes]
            hidden = self._reading.read([self._tokens[node] for node in nodes], parents)
            self._hidden.update(zip(nodes, hidden, strict=True))
        wanted = [
            node
            for node in dict.fromkeys(node for path in paths for node in path[1:])
            if math.isnan(self._log_probs[node])
        ]
        for start in range(0, len(wanted), _SCORED):
            nodes = wanted[start : start + _SCORED]
            before = np.stack([self._hidden[self._parents[node]] for node in nodes])
            targets = [(row, self._tokens[node]) for row, node in enumerate(nodes)]
            for node, value in zip(nodes, self._model.next_tokens(before, targets), strict=True):
                self._log_probs[node] = float(value)

    def log_probs(self, rows: Iterable[int]) -> list[float]:
        """The log-probabilities of sentences that were read."""
        return [sum(self._log_probs[node] for node in self._paths[row]) for row in rows]

    def guesses(self) -> list[float]:
        """The log-probabilities of all sentences, as far as they are known, the rest guessed."""
        values = np.array(self._log_probs)
        pairs, tokens = (
            defaultdict[tuple[int, int], list[float]](list),
            defaultdict[int, list[float]](list),
        )
        for node, value in enumerate(self._log_probs):
            if not math.isnan(value):
                tokens[self._tokens[node]].append(value)
                pairs[self._tokens[self._parents[node]], self._tokens[node]].append(value)
        for node in np.flatnonzero(np.isnan(values)).tolist():
            token = self._tokens[node]
            if known := pairs.get((self._tokens[self._parents[node]], token)):
                values[node] = fmean(known)
            else:
                known = tokens.get(token)
                values[node] = (fmean(known) if known else _UNKNOWN) - _STRANGE
        return [float(values[path].sum()) for path in self._paths]


class Reading:
    """Tokens that a model has read, each with those that it looks back at: a tree."""

    def __init__(self, model: CausalLanguageModel) -> None:
        self._model = model
        self.size = 0
        self._positions = np.empty(0, np.int64)
        self._seen = np.empty((0, 0), np.bool_)  # [token, token before it or itself]
        self._states: list[Floats] = [
            np.empty((0, model.state), np.float32) for _ in range(2 * model.layers)
        ]

    def read(self, tokens: Sequence[int], parents: Sequence[int]) -> Floats:
        """Read tokens, each after its parent, -1 for none, and return their states."""
        start, end = self.size, self.size + len(tokens)
        self._reserve(end)
        for node, parent in enumerate(parents, start=start):
            if parent >= 0:
                self._seen[node, :end] = self._seen[parent, :end]
                self._positions[node] = self._positions[parent] + 1
            self._seen[node, node] = True
        feeds = {
            "tokens": np.array(tokens, np.int64),
            "positions": self._positions[None, start:end],
            "mask": np.where(self._seen[start:end, :end], np.float32(0), np.float32(-np.inf)),
        }
        hidden, *new = self._model.run(feeds, [each[:start] for each in self._states])
        for states, rows in zip(self._states, new, strict=True):
            states[start:end] = rows
        self.size = end
        return hidden

    def _reserve(self, size: int) -> None:
        room = len(self._positions)
        if size <= room:
            return
        more = max(size, 2 * room, _TOGETHER) - room
        self._positions = np.pad(self._positions, (0, more))
        self._seen = np.pad(self._seen, ((0, more), (0, more)))
        self._states = [np.pad(each, ((0, more), (0, 0))) for each in self._states]


def runtime() -> str:
    """What computes, as signatures name it."""
    return f"onnxruntime-{version('onnxruntime')}"
