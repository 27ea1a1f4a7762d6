"""Results as trees of udapi."""

from __future__ import annotations

import pytest
from toys.parses import SENTENCE, WORDS, put_in_order, udapi_object

from syntagma import Linearization, Problem, Realization, Token
from syntagma.formats.conllu import write_conllu
from syntagma.results.spelling import Contraction, Spelling

pytest.importorskip("udapi", reason="no udapi: pip install 'syntagma[udapi]'")

from udapi.core.document import Document


def ordered() -> Linearization:
    return put_in_order(Problem.from_udapi(udapi_object(SENTENCE)))


def test_all_columns_come_back_but_those_of_the_old_order() -> None:
    result = ordered()
    tree = result.to_udapi()
    assert (tree.text, tree.sent_id, tree.newpar) == (result.text, "s1", True)
    assert tree.compute_text() == result.text
    assert {
        node.form: (
            "" if node.parent.is_root() else node.parent.form,
            node.deprel,
            node.lemma,
            node.upos,
            node.xpos,
            str(node.feats).replace("_", ""),
        )
        for node in tree.descendants
    } == WORDS
    assert [node.ord for node in tree.descendants] == list(range(1, 11))
    notes = {node.form: str(node.misc) for node in tree.descendants if str(node.misc) != "_"}
    assert notes == {"Do": "Gloss=x"}
    assert not tree.empty_nodes


def test_the_tree_is_what_udapi_reads_from_the_file() -> None:
    forms = ("Près", "de", "le", "pont", ".")
    tokens = tuple(
        Token(form, "X", int(place > 1), "dep" if place > 1 else "root", place)
        for place, form in enumerate(forms, start=1)
    )
    spelling = Spelling((True, False, True, False, False), (Contraction(2, 3, "du"),))
    result = Linearization(tokens, 0.0, Problem.of(forms, id="s7"))
    tree = Realization(result, spelling).to_udapi()
    assert tree.compute_text() == tree.text == "Près du pont."
    [token] = tree.multiword_tokens
    assert (token.form, token.ord_range) == ("du", "2-3")
    read = udapi_object(write_conllu(result, spelling=spelling))
    assert document(tree).to_conllu_string() == document(read).to_conllu_string()


def document(tree: object) -> Document:
    new = Document()
    new.create_bundle().add_tree(tree)
    return new
