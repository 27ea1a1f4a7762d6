"""Learns a realizer from a treebank: the forms of lemmas, and which of them a lemma takes.

Inflection of unseen lemmas is learned by `transducer_training`, spelling by
`detokenization_training`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from syntagma.errors import TrainingError
from syntagma.problem.problem import Problem
from syntagma.problem.word import Alternative, Word
from syntagma.realization.detokenization_training import learn_detokenizer
from syntagma.realization.form_choice import (
    EDGE,
    FormChoice,
    FormContext,
    LemmaKey,
    TreeContexts,
    neighbour_contexts,
    pooled_keys,
)
from syntagma.realization.inflection import Form, Inflector
from syntagma.realization.letters import capitalised, neutral_form
from syntagma.realization.lexicon import (
    COMMON_TYPO,
    Seen,
    TagClasses,
    find_edit,
    is_typo,
    sorted_features,
)
from syntagma.realization.realizer import Realizer, is_english
from syntagma.realization.transducer_training import learn_transducer
from syntagma.treebanks.treebank import Sentence
from syntagma.treebanks.visits import InflectedVisit

MIN_TAG_SHARE = 0.05  # of the words with a tag: a class with fewer of them does not have the tag
MIN_LEMMA = 20  # a lemma seen less often has no model
MIN_CONTEXT = 5  # a context seen less often has no weight
_ROUNDS = 100  # of gradient ascent
_LEARNING_RATE = 0.3
_L2 = 1.0  # regularisation
_LEAST = 10  # in hundredths; contexts whose weights are all smaller are dropped

_Example = tuple[int, list[str]]  # the form, and the contexts


def learn_inflector(sentences: Iterable[Sentence], *, english: bool = False) -> Inflector:
    """An inflector whose lexicon is the words that have lemmas, without slips of the writers."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    tags: Counter[tuple[str, str]] = Counter()
    for sentence in sentences:
        tags.update(zip(sentence.upos, sentence.tags, strict=bool(sentence.upos)))
        if sentence.lemmas:
            features, forms = map(sorted_features, sentence.features), neutral_forms(sentence)
            words = zip(sentence.lemmas, sentence.tags, features, forms, strict=True)
            counts.update(word for word in words if word[0])
    lexicon: defaultdict[str, list[Seen]] = defaultdict(list)
    for (lemma, tag, of_word, form), count in sorted(counts.items()):
        if is_typo(of_word) and count < COMMON_TYPO:
            continue
        edit = find_edit(lemma.lower(), form.lower())
        lexicon[lemma].append(Seen(tag, of_word, form, count, edit))
    transducer = None if english else learn_transducer(lexicon)
    classes = None if english else learn_tag_classes(tags)
    return Inflector(dict(lexicon), english=english, transducer=transducer, classes=classes)


def learn_tag_classes(counts: Mapping[tuple[str, str], int]) -> TagClasses:
    """The classes of words, given how often each pair of a UPOS tag and a tag occurs."""
    totals: Counter[str] = Counter()
    for (upos, tag), count in counts.items():
        totals[tag] += count if upos else 0
    classes: defaultdict[str, set[str]] = defaultdict(set)
    for (upos, tag), count in counts.items():
        if upos and tag and count >= MIN_TAG_SHARE * totals[tag]:
            classes[upos].add(tag)
    return {upos: frozenset(tags) for upos, tags in classes.items()}


def neutral_forms(sentence: Sentence) -> tuple[str, ...]:
    """The forms of a sentence as they would be in mid-sentence: capitals of its first word or of a
    heading are not inflection."""
    forms = []
    initial = True
    lemmas = sentence.lemmas or ("",) * len(sentence)
    for form, lemma in zip(sentence.forms, lemmas, strict=True):
        forms.append(neutral_form(form, lemma, initial) if lemma else form)
        initial = initial and not any(map(str.isalnum, form))
    return tuple(forms)


