"""Signatures: what a score depends on, in one line that is quoted with it.

They follow sacrebleu's: fields joined by `|`. Settings of a metric come first; `settings` gives the
fields that all evaluations share.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from syntagma import __version__
from syntagma.files.reading import fingerprint
from syntagma.models.header import LANGUAGE_MODEL
from syntagma.problem.problem import Problem
from syntagma.treebanks.treebank import Sentence

if TYPE_CHECKING:
    from syntagma.linearizer.linearizer import Linearizer
    from syntagma.request import Request

_LENGTH = 8  # characters of a checksum


def settings(
    linearizer: Linearizer,
    request: Request,
    *,
    n: int,
    data: str,
    seed: int,
    **others: object,
) -> dict[str, Any]:
    """The fields that all evaluations share, and `others` after the data."""
    path = linearizer.info.path
    return {
        "n": n,
        "data": data,
        **others,
        "model": fingerprint(path)[:_LENGTH] if path is not None else "unsaved",
        **request.describe_budget(),
        **({"orders": "projective"} if request.projective and linearizer.lifts else {}),
        **({"lm": "left out"} if _is_left_out(linearizer) else {}),
        "seed": seed,
        "syntagma": __version__,
    }


def join(metric: str, fields: Mapping[str, object]) -> str:
    """The signature of a score: that of the metric, and further fields.

    >>> join("tok:none|smooth:exp", {"n": 9, "seed": 1})
    'tok:none|smooth:exp|n:9|seed:1'
    """
    return "|".join([metric, *(f"{name}:{value}" for name, value in fields.items())])


def digest_trees(sentences: Sequence[Sentence]) -> str:
    """A checksum of words, tags and trees, whatever file they come from."""
    digest = hashlib.sha256()
    for sentence in sentences:
        rows = zip(sentence.forms, sentence.tags, sentence.heads, sentence.deprels, strict=True)
        digest.update("".join("\t".join(map(str, row)) + "\n" for row in rows).encode() + b"\n")
    return digest.hexdigest()[:_LENGTH]


def digest_texts(sentences: Sequence[Sentence]) -> str:
    """A checksum of all that realisations are compared with."""
    digest = hashlib.sha256()
    for sentence in sentences:
        compared = (sentence.forms, sentence.lemmas, sentence.tags, sentence.written)
        digest.update(json.dumps(compared).encode() + b"\n")
    return digest.hexdigest()[:_LENGTH]


def digest_problems(problems: Sequence[Problem]) -> str:
    """A checksum of the inputs: words, trees and constraints."""
    digest = hashlib.sha256()
    for problem in problems:
        words = [astuple(word) for word in problem.words]
        given = (words, problem.before, problem.first, problem.last)
        digest.update(json.dumps(given).encode() + b"\n")
    return digest.hexdigest()[:_LENGTH]


def _is_left_out(linearizer: Linearizer) -> bool:
    """Whether the model has a language model that is not used."""
    return LANGUAGE_MODEL in linearizer.info.header and not linearizer.has_language_model
