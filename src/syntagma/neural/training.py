"""The learner of the neural scorer: gradient descent over treebanks, with PyTorch.

The network and its losses are in `network`, its input in `batches`; in this room, only these
modules import torch. The training run around the learner is in the package `training`.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from syntagma.errors import TrainingError
from syntagma.neural._action_scorer import trace
from syntagma.neural.adaptation import dimensions_of, grown_dimensions, learn_lexicon
from syntagma.neural.batches import (
    Batch,
    Example,
    collate,
    encode_lifted,
    lift_sentence,
    open_steps,
    with_lifting,
)
from syntagma.neural.encoder import read_fields
from syntagma.neural.growth import grow_network
from syntagma.neural.network import Network, initial_parameters, torch_at_work
from syntagma.neural.parameters import SHARED, Dimensions, Floats, input_names, table_sizes
from syntagma.neural.scorer import NeuralScorer, networks_of, starting_network
from syntagma.neural.settings import AdaptedSettings
from syntagma.neural.stored import StoredNetwork, describe_network
from syntagma.request import Request
from syntagma.transition.encoding import Encoding
from syntagma.transition.lifting import MOST_STEPS, Lifting
from syntagma.transition.training import (
    Reference,
    grow_vocabulary,
    learn_inputs,
    learn_vocabulary,
)
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence
from syntagma.treebanks.visits import of_lemmas, thin_tags, visit

LOSS_WEIGHTS = {
    **{"action": 1.0, "backward": 1.0, "tag": 0.2, "guess": 0.2, "label": 0.1},
    "lift": 0.5,
}
WARM_UP = 300  # steps
FINAL_RATE = 0.02  # at the end of the cosine schedule, as a share of the learning rate
AVERAGE_DECAY = 0.999  # of the moving average of the parameters; less in the first steps
WINDOW = 2000  # sentences that are sorted by length before they are cut into batches
PREFETCH = 6  # batches prepared while the network computes


class NeuralLearner:
    """Trains a neural scorer; reports `loss`, the mean cross-entropy of the actions."""

    request = Request(beam=16)

    def __init__(
        self,
        settings: AdaptedSettings,
        threads: int,
        start: NeuralScorer | None = None,
        inflect: Callable[[Sentence], Sentence] | None = None,
        *,
        keep_tags: bool = True,
    ) -> None:
        """Training continues from `start`, with its lexicon and dimensions; new tags and labels are
        added, its own tags are dropped unless `keep_tags`. If the settings specialise a network,
        one of several learns, and the tables that they share stay as they are. `inflect` replaces
        the forms of a sentence by those inflected from its lemmas; with it, some visits of each
        epoch learn to order such sentences."""
        self.settings = settings
        self.start = start
        self.inflect = inflect
        self.keep_tags = keep_tags
        self.threads = threads

    def begin(
        self, sentences: Sequence[Sentence], pretrain: Sequence[Sequence[Sentence]]
    ) -> Vocabulary:
        settings = self.settings
        further = list(chain.from_iterable(pretrain))
        everything = [*sentences, *further]
        self.sentences = list(map(with_lifting, sentences))
        self.further = list(map(with_lifting, further))
        # The networks that stay: their dimensions and parameters, by what they are specialised in.
        self.others: dict[str, tuple[Dimensions, dict[str, Floats]]] = {}
        with torch_at_work(self.threads, settings.seed):
            if self.start is not None:
                initial = self._continue(self.start, everything)
            else:
                self.dimensions = dimensions_of(settings)
                vocabulary = learn_vocabulary(everything).without_forms()
                self.vocabulary = vocabulary.with_inputs(*learn_inputs(everything))
                self.lexicon = learn_lexicon(everything, settings.min_count, settings.suffix_length)
                initial = self._fresh(self.dimensions)
        values = {name: torch.from_numpy(array.copy()) for name, array in initial.items()}
        fixed = SHARED if settings.specialize else frozenset()
        self.fixed = {name: values.pop(name) for name in initial if name in fixed}
        self.flat = FlatParameters(values)
        parameters = {**self.fixed, **self.flat.parameters}
        self.network = Network(self.dimensions, parameters, settings.dropout, settings.word_dropout)
        self.optimizer = torch.optim.AdamW(
            [self.flat.values],
            lr=settings.learning_rate,
            betas=(0.9, 0.98),
            weight_decay=0.01,
            fused=True,
        )
        self.average = self.flat.values.detach().clone()
        self.steps = self.words_seen = 0
        # A pass over the further treebanks is cut into epochs of about the size of the main one.
        self.pieces = max(1, round(len(self.further) / len(sentences))) if self.further else 0
        passes = settings.pretrain_epochs if self.further else 0
        self.epochs = passes * self.pieces + settings.epochs
        self.words_to_see = passes * _words(further) + settings.epochs * _words(sentences)
        return self.vocabulary

    def _continue(self, start: NeuralScorer, sentences: Sequence[Sentence]) -> dict[str, Floats]:
        """The parameters from which a network goes on learning; other networks grow with it."""
        specialize = self.settings.specialize
        begun, networks = starting_network(start, specialize), networks_of(start)
        self.dimensions = grown_dimensions(begun.dimensions, self.settings)
        self.vocabulary = grow_vocabulary(begun.vocabulary, sentences, keep_tags=self.keep_tags)
        self.lexicon = begun.lexicon
        initial = self._grown(begun, self.dimensions)
        if specialize == "second" and specialize not in networks:
            fresh = self._fresh(self.dimensions)
            initial.update((name, fresh[name]) for name in initial.keys() - SHARED)
        if specialize == "trees":
            networks.setdefault("bags", begun)
        if specialize:
            networks.pop(specialize, None)
            for kind, other in networks.items():
                self.others[kind] = other.dimensions, self._grown(other, other.dimensions)
        return initial

    def _fresh(self, dimensions: Dimensions) -> dict[str, Floats]:
        sizes = table_sizes(self.lexicon, self.vocabulary)
        return {name: each.numpy() for name, each in initial_parameters(dimensions, sizes).items()}

    def _grown(self, network: NeuralScorer, dimensions: Dimensions) -> dict[str, Floats]:
        return grow_network(network, self.vocabulary, dimensions, self._fresh(dimensions))

    def describe(self) -> dict[str, Any]:
        dimensions = {kind: its for kind, (its, _) in self.others.items()}
        dimensions[self.settings.specialize or "trees"] = self.dimensions
        return describe_network(
            dimensions.pop("trees"),
            input_names(self.vocabulary),
            self.lexicon.suffix,
            further=dimensions,
        )

    def pass_over(self, number: int, on_sentence: Callable[[], None]) -> dict[str, float]:
        total = steps = 0.0
        self.network.training = True
        with (
            torch_at_work(self.threads, self.settings.seed * 1_000_003 + number),
            closing(self._batches(number)) as batches,
        ):
            for batch, size in batches:
                decisions = len(batch.directions[0].gold)
                if decisions:
                    total += self._learn(batch) * decisions
                    steps += decisions
                self.words_seen += batch.n_words
                for _ in range(size):
                    on_sentence()
        if not math.isfinite(total):
            raise TrainingError(
                "training diverged (loss is not finite): lower the learning rate (--learning-rate)"
            )
        return {"loss": total / max(steps, 1)}

    def _learn(self, batch: Batch) -> float:
        """Take one step of gradient descent; returns the loss of the actions."""
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate()
        losses = self.network.losses(batch)
        self.flat.gradient.zero_()
        torch.stack([LOSS_WEIGHTS[name] * loss for name, loss in losses.items()]).sum().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_([self.flat.values], 1.0)
        self.optimizer.step()
        self.steps += 1
        keep = min(AVERAGE_DECAY, (1 + self.steps) / (10 + self.steps))
        self.average.lerp_(self.flat.values.detach(), 1 - keep)
        return float(losses["action"].detach())

    def _rate(self) -> float:
        """The learning rate: linear warm-up, then cosine decay."""
        done = min(1.0, self.words_seen / self.words_to_see)
        cosine = FINAL_RATE + (1 - FINAL_RATE) * (1 + math.cos(math.pi * done)) / 2
        return self.settings.learning_rate * min(1.0, (self.steps + 1) / WARM_UP) * cosine

    def stored(self) -> StoredNetwork:
        networks = {kind: parameters for kind, (_, parameters) in self.others.items()}
        networks[self.settings.specialize or "trees"] = self.averaged()
        return StoredNetwork.from_parameters(self.lexicon, networks.pop("trees"), networks)

    def averaged(self) -> dict[str, Floats]:
        """The parameters, with the moving average of those that learn."""
        averages = {**self.fixed, **self.flat.cut(self.average)}
        return {name: averages[name].numpy() for name in self.network.w}

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

    def _batches(self, number: int) -> Generator[tuple[Batch, int], None, None]:
        """The batches of an epoch, each with its number of sentences.

        A second thread prepares them ahead.
        """
        sentences, indices = self._visits(number)
        rng = random.Random(f"{self.settings.seed}:epoch:{number}")
        groups: list[list[int]] = []
        for start in range(0, len(indices), WINDOW):
            window = sorted(indices[start : start + WINDOW], key=lambda i: len(sentences[i][0]))
            group: list[int] = []
            for i in window:
                group.append(i)
                if sum(len(sentences[i][0]) for i in group) >= self.settings.batch_words:
                    groups.append(group)
                    group = []
            if group:
                groups.append(group)
        rng.shuffle(groups)

        def prepare(group: Sequence[int]) -> Batch:
            examples = (self._examples(number, i, *sentences[i]) for i in group)
            return collate([*chain.from_iterable(examples)])

        under_way: deque[tuple[Future[Batch], int]] = deque()
        with ThreadPoolExecutor(1) as pool:
            for group in groups:
                under_way.append((pool.submit(prepare, group), len(group)))
                if len(under_way) > PREFETCH:
                    batch, size = under_way.popleft()
                    yield batch.result(), size
            while under_way:
                batch, size = under_way.popleft()
                yield batch.result(), size

    def _visits(self, number: int) -> tuple[Sequence[tuple[Sentence, Lifting]], list[int]]:
        """A treebank, and the indices of the sentences that epoch `number` visits, in order."""
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

    def _examples(
        self, number: int, index: int, sentence: Sentence, lifting: Lifting
    ) -> list[Example]:
        """What a visit of a sentence teaches: the order of its lifted tree, and how far the words
        of the tree as annotated are lifted."""
        if self.inflect is not None and of_lemmas(self.settings, number, index):
            sentence = self.inflect(sentence)
        annotated, projective = lift_sentence(sentence, lifting)
        inputs = input_names(self.vocabulary)
        posed = thin_tags(self.settings, number, index, annotated, inputs)
        problem = visit(self.settings, number, index, posed)
        given, ordered, reference = encode_lifted(projective, lifting, problem, self.vocabulary)
        examples = [self._example(ordered, ordered.lifts, reference)]
        if ordered is not given:
            examples.append(self._example(given, ordered.lifts))
        return examples

    def _example(
        self, encoding: Encoding, lifting: Lifting, reference: Reference | None = None
    ) -> Example:
        """How far the words of a tree are lifted, unless they have been; with a reference, also
        their order."""
        fields, relations, heads = read_fields(encoding, self.lexicon, self.vocabulary)
        unlearned = np.full(len(heads), -1, np.int32)
        lifts = np.array(encoding.lifts, np.int32)
        example = Example(
            fields=fields,
            relations=relations,
            given_heads=heads,
            traces=(),
            heads=heads,
            tags=unlearned,
            labels=unlearned,
            lifts=np.minimum(lifts, MOST_STEPS),
            steps=unlearned if lifts.any() else open_steps(heads.tolist(), lifting),
        )
        if reference is None:
            return example
        words = [encoding.problem.words[at] for at in encoding.order]
        guessed = reference.tagged & [word.tag is None for word in words]
        return replace(
            example,
            traces=[
                trace(encoding.task, reference.order, reference.heads, backward)
                for backward in (False, True)
            ],
            heads=np.where(lifts > 0, encoding.given_heads, reference.heads),
            tags=np.where(guessed, reference.tags, -1),
            labels=np.where([word.deprel is None for word in words], reference.labels, -1),
        )


class FlatParameters:
    """All parameters as views of one vector, and their gradients as views of another."""

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
        """Views of a vector by the names of the parameters."""
        parts: dict[str, torch.Tensor] = {}
        start = 0
        for name, shape in self.shapes.items():
            size = math.prod(shape)
            parts[name] = vector[start : start + size].view(shape)
            start += size
        return parts


def _words(sentences: Sequence[Sentence]) -> int:
    return sum(map(len, sentences))
