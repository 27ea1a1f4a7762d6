"""Checks of a problem's words, heads and order constraints; every message names the word.

Contradictions among order constraints are found in `precedence`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from syntagma.arguments import as_integer, is_collection
from syntagma.errors import ProblemError, name_word, name_words, shown
from syntagma.problem.limits import (
    MAX_CHARACTERS,
    MAX_CONSTRAINTS,
    MAX_ORDERED_WORDS,
    MAX_WORDS,
    check_limit,
)
from syntagma.problem.trees import find_cycle
from syntagma.problem.word import ROOT_LABEL, Word

A_BAG = "a bag is a list of words"
_is_plain = re.compile(r"[!-~]+").fullmatch  # ASCII without white space
T = TypeVar("T")


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
            raise ProblemError(
                f"word {index} is not a Word but {type(word).__name__}", field=_field(index)
            )
        form = word.form
        if not isinstance(form, str):
            raise ProblemError(
                f"the form of word {index} is not a string: {shown(form)}",
                field=_field(index, "form"),
            )
        # A fast path: most words are plain.
        plain = form.isascii() and form.isalnum() and len(form) <= MAX_CHARACTERS
        if not plain and (form or word.lemma is None):
            _check_form(form, "form", index)
        if word.lemma is not None:
            _check_lemma(word.lemma, index)
        if word.features is not None:
            _check_features(word.features, words, index)
        if word.tag is not None:
            _check_symbol(word.tag, "tag", words, index)
        if word.upos is not None:
            _check_symbol(word.upos, "upos", words, index)
        if word.deprel is not None:
            _check_symbol(word.deprel, "deprel", words, index)


def _check_form(form: str, kind: str, index: int) -> None:
    field = _field(index, kind)
    check_limit(len(form), MAX_CHARACTERS, f"the {kind} of word {index}", "characters", field)
    if not form or form.isspace():
        raise ProblemError(f"the {kind} of word {index} is empty: {shown(form)}", field=field)
    if any(character in form for character in "\t\n\r"):
        raise ProblemError(
            f"the {kind} of word {index} contains a tab or a line end: {shown(form)}", field=field
        )
    if form[0] == " " or form[-1] == " " or "  " in form:
        raise ProblemError(
            f"the {kind} of word {index} has an extra space: {shown(form)}; "
            "the words of a phrase are separated by single spaces",
            field=field,
        )
    _check_encodable(form, f"the {kind} of word {index}", field)


def _check_lemma(lemma: str, index: int) -> None:
    if not isinstance(lemma, str):
        raise ProblemError(
            f"the lemma of word {index} is not a string: {shown(lemma)}",
            field=_field(index, "lemma"),
        )
    _check_form(lemma, "lemma", index)


def _check_features(features: str, words: Sequence[Word], index: int) -> None:
    field = _field(index, "features")
    if not isinstance(features, str):
        raise ProblemError(
            f"the features of {name_word(words, index)} are not a string: {shown(features)}",
            field=field,
        )
    if _are_plain(features):
        return
    what = f"the string of features of {name_word(words, index)}"
    check_limit(len(features), MAX_CHARACTERS, what, "characters", field)
    if any(character.isspace() for character in features):
        raise ProblemError(
            f"the features of {name_word(words, index)} contain white space: {shown(features)}",
            field=field,
        )
    _check_encodable(features, f"the features of {name_word(words, index)}", field)
    parts = features.split("|") if features else []
    names: set[str] = set()
    for part in parts:
        name = part.partition("=")[0]
        if not name or name == part or part.endswith("="):
            raise ProblemError(
                f"{shown(part)} in the features of {name_word(words, index)} is not of the form "
                "Name=Value; separate several by |",
                field=field,
            )
        if name in names:
            raise ProblemError(
                f"the features of {name_word(words, index)} give {shown(name)} twice", field=field
            )
        names.add(name)


@lru_cache(1 << 14)
def _are_plain(features: str) -> bool:
    """Whether features are valid and ASCII, as almost all are."""
    parts = [part.partition("=") for part in features.split("|")]
    return (
        len(features) <= MAX_CHARACTERS
        and _is_plain(features) is not None
        and all(name and value for name, _, value in parts)
        and len({name for name, _, _ in parts}) == len(parts)
    )


def _check_symbol(symbol: str, kind: str, words: Sequence[Word], index: int) -> None:
    if not isinstance(symbol, str):
        raise ProblemError(
            f"the {kind} of {name_word(words, index)} is not a string: {shown(symbol)}",
            field=_field(index, kind),
        )
    if len(symbol) <= MAX_CHARACTERS and _is_plain(symbol):
        return
    field = _field(index, kind)
    what = f"the {kind} of {name_word(words, index)}"
    check_limit(len(symbol), MAX_CHARACTERS, what, "characters", field)
    if not symbol:
        raise ProblemError(
            f"the {kind} of {name_word(words, index)} is empty; leave it out if it is not known",
            field=field,
        )
    if any(character.isspace() for character in symbol):
        raise ProblemError(
            f"the {kind} of {name_word(words, index)} contains white space: {shown(symbol)}",
            field=field,
        )
    _check_encodable(symbol, what, field)


def _check_encodable(text: str, what: str, field: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ProblemError(
            f"{what} contains half of a surrogate pair: {shown(text)}", field=field
        ) from None


def check_id(id: str) -> None:
    if not isinstance(id, str):
        raise ProblemError(f"the id of a problem must be a string, not {shown(id)}", field="id")
    check_limit(len(id), MAX_CHARACTERS, "the id of the problem", "characters", "id")
    if not id.strip() or "\n" in id or "\r" in id:
        raise ProblemError(
            f"the id of a problem must be one line of text, not {shown(id)}", field="id"
        )
    _check_encodable(id, "the id of the problem", "id")


def check_heads(words: tuple[Word, ...]) -> None:
    count = len(words)
    given = False
    for index, word in enumerate(words, start=1):
        head = word.head
        if head is None:
            continue
        if type(head) is not int:
            raise ProblemError(
                f"the head of {name_word(words, index)} is not an integer: {shown(head)}",
                field=_field(index, "head"),
            )
        if not 0 <= head <= count:
            raise ProblemError(
                f"the head of {name_word(words, index)} is {shown(head)}, out of range: "
                f"it must be 0 (root) or the index of a word, 1 to {count}",
                field=_field(index, "head"),
            )
        if head == index:
            raise ProblemError(
                f"{name_word(words, index)} is given as its own head", field=_field(index, "head")
            )
        given = True
    if given and (cycle := find_cycle([word.head for word in words])):
        raise ProblemError(
            f"the given heads form a cycle: {name_words(words, cycle, ' → ')}",
            field=_field(cycle[0], "head"),
        )


def given_root(words: Sequence[Word]) -> int:
    """The 1-based index of the word that must be the root, 0 if several may be."""
    headless = headless_index = 0
    for index, word in enumerate(words, start=1):
        if word.head == 0 or (word.head is None and word.deprel == ROOT_LABEL):
            return index
        if word.head is None:
            headless += 1
            headless_index = index
    return headless_index if headless == 1 else 0


def check_root(words: tuple[Word, ...]) -> None:
    roots = [
        index
        for index, word in enumerate(words, start=1)
        if word.head == 0 or (word.head is None and word.deprel == ROOT_LABEL)
    ]
    if len(roots) > 1:
        raise ProblemError(
            f"{len(roots)} words are given as the root: {name_words(words, roots)}; "
            "a sentence has exactly one",
            field=_field(roots[-1], "head" if words[roots[-1] - 1].head == 0 else "deprel"),
        )
    if roots or any(word.head is None and word.deprel is None for word in words):
        return
    headless = [index for index, word in enumerate(words, start=1) if word.head is None]
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
        raise ProblemError(
            f"`before` is a list of pairs (a, b) of words, not {shown(before)}", field="before"
        )
    before = tuple(islice(before, MAX_CONSTRAINTS + 1))
    if len(before) > MAX_CONSTRAINTS:
        raise ProblemError(
            f"`before` has more pairs than the limit of {MAX_CONSTRAINTS}", field="before"
        )
    return tuple(_as_pair(pair, number) for number, pair in enumerate(before))


def _as_pair(pair: Any, number: int) -> tuple[int, int]:
    if type(pair) is tuple and len(pair) == 2 and type(pair[0]) is type(pair[1]) is int:
        return pair[0], pair[1]
    field = f"before[{number}]"
    ordered = is_collection(pair) and not isinstance(pair, Set)
    items = tuple(pair) if ordered else ()
    if len(items) != 2:
        raise ProblemError(
            f"an order constraint must be a pair (a, b) of words, not {shown(pair)}", field=field
        )
    what = "the order constraint `before`"
    return _integer(items[0], what, field), _integer(items[1], what, field)


def as_index(index: Any, name: str) -> int | None:
    return None if index is None else _integer(index, f"the order constraint `{name}`", name)


def _integer(index: Any, what: str, field: str) -> int:
    integer = as_integer(index)
    if integer is None:
        raise ProblemError(
            f"{what} names {shown(index)}, which is not the index of a word", field=field
        )
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
                _check_index(index, "the order constraint `before`", count, f"before[{number}]")
        if earlier == later:
            raise ProblemError(
                f"{name_word(words, earlier)} is to stand before itself", field=f"before[{number}]"
            )
        if pair in seen:
            raise ProblemError(
                f"duplicate order constraint: {name_words(words, pair, ' before ')} is given twice",
                field=f"before[{number}]",
            )
        seen.add(pair)
    for name, bound in (("first", first), ("last", last)):
        if bound is not None:
            _check_index(bound, f"the order constraint `{name}`", count, name)
    if first is not None and first == last and count > 1:
        raise ProblemError(
            f"{name_word(words, first)} is given both as first and as last of {count} words",
            field="last",
        )


def _check_index(index: int, what: str, count: int, field: str) -> None:
    if not 1 <= index <= count:
        raise ProblemError(
            f"{what} names word {shown(index)}, out of range: words are 1 to {count}",
            field=field,
        )


def _field(index: int, key: str = "") -> str:
    """The place of a word in the JSON notation of a problem, where lists begin with 0."""
    return f"words[{index - 1}].{key}" if key else f"words[{index - 1}]"
