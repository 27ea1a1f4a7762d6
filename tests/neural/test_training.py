"""Training of a network: it learns, to the same end each time, whatever cuts it off in between."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import cos, pi
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from toys.sentences import write_sentences
from toys.training_runs import (
    EPOCHS,
    RISING,
    SIZE,
    Cut,
    at_each_step_of_each_epoch,
    cut_and_resumed,
    cut_at,
    measured,
    run,
)
from toys.treebank import SENTENCES, write_treebank

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'syntagma[train]'")

from syntagma.errors import (  # noqa: E402
    FormatError,
    ModelError,
    SyntagmaWarning,
    TrainingError,
)
from syntagma.linearizer.linearizer import load  # noqa: E402
from syntagma.models.container import read_container  # noqa: E402
from syntagma.models.loading import load_model  # noqa: E402
from syntagma.neural import training as neural_training  # noqa: E402
from syntagma.neural.adaptation import adapt  # noqa: E402
from syntagma.neural.batches import with_lifting  # noqa: E402
from syntagma.neural.growth import grow_parameters  # noqa: E402
from syntagma.neural.parameters import DIRECTIONS, Dimensions  # noqa: E402
from syntagma.neural.scorer import NeuralScorer  # noqa: E402
from syntagma.neural.settings import NeuralSettings  # noqa: E402
from syntagma.neural.training import AVERAGE_DECAY, FINAL_RATE, NeuralLearner  # noqa: E402
from syntagma.problem.problem import Problem  # noqa: E402
from syntagma.problem.word import Word  # noqa: E402
from syntagma.training.run import TrainingReport  # noqa: E402
from syntagma.transition._search import beam_search  # noqa: E402
from syntagma.transition.encoding import encode  # noqa: E402
from syntagma.transition.training import grow_vocabulary  # noqa: E402
from syntagma.transition.vocabulary import Vocabulary  # noqa: E402
from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS, constrain  # noqa: E402
from syntagma.treebanks.treebank import Sentence, read_treebank  # noqa: E402
from syntagma.treebanks.visits import thin_tags, visit  # noqa: E402

ordering = partial(NeuralSettings, realize=False)
SHORT = ordering(epochs=EPOCHS, batch_words=20, learning_rate=0.01, min_count=1)
TINY = Dimensions(
    width=32,
    layers=2,
    heads=8,
    feedforward=32,
    hidden=32,
    arc_hidden=16,
    rank=8,
    label_hidden=16,
    guess_after=0,
)


@pytest.fixture(autouse=True, scope="module")
def tiny() -> Iterator[None]:
    """Small networks that warm up at once."""
    threads = torch.get_num_threads()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neural_training, "dimensions_of", lambda settings: TINY)
        patch.setattr(neural_training, "WARM_UP", 10)
        yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("treebank") / "toy.conllu")


@pytest.fixture(scope="module")
def sentences(treebank: Path) -> list[Sentence]:
    return read_treebank(treebank)


def parameters(path: Path) -> dict[str, bytes]:
    arrays = read_container(path)[1]
    return {name: a.tobytes() for name, a in arrays.items() if name.startswith("network.")}


# ---- learning --------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_learns_to_order_the_sentences(
    treebank: Path, sentences: list[Sentence], tmp_path: Path
) -> None:
    settings = ordering(
        epochs=8, condition="labelled", batch_words=6, learning_rate=0.01, min_count=1
    )
    report = run(treebank, tmp_path / "model", settings)
    assert [set(epoch.bleu) for epoch in report.epochs] == [{"labelled"}] * 8
    losses = [epoch.figures["loss"] for epoch in report.epochs]
    assert min(losses[4:]) < 0.3 * losses[0]
    model = load(tmp_path / "model")
    assert model.info.header["scorer"] == "neural"
    right = 0
    for i, sentence in enumerate(sentences):
        problem = constrain(sentence, CONDITIONS["labelled"], Random(i))
        right += model.order(problem).text == sentence.text
    assert right >= SIZE - 1


@pytest.mark.slow
def test_tags_and_labels_are_learned_as_well(
    treebank: Path, sentences: list[Sentence], tmp_path: Path
) -> None:
    settings = ordering(
        epochs=15, condition="tags0-arcs100", batch_words=6, learning_rate=0.01, min_count=1
    )
    run(treebank, tmp_path / "model", settings)
    model = load(tmp_path / "model")
    found = right = 0
    for i, sentence in enumerate(sentences):
        result = model.order(constrain(sentence, CONDITIONS["tags0-arcs100"], Random(i)))
        gold = set(zip(sentence.forms, sentence.tags, sentence.deprels, strict=True))
        found += len(result.tokens)
        right += sum((each.form, each.tag, each.deprel) in gold for each in result.tokens)
    assert right > 0.5 * found


@pytest.mark.slow
def test_progress_and_report(treebank: Path, tmp_path: Path) -> None:
    seen: list[None] = []
    report = run(treebank, tmp_path / "model", SHORT, on_sentence=lambda: seen.append(None))
    assert len(seen) == EPOCHS * SIZE
    for epoch in report.epochs:
        assert tuple(epoch.bleu) == MAIN_CONDITIONS
        assert epoch.figures.keys() == {"loss"}
        assert epoch.figures["loss"] > 0
    header = read_container(tmp_path / "model")[0]
    assert header["dimensions"]["width"] == TINY.width
    assert header["settings"]["learning_rate"] == 0.01
    assert header["parameters"] > 0


# ---- the same model --------------------------------------------------------------------------


@pytest.mark.slow
def test_the_model_depends_on_the_seed_alone(treebank: Path, tmp_path: Path) -> None:
    for name, seed in [("one", 1), ("same", 1), ("other", 2)]:
        settings = ordering(epochs=2, batch_words=20, seed=seed)
        torch.manual_seed(seed + len(name))  # whatever was drawn before
        run(treebank, tmp_path / name, settings)
    assert (tmp_path / "same").read_bytes() == (tmp_path / "one").read_bytes()
    assert parameters(tmp_path / "other") != parameters(tmp_path / "one")


@pytest.mark.slow
def test_settings_make_a_difference(treebank: Path, tmp_path: Path) -> None:
    models = []
    for number, settings in enumerate(
        [
            ordering(epochs=1, batch_words=20),
            ordering(epochs=1, batch_words=20, learning_rate=0.1),
            ordering(epochs=1, batch_words=30),
            ordering(epochs=1, batch_words=20, condition="labelled"),
            ordering(epochs=1, batch_words=20, min_count=1),
        ]
    ):
        run(treebank, tmp_path / str(number), settings)
        models.append(parameters(tmp_path / str(number)))
    assert all(one != other for i, one in enumerate(models) for other in models[:i])


# ---- cut off and resumed ---------------------------------------------------------------------


def pretrained(treebank: Path, output: Path, **options: Any) -> TrainingReport:
    """One pass over a further treebank as long as the first, then two epochs over the first."""
    settings = ordering(epochs=EPOCHS - 1, pretrain_epochs=1, batch_words=20, min_count=1)
    return run(treebank, output, settings, pretrain=[treebank], **options)


@pytest.fixture(scope="module")
def whole(treebank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model of a run that nothing disturbed."""
    path = tmp_path_factory.mktemp("whole") / "whole.syntagma"
    with pytest.MonkeyPatch.context() as patch:
        measured(patch, *RISING)
        assert pretrained(treebank, path).best == EPOCHS
    return path


