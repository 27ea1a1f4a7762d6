"""The Surface Realisation shared task of 2019: its three scores and its output format.

BLEU, NIST and DIST as its evaluation script computes them with NLTK (3.6 or later) and one
reference per sentence, so that figures are comparable with those of Mille et al. 2019. All other
BLEU scores come from sacrebleu (`bleu`, `realization`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from syntagma.errors import ArgumentError

_ORDERS = (1, 2, 3, 4)

_Ngrams = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SharedTaskScores:
    """The scores of one set of sentences: BLEU and DIST in percent, NIST in bits."""

    bleu: float
    nist: float
    dist: float
    sentences: int

    @property
    def signature(self) -> str:
        """How the scores were computed; what was scored follows in the signatures of reports."""
        return (
            f"SR19|sentences:{self.sentences}|lower-cased|tok:whitespace"
            "|bleu:4,smooth:method2|nist:4|dist:characters"
        )


def shared_task_scores(hypotheses: Sequence[str], references: Sequence[str]) -> SharedTaskScores:
    """Compare texts with their references, lower-cased and split at white space.

    What NLTK leaves undefined counts as 0: so does the NIST of an n-gram order without n-grams. If
    all texts and references are empty, DIST is 100.

    >>> scores = shared_task_scores(["the dog barks now ."], ["Now the dog barks ."])
    >>> f"{scores.bleu:.1f} {scores.nist:.2f} {scores.dist:.1f}"
    '56.2 2.32 57.9'
    """
    if len(hypotheses) != len(references):
        raise ArgumentError(f"{len(hypotheses)} hypotheses, but {len(references)} references")
    if not references:
        raise ArgumentError("nothing to score: there are no sentences")
    pairs = [
        (hypothesis.lower().split(), reference.lower().split())
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]
    hypothesis_size = sum(len(hypothesis) for hypothesis, _ in pairs)
    reference_size = sum(len(reference) for _, reference in pairs)
    ngrams = [[(_ngrams(h, order), _ngrams(r, order)) for h, r in pairs] for order in _ORDERS]
    # DIST: 1 minus all edits divided by the characters of the longer text of each pair.
    texts = [(" ".join(hypothesis), " ".join(reference)) for hypothesis, reference in pairs]
    longest = sum(max(map(len, pair)) for pair in texts)
    edits = sum(_edit_distance(*pair) for pair in texts)
    return SharedTaskScores(
        bleu=100 * _bleu(ngrams, hypothesis_size, reference_size),
        nist=_nist(ngrams, hypothesis_size, reference_size),
        dist=100 * (1 - edits / longest if longest else 1.0),
        sentences=len(pairs),
    )


def shared_task_block(number: int, text: str) -> str:
    """One sentence of an output file, with the empty line that ends it.

    >>> print(shared_task_block(1, "The dog barks."), end="")
    # sent_id = 1
    # text = The dog barks.
    <BLANKLINE>
    """
    line = " ".join(text.splitlines())
    return f"# sent_id = {number}\n" + f"# text = {line}".rstrip() + "\n\n"


def _ngrams(words: Sequence[str], order: int) -> _Ngrams:
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))


def _bleu(
    ngrams: Sequence[Sequence[tuple[_Ngrams, _Ngrams]]], hypothesis_size: int, reference_size: int
) -> float:
    """Corpus BLEU (Papineni et al. 2002), 1 added to the counts above unigrams (Lin & Och 2004)."""
    logarithms = []
    for order, pairs in zip(_ORDERS, ngrams, strict=True):
        matches = sum((hypothesis & reference).total() for hypothesis, reference in pairs)
        # NLTK counts one wrong n-gram in a sentence that is too short to have any.
        total = sum(max(1, hypothesis.total()) for hypothesis, _ in pairs)
        if order > 1:
            matches, total = matches + 1, total + 1
        if not matches:
            return 0.0
        logarithms.append(math.log(matches / total))
    brevity = min(0.0, 1 - reference_size / hypothesis_size)
    return math.exp(brevity + math.fsum(logarithms) / len(_ORDERS))


def _nist(
    ngrams: Sequence[Sequence[tuple[_Ngrams, _Ngrams]]], hypothesis_size: int, reference_size: int
) -> float:
    """The NIST score (Doddington 2002, eq. 2 and 3)."""
    if not hypothesis_size or not reference_size:
        return 0.0
    counts: _Ngrams = Counter({(): reference_size})
    for pairs in ngrams:
        for _, reference in pairs:
            counts.update(reference)
    precisions = []
    for pairs in ngrams:
        information = math.fsum(
            count * math.log2(counts[ngram[:-1]] / counts[ngram])
            for hypothesis, reference in pairs
            for ngram, count in (hypothesis & reference).items()
        )
        total = sum(hypothesis.total() for hypothesis, _ in pairs)
        precisions.append(information / total if total else 0.0)
    # The brevity penalty halves the score of an output with two thirds of the words.
    shortness = math.log(min(1.0, hypothesis_size / reference_size)) / math.log(2 / 3)
    return math.fsum(precisions) * math.exp2(-(shortness**2))


def _edit_distance(a: str, b: str) -> int:
    """The Levenshtein distance, one column of the table at a time (Myers 1999; Hyyrö 2003).

    Bit i of `up` (`down`) says that the column increases (decreases) by 1 from row i to row i + 1.
    Bit i of `right_up` (`right_down`) says the same of row i + 1, from the last column to this one.
    """
    rows: dict[str, int] = {}
    for row, character in enumerate(a):
        rows[character] = rows.get(character, 0) | 1 << row
    mask = (1 << len(a)) - 1
    up, down = mask, 0
    for character in b:
        equal = rows.get(character, 0)
        same_as_diagonal = (((equal & up) + up) ^ up) | equal | down
        right_up = down | ~(same_as_diagonal | up)
        right_down = up & same_as_diagonal
        right_up = right_up << 1 | 1  # the top row grows with every character of b
        right_down <<= 1
        up = (right_down | ~(same_as_diagonal | right_up)) & mask
        down = right_up & same_as_diagonal & mask
    return len(b) + up.bit_count() - down.bit_count()
