"""Example outputs of an evaluation: sentences of every length with their outputs and sentence BLEU.

L15 and ZC15 show such tables (L15 Table 6, ZC15 Tables 5 and 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from syntagma.arguments import as_integer
from syntagma.errors import ArgumentError, shown
from syntagma.evaluation.bleu import BleuTokenizer, bleu_metric
from syntagma.evaluation.evaluate import LENGTH_CLASSES, length_class


@dataclass(frozen=True, slots=True)
class ExampleOutput:
    """What came out under a condition, or of a system, and its sentence BLEU."""

    name: str
    text: str
    bleu: float


@dataclass(frozen=True, slots=True)
class ExampleSentence:
    """A sentence and its outputs; `number` is its 1-based place in the treebank."""

    number: int
    length: str  # one of LENGTH_CLASSES, by the words of the reference
    reference: str
    outputs: tuple[ExampleOutput, ...]


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples, shortest class first, and the signature of their sentence BLEU."""

    examples: tuple[ExampleSentence, ...]
    signature: str


def choose_examples(
    references: Sequence[str],
    outputs: Mapping[str, Sequence[str]],
    count: int,
    *,
    bleu_tokenize: BleuTokenizer = "none",
    lowercase: bool = False,
) -> Examples:
    """`count` sentences of each length class, evenly spaced over those of the treebank.

    `outputs` are those of each condition or system, by name.
    """
    number = as_integer(count)
    if number is None or number < 1:
        raise ArgumentError(f"the number of examples must be at least 1, not {shown(count)}")
    metric = bleu_metric(bleu_tokenize, lowercase=lowercase, sentence=True)
    chosen = []
    for index, length in _choose(references, number):
        reference = references[index]
        found = tuple(
            ExampleOutput(
                name, texts[index], float(metric.sentence_score(texts[index], [reference]).score)
            )
            for name, texts in outputs.items()
        )
        chosen.append(ExampleSentence(index + 1, length, reference, found))
    return Examples(tuple(chosen), str(metric.get_signature().format()))


def _choose(references: Sequence[str], count: int) -> Iterator[tuple[int, str]]:
    members: dict[str, list[int]] = {length: [] for length in LENGTH_CLASSES}
    for index, reference in enumerate(references):
        members[length_class(1 + reference.count(" "))].append(index)
    for length, indices in members.items():
        for step in range(min(count, len(indices))):
            yield indices[step * len(indices) // min(count, len(indices))], length


def render_examples(examples: Examples) -> str:
    """The examples as text, grouped by length."""
    names = [output.name for example in examples.examples for output in example.outputs]
    width = max(map(len, ("reference", *names)))
    lines = []
    length = ""
    for example in examples.examples:
        if example.length != length:
            length = example.length
            lines += ["", f"{length} words"]
        lines += ["", f"{'reference':{width}}         {example.reference}"]
        for output in example.outputs:
            lines.append(f"{output.name:{width}}  {output.bleu:5.1f}  {output.text}")
    lines += ["", f"sentence BLEU {examples.signature}"]
    return "\n".join(lines).lstrip("\n") + "\n"


def examples_as_dict(examples: Examples) -> dict[str, Any]:
    """The examples as JSON-ready data. They hold text of the treebank."""
    return {
        "signature": examples.signature,
        "sentences": [
            {
                "number": example.number,
                "length": example.length,
                "reference": example.reference,
                "outputs": [
                    {
                        "name": output.name,
                        "text": output.text,
                        "bleu": round(output.bleu, 2),
                    }
                    for output in example.outputs
                ],
            }
            for example in examples.examples
        ],
    }
