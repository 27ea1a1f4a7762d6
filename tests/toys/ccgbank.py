r"""Sentences of our own with derivations as CCGbank has them: features, heads that the file names,
bare nouns (N -> NP), also type-raised (N -> NP -> S/(S\NP)), `[conj]`, indexed categories.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from syntagma.ccg.derivation import Derivation
from syntagma.formats.auto import parse_auto
from syntagma.treebanks.corpus import CcgSentence


class Annotated(NamedTuple):
    """A line of the file, and the heads of its words, by hand."""

    line: str
    heads: tuple[int, ...]
    chains: bool = False  # whether a unary rule is on top of another


def bare(noun: str) -> str:
    return rf"(<T NP 0 1> (<L N NNS NNS {noun} N>) )"


def raised(phrase: str) -> str:
    return rf"(<T S/(S\NP) 0 1> {phrase} )"


def definite(noun: str, determiner: str = "The") -> str:
    return (
        rf"(<T NP[nb] 1 2> (<L NP[nb]/N DT DT {determiner} NP[nb]_8/N_8>) (<L N NN NN {noun} N>) )"
    )


def seen(subject: str, verb: str = "saw") -> str:
    """What somebody saw: a clause without its object."""
    return rf"(<T S[dcl]/NP 1 2> {subject} (<L (S[dcl]\NP)/NP VBD VBD {verb} (S[dcl]\NP_5)/NP_6>) )"


def sentence(subject: str, predicate: str) -> str:
    return rf"(<T S[dcl] 0 2> (<T S[dcl] 1 2> {subject} {predicate} ) (<L . . . . .>) )"


def verb(form: str) -> str:
    return rf"(<L S[dcl]\NP VBD VBD {form} S[dcl]\NP_3>)"


SENTENCES = {
    "bare": Annotated(sentence(bare("Birds"), verb("sang")), (2, 0, 2)),
    "definite": Annotated(
        sentence(
            r"(<T NP[nb] 1 2> (<L NP[nb]/N DT DT The NP[nb]_8/N_8>) (<T N 1 2> "
            r"(<L N/N JJ JJ old N_9/N_9>) (<L N NN NN cook N>) ) )",
            r"(<T S[dcl]\NP 0 2> (<L (S[dcl]\NP)/NP VBD VBD hid (S[dcl]\NP_5)/NP_6>) "
            rf"{definite('pear', 'a')} )",
        ),
        (3, 3, 4, 0, 6, 4, 4),
    ),
    "relative": Annotated(
        sentence(
            rf"(<T NP 0 2> {definite('pear')} (<T NP\NP 0 2> "
            r"(<L (NP\NP)/(S[dcl]/NP) WDT WDT that (NP_4\NP_4)/(S[dcl]_5/NP_4)_5>) "
            rf"{seen(raised(bare('foxes')))} ) )",
            verb("vanished"),
        ),
        (2, 6, 2, 5, 3, 0, 6),
        chains=True,
    ),
    "reduced": Annotated(
        sentence(
            rf"(<T NP 0 2> {bare('Pears')} (<T NP\NP 0 1> {seen(raised(bare('foxes')))} ) )",
            verb("vanished"),
        ),
        (4, 3, 1, 0, 4),
        chains=True,
    ),
    "conjoined": Annotated(
        sentence(
            rf"(<T NP 0 2> {bare('Boats')} (<T NP\NP 0 1> "
            + seen(
                raised(
                    r"(<T NP 0 1> (<T N 0 2> (<L N NNS NNS cooks N>) (<T N[conj] 1 2> "
                    r"(<L conj CC CC and conj>) (<L N NNS NNS foxes N>) ) ) )"
                )
            )
            + " ) )",
            verb("sank"),
        ),
        (6, 5, 4, 2, 1, 0, 6),
        chains=True,
    ),
    "gerund": Annotated(
        sentence(
            rf"(<T NP 0 2> {definite('joy')} (<T NP\NP 0 1> "
            + seen(
                raised(r"(<T NP 0 1> (<L S[ng]\NP VBG VBG singing S[ng]\NP_2>) )"), verb="brought"
            )
            + " ) )",
            verb("lasted"),
        ),
        (2, 5, 4, 2, 0, 5),
        chains=True,
    ),
    "auxiliary": Annotated(
        sentence(
            definite("fox"),
            r"(<T S[dcl]\NP 0 2> (<T (S[dcl]\NP)/(S[b]\NP) 0 2> "
            r"(<L (S[dcl]\NP)/(S[b]\NP) MD MD will (S[dcl]\NP_4)/(S[b]_5\NP_4:B)_5>) "
            r"(<L (S\NP)\(S\NP) RB RB not (S_7\NP_6)_7\(S_7\NP_6)_7>) ) "
            r"(<T S[b]\NP 0 2> (<L S[b]\NP VB VB run S[b]\NP_3>) "
            r"(<L (S\NP)\(S\NP) NN NN today (S_7\NP_6)_7\(S_7\NP_6)_7>) ) )",
        ),
        (2, 3, 0, 3, 3, 5, 3),
    ),
    "fronted": Annotated(
        r"(<T S[dcl] 0 2> (<T S[dcl] 1 2> (<T S/S 0 2> (<T S/S 0 1> (<T S[pss]\NP 0 2> "
        r"(<L (S[pss]\NP)/PP VBN VBN Seen (S[pss]\NP_4)/PP_5>) (<T PP 0 2> "
        rf"(<L PP/NP IN IN from PP/NP_6>) {bare('afar')} ) ) ) (<L , , , , ,>) ) "
        rf"(<T S[dcl] 1 2> {bare('boats')} (<T S[dcl]\NP 0 2> "
        r"(<L (S[dcl]\NP)/(S[adj]\NP) VBP VBP look (S[dcl]\NP_4)/(S[adj]\NP_4)>) "
        r"(<L S[adj]\NP JJ JJ small S[adj]\NP_3>) ) ) ) (<L . . . . .>) )",
        (6, 1, 2, 1, 6, 0, 6, 6),
    ),
    "apposition": Annotated(
        sentence(
            r"(<T NP 0 2> (<T NP 0 2> (<T NP[nb] 1 2> "
            rf"(<T NP[nb]/N 1 2> {definite('cook')} "
            r"(<L (NP[nb]/N)\NP POS POS 's (NP[nb]_8/N_8)\NP_9>) ) (<L N NN NN boat N>) ) "
            rf"(<T NP[conj] 1 2> (<L , , , , ,>) {definite('tub', 'a')} ) ) (<L , , , , ,>) )",
            verb("sank"),
        ),
        (2, 3, 4, 9, 7, 7, 4, 4, 0, 9),
    ),
    "question": Annotated(
        r"(<T S[wq] 0 2> (<T S[wq] 0 2> (<L S[wq]/(S[q]/NP) WP WP What S[wq]/(S[q]/NP)>) "
        r"(<T S[q]/NP 0 2> (<T S[q]/(S[b]\NP) 0 2> "
        r"(<L (S[q]/(S[b]\NP))/NP VBD VBD did (S[q]/(S[b]\NP_4))/NP_4>) "
        rf"{bare('foxes')} ) (<L (S[b]\NP)/NP VB VB hide (S[b]\NP_5)/NP_6>) ) ) (<L . . . ? .>) )",
        (0, 1, 2, 2, 1),
    ),
    "clause": Annotated(
        sentence(
            "(<L NP PRP PRP He NP>)",
            r"(<T S[dcl]\NP 0 2> (<L (S[dcl]\NP)/S[em] VBD VBD said (S[dcl]\NP_4)/S[em]_5>) "
            r"(<T S[em] 0 2> (<L S[em]/S[dcl] IN IN that S[em]/S[dcl]_6>) "
            rf"(<T S[dcl] 1 2> {bare('cooks')} {verb('slept')} ) ) )",
        ),
        (2, 0, 2, 5, 3, 2),
    ),
    "verbs": Annotated(
        sentence(
            bare("Foxes"),
            rf"(<T S[dcl]\NP 0 2> {verb('ran')} (<T S[dcl]\NP[conj] 1 2> "
            rf"(<L conj CC CC and conj>) {verb('hid')} ) )",
        ),
        (2, 0, 4, 2, 2),
    ),
    "fragment": Annotated(
        "(<T NP 0 1> (<T N 1 2> (<L N/N JJ JJ Old N_9/N_9>) (<L N NNS NNS boats N>) ) )", (2, 0)
    ),
}


def derivation(name: str) -> Derivation:
    return parse_auto(SENTENCES[name].line, "file")


def ccgbank_sentences() -> list[CcgSentence]:
    return [CcgSentence(name, derivation(name)) for name in SENTENCES]


def write_ccgbank(path: Path) -> Path:
    lines = [
        f"ID=toy_0001.{number} PARSER=GOLD NUMPARSE=1\n{each.line}\n"
        for number, each in enumerate(SENTENCES.values(), start=1)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path
