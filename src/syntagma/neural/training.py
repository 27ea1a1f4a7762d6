"""Gradient descent over treebanks: what `training` has the neural scorer learn, with PyTorch.

The network and its loss are `neural_network`'s; only this module and that one import torch.
"""

from __future__ import annotations

import ctypes
import math
import os
import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from syntagma.errors import TrainingError
from syntagma.models.model import Model
from syntagma.neural._search import trace
from syntagma.neural.network import (
    Batch,
    Example,
    Network,
    collate,
    initial_parameters,
)
from syntagma.neural.scorer import (
    Dimensions,
    Floats,
    Lexicon,
    NeuralScorer,
    StoredNetwork,
    describe_network,
    grow,
    read_fields,
    table_sizes,
)
from syntagma.neural.settings import NeuralSettings
from syntagma.neural.slots import SLOTS
from syntagma.transition.budget import SearchBudget
from syntagma.transition.training import encode_training, grow_vocabulary, learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence
from syntagma.treebanks.visits import of_lemmas, visit

# How much the losses count beside that of the actions.
WEIGHTS = {"action": 1.0, "backward": 1.0, "tag": 0.2, "guess": 0.2, "label": 0.1}
WARM_UP = 300  # steps
LAST_RATE = 0.02  # of the learning rate
MOST_AVERAGING = 0.999  # share of the average that a step keeps
WINDOW = 2000  # sentences among which those of like length share a batch
AHEAD = 6  # batches prepared while the network computes


