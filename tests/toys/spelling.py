"""Spellings to learn from, and words recovered from text, to check that nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.detokenization_training import SpelledWords, learn_detokenizer
from syntagma.results.spelling import Contraction, Spelling


def recover(text: str, forms: Sequence[str], spelling: Spelling) -> list[str]:
    """The words, by walking through the text."""
    found: list[str] = []
    contractions = {each.first: each for each in spelling.contractions}
    at = 0
    while len(found) < len(forms):
        start = len(found) + 1
        if start in contractions:
            each = contractions[start]
            assert text.startswith(each.text, at)
            at += len(each.text)
            found += forms[start - 1 : each.last]
        else:
            end = at + len(forms[start - 1])
            found.append(text[at:end])
            at = end
        if spelling.spaces[len(found) - 1]:
            assert text[at] == " "
            at += 1
    assert at == len(text)
    return found


def written(words: str, tags: str | None = None, by: Detokenizer | None = None) -> str:
    forms = words.split()
    detokenizer = by or Detokenizer()
    return detokenizer.spell(forms, tags.split() if tags else None).text(forms)


def example(pieces: str, tags: str = "") -> SpelledWords:
    """Words between spaces; `_` joins two without a space, `de+le=du` is a contraction."""
    forms: list[str] = []
    spaces: list[bool] = []
    contractions = []
    for piece in pieces.split():
        whole, _, text = piece.partition("=")
        words = whole.split("+" if text else "_")
        if text:
            contractions.append(Contraction(len(forms) + 1, len(forms) + len(words), text))
        forms += words
        spaces += [False] * (len(words) - 1) + [True]
    spaces[-1] = False
    return forms, tags.split() or ["X"] * len(forms), Spelling(tuple(spaces), tuple(contractions))


def learned(*pieces: str) -> Detokenizer:
    return learn_detokenizer(example(each) for each in pieces)


FRENCH = learned(*["il parle de+le=du chat", "elle va à+les=aux champs_."] * 2, "l'_âne _.")

form = st.one_of(
    st.sampled_from(
        [
            "wug",
            ".",
            ",",
            '"',
            "'",
            "-",
            "/",
            "(",
            ")",
            "«",
            "5",
            "$",
            "de",
            "le",
            "à",
            "les",
            "'s",
            "l'",
            "„",
            "“",
            "字",
            "かな",
            "ไทย",
            "한국",
        ]
    ),
    st.text(max_size=4),
)
sentence = st.lists(form, max_size=12)
word = st.sampled_from(["wug", "plog", "5", ".", "-", "zorp"])
annotated = st.lists(st.tuples(word, st.booleans()), min_size=1, max_size=5).map(
    lambda pairs: (
        [form for form, _ in pairs],
        ["X"] * len(pairs),
        Spelling((*(space for _, space in pairs[:-1]), False)),
    )
)
