"""Results as sentences of Stanza."""

from __future__ import annotations

import pytest
from toys.parses import SENTENCE, WORDS, put_in_order, stanza_object

from syntagma import Linearization, Problem, Realization, Token
from syntagma.results.spelling import Contraction, Spelling

pytest.importorskip("stanza", reason="no Stanza: pip install 'syntagma[stanza]'")

from stanza.utils.conll import CoNLL


def ordered() -> Linearization:
    return put_in_order(Problem.from_stanza(stanza_object(SENTENCE)))


def test_all_columns_come_back_but_those_of_the_old_order() -> None:
    result = ordered()
    sentence = result.to_stanza()
    assert sentence.text == sentence.doc.text == result.text
    assert sentence.sent_id == "s1"
    assert "# source = ours" in list(sentence.comments)
    assert {
        word.text: (
            sentence.words[word.head - 1].text if word.head else "",
            word.deprel,
            word.lemma,
            word.upos,
            word.xpos,
            word.feats or "",
        )
        for word in sentence.words
    } == WORDS
    assert {word.text: word.misc for word in sentence.words if word.misc} == {"Do": "Gloss=x"}
    assert not sentence.has_enhanced_dependencies()
    assert len(sentence.dependencies) == 10


def contracted() -> Realization:
    """*Près du pont.*, where *du* stands for *de le*."""
    forms = ("Près", "de", "le", "pont", ".")
    tokens = tuple(
        Token(form, "X", int(place > 1), "dep" if place > 1 else "root", place)
        for place, form in enumerate(forms, start=1)
    )
    spelling = Spelling((True, False, True, False, False), (Contraction(2, 3, "du"),))
    return Realization(Linearization(tokens, 0.0, Problem.of(forms)), spelling)


def test_tokens_have_their_places_in_the_text() -> None:
    sentence = contracted().to_stanza()
    assert sentence.text == "Près du pont."
    assert [sentence.text[token.start_char : token.end_char] for token in sentence.tokens] == [
        "Près",
        "du",
        "pont",
        ".",
    ]
    assert [word.text for word in sentence.words] == ["Près", "de", "le", "pont", "."]
    assert [token.spaces_after for token in sentence.tokens] == [" ", " ", "", ""]


def test_a_sentence_survives_stanzas_own_format() -> None:
    sentence = contracted().to_stanza()
    text = f"{sentence:C}" + "\n\n"
    again = CoNLL.conll2doc(input_str=text).sentences[0]
    known = [{name: value for name, value in word.items() if value} for word in again.to_dict()]
    assert known == [{n: v for n, v in word.items() if v} for word in sentence.to_dict()]


def test_repeated_words_have_places_of_their_own() -> None:
    problem = Problem.of(["a", "a b", "a"])
    tokens = tuple(
        Token(problem.words[place - 1].form, "X", int(place > 1), "root", place)
        for place in (1, 2, 3)
    )
    sentence = Linearization(tokens, 0.0, problem).to_stanza()
    assert [token.start_char for token in sentence.tokens] == [0, 2, 6]
