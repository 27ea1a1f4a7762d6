r"""Drawn derivations: pictures to look at, and laws of their lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from toys.ccg import DERIVATIONS, chain, derivations, node, word

from syntagma.ccg.derivation import Derivation
from syntagma.results.drawing.derivations import draw_derivation, indent


def picture(text: str) -> str:
    """The lines of a picture without the empty ones around it."""
    return text.strip("\n")


def test_a_sentence() -> None:
    assert draw_derivation(DERIVATIONS["relative"]) == picture(r"""
 the   pear       that        the   fox     saw     sank  .
NP/NP   NP   (NP\NP)/(S/NP)  NP/NP  NP   (S\NP)/NP  S\NP  .
──────────>                  ─────────>
    NP                           NP
                             ────────>T
                              S/(S\NP)
                             ───────────────────>B
                                     S/NP
             ────────────────────────────────────>
                             NP\NP
─────────────────────────────────────────────────<
                        NP
───────────────────────────────────────────────────────<
                           S
─────────────────────────────────────────────────────────rp
                             S
""")


def test_a_result_wider_than_what_it_is_made_of() -> None:
    assert draw_derivation(DERIVATIONS["reduced"]) == picture(r"""
 the   pear     we        hid     sank
NP/NP   NP      NP     (S\NP)/NP  S\NP
──────────>  ──────>T
    NP       S/(S\NP)
             ─────────────────>B
                    S/NP
             ────────────────lex
                    NP\NP
───────────────────────────────<
               NP
─────────────────────────────────────<
                  S
""")


def test_coordination() -> None:
    assert draw_derivation(DERIVATIONS["verbs"]) == picture(r"""
 the   boat  ran   and   sank     slowly
NP/NP   NP   S\NP  conj  S\NP  (S\NP)\(S\NP)
──────────>              ──────────────────<
    NP                          S\NP
                   ─────────────────────conj
                             S\NP
             ────────────────────────────<Φ>
                          S\NP
───────────────────────────────────────────<
                     S
""")


def test_a_word() -> None:
    assert draw_derivation(word("slowly")) == "   slowly\n(S\\NP)\\(S\\NP)"
    assert indent(word("slowly")) == "(S\\NP)\\(S\\NP)  slowly  ADV"


def test_wide_and_odd_characters() -> None:
    subject = Derivation("NP", form="日本語", tag="NOUN")
    verb = Derivation(r"S\NP", form="a\tb\u2028", tag="VERB")
    assert draw_derivation(node("S", subject, verb)) == picture(r"""
日本語  a\tb\u2028
  NP       S\NP
─────────────────<
        S
""")


def test_too_wide_for_the_terminal() -> None:
    assert draw_derivation(DERIVATIONS["verbs"], width=43) == picture(r"""
S
├─ NP
│  ├─ NP/NP  the  DET
│  ╰─ NP  boat  NOUN
╰─ S\NP
   ├─ S\NP  ran  VERB
   ╰─ S\NP
      ├─ conj  and  CCONJ
      ╰─ S\NP
         ├─ S\NP  sank  VERB
         ╰─ (S\NP)\(S\NP)  slowly  ADV
""")
    assert draw_derivation(DERIVATIONS["verbs"], 44) == draw_derivation(DERIVATIONS["verbs"])


def test_indented() -> None:
    assert indent(DERIVATIONS["imperative"]) == "S\\NP\n  S\\NP  run  VERB\n  .  !  PUNCT"


@pytest.mark.slow
@given(derivations())
def test_a_node_a_line(derivation: Derivation) -> None:
    nodes = list(derivation.nodes)
    for text in (indent(derivation), draw_derivation(derivation, width=0)):
        assert len(text.split("\n")) == len(nodes)


@pytest.mark.slow
@given(derivations(), st.integers(1, 200))
def test_drawings_fit(derivation: Derivation, width: int) -> None:
    free = draw_derivation(derivation)
    widest = max(map(cell_len, free.split("\n")))
    drawn = draw_derivation(derivation, width)
    assert (drawn == free) == (widest <= width)


@pytest.mark.slow
@given(derivations())
def test_lines_span_what_combines(derivation: Derivation) -> None:
    rows = draw_derivation(derivation).split("\n")
    assert len(rows) % 2 == 0
    assert rows[-1].strip() == derivation.category
    assert sum(row.count("─") > 0 for row in rows[2::2]) == len(rows) // 2 - 1


def test_deep_trees() -> None:
    assert len(draw_derivation(chain(1500), width=80).split("\n")) == 2999
    assert len(draw_derivation(chain(300)).split("\n")) == 600
    assert len(indent(chain(1500)).split("\n")) == 2999
