r"""CCG categories as strings: their parts, how two of them combine, and which one is the head.

A category is an atom (`S`, `NP`, `conj`, `,`) or a functor: result, slash, argument, as in
`(S\NP)/NP`. The slash says where the argument is: `/` right, `\` left, `|` on either side. Strings
that are not well formed count as atoms: automatically derived grammars have a few of them. Trees
over categories are in `derivation`.

An atom may carry a feature: `S[dcl]`, `NP[nb]`. Atoms unify if their features are equal or one of
them has none. An S without a feature is a variable, the same throughout a functor: the result takes
the feature that the argument brings: S/S  S[dcl] -> S[dcl]. At the end of a category, `[conj]` says
that the whole of it is the second part of a coordination.

Where the head is not annotated reliably, it is derived from the categories. The first rule of this
table that applies decides; `combine` is the table in code:

    pair                                            mark      head
    punctuation and anything else                   lp rp     not the punctuation
    conjunction and anything else                   conj      not the conjunction
    X  X -> X            also X  X[conj] -> X       <Φ>       left: the first conjunct, as in UD
    X/Y  Y -> X          application                > <       the functor, but
        X/X  X -> X          of a modifier                    the argument
        NP/N  N -> NP        of a determiner                  the argument
        X/(X\Y)  X\Y -> X    type-raised                      the argument, unless X is Y
    X/Y  Y|Z -> X|Z      composition, also crossed  >B >Bx …  as for application
    as above, ignoring the slashes and the result             as above
    one child equals the result                     lex       that child
    anything else                                   ?         left

Punctuation next to a conjunction is not the head either. So a verb heads its arguments, modifiers
and auxiliaries, and a noun its determiners. But a preposition or a complementizer heads its phrase,
unlike in UD: the features of ZC15 look at the word that the category comes from. On the derivations
of EWT's training set, 63% of the heads agree with UD. It would be 83% if words that turn phrases
into modifiers (adpositions, complementizers, genitives) were not heads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from syntagma.caches import cached_texts

LEFT, RIGHT = 0, 1

CONJUNCTION = "conj"
CONJOINED = "[conj]"  # at the end of a category
BRACKETS_AND_QUOTES = frozenset({"LRB", "RRB", "LQU", "RQU"})  # categories of CCGbank
DETERMINER = "NP/N"

_SLASHES = "/\\|"
# Conjoining punctuation leaves a trace at the slash: NP\.,NP is a modifier like NP\NP.
_ANY_SLASH = re.compile(r"[/\\|](?:\.,)?")
_FEATURE = re.compile(r"\[(\w+)\]")
_PLAIN_S = re.compile(r"(?<!\w)S(?![\w\[])")
_MAX_ORDER = 4  # of generalised composition


class Functor(NamedTuple):
    """The parts of a functor category, without their outer parentheses."""

    result: str
    slash: str
    argument: str


class Combination(NamedTuple):
    """How two categories combine: the usual mark of the rule, and the side of the head."""

    mark: str
    head: int


@cached_texts(1 << 16)
def split_category(category: str) -> Functor | None:
    """The parts of a functor; None for an atom, or if the category is not well formed."""
    depth = 0
    at = -1
    for i, character in enumerate(category):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                return None
        elif depth == 0 and character in _SLASHES:
            at = i  # the last one: S\NP/NP is (S\NP)/NP
    if depth or at < 0:
        return None
    result, argument = category[:at], category[at + 1 :].removeprefix(".,")
    if not (_is_part(result) and _is_part(argument)):
        return None
    return Functor(_bare(result), category[at], _bare(argument))


def _is_part(text: str) -> bool:
    """Whether this may be the result or the argument of a functor."""
    return bool(text) and ")(" not in text and "()" not in text


def _bare(category: str) -> str:
    """A category without its outer parentheses."""
    while category.startswith("(") and category.endswith(")"):
        depth = 0
        for character in category[:-1]:
            depth += (character == "(") - (character == ")")
            if depth == 0:
                return category
        category = category[1:-1]
    return category


def arguments(category: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The target, and the arguments with their slashes, outermost first.

    >>> arguments("((S\\\\NP)/PP)/NP")
    ('S', (('/', 'NP'), ('/', 'PP'), ('\\\\', 'NP')))
    """
    found = []
    while (functor := split_category(category)) is not None:
        found.append((functor.slash, functor.argument))
        category = functor.result
    return category, tuple(found)