def learn_form_choice(sentences: Iterable[Sentence], inflector: Inflector) -> FormChoice:
    """Learn to choose among the forms that the inflector proposes."""
    examples: defaultdict[LemmaKey, list[_Example]] = defaultdict(list)
    for sentence in sentences:
        if not sentence.lemmas:
            continue
        tree = TreeContexts(sentence.lemmas, sentence.heads, sentence.deprels)
        for i, key, form in _ambiguous(sentence, inflector):
            examples[key].append((form, tree.contexts(i)))
    weights = {}
    for key, seen in sorted(examples.items()):
        if len(seen) >= MIN_LEMMA:
            shares = [form.log_share for form in inflector.forms(*key)]
            weights[key] = _learn(seen, np.array(shares, np.float32))
    return FormChoice(weights)


def learn_form_context(
    sentences: Iterable[Sentence], inflector: Inflector, choice: FormChoice, *, pooled: bool = False
) -> FormContext:
    """Learn what neighbouring words add to the shares that the choice of forms gives. Weights that
    are `pooled` serve lemmas that were seen rarely."""
    examples: defaultdict[LemmaKey, list[tuple[int, list[str], list[float]]]] = defaultdict(list)
    members: defaultdict[LemmaKey, set[LemmaKey]] = defaultdict(set)
    for sentence in sentences:
        if not sentence.lemmas:
            continue
        found = list(_ambiguous(sentence, inflector))
        if not found:
            continue
        problem = _as_lemmas(sentence)
        proposed = [inflector.forms(*key) for key in _keys(sentence)]
        shares = choice.log_shares(problem, proposed)
        forms = [EDGE, *neutral_forms(sentence), EDGE]
        for i, key, form in found:
            contexts = [
                *neighbour_contexts("after", forms[i]),
                *neighbour_contexts("before", forms[i + 2]),
            ]
            examples[key].append((form, contexts, shares[i]))
            if pooled:
                texts = _texts(proposed[i])
                order = sorted(range(len(texts)), key=texts.__getitem__)
                sorted_shares = [shares[i][place] for place in order]
                for pool in pooled_keys(key[0], sorted(texts)):
                    examples[pool].append((order.index(form), contexts, sorted_shares))
                    members[pool].add(key if pool[0] else (key[0].lower(), "", ""))
    weights = {}
    for key, seen in sorted(examples.items()):
        if len(seen) >= MIN_LEMMA and len(members.get(key, "ab")) > 1:
            seen = sorted(seen)
            bases = np.array([shares_ for _, _, shares_ in seen], np.float32)
            learned = _learn([(form, contexts) for form, contexts, _ in seen], bases)
            if learned:
                weights[key] = learned
    return FormContext(weights)


def _keys(sentence: Sentence) -> list[LemmaKey]:
    features = map(sorted_features, sentence.features)
    return list(zip(sentence.lemmas, sentence.tags, features, strict=True))


def _ambiguous(sentence: Sentence, inflector: Inflector) -> Iterator[tuple[int, LemmaKey, int]]:
    """The words with several forms, one of which is theirs: place, key and number of the form."""
    for i, (key, form) in enumerate(zip(_keys(sentence), neutral_forms(sentence), strict=True)):
        forms = _texts(inflector.forms(*key)) if key[0] else []
        if len(forms) > 1 and form.lower() in forms:
            yield i, key, forms.index(form.lower())


def _as_lemmas(sentence: Sentence) -> Problem:
    words = zip(
        *(sentence.lemmas, sentence.forms, sentence.tags, sentence.heads, sentence.deprels),
        sentence.features,
        strict=True,
    )
    return Problem(
        tuple(
            Word(lemma=lemma or form, tag=tag or None, head=head, deprel=deprel, features=features)
            for lemma, form, tag, head, deprel, features in words
        )
    )


def _texts(forms: Sequence[Form]) -> list[str]:
    return [form.text.lower() for form in forms]


