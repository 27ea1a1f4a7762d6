"""Modified Kneser-Ney smoothing with dictionaries: slow, and close to the formulas of the papers.

Chen & Goodman (1998), section 3; pruning and sentence boundaries as in Heafield et al. (2013).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

NGram = tuple[str, ...]


@dataclass(frozen=True)
class Reference:
    """The interpolated probabilities of the n-grams that are kept, and the back-off weights."""

    prob: dict[NGram, float]
    gamma: dict[NGram, float]
    vocabulary: frozenset[str]  # the words that can be predicted
    order: int

    def p(self, word: str, context: Sequence[str]) -> float:
        history = tuple(context)[max(0, len(context) - self.order + 1) :]
        weight = 1.0
        while (*history, word) not in self.prob:
            weight *= self.gamma.get(history, 1.0)
            history = history[1:]
        return weight * self.prob[(*history, word)]


def estimate(
    sentences: Sequence[Sequence[str]], order: int, thresholds: Sequence[int]
) -> Reference:
    """`thresholds[k - 1]`: drop n-grams of order k seen at most this often."""
    counts = [_count(sentences, k) for k in range(1, order + 1)]
    vocabulary = frozenset(word for (word,) in counts[0]) - {"<s>"} | {"<unk>"}
    prob: dict[NGram, float] = {}
    gamma: dict[NGram, float] = {}
    lower: dict[NGram, float] = {(): 1 / len(vocabulary)}
    for k in range(1, order + 1):
        adjusted = counts[k - 1] if k == order else _continuations(counts[k - 1], counts[k])
        adjusted = Counter({g: c for g, c in adjusted.items() if g != ("<s>",)})
        d = _discounts(adjusted)
        pruned = {g for g in adjusted if k > 1 and counts[k - 1][g] <= thresholds[k - 1]}
        total: Counter[NGram] = Counter()
        free: dict[NGram, float] = {}
        for ngram, count in adjusted.items():
            total[ngram[:-1]] += count
            mass = count if ngram in pruned else d[min(count, 3)]
            free[ngram[:-1]] = free.get(ngram[:-1], 0.0) + mass
        gamma |= {context: free[context] / total[context] for context in total}
        current = {
            g: (c - d[min(c, 3)]) / total[g[:-1]] + gamma[g[:-1]] * lower[g[1:]]
            for g, c in adjusted.items()
            if k > 1 and g not in pruned
        }
        if k == 1:
            for word in vocabulary:
                count = adjusted[(word,)]
                own = (count - d[min(count, 3)]) / total[()]
                current[(word,)] = own + gamma[()] / len(vocabulary)
        prob |= current
        lower = current
    return Reference(prob, gamma, vocabulary, order)


def _count(sentences: Sequence[Sequence[str]], k: int) -> Counter[NGram]:
    result: Counter[NGram] = Counter()
    for sentence in sentences:
        padded = ("<s>", *sentence, "</s>")
        result.update(padded[i : i + k] for i in range(len(padded) - k + 1))
    return result


def _continuations(counts: Counter[NGram], longer: Counter[NGram]) -> Counter[NGram]:
    """N1+(• g): the number of words that precede g; n-grams with `<s>` keep their count."""
    before: dict[NGram, set[str]] = {}
    for ngram in longer:
        before.setdefault(ngram[1:], set()).add(ngram[0])
    return Counter({g: c if g[0] == "<s>" else len(before[g]) for g, c in counts.items()})


def _discounts(counts: Counter[NGram]) -> list[float]:
    n = [sum(count == i for count in counts.values()) for i in range(5)]
    if n[1] and n[2] and n[3]:
        y = n[1] / (n[1] + 2 * n[2])
        d = [0.0, 1 - 2 * y * n[2] / n[1], 2 - 3 * y * n[3] / n[2], 3 - 4 * y * n[4] / n[3]]
        if all(0 <= d[i] <= i for i in range(4)):
            return d
    return [0.0, 0.5, 1.0, 1.5]
