"""A linearization: the words in order with the tree over them, and a check that they are valid.

It is drawn in `drawing`, written in `formats`, and an object of another package in `objects`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from syntagma.errors import name_word, name_words
from syntagma.problem.parse import (
    UNKNOWN,
    Annotation,
    ParseOrigin,
    check_tag_column,
    without_spacing,
)
from syntagma.problem.problem import Problem
from syntagma.problem.trees import find_cycle, is_projective, least_lifting
from syntagma.problem.word import ROOT_LABEL, TagColumn
from syntagma.results.objects import Exportable
from syntagma.results.spelling import NO_SPACE, Columns, Range, Row, Spelling

if TYPE_CHECKING:
    from syntagma.ccg.derivation import Derivation
    from syntagma.results.drawing.svg import Panel

_OWN_COMMENTS = ("text", "score", "unfinished", "narrowed", "projective")  # written anew


@dataclass(frozen=True, slots=True)
class Token:
    """A word in its place; `head` is a 1-based position in the output, 0 for the root.

    `source` is the 1-based index of the word in the problem.
    """

    form: str
    tag: str
    head: int
    deprel: str
    source: int

    @property
    def name(self) -> str:
        """The name that messages use."""
        return self.form


@dataclass(frozen=True, slots=True)
class Linearization(Exportable):
    """The words of a problem in order, with the tree over them; a higher score is better.

    `fluency` is the language model's part of the score, None without a language model; `judged` are
    the parts of further judges, by name; `parts` are all of them.

    `finished` is False if the search exhausted its budget: then these are pieces, each with a root
    of its own, and words may be left out.

    `narrowed` is True if a time limit made the beam search consider less than it would have: with
    more time it may find a better order. All words are there, and all that is given holds.

    `derivations` are CCG derivations, if the search used a CCG grammar: one, or one per piece.

    `model_tags` are the tags that the model goes by: the given ones that it knows, its own guess
    for all others.
    """

    tokens: tuple[Token, ...]
    score: float
    problem: Problem
    fluency: float | None = None
    judged: tuple[tuple[str, float], ...] = field(default=(), repr=False)
    finished: bool = True
    derivations: tuple[Derivation, ...] = ()
    narrowed: bool = False
    model_tags: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def syntax(self) -> float:
        """The scorer's part of the score."""
        return self.score - (self.fluency or 0.0) - sum(part for _, part in self.judged)

    @property
    def parts(self) -> dict[str, float]:
        """What each judge contributed to the score: `syntax`, `fluency` and further ones."""
        fluency = {} if self.fluency is None else {"fluency": self.fluency}
        return {"syntax": self.syntax, **fluency, **dict(self.judged)}

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The sentence, forms separated by spaces."""
        return " ".join(token.form for token in self.tokens)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(token.form for token in self.tokens)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(token.tag for token in self.tokens)

    @property
    def heads(self) -> tuple[int, ...]:
        return tuple(token.head for token in self.tokens)

    @property
    def deprels(self) -> tuple[str, ...]:
        return tuple(token.deprel for token in self.tokens)

    @property
    def projective(self) -> bool:
        """Whether the words of every subtree stand together, so that no two arcs cross."""
        return is_projective(self.heads)

    @property
    def order(self) -> tuple[int, ...]:
        """The 1-based indices of the problem's words in output order."""
        return tuple(token.source for token in self.tokens)

    @property
    def left_out(self) -> tuple[int, ...]:
        """The 1-based indices of the problem's words that are not in the output."""
        used = set(self.order)
        return tuple(index for index in range(1, len(self.problem.words) + 1) if index not in used)

    def _columns(self, tag_column: TagColumn, spelling: Spelling | None = None) -> Columns:
        """The sentence in the columns of CoNLL-U.

        What the source of the problem says of a word is kept, also a tag that was not given to the
        search. Other tags go into the column from which tags were read, or into `tag_column` if
        there is no such source. A spelling adds multiword tokens and `SpaceAfter=No`. Enhanced
        dependencies are left out: they refer to the old places of the words.
        """
        check_tag_column(tag_column)
        origin = self.problem.origin
        source = origin if isinstance(origin, ParseOrigin) else None
        spaces = spelling.spaces[:-1] if spelling else ()
        unspaced = {position for position, space in enumerate(spaces, start=1) if not space}
        contractions = spelling.contractions if spelling else ()
        text = spelling.text(self.words) if spelling else self.text
        ranges = {
            each.first: Range(
                each.first, each.last, each.text, NO_SPACE if each.last in unspaced else UNKNOWN
            )
            for each in contractions
        }
        for each in contractions:  # within one, only the multiword token may say `SpaceAfter=No`
            unspaced.difference_update(range(each.first, each.last + 1))
        column = source.tag_column if source else tag_column
        rows = [
            self._row(token, source, column, position not in unspaced)
            for position, token in enumerate(self.tokens, start=1)
        ]
        return Columns(rows, ranges, self._comments(source, text), text, spelling)

    def _row(self, token: Token, source: ParseOrigin | None, column: TagColumn, space: bool) -> Row:
        given = source.annotations[token.source - 1] if source else Annotation()
        word = self.problem.words[token.source - 1]
        tags = {"upos": given.upos, "xpos": given.xpos}
        if tags["upos"] == UNKNOWN and word.upos is not None:
            tags["upos"] = word.upos
        if tags[column] == UNKNOWN:
            tags[column] = token.tag
        misc = without_spacing(given.misc)
        if not space:
            misc = NO_SPACE if misc == UNKNOWN else f"{misc}|{NO_SPACE}"
        lemma, features = given.lemma, given.features
        if word.lemma is not None:
            lemma, features = word.lemma, word.features or UNKNOWN
        elif features == UNKNOWN and source is None:
            features = word.features or UNKNOWN
        return Row(
            token.form,
            lemma,
            **tags,
            features=features,
            head=token.head,
            deprel=token.deprel,
            misc=misc,
        )

    def _comments(self, source: ParseOrigin | None, text: str) -> list[str]:
        """The comments on the sentence: those of the source, with what is new of text and score."""
        new = {"text": text, "score": f"{self.score:.4f}"}
        if self.problem.id is not None:
            new = {"sent_id": self.problem.id, **new}
        if not self.finished:
            new["unfinished"] = f"{len(self.left_out)} words left out"
        if self.narrowed:
            new["narrowed"] = "yes"
        if not self.projective:
            new["projective"] = "no"
        kept = []
        for comment in source.comments if source else ():
            key = comment[1:].partition("=")[0].strip()
            if "=" in comment and key in _OWN_COMMENTS:
                comment = f"# {key} = {new.pop(key)}" if key in new else ""
            elif "=" in comment and key == "sent_id":
                new.pop(key, None)
            if comment:
                kept.append(comment)
        return kept + [f"# {key} = {value}" for key, value in new.items()]

    def _panel(self) -> Panel:
        """What a picture shows."""
        from syntagma.results.drawing.svg import Panel

        return Panel(
            self.words,
            self.tags,
            self.heads,
            self.deprels,
            self.text,
            self.score,
            self.derivations,
            note=self._note(),
            id=self.problem.id,
        )

    def _note(self) -> str:
        if self.finished:
            return "Narrowed by the time limit" if self.narrowed else ""
        words = name_words(self.problem.words, self.left_out)
        return f"Unfinished; left out: {words}" if words else "Unfinished"


