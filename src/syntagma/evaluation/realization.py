"""Evaluation of realisation: lemmas inflected, ordered and detokenised, against a treebank.

The scores of the shared task are computed in `shared_task`; ordering given forms is evaluated in
`evaluate`.
"""

from __future__ import annotations

import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from syntagma.errors import FormatError, ProblemError, shown
from syntagma.evaluation import signature
from syntagma.evaluation.report import as_plain
from syntagma.evaluation.shared_task import SharedTaskScores, shared_task_scores
from syntagma.problem.problem import Problem
from syntagma.request import Request
from syntagma.results.linearization import violations
from syntagma.results.realization import Realization
from syntagma.treebanks.conditions import CONDITIONS, constrain, sentence_rng
from syntagma.treebanks.treebank import Sentence

if TYPE_CHECKING:
    from syntagma.linearizer.linearizer import Linearizer


@dataclass(frozen=True, slots=True)
class RealizationFigures:
    """Figures of one run, in percent except NIST and CPU milliseconds per sentence.

    `scores` compare words; `token_scores` compare tokens, with contractions as one, which is how
    the shared task scored languages that have them; None if the treebank has none. `written_bleu`
    and `exact` compare detokenised sentences; None if the treebank does not say where spaces are.
    `forms` is the percentage of lemmas with the right form, regardless of position and case.
    """

    scores: SharedTaskScores
    token_scores: SharedTaskScores | None
    forms: float
    written_bleu: float | None
    exact: float | None
    cpu_ms: float
    violations: int  # of constraints; anything but 0 is a bug
    scores_signature: str  # of `scores`
    signature: str  # of `written_bleu`

    def to_json(self) -> dict[str, Any]:
        tokens = self.token_scores
        return {
            **as_plain(self.scores, digits=4),
            **({} if tokens is None else {"tokens": as_plain(tokens, digits=4)}),
            **as_plain(self, "forms written_bleu exact cpu_ms violations"),
            "signatures": [self.scores_signature, self.signature],
        }


def lemma_problems(sentences: Sequence[Sentence], seed: int = 1) -> list[Problem]:
    """The labelled trees of the sentences, shuffled, with lemmas instead of forms."""
    problems = []
    for index, sentence in enumerate(sentences):
        # Positions are shuffled in place of forms, so that lemmas and features can follow them.
        places = replace(sentence, forms=tuple(map(str, range(len(sentence)))))
        problem = constrain(places, CONDITIONS["labelled"], sentence_rng(seed, index))
        words = []
        for word in problem.words:
            place = int(word.form)
            lemma = sentence.lemmas[place] or sentence.forms[place]
            features = sentence.features[place]
            words.append(replace(word, form="", lemma=lemma, features=features))
        problems.append(replace(problem, words=tuple(words)))
    return problems


def without_hints(problem: Problem) -> Problem:
    """The problem without its order constraints."""
    return replace(problem, before=(), first=None, last=None)


def pair(problems: Sequence[Problem | FormatError], sentences: Sequence[Sentence]) -> list[Problem]:
    """Check that each problem has as many words as its sentence; raise the first fault."""
    paired = []
    for number, (problem, sentence) in enumerate(zip(problems, sentences, strict=False), start=1):
        if isinstance(problem, FormatError):
            raise problem
        if len(problem.words) != len(sentence):
            raise ProblemError(
                f"problem {number} has {len(problem.words)} words, but its sentence "
                f"{shown(sentence.id or sentence.text)} has {len(sentence)}: the input and the "
                "treebank (--data) do not belong together"
            )
        paired.append(problem)
    if len(problems) != len(sentences):
        raise ProblemError(
            f"the input has {len(problems)} problems, but the treebank (--data) {len(sentences)} "
            "sentences"
        )
    return paired


