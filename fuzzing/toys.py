"""Toy models of every kind, as the header and the arrays of a model file; small, so that a crafted
file takes milliseconds. All can realize and have a language model where their kind allows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.best_first.settings import BestFirstSettings
from syntagma.best_first.training import GuidedLearner
from syntagma.errors import FormatError
from syntagma.formats.auto import read_auto
from syntagma.language_model.balance import Balance
from syntagma.language_model.kneser_ney import estimate
from syntagma.language_model.packed import LanguageModel, word_class
from syntagma.linear.settings import LinearSettings
from syntagma.linear.training import PerceptronLearner
from syntagma.neural.adaptation import learn_lexicon
from syntagma.neural.parameters import Dimensions, parameter_shapes, table_sizes
from syntagma.neural.stored import StoredNetwork, describe_network
from syntagma.realization.training import learn_realizer
from syntagma.results.spelling import Contraction, Spelling
from syntagma.transition.training import learn_vocabulary
from syntagma.treebanks.corpus import CcgSentence
from syntagma.treebanks.treebank import Sentence

Arrays = dict[str, npt.NDArray[Any]]
Toy = tuple[dict[str, Any], Arrays]  # header, arrays

# form/lemma/tag/features/head/deprel
SENTENCES = """
The/the/DT//2/det cook/cook/NN/Number=Sing/3/nsubj hid/hide/VBD//0/root pears/pear/NNS/Number=Plur/3/obj ./././/3/punct
A/a/DT//2/det fox/fox/NN/Number=Sing/3/nsubj saw/see/VBD//0/root the/the/DT//6/det old/old/JJ//6/amod cook/cook/NN/Number=Sing/3/obj ./././/3/punct
Foxes/fox/NNS/Number=Plur/2/nsubj do/do/VBP//4/aux n't/not/RB//4/advmod run/run/VB//0/root ./././/4/punct
We/we/PRP//2/nsubj saw/see/VBD//0/root boats/boat/NNS/Number=Plur/2/obj at/at/IN//5/case sea/sea/NN/Number=Sing/2/obl ./././/2/punct
Foxes/fox/NNS/Number=Plur/2/nsubj do/do/VBP//4/aux not/not/RB//4/advmod hide/hide/VB//0/root
"""  # noqa: E501
DERIVATIONS = r"""
ID=1 PARSER=TOY NUMPARSE=1
(<T S 1 2> (<L NP PRP PRP we NP>) (<L S\NP VBD VBD ran S\NP>) )
ID=2 PARSER=TOY NUMPARSE=1
(<T S 0 2> (<T S 1 2> (<T NP 1 2> (<L NP/NP DT DT the NP/NP>) (<L NP NN NN cook NP>) ) (<T S\NP 0 2> (<L (S\NP)/NP VBD VBD saw (S\NP)/NP>) (<T NP 1 2> (<L NP/NP DT DT the NP/NP>) (<L NP NN NN fox NP>) ) ) ) (<L . . . . .>) )
ID=3 PARSER=TOY NUMPARSE=1
(<T S 1 2> (<T NP 0 2> (<L NP NN NN cook NP>) (<T NP\NP 0 1> (<T S/NP 1 2> (<T S/(S\NP) 0 1> (<L NP PRP PRP we NP>) ) (<L (S\NP)/NP VBD VBD saw (S\NP)/NP>) ) ) ) (<L S\NP VBD VBD ran S\NP>) )
"""  # noqa: E501
FORMS = ("the", "cook", "fox", "saw", "old", "Foxes", "do", "n't", "we", ".", "new", "New York")
LEMMAS = ("the", "cook", "fox", "see", "not", "do", "boat", "new", "sea")
TAGS = ("DT", "NN", "NNS", "VBD", "IN", "X")
LABELS = ("det", "nsubj", "obj", "punct", "unknown")
DIMENSIONS = Dimensions(
    width=16,
    layers=2,
    heads=2,
    feedforward=8,
    hidden=16,
    arc_hidden=16,
    rank=4,
    label_hidden=8,
    guess_after=0,
)


def sentences() -> list[Sentence]:
    found = []
    for line in SENTENCES.strip().splitlines():
        rows = [token.rsplit("/", 5) for token in line.split()]
        forms, lemmas, tags, features, heads, deprels = zip(*rows, strict=True)
        found.append(
            Sentence(
                forms,
                tags,
                tuple(map(int, heads)),
                deprels,
                lemmas=lemmas,
                features=features,
                spelling=_spelling(forms),
            )
        )
    return found


def _spelling(forms: Sequence[str]) -> Spelling:
    """As in English, but *at sea* is contracted to *atsy*, so that there is a contraction."""
    follows = (*forms[1:], ".")
    spaces = tuple(
        after not in (".", "n't", "sea") for form, after in zip(forms, follows, strict=True)
    )
    places = [place for place, form in enumerate(forms, start=1) if form == "at"]
    return Spelling(spaces, tuple(Contraction(place, place + 1, "atsy") for place in places))


def derivations() -> Iterator[Sentence]:
    for entry in read_auto(iter(DERIVATIONS.strip().splitlines()), "toy"):
        assert not isinstance(entry, FormatError)
        yield CcgSentence(entry.id, entry.derivation).sentence


def _header(**fields: Any) -> dict[str, Any]:
    return {
        "name": "toy",
        "language": "en",
        "licence": "CC0",
        "attribution": "",
        "data": [{"name": "toy.conllu", "sha256": "0", "sentences": 5, "words": 29}],
        "tag_column": "xpos",
        **fields,
        "settings": {"epochs": 1},
        "created_with": "0.0.0",
        "figures": {"none": {"bleu": 50.0}},
    }


@cache
def language_model(order: int = 3) -> LanguageModel:
    """Also with a word that is seen before very many others, whose number is stored apart."""
    text = [list(sentence.forms) for sentence in sentences()]
    text += [["the", f"w{i}"] for i in range(300)]
    return LanguageModel.of(estimate(text, order=order, word_class=word_class, min_count=1))


@cache
def linear(features: Any) -> Toy:
    return _learned(PerceptronLearner(LinearSettings(features=features, beam=4), 1), sentences())


@cache
def best_first(grammar: Any) -> Toy:
    settings = BestFirstSettings(grammar=grammar, tag_column="xpos")
    data = list(derivations()) if grammar == "ccg" else sentences()
    return _learned(GuidedLearner(settings), data)


def _learned(learner: PerceptronLearner | GuidedLearner, data: Sequence[Sentence]) -> Toy:
    vocabulary = learner.begin(data, [])
    for epoch in (1, 2):
        learner.pass_over(epoch, lambda: None)
    stored = learner.stored()
    header = _header(scorer=learner.settings.SCORER, **learner.describe(), **stored.describe())
    return _fluent(header, {**vocabulary.to_arrays(), **stored.to_arrays()})


@cache
def neural() -> Toy:
    """A network with random parameters: training one needs PyTorch."""
    vocabulary = learn_vocabulary(sentences()).without_forms()
    vocabulary = vocabulary.with_inputs(("NOUN", "VERB"), ("Number=Plur", "Tense=Past"))
    lexicon = learn_lexicon(sentences(), min_count=1)
    rng = np.random.default_rng(1)
    sizes = table_sizes(lexicon, vocabulary)
    shapes = parameter_shapes(DIMENSIONS, sizes, lifting=True)
    parameters = {
        name: rng.standard_normal(shape).astype(np.float32) / np.float32(4)
        for name, shape in shapes.items()
    }
    stored = StoredNetwork.from_parameters(lexicon, parameters)
    header = _header(
        scorer="neural", **describe_network(DIMENSIONS, ("upos", "features")), **stored.describe()
    )
    return _fluent(header, {**vocabulary.to_arrays(), **stored.to_arrays()})


def _fluent(header: dict[str, Any], arrays: Arrays) -> Toy:
    """With a realizer and a language model."""
    ngrams = language_model()
    about = {**ngrams.describe(), "balance": Balance(-1.0, 0.2, -0.4, 0.1).to_json()}
    realizer = learn_realizer(sentences(), "en")
    return (
        {**header, "language_model": about},
        {**arrays, **realizer.to_arrays(), **ngrams.to_arrays()},
    )


@cache
def language_model_alone() -> Toy:
    ngrams = language_model()
    return {"language_model": {"data": [], **ngrams.describe()}}, ngrams.to_arrays()