def is_punctuation_category(category: str) -> bool:
    """Whether this is an atomic category of punctuation, such as `,`; modifiers are not."""
    return category in BRACKETS_AND_QUOTES or not any(map(str.isalnum, category))


def is_conjunction(category: str) -> bool:
    """Whether this is `conj`, or X\\X/X that has lost its slashes: `NPNP`, `S\\NP)(S\\NP`."""
    if category == CONJUNCTION:
        return True
    if len(category) < 4 or split_category(category) is not None:  # PP is an atom like NP
        return False
    half = len(category) // 2
    if category[half - 1 : half + 1] == ")(":
        return category[: half - 1] == category[half + 1 :]
    return category[:half] == category[half:]


def is_modifier(category: str) -> bool:
    """Whether a category is X/X or X\\X, ignoring the slashes within X."""
    functor = split_category(category)
    return functor is not None and _same(functor.result, functor.argument)


def is_type_raised(category: str) -> bool:
    """Whether a category is X/(X|Y) or X\\(X/Y), ignoring the slashes within X.

    S\\(S\\NP) is not: it is a verb whose subject is a verb phrase.
    """
    functor = split_category(category)
    inner = functor and split_category(functor.argument)
    if not functor or not inner or functor.slash == inner.slash == "\\":
        return False
    return _same(functor.result, inner.result)


@cached_texts(1 << 16)
def combine(left: str, right: str, result: str) -> Combination:
    """The rule by which two categories combine to a third; see the table above."""
    opening = is_punctuation_category(left)
    if opening and _is_conjoined(right, result):
        return Combination("conj", RIGHT)
    if opening != is_punctuation_category(right):
        return Combination("lp", RIGHT) if opening else Combination("rp", LEFT)
    if is_conjunction(left) and not is_conjunction(right):
        modifies = is_modifier(right) and _same(left, result)  # conj  conj\conj -> conj
        return Combination("<", LEFT) if modifies else Combination("conj", RIGHT)
    if is_conjunction(right) and not is_conjunction(left):
        return Combination("conj", LEFT)
    if _same(left, right) and _same(right, result):
        return Combination("<Φ>", LEFT)
    conjunct = right.removesuffix(CONJOINED)
    if all(unify(*pair, exact=True) for pair in combinations((left, conjunct, result), 2)):
        return Combination("<Φ>", LEFT)
    for exact in (True, False):
        found = _apply(left, right, result, exact) or _compose(left, right, result, exact)
        if found is not None:
            return found
    if found := _apply(left, right, None, False):
        return found
    if unify(left, result):
        return Combination("lex", LEFT)
    return Combination("lex", RIGHT) if unify(right, result) else Combination("?", LEFT)


def raising_mark(child: str, result: str) -> str:
    """The mark of a unary rule: `>T` or `<T` for type-raising, `lex` for type-changing."""
    functor = split_category(result)
    inner = functor and split_category(functor.argument)
    if functor and inner and is_type_raised(result) and unify(inner.argument, child):
        return ">T" if functor.slash == "/" else "<T"
    return "lex"


def _functors(left: str, right: str, exact: bool) -> Iterator[tuple[int, str, Functor, str]]:
    """Side, functor, its parts, other category: for each side that may be the functor."""
    for side, functor, other, slashes in ((LEFT, left, right, "/|"), (RIGHT, right, left, "\\|")):
        parts = split_category(functor)
        if parts is not None and (not exact or parts.slash in slashes):
            yield side, functor, parts, other