def _learn(
    examples: Sequence[_Example], shares: npt.NDArray[np.float32]
) -> dict[str, tuple[int, ...]]:
    """Weights that maximise the likelihood of the examples, by AdaGrad (Duchi et al. 2011).

    The log shares, to which weights are added, are those of the forms or, row by row, of the forms
    of each of the examples, which are then sorted.
    """
    counts = Counter(context for _, contexts in examples for context in set(contexts))
    known = sorted(context for context, count in counts.items() if count >= MIN_CONTEXT)
    number = {context: i for i, context in enumerate(known)}
    seen = np.zeros((len(examples), len(known)), np.float32)
    right = np.zeros((len(examples), shares.shape[-1]), np.float32)
    for row, (form, contexts) in enumerate(sorted(examples)):
        seen[row, [number[context] for context in contexts if context in number]] = 1
        right[row, form] = 1
    weights = np.zeros((len(known), shares.shape[-1]), np.float32)
    squares = np.full_like(weights, 1e-8)
    for _ in range(_ROUNDS):
        scores = seen @ weights + shares
        chances = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        gradient = seen.T @ (right - chances) - _L2 * weights
        squares += gradient**2
        weights += _LEARNING_RATE * gradient / np.sqrt(squares)
    hundredths = np.rint(100 * weights).astype(int)
    return {
        context: tuple(row.tolist())
        for context, row in zip(known, hundredths, strict=True)
        if np.abs(row).max() >= _LEAST
    }


def learn_realizer(sentences: Sequence[Sentence], language: str) -> Realizer:
    """Learn inflection, form choice and detokenisation; raises `TrainingError` without lemmas."""
    if not any(any(sentence.lemmas) for sentence in sentences):
        raise TrainingError(
            "the treebank has no lemmas, which realisation is learned from: "
            "leave out realize (--realize), or use a treebank with lemmas"
        )
    spelled = (
        (sentence.forms, sentence.tags, sentence.spelling)
        for sentence in sentences
        if sentence.spelling is not None
    )
    inflector = learn_inflector(sentences, english=is_english(language))
    choice = learn_form_choice(sentences, inflector)
    # English has been tuned without pooled weights: *a* and *an* have a rule of their own.
    context = learn_form_context(sentences, inflector, choice, pooled=not is_english(language))
    return Realizer(inflector, choice, learn_detokenizer(spelled), context)


def inflect_visit(realizer: Realizer, sentence: Sentence, problem: Problem) -> InflectedVisit:
    """The problem that a sentence poses with lemmas instead of forms, and the forms to choose from.

    A form of the sentence that the realizer does not propose is given, as the form of a word
    without a lemma is. The words of the problem are listed in the order of the sentence. Learners
    that choose forms read no UPOS tags, so inflection does not find tags by them.
    """
    gold = neutral_forms(sentence)
    lemmas = sentence.lemmas or ("",) * len(sentence)
    features = sentence.features or ("",) * len(sentence)
    words = zip(problem.words, lemmas, features, strict=True)
    posed = tuple(
        replace(word, form="", lemma=lemma, features=of_word, upos=None)
        if lemma
        else replace(word, upos=None)
        for word, lemma, of_word in words
    )
    inflected, proposed = realizer.inflect(replace(problem, words=posed))
    forms, alternatives, chosen = [], [], []
    for word, choice, form in zip(inflected.words, proposed, gold, strict=True):
        texts = [each.text.lower() for each in choice]
        if form.lower() in texts:
            forms.append(word.form)
            alternatives.append(choice)
            chosen.append(texts.index(form.lower()))
        else:
            forms.append(form)
            alternatives.append((Alternative(form, capitalised(form)),))
            chosen.append(0)
    return InflectedVisit(inflected.with_forms(forms), tuple(alternatives), tuple(chosen))


def inflect_sentence(realizer: Realizer, sentence: Sentence) -> Sentence:
    """The sentence with the likeliest form of each lemma."""
    if not sentence.lemmas:
        return sentence
    words = zip(
        sentence.lemmas, sentence.tags, sentence.features, neutral_forms(sentence), strict=True
    )
    forms = tuple(
        realizer.inflector.likeliest(lemma, tag, features) if lemma else form
        for lemma, tag, features, form in words
    )
    return replace(sentence, forms=forms)
