"""What every learner takes from a treebank first: the vocabulary, and gold derivations as numbers.

Inference uses neither: it gets its vocabulary from a model file (`vocabulary`) and numbers problems
without a gold order (`encoding`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.features.settings import SparseSettings
from syntagma.problem.parse import readable_features
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative, shape
from syntagma.transition.encoding import ROOT, Encoding, Ints, encode, gold_numbers
from syntagma.transition.vocabulary import NO_LABEL, Vocabulary, feature_values
from syntagma.treebanks.treebank import Sentence

MIN_COUNT = 2  # rarer forms have no number: features see their tag, suffix and shape only
MAX_TAGS = 5
MAX_LABELS = 4
MIN_SHARE = 0.02  # a tag of a form, or a label of a tag pair, that is rarer is not proposed

Counts = dict[int, int]


def learn_vocabulary(
    sentences: Iterable[Sentence],
    first_tags: Sequence[str] = (),
    first_labels: Sequence[str] = (),
    *,
    min_count: int = MIN_COUNT,
    whole_dictionary: bool = False,
    back_off: bool = True,
) -> Vocabulary:
    """The forms, tags and labels of a treebank; these tags and labels have the first numbers.

    With `whole_dictionary`, all tags that a form was seen with are proposed for it, all tags for
    an unseen form, and all labels for an arc; otherwise only the most frequent ones.
    """
    form_counts: Counter[str] = Counter()
    tag_counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    arcs: Counter[tuple[int, str, str, str]] = Counter()
    for sentence in sentences:
        form_counts.update(sentence.forms)
        for form, tag in zip(sentence.forms, sentence.tags, strict=True):
            if tag:
                tag_counts[form][tag] += 1
        for i, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
            if head:
                side = 0 if i < head - 1 else 1
                arcs[side, sentence.tags[head - 1], sentence.tags[i], label] += 1
    tags = tuple(dict.fromkeys((*first_tags, *sorted(set().union(*tag_counts.values())))))
    labels = tuple(dict.fromkeys((*first_labels, *sorted({arc[3] for arc in arcs}))))
    forms = sorted(form for form, count in form_counts.items() if count >= min_count)
    tag_numbers = {tag: i for i, tag in enumerate(tags)}
    by_shape: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for form, counts in tag_counts.items():
        if form_counts[form] == 1:
            for tag in counts:
                by_shape[shape(form)][tag_numbers[tag]] += 1
                by_shape[""][tag_numbers[tag]] += 1
    if whole_dictionary:
        open_tags = {"": _ranked({number: by_shape[""][number] for number in range(len(tags))})}
    else:
        open_tags = {name: _most_frequent(counts, MAX_TAGS) for name, counts in by_shape.items()}
    form_tags = {}
    for form, counts in tag_counts.items():
        ranked = {tag_numbers[tag]: count for tag, count in counts.items()}
        form_tags[form] = _ranked(ranked) if whole_dictionary else _most_frequent(ranked, MAX_TAGS)
    for form in forms:  # those that never have a tag
        if form not in form_tags:
            form_tags[form] = open_tags.get(shape(form)) or open_tags.get("") or (0,)
    label_numbers = {label: i for i, label in enumerate(labels)}
    numbers = {form: i for i, form in enumerate(forms, start=1)}
    proposals = (
        _all_labels(len(tags), len(labels))
        if whole_dictionary
        else _label_proposals(arcs, tag_numbers, label_numbers)
    )
    return Vocabulary(numbers, tags, labels, form_tags, open_tags, *proposals, back_off)


def prepare(
    settings: SparseSettings, sentences: Sequence[Sentence]
) -> tuple[Sequence[Sentence], Vocabulary]:
    """The sentences as a learner of sparse features sees them, and their vocabulary."""
    labels: tuple[str, ...] = ()
    if settings.unlabelled:
        labels = (NO_LABEL,)
        sentences = [replace(each, deprels=labels * len(each.forms)) for each in sentences]
    return sentences, learn_vocabulary(
        sentences,
        first_labels=labels,
        min_count=settings.min_count,
        whole_dictionary=settings.whole_dictionary,
        back_off=settings.back_off,
    )


def describe_vocabulary(vocabulary: Vocabulary) -> dict[str, Any]:
    """The header fields that are needed to load the vocabulary of a model of sparse features, and
    to take its sets of tags and labels as they were taken in training."""
    wide = {"wide_sets": True} if vocabulary.wide else {}
    return wide if vocabulary.back_off else {"back_off": False, **wide}


def grow_vocabulary(
    vocabulary: Vocabulary, sentences: Iterable[Sentence], *, keep_tags: bool = True
) -> Vocabulary:
    """Add the new tags and labels of these sentences, for scorers with a lexicon of their own.

    Tags that the sentences do not have are dropped unless `keep_tags`. If tags or labels change,
    proposals follow the sentences.
    """
    sentences = list(sentences)
    tags = vocabulary.tags if keep_tags else ()
    grown = learn_vocabulary(sentences, tags, vocabulary.labels).without_forms()
    same = (grown.tags, grown.labels) == (vocabulary.tags, vocabulary.labels)
    inputs = learn_inputs(sentences, vocabulary.upos if keep_tags else (), vocabulary.features)
    return (vocabulary if same else grown).with_inputs(*inputs)


def learn_inputs(
    sentences: Iterable[Sentence], first_upos: Sequence[str] = (), first_values: Sequence[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The UPOS tags beside the tags of a treebank, and the values of its morphological features;
    those given first have the first numbers."""
    tags: Counter[str] = Counter()
    features: Counter[str] = Counter()
    for sentence in sentences:
        tags.update(sentence.upos)
        features.update(sentence.features)
    values: Counter[str] = Counter()
    for given, count in features.items():
        for value in set(feature_values(readable_features(given))):
            values[value] += count
    upos = sorted(tag for tag, count in tags.items() if tag and count >= MIN_COUNT)
    frequent = sorted(value for value, count in values.items() if count >= MIN_COUNT)
    return (
        tuple(dict.fromkeys((*first_upos, *upos))),
        tuple(dict.fromkeys((*first_values, *frequent))),
    )