def evaluate_realization(
    linearizer: Linearizer,
    problems: Sequence[Problem],
    sentences: Sequence[Sentence],
    *,
    beam: int | None = None,
    timeout: float | None = None,
    projective: bool = False,
    threads: int = 1,
    seed: int = 1,
    on_sentence: Callable[[], None] = lambda: None,
) -> RealizationFigures:
    """Realize each problem and compare the result with its sentence.

    `seed` is that of `lemma_problems`, for the signature.
    """
    request = Request(
        operation="realize",
        search=linearizer.search,
        beam=beam,
        timeout=timeout,
        projective=projective,
    )
    settings = realization_settings(linearizer, problems, sentences, request, seed)
    results: list[Realization] = []
    started = time.process_time()
    for result in linearizer.solve(problems, request, threads=threads):
        results.append(result)
        on_sentence()
    seconds = time.process_time() - started
    return compare(results, sentences, seconds, settings)


def realization_settings(
    linearizer: Linearizer,
    problems: Sequence[Problem],
    sentences: Sequence[Sentence],
    request: Request,
    seed: int = 1,
) -> dict[str, Any]:
    """What the figures depend on, for their signatures."""
    return signature.settings(
        linearizer,
        request,
        n=len(sentences),
        data=signature.digest_texts(sentences),
        seed=seed,
        input=signature.digest_problems(problems),
        hints="yes" if any(problem.before for problem in problems) else "no",
    )


def compare(
    results: Sequence[Realization],
    sentences: Sequence[Sentence],
    seconds: float,
    settings: Mapping[str, object],
) -> RealizationFigures:
    """The figures of results that took `seconds` of CPU time; `settings` go into signatures."""
    from sacrebleu.metrics.bleu import BLEU

    bleu = BLEU(force=True)
    texts = [result.text for result in results]
    written = [sentence.written for sentence in sentences]
    right = sum(map(_right_forms, results, sentences))
    score = bleu.corpus_score(texts, [written])
    spaced = says_where_spaces_are(sentences)
    same = sum(map(str.__eq__, texts, written))
    scores = shared_task_scores(
        [" ".join(result.words) for result in results], [sentence.text for sentence in sentences]
    )
    return RealizationFigures(
        scores=scores,
        token_scores=_token_scores(results, sentences),
        forms=100 * right / sum(map(len, sentences)),
        written_bleu=score.score if spaced else None,
        exact=100 * same / len(sentences) if spaced else None,
        cpu_ms=1000 * seconds / len(sentences),
        violations=sum(len(violations(result.linearization)) for result in results),
        scores_signature=signature.join(scores.signature, settings),
        signature=signature.join(str(bleu.get_signature()), settings),
    )


def says_where_spaces_are(sentences: Sequence[Sentence]) -> bool:
    """Whether a treebank tells how its sentences are written. One that puts spaces around all of
    its punctuation does not."""
    return any(sentence.written != sentence.text for sentence in sentences) or not any(
        all(unicodedata.category(character).startswith("P") for character in form)
        for sentence in sentences
        for form in sentence.forms
    )


def _token_scores(
    results: Sequence[Realization], sentences: Sequence[Sentence]
) -> SharedTaskScores | None:
    references = [
        sentence.spelling.tokens(sentence.forms)
        if sentence.spelling is not None
        else sentence.forms
        for sentence in sentences
    ]
    if all(len(found) == len(each) for found, each in zip(references, sentences, strict=True)):
        return None
    return shared_task_scores(
        [" ".join(result.spelling.tokens(result.words)) for result in results],
        [" ".join(tokens) for tokens in references],
    )


def _right_forms(result: Realization, sentence: Sentence) -> int:
    """How many lemmas have the form of the sentence; identical lemmas are interchangeable."""
    found: Counter[tuple[str, str, str]] = Counter()
    for word in result.linearization.problem.words:
        found[word.lemma or word.form, word.tag or "", word.form.lower()] += 1
    gold = Counter(
        (lemma or form, tag, form.lower())
        for lemma, tag, form in zip(sentence.lemmas, sentence.tags, sentence.forms, strict=True)
    )
    return (found & gold).total()
