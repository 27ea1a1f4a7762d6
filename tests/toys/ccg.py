"""Hand-made derivations of made-up sentences, their grammar, and random derivations."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.training import extract_grammar
from syntagma.ccg.categories import split_category
from syntagma.ccg.derivation import Derivation
from syntagma.formats.auto import write_auto
from syntagma.transition.training import learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.corpus import CcgSentence

# The categories of the words; the tags are UPOS.
ENTRIES = {
    "the": (r"NP/NP", "DET"),
    "a": (r"NP/NP", "DET"),
    "old": (r"NP/NP", "ADJ"),
    "cook": (r"NP", "NOUN"),
    "fox": (r"NP", "NOUN"),
    "pear": (r"NP", "NOUN"),
    "boat": (r"NP", "NOUN"),
    "we": (r"NP", "PRON"),
    "hid": (r"(S\NP)/NP", "VERB"),
    "saw": (r"(S\NP)/NP", "VERB"),
    "gave": (r"((S\NP)/NP)/NP", "VERB"),
    "ran": (r"S\NP", "VERB"),
    "sank": (r"S\NP", "VERB"),
    "will": (r"(S\NP)/(S\NP)", "AUX"),
    "run": (r"S\NP", "VERB"),
    "slowly": (r"(S\NP)\(S\NP)", "ADV"),
    "near": (r"((S\NP)\(S\NP))/NP", "ADP"),
    "and": (r"conj", "CCONJ"),
    "that": (r"(NP\NP)/(S/NP)", "PRON"),
    "today": (r"S/S", "ADV"),
    ".": (r".", "PUNCT"),
    "!": (r".", "PUNCT"),
    ",": (r",", "PUNCT"),
}


def word(form: str) -> Derivation:
    category, tag = ENTRIES[form]
    return Derivation(category, form=form, tag=tag)


def node(category: str, *children: Derivation) -> Derivation:
    return Derivation(category, children)


def forward(left: Derivation, right: Derivation) -> Derivation:
    """X/Y  Y -> X"""
    functor = split_category(left.category)
    assert functor is not None
    assert (functor.slash, functor.argument) == ("/", right.category)
    return node(functor.result, left, right)


def backward(left: Derivation, right: Derivation) -> Derivation:
    r"""Y  X\Y -> X"""
    functor = split_category(right.category)
    assert functor is not None
    assert (functor.slash, functor.argument) == ("\\", left.category)
    return node(functor.result, left, right)


def the(*forms: str) -> Derivation:
    """A noun phrase: a determiner, adjectives, a noun."""
    phrase = word(forms[-1])
    for form in reversed(("the", *forms[:-1])):
        phrase = forward(word(form), phrase)
    return phrase


def both(left: Derivation, right: Derivation) -> Derivation:
    """X  [conj  X] -> X"""
    return node(left.category, left, node(right.category, word("and"), right))


def full_stop(sentence: Derivation) -> Derivation:
    return node(sentence.category, sentence, word("."))


def relative(noun: Derivation, subject: Derivation, verb: str) -> Derivation:
    """A noun with a relative clause: the subject type-raised, composed with the verb."""
    raised = node(r"S/(S\NP)", subject)
    return backward(noun, forward(word("that"), node("S/NP", raised, word(verb))))


def reduced(noun: Derivation, subject: Derivation, verb: str) -> Derivation:
    """The same without a relative pronoun: the clause changes its type."""
    raised = node(r"S/(S\NP)", subject)
    return backward(noun, node(r"NP\NP", node("S/NP", raised, word(verb))))


DERIVATIONS = {
    "intransitive": backward(word("we"), word("ran")),
    "transitive": full_stop(backward(the("cook"), forward(word("hid"), the("pear")))),
    "ditransitive": full_stop(
        backward(word("we"), forward(forward(word("gave"), the("old", "cook")), the("pear")))
    ),
    "auxiliary": backward(the("fox"), forward(word("will"), backward(word("run"), word("slowly")))),
    "adjunct": full_stop(
        backward(word("we"), backward(word("ran"), forward(word("near"), the("boat"))))
    ),
    "verbs": backward(the("boat"), both(word("ran"), backward(word("sank"), word("slowly")))),
    "nouns": full_stop(backward(both(the("fox"), the("cook")), word("ran"))),
    "relative": full_stop(backward(relative(the("pear"), the("fox"), "saw"), word("sank"))),
    "reduced": backward(reduced(the("pear"), word("we"), "hid"), word("sank")),
    "fronted": full_stop(
        forward(
            word("today"),
            node("S", word(","), backward(word("we"), forward(word("saw"), the("fox")))),
        )
    ),
    "imperative": node(r"S\NP", word("run"), word("!")),
    "fragment": forward(word("a"), forward(word("old"), word("boat"))),
}


def toy_sentences() -> list[CcgSentence]:
    return [CcgSentence(name, derivation) for name, derivation in DERIVATIONS.items()]


@cache
def toy_vocabulary() -> Vocabulary:
    return learn_vocabulary(each.sentence for each in toy_sentences())


@cache
def toy_grammar() -> CcgGrammar:
    return extract_grammar(DERIVATIONS.values(), toy_vocabulary())


FORMS = st.one_of(
    st.sampled_from([*ENTRIES, ")", "(<L", "(<T", ">)", "|", "日本", "\u00a0", "é\u0301"]),
    st.text(st.characters(exclude_characters=" \xa0\n\r", exclude_categories=["Cs"]), min_size=1),
)


@st.composite
def derivations(draw: st.DrawFn, max_leaves: int = 8) -> Derivation:
    """Random trees over random words; their rules need not make sense. Some heads are given."""
    categories = st.sampled_from([*sorted({each for each, _ in ENTRIES.values()}), "NPNP", "X)(Y"])
    row = [
        Derivation(draw(categories), form=draw(FORMS), tag=draw(st.sampled_from("ABC")))
        for _ in range(draw(st.integers(1, max_leaves)))
    ]
    while len(row) > 1 or draw(st.integers(0, 3)) == 3:
        first = draw(st.integers(0, max(len(row) - 2, 0)))
        last = min(first + draw(st.sampled_from([2, 2, 1])), len(row))
        below = tuple(row[first:last])
        head = draw(st.sampled_from([None, None, 0, 1])) if len(below) == 2 else None
        row[first:last] = [Derivation(draw(categories), below, head=head)]
    return row[0]


def chain(length: int) -> Derivation:
    """A right-branching derivation, as deep as it has words."""
    tree = word("pear")
    for _ in range(length - 1):
        tree = forward(word("old"), tree)
    return tree


def write_ccgbank(path: Path) -> Path:
    """Write the toy derivations in CCGbank's format."""
    lines = (write_auto(derivation, name) for name, derivation in DERIVATIONS.items())
    path.write_text("".join(lines), encoding="utf-8")
    return path
