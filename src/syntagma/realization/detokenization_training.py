"""Learns spacing rules and contractions from `SpaceAfter` and multiword tokens of a treebank."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from syntagma.realization.detokenization import (
    CONTEXTS,
    LEVELS,
    MAX_LENGTH,
    Detokenizer,
    Key,
    Neighbour,
    contraction_keys,
    contraction_length,
    default_spaces,
    follows_spaced_hyphen,
    is_concatenation,
    neighbours,
    spacing_key,
    stands_before,
    written,
)
from syntagma.results.spelling import Spelling

MIN_GAIN = 2  # decisions a rule must correct beyond those it spoils

SpelledWords = tuple[Sequence[str], Sequence[str], Spelling]  # forms, tags, spelling


def learn_detokenizer(examples: Iterable[SpelledWords]) -> Detokenizer:
    """Learn from spellings. Without any contraction or missing space, they carry no information."""
    examples = list(examples)
    if all(all(each.spaces[:-1]) and not each.contractions for _, _, each in examples):
        return Detokenizer()
    return Detokenizer(_learn_spacing(examples), _learn_contractions(examples))


def _learn_spacing(examples: Sequence[SpelledWords]) -> dict[Key, bool]:
    """Rules, level by level, that correct wrong decisions of the levels before."""
    places: list[tuple[Neighbour, Neighbour, bool]] = []
    decisions: list[bool] = []
    for forms, tags, spelling in examples:
        contracted = {
            place
            for each in spelling.contractions
            if not is_concatenation(forms, each)
            for place in range(each.first, each.last)
        }
        words = neighbours(forms, tags)
        left_out = contracted.union(_slips(words, spelling))
        for place, default in enumerate(default_spaces(forms, words), start=1):
            if place not in left_out:
                places.append((words[place - 1], words[place], spelling.spaces[place - 1]))
                before = spelling.spaces[: place - 1]
                decisions.append(default or follows_spaced_hyphen(words[place - 1], before))
    rules: dict[Key, bool] = {}
    for level in CONTEXTS:
        keys = [spacing_key(level, left, right) for left, right, _ in places]
        tallies: defaultdict[Key, list[int]] = defaultdict(lambda: [0, 0, 0])
        for key, (_, _, space), decision in zip(keys, places, decisions, strict=True):
            tallies[key][space] += 1
            tallies[key][2] += space == decision
        found = {
            key: apart > joined
            for key, (joined, apart, right) in tallies.items()
            if len(key) > 1 and max(joined, apart) - right >= MIN_GAIN and _is_storable(key)
        }
        decisions = [
            found.get(key, decision) for key, decision in zip(keys, decisions, strict=True)
        ]
        rules |= found
    return rules


def _slips(words: Sequence[Neighbour], spelling: Spelling) -> Iterator[int]:
    """The places beside opening marks and dashes that are written next to the word before them, but
    not to the word after them, as sloppy text has them: *word« word*."""
    for i in range(1, len(words) - 1):
        if spelling.spaces[i] and not spelling.spaces[i - 1] and stands_before(words[i].kinds):
            yield i
            yield i + 1


def _learn_contractions(examples: Sequence[SpelledWords]) -> dict[Key, str]:
    """Contractions that are used in most of the places where their words meet."""
    places = list(_contractible(examples))
    decisions = [""] * len(places)
    contractions: dict[Key, str] = {}
    for level in LEVELS:
        tallies: defaultdict[Key, Counter[str | None]] = defaultdict(Counter)
        right: Counter[Key] = Counter()
        for (forms, keys, text), decision in zip(places, decisions, strict=True):
            if level in keys:
                key = keys[level]
                tallies[key][_after_mark(forms, text) if level == "any" else text] += 1
                right[key] += text == decision
        found = {}
        for key, tally in tallies.items():
            most, count = tally.most_common(1)[0]
            if most is None or 2 * count <= tally.total():
                most, count = "", tally[""]
            # Forms alone decide where there are no tags.
            needed = (most and level == "forms") or count - right[key] >= MIN_GAIN
            if needed and _is_storable((*key, most)) and contraction_length(key) <= MAX_LENGTH:
                found[key] = most
        decisions = [
            written(keys[level], forms, found.get(keys[level]), decision)
            if level in keys
            else decision
            for (forms, keys, _), decision in zip(places, decisions, strict=True)
        ]
        contractions |= found
    return contractions


def _contractible(
    examples: Sequence[SpelledWords],
) -> Iterator[tuple[Sequence[str], dict[str, Key], str]]:
    """Wherever words meet that are contracted somewhere: the words, their keys, the contraction."""
    wanted: set[Key] = set()
    written: list[dict[tuple[int, int], str]] = []
    for forms, tags, spelling in examples:
        written.append({})
        for each in spelling.contractions:
            start, end = each.first - 1, each.last
            if each.text and not is_concatenation(forms, each):
                written[-1][start, end] = each.text.lower()
                wanted.update(contraction_keys(forms[start:end], tags[start:end]))
    lengths = sorted({contraction_length(key) for key in wanted})
    for (forms, tags, _), texts in zip(examples, written, strict=True):
        for start in range(len(forms)):
            for end in (start + length for length in lengths if start + length <= len(forms)):
                words = forms[start:end]
                keys = {key[0]: key for key in contraction_keys(words, tags[start:end])}
                if not wanted.isdisjoint(keys.values()):
                    yield words, keys, texts.get((start, end), "")


def _after_mark(forms: Sequence[str], text: str) -> str | None:
    """`-se` of *torna-se*: a mark and the second word; None for other contractions."""
    if not text:
        return ""
    first, second = (form.lower() for form in forms)
    mark = text.removeprefix(first).removesuffix(second)
    is_mark = mark != "" and not any(map(str.isalnum, mark))
    return mark + second if is_mark and text == first + mark + second else None


def _is_storable(key: Key) -> bool:
    return not any("\t" in field or "\n" in field for field in key)
