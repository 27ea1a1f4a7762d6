"""A sentence of Stanza: a `Sentence`, or a `Document` of one sentence."""

from __future__ import annotations

from typing import Any

from syntagma.arguments import as_integer
from syntagma.errors import ArgumentError, shown
from syntagma.problem.annotation import Annotation
from syntagma.problem.objects.parse import Parse, ParsedWord, refuse, text_or_unknown


def parse_from_stanza(sentence: Any) -> Parse:
    """The words, not the tokens, which may stand for several words; empty nodes are left out."""
    if hasattr(sentence, "sentences"):
        count = len(sentence.sentences)
        if count != 1:
            raise ArgumentError(
                f"from_stanza takes one sentence, not {count}: give them one by one, "
                "as in `for sentence in document.sentences`"
            )
        [sentence] = sentence.sentences
    if not all(hasattr(sentence, name) for name in ("words", "tokens")):
        raise refuse("from_stanza", "a Sentence of Stanza", sentence)
    words = tuple(_word(word, place) for place, word in enumerate(sentence.words, start=1))
    id = getattr(sentence, "sent_id", None)
    comments = getattr(sentence, "comments", ())
    return Parse(words, str(id) if id else None, tuple(map(str, comments)))


def _word(word: Any, place: int) -> ParsedWord:
    name = f"word {place} {shown(word.text)}"
    head = None if word.head is None else as_integer(word.head)
    if head is None and word.head is not None:
        raise ArgumentError(f"the head of {name} is not an integer: {shown(word.head)}")
    return ParsedWord(
        word.text,
        head,
        text_or_unknown(word.deprel, f"the deprel of {name}"),
        Annotation(
            text_or_unknown(word.lemma, f"the lemma of {name}"),
            text_or_unknown(word.upos, f"the upos of {name}"),
            text_or_unknown(word.xpos, f"the xpos of {name}"),
            text_or_unknown(word.feats, f"the feats of {name}"),
            text_or_unknown(word.misc, f"the misc of {name}"),
        ),
    )
