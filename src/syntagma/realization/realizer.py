"""The realizer: the forms that lemmas may take, and the detokeniser.

`training` learns it from a treebank. Words are ordered and their forms chosen by one search, which
`linearizer` starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy.typing as npt

from syntagma.errors import ModelError, ProblemError, name_word
from syntagma.files.sections import check_sections, text_section
from syntagma.problem.problem import Problem
from syntagma.problem.word import UPOS_TAGS, Alternative, Word
from syntagma.realization import detokenization, lexicon
from syntagma.realization.agreement import (
    Agreement,
    agreeing,
    agreeing_determiner,
    agreeing_noun,
    comparative,
    finite,
    settle_articles,
    settle_verbs,
)
from syntagma.realization.detokenization import Detokenizer
from syntagma.realization.english_tags import (
    OPEN,
    PENN,
    is_present,
    missing_form,
    upos_of_features,
)
from syntagma.realization.form_choice import FormChoice, FormContext, best_forms
from syntagma.realization.inflection import Form, Inflector
from syntagma.realization.letters import capitalised
from syntagma.realization.lexicon import sorted_features
from syntagma.realization.word_classes import WordClasses
from syntagma.results.linearization import Linearization
from syntagma.transition.encoding import with_chosen_forms

# Tags of pronouns and determiners.
_PRONOMINAL = ((PENN["PRON"] | PENN["DET"]) - {"NN"}) | {"PRON", "DET"}

Alternatives = tuple[tuple[Alternative, ...], ...]

# The first two are compressed; they are unpacked, and their lines checked, when first needed.
TABLE = tuple(map(text_section, (lexicon.SECTION, FormChoice.SECTION, *detokenization.SECTIONS)))


@dataclass(frozen=True, slots=True)
class Realizer:
    """Inflects lemmas and detokenises sentences."""

    SECTIONS: ClassVar = frozenset(section.name for section in TABLE)

    inflector: Inflector
    choice: FormChoice
    detokenizer: Detokenizer
    context: FormContext = field(default_factory=lambda: FormContext({}))
    source: str = ""  # the file of the model, for messages

    def as_given(self, problem: Problem) -> Problem:
        """The problem with features as they count: they are given if any word has some. If none
        has, they are not given, or empty for a model whose training data had none."""
        if any(word.features for word in problem.words):
            return problem
        with self._naming_the_file():
            features = None if self.inflector.has_features else ""
        if all(word.features == features for word in problem.words):
            return problem
        words = tuple(replace(word, features=features) for word in problem.words)
        return replace(problem, words=words)

    def inflect(self, problem: Problem) -> tuple[Problem, Alternatives]:
        """The problem with the likeliest form of each lemma, and the forms that each word may take.

        Given forms stay. The likeliest form does not depend on the tree; the shares of the
        alternatives do.
        """
        with self._naming_the_file():
            if self.inflector.english:
                self._check(problem.words)
            given, problem = problem, self._tagged(problem)
            forms = list(map(self._forms, problem.words))
            if self.inflector.english:
                forms = self._agreed(problem, forms)
                problem = self._without_classes(problem, given)
            log_shares = self.choice.log_shares(problem, forms)
        alternatives = tuple(
            tuple(
                Alternative(form.text, form.text if word.form else capitalised(form.text), share)
                for form, share in zip(several, shares, strict=True)
            )
            for word, several, shares in zip(problem.words, forms, log_shares, strict=True)
        )
        return problem.with_forms([several[0].text for several in forms]), alternatives

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        """Errors name the file of the model: some sections are read when they are first used."""
        try:
            yield
        except ModelError as error:
            raise ModelError(f"{self.source}: {error}" if self.source else str(error)) from error

    def _tagged(self, problem: Problem) -> Problem:
        """The problem with tags that the model knows, from UPOS tags and features, in place of tags
        that it does not."""
        given = self._classes(problem.words)
        tags = [
            self.inflector.known_tag(word.lemma or word.form, tag, word.features)
            for word, tag in zip(problem.words, given, strict=True)
        ]
        words = list(zip(problem.words, tags, strict=True))
        if all(word.tag == tag for word, tag in words):
            return problem
        tagged = [
            replace(word, tag=tag, upos=word.upos or (word.tag if word.tag in UPOS_TAGS else None))
            for word, tag in words
        ]
        if not self.inflector.english:
            return replace(problem, words=tuple(tagged))
        subjects = Agreement(tagged)
        for i, word in enumerate(tagged):
            if word.tag in ("VERB", "AUX") and is_present(word.features):
                subject = subjects.subject(i)
                if subject is not None:
                    tagged[i] = replace(word, tag="VBZ" if subject.third_singular else "VBP")
        return replace(problem, words=tuple(tagged))

    def _classes(self, words: Sequence[Word]) -> list[str | None]:
        """The tags of words or, where they are not given or of another tag set, their UPOS tags; in
        English, those that the labels of the tree tell where neither is given."""
        found = list(map(self._tag_or_upos, words))
        if self.inflector.english and None in found:
            classes = WordClasses(words, self.inflector.seen_as)
            for i, word in enumerate(words):
                if found[i] is None and upos_of_features(word.features) is None:
                    upos = classes.infer(i)
                    found[i] = upos if upos in OPEN else None
        return found

    def _check(self, words: Sequence[Word]) -> None:
        """Refuse features of lemmas for which there is no form in English."""
        for i, (word, tag) in enumerate(zip(words, self._classes(words), strict=True)):
            if word.form or word.lemma is None:
                continue
            features = word.features or ""
            if "Voice=" in features and "VerbForm=" not in features:
                features += "|VerbForm=Fin" * Agreement(words).is_finite(i)
            missing = missing_form(tag, word.lemma, features)
            if missing is not None and self._is_modal(word.lemma, tag):
                continue  # its tense and mood are those of the lemma
            if missing is None and features and tag in _PRONOMINAL:
                feature = self.inflector.unseen_feature(word.lemma, features)
                if feature is not None:
                    missing = f"{feature}, which none of its forms has: leave it out"
            if missing is not None:
                raise ProblemError(
                    f"{name_word(words, i + 1)} has {missing}, or give its form",
                    field=f"words[{i}].features",
                )

    def _is_modal(self, lemma: str, tag: str | None) -> bool:
        known_tag = self.inflector.known_tag
        return tag in ("AUX", "VERB", None) and known_tag(lemma, "AUX", None) == "MD"

    def _tag_or_upos(self, word: Word) -> str | None:
        """The tag of a word; its UPOS tag if the tag is not given, or of another tag set."""
        if word.upos is None or word.tag in UPOS_TAGS or self.inflector.knows(word.tag):
            return word.tag
        return word.upos

    def _agreed(
        self, problem: Problem, forms: Sequence[tuple[Form, ...]]
    ) -> list[tuple[Form, ...]]:
        """The forms without those that contradict the subject of a verb or the noun of *this*."""
        subjects = Agreement(problem.words)
        agreed = list(forms)
        for i, (word, several) in enumerate(zip(problem.words, forms, strict=True)):
            if len(several) > 1 and word.tag == "VERB" and subjects.is_finite(i):
                agreed[i] = several = finite(word, several)
            if len(several) > 1 and word.tag in (None, "VERB", "AUX", "VBD", "VBP"):
                subject = subjects.subject(i)
                if subject is not None:
                    agreed[i] = agreeing(word, several, subject)
            plural = subjects.is_plural(i) if len(several) > 1 else None
            if plural is not None:
                agreed[i] = agreeing_noun(word, several, plural)
            if not word.form and subjects.is_compared(i):
                agreed[i] = comparative(word, several)
            if len(several) > 1:
                agreed[i] = agreeing_determiner(word, agreed[i], problem.words)
        return agreed

    def _without_classes(self, problem: Problem, given: Problem) -> Problem:
        """The problem without UPOS tags in place of English tags that features leave open. The
        search reads those that are given in their own place."""
        words = tuple(
            replace(word, tag=None)
            if word.tag in OPEN and (word.tag != as_given.tag or self.inflector.is_class(word.tag))
            else word
            for word, as_given in zip(problem.words, given.words, strict=True)
        )
        return problem if words == problem.words else replace(problem, words=words)

    def _forms(self, word: Word) -> tuple[Form, ...]:
        if word.form or word.lemma is None:
            return (Form(word.form),)
        tag = word.tag if self.inflector.knows(word.tag) else None
        return self.inflector.forms(word.lemma, tag, word.features)

    def settle(
        self,
        found: Linearization,
        alternatives: Sequence[Sequence[Alternative]],
        *,
        chosen: bool = False,
    ) -> Linearization:
        """The result with the forms that the order or other forms decide: English *a* and *an*,
        verbs whose subjects have taken a form and, unless the search has `chosen` among the forms
        that each word may take, all of them."""
        if not chosen:
            found = self._choose(found, alternatives)
        if not self.inflector.english:
            return found
        words = found.problem.words
        if any(
            len(several) > 1 and self._tag_or_upos(word) in (None, "VERB", "AUX")
            for word, several in zip(words, alternatives, strict=True)
        ):
            tags = self._classes(words)
            tagged = [replace(word, tag=tag) for word, tag in zip(words, tags, strict=True)]
            found = settle_verbs(found, tagged, alternatives)
        return settle_articles(found)

    def _choose(
        self, found: Linearization, alternatives: Sequence[Sequence[Alternative]]
    ) -> Linearization:
        """The result with the best forms in its order."""
        problem, tokens = found.problem, found.tokens
        sources = [token.source - 1 for token in tokens]
        contributions = []
        for source, tag in zip(sources, found.model_tags or found.tags, strict=True):
            word, choice = problem.words[source], alternatives[source]
            forms: Sequence[Form] = ()
            if len(choice) > 1 and word.lemma is not None:
                forms = self.inflector.forms(word.lemma, tag, word.features)
            key = word.lemma or "", tag or "", sorted_features(word.features or "")
            contributions.append(self.context.contribution(key, forms, choice))
        chosen = best_forms([alternatives[source] for source in sources], contributions)
        problem = with_chosen_forms(problem, alternatives, sources, chosen)
        return replace(
            found,
            tokens=tuple(replace(t, form=problem.words[t.source - 1].form) for t in tokens),
            problem=problem,
        )

    def as_realized(self, problem: Problem) -> Problem:
        """A problem whose forms have been chosen, with the tags that lemmas, features and forms
        determine."""
        with self._naming_the_file():
            words: list[Word] = []
            for word in self._tagged(problem).words:
                tag = word.tag
                if (
                    self.inflector.english
                    and word.lemma is not None
                    and (tag is None or (tag in OPEN and self.inflector.is_class(tag)))
                ):
                    tag = self.inflector.tag_of_form(word.lemma, tag, word.features, word.form)
                words.append(replace(word, tag=tag))
        return replace(problem, words=tuple(words))

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {
            **self.inflector.to_arrays(),
            **self.choice.to_arrays(),
            **self.context.to_arrays(),
            **self.detokenizer.to_arrays(),
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], language: str, source: str = ""
    ) -> Realizer:
        check_sections(arrays, TABLE)
        return cls(
            Inflector.from_arrays(arrays, english=is_english(language)),
            FormChoice.from_arrays(arrays),
            Detokenizer.from_arrays(arrays),
            FormContext.from_arrays(arrays),
            source,
        )


def is_english(language: str) -> bool:
    return re.split("[-_]", language.lower())[0] in ("en", "eng", "english")


def likeliest_first(alternatives: Alternatives) -> Alternatives:
    """The forms of each word by how likely they are among its neighbours in the tree."""
    return tuple(
        tuple(sorted(several, key=lambda each: -each.log_share)) for several in alternatives
    )