class NeuralLearner:
    """Learns a neural scorer; its figure is `loss`, the mean cross-entropy of the actions."""

    budget = SearchBudget(beam=16)

    def __init__(
        self,
        settings: NeuralSettings,
        threads: int,
        start: Model | None = None,
        inflect: Callable[[Sentence], Sentence] | None = None,
    ) -> None:
        """`start`: a neural model to go on from, with its words and dimensions; tags and labels
        that it does not know are added. With `inflect`, it also learns to order sentences in the
        forms that this gives them."""
        self.settings = settings
        self.start = start
        self.inflect = inflect
        torch.set_num_threads(threads)
        _keep_memory()

    def begin(
        self, sentences: Sequence[Sentence], pretrain: Sequence[Sequence[Sentence]]
    ) -> Vocabulary:
        self.sentences = sentences
        self.further = list(chain.from_iterable(pretrain))
        everything = [*sentences, *self.further]
        torch.manual_seed(self.settings.seed % (1 << 63))
        if self.start is None:
            self.dimensions = Dimensions()
            self.vocabulary = learn_vocabulary(everything).without_forms()
            self.lexicon = Lexicon.of_treebank(everything, self.settings.min_count)
            sizes = table_sizes(self.lexicon, self.vocabulary)
            initial = initial_parameters(self.dimensions, SLOTS, sizes)
        else:
            scorer = self.start.scorer
            assert isinstance(scorer, NeuralScorer)
            self.vocabulary = grow_vocabulary(self.start.vocabulary, everything)
            self.dimensions, self.lexicon = scorer.dimensions, scorer.lexicon
            grown = grow(scorer.parameters(), self.start.vocabulary, self.vocabulary)
            initial = {name: torch.from_numpy(array.copy()) for name, array in grown.items()}
        self.flat = _Flat(initial)
        self.network = Network(
            self.dimensions,
            SLOTS,
            self.flat.parameters,
            self.settings.dropout,
            self.settings.word_dropout,
        )
        self.optimizer = torch.optim.AdamW(
            [self.flat.values],
            lr=self.settings.learning_rate,
            betas=(0.9, 0.98),
            weight_decay=0.01,
            fused=True,
        )
        self.average = self.flat.values.detach().clone()
        self.steps = self.words_seen = 0
        # A pass over the further treebanks is cut into epochs of the size of the treebank proper.
        self.pieces = max(1, round(len(self.further) / len(sentences))) if self.further else 0
        passes = self.settings.pretrain_epochs if self.further else 0
        self.epochs = passes * self.pieces + self.settings.epochs
        self.words_to_see = passes * _words(self.further) + self.settings.epochs * _words(sentences)
        return self.vocabulary

    def describe(self) -> dict[str, Any]:
        return describe_network(self.dimensions)

    def pass_over(self, number: int, on_sentence: Callable[[], None]) -> dict[str, float]:
        torch.manual_seed((self.settings.seed * 1_000_003 + number) % (1 << 63))
        total = steps = 0.0
        self.network.training = True
        for batch, size in self._batches(number):
            decisions = len(batch.directions[0].gold)
            if decisions:
                total += self._learn(batch) * decisions
                steps += decisions
            self.words_seen += batch.n_words
            for _ in range(size):
                on_sentence()
        if not math.isfinite(total):
            raise TrainingError(
                "the loss has grown beyond all bounds: lower the learning rate (--learning-rate)"
            )
        return {"loss": total / max(steps, 1)}

    def _learn(self, batch: Batch) -> float:
        """One step of gradient descent; the loss of the actions."""
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate()
        losses = self.network.losses(batch)
        self.flat.gradient.zero_()
        torch.stack([WEIGHTS[name] * loss for name, loss in losses.items()]).sum().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_([self.flat.values], 1.0)
        self.optimizer.step()
        self.steps += 1
        keep = min(MOST_AVERAGING, (1 + self.steps) / (10 + self.steps))
        self.average.lerp_(self.flat.values.detach(), 1 - keep)
        return float(losses["action"].detach())

    def _rate(self) -> float:
        """Warm up, then down along a cosine."""
        done = min(1.0, self.words_seen / self.words_to_see)
        cosine = LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * done)) / 2
        return self.settings.learning_rate * min(1.0, (self.steps + 1) / WARM_UP) * cosine

    def stored(self) -> StoredNetwork:
        return StoredNetwork.of(self.lexicon, self.averaged())

    def averaged(self) -> dict[str, Floats]:
        """The averaged parameters."""
        return {name: array.numpy() for name, array in self.flat.cut(self.average).items()}

    def state(self) -> dict[str, npt.NDArray[Any]]:
        moments = self.optimizer.state.get(self.flat.values, {})
        return {
            "parameters": self.flat.values.detach().numpy(),
            "average": self.average.numpy(),
            "done": np.array([self.steps, self.words_seen]),
            **{name: value.numpy().reshape(-1) for name, value in moments.items()},
        }

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.steps, self.words_seen = map(int, arrays["done"])
        with torch.no_grad():
            self.flat.values.copy_(torch.tensor(arrays["parameters"]))
            self.average.copy_(torch.tensor(arrays["average"]))
        if "exp_avg" in arrays:
            self.optimizer.state[self.flat.values] = {
                "step": torch.tensor(arrays["step"][0]),
                "exp_avg": torch.tensor(arrays["exp_avg"]),
                "exp_avg_sq": torch.tensor(arrays["exp_avg_sq"]),
            }

    def _batches(self, number: int) -> Iterator[tuple[Batch, int]]:
        """The batches of an epoch, each with its number of sentences, prepared ahead."""
        sentences, indices = self._visits(number)
        rng = random.Random(f"{self.settings.seed}:epoch:{number}")
        groups: list[list[int]] = []
        for start in range(0, len(indices), WINDOW):
            window = sorted(indices[start : start + WINDOW], key=lambda i: len(sentences[i]))
            group: list[int] = []
            for i in window:
                group.append(i)
                if sum(len(sentences[i]) for i in group) >= self.settings.batch_words:
                    groups.append(group)
                    group = []
            if group:
                groups.append(group)
        rng.shuffle(groups)

        def prepare(group: Sequence[int]) -> Batch:
            return collate([self._example(number, i, sentences[i]) for i in group], SLOTS)

        under_way: deque[tuple[Future[Batch], int]] = deque()
        with ThreadPoolExecutor(1) as pool:
            for group in groups:
                under_way.append((pool.submit(prepare, group), len(group)))
                if len(under_way) > AHEAD:
                    batch, size = under_way.popleft()
                    yield batch.result(), size
            while under_way:
                batch, size = under_way.popleft()
                yield batch.result(), size

    def _visits(self, number: int) -> tuple[Sequence[Sentence], list[int]]:
        """A treebank, and which of its sentences epoch `number` visits, in which order."""
        before = self.epochs - self.settings.epochs
        if number > before:
            sentences, first, piece, pieces = self.sentences, number, 0, 1
        else:
            sentences, pieces = self.further, self.pieces
            piece = (number - 1) % pieces
            first = number - piece
        order = list(range(len(sentences)))
        random.Random(f"{self.settings.seed}:order:{first}").shuffle(order)
        return sentences, order[piece::pieces]

    def _example(self, number: int, index: int, sentence: Sentence) -> Example:
        if self.inflect is not None and of_lemmas(self.settings, number, index):
            sentence = self.inflect(sentence)
        problem = visit(self.settings, number, index, sentence)
        encoding, reference = encode_training(sentence, problem, self.vocabulary)
        fields, relations, heads = read_fields(encoding, self.lexicon, self.vocabulary)
        words = [problem.words[at] for at in encoding.order]
        return Example(
            fields=fields,
            relations=relations,
            given_heads=heads,
            traces=[
                trace(encoding.task, reference.order, reference.heads, backward)
                for backward in (False, True)
            ],
            heads=reference.heads,
            tags=np.where([word.tag is None for word in words], reference.tags, -1),
            labels=np.where([word.deprel is None for word in words], reference.labels, -1),
        )


class _Flat:
    """All parameters, and their gradients, as parts of one vector."""

    def __init__(self, initial: Mapping[str, torch.Tensor]) -> None:
        self.shapes = {name: tuple(value.shape) for name, value in initial.items()}
        self.values = torch.cat([value.reshape(-1) for value in initial.values()])
        self.gradient = torch.zeros_like(self.values)
        gradients = self.cut(self.gradient)
        self.parameters = self.cut(self.values)
        self.values.grad = self.gradient
        for name, parameter in self.parameters.items():
            parameter.requires_grad_()
            parameter.grad = gradients[name]

    def cut(self, vector: torch.Tensor) -> dict[str, torch.Tensor]:
        """Views of a vector, by the names of the parameters."""
        parts: dict[str, torch.Tensor] = {}
        start = 0
        for name, shape in self.shapes.items():
            size = math.prod(shape)
            parts[name] = vector[start : start + size].view(shape)
            start += size
        return parts


def _words(sentences: Sequence[Sentence]) -> int:
    return sum(map(len, sentences))


def _keep_memory() -> None:
    """Have glibc keep freed blocks of up to 32 MB: to fault in new ones takes a third of the time.

    Other C libraries have no such call, and are left alone.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is not None:
        mmap_threshold, trim_threshold = -3, -1
        mallopt(mmap_threshold, 32 << 20)
        mallopt(trim_threshold, 1 << 30)
