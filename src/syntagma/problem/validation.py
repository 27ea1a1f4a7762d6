"""Checks of a problem's words, heads and order constraints; every message names the word.

Contradictions among order constraints are found in `precedence`.
"""

from __future__ import annotations

from collections.abc import Sequence

from syntagma.errors import ProblemError, name_word, name_words
from syntagma.problem.trees import find_cycle
from syntagma.problem.word import ROOT_LABEL, Word


def check_words(words: tuple[Word, ...]) -> None:
    if not isinstance(words, tuple):
        raise ProblemError("the words of a problem must be a tuple; Problem.of takes any iterable")
    if not words:
        raise ProblemError("empty bag: give at least one word")
    for index, word in enumerate(words, start=1):
        if not isinstance(word, Word):
            raise ProblemError(f"word {index} is not a Word but {type(word).__name__}")
        form = word.form
        if not isinstance(form, str):
            raise ProblemError(f"the form of word {index} is not a string: {form!r}")
        plain = form.isascii() and form.isalnum()  # most words; the rest need a closer look
        if not plain and (form or word.lemma is None):
            _check_form(form, "form", index)
        if word.lemma is not None:
            _check_lemma(word.lemma, index)
        if word.features is not None:
            _check_features(word.features, words, index)
        if word.tag is not None:
            _check_symbol(word.tag, "tag", words, index)
        if word.deprel is not None:
            _check_symbol(word.deprel, "deprel", words, index)


def _check_form(form: str, kind: str, index: int) -> None:
    if not form or form.isspace():
        raise ProblemError(f"the {kind} of word {index} is empty: {form!r}")
    if any(character in form for character in "\t\n\r"):
        raise ProblemError(f"the {kind} of word {index} contains a tab or a line end: {form!r}")
    if form[0] == " " or form[-1] == " " or "  " in form:
        raise ProblemError(
            f"the {kind} of word {index} has an extra space: {form!r}; "
            "the words of a phrase are separated by single spaces"
        )
    _check_encodable(form, f"the {kind} of word {index}")


def _check_lemma(lemma: str, index: int) -> None:
    if not isinstance(lemma, str):
        raise ProblemError(f"the lemma of word {index} is not a string: {lemma!r}")
    _check_form(lemma, "lemma", index)


def _check_features(features: str, words: Sequence[Word], index: int) -> None:
    """Empty features are those of a word that has none."""
    if not isinstance(features, str):
        raise ProblemError(
            f"the features of {name_word(words, index)} are not a string: {features!r}"
        )
    if any(character.isspace() for character in features):
        raise ProblemError(
            f"the features of {name_word(words, index)} contain white space: {features!r}"
        )
    _check_encodable(features, f"the features of {name_word(words, index)}")
    parts = features.split("|") if features else []
    names = [part.partition("=")[0] for part in parts]
    for part, name in zip(parts, names, strict=True):
        if not name or name == part or part.endswith("="):
            raise ProblemError(
                f"{part!r} in the features of {name_word(words, index)} is not of the form "
                "Name=Value; separate several by |"
            )
        if names.count(name) > 1:
            raise ProblemError(f"the features of {name_word(words, index)} give {name} twice")


def _check_symbol(symbol: str, kind: str, words: Sequence[Word], index: int) -> None:
    if not isinstance(symbol, str):
        raise ProblemError(f"the {kind} of {name_word(words, index)} is not a string: {symbol!r}")
    if symbol.isascii() and symbol.isalnum():
        return
    if not symbol:
        raise ProblemError(
            f"the {kind} of {name_word(words, index)} is empty; leave it out if it is not known"
        )
    if any(character.isspace() for character in symbol):
        raise ProblemError(
            f"the {kind} of {name_word(words, index)} contains white space: {symbol!r}"
        )
    _check_encodable(symbol, f"the {kind} of {name_word(words, index)}")


def _check_encodable(text: str, what: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ProblemError(f"{what} contains half of a surrogate pair: {text!r}") from None


def check_id(id: str) -> None:
    if not isinstance(id, str):
        raise ProblemError(f"the id of a problem must be a string, not {id!r}")
    if not id.strip() or "\n" in id or "\r" in id:
        raise ProblemError(f"the id of a problem must be one line of text, not {id!r}")
    _check_encodable(id, "the id of the problem")


def check_heads(words: tuple[Word, ...]) -> None:
    count = len(words)
    given = False
    for index, word in enumerate(words, start=1):
        head = word.head
        if head is None:
            continue
        if type(head) is not int:
            raise ProblemError(f"the head of {name_word(words, index)} is not an integer: {head!r}")
        if not 0 <= head <= count:
            raise ProblemError(
                f"the head of {name_word(words, index)} is {head}, out of range: "
                f"it must be 0 (root) or the index of a word, 1 to {count}"
            )
        if head == index:
            raise ProblemError(f"{name_word(words, index)} is given as its own head")
        given = True
    if given and (cycle := find_cycle([word.head for word in words])):
        raise ProblemError(f"the given heads form a cycle: {name_words(words, cycle, ' → ')}")


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
            "a sentence has exactly one"
        )
    if roots or any(word.head is None and word.deprel is None for word in words):
        return
    headless = [index for index, word in enumerate(words, start=1) if word.head is None]
    labels = ", ".join(sorted({str(words[index - 1].deprel) for index in headless}))
    raise ProblemError(
        f"no word can be the root: {name_words(words, headless)} without a given head "
        f"must depend on another word, because of the given label ({labels})"
    )


def check_order_constraints(
    words: Sequence[Word],
    before: tuple[tuple[int, int], ...],
    first: int | None,
    last: int | None,
) -> None:
    count = len(words)
    if not isinstance(before, tuple):
        raise ProblemError("`before` must be a tuple of pairs; Problem.of takes any iterable")
    seen: set[tuple[int, int]] = set()
    for pair in before:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ProblemError(f"an order constraint must be a pair (a, b) of words, not {pair!r}")
        for index in pair:
            _check_index(index, "the order constraint `before`", count)
        if pair[0] == pair[1]:
            raise ProblemError(f"{name_word(words, pair[0])} is to stand before itself")
        if pair in seen:
            raise ProblemError(
                f"duplicate order constraint: {name_words(words, pair, ' before ')} is given twice"
            )
        seen.add(pair)
    for name, bound in (("first", first), ("last", last)):
        if bound is not None:
            _check_index(bound, f"the order constraint `{name}`", count)
    if first is not None and first == last and count > 1:
        raise ProblemError(
            f"{name_word(words, first)} is given both as first and as last of {count} words"
        )


def _check_index(index: int, what: str, count: int) -> None:
    if type(index) is not int:
        raise ProblemError(f"{what} names {index!r}, which is not the index of a word")
    if not 1 <= index <= count:
        raise ProblemError(f"{what} names word {index}, out of range: words are 1 to {count}")
