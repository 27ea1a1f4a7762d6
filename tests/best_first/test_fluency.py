"""Best-first models with a language model, and with lemmas: training, files and commands.

The features against a reference: test_search.py, test_guided_learning.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from toys.edges import edge_settings, write_data
from toys.training_runs import weights

from syntagma.best_first.settings import BestFirstSettings
from syntagma.cli.app import run as command
from syntagma.errors import ModelError, TrainingError
from syntagma.language_model.settings import LanguageModelSettings
from syntagma.linear.settings import LinearSettings
from syntagma.linearizer.linearizer import load
from syntagma.models.container import read_container
from syntagma.training.language_model import train_lm
from syntagma.training.train import train

LEMMAS = """\
1\tThe\tthe\t_\tDT\t_\t2\tdet\t_\t_
2\tdogs\tdog\t_\tNNS\tNumber=Plur\t3\tnsubj\t_\t_
3\tbarked\tbark\t_\tVBD\tTense=Past\t0\troot\t_\t_
4\t.\t.\t_\t.\t_\t3\tpunct\t_\t_

1\tA\ta\t_\tDT\t_\t2\tdet\t_\t_
2\tcat\tcat\t_\tNN\tNumber=Sing\t3\tnsubj\t_\t_
3\tslept\tsleep\t_\tVBD\tTense=Past\t0\troot\t_\t_
4\t.\t.\t_\t.\t_\t3\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data of both grammars, lemmas, and a language model of the sentences."""
    folder = tmp_path_factory.mktemp("fluency")
    data = [write_data(folder, "dependency"), write_data(folder, "ccg")]
    assert [path.name for path in data] == ["toy.conllu", "toy.auto"]
    (folder / "lemmas.conllu").write_text(LEMMAS, encoding="utf-8")
    settings = LanguageModelSettings(order=3, prune=(0, 0), min_count=1)
    train_lm(folder / "toy.conllu", folder / "toy.lm", settings=settings)
    return folder


class Cut(Exception):
    pass


@pytest.mark.parametrize(("file", "grammar"), [("toy.conllu", "dependency"), ("toy.auto", "ccg")])
def test_a_language_model_is_part_of_the_model(folder: Path, file: str, grammar: str) -> None:
    """An interrupted run ends with the same model."""
    settings = edge_settings(grammar, epochs=2)  # type: ignore[arg-type]
    data, once, twice = folder / file, folder / f"{grammar}.once", folder / f"{grammar}.twice"
    train(data, data, once, settings=settings, name="toy", lm=folder / "toy.lm")

    def cut(epoch: object) -> None:
        raise Cut

    with pytest.raises(Cut):
        train(data, data, twice, settings=settings, name="toy", lm=folder / "toy.lm", on_epoch=cut)
    with pytest.raises(TrainingError, match="another language model"):
        train(data, data, twice, settings=settings, name="toy")
    train(data, data, twice, settings=settings, name="toy", lm=folder / "toy.lm")
    assert once.read_bytes() == twice.read_bytes()
    header = read_container(once)[0]
    assert header["templates"][-3:] == ["junction: gain", "limits: start", "limits: end"]
    fluent = load(once, search="best-first")
    silent = load(once, search="best-first", language_model=False)
    assert (fluent.has_language_model, silent.has_language_model) == (True, False)
    bag = ["the", "dog", "sees", "a", "cat"]
    found, other = (each.order(bag, expansions=300) for each in (fluent, silent))
    assert sorted(found.words) == sorted(other.words) == sorted(bag)
    assert found.score != other.score


def test_without_a_language_model_nothing_changes(folder: Path) -> None:
    data = folder / "toy.conllu"
    train(data, data, folder / "plain", settings=edge_settings("dependency", epochs=1))
    train(
        data,
        data,
        folder / "fluent",
        settings=edge_settings("dependency", epochs=1),
        lm=folder / "toy.lm",
    )
    plain, fluent = (read_container(folder / name)[0] for name in ("plain", "fluent"))
    assert fluent["templates"][:-3] == plain["templates"]
    assert "language_model" not in plain
    assert weights(folder / "plain") != weights(folder / "fluent")


def test_other_scorers_have_no_such_features(folder: Path) -> None:
    data = folder / "toy.conllu"
    with pytest.raises(TrainingError, match="no features of a language model: leave out lm"):
        train(data, data, folder / "no", settings=LinearSettings(), lm=folder / "toy.lm")
    with pytest.raises(ModelError, match=r"none\.lm: cannot be read"):
        train(
            data,
            data,
            folder / "no",
            settings=edge_settings("dependency"),
            lm=folder / "none.lm",
        )


def test_ccg_models_do_not_realize() -> None:
    with pytest.raises(TrainingError, match="a CCGbank has no lemmas"):
        BestFirstSettings(grammar="ccg", realize=True)


def test_the_commands(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, model = str(folder / "lemmas.conllu"), str(folder / "lemmas.syntagma")
    best_first = ["--search", "best-first"]
    options = ["--realize", "--lm", str(folder / "toy.lm"), "--epochs", "4", "--language", "en"]
    assert command(["train", data, data, "--output", model, *best_first, *options]) == 0
    capsys.readouterr()
    realize = ["realize", "--model", model, *best_first, "--expansions", "500"]
    assert command([*realize, "--file", data]) == 0
    assert capsys.readouterr().out == "The dogs barked.\nA cat slept.\n"
    assert command([*realize, "--file", data, "--beam", "4"]) == 2
    assert "best-first search has no --beam" in capsys.readouterr().err
    assert command(["realize", *best_first, "dog"]) == 2
    assert "train one: syntagma train --search best-first --realize" in capsys.readouterr().err
    assert command(["info", model]) == 0
    assert "realizes" in capsys.readouterr().out
    unfinished = ["realize", "--model", model, *best_first, "--expansions", "2"]
    assert command([*unfinished, "--file", data]) == 0
    assert "results are unfinished" in capsys.readouterr().err