@pytest.mark.slow
@at_each_step_of_each_epoch
def test_cut_off_at_the_end_of_an_epoch(
    treebank: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    after: bool,
    epoch: int,
) -> None:
    output = tmp_path / "cut.syntagma"

    def in_another_process(output: Path, **options: Any) -> TrainingReport:
        torch.manual_seed(epoch)  # which has drawn other numbers
        return pretrained(treebank, output, **options)

    cut_and_resumed(in_another_process, output, monkeypatch, step, after, epoch)
    assert output.read_bytes() == whole.read_bytes()
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.slow
@pytest.mark.parametrize("sentence", [1, SIZE, SIZE + 4, 2 * SIZE + 1])
def test_cut_off_within_an_epoch(
    treebank: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sentence: int
) -> None:
    output = tmp_path / "cut.syntagma"
    measured(monkeypatch, *RISING)
    with pytest.raises(Cut):
        pretrained(treebank, output, on_sentence=cut_at(sentence))
    measured(monkeypatch, *RISING[(sentence - 1) // SIZE :])
    pretrained(treebank, output)
    assert output.read_bytes() == whole.read_bytes()


@pytest.mark.slow
def test_the_best_epoch_is_kept(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when what follows it goes on changing the parameters."""
    measured(monkeypatch, 30, 10, 20)
    assert run(treebank, tmp_path / "first", SHORT).best == 1
    measured(monkeypatch, 10, 20, 30)
    assert run(treebank, tmp_path / "last", SHORT).best == EPOCHS
    measured(monkeypatch, 30)
    with pytest.raises(Cut):
        run(treebank, tmp_path / "one", SHORT, on_epoch=cut_at(1))
    assert parameters(tmp_path / "first") != parameters(tmp_path / "last")
    assert parameters(tmp_path / "first") == parameters(tmp_path / "one.training" / "best")


def test_a_folder_of_another_run_is_left_alone(treebank: Path, tmp_path: Path) -> None:
    with pytest.raises(Cut):
        run(treebank, tmp_path / "model", SHORT, on_epoch=cut_at(1))
    with pytest.raises(TrainingError, match="other data or settings"):
        run(treebank, tmp_path / "model", ordering(epochs=EPOCHS, batch_words=21))
    with pytest.raises(TrainingError, match="other data or settings"):
        run(treebank, tmp_path / "model", SHORT, pretrain=[treebank])


# ---- going on from a model -------------------------------------------------------------------


@pytest.mark.slow
def test_training_goes_on_from_the_model_to_start_from(
    treebank: Path, whole: Path, tmp_path: Path
) -> None:
    more = ordering(epochs=1, batch_words=20, learning_rate=1e-9)
    report = run(treebank, tmp_path / "model", more, start=whole)
    assert (
        report.epochs[0].figures["loss"]
        < run(treebank, tmp_path / "new", ordering(epochs=1, batch_words=20, min_count=1))
        .epochs[0]
        .figures["loss"]
    )
    before, after = read_container(whole)[1], read_container(tmp_path / "model")[1]
    assert before.keys() == after.keys()
    for name in before:
        if name.startswith("network."):
            np.testing.assert_allclose(after[name], before[name], atol=1e-2, err_msg=name)
        else:
            np.testing.assert_array_equal(after[name], before[name], err_msg=name)


def test_a_network_with_new_layers_and_units_starts_as_it_was(
    treebank: Path, whole: Path, sentences: list[Sentence]
) -> None:
    before = load_model(whole)
    assert isinstance(before.scorer, NeuralScorer)
    larger = ordering(epochs=1, min_count=1, layers=TINY.layers + 2, hidden=TINY.hidden + 32)
    learner = NeuralLearner(adapt(larger, sentences, start=before.scorer), 1, before.scorer)
    vocabulary = learner.begin(sentences, [])
    assert learner.dimensions == replace(TINY, layers=TINY.layers + 2, hidden=64, feedforward=96)
    after = NeuralScorer.from_parameters(
        learner.dimensions, learner.lexicon, vocabulary, learner.averaged()
    )
    for name in ("none", "half", "labelled"):
        problem = constrain(sentences[0], CONDITIONS[name], Random(1))
        one, other = encode(problem, before.vocabulary), encode(problem, vocabulary)
        [words] = before.scorer.encoder.encode([one])
        [same] = after.encoder.encode([other])
        np.testing.assert_allclose(same.vectors, words.vectors, atol=1e-6)
        scored = [
            beam_search(next(scorer.searches([encoding], [8], [None])), 5)
            for scorer, encoding in ((before.scorer, one), (after, other))
        ]
        for each, again in zip(*scored, strict=True):
            assert again.order == each.order
            assert again.score == pytest.approx(each.score, abs=1e-4)
    # A gradient reaches the outputs of what is new, so that it learns.
    learner.pass_over(1, lambda: None)
    moved = learner.averaged()
    for layer in range(TINY.layers, TINY.layers + 2):
        assert np.abs(moved[f"layers.{layer}.out.weight"]).max() > 0
        assert np.abs(moved[f"layers.{layer}.down.weight"]).max() > 0
    assert np.abs(moved["layers.0.down.weight"][TINY.feedforward :]).max() > 0
    for prefix in DIRECTIONS:
        assert np.abs(moved[f"{prefix}shift_out"][TINY.hidden :]).max() > 0


@pytest.mark.slow
def test_a_model_says_what_it_was_started_from(treebank: Path, whole: Path, tmp_path: Path) -> None:
    run(treebank, tmp_path / "model", SHORT, start=whole)
    begun, header = read_container(whole)[0], read_container(tmp_path / "model")[0]
    assert header["start"]["name"] == begun["name"]
    assert header["start"]["data"] == begun["data"]
    assert header["start"]["settings"] == begun["settings"]
    assert "start" not in begun


@pytest.mark.slow
def test_a_run_that_was_started_from_a_model_is_resumed(
    treebank: Path, whole: Path, tmp_path: Path
) -> None:
    run(treebank, tmp_path / "model", SHORT, start=whole)
    with pytest.raises(Cut):
        run(treebank, tmp_path / "cut", SHORT, start=whole, on_epoch=cut_at(2))
    with pytest.raises(TrainingError, match="other data or settings"):
        run(treebank, tmp_path / "cut", SHORT)
    with pytest.raises(TrainingError, match="other data or settings"):
        run(treebank, tmp_path / "cut", SHORT, start=tmp_path / "model")
    run(treebank, tmp_path / "cut", SHORT, start=whole)
    assert parameters(tmp_path / "cut") == parameters(tmp_path / "model")


def test_tags_and_labels_that_the_model_to_start_from_does_not_know_are_added(
    whole: Path, tmp_path: Path
) -> None:
    deprels = ("nsubj:new", "root", "other")
    other = [Sentence(("Foxes", "ran", "!"), ("NNS", "XX", "!"), (2, 0, 2), deprels)]
    treebank = write_sentences(tmp_path / "other.conllu", other)
    run(treebank, tmp_path / "model", SHORT, start=whole)
    before, after = (load_model(path).vocabulary for path in (whole, tmp_path / "model"))
    assert after.tags == (*before.tags, "!", "XX")
    assert after.labels == (*before.labels, "nsubj:new", "other")
    found = load(tmp_path / "model").order(constrain(other[0], CONDITIONS["labelled"], Random(1)))
    assert sorted(found.deprels) == sorted(deprels)


def test_a_network_that_has_grown_sees_what_it_knows_as_before(
    whole: Path, sentences: Sequence[Sentence]
) -> None:
    model = load_model(whole)
    assert isinstance(model.scorer, NeuralScorer)
    new = Sentence(("a", "b"), ("NEW", "VBD"), (2, 0), ("nsubj:new", "root"))
    other = Sentence(("a", "b"), ("NNS", "VBD"), (2, 0), ("other", "root"))
    grown = grow_vocabulary(model.vocabulary, [*sentences, new, other])
    parameters = grow_parameters(model.scorer.parameters(), model.vocabulary, grown)
    scorer = NeuralScorer.from_parameters(
        model.scorer.dimensions, model.scorer.lexicon, grown, parameters
    )
    for condition in ("pos", "labelled"):
        problem = constrain(sentences[0], CONDITIONS[condition], Random(1))
        [one] = model.scorer.encoder.encode([encode(problem, model.vocabulary)])
        [two] = scorer.encoder.encode([encode(problem, grown)])
        if condition == "labelled":  # else the new ones are guessed, too, if hardly
            np.testing.assert_allclose(one.vectors, two.vectors, atol=1e-5)
        assert one.tags.tolist() == two.tags.tolist()
    [general] = scorer.encoder.encode([encode(Problem.of([Word("a", deprel="nsubj"), "b"]), grown)])
    [special] = scorer.encoder.encode(
        [encode(Problem.of([Word("a", deprel="nsubj:new"), "b"]), grown)]
    )
    np.testing.assert_allclose(general.vectors, special.vectors, atol=1e-6)


def test_upos_tags_and_features_are_learned_where_a_treebank_has_them(
    whole: Path, tmp_path: Path
) -> None:
    """Also by a network that could not read them: it starts as it was."""
    treebank = write_treebank(tmp_path / "universal.conllu", universal=True)
    run(treebank, tmp_path / "model", SHORT, start=whole)
    before, after = load_model(whole), load_model(tmp_path / "model")
    assert "inputs" not in before.header
    assert after.header["inputs"] == ["upos", "features"]
    assert after.vocabulary.upos == ("ADJ", "ADP", "ADV", "DET", "NOUN", "PRON", "PUNCT", "VERB")
    assert "Tense=Past" in after.vocabulary.features
    assert "NumType=Card" not in after.vocabulary.features  # seen once
    sentences = read_treebank(treebank)
    grown = grow_vocabulary(before.vocabulary, sentences)
    assert isinstance(before.scorer, NeuralScorer)
    parameters = grow_parameters(before.scorer.parameters(), before.vocabulary, grown)
    scorer = NeuralScorer.from_parameters(
        before.scorer.dimensions, before.scorer.lexicon, grown, parameters
    )
    problem = constrain(sentences[0], CONDITIONS["labelled"], Random(1))
    [one] = before.scorer.encoder.encode([encode(problem, before.vocabulary)])
    [two] = scorer.encoder.encode([encode(problem, grown)])
    assert (one.vectors == two.vectors).all()
    without = [replace(each, upos=()) for each in sentences]
    again = grow_vocabulary(after.vocabulary, without, keep_tags=False)
    assert (again.upos, again.features) == ((), after.vocabulary.features)
    assert isinstance(after.scorer, NeuralScorer)
    kept = grow_parameters(after.scorer.parameters(), after.vocabulary, again)
    assert "tables.upos" not in kept
    learned = after.scorer.parameters()["tables.features"]
    assert (kept["tables.features"] == learned).all()
    assert (np.abs(learned).sum(1) > 0).all()


def test_visits_give_any_of_tags_upos_tags_and_features(tmp_path: Path) -> None:
    """All together half of the time; which ones does not depend on what else is drawn."""
    treebank = write_treebank(tmp_path / "universal.conllu", universal=True)
    sentence = read_treebank(treebank)[0]
    inputs, kinds = ("upos", "features"), Counter[tuple[bool, ...]]()
    for epoch in range(400):
        posed = thin_tags(SHORT, epoch, 3, sentence, inputs)
        assert posed.forms == sentence.forms
        kept = any(posed.tags), any(posed.upos), any(posed.features)
        kinds[kept] += 1
        given = visit(replace(SHORT, condition="labelled"), epoch, 3, posed).words
        assert [bool(word.tag) for word in given] == [kept[0]] * len(sentence)
        assert [bool(word.upos) for word in given] == [kept[1]] * len(sentence)
        assert [word.features is not None for word in given] == [kept[2]] * len(sentence)
    assert len(kinds) == 7
    assert (False, False, False) not in kinds
    assert 150 < kinds[True, True, True] < 250
    assert min(kinds.values()) > 15
    assert thin_tags(SHORT, 1, 1, sentence, ()) is sentence


def test_training_starts_from_a_model_with_tags_of_the_other_column(
    treebank: Path, whole: Path, tmp_path: Path
) -> None:
    """The tags of the new model are those of the new treebank; what was learned stays."""
    upos = {"DT": "DET", "NN": "NOUN", "NNS": "NOUN", "VBD": "VERB"}
    text = re.sub(
        r"\t_\t_\t(\S+)\t_",
        lambda match: f"\t_\t{upos.get(match[1], 'X')}\t_\t_",
        treebank.read_text("utf-8"),
    )
    other = tmp_path / "upos.conllu"
    other.write_text(text, "utf-8")
    with pytest.warns(SyntagmaWarning, match=r"no word has XPOS tags, so .* UPOS tags \(100.0%"):
        run(other, tmp_path / "model", SHORT, start=whole)
    model = load_model(tmp_path / "model")
    assert model.header["tag_column"] == "upos"
    assert model.vocabulary.tags == ("DET", "NOUN", "VERB", "X")
    assert model.vocabulary.labels == load_model(whole).vocabulary.labels
    result = load(tmp_path / "model").order([Word("cook", "NOUN"), "The", "hid"])
    assert set(result.tags) <= {"DET", "NOUN", "VERB", "X"}


def test_a_word_without_a_tag_is_no_example_of_tagging(sentences: list[Sentence]) -> None:
    learner = NeuralLearner(adapt(replace(SHORT, condition="none"), sentences), 1)
    some = [replace(sentences[0], tags=("", *sentences[0].tags[1:])), *sentences[1:]]
    learner.begin(some, ())
    assert "" not in learner.vocabulary.tags
    example = learner._examples(1, 0, *with_lifting(some[0]))[0]
    assert (example.tags >= 0).sum() == len(some[0]) - 1


@pytest.mark.slow
def test_models_that_a_network_cannot_start_from(
    treebank: Path, whole: Path, tmp_path: Path
) -> None:
    linear = Path(__file__).parents[2] / "benchmarks" / "models" / "en-linear.syntagma"
    with pytest.raises(TrainingError, match=r"syntagma \(--start\) has no neural scorer"):
        run(treebank, tmp_path / "model", SHORT, start=linear)
    with pytest.raises(ModelError, match="no model named 'tlh' is installed"):
        run(treebank, tmp_path / "model", SHORT, start="tlh")
    assert list(tmp_path.iterdir()) == []


# ---- further treebanks -----------------------------------------------------------------------


def further_sentences(count: int) -> list[Sentence]:
    """With a word, a tag and a label of their own."""
    return [
        Sentence((f"Extra{i % 3}", "ran"), ("XX", "VBD"), (2, 0), ("extra", "root"))
        for i in range(count)
    ]


@pytest.mark.parametrize(("count", "pieces"), [(1, 1), (10, 1), (24, 2), (35, 4)])
def test_further_treebanks_come_first_in_pieces(
    sentences: list[Sentence], count: int, pieces: int
) -> None:
    """Each pass visits all of their sentences once, in epochs as long as those that follow."""
    settings = ordering(epochs=2, pretrain_epochs=3)
    learner = NeuralLearner(adapt(settings, sentences), 1)
    further = further_sentences(count)
    learner.begin(sentences, [further[:1], further[1:]])
    assert learner.epochs == 3 * pieces + 2
    orders = set()
    for number in range(3):
        epochs = [learner._visits(number * pieces + piece) for piece in range(1, pieces + 1)]
        assert all([sentence for sentence, _ in each] == further for each, _ in epochs)
        visited = list(chain.from_iterable(indices for _, indices in epochs))
        assert sorted(visited) == list(range(count))
        sizes = [len(indices) for _, indices in epochs]
        assert max(sizes) - min(sizes) <= 1
        orders.add(tuple(visited))
    for number in (3 * pieces + 1, 3 * pieces + 2):
        proper, indices = learner._visits(number)
        assert [sentence for sentence, _ in proper] == sentences
        assert sorted(indices) == list(range(SIZE))
        orders.add(tuple(indices))
    assert len(orders) == 5 or count == 1, "each pass has an order of its own"


@pytest.mark.slow
def test_further_treebanks_are_learned_from_and_named(treebank: Path, tmp_path: Path) -> None:
    further = write_sentences(tmp_path / "further.conllu", further_sentences(SIZE * 2))
    settings = ordering(epochs=1, pretrain_epochs=2, batch_words=20, min_count=1)
    seen: list[None] = []
    report = run(
        *(treebank, tmp_path / "model", settings),
        pretrain=[further],
        on_sentence=lambda: seen.append(None),
    )
    assert len(report.epochs) == 5
    assert len(seen) == 2 * 2 * SIZE + SIZE
    header, arrays = read_container(tmp_path / "model")
    first, second = header["data"]
    assert (first["name"], first["sentences"]) == ("toy.conllu", SIZE)
    assert first["words"] == len(SENTENCES.split())
    assert "use" not in first
    assert second["name"] == "further.conllu"
    assert (second["use"], second["sentences"], second["left_out"]) == ("pre-training", 2 * SIZE, 0)
    assert "Extra1" in arrays["lexicon.form"].tobytes().decode().split("\n")
    assert "XX" in load_model(tmp_path / "model").vocabulary.tags
    run(treebank, tmp_path / "alone", settings)
    assert parameters(tmp_path / "alone") != parameters(tmp_path / "model")


@pytest.mark.slow
def test_faulty_sentences_of_further_treebanks_are_left_out_and_reported(
    treebank: Path, tmp_path: Path
) -> None:
    (tmp_path / "clean").mkdir()
    clean = write_sentences(tmp_path / "clean" / "further.conllu", further_sentences(4))
    blocks = clean.read_text(encoding="utf-8").split("\n\n")
    cycle = "1\ta\t_\t_\tXX\t_\t2\tdep\t_\t_\n2\tb\t_\t_\tXX\t_\t1\tdep\t_\t_"
    headless = "1\ta\t_\t_\tXX\t_\t_\t_\t_\t_"
    faulty = tmp_path / "further.conllu"
    faulty.write_text(
        "\n\n".join([blocks[0], cycle, *blocks[1:3], headless, *blocks[3:]]), encoding="utf-8"
    )
    settings = ordering(epochs=1, pretrain_epochs=1, batch_words=20, min_count=1)
    reports: list[Sequence[FormatError]] = []
    options: dict[str, Any] = {"on_faults": reports.append}
    run(treebank, tmp_path / "one", settings, pretrain=[faulty, clean], **options)
    [faults] = reports
    assert [fault.source for fault in faults] == [str(faulty)] * 2
    assert all(str(fault).startswith(f"{faulty}:") for fault in faults)
    run(treebank, tmp_path / "two", settings, pretrain=[clean, clean], **options)
    assert len(reports) == 1, "no report without a fault"
    assert parameters(tmp_path / "one") == parameters(tmp_path / "two")
    data = read_container(tmp_path / "one")[0]["data"]
    assert [each.get("left_out") for each in data] == [None, 2, 0]
    assert [each["sentences"] for each in data] == [SIZE, 4, 4]


def test_a_faulty_sentence_of_the_treebank_itself_is_an_error(
    treebank: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.conllu"
    text = treebank.read_text(encoding="utf-8")
    broken.write_text(text + "1\ta\t_\t_\tXX\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"broken\.conllu:\d+: "):
        run(broken, tmp_path / "model", SHORT)


# ---- the learner -----------------------------------------------------------------------------


def learner_of(sentences: list[Sentence], **settings: Any) -> NeuralLearner:
    learner = NeuralLearner(adapt(ordering(**settings), sentences), 1)
    learner.begin(sentences, ())
    return learner


@pytest.mark.parametrize("batch_words", [1, 12, 30, 1000])
def test_batches_hold_every_sentence_once_and_enough_words(
    sentences: list[Sentence], batch_words: int
) -> None:
    learner = learner_of(sentences, batch_words=batch_words, condition="none")
    batches = list(learner._batches(1))
    assert sum(size for _, size in batches) == SIZE
    assert sum(batch.n_words for batch, _ in batches) == len(SENTENCES.split())
    assert sum(batch.n_words < batch_words for batch, _ in batches) <= 1
    for batch, size in batches:
        assert len(batch.mask) == size
        longest = int(batch.mask.sum(1).max())
        assert batch.n_words - longest < batch_words, "no more sentences than needed"


def test_examples_hold_back_what_is_not_given(sentences: list[Sentence]) -> None:
    learner = learner_of(sentences, condition="half")
    for index, sentence in enumerate(sentences):
        for number in (1, 2):
            [example] = learner._examples(number, index, *with_lifting(sentence))
            problem = visit(learner.settings, number, index, sentence)
            words = [problem.words[at] for at in problem.canonical()]
            assert (example.tags < 0).tolist() == [word.tag is not None for word in words]
            assert (example.labels < 0).tolist() == [word.deprel is not None for word in words]
            roots = [word for word in range(len(words)) if example.heads[word] < 0]
            assert len(roots) == 1
            assert example.labels[roots[0]] == len(learner.vocabulary.labels)


def test_the_stored_parameters_are_averaged(
    sentences: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = learner_of(sentences, batch_words=6)
    average = learner.flat.values.detach().numpy().astype(np.float64)
    learn, steps = learner._learn, 0

    def watched(batch: Any) -> float:
        nonlocal average, steps
        loss = learn(batch)
        steps += 1
        keep = min(AVERAGE_DECAY, (1 + steps) / (10 + steps))
        average = keep * average + (1 - keep) * learner.flat.values.detach().numpy()
        return loss

    monkeypatch.setattr(learner, "_learn", watched)
    learner.pass_over(1, lambda: None)
    learner.pass_over(2, lambda: None)
    assert steps > 10
    found = np.concatenate([array.reshape(-1) for array in learner.averaged().values()])
    np.testing.assert_allclose(found, average, atol=1e-5)
    assert not np.allclose(found, learner.flat.values.detach().numpy(), atol=1e-4)


def test_the_learning_rate_warms_up_and_falls_along_a_cosine(sentences: list[Sentence]) -> None:
    learner = learner_of(sentences, learning_rate=0.5)
    assert learner._rate() == pytest.approx(0.5 / neural_training.WARM_UP)
    learner.steps = neural_training.WARM_UP
    assert learner._rate() == pytest.approx(0.5)
    for done in (0.25, 0.5, 0.75, 1.0, 1.5):
        learner.words_seen = int(done * learner.words_to_see)
        share = (1 + cos(pi * min(done, 1))) / 2
        expected = 0.5 * (FINAL_RATE + (1 - FINAL_RATE) * share)
        assert learner._rate() == pytest.approx(expected, rel=0.01)


def test_all_words_are_seen_by_the_end(sentences: list[Sentence]) -> None:
    """Else the rate would not have come down."""
    settings = ordering(epochs=2, pretrain_epochs=2, batch_words=30)
    learner = NeuralLearner(adapt(settings, sentences), 1)
    learner.begin(sentences, [further_sentences(24)])
    for number in range(1, learner.epochs + 1):
        learner.pass_over(number, lambda: None)
    assert learner.words_seen == learner.words_to_see


def test_a_network_stores_no_proposals_of_labels(sentences: list[Sentence]) -> None:
    """They would grow with the square of the number of tags, and only other scorers read them."""
    vocabulary = learner_of(sentences).vocabulary
    arrays = vocabulary.to_arrays()
    assert arrays["label_index"].size == 4
    assert arrays["label_pool"].size == 0
    assert Vocabulary.from_arrays(arrays).tags == vocabulary.tags


def test_words_without_a_choice_are_no_trouble() -> None:
    """Sentences of one word have no step to learn from."""
    alone = [Sentence((form,), ("UH",), (0,), ("root",)) for form in ("Yes", "No", "Yes")]
    learner = learner_of(alone, batch_words=1)
    assert learner.pass_over(1, lambda: None) == {"loss": 0.0}
    assert learner.steps == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learning_rate": 0.0}, "learning_rate must be between 0 and 1, not 0.0"),
        ({"learning_rate": 1.5}, "learning_rate must be between 0 and 1"),
        ({"pretrain_epochs": 0}, "pretrain_epochs must be between 1 and 1000, not 0"),
        ({"batch_words": 0}, "batch_words must be between 1"),
        ({"min_count": 0}, "min_count must be between 1"),
        ({"epochs": 0}, "epochs must be between 1"),
        ({"condition": "some"}, "condition 'some' is not one of mixed"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        NeuralSettings(**settings)
