"""Signatures: what a score depends on, in one line that is quoted with it.

They follow sacrebleu's: fields joined by `|`. Settings of a metric come first; `settings` gives the
fields that all evaluations share.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
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
    linearizer: Linearizer, request: Request, *, n: int, data: str, seed: int, **others: object
) -> dict[str, Any]:
    """The fields that all evaluations share, and `others` after the data."""
    path, header = linearizer.info.path, linearizer.info.header
    left_out = LANGUAGE_MODEL in header and not linearizer.has_language_model
    return {
        "n": n,
        "data": data,
        **others,
        "model": fingerprint(path)[:_LENGTH] if path is not None else "unsaved",
        **request.describe_budget(),
        **({"orders": "projective"} if request.projective and linearizer.lifts else {}),
        **({"lm": "left out"} if left_out else {}),
        **(linearizer.judge.about if linearizer.judge else {}),
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
    """A checksum of words, tags and trees, if there are any, whatever file they come from."""
    columns = ((each.forms, each.tags, each.heads, each.deprels) for each in sentences)
    rows = (zip(*filter(None, each), strict=True) for each in columns)
    return _digest("".join("\t".join(map(str, row)) + "\n" for row in each) for each in rows)


def digest_texts(sentences: Sequence[Sentence]) -> str:
    """A checksum of all that realisations are compared with."""
    return _digest(
        json.dumps((sentence.forms, sentence.lemmas, sentence.tags, sentence.written))
        for sentence in sentences
    )


def digest_problems(problems: Sequence[Problem]) -> str:
    """A checksum of the inputs: words, trees and constraints."""
    return _digest(
        json.dumps((list(map(astuple, each.words)), each.before, each.first, each.last))
        for each in problems
    )


def _digest(blocks: Iterable[str]) -> str:
    text = "".join(f"{block}\n" for block in blocks)
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]
