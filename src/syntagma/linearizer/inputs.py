"""What callers give to be solved: words, lemmas or an order as problems, what is checked of them
before a search, and warnings about tags, features and labels that a model does not know.

The model orders as if those were not given: this is decided in `transition/encoding.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from typing import TYPE_CHECKING, Any

from syntagma.arguments import as_integer
from syntagma.errors import (
    ProblemError,
    SyntagmaError,
    SyntagmaWarning,
    brief,
    name_word,
    shown,
    warn,
)
from syntagma.problem.problem import Problem
from syntagma.problem.validation import check_iterable
from syntagma.problem.word import UPOS_TAGS, TagColumn, Word

if TYPE_CHECKING:
    from syntagma.transition.vocabulary import Vocabulary

Words = Problem | Iterable[str | Word]
Order = Iterable[str] | Iterable[int]

_NAMED = 3  # tags or labels that a message names
MOST_NAMED = 1_000  # tags and labels that the warnings of one linearizer name


def read(reader: Callable[..., Any], value: object, what: str) -> Any:
    """What a reader makes of a value. Whatever goes wrong is the fault of this value alone, even if
    it is a generator that raises."""
    try:
        return reader(value)
    except SyntagmaError:
        raise
    except Exception as error:
        raise ProblemError(f"the {what} cannot be read: {shown(error)}") from error


def as_problem(words: Words) -> Problem:
    return words if isinstance(words, Problem) else Problem.of(words)


def as_lemmas(lemmas: Words) -> Problem:
    """A problem whose plain strings are lemmas."""
    if isinstance(lemmas, Problem):
        return lemmas
    check_iterable(lemmas, "lemmas are given as a list")
    return Problem.of(Word(lemma=each) if isinstance(each, str) else each for each in lemmas)


def as_pair(item: tuple[Words, Order]) -> tuple[Problem, list[Any]]:
    """Words as a problem, and an order of them, not yet compared."""
    try:
        words, order = item
    except (TypeError, ValueError):
        raise ProblemError(f"expected a pair, words and an order, not {shown(item)}") from None
    return read(as_problem, words, "words"), read(_as_list, order, "order")


def warn_of_phrase(words: Words) -> None:
    """A bag of one phrase comes back as it is, which is most often not what was meant."""
    if isinstance(words, (list, tuple)) and len(words) == 1:
        (only,) = words
        if isinstance(only, str) and " " in only:
            message = (
                f"{shown(only)} is one phrase, whose words stay as they are: to order them, give "
                "them one by one, or split raw text first (--tokenize)"
            )
            warn(SyntagmaWarning(message))


def check_size(problem: Problem, max_words: int, most: int) -> None:
    """Refuse a problem with more words than the request allows; a model can order `most`."""
    if len(problem.words) > max_words:
        advice = "raise max_words (--max-words) to order it anyway"
        if max_words == most:
            advice = "which is as many as this model takes"
        raise ProblemError(
            f"the bag has {len(problem.words)} words, more than the limit of {max_words}; {advice}",
            field="words",
        )


def check_forms(problem: Problem) -> None:
    for index, word in enumerate(problem.words, start=1):
        if not word.form:
            raise ProblemError(
                f"{name_word(problem.words, index)} has a lemma but no form: "
                "give its form, or realize the problem (syntagma realize)",
                field=f"words[{index - 1}].form",
            )


def _as_list(order: Order) -> list[Any]:
    what = "an order is a list of words"
    if isinstance(order, Set):
        raise ProblemError(f"{what}, not a set, which has no order: {shown(order)}")
    check_iterable(order, what)
    return list(order)


def as_order(problem: Problem, items: list[Any]) -> list[str] | list[int]:
    """An order to be scored, by forms or by indices; it must use every word exactly once."""
    forms = [str.__str__(item) for item in items if isinstance(item, str)]
    indices = [index for item in items if (index := as_integer(item)) is not None]
    if len(indices) == len(items) > 0:
        count = len(problem.words)
        if sorted(indices) != list(range(1, count + 1)):
            raise ProblemError(
                f"an order by indices must contain each of 1 to {count} once", field="order"
            )
        return indices
    if len(forms) < len(items):
        odd = [item for item in items if not isinstance(item, str) and as_integer(item) is None]
        raise ProblemError(
            "an order is given by forms or by indices, "
            + (f"not by {shown(odd[0])}" if odd else "not by both"),
            field="order",
        )
    missing = Counter(word.form for word in problem.words)
    missing.subtract(forms)
    for form, count in missing.items():
        if count:
            fault = f"the given order uses {shown(form)} more often than the bag contains it"
            if count > 0:
                fault = f"the word {shown(form)} of the bag is missing in the given order"
            raise ProblemError(fault, field="order")
    return forms


class UnknownNotices:
    """The warnings of one linearizer.

    A problem with a tag that an earlier warning named gives the same warning, so that Python shows
    it once. After `MOST_NAMED` of them, a last warning on each topic names none. The results depend
    on none of this.
    """

    def __init__(
        self, model: str, tag_column: TagColumn, vocabulary: Vocabulary, *, takes_labels: bool
    ) -> None:
        self._model = brief(model)
        self._takes_labels = takes_labels  # models without arcs reject labels
        self._column = tag_column
        self._vocabulary = vocabulary
        # By topic and tag or label; the last warning on a topic by None.
        self._given: dict[tuple[str, str | None], SyntagmaWarning] = {}

    def check(self, words: Sequence[Word]) -> None:
        """Warn if tags, features or labels of these words are unknown."""
        vocabulary = self._vocabulary
        tags = vocabulary.unknown_tags(words)
        foreign = self._column == "xpos" and UPOS_TAGS.issuperset(tags)
        self._warn("UPOS tags" if foreign else "tags", tags)
        self._warn("UPOS tags", vocabulary.unknown_upos(words))
        self._warn("features", vocabulary.unknown_features(words))
        if self._takes_labels:
            self._warn("labels", vocabulary.unknown_labels(words))

    def _warn(self, topic: str, unknown: Sequence[str]) -> None:
        if not unknown:
            return
        names: list[str | None] = [brief(name) for name in unknown]
        known = (self._given.get((topic, name)) for name in names)
        warning = next(filter(None, known), None)
        if warning is None:
            named = names[:_NAMED] if len(self._given) < MOST_NAMED else [None]
            warning = self._given.get((topic, named[0]))
        if warning is None:
            message = self._message(topic, [each for each in named if each], len(unknown))
            warning = SyntagmaWarning(message, topic=topic)
            self._given.update(((topic, name), warning) for name in named)
        warn(warning)

    def _message(self, topic: str, names: Sequence[str], count: int) -> str:
        """The warning about so many tags or labels, of which these are named; about any further
        ones, if none is."""
        vocabulary, column = self._vocabulary, self._column.upper()
        kind = {"labels": "label", "features": "feature"}.get(topic, "tag")
        several = count > 1 or not names
        named = f"the {kind}{'s' * several} {', '.join(names)}"
        if not names:
            named = f"further {kind}s ({MOST_NAMED:,} names were shown before)"
        elif count > len(names):
            named += f" and {count - len(names)} more"
        message = (
            f"the model {self._model} does not know {named} and orders "
            f"as if {'they were' if several else 'it was'} not given"
        )
        match topic:
            case "features":
                advice = (
                    f": give features of its training data ({_examples(vocabulary.features)}), or "
                    "leave the features out"
                )
            case "UPOS tags" if vocabulary.upos:
                advice = (
                    f": it reads the UPOS tags {_examples(vocabulary.upos)}; give those, or leave "
                    "the tag out"
                )
            case "UPOS tags":
                reads = f"{names[0]} is a UPOS tag, but the model reads" if names else "it reads"
                advice = (
                    f": {reads} {column} tags "
                    f"({self._tags()}); give those, leave the tag out, or train a model on UPOS "
                    "tags (syntagma train --tag-column upos)"
                )
            case "labels" if vocabulary.unlabelled:
                advice = (
                    f" (arcs are kept): its arcs have no labels; leave the label{'s' * several} "
                    "out, or use a model with labelled arcs"
                )
            case "labels":
                advice = (
                    " (arcs are kept): give labels of its training data "
                    f"({_examples(vocabulary.labels)}), or leave the label out"
                )
            case _:
                others = " or UPOS tags" if vocabulary.upos else ""
                advice = (
                    f": it reads {column} tags ({self._tags()}){others}; give those, leave the tag "
                    "out, or train a model on a treebank with your tags"
                )
        return message + advice

    def _tags(self) -> str:
        """A few tags of the model, those of rare words first."""
        tags = self._vocabulary.tags
        frequent = [tags[number] for number in self._vocabulary.open_tags.get("", ())]
        return _examples([*dict.fromkeys((*frequent, *tags))])


def _examples(names: Sequence[str]) -> str:
    """A few of the names, words rather than punctuation."""
    chosen = [name for name in names if name.replace("=", "").isalpha()] or list(names)
    return ", ".join(map(brief, chosen[:_NAMED])) + (", …" if len(names) > _NAMED else "")