def _most_frequent(counts: Counts, limit: int) -> tuple[int, ...]:
    """The most frequent ones, ties by number; negligible ones are dropped, but never the first."""
    total = sum(counts.values())
    ranked = _ranked(counts)
    others = (item for item in ranked[1:limit] if counts[item] >= MIN_SHARE * total)
    return (*ranked[:1], *others)


def _ranked(counts: Counts) -> tuple[int, ...]:
    return tuple(sorted(counts, key=lambda item: (-counts[item], item)))


def _all_labels(tags: int, labels: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Proposals of all labels, whatever the tags."""
    index = np.zeros((2, tags + 1, tags + 1, 2), np.int32)
    index[..., 1] = max(labels, 1)  # in a treebank without arcs, the unknown one
    return index, np.arange(max(labels, 1), dtype=np.int32)


def _label_proposals(
    arcs: Counter[tuple[int, str, str, str]], tags: dict[str, int], labels: dict[str, int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Labels to try by side, head tag and dependent tag; backed off to the dependent tag alone."""
    pairs: defaultdict[tuple[int, int, int], Counter[int]] = defaultdict(Counter)
    dependents: defaultdict[int, Counter[int]] = defaultdict(Counter)
    everything: Counter[int] = Counter()
    for (side, head_tag, tag, label), count in arcs.items():
        if tag and head_tag:
            pairs[side, tags[head_tag], tags[tag]][labels[label]] += count
        if tag:
            dependents[tags[tag]][labels[label]] += count
        everything[labels[label]] += count
    size = len(tags) + 1
    index = np.zeros((2, size, size, 2), np.int32)
    pool: list[int] = []
    starts: dict[tuple[int, ...], int] = {}
    for side in range(2):
        for head in range(size):
            for dependent in range(size):
                counts = pairs.get((side, head, dependent)) or dependents.get(dependent)
                chosen = _most_frequent(counts or everything, MAX_LABELS) or (len(labels),)
                if chosen not in starts:
                    starts[chosen] = len(pool)
                    pool.extend(chosen)
                index[side, head, dependent] = starts[chosen], len(chosen)
    return index, np.array(pool, np.int32)


@dataclass(frozen=True, slots=True)
class Reference:
    """The gold derivation of an encoding, in word numbers.

    A word that has no gold tag is not `tagged`; in the derivation, it takes the tag that the
    vocabulary proposes first.
    """

    order: Ints
    heads: Ints
    labels: Ints
    tags: Ints
    tagged: npt.NDArray[np.bool_]


def encode_training(
    sentence: Sentence,
    problem: Problem,
    vocabulary: Vocabulary,
    alternatives: Sequence[Sequence[Alternative]] | None = None,
) -> tuple[Encoding, Reference]:
    """Encode a problem whose words are listed in the order of `sentence`, with its derivation.

    `alternatives` are the forms that each word may take, if forms are to be chosen.
    """
    gold = [
        vocabulary.tag_numbers[tag] if tag else vocabulary.tags_of(form)[0]
        for form, tag in zip(sentence.forms, sentence.tags, strict=True)
    ]
    encoding = encode(problem, vocabulary, alternatives=alternatives, gold_tags=gold)
    order = np.array(gold_numbers(encoding.order, encoding.leaders), np.int32)
    heads = np.full(len(order), ROOT, np.int32)
    labels = np.full(len(order), len(vocabulary.labels), np.int32)
    tags = np.zeros(len(order), np.int32)
    tagged = np.zeros(len(order), np.bool_)
    tags[order], tagged[order] = gold, list(map(bool, sentence.tags))
    for number, head, label in zip(order, sentence.heads, sentence.deprels, strict=True):
        if head:
            heads[number] = order[head - 1]
            labels[number] = vocabulary.label_numbers[label]
    return encoding, Reference(order, heads, labels, tags, tagged)
