"""The targets `models/…`: crafted model files of each kind, loaded and used."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from fuzzing import toys
from fuzzing.crafting import craft, damage
from fuzzing.refusals import refusal
from fuzzing.toys import Toy
from syntagma import Linearizer, Problem, Word, load
from syntagma.cli.info import flatten
from syntagma.language_model.arpa import write_arpa
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.packed import LanguageModel, word_class
from syntagma.linearizer.linearizer import read_info
from syntagma.training.language_model import read_lm

PROBLEMS = (
    Problem.of(["the", "fox", "saw", "the", "old", "cook", "."]),
    Problem.of([Word("saw", "VBD"), Word("We", "X"), Word("boats", "NNS"), Word("at sea")]),
    Problem((Word("n't"), Word("Foxes"), Word("zzz"), Word(".", ".")), before=((1, 2),), last=4),
)
TREES = (
    Problem(
        (
            Word("saw", "VBD", 0, "root"),
            Word("fox", "NN", 1, "nsubj"),
            Word("the", "DT", 2, "unknown"),
            Word("it", None, 1),
        )
    ),
)
LEMMAS = (
    Problem(
        (
            Word("", "VBD", lemma="see"),
            Word("", "NNS", lemma="fox", features="Number=Plur"),
            Word("", None, lemma="not"),
            Word("zzz", "NN"),
            Word("", "NNS", lemma="zebra"),
        )
    ),
)
EXPANSIONS = 150


class ModelFiles:
    """Crafted model files of one kind."""

    def __init__(self, *makers: Callable[[], Toy]) -> None:
        self._makers = makers

    def case(self, rng: Random) -> bytes:
        return craft(rng, rng.choice(self._makers)())

    def run(self, data: bytes) -> None:
        with _file(data) as path, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with refusal(path):
                for _ in flatten(read_info(path).header):
                    pass
            for search in ("beam", "best-first"):
                with refusal(path):
                    use(load(path, search=search), search)


class LanguageModelFiles:
    """Crafted files with a language model alone."""

    def case(self, rng: Random) -> bytes:
        return craft(rng, toys.language_model_alone())

    def run(self, data: bytes) -> None:
        with _file(data) as path, refusal(path):
            use_language_model(read_lm(path)[0])


class ArpaFiles:
    """Damaged ARPA files."""

    def __init__(self) -> None:
        text = [list(sentence.forms) for sentence in toys.sentences()]
        with _file(b"") as path:
            write_arpa(estimate(text, order=3, word_class=word_class), path)
            self._lines = path.read_bytes().split(b"\n")

    def case(self, rng: Random) -> bytes:
        lines = [*self._lines]
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(lines))
            fields = lines[at].split(b"\t")
            odd = (b"", b"nan", b"inf", b"-inf", b"1e400", b"-99", b"x y", b"\xff", b"\0", b"</s>")
            numbers = (b"ngram 1=1000000000000", b"ngram 7=1", b"ngram 2=" + b"9" * 5000)
            match rng.randrange(6):
                case 0:
                    del lines[at]
                    lines.append(b"")
                case 1:
                    lines.insert(at, rng.choice(lines))
                case 2:
                    lines[at] = damage(rng, lines[at])
                case 3:
                    lines[at] = rng.choice(numbers)
                case _:
                    fields[rng.randrange(len(fields))] = rng.choice(odd)
                    lines[at] = b"\t".join(fields)
        data = b"\n".join(lines)
        return damage(rng, data) if rng.random() < 0.1 else data

    def run(self, data: bytes) -> None:
        with _file(data) as path, refusal(path):
            use_language_model(read_lm(path)[0])


def use(model: Linearizer, search: str) -> None:
    """Whatever a model is used for, on a few small problems."""
    budget: dict[str, Any] = {"expansions": EXPANSIONS} if search == "best-first" else {"beam": 4}
    for problem in (*PROBLEMS, *TREES):
        with refusal():
            best, *_ = model.order(problem, n_best=2, **budget)
            str(best)
            if search == "beam":
                assert sorted(best.words) == sorted(word.form for word in problem.words)
                forms = [word.form for word in problem.words]
                model.score(problem, forms)
                str(model.accept(problem, forms, margin=0.5, beam=4))
    if search == "beam":
        for problem in LEMMAS:
            with refusal():
                for realized in model.realize(problem, n_best=2, **budget):
                    str(realized)


def use_language_model(model: LanguageModel) -> None:
    for words in ((), ("the", "fox", "saw"), ("zzz", "Foxes", "</s>", "<unk>"), ("the",) * 9):
        model.score(words)
    model.ngram_scorer(["the", "old cook", "zzz"], 1.0)


@contextmanager
def _file(data: bytes) -> Iterator[Path]:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    handle, name = tempfile.mkstemp(".model", dir=memory)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        yield Path(name)
    finally:
        os.unlink(name)


def linear() -> ModelFiles:
    return ModelFiles(*(lambda name=name: toys.linear(name) for name in ("l15", "p16", "p16+")))


def best_first() -> ModelFiles:
    return ModelFiles(lambda: toys.best_first("dependency"))


def ccg() -> ModelFiles:
    return ModelFiles(lambda: toys.best_first("ccg"))


def neural() -> ModelFiles:
    return ModelFiles(toys.neural)
