"""Learns inflection from a treebank: the forms of its lemmas, in neutral case."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from syntagma.realization.edits import find_edit
from syntagma.realization.inflection import Inflector
from syntagma.realization.letters import neutral_form
from syntagma.realization.lexicon import COMMON_TYPO, Seen, is_typo, sorted_features
from syntagma.realization.tags import TagClasses
from syntagma.realization.transducer_training import learn_transducer
from syntagma.treebanks.treebank import Sentence


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
    classes = None if english else TagClasses.of_words(tags.elements())
    return Inflector(dict(lexicon), english=english, transducer=transducer, classes=classes)


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
