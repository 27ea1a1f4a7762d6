"""Penn-style trees: layouts, labels, traces, base noun phrases, and faults by line."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from toys.penn import TRACE, parse, random_tree, spread

from syntagma.errors import FormatError
from syntagma.formats.penn import Node, PennTree, read_penn, without_traces
from syntagma.problem.limits import MAX_CHARACTERS, MAX_WORDS


def show(node: Node | None) -> str:
    """A tree in brackets again, by categories."""
    if node is None:
        return ""
    if node.word is not None:
        return f"({node.category} {node.word})"
    return f"({' '.join([node.category, *map(show, node.children)])})"


@pytest.mark.parametrize("seed", range(30))
def test_the_layout_does_not_matter(seed: int) -> None:
    rng = Random(seed)
    trees = [random_tree(rng) for _ in range(5)]
    plain = [show(parse(tree)) for tree in trees]
    text = "\n\n".join(spread(rng, tree) for tree in trees)
    read = list(read_penn(text.splitlines(), "toy"))
    assert [show(tree.root) for tree in read if isinstance(tree, PennTree)] == plain
    lines = text.splitlines()
    for tree in read:
        assert isinstance(tree, PennTree)
        assert lines[tree.line - 1].lstrip().startswith("(")


def test_all_kinds_of_outer_brackets() -> None:
    inner = "(S (NP (NN rain)) (VP (VBD fell)))"
    expected = show(parse(inner))
    assert show(parse(f"( {inner} )")) == show(parse(f"({inner})")) == expected
    assert show(parse(f"(TOP {inner})")) == f"(TOP {expected})"
    assert show(parse(f"( {inner} (. .))")) == f"( {expected} (. .))"
    assert show(parse("(NN rain)")) == "(NN rain)"


def test_two_trees_in_one_line_and_none() -> None:
    read = list(read_penn(["*x*x*x* (C) a notice", "(NN rain) (NN snow)", "", "  "], "toy"))
    assert [show(tree.root) for tree in read if isinstance(tree, PennTree)] == [
        "(NN rain)",
        "(NN snow)",
    ]
    assert list(read_penn([], "toy")) == []


@pytest.mark.parametrize(
    ("label", "category", "functions"),
    [
        ("NP-SBJ-1", "NP", {"SBJ"}),
        ("NP=2", "NP", set()),
        ("S-NOM-SBJ=12", "S", {"NOM", "SBJ"}),
        ("PRT|ADVP", "PRT|ADVP", set()),
        ("ADVP|PRT-CLR", "ADVP|PRT", {"CLR"}),
        ("-X-", "-X-", set()),
    ],
)
def test_function_tags_and_indices(label: str, category: str, functions: set[str]) -> None:
    node = parse(f"({label} (NN rain))")
    assert (node.category, set(node.functions)) == (category, functions)


@pytest.mark.parametrize("tag", ["PRP$", "-LRB-", "WP$", "JJ|NN", "``", "$", "NN-X"])
def test_tags_stay_whole(tag: str) -> None:
    assert parse(f"({tag} x)").category == tag


def test_words_stay_as_they_are() -> None:
    forms = ["-LRB-", "1\\/2", "*", "\u2020\u200axp", "''", "a_b"]
    tree = parse(f"(NP {' '.join(f'(NN {form})' for form in forms)})")
    assert [word.word for word in tree.words] == forms


def test_traces_and_what_they_leave_empty() -> None:
    tree = parse(
        "(S (SBAR (WHNP-1 (-NONE- 0)) (S (NP-SBJ (-NONE- *T*-1)) (VP (VBD fell)))) "
        "(NP (-NONE- *)) (PP (IN on) (NP (-NONE- *ICH*-2))))"
    )
    assert show(without_traces(tree)) == "(S (SBAR (S (VP (VBD fell)))) (PP (IN on)))"
    assert without_traces(parse("(S (NP (-NONE- *)) (VP (-NONE- *?*)))")) is None


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("(S (NP-SBJ (PRP it)) (VP (VBD fell)))", "(S (NP it) (VP (VBD fell)))"),
        ("(NP (NP (DT a) (NN map)) (PP (IN of) (NP (NNP Rome))))",
         "(NP (NP a map) (PP (IN of) (NP Rome)))"),
        ("(NP (NP (NN Ann) (POS 's)) (JJ red) (NN hat))", "(NP (NP Ann 's) (JJ red) (NN hat))"),
        ("(NP (DT a) (`` ``) (JJ red) ('' '') (NN hat))", "(NP a `` red '' hat)"),
        ("(NP (DT the) (NML (NN rain) (NN coat)) (ADJP (JJ wet)))", "(NP the rain coat wet)"),
        ("(WHNP (WDT which) (NN hat))", "(WHNP (WDT which) (NN hat))"),
        ("(NP (QP ($ $) (CD 5)) (-NONE- *U*))", "(NP $ 5)"),
        ("(NP (NN plan) (S (NP-SBJ (-NONE- *)) (VP (TO to) (VP (VB go)))))",
         "(NP (NN plan) (S (VP (TO to) (VP (VB go)))))"),
        ("(VP (VB go) (NP (-NONE- *)))", "(VP (VB go))"),
    ],
)  # fmt: skip
def test_base_noun_phrases(tree: str, expected: str) -> None:
    assert show(without_traces(parse(tree), base_noun_phrases=True)) == expected


def by_definition(node: Node) -> str:
    """A tree without traces, with base noun phrases as units, as `show` shows it."""
    words = [word.word or "" for word in node.words if word.category != TRACE]
    if node.word is not None or not words:
        return show(node) if words else ""
    if [each.category for each in node.bottom_up()].count("NP") == 1 and node.category == "NP":
        return f"(NP {' '.join(words)})"
    return f"({' '.join([node.category, *filter(None, map(by_definition, node.children))])})"


@pytest.mark.parametrize("seed", range(30))
def test_base_noun_phrases_by_definition(seed: int) -> None:
    tree = parse(random_tree(Random(seed)))
    plain = without_traces(tree)
    joined = without_traces(tree, base_noun_phrases=True)
    if plain is None or joined is None:
        assert plain is joined is None
        assert all(word.category == TRACE for word in tree.words)
        return
    assert all(word.category != TRACE for word in plain.words)
    spelled = [word.word or "" for word in joined.words]
    assert " ".join(spelled).split(" ") == [word.word for word in plain.words]
    assert show(joined) == by_definition(tree)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("(S (NN a))\n(S (NN b)))", 2, "a closing bracket without an opening one"),
        ("\n(S (NP (NN a))\n  (VP (VBD b))\n", 2, "the tree that begins here is not closed"),
        ("(S (NN a)\n(S (NN b))\n(S (NN c))", 1, "missing before line 2, where the next one"),
        ("(S\n (NP (DT the)\n dog))", 2, "the word 'dog' has no tag: write (TAG word)"),
        ("(S dog barks)", 1, "2 words in the brackets of 'S'"),
        ("(S (NP) (VP (VB go)))", 1, "'NP' alone in its brackets"),
        ("(S\n\n () (NN a))", 3, "brackets without content"),
        ("( )", 1, "an empty tree"),
        ("(S ((NN a)))", 1, "brackets without a label inside a tree"),
        ("(S (NN a))\nand text (NN b)", 2, "text outside brackets: 'and'"),
        ("(S (N\u00a0N a))", 1, "a label with white space"),
        ("(S (NN \u00a0))", 1, "a word of white space alone"),
        (f"(S\n{'(NN a)' * (MAX_WORDS + 1)})", 1, "more words than the limit of 10000"),
        (f"(S (NN {'a' * (MAX_CHARACTERS + 1)}))", 1, "more than 10000 characters, the limit"),
    ],
)  # fmt: skip
def test_faults_are_named_by_line(text: str, line: int, message: str) -> None:
    faults = [
        each for each in read_penn(text.split("\n"), "a.mrg") if isinstance(each, FormatError)
    ]
    assert len(faults) == 1
    assert str(faults[0]).startswith(f"a.mrg:{line}: ")
    assert message in faults[0].message


def test_a_fault_costs_one_tree_only() -> None:
    read = list(read_penn(["(S (NN a))", "(S b c)", "(S (NN d) (X))", "(S (NN e))"], "toy"))
    assert [type(each) for each in read] == [PennTree, FormatError, FormatError, PennTree]


def test_lines_that_cannot_be_decoded_are_passed_on() -> None:
    bad = FormatError("not UTF-8", "toy", 1)
    assert list(read_penn([bad], "toy")) == [bad]


def test_a_missing_bracket_does_not_swallow_the_whole_file() -> None:
    def endless() -> Iterator[str]:
        yield "(S (NN a)"
        while True:
            yield "(S (NN b))"

    with pytest.raises(FormatError, match=r"toy:1: .*has more than 10000 words"):
        list(read_penn(endless(), "toy"))
    deep = ["(S " * 10] * MAX_WORDS
    with pytest.raises(FormatError, match=r"toy:1: .*closing bracket is missing"):
        list(read_penn(deep, "toy"))


def test_deep_trees_do_not_exhaust_the_stack() -> None:
    tree = parse("(S " * 5000 + "(NN a)" + ")" * 5000)
    kept = without_traces(tree)
    assert kept is not None
    assert [word.word for word in kept.words] == ["a"]
