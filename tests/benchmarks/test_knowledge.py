"""The benchmark of long bags with hints, on a toy treebank."""

from __future__ import annotations

import json
import random
from pathlib import Path

import knowledge
import pytest
from toys.benchmark_runs import SIZE, call

from syntagma.treebanks.treebank import Sentence

SENTENCE = Sentence(
    forms=("The", "old", "dog", "saw", "a", "cat", "."),
    tags=("DT", "JJ", "NN", "VBD", "DT", "NN", "."),
    heads=(3, 3, 4, 0, 6, 4, 4),
    deprels=("det", "amod", "nsubj", "root", "det", "obj", "punct"),
    upos=("DET", "ADJ", "NOUN", "VERB", "DET", "NOUN", "PUNCT"),
)


def test_noun_phrases_become_words() -> None:
    joined = knowledge.join_noun_phrases(SENTENCE)
    assert joined.forms == ("The old dog", "saw", "a cat", ".")
    assert joined.heads == (2, 0, 2, 2)
    assert joined.upos == ("NOUN", "VERB", "NOUN", "PUNCT")


def test_a_word_with_dependents_stays_outside() -> None:
    heads = (2, 3, 4, 0, 6, 4, 4)  # "The" depends on "old"
    joined = knowledge.join_noun_phrases(
        Sentence(SENTENCE.forms, SENTENCE.tags, heads, SENTENCE.deprels, upos=SENTENCE.upos)
    )
    assert joined.forms == ("The", "old", "dog", "saw", "a cat", ".")


@pytest.mark.parametrize("name", knowledge.GIVEN)
def test_what_is_given_holds_of_the_sentence(name: str) -> None:
    problem = knowledge.GIVEN[name](SENTENCE, random.Random(1))
    places = {form: place for place, form in enumerate(SENTENCE.forms, start=1)}
    assert sorted(" ".join(word.form for word in problem.words).split()) == sorted(SENTENCE.forms)
    for word in problem.words:
        if word.head:
            head = problem.words[word.head - 1].form
            assert SENTENCE.heads[places[word.form] - 1] == places[head]
    if "first and last" in name:
        assert problem.first is not None
        assert problem.last is not None
        assert problem.words[problem.first - 1].form.startswith("The")
        assert problem.words[problem.last - 1].form == "."
    assert any(word.tag for word in problem.words) == ("tags" in name)


def test_benchmark(
    model: Path, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "record.json"
    arguments = ("--data", treebank, "--least", 2, "--json", record, "--unit-command", "")
    call(monkeypatch, "knowledge.py", model, *arguments)
    knowledge.main()
    kept = json.loads(record.read_text())
    assert kept["given"].keys() == knowledge.GIVEN.keys()
    assert 2 <= kept["sentences"] <= SIZE
    assert "gain" not in kept["given"]["words only"]
    for figures in kept["given"].values():
        assert 0 <= figures["bleu"] <= 100
