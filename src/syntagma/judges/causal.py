"""A causal language model that gives sentences log-probabilities, run by CTranslate2."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from syntagma.errors import ModelError, ProblemError, missing_package
from syntagma.judges.conversion import ABOUT, TOKENIZER

_MOST_LOGITS: Final = 100_000_000  # of a sentence: 400 MB


class CausalLanguageModel:
    """A converted model. Safe to use from several threads, which wait for each other: it computes
    on one thread of its own, so that results do not depend on how many there are."""

    def __init__(self, folder: Path) -> None:
        try:
            from ctranslate2 import Generator
            from tokenizers import Tokenizer
        except ImportError as error:
            raise missing_package("a judge", error.name or "ctranslate2", "judge", error) from error
        try:
            about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            self._start, self._end = about["start"], about["end"]
            self._longest = min(about["context"], _MOST_LOGITS // about["tokens"])
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            self._generator = Generator(
                str(folder), device="cpu", compute_type="int8", inter_threads=1, intra_threads=1
            )
        except Exception as error:  # of a cache that somebody else has changed
            raise ModelError(
                f"{folder}: not a converted judge ({error}); delete this folder"
            ) from error

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        """The log-probability of each sentence and of its end, read in one batch."""
        encode = self._tokenizer.encode
        rows = [[self._start, *encode(each).tokens, self._end] for each in sentences]
        longest = max(map(len, rows), default=0)
        if longest > self._longest:
            raise ProblemError(
                f"the sentence has {longest} tokens for the judge, more than its limit of "
                f"{self._longest}; order it without a judge"
            )
        return [sum(each.log_probs) for each in self._generator.score_batch(rows)]


def runtime() -> str:
    """What computes, as signatures name it."""
    return f"ctranslate2-{version('ctranslate2')}"
