"""Drawn trees: pictures to look at, and laws of their lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from toys.strategies import trees

from syntagma.problem.problem import Problem
from syntagma.problem.trees import lift
from syntagma.results.drawing.tree_text import draw_tree
from syntagma.results.linearization import Linearization, Token


def tree(text: str) -> Linearization:
    """A tree from lines of form, tag, head and label."""
    rows = [line.split(" ") for line in text.strip().split("\n")]
    tokens = tuple(
        Token(form, tag, int(head), deprel, source)
        for source, (form, tag, head, deprel) in enumerate(rows, start=1)
    )
    return Linearization(tokens, 0.0, Problem.of([token.form for token in tokens]))


GARDENER = tree("""
In IN 3 case
the DT 3 det
morning NN 8 obl
, , 3 punct
the DT 7 det
old JJ 7 amod
gardener NN 8 nsubj
told VBD 0 root
her PRP$ 10 nmod:poss
neighbours NNS 8 iobj
that IN 16 mark
the DT 14 det
apple NN 14 compound
trees NNS 16 nsubj
would MD 16 aux
bloom VB 8 ccomp
before IN 18 case
Easter NNP 16 obl
. . 8 punct
""")


def test_a_sentence() -> None:
    assert (
        draw_tree(GARDENER)
        == """\
        ╭───► In          IN    case
        │ ╭─► the         DT    det
    ╭───┴─┼─► morning     NN    obl
    │     ╰─► ,           ,     punct
    │   ╭───► the         DT    det
    │   │ ╭─► old         JJ    amod
    │ ╭─┴─┴─► gardener    NN    nsubj
╭─┬─┴─┴─┬───● told        VBD   root
│ │     │ ╭─► her         PRP$  nmod:poss
│ │     ╰─┴─► neighbours  NNS   iobj
│ │ ╭───────► that        IN    mark
│ │ │   ╭───► the         DT    det
│ │ │   │ ╭─► apple       NN    compound
│ │ │ ╭─┴─┴─► trees       NNS   nsubj
│ │ │ │   ╭─► would       MD    aux
│ ╰─┴─┴─┬─┴─► bloom       VB    ccomp
│       │ ╭─► before      IN    case
│       ╰─┴─► Easter      NNP   obl
╰───────────► .           .     punct"""
    )


def test_a_narrow_terminal_moves_the_arcs_together() -> None:
    result = tree("the DT 2 det\ndog NN 3 nsubj\nbarks VBZ 0 root\nnow RB 3 advmod")
    wide = """\
  ╭─► the    DT   det
╭─┴─► dog    NN   nsubj
╰─┬─● barks  VBZ  root
  ╰─► now    RB   advmod"""
    assert draw_tree(result) == draw_tree(result, width=24) == wide
    assert (
        draw_tree(result, width=23)
        == """\
 ╭► the    DT   det
╭┴► dog    NN   nsubj
╰┬● barks  VBZ  root
 ╰► now    RB   advmod"""
    )


def test_arcs_that_cross() -> None:
    result = tree("""
What WP 4 obl
did VBD 4 aux
you PRP 4 nsubj
talk VB 0 root
about IN 1 case
? . 4 punct
""")
    assert (
        draw_tree(result)
        == """\
╭─┬─────► What   WP   obl
│ │ ╭───► did    VBD  aux
│ │ │ ╭─► you    PRP  nsubj
╰─│─┴─┼─● talk   VB   root
  ╰───│─► about  IN   case
      ╰─► ?      .    punct"""
    )


def test_one_word() -> None:
    assert draw_tree(tree("go VB 0 root")) == "● go  VB  root"


def test_wide_and_unprintable_characters_keep_the_columns() -> None:
    result = tree("猫 NN 2 nsubj\ne\u0301te\x07 VB 0 root\n\u2028a X 2 dep")
    assert draw_tree(result) == (
        "╭─► 猫       NN  nsubj\n├─● e\u0301te\\x07  VB  root\n╰─► \\u2028a  X   dep"
    )


@pytest.mark.slow
@given(trees(max_size=30), st.booleans())
def test_laws_of_the_drawing(heads: list[int], projective: bool) -> None:
    heads = list(lift(heads)) if projective else heads
    tokens = tuple(Token("w", "T", head, "l", i) for i, head in enumerate(heads, start=1))
    lines = draw_tree(Linearization(tokens, 0.0, Problem.of(["w"] * len(heads)))).split("\n")
    assert len(lines) == len(heads)
    assert len({cell_len(line) for line in lines}) == 1
    assert [("●" in line) for line in lines] == [head == 0 for head in heads]
    arcs = [line.partition(" w ")[0] for line in lines]
    for word, head in enumerate(heads, start=1):
        if head:  # the leftmost line that ends at a word leads straight to its head
            column = len(arcs[word - 1]) - len(arcs[word - 1].lstrip(" │"))
            step = 1 if head > word else -1
            assert arcs[word - 1][column] == ("╭" if step > 0 else "╰")
            assert all(arcs[row - 1][column] in "│├┼┴┬" for row in range(word + step, head, step))
            assert arcs[head - 1][column] in "╭╰├┼┴┬"
