"""A causal language model, run by ONNX Runtime. It reads trees of tokens: what several sentences
begin with is read once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError, ProblemError, missing_package
from syntagma.judges.conversion import ABOUT, TOKENIZER
from syntagma.judges.graph import BODY, HEAD, LONGEST, news, pasts

_TOGETHER: Final = 128  # tokens that are read in one run; more are no faster, and take more memory

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
            self.start, self.end = map(self._tokenizer.token_to_id, (about["start"], about["end"]))
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
        rows = [[self.start, *self.tokens(each), self.end] for each in sentences]
        self.check_length(max(map(len, rows), default=0))
        tree = TokenTree()
        paths = [tree.add(row) for row in rows]
        log_probs = self._read(tree)
        return [float(sum(log_probs[path[1:]])) for path in paths]

    def _read(self, tree: TokenTree) -> npt.NDArray[np.float64]:
        """The log-probability of each token of a tree after those before it."""
        reading, parents = Reading(self), np.array(tree.parents)
        found = np.zeros(len(parents))
        # By depth, so that each token comes after its parent.
        numbers = np.empty(len(parents), np.int64)
        order = np.argsort(tree.depths, kind="stable")
        numbers[order] = np.arange(len(order))
        after = np.argsort(parents, kind="stable")
        ends = np.searchsorted(parents[after], np.arange(len(parents) + 1))
        for start in range(0, len(order), _TOGETHER):
            nodes = order[start : start + _TOGETHER]
            above = [-1 if parents[node] < 0 else int(numbers[parents[node]]) for node in nodes]
            hidden = reading.read([tree.tokens[node] for node in nodes], above)
            children = [after[ends[node] : ends[node + 1]] for node in nodes]
            inner = [row for row, below in enumerate(children) if len(below)]
            targets = [(row, node) for row, at in enumerate(inner) for node in children[at]]
            if targets:
                wanted = np.array([(row, tree.tokens[node]) for row, node in targets], np.int64)
                [values] = self._head.run(None, {"hidden": hidden[inner], "targets": wanted})
                found[[node for _, node in targets]] = values
        return found

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


class TokenTree:
    """Rows of tokens, what they begin with once. Tokens are numbered as they are added."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self._numbers: dict[tuple[int, int], int] = {}

    def add(self, row: Sequence[int]) -> list[int]:
        """The numbers of the tokens of a row."""
        path, at = [], -1
        for depth, token in enumerate(row):
            number = self._numbers.setdefault((at, token), len(self.tokens))
            if number == len(self.tokens):
                self.tokens.append(token)
                self.parents.append(at)
                self.depths.append(depth)
            path.append(at := number)
        return path


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
