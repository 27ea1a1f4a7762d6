"""Evaluation of realisation: signatures say what figures depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from toys.realizer import toy_lemma_sentences, toy_realizing_model

from syntagma import __version__
from syntagma.evaluation.realization import (
    evaluate_realization,
    lemma_problems,
    says_where_spaces_are,
)
from syntagma.linearizer.linearizer import Linearizer
from syntagma.problem.problem import Problem
from syntagma.treebanks.treebank import Sentence

SENTENCES = toy_lemma_sentences()[:4]


@pytest.fixture
def linearizer(tmp_path: Path) -> Linearizer:
    path = tmp_path / "model"
    path.write_bytes(b"some model")
    return Linearizer(toy_realizing_model(), path)


def signatures(
    linearizer: Linearizer,
    problems: Sequence[Problem] | None = None,
    sentences: Sequence[Sentence] = SENTENCES,
    *,
    seed: int = 1,
    beam: int | None = None,
    timeout: float | None = None,
    threads: int = 1,
) -> list[dict[str, str]]:
    """The fields of both signatures."""
    if problems is None:
        problems = lemma_problems(sentences, seed)
    figures = evaluate_realization(
        linearizer, problems, sentences, beam=beam, timeout=timeout, threads=threads, seed=seed
    )
    found = figures.to_json()["signatures"]
    return [dict(part.partition(":")[::2] for part in each.split("|")) for each in found]


def test_signatures_name_model_data_budget_seed_and_version(linearizer: Linearizer) -> None:
    scores, written = signatures(linearizer, seed=3, beam=16)
    assert list(scores)[:2] == ["SR19", "sentences"]
    assert written["tok"] == "13a"
    for each in (scores, written):
        assert each["n"] == "4"
        assert each["model"] == "39739859"  # sha256 of "some model"
        assert each["beam"] == "16"
        assert each["seed"] == "3"
        assert each["hints"] == "no"
        assert each["syntagma"] == __version__
        assert len(each["data"]) == len(each["input"]) == 8
        assert "lm" not in each


def test_signatures_differ_in_what_differs_and_in_nothing_else(linearizer: Linearizer) -> None:
    plain, _ = signatures(linearizer)

    def changed(other: list[dict[str, str]]) -> set[str]:
        return {name for name in plain | other[0] if plain.get(name) != other[0].get(name)}

    assert changed(signatures(linearizer, threads=2)) == set()
    assert changed(signatures(linearizer, beam=1)) == {"beam"}
    assert changed(signatures(linearizer, timeout=60)) == {"timeout"}
    assert changed(signatures(linearizer, seed=2)) == {"seed", "input"}
    problems = lemma_problems(SENTENCES)
    hinted = [replace(problems[0], before=((1, 2),)), *problems[1:]]
    assert changed(signatures(linearizer, hinted)) == {"input", "hints"}
    word = replace(problems[0].words[0], features="Case=Nom")
    other = [replace(problems[0], words=(word, *problems[0].words[1:])), *problems[1:]]
    assert changed(signatures(linearizer, other)) == {"input"}
    rewritten = [replace(SENTENCES[0], written="Something else."), *SENTENCES[1:]]
    assert changed(signatures(linearizer, problems, rewritten)) == {"data"}


def test_a_language_model_that_is_left_out_is_named(tmp_path: Path) -> None:
    model = toy_realizing_model()
    header = {**model.header, "language_model": {}}
    left_out = Linearizer(replace(model, header=header, language_model=None))  # type: ignore[arg-type]
    assert [each["lm"] for each in signatures(left_out)] == ["left out", "left out"]
    assert [each["model"] for each in signatures(left_out)] == ["unsaved", "unsaved"]


def test_a_treebank_with_spaces_around_all_punctuation_has_no_figures_of_sentences_as_written(
    linearizer: Linearizer,
) -> None:
    said = [replace(SENTENCES[0], forms=("dogs", "bark", "."), written="dogs bark.")]
    spaced = [replace(each, written="dogs bark .") for each in said]
    bare = [
        replace(each, forms=("dogs", "bark", "loudly"), written="dogs bark loudly") for each in said
    ]
    assert [*map(says_where_spaces_are, (said, spaced, bare, said + spaced))] == [
        *(True, False, True, True)
    ]
    sentences = [replace(each, written=" ".join(each.forms)) for each in SENTENCES]
    assert any(not form.isalnum() for each in sentences for form in each.forms)
    figures = evaluate_realization(linearizer, lemma_problems(sentences, 1), sentences)
    assert (figures.written_bleu, figures.exact) == (None, None)
    assert figures.to_json()["written_bleu"] is None
    assert (
        evaluate_realization(linearizer, lemma_problems(SENTENCES, 1), SENTENCES).exact is not None
    )
