"""Toy models that realize: the toy scorers with inflection, spelling and n-grams of made-up text.

The lemmas are the words of the random problems of brute_force.py: w0, w1, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random

from references.brute_force import random_problem

from syntagma.language_model.balance import Balance
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.packed import LanguageModel, word_class
from syntagma.linear.scorer import LinearScorer
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.model import Model
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.form_choice import FormChoice
from syntagma.realization.letters import capitalised
from syntagma.realization.realizer import Realizer
from syntagma.realization.training import learn_inflector, learn_realizer
from syntagma.results.spelling import Contraction, Spelling
from syntagma.transition.encoding import encode
from syntagma.transition.strategy import WeightedLanguageModel
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.treebank import Sentence
from toys.models import make_scorer, model_of, random_weights, toy_linearizer
from toys.network import toy_neural_linearizer
from toys.searches import tagged

LEMMAS = tuple(f"w{i}" for i in range(12))
FEATURES = (None, "Number=Sing", "Number=Plur", "Tense=Past")
BALANCE = Balance(-0.3, 0.2, -0.4, 0.1)

# The tag and the features of each ending that a lemma is seen with.
_ENDINGS = (
    ("NN", "Number=Sing", ""),
    ("NN", "Number=Plur", "s"),
    ("VB", "", ""),
    ("VB", "Tense=Past", "ed"),
    ("VB", "Tense=Past", "t"),
    ("DT", "", ""),
)


def toy_lemma_sentence(rng: Random, usual: int = 0) -> Sentence:
    """Words that each make some others likely, the first capitalised, and a full stop.

    `usual` shifts the most frequent ending of each lemma.
    """
    words: list[tuple[str, str, str, str]] = []
    last = rng.randrange(12)
    for _ in range(rng.randint(1, 6)):
        tag, features, ending = _ENDINGS[
            (last + usual + rng.choice((0, 0, 0, 1, 3))) % len(_ENDINGS)
        ]
        words.append((LEMMAS[last] + ending, LEMMAS[last], tag, features))
        last = (2 * last + rng.choice((1, 1, 2, rng.randrange(12)))) % 12
    words.append((".", ".", "JJ", ""))
    words[0] = (capitalised(words[0][0]), *words[0][1:])
    forms, lemmas, tags, features_ = zip(*words, strict=True)
    return Sentence(
        forms=forms,
        tags=tags,
        heads=(0, *([1] * (len(forms) - 1))),
        deprels=("root", *(["obj"] * (len(forms) - 1))),
        lemmas=lemmas,
        features=features_,
        spelling=_spelling(forms),
    )


def _spelling(forms: Sequence[str]) -> Spelling:
    """No space before a full stop; w1 and w3 are contracted."""
    spaces = [form != "." for form in (*forms[1:], ".")]
    contractions = []
    for place, pair in enumerate(pairwise(forms), start=1):
        if [form.lower() for form in pair] == ["w1", "w3"]:
            contractions.append(Contraction(place, place + 1, pair[0][0] + "ow"))
            spaces[place - 1] = False
    return Spelling(tuple(spaces), tuple(contractions))


@cache
def toy_lemma_sentences(usual: int = 0) -> tuple[Sentence, ...]:
    rng = Random(usual)
    return tuple(toy_lemma_sentence(rng, usual) for _ in range(200))


@cache
def toy_realizer() -> Realizer:
    return learn_realizer(toy_lemma_sentences(), "xx")


@cache
def inflected_language_model(order: int = 3) -> LanguageModel:
    """A model of other sentences than those of the realizer, with other forms most frequent."""
    text = [list(sentence.forms) for sentence in toy_lemma_sentences(usual=1)]
    return LanguageModel.of(estimate(text, order=order, word_class=word_class, min_count=2))


@cache
def toy_realizing_model(kind: str = "linear", fluent: bool = True) -> Model:
    """A linear or a neural scorer with random weights, a realizer and perhaps a language model.

    The kind "forms" is a linear scorer that chooses among forms itself.
    """
    model = model_of(toy_neural_linearizer() if kind == "neural" else toy_linearizer("p16"))
    if kind == "forms":
        model = replace(model, scorer=_choosing_scorer(model.vocabulary))
    return replace(
        model,
        header={**model.header, "name": "toy"},
        realizer=toy_realizer(),
        language_model=WeightedLanguageModel(inflected_language_model(), BALANCE)
        if fluent
        else None,
    )


def _choosing_scorer(vocabulary: Vocabulary) -> LinearScorer:
    rng = Random(2)
    drawn = []
    for _ in range(30):
        problem, alternatives = toy_realizer().inflect(as_lemmas(rng, random_problem(rng, 6)))
        drawn.append(encode(problem, vocabulary, alternatives=alternatives))
    weights = random_weights(rng, make_scorer("p16", vocabulary, forms=True), drawn)
    return make_scorer("p16", vocabulary, weights, forms=True)


def toy_realizing_linearizer(kind: str = "linear", fluent: bool = True) -> Linearizer:
    return Linearizer(toy_realizing_model(kind, fluent))


def realizer_of(lemmas: dict[str, str], detokenizer: Detokenizer | None = None) -> Realizer:
    """A realizer that has seen the forms of each lemma (separated by spaces) once, tagged NN."""
    pairs = [(form, lemma) for lemma, forms in lemmas.items() for form in forms.split()]
    sentences = [
        Sentence((form,), ("NN",), (0,), ("root",), lemmas=(lemma,), features=("",))
        for form, lemma in pairs
    ]
    inflector = learn_inflector(sentences)
    return Realizer(inflector, FormChoice({}), detokenizer or Detokenizer())


def as_lemmas(rng: Random, problem: Problem) -> Problem:
    """The problem with lemmas instead of most of its forms, some with features."""
    words = []
    for word in problem.words:
        if rng.random() < 0.15:
            words.append(word)
        else:
            features = rng.choice(FEATURES) if rng.random() < 0.5 else None
            words.append(replace(word, form="", lemma=word.form, features=features))
    return replace(problem, words=tuple(words))


def tagged_lemmas(rng: Random, problem: Problem) -> Problem:
    """The same with all tags given, so that brute force over all orders is feasible."""
    return as_lemmas(rng, tagged(problem))


def with_forms(problem: Problem) -> Problem:
    """The problem with each lemma in its likeliest form."""
    return toy_realizer().inflect(problem)[0]


def lemmas_of(words: Sequence[Word]) -> list[str]:
    """The lemmas, or the given forms, sorted."""
    return sorted(word.lemma or word.form for word in words)