def _apply(left: str, right: str, result: str | None, exact: bool) -> Combination | None:
    for side, functor, parts, argument in _functors(left, right, exact):
        if _yields(parts, argument, result, exact):
            return Combination("><"[side], _head(side, functor, parts))
    return None


def _compose(left: str, right: str, result: str, exact: bool) -> Combination | None:
    """Composition of any order: X/Y  (Y|Z1)|Z2 -> (X|Z1)|Z2, and its mirror image."""
    for side, primary, parts, secondary in _functors(left, right, exact):
        inner, outer = split_category(secondary), split_category(result)
        for order in range(1, _MAX_ORDER + 1):
            if inner is None or outer is None:
                break
            if not unify(inner.argument, outer.argument, exact=exact):
                break
            if exact and inner.slash != outer.slash:
                break
            if _yields(parts, inner.result, outer.result, exact):
                crossed = "x" if inner.slash != parts.slash else ""
                number = str(order) if order > 1 else ""
                mark = f"{'><'[side]}B{number}{crossed}"
                return Combination(mark, _head(side, primary, parts))
            inner, outer = split_category(inner.result), split_category(outer.result)
    return None


def _head(side: int, functor: str, parts: Functor) -> int:
    """The side of the head, if the functor on `side` takes the other category as its argument."""
    argument_is_head = (
        is_modifier(functor)
        or _analysed(functor, True)[0] == DETERMINER
        or (is_type_raised(functor) and not is_modifier(parts.argument))
    )
    return 1 - side if argument_is_head else side


def _yields(parts: Functor, argument: str, result: str | None, exact: bool) -> bool:
    """Whether a functor takes this argument and yields this result, whichever it is if None."""
    if not unify(parts.argument, argument, exact=exact):
        return False
    if result is None:
        return True
    return unify(_instantiated(parts.result, parts.argument, argument), result, exact=exact)


def unify(one: str, other: str, *, exact: bool = False) -> bool:
    """Whether two categories are equal but for features that only one of them has.

    Unless `exact`, the directions of slashes are ignored.

    >>> unify("S\\\\NP", "S[dcl]\\\\NP"), unify("S[b]\\\\NP", "S[dcl]\\\\NP")
    (True, False)
    """
    if one == other:
        return True
    first, features = _analysed(one, exact)
    second, others = _analysed(other, exact)
    if first != second:
        return False
    return all(others.get(at, feature) == feature for at, feature in features.items())


def _instantiated(result: str, pattern: str, argument: str) -> str:
    """The result of a functor whose argument is `pattern`, applied to `argument`."""
    skeleton, features = _analysed(pattern, False)
    for at, feature in _analysed(argument, False)[1].items():
        if at not in features and _PLAIN_S.fullmatch(skeleton, at - 1, at):
            return _PLAIN_S.sub(f"S[{feature}]", result)
    return result


@cached_texts(1 << 16)
def _analysed(category: str, directed: bool) -> tuple[str, dict[int, str]]:
    """A category without features, and the features by their places in it."""
    rest = category if directed else _without_directions(category)
    skeleton, features = "", {}
    while match := _FEATURE.search(rest):
        skeleton += rest[: match.start()]
        features[len(skeleton)] = match[1]
        rest = rest[match.end() :]
    return skeleton + rest, features


def _is_conjoined(right: str, result: str) -> bool:
    return result.endswith(CONJOINED) and unify(right, result.removesuffix(CONJOINED))


@cached_texts(1 << 16)
def _without_directions(category: str) -> str:
    return _ANY_SLASH.sub("|", category)


def _same(one: str, other: str) -> bool:
    """Whether two categories are equal up to the directions of their slashes."""
    return one == other or _without_directions(one) == _without_directions(other)