def violations(linearization: Linearization) -> list[str]:
    """Everything that is invalid in a linearization, one line each; empty if it is valid.

    An unfinished linearization guarantees less: words may be missing, and any word may be a root,
    because its head may be in another piece or missing. All else holds for the words that it has.

    Given arcs may cross. The tree must be projective once they are lifted to ancestors that are
    given, too.
    """
    broken = _word_violations(linearization)
    if broken:  # the other checks look words up by their place
        return broken
    broken = _tree_violations(linearization)
    return broken + _arc_violations(linearization) + _order_violations(linearization)


def _word_violations(linearization: Linearization) -> list[str]:
    words = linearization.problem.words
    used = Counter(linearization.order)
    broken = [
        f"{name_word(words, index)} is used {used[index]} times"
        for index in range(1, len(words) + 1)
        if used[index] > 1 or (linearization.finished and not used[index])
    ]
    broken += [f"there is no word {index}" for index in used if not 1 <= index <= len(words)]
    if broken:
        return broken
    for token in linearization.tokens:
        word, name = words[token.source - 1], name_word(words, token.source)
        if token.form != word.form:
            broken.append(f"{name} has become {token.form!r}")
        if word.tag is not None and token.tag != word.tag:
            broken.append(f"{name} is tagged {token.tag}, not {word.tag} as given")
    return broken


def _tree_violations(linearization: Linearization) -> list[str]:
    heads = linearization.heads
    outside = [head for head in heads if not 0 <= head <= len(heads)]
    if outside:
        return [f"head {head} is out of range" for head in outside]
    roots = [position for position, head in enumerate(heads, start=1) if head == 0]
    if len(roots) != 1 and (linearization.finished or (heads and not roots)):
        return [f"the tree has {len(roots)} roots: {name_words(linearization.tokens, roots)}"]
    cycle = find_cycle(heads)
    if cycle:
        return [f"the heads form a cycle: {name_words(linearization.tokens, cycle, ' → ')}"]
    # Given arcs may cross others; those that the search chose itself may not.
    words = linearization.problem.words
    given = [words[token.source - 1].head is not None for token in linearization.tokens]
    return [] if least_lifting(heads, given) is not None else ["the tree is not projective"]


def _arc_violations(linearization: Linearization) -> list[str]:
    words = linearization.problem.words
    broken = []
    for token in linearization.tokens:
        word, name = words[token.source - 1], name_word(words, token.source)
        if token.head == 0 and not linearization.finished:
            continue  # not attached to anything yet: no arc, no label
        known = 1 <= token.head <= len(linearization.tokens)
        head = linearization.tokens[token.head - 1].source if known else token.head
        if word.head is not None and head != word.head:
            broken.append(f"{name} depends on word {head}, not on word {word.head} as given")
        if word.deprel is not None and token.deprel != word.deprel:
            broken.append(f"{name} is labelled {token.deprel}, not {word.deprel} as given")
        if word.head is None and word.deprel is not None:
            must_be_root = word.deprel == ROOT_LABEL
            if must_be_root != (token.head == 0):
                is_root = "is not the root" if must_be_root else "is the root"
                broken.append(f"{name} is given with the label {word.deprel}, but {is_root}")
    return broken


def _order_violations(linearization: Linearization) -> list[str]:
    problem = linearization.problem
    words = problem.words
    place = {source: position for position, source in enumerate(linearization.order, start=1)}
    broken = [
        name_words(words, (a, b), " does not stand before ")
        for a, b in problem.before
        if a in place and b in place and place[a] > place[b]
    ]
    if problem.first in place and place[problem.first] != 1:
        broken.append(f"{name_word(words, problem.first)} does not stand first")
    if problem.last in place and place[problem.last] != len(place):
        broken.append(f"{name_word(words, problem.last)} does not stand last")
    return broken
