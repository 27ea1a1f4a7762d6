"""A result as a `Sentence` of Stanza."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from syntagma.errors import missing_package
from syntagma.problem.parse import UNKNOWN
from syntagma.problem.word import TagColumn
from syntagma.results.rows import Ordered, comments, known, ranges, rows, sentence_text
from syntagma.results.spelling import Spelling

if TYPE_CHECKING:
    from stanza.models.common.doc import Sentence


def build_stanza(result: Ordered, spelling: Spelling | None, tag_column: TagColumn) -> Sentence:
    """The sentence belongs to a `Document` of its own (`Sentence.doc`), whose text is the sentence:
    Stanza reads the spaces off the text."""
    try:
        from stanza.models.common.doc import Document
    except ImportError as error:
        raise missing_package("to_stanza", "stanza", "stanza", error) from error
    text = sentence_text(result, spelling)
    multiword = ranges(spelling)
    entries: list[dict[str, Any]] = []
    start = end = last = 0
    for position, row in enumerate(rows(result, spelling, tag_column), start=1):
        if token := multiword.get(position):
            start, last = text.index(token.form, end), token.last
            end = start + len(token.form)
            entries.append(
                {
                    "id": (token.first, token.last),
                    "text": token.form,
                    "start_char": start,
                    "end_char": end,
                }
            )
        entry: dict[str, Any] = {
            "id": position,
            "text": row.form,
            "lemma": None if row.lemma == UNKNOWN != row.form else row.lemma,
            "upos": known(row.upos),
            "xpos": known(row.xpos),
            "feats": known(row.features),
            "head": row.head,
            "deprel": row.deprel,
            "misc": known(row.misc),
        }
        if position > last:  # Stanza knows the places of tokens only
            start = text.index(row.form, end)
            end = start + len(row.form)
            entry |= {"start_char": start, "end_char": end}
        entries.append({name: value for name, value in entry.items() if value is not None})
    document = Document([entries], text=text, comments=[comments(result, text)])
    sentence: Sentence = document.sentences[0]
    return sentence
