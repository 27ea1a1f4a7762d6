"""The lift head: how far each word of a given tree is lifted for the purpose of ordering.

It reads what the encoder makes of the tree as it is given. `transition.lifting` says what a lifting
is, and chooses among them; `network` computes the same in PyTorch, for training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from syntagma.neural._encoder import Matrix
from syntagma.neural.parameters import Floats
from syntagma.transition.lifting import MOST_STEPS, room_of


class LiftHead:
    """A hidden layer over a word, its head and the head of its head."""

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self._ends = Matrix(weights["lift.ends.weight"], weights["lift.ends.bias"])
        self._out = Matrix(weights["lift.out.weight"], weights["lift.out.bias"])

    def scores(self, vectors: Floats, heads: Sequence[int]) -> Floats | None:
        """Log-probabilities [n, steps]; None if no word can be lifted.

        Steps for which not enough ancestors are given are impossible: minus infinity.
        """
        room = room_of(heads)
        words = [word for word, steps in enumerate(room) if steps]
        if not words:
            return None
        ends = [(word, heads[word], heads[heads[word]]) for word in words]
        hidden = self._ends(vectors[np.array(ends)].reshape(len(words), -1))
        logits = self._out(np.maximum(hidden, 0, out=hidden))
        steps = np.arange(MOST_STEPS + 1)
        logits[steps > np.array([room[word] for word in words])[:, None]] = -np.inf
        logits -= logits.max(axis=1, keepdims=True)
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        scores = np.full((len(heads), MOST_STEPS + 1), -np.inf, np.float32)
        scores[:, 0] = 0.0
        scores[words] = logits
        return scores
