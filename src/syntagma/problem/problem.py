"""A problem: a bag of words with whatever is known of them, validated when it is built.

Its canonical order is found in `canonical`, the closure of its order constraints in `precedence`;
files are read into problems by `formats`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from syntagma.errors import ProblemError, name_word, name_words
from syntagma.problem.canonical import canonical_order
from syntagma.problem.precedence import predecessors
from syntagma.problem.trees import find_cycle

ROOT_LABEL = "root"
TagColumn = Literal["upos", "xpos"]  # the column of CoNLL-U that serves as the tag


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or a phrase to be kept together (its words separated by single spaces).

    `head` is the 1-based index of another word of the problem, 0 for the root. What is `None` is
    not given.

    A word to be realized has a lemma in the place of a form, and perhaps morphological features,
    written as in CoNLL-U: `Word(lemma="dog", tag="NNS", features="Number=Plur")`.
    """

    form: str = ""
    tag: str | None = None
    head: int | None = None
    deprel: str | None = None
    lemma: str | None = None
    features: str | None = None

    @property
    def name(self) -> str:
        """How messages call it."""
        return self.form or self.lemma or ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A bag of words and the constraints that every result satisfies.

    All indices are 1-based. `before` holds pairs (a, b): word a stands somewhere before word b.
    `id` is carried to the output; `origin` is what a reader wants back there.

    A word without given head is the root if its label is given as "root", and cannot be the root if
    any other label is given.
    """

    words: tuple[Word, ...]
    before: tuple[tuple[int, int], ...] = ()
    first: int | None = None
    last: int | None = None
    id: str | None = None
    origin: object | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        _check_words(self.words)
        if self.id is not None:
            _check_id(self.id)
        _check_heads(self.words)
        _check_root(self.words)
        if self.before or self.first is not None or self.last is not None:
            _check_order_constraints(self)
            predecessors(self)  # raises if they contradict each other or the given arcs

    @classmethod
    def of(
        cls,
        words: Iterable[str | Word],
        *,
        before: Iterable[tuple[int, int]] = (),
        first: int | None = None,
        last: int | None = None,
        id: str | None = None,
    ) -> Problem:
        """Build a problem from words or plain strings.

        >>> Problem.of(["barks", "dog", "the"], before=[(3, 2)]).words[1].form
        'dog'
        """
        if isinstance(words, str):
            raise ProblemError(
                "a bag is a list of words, not one string: split it into words first"
            )
        return cls(
            tuple(Word(word) if isinstance(word, str) else word for word in words),
            tuple(before),
            first,
            last,
            id,
        )

    @property
    def root(self) -> int | None:
        """The 1-based index of the word that has to be the root, if that is settled."""
        return _given_root(self.words) or None

    @property
    def may_be_root(self) -> tuple[bool, ...]:
        """For each word, whether the constraints on heads and labels allow it to be the root."""
        root = _given_root(self.words)
        if root:
            return tuple(index == root for index in range(1, len(self.words) + 1))
        return tuple(word.head is None and word.deprel is None for word in self.words)

    def with_forms(self, forms: Sequence[str]) -> Problem:
        """The problem with these forms, one a word: well-formed ones, for they are not checked."""
        problem = object.__new__(Problem)
        words = tuple(
            Word(form, word.tag, word.head, word.deprel, word.lemma, word.features)
            for word, form in zip(self.words, forms, strict=True)
        )
        for each in fields(self):
            object.__setattr__(problem, each.name, getattr(self, each.name))
        object.__setattr__(problem, "words", words)
        return problem

    def canonical(self) -> tuple[int, ...]:
        """The 0-based indices of the words in an order that does not depend on how they are listed.

        Only words that are interchangeable (the problem stays the same if they are swapped) may
        come out in another order when the problem is listed in another order.
        """
        return canonical_order(self)


def _check_words(words: tuple[Word, ...]) -> None:
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
        raise ProblemError(f"the {kind} of word {index} holds a tab or a line end: {form!r}")
    if form[0] == " " or form[-1] == " " or "  " in form:
        raise ProblemError(
            f"the {kind} of word {index} has a space too many: {form!r}; "
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
            f"the features of {name_word(words, index)} hold white space: {features!r}"
        )
    _check_encodable(features, f"the features of {name_word(words, index)}")
    parts = features.split("|") if features else []
    names = [part.partition("=")[0] for part in parts]
    for part, name in zip(parts, names, strict=True):
        if not name or name == part or part.endswith("="):
            raise ProblemError(
                f"{part!r} in the features of {name_word(words, index)} is not of the kind "
                "Name=Value; several are separated by |"
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
        raise ProblemError(f"the {kind} of {name_word(words, index)} holds white space: {symbol!r}")
    _check_encodable(symbol, f"the {kind} of {name_word(words, index)}")


def _check_encodable(text: str, what: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ProblemError(f"{what} holds half of a surrogate pair: {text!r}") from None


def _check_id(id: str) -> None:
    if not isinstance(id, str):
        raise ProblemError(f"the id of a problem must be a string, not {id!r}")
    if not id.strip() or "\n" in id or "\r" in id:
        raise ProblemError(f"the id of a problem must be one line of text, not {id!r}")
    _check_encodable(id, "the id of the problem")


def _check_heads(words: tuple[Word, ...]) -> None:
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


def _given_root(words: Sequence[Word]) -> int:
    """The 1-based index of the word that must be the root, 0 if several may be."""
    headless = headless_index = 0
    for index, word in enumerate(words, start=1):
        if word.head == 0 or (word.head is None and word.deprel == ROOT_LABEL):
            return index
        if word.head is None:
            headless += 1
            headless_index = index
    return headless_index if headless == 1 else 0


def _check_root(words: tuple[Word, ...]) -> None:
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


def _check_order_constraints(problem: Problem) -> None:
    words, count = problem.words, len(problem.words)
    if not isinstance(problem.before, tuple):
        raise ProblemError("`before` must be a tuple of pairs; Problem.of takes any iterable")
    seen: set[tuple[int, int]] = set()
    for pair in problem.before:
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
    for name, bound in (("first", problem.first), ("last", problem.last)):
        if bound is not None:
            _check_index(bound, f"the order constraint `{name}`", count)
    if problem.first is not None and problem.first == problem.last and count > 1:
        raise ProblemError(
            f"{name_word(words, problem.first)} is given both as first and as last of {count} words"
        )


def _check_index(index: int, what: str, count: int) -> None:
    if type(index) is not int:
        raise ProblemError(f"{what} names {index!r}, which is not the index of a word")
    if not 1 <= index <= count:
        raise ProblemError(f"{what} names word {index}, out of range: words are 1 to {count}")
