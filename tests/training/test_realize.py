"""Training with `realize`: a network that orders lemmas, too, with what realisation needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from toys.realizer import toy_lemma_sentences
from toys.training_runs import Cut, cut_at, run

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'syntagma[train]'")

from syntagma.errors import SyntagmaWarning  # noqa: E402
from syntagma.formats.conllu import write_conllu  # noqa: E402
from syntagma.language_model.settings import LanguageModelSettings  # noqa: E402
from syntagma.linearizer.linearizer import load  # noqa: E402
from syntagma.models.container import read_container  # noqa: E402
from syntagma.neural import training as neural_training  # noqa: E402
from syntagma.neural.parameters import Dimensions  # noqa: E402
from syntagma.neural.settings import NeuralSettings  # noqa: E402
from syntagma.problem.problem import Problem  # noqa: E402
from syntagma.problem.word import Word  # noqa: E402
from syntagma.results.linearization import Linearization, Token  # noqa: E402
from syntagma.training.language_model import add_lm, train_lm  # noqa: E402
from syntagma.training.margin import learn_margin  # noqa: E402
from syntagma.treebanks.settings import LEMMAS, REALIZE  # noqa: E402
from syntagma.treebanks.treebank import Sentence, read_treebank  # noqa: E402
from syntagma.treebanks.visits import of_lemmas  # noqa: E402

SETTINGS = NeuralSettings(
    epochs=2, batch_words=100, learning_rate=0.01, min_count=1, condition="labelled", realize=True
)
TINY = Dimensions(
    **{"width": 32, "layers": 2, "heads": 8, "feedforward": 32, "hidden": 32},
    **{"arc_hidden": 16, "rank": 8, "label_hidden": 16, "guess_after": 0},
)


@pytest.fixture(autouse=True, scope="module")
def tiny() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neural_training, "dimensions_of", lambda settings: TINY)
        yield


def as_conllu(sentence: Sentence, *, lemmas: bool = True) -> str:
    words = [
        Word(form, tag, head, deprel, lemma if lemmas else None, features)
        for form, tag, head, deprel, lemma, features in zip(
            *(sentence.forms, sentence.tags, sentence.heads, sentence.deprels),
            *(sentence.lemmas, sentence.features),
            strict=True,
        )
    ]
    tokens = [
        Token(word.form, word.tag or "", word.head or 0, word.deprel or "", index)
        for index, word in enumerate(words, start=1)
    ]
    linearization = Linearization(tuple(tokens), 0.0, Problem.of(words))
    return write_conllu(linearization, "xpos", sentence.spelling)


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("treebank") / "lemmas.conllu"
    path.write_text("".join(map(as_conllu, toy_lemma_sentences()[:60])), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(treebank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "realizes"
    run(treebank, path, SETTINGS, language="xx")
    return path


def test_the_model_realizes(treebank: Path, model: Path) -> None:
    linearizer = load(model)
    realized = linearizer.realize([Word(lemma="w3", tag="NN", features="Number=Plur"), "."])
    assert sorted(map(str.lower, realized.words)) == [".", "w3s"]
    assert realized.text in ("W3s.", ".W3s", ". W3s")
    assert set(read_container(model)[0]["figures"]["dev"]) == {"labelled", REALIZE}


@pytest.mark.slow
def test_a_run_that_was_cut_off_ends_with_the_same_model(
    treebank: Path, model: Path, tmp_path: Path
) -> None:
    with pytest.raises(Cut):
        run(treebank, tmp_path / "realizes", SETTINGS, language="xx", on_epoch=cut_at(1))
    run(treebank, tmp_path / "realizes", SETTINGS, language="xx")
    assert (tmp_path / "realizes").read_bytes() == model.read_bytes()


@pytest.mark.slow
def test_what_is_seen_of_lemmas_changes_what_is_learned(
    treebank: Path, model: Path, tmp_path: Path
) -> None:
    run(treebank, tmp_path / "orders", replace(SETTINGS, realize=False))
    plain, realizing = read_container(tmp_path / "orders")[1], read_container(model)[1]
    assert set(realizing) - set(plain) == {
        "inflection",
        "form_choice",
        "form_context",
        "spacing.rules",
        "spacing.contractions",
    }
    name = "network.shift_out"
    assert plain[name].tobytes() != realizing[name].tobytes()
    with pytest.raises(Exception, match="has not learned to realize lemmas"):
        load(tmp_path / "orders").realize(["w3"])


def test_so_many_visits_are_of_lemmas() -> None:
    drawn = [of_lemmas(SETTINGS, 1, index) for index in range(2000)]
    assert sum(drawn) / 2000 == pytest.approx(LEMMAS, abs=0.05)
    assert drawn != [of_lemmas(SETTINGS, 2, index) for index in range(2000)]


def test_forms_stand_in_for_lemmas_that_a_treebank_lacks(tmp_path: Path) -> None:
    path = tmp_path / "forms.conllu"
    text = "".join(as_conllu(each, lemmas=False) for each in toy_lemma_sentences()[:5])
    path.write_text(text, encoding="utf-8")
    settings = replace(SETTINGS, epochs=1, realize=None)
    with pytest.warns(SyntagmaWarning, match=r"forms\.conllu has no lemmas: .*--no-realize"):
        run(path, tmp_path / "model", settings)
    realized = load(tmp_path / "model").realize([Word(lemma="w3s", tag="NNS"), "."])
    assert sorted(map(str.lower, realized.words)) == [".", "w3s"]
    assert read_container(tmp_path / "model")[0]["settings"]["realize"] is True


@pytest.mark.slow
def test_the_language_model_of_the_model_to_start_from_is_kept(
    treebank: Path, model: Path, tmp_path: Path
) -> None:
    settings = LanguageModelSettings(order=2, prune=(0, 0), min_count=1)
    train_lm([treebank], tmp_path / "toy.lm", settings=settings)
    fluent = tmp_path / "fluent"
    add_lm(model, tmp_path / "toy.lm", read_treebank(treebank)[:3], fluent)
    run(treebank, tmp_path / "next", replace(SETTINGS, epochs=1), start=fluent, language="xx")
    header, arrays = read_container(fluent)
    after, kept = read_container(tmp_path / "next")
    margin = after["language_model"].pop("margin")  # of the new scores
    learned = learn_margin(load(tmp_path / "next"), read_treebank(treebank))
    assert learned is not None
    assert margin == learned.to_json()
    assert after["language_model"] == header["language_model"]
    names = [name for name in arrays if name.startswith("lm.")]
    assert names
    for name in names:
        assert kept[name].tobytes() == arrays[name].tobytes()
    assert load(tmp_path / "next").has_language_model
