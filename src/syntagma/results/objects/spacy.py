"""A result as a `Doc` of spaCy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syntagma.errors import ArgumentError, missing_package, shown
from syntagma.problem.objects import SPACY_ROOT
from syntagma.problem.parse import UNKNOWN
from syntagma.problem.word import ROOT_LABEL, TagColumn
from syntagma.results.rows import Ordered, known, rows
from syntagma.results.spelling import Spelling

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab


def build_spacy(
    result: Ordered,
    spelling: Spelling | None,
    tag_column: TagColumn,
    vocab: Vocab | None,
) -> Doc:
    """spaCy has no multiword tokens: the words of one are separate tokens."""
    try:
        from spacy.language import BaseDefaults
        from spacy.parts_of_speech import IDS
        from spacy.tokens import Doc
        from spacy.vocab import Vocab, create_vocab
    except ImportError as error:
        raise missing_package("to_spacy", "spacy", "spacy", error) from error
    if vocab is None:
        vocab = create_vocab(None, BaseDefaults)
    elif not isinstance(vocab, Vocab):
        raise ArgumentError(f"vocab must be a Vocab, such as nlp.vocab, not {shown(vocab)}")
    found = rows(result, spelling, tag_column)
    return Doc(
        vocab,
        words=[row.form for row in found],
        spaces=_spaces(result, spelling),
        tags=[known(row.xpos) or "" for row in found],
        pos=[row.upos if row.upos in IDS else "" for row in found],
        morphs=[known(row.features) or "" for row in found],
        lemmas=["" if row.lemma == UNKNOWN != row.form else row.lemma for row in found],
        heads=[row.head - 1 if row.head else place for place, row in enumerate(found)],
        deps=[
            SPACY_ROOT if row.head == 0 and row.deprel == ROOT_LABEL else row.deprel
            for row in found
        ],
    )


def _spaces(result: Ordered, spelling: Spelling | None) -> list[bool]:
    """Whether a space follows each word. Words that do not spell their contraction when they are
    joined, as *de* and *le* do not spell *du*, are written apart."""
    if spelling is None:
        return [True] * (len(result.words) - 1) + [False]
    spaces = list(spelling.spaces)
    for each in spelling.contractions:
        if "".join(result.words[each.first - 1 : each.last]) != each.text:
            spaces[each.first - 1 : each.last - 1] = [True] * (each.last - each.first)
    return spaces
