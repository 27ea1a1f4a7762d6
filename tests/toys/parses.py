"""Parsed sentences: random ones, one for a story, as objects of other packages, in any order."""

from __future__ import annotations

import io
from typing import Any

from hypothesis import strategies as st

from syntagma.problem.parse import Annotation, Parse, ParsedWord, ParseOrigin
from syntagma.problem.problem import Problem
from syntagma.results.linearization import Linearization, Token, violations
from toys.strategies import trees

# A multiword token, an empty node, enhanced dependencies, notes on spaces, a non-projective tree.
SENTENCE = """\
# newpar
# sent_id = s1
# text = Don't ask a question now that nobody answers.
# source = ours
1-2	Don't	_	_	_	_	_	_	_	_
1	Do	do	AUX	VB	Mood=Imp|VerbForm=Fin	3	aux	3:aux	Gloss=x
2	n't	not	PART	RB	_	3	advmod	3:advmod	_
3	ask	ask	VERB	VB	VerbForm=Inf	0	root	0:root	_
4	a	a	DET	DT	Definite=Ind	5	det	5:det	_
5	question	question	NOUN	NN	Number=Sing	3	obj	3:obj	_
5.1	please	please	INTJ	UH	_	_	_	3:discourse	_
6	now	now	ADV	RB	_	3	advmod	3:advmod	_
7	that	that	PRON	WDT	PronType=Rel	9	obj	9:obj	_
8	nobody	nobody	PRON	NN	Number=Sing	9	nsubj	9:nsubj	_
9	answers	answer	VERB	VBZ	Number=Sing|Person=3	5	acl:relcl	5:acl:relcl	SpaceAfter=No
10	.	.	PUNCT	.	_	3	punct	3:punct	SpacesAfter=\\n

"""

# What is known of each word of the sentence: head, label, lemma, tags and features.
WORDS = {
    "Do": ("ask", "aux", "do", "AUX", "VB", "Mood=Imp|VerbForm=Fin"),
    "n't": ("ask", "advmod", "not", "PART", "RB", ""),
    "ask": ("", "root", "ask", "VERB", "VB", "VerbForm=Inf"),
    "a": ("question", "det", "a", "DET", "DT", "Definite=Ind"),
    "question": ("ask", "obj", "question", "NOUN", "NN", "Number=Sing"),
    "now": ("ask", "advmod", "now", "ADV", "RB", ""),
    "that": ("answers", "obj", "that", "PRON", "WDT", "PronType=Rel"),
    "nobody": ("answers", "nsubj", "nobody", "PRON", "NN", "Number=Sing"),
    "answers": ("question", "acl:relcl", "answer", "VERB", "VBZ", "Number=Sing|Person=3"),
    ".": ("ask", "punct", ".", "PUNCT", ".", ""),
}


def given(problem: Problem) -> dict[str, tuple[str | None, str | None, str | None]]:
    """Head, label and tag of each word; its words must differ."""
    heads = {0: "", **{number: word.name for number, word in enumerate(problem.words, start=1)}}
    return {
        word.name: (None if word.head is None else heads[word.head], word.deprel, word.tag)
        for word in problem.words
    }


def known_of(problem: Problem) -> dict[str, Annotation]:
    """What its source says of each word; its words must differ."""
    assert isinstance(problem.origin, ParseOrigin)
    names = [word.name for word in problem.words]
    return dict(zip(names, problem.origin.annotations, strict=True))


@st.composite
def parses(draw: st.DrawFn, max_size: int = 7) -> Parse:
    """Sentences in which words look alike, with any tree, most often not projective."""
    heads = draw(trees(max_size))

    def column(*values: str) -> str:
        return draw(st.sampled_from(("_", *values)))

    return Parse(
        tuple(
            ParsedWord(
                draw(st.sampled_from(("a", "b", "new york", "x.", "ß"))),
                head,
                draw(st.sampled_from(("nsubj", "obl:arg"))) if head else "root",
                Annotation(
                    column("be", "have"),
                    column("NOUN", "VERB"),
                    column("NN", "VB"),
                    column("Case=Nom", "Case=Nom|Number=Sing"),
                    column("Gloss=z", "A=1|Flag"),
                ),
            )
            for head in heads
        )
    )


def permuted(parse: Parse, order: list[int]) -> Parse:
    """The same tree over the words in another order (0-based places of the old one)."""
    new = {0: 0} | {old + 1: place for place, old in enumerate(order, start=1)}
    return Parse(
        tuple(
            ParsedWord(
                word.form,
                None if word.head is None else new[word.head],
                word.deprel,
                word.annotation,
            )
            for word in (parse.words[old] for old in order)
        )
    )


def conllu_text(parse: Parse) -> str:
    """The sentence as CoNLL-U."""
    lines = [
        "\t".join(
            (
                *(str(place), word.form, *word.annotation[:4]),
                *("_" if word.head is None else str(word.head), word.deprel, "_"),
                word.annotation.misc,
            )
        )
        for place, word in enumerate(parse.words, start=1)
    ]
    return "\n".join((*parse.comments, *lines)) + "\n\n"


def conllu_object(text: str) -> Any:
    import conllu

    [token_list] = conllu.parse(text)
    return token_list


def stanza_object(text: str) -> Any:
    from stanza.utils.conll import CoNLL

    return CoNLL.conll2doc(input_str=text).sentences[0]


def udapi_object(text: str) -> Any:
    from udapi.block.read.conllu import Conllu

    return Conllu(filehandle=io.StringIO(text), empty_parent="ignore").read_tree()


def spacy_object(parse: Parse) -> Any:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    def known(column: str) -> str:
        return "" if column == "_" else column

    words = parse.words
    return Doc(
        Vocab(),
        words=[word.form for word in words],
        lemmas=[known(word.annotation.lemma) for word in words],
        pos=[known(word.annotation.upos) for word in words],
        tags=[known(word.annotation.xpos) for word in words],
        morphs=[known(word.annotation.features) for word in words],
        heads=[word.head - 1 if word.head else place for place, word in enumerate(words)],
        deps=["ROOT" if word.deprel == "root" else word.deprel for word in words],
    )


def put_in_order(problem: Problem) -> Linearization:
    """Some order of a problem that gives a whole tree: each head before its dependents."""
    words = problem.words
    order: list[int] = []

    def visit(index: int) -> None:
        order.append(index)
        for dependent, word in enumerate(words, start=1):
            if word.head == index:
                visit(dependent)

    for index, word in enumerate(words, start=1):
        if word.head == 0:
            visit(index)
    place = {0: 0} | {index: position for position, index in enumerate(order, start=1)}
    tokens = tuple(
        Token(
            words[index - 1].form,
            words[index - 1].tag or "X",
            place[words[index - 1].head or 0],
            words[index - 1].deprel or "dep",
            index,
        )
        for index in order
    )
    found = Linearization(tokens, -1.5, problem)
    assert violations(found) == []
    return found
