"""Checks of a problem's words, heads and order constraints; every message names the word.

Contradictions among order constraints are found in `precedence`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import islice
from typing import Any

from syntagma.arguments import as_integer, is_collection
from syntagma.caches import cached_texts
from syntagma.errors import ProblemError, name_word, name_words, shown
from syntagma.problem.limits import (
    MAX_CHARACTERS,
    MAX_CONSTRAINTS,
    MAX_ORDERED_WORDS,
    MAX_WORDS,
    check_limit,
)
from syntagma.problem.trees import find_cycle
from syntagma.problem.word import ROOT_LABEL, Word, feature_fault

A_BAG = "a bag is a list of words"
_is_plain = re.compile(r"[!-~]+").fullmatch  # ASCII without white space


def check_iterable(items: object, what: str) -> None:
    """Refuse what is not a collection: a string, a mapping, a single value."""
    if isinstance(items, str):
        raise ProblemError(f"{what}, not one string: split it into words first")
    if not is_collection(items):
        raise ProblemError(f"{what}, not {shown(items)}")


def check_words(words: tuple[Word, ...]) -> None:
    if not words:
        raise ProblemError("empty bag: give at least one word", field="words")
    check_limit(len(words), MAX_WORDS, "the bag", "words")
    for index, word in enumerate(words, start=1):
        if not isinstance(word, Word):
            message = f"word {index} is not a Word but {type(word).__name__}"
            raise ProblemError(message, field=f"words[{index - 1}]")
        form, lemma = word.form, word.lemma
        # A fast path: most words are plain.
        plain = isinstance(form, str) and form.isascii() and len(form) <= MAX_CHARACTERS
        if not (plain and (form.isalnum() or (not form and lemma is not None))):
            _check_text(form, f"the form of word {index}", _field(index, "form"), _form_fault)
        if lemma is not None:
            _check_text(lemma, f"the lemma of word {index}", _field(index, "lemma"), _form_fault)
        if word.features is not None:
            _check_features(word.features, words, index)
        for key, symbol in (("tag", word.tag), ("upos", word.upos), ("deprel", word.deprel)):
            if symbol is None or (
                isinstance(symbol, str) and len(symbol) <= MAX_CHARACTERS and _is_plain(symbol)
            ):
                continue
            what = f"the {key} of {name_word(words, index)}"
            _check_text(symbol, what, _field(index, key), _symbol_fault)


def _check_text(text: str, what: str, field: str, fault_of: Callable[[str], str]) -> None:
    if not isinstance(text, str):
        raise ProblemError(f"{what} is not a string: {shown(text)}", field=field)
    check_limit(len(text), MAX_CHARACTERS, what, "characters", field)
    if fault := fault_of(text):
        raise ProblemError(f"{what} {fault}", field=field)
    _check_encodable(text, what, field)


def _form_fault(form: str) -> str:
    """What is wrong with a form or a lemma, if anything."""
    if not form or form.isspace():
        return f"is empty: {shown(form)}"
    if any(character in form for character in "\t\n\r"):
        return f"contains a tab or a line end: {shown(form)}"
    if form[0] == " " or form[-1] == " " or "  " in form:
        rule = "the words of a phrase are separated by single spaces"
        return f"has an extra space: {shown(form)}; {rule}"
    return ""


def _symbol_fault(symbol: str) -> str:
    if not symbol:
        return "is empty; leave it out if it is not known"
    return f"contains white space: {shown(symbol)}" if any(map(str.isspace, symbol)) else ""


def _check_features(features: str, words: Sequence[Word], index: int) -> None:
    if isinstance(features, str) and _are_plain(features):
        return
    field, word = _field(index, "features"), name_word(words, index)
    what = f"the features of {word}"
    if isinstance(features, Mapping):
        raise ProblemError(f"{what}: {feature_fault(features)}", field=field)
    if not isinstance(features, str):
        message = f"{what} are neither a string nor a mapping: {shown(features)}"
        raise ProblemError(message, field=field)
    limited = f"the string of features of {word}"
    check_limit(len(features), MAX_CHARACTERS, limited, "characters", field)
    if any(map(str.isspace, features)):
        raise ProblemError(f"{what} contain white space: {shown(features)}", field=field)
    _check_encodable(features, what, field)
    names: set[str] = set()
    for part in features.split("|") if features else ():
        name, _, value = part.partition("=")
        if not name or not value:
            rule = "is not of the form Name=Value; separate several by |"
            raise ProblemError(f"{shown(part)} in {what} {rule}", field=field)
        if name in names:
            raise ProblemError(f"{what} give {shown(name)} twice", field=field)
        names.add(name)


@cached_texts(1 << 14)
def _are_plain(features: str) -> bool:
    """Whether features are valid and ASCII, as almost all are."""
    parts = [part.partition("=") for part in features.split("|")]
    return (
        len(features) <= MAX_CHARACTERS
        and _is_plain(features) is not None
        and all(name and value for name, _, value in parts)
        and len({name for name, _, _ in parts}) == len(parts)
    )


def _check_encodable(text: str, what: str, field: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        message = f"{what} contains half of a surrogate pair: {shown(text)}"
        raise ProblemError(message, field=field) from None


def check_id(id: str) -> None:
    if not isinstance(id, str):
        raise ProblemError(f"the id of a problem must be a string, not {shown(id)}", field="id")
    check_limit(len(id), MAX_CHARACTERS, "the id of the problem", "characters", "id")
    if not id.strip() or "\n" in id or "\r" in id:
        message = f"the id of a problem must be one line of text, not {shown(id)}"
        raise ProblemError(message, field="id")
    _check_encodable(id, "the id of the problem", "id")


def check_heads(words: tuple[Word, ...]) -> None:
    count = len(words)
    heads = [word.head for word in words]
    for index, head in enumerate(heads, start=1):
        if head is None or (type(head) is int and 0 <= head <= count and head != index):
            continue
        word = name_word(words, index)
        if type(head) is not int:
            message = f"the head of {word} is not an integer: {shown(head)}"
        elif head == index:
            message = f"{word} is given as its own head"
        else:
            message = (
                f"the head of {word} is {shown(head)}, out of range: it must be 0 (root) or the "
                f"index of a word, 1 to {count}"
            )
        raise ProblemError(message, field=_field(index, "head"))
    if any(heads) and (cycle := find_cycle(heads)):
        message = f"the given heads form a cycle: {name_words(words, cycle, ' → ')}"
        raise ProblemError(message, field=_field(cycle[0], "head"))


def _roots(words: Sequence[Word]) -> list[int]:
    """The 1-based indices of the words that are given as the root."""
    return [
        index
        for index, word in enumerate(words, start=1)
        if word.head == 0 or (word.head is None and word.deprel == ROOT_LABEL)
    ]


def _headless(words: Sequence[Word]) -> list[int]:
    return [index for index, word in enumerate(words, start=1) if word.head is None]


def given_root(words: Sequence[Word]) -> int:
    """The 1-based index of the word that must be the root, 0 if several may be."""
    for indices in (_roots(words), _headless(words)):
        if len(indices) == 1:
            return indices[0]
    return 0


def check_root(words: tuple[Word, ...]) -> None:
    roots = _roots(words)
    if len(roots) > 1:
        message = f"{len(roots)} words are given as the root: {name_words(words, roots)}"
        key = "head" if words[roots[-1] - 1].head == 0 else "deprel"
        raise ProblemError(f"{message}; a sentence has exactly one", field=_field(roots[-1], key))
    if roots or any(word.head is None and word.deprel is None for word in words):
        return
    headless = _headless(words)
    labels = sorted({str(words[index - 1].deprel) for index in headless})
    named = ", ".join(map(shown, labels[:4])) + ", …" * (len(labels) > 4)
    raise ProblemError(
        f"no word can be the root: {name_words(words, headless)} without a given head "
        f"must depend on another word, because of the given label ({named})",
        field=_field(headless[0], "deprel"),
    )


def as_pairs(before: Any) -> tuple[tuple[int, int], ...]:
    """Order constraints as a tuple of tuples, whatever collections they are given in."""
    if not is_collection(before):
        message = f"`before` is a list of pairs (a, b) of words, not {shown(before)}"
        raise ProblemError(message, field="before")
    before = tuple(islice(before, MAX_CONSTRAINTS + 1))
    if len(before) > MAX_CONSTRAINTS:
        message = f"`before` has more pairs than the limit of {MAX_CONSTRAINTS}"
        raise ProblemError(message, field="before")
    return tuple(_as_pair(pair, number) for number, pair in enumerate(before))


def _as_pair(pair: Any, number: int) -> tuple[int, int]:
    if type(pair) is tuple and len(pair) == 2 and type(pair[0]) is type(pair[1]) is int:
        return pair[0], pair[1]
    field = f"before[{number}]"
    items = tuple(pair) if is_collection(pair) and not isinstance(pair, Set) else ()
    if len(items) != 2:
        message = f"an order constraint must be a pair (a, b) of words, not {shown(pair)}"
        raise ProblemError(message, field=field)
    return _as_index(items[0], "before", field), _as_index(items[1], "before", field)


def as_bound(index: Any, name: str) -> int | None:
    """The first or the last word as an index."""
    return None if index is None else _as_index(index, name, name)


def _as_index(index: Any, name: str, field: str) -> int:
    integer = as_integer(index)
    if integer is None:
        what = f"the order constraint `{name}` names {shown(index)}"
        raise ProblemError(f"{what}, which is not the index of a word", field=field)
    return integer


def check_order_constraints(
    words: Sequence[Word],
    before: tuple[tuple[int, int], ...],
    first: int | None,
    last: int | None,
) -> None:
    count = len(words)
    if any(word.head for word in words):
        what = "a bag with order constraints and given heads"
        check_limit(count, MAX_ORDERED_WORDS, what, "words")
    seen: set[tuple[int, int]] = set()
    for number, pair in enumerate(before):
        earlier, later = pair
        if not (0 < earlier <= count and 0 < later <= count):
            for index in pair:
                _check_index(index, "before", count, f"before[{number}]")
        if earlier == later:
            message = f"{name_word(words, earlier)} is to stand before itself"
            raise ProblemError(message, field=f"before[{number}]")
        if pair in seen:
            message = f"duplicate order constraint: {name_words(words, pair, ' before ')}"
            raise ProblemError(f"{message} is given twice", field=f"before[{number}]")
        seen.add(pair)
    for name, bound in (("first", first), ("last", last)):
        if bound is not None:
            _check_index(bound, name, count, name)
    if first is not None and first == last and count > 1:
        message = f"{name_word(words, first)} is given both as first and as last of {count} words"
        raise ProblemError(message, field="last")


def _check_index(index: int, name: str, count: int, field: str) -> None:
    if not 1 <= index <= count:
        what = f"the order constraint `{name}` names word {shown(index)}"
        raise ProblemError(f"{what}, out of range: words are 1 to {count}", field=field)


def _field(index: int, key: str) -> str:
    """The place of a word in the JSON notation of a problem, where lists begin with 0."""
    return f"words[{index - 1}].{key}"
