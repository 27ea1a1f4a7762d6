"""Inflection: the forms that a lemma may take, given its tag and features as far as known.

Forms come from the `lexicon` of the training treebank; for English, else from the tables and rules
of `english`; else from the `transducer` or, in models without one, the `EditRules` of the same
treebank. `form_choice` estimates how likely each of several forms is; the search decides.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from syntagma.caches import cached_texts
from syntagma.files.sections import check_sections, text_section
from syntagma.realization import english
from syntagma.realization.english_tags import (
    CLOSED,
    OPEN,
    PENN,
    fitting_tags,
    inflected_tags,
    penn_tag,
    upos_tags,
)
from syntagma.realization.letters import capitalised, with_case_of
from syntagma.realization.lexicon import (
    COMMON_TYPO,
    SECTION,
    TYPO,
    EditRules,
    Seen,
    SeenForms,
    TagClasses,
    apply_edit,
    is_typo,
    most_frequent,
    pack_lexicon,
    pack_tag_classes,
    sorted_features,
    unpack_lexicon,
    unpack_tag_classes,
)
from syntagma.realization.transducer import Sibling, Transducer, morphs_of

MAX_FORMS = 6
MIN_SHARE = 0.005  # a rarer form of a lemma counts as an annotation error
_FAMILY = 0.25  # the share of lemmas that tags of one paradigm have in common
# Features do not matter if this share of forms is the same without them; they determine the tag if
# this share of the words with them has it.
_ALIKE = 0.9
_ENOUGH = 5  # words of a pronoun, by which all of its forms are known

# Forms with these features are given only where they are asked for.
_MARKED = ("Abbr=", "Style=", TYPO)


@dataclass(frozen=True, slots=True)
class Form:
    """A form that a lemma may take, and the logarithm of its share among the forms."""

    text: str
    log_share: float = 0.0


class Inflector:
    """Inflects lemmas of one language."""

    def __init__(
        self,
        lexicon: SeenForms | bytes,
        *,
        english: bool = False,
        transducer: Transducer | None = None,
        classes: TagClasses | None = None,
    ) -> None:
        """The lexicon may be packed, as in a model file: it is unpacked when it is first needed."""
        self._given = lexicon
        self.english = english
        self._transducer = transducer
        self._classes = {upos: PENN[upos] for upos in OPEN} if english else classes or {}
        self._rules = cache(lambda tag: EditRules(self.lexicon, tag))
        self.forms = cached_texts(1 << 16)(self._forms)
        self.unseen_feature = cached_texts(1 << 12)(self._find_unseen_feature)

    @cached_property
    def lexicon(self) -> SeenForms:
        """The forms seen of each lemma."""
        return unpack_lexicon(self._given) if isinstance(self._given, bytes) else self._given

    @cached_property
    def has_features(self) -> bool:
        """Whether any form was seen with features."""
        return any(entry.features for entries in self.lexicon.values() for entry in entries)

    def _forms(self, lemma: str, tag: str | None, features: str | None) -> tuple[Form, ...]:
        """The forms to choose from, the most frequent first; never empty.

        Forms that differ only in case count as one, in its most frequent spelling. A tag or
        features of None are not given; features are written as in CoNLL-U. A UPOS tag that is no
        tag of the treebank stands for all tags of its class.
        """
        if features is not None:
            features = sorted_features(features)
        if self.english and tag is not None and self.is_class(tag):
            tag = penn_tag(tag, features) or tag
        counts = (
            self._open(lemma, tag, features)
            or self._seen(lemma, tag, features)
            or self._unseen(lemma, tag, features)
            or {lemma: 1.0}
        )
        total = sum(counts.values())
        variants: dict[str, str] = {}
        shares: defaultdict[str, float] = defaultdict(float)
        for form in sorted(counts, key=lambda form: (-counts[form], form != form.lower(), form)):
            variants.setdefault(form.lower(), form)
            shares[form.lower()] += counts[form] / total
        ranked = sorted(shares, key=lambda form: (-shares[form], variants[form]))[:MAX_FORMS]
        kept = [form for form in ranked if shares[form] >= MIN_SHARE] or ranked[:1]
        return tuple(Form(variants[form], math.log(shares[form])) for form in kept)

    def _seen(self, lemma: str, tag: str | None, features: str | None) -> dict[str, float]:
        """The forms seen with this tag and these features; else with these among others; else
        with features that differ in nothing that matters."""
        entries = self.lexicon.get(lemma)
        if entries is None:
            lower = lemma[:1].lower() + lemma[1:]
            if lower == lemma or lower not in self.lexicon:
                return {}
            found = self._seen(lower, tag, features)
            return {capitalised(form): count for form, count in found.items()}
        tags = self._tags(tag, features)
        fitting = [
            entry
            for entry in entries
            if (tags is None or entry.tag in tags)
            # Models before 0.8 have misspellings that were seen once.
            and not (entry.count < COMMON_TYPO and is_typo(entry.features))
        ]
        given = _parts(features or "")
        if not _marks(given):
            plain = [entry for entry in fitting if not _marks(_parts(entry.features))]
            if plain or (self.english and tag in english.RULES):
                fitting = plain
        if features is not None:
            fitting = (
                [entry for entry in fitting if entry.features == features]
                or [entry for entry in fitting if given <= _parts(entry.features)]
                or [entry for entry in fitting if self._alike(entry, features)]
            )
            if not fitting and _marks(given):
                return self._seen(lemma, tag, sorted_features("|".join(given - _marks(given))))
        counts: Counter[str] = Counter()
        for entry in fitting:
            counts[entry.form] += entry.count
        listed = english.listed(lemma.lower(), tag) if self.english and tag else ()
        return {
            form: float(count)
            for form, count in counts.items()
            if not (listed and count == 1) or form.lower() in listed
        }

    def _open(self, lemma: str, tag: str | None, features: str | None) -> dict[str, float]:
        """The forms of a lemma whose tag is open: any one or, in English, any one of a class."""
        if tag is None:
            return self._untagged(lemma, features)
        return self._of_class(lemma, tag, features) if self.english and self.is_class(tag) else {}

    def _of_class(self, lemma: str, upos: str, features: str | None) -> dict[str, float]:
        """The English forms with these features that were seen with any tag of a class and, as if
        seen once, those of its other tags. Those of rare tags count less."""
        found: dict[str, float] = {}
        fitting = fitting_tags(upos, features)
        total = sum(self._tag_counts[None][tag] + 1 for tag in fitting)
        for tag in sorted(self._tags(upos, features) or ()):
            forms = self._seen(lemma, tag, features)
            if not forms and tag in fitting and english.is_likely(lemma, tag):
                weight = (self._tag_counts[None][tag] + 1) / total
                weight *= 1 if tag in english.DEGREES else len(fitting)
                ranked = enumerate(english.inflected(lemma, tag), start=1)
                forms = {form: weight / rank for rank, form in ranked}
            for form, count in forms.items():
                found[form] = found.get(form, 0.0) + count
        return found

    def _untagged(self, lemma: str, features: str | None) -> dict[str, float]:
        """The forms seen with any tag and, as if seen once, those of other tags of the paradigm."""
        found = self._seen(lemma, None, features)
        entries = self.lexicon.get(lemma) if features is None else None
        if not entries:
            return found
        tags = dict.fromkeys(entry.tag for entry in entries)  # in a fixed order, unlike a set
        others = Counter[tuple[str, str]]()
        for tag in tags:
            for other in self._families.get(tag, ()):
                if other not in tags:
                    others[other, self._usual[other]] += 1
        for other, usual in others:
            close = self.english and any(english.are_of_one_class(other, tag) for tag in tags)
            for form in self._unseen(lemma, other, usual):
                found[form] = found.get(form, 0.0) + (1.0 if close else 1 / len(others))
        return found

    @cached_property
    def _families(self) -> dict[str, list[str]]:
        """For each tag, the tags that its lemmas often have, too: those of one paradigm."""
        sizes: Counter[str] = Counter()
        shared: Counter[tuple[str, str]] = Counter()
        for entries in self.lexicon.values():
            tags = sorted({entry.tag for entry in entries})
            sizes.update(tags)
            shared.update(permutations(tags, 2))
        families: defaultdict[str, list[str]] = defaultdict(list)
        for (tag, other), count in sorted(shared.items()):
            if count >= _FAMILY * sizes[tag]:
                families[tag].append(other)
        return dict(families)

    @cached_property
    def _usual(self) -> dict[str, str]:
        """The most frequent features of each tag."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for entries in self.lexicon.values():
            for entry in entries:
                counts[entry.tag][entry.features] += entry.count
        return {tag: max(sorted(seen), key=seen.__getitem__) for tag, seen in counts.items()}

    def _alike(self, entry: Seen, features: str) -> bool:
        same, all_ = self._differences.get(_difference(entry.tag, entry.features, features), (0, 0))
        return same > 0 and same >= _ALIKE * all_

    @cached_property
    def _differences(self) -> dict[tuple[str, frozenset[str]], tuple[int, int]]:
        """For each difference between two sets of features of one lemma: how often the form was the
        same, and how often the difference occurred."""
        counts: dict[tuple[str, frozenset[str]], tuple[int, int]] = {}
        for entries in self.lexicon.values():
            for one, other in combinations(most_frequent(entries, typos=True), 2):
                if one.tag == other.tag:
                    key = _difference(one.tag, one.features, other.features)
                    same, all_ = counts.get(key, (0, 0))
                    counts[key] = same + (one.form.lower() == other.form.lower()), all_ + 1
        return counts

    def _unseen(self, lemma: str, tag: str | None, features: str | None) -> dict[str, float]:
        """The forms of a lemma that was not seen with this tag."""
        if not self.english and tag is not None and self.is_class(tag):
            tag = self._likeliest_tag(lemma, tag, features)[0]
        if self.english and tag is None and features is None:
            return dict.fromkeys(english.likely_forms(lemma), 1.0)
        penn = penn_tag(tag, features) if self.english else None
        forms = english.inflected(lemma, penn) if penn is not None else ()
        return {form: 1.0 / rank for rank, form in enumerate(forms, start=1)} or self._by_rule(
            lemma, tag, features
        )

    def likeliest(self, lemma: str, tag: str | None, features: str | None) -> str:
        """The first of the forms; a tag that was not seen counts as not given."""
        return self.forms(lemma, tag if self.knows(tag) else None, features)[0].text

    def knows(self, tag: str | None) -> bool:
        """Whether inflection can use a tag: seen in training, a UPOS tag of those, or English."""
        return tag in self._usual or tag in self._classes or (self.english and tag in english.RULES)

    def is_class(self, tag: str) -> bool:
        """Whether a tag is a UPOS tag that stands for the tags of its class."""
        return tag in self._classes and tag not in self._usual

    def _tags(self, tag: str | None, features: str | None) -> frozenset[str] | None:
        """The tags that a given tag stands for; None for all."""
        if tag is None:
            return None
        if not self.is_class(tag):
            return frozenset((tag,))
        if not self.english:
            return self._classes[tag]
        return PENN[tag] - inflected_tags(tag) | fitting_tags(tag, features)

    def _likeliest_tag(self, lemma: str, upos: str, features: str | None) -> tuple[str, float]:
        """The tag that words of a class most often have, and how often: those of the lemma with the
        same features, else all with the same features, else all."""
        of_lemma: Counter[str] = Counter()
        for entry in self.lexicon.get(lemma, ()):
            if entry.features == features:
                of_lemma[entry.tag] += entry.count
        of_all = self._tag_counts
        empty = Counter[str]()
        for seen in (of_lemma, of_all.get(features, empty), of_all.get(None, empty)):
            counts = {tag: seen[tag] for tag in self._classes[upos] if tag in seen}
            if counts:
                tag = max(sorted(counts), key=counts.__getitem__)
                return tag, counts[tag] / sum(counts.values())
        return upos, 0.0  # words of this class have no lemmas

    @cached_property
    def _tag_counts(self) -> dict[str | None, Counter[str]]:
        """How often each tag was seen with these features, and with any (None)."""
        counts: defaultdict[str | None, Counter[str]] = defaultdict(Counter)
        for entries in self.lexicon.values():
            for entry in entries:
                counts[entry.features][entry.tag] += entry.count
                counts[None][entry.tag] += entry.count
        return dict(counts)

    def tag_of_form(
        self, lemma: str, upos: str | None, features: str | None, form: str
    ) -> str | None:
        """The tag that an English lemma of a class, or of those it was seen as, has in this form;
        None if it may be one of several."""
        if upos is None and form.lower() == lemma.lower():
            return None
        classes = OPEN & self.seen_as(lemma).keys() if upos is None else {upos}
        candidates = frozenset[str]().union(*(fitting_tags(each, features) for each in classes))
        tags = [
            tag
            for tag in sorted(candidates)
            if form.lower() in (each.text.lower() for each in self.forms(lemma, tag, features))
        ]
        return tags[0] if len(tags) == 1 else None

    def seen_as(self, lemma: str) -> Mapping[str, int]:
        """The UPOS tags that an English lemma may have had in training, and how often."""
        counts: Counter[str] = Counter()
        for entry in self.lexicon.get(lemma) or self.lexicon.get(lemma.lower()) or ():
            for upos in upos_tags(entry.tag):
                counts[upos] += entry.count
        return counts

    def _find_unseen_feature(self, lemma: str, features: str) -> str | None:
        """A feature of a pronoun or determiner that no form of it has: each was seen, but not with
        this case, number or person."""
        seen = Counter[str]()
        for entry in self.lexicon.get(lemma) or self.lexicon.get(lemma.lower()) or ():
            for part in _parts(entry.features):
                seen[part] += entry.count
        for part in sorted(_parts(features)):
            name = part.partition("=")[0] + "="
            others = sum(count for each, count in seen.items() if each.startswith(name))
            if name in ("Case=", "Number=", "Person=") and part not in seen and others >= _ENOUGH:
                return part
        return None

    def known_tag(self, lemma: str, tag: str | None, features: str | None) -> str | None:
        """The tag itself or, if it is a UPOS tag that was not seen, the tag that lemma and features
        give. If they leave it open, it stays."""
        if not self.english and tag and features is not None and self.is_class(tag):
            likeliest, share = self._likeliest_tag(lemma, tag, sorted_features(features))
            return likeliest if share >= _ALIKE else tag
        if not self.english or tag is None or tag in self._usual or tag not in PENN:
            return tag
        determined = penn_tag(tag, features)
        if tag in CLOSED or tag == "ADV":
            given = _parts(features or "")
            entries = self.lexicon.get(lemma) or self.lexicon.get(lemma.lower()) or ()
            counts: Counter[str] = Counter()
            for fit in (given.__eq__, given.__le__, frozenset().__le__):
                for entry in entries:
                    if entry.tag in PENN[tag] and fit(_parts(entry.features)):
                        counts[entry.tag] += entry.count
                if counts:
                    usual = max(sorted(counts), key=counts.__getitem__)
                    if tag not in OPEN or usual not in inflected_tags(tag) or determined == "RB":
                        return usual
                    break
        if determined is None and tag in OPEN:
            return tag
        return determined if determined in self._usual else None

    def _by_rule(self, lemma: str, tag: str | None, features: str | None) -> dict[str, float]:
        if tag is None:
            return {lemma: 1.0}
        if (transducer := self._transducer) is not None:
            lower = lemma.lower()
            siblings = [
                Sibling(morphs_of(entry.tag, entry.features), changes)
                for entry in most_frequent(self.lexicon.get(lemma, ()))
                if (changes := transducer.align(lower, entry.form.lower())) is not None
            ]
            form = transducer.inflect(lower, tag, features, siblings)
            fits = form != "" and form == " ".join(form.split())
            return {with_case_of(lemma, form) if fits else lemma: 1.0}
        found: dict[str, float] = {}
        if tag not in self._tag_counts.get(None, ()):
            return found  # no lemma to learn from was seen with it
        neutral = lemma.lower() if lemma.isupper() else lemma[:1].lower() + lemma[1:]
        for edit, chance in self._rules(tag).chances(lemma, features).items():
            made = apply_edit(edit, neutral)
            if made and made == " ".join(made.split()):  # not a phrase that lost a word
                form = with_case_of(lemma, made)
                found[form] = found.get(form, 0.0) + chance
        best = sorted(found, key=lambda form: (-found[form], form))[:1]
        return {form: found[form] for form in best}

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """A section of a model file; `from_arrays` is the inverse."""
        packed = self._given if isinstance(self._given, bytes) else pack_lexicon(self._given)
        learned = {} if self._transducer is None else self._transducer.to_arrays()
        classes = {} if self.english else self._classes  # those of English are no news
        return {SECTION: np.frombuffer(packed, np.uint8), **learned, **pack_tag_classes(classes)}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], *, english: bool = False
    ) -> Inflector:
        check_sections(arrays, [text_section(SECTION)])
        return cls(
            arrays[SECTION].tobytes(),
            english=english,
            transducer=Transducer.from_arrays(arrays),
            classes=unpack_tag_classes(arrays),
        )


def _parts(features: str) -> frozenset[str]:
    return frozenset(features.split("|")) if features else frozenset()


def _marks(parts: frozenset[str]) -> frozenset[str]:
    """Those of the features that mark a form as unusual."""
    return frozenset(part for part in parts if part.startswith(_MARKED))


def _difference(tag: str, one: str, other: str) -> tuple[str, frozenset[str]]:
    """The tag, and the names of the features that differ."""
    return tag, frozenset(part.partition("=")[0] for part in _parts(one) ^ _parts(other))
