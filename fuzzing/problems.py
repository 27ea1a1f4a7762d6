"""The target `problems`: random problems, sound and unsound, ordered by models of every kind.

Every promise of the search is checked by code that shares nothing with the package: every word
once, every constraint met, a projective tree, and the same result however the problem is put.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from itertools import combinations, pairwise, permutations
from pathlib import Path
from random import Random
from typing import Any

from fuzzing import toys
from fuzzing.refusals import refusal
from fuzzing.toys import Toy
from syntagma import Linearization, Linearizer, Problem, Word, difference, load
from syntagma.errors import SyntagmaError, UnsatisfiableError
from syntagma.models.container import write_container
from syntagma.results.linearization import violations

KINDS = ("en", "neural", "linear", "best-first", "ccg")
MOST_FOR_BRUTE_FORCE = 5
EXPANSIONS = 120
ODD_TEXTS = (
    "", " ", "a b", "a  b", " a", "a\tb", "a\nb", "\x00", "\u2028", "\ud800", "é", "e\u0301", "ß",
    "İ", "日本", "\U0001f600", "_", "-", "\\", '"', "()", "-LRB-", "<s>", "</s>", "<unk>", "root",
    "x" * 500, "1", "\uff11", "\u0663", "\ufeff", "\xa0", "a\u200bb",
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2,
    99,
    2**31,
    2**63,
    10**30,
    1.0,
    1.5,
    float("nan"),
    "1",
    [],
    {},
)
FORMS = (*toys.FORMS, "dog", "barks", "in", "Paris", ",", "and", "?", "very", "'s", "to")
TAGS = (*toys.TAGS, "PRP", "VB", "NOUN", "_")
LABELS = (*toys.LABELS, "amod", "nmod:poss", "root")


class Problems:
    """Problems for the shipped model and for toys of the other kinds."""

    def case(self, rng: Random) -> bytes:
        kind = rng.choice(KINDS)
        sound = rng.random() < 0.7
        problem = _sound(rng, arcs=kind != "ccg") if sound else _unsound(rng)
        budget = (
            {"expansions": rng.randint(1, EXPANSIONS)}
            if kind in ("best-first", "ccg")
            else {"beam": rng.choice((1, 2, 4, 16))}
        )
        n_best = rng.choice((1, 2, 5, 20))
        case = {"kind": kind, "sound": sound, "problem": problem, "budget": budget}
        return json.dumps({**case, "n_best": n_best, "seed": rng.randrange(1000)}).encode()

    def run(self, data: bytes) -> None:
        case = json.loads(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if case["sound"]:
                check(case, problem_of(case["problem"]))
            else:
                with refusal():
                    check(case, problem_of(case["problem"]))


def check(case: dict[str, Any], problem: Problem) -> None:
    """Order a problem in several ways and hold the results against what is promised."""
    model = model_of_kind(case["kind"])
    options = case["budget"]
    small = len(problem.words) <= MOST_FOR_BRUTE_FORCE
    [best] = model.order_many([problem], on_error="yield", **options)
    if isinstance(best, UnsatisfiableError):
        if not best.limit_reached:
            assert not small or not satisfiable(problem), f"can be satisfied: {best}"
            assert not case["sound"], f"sound, but refused: {best}"
        return
    if isinstance(best, SyntagmaError):
        raise best
    assert isinstance(best, Linearization)
    assert _seen(model.order(problem, **options)) == _seen(best), "depends on the batch"
    assert not small or not best.finished or satisfiable(problem), "cannot be satisfied"
    ranked = model.order(problem, n_best=case["n_best"], **options)
    assert _seen(ranked[0]) == _seen(best), "n-best begins with another result"
    assert len({each.words for each in ranked}) == len(ranked), "n-best repeats an order"
    assert all(a.score >= b.score for a, b in pairwise(ranked)), "n-best is not sorted"
    for each in ranked:
        hold(problem, each, tree=case["kind"] != "ccg")
        assert not each.finished or not violations(each), violations(each)
    if case["kind"] not in ("best-first", "ccg"):
        check_alternatives(case, problem, best)
    listed = Random(case["seed"]).sample(range(len(problem.words)), len(problem.words))
    other = model.order(relisted(problem, listed), **options)
    assert (other.words, other.score) == (best.words, best.score), "depends on the listing"
    both = list(model.order_many([problem, problem], threads=2, **options))
    assert [_seen(each) for each in both] == [_seen(best)] * 2, "depends on the batch"
    if case["kind"] not in ("best-first", "ccg"):
        check_acceptance(model, problem, best, [each + 1 for each in listed], options)


def check_acceptance(
    model: Linearizer,
    problem: Problem,
    best: Linearization,
    order: list[int],
    options: dict[str, Any],
) -> None:
    """Judge the best order and another one."""
    same = model.accept(problem, best.words, margin=0, **options)
    assert same.verdict == "same", "the best order is not the best"
    [found] = model.accept_many([(problem, order)], margin=0.5, on_error="yield", **options)
    if isinstance(found, UnsatisfiableError) and found.limit_reached:
        return
    if isinstance(found, SyntagmaError):
        raise found
    assert found.accepted == (found.verdict == "same" or found.loss <= found.allowed)
    assert found.accepted <= (found.share == 1)
    if found.accepted:
        return
    assert found.hint is not None
    assert found.position is not None
    before = found.position - 1
    hold(problem, found.hint, tree=True)
    assert found.hint.words[:before] == found.words[:before], "the hint begins otherwise"
    assert found.best.score - found.hint.score <= found.allowed, "the hint is not acceptable"
    assert (found.given is None) == bool(found.broken), "no reason"
    if found.costs and found.given is not None:
        assert abs(sum(found.costs) - found.loss) < 1e-6, "costs do not add up"


def check_alternatives(case: dict[str, Any], problem: Problem, best: Linearization) -> None:
    """Hold alternatives that differ against what is promised of them."""
    model, options = model_of_kind(case["kind"]), case["budget"]
    found = model.order(problem, n_best=case["n_best"], diverse=True, **options)
    assert _seen(found[0]) == _seen(best), "the first alternative is not the best order"
    assert len(found) <= case["n_best"], "more alternatives than asked for"
    for each in found:
        hold(problem, each, tree=True)
    for one, other in combinations(found, 2):
        assert difference(one, other) == difference(other, one), "difference is not symmetric"
        assert 0 < difference(one, other) <= 1.0, "an alternative repeats another"


def hold(problem: Problem, found: Linearization, *, tree: bool) -> None:
    """Assert that a result uses every word once and meets every constraint."""
    order, heads = found.order, found.heads
    if found.finished:
        assert sorted(order) == list(range(1, len(problem.words) + 1)), "words lost or repeated"
    else:
        assert len(set(order)) == len(order), "words repeated"
        return
    place = {word: position for position, word in enumerate(order, start=1)}
    for position, index in enumerate(order, start=1):
        word, token = problem.words[index - 1], position - 1
        assert found.words[token] == word.form, "another form"
        assert word.tag in (None, found.tags[token]), f"another tag of {word}"
        if tree:
            given = place[word.head] if word.head else word.head
            assert given in (None, heads[token]), f"another head of {word}"
            assert word.deprel in (None, found.deprels[token]), f"another label of {word}"
    for a, b in problem.before:
        assert place[a] < place[b], "an order constraint is broken"
    assert problem.first in (None, order[0]), "another word comes first"
    assert problem.last in (None, order[-1]), "another word comes last"
    if tree:
        assert is_tree(heads), f"not a tree: {heads}"
        assert found.projective == (not has_crossing_arcs(heads)), f"called projective: {heads}"
        given = any(word.head for word in problem.words)
        assert found.projective or given, f"crossing arcs, none of them given: {heads}"


def is_projective_tree(heads: tuple[int, ...]) -> bool:
    return is_tree(heads) and not has_crossing_arcs(heads)


def has_crossing_arcs(heads: tuple[int, ...]) -> bool:
    arcs = [tuple(sorted(arc)) for arc in enumerate(heads, start=1)]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


def is_tree(heads: tuple[int, ...]) -> bool:
    """Whether heads by position (0: the root) are a tree with one root."""
    if heads.count(0) != 1:
        return False
    for start in range(1, len(heads) + 1):
        at, steps = start, 0
        while at:
            at, steps = heads[at - 1], steps + 1
            if steps > len(heads):
                return False
    return True


def satisfiable(problem: Problem) -> bool:
    """Whether any order and any projective tree meet all constraints, by trying all of them."""
    n = len(problem.words)
    roots = [index for index, may in enumerate(problem.may_be_root, start=1) if may]
    for order in permutations(range(1, n + 1)):
        place = {word: position for position, word in enumerate(order, start=1)}
        if problem.first not in (None, order[0]) or problem.last not in (None, order[-1]):
            continue
        if any(place[a] > place[b] for a, b in problem.before):
            continue
        for heads in _projective_trees(n):
            if order[heads.index(0)] in roots and all(
                word.head is None or heads[place[index] - 1] == (word.head and place[word.head])
                for index, word in enumerate(problem.words, start=1)
            ):
                return True
    return False


def relisted(problem: Problem, listed: list[int]) -> Problem:
    """The same problem with its words listed in another order (0-based indices)."""
    new = {old + 1: place for place, old in enumerate(listed, start=1)}
    new[0] = 0
    words = [
        Word(word.form, word.tag, None if word.head is None else new[word.head], word.deprel)
        for word in (problem.words[old] for old in listed)
    ]
    return Problem.of(
        words,
        before=[(new[a], new[b]) for a, b in problem.before],
        first=None if problem.first is None else new[problem.first],
        last=None if problem.last is None else new[problem.last],
    )


@cache
def _projective_trees(n: int) -> tuple[tuple[int, ...], ...]:
    def grown(heads: tuple[int, ...]) -> list[tuple[int, ...]]:
        if len(heads) == n:
            return [heads] if is_projective_tree(heads) else []
        return [tree for head in range(n + 1) for tree in grown((*heads, head))]

    return tuple(grown(()))


@cache
def model_of_kind(kind: str) -> Linearizer:
    """The shipped model, or a toy of another kind."""
    if kind == "en":
        return load("en")
    makers: dict[str, Callable[[], Toy]] = {
        "neural": toys.neural,
        "linear": lambda: toys.linear("p16+"),
        "best-first": lambda: toys.best_first("dependency"),
        "ccg": lambda: toys.best_first("ccg"),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "toy.model")
        write_container(path, *makers[kind]())
        return load(path, search="beam" if kind in ("neural", "linear") else "best-first")


def _seen(found: Any) -> tuple[object, ...]:
    return (found.words, found.tags, found.heads, found.deprels, found.score)


def problem_of(case: dict[str, Any]) -> Problem:
    """The problem that a case describes."""
    words = [Word(*fields) for fields in case["words"]]
    before = [tuple(each) if isinstance(each, list) else each for each in case["before"]]
    return Problem.of(words, before=before, first=case["first"], last=case["last"])


def _sound(rng: Random, *, arcs: bool) -> dict[str, Any]:
    """Part of what a random tree, read in one of its projective orders, says."""
    n = rng.choice((1, 2, 3, 4, 5, rng.randint(6, 12), rng.randint(2, 30)))
    heads = [0] * n
    listed = rng.sample(range(1, n + 1), n)
    for i in range(1, n):
        heads[listed[i] - 1] = listed[rng.randrange(max(0, i - rng.choice((1, 3, n))), i)]
    order = projective_order(rng, heads, heads.index(0) + 1)
    tagged, labelled, attached = (rng.choice((0.0, 0.0, 0.5, 1.0)) for _ in range(3))
    few = rng.sample(FORMS, rng.choice((2, 8, len(FORMS))))
    words = [
        (
            rng.choice(few),
            rng.choice(TAGS) if rng.random() < tagged else None,
            head if arcs and rng.random() < attached else None,
            (rng.choice(LABELS[:-1]) if head else "root")
            if arcs and rng.random() < labelled
            else None,
        )
        for head in heads
    ]
    pairs = [
        sorted(rng.sample(range(n), 2)) for _ in range(rng.choice((0, 0, 1, 4)) if n > 1 else 0)
    ]
    return {
        "words": words,
        "before": sorted({(order[a], order[b]) for a, b in pairs}),
        "first": order[0] if rng.random() < 0.15 else None,
        "last": order[-1] if rng.random() < 0.15 else None,
    }


def projective_order(rng: Random, heads: list[int], top: int) -> list[int]:
    """The words below `top`, itself included, in a random order without crossing arcs."""
    parts = [
        projective_order(rng, heads, word) for word, head in enumerate(heads, 1) if head == top
    ]
    parts.append([top])
    rng.shuffle(parts)
    return [word for part in parts for word in part]


def _unsound(rng: Random) -> dict[str, Any]:
    """Anything: cycles, contradictions, values of wrong types, odd texts."""
    n = rng.choice((0, 1, 2, 3, 4, 5, 8, 20))
    odd = rng.choice((0.0, 0.0, 0.05, 0.5))

    def text(usual: tuple[str, ...]) -> Any:
        if rng.random() < odd:
            return rng.choice(rng.choice((ODD_TEXTS, ODD_VALUES)))
        return rng.choice(usual)

    def index() -> Any:
        return rng.choice(ODD_VALUES) if rng.random() < odd else rng.randint(0, n)

    def maybe(value: Any, rate: float = 0.3) -> Any:
        return value if rng.random() < rate else None

    words = [
        (text(FORMS), maybe(text(TAGS)), maybe(index()), maybe(text(LABELS))) for _ in range(n)
    ]
    before: list[Any] = [(index(), index()) for _ in range(rng.choice((0, 1, 3, 10)))]
    if rng.random() < odd:
        before.append(rng.choice(ODD_VALUES))
    return {
        "words": words,
        "before": before,
        "first": maybe(index(), 0.2),
        "last": maybe(index(), 0.2),
    }
