"""Learning the forms of a model again: nothing else in the file changes."""

from __future__ import annotations

from pathlib import Path

import pytest
import relearn
from toys.realizer import toy_realizing_model

from syntagma.errors import ModelError
from syntagma.models.container import read_container, write_container

TREEBANK = """\
1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_
2\tran\trun\tVERB\tVBD\tTense=Past\t0\troot\t_\t_

1\tDo\tdog\tNOUN\tNN\tNumber=Sing|Typo=Yes\t0\troot\t_\t_

"""


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "train.conllu"
    path.write_text(TREEBANK)
    return path


def test_only_what_is_learned_of_forms_changes(tmp_path: Path, treebank: Path) -> None:
    realizer = toy_realizing_model().realizer
    assert realizer is not None
    arrays = {**realizer.to_arrays(), "other": realizer.to_arrays()["inflection"]}
    header = {"tag_column": "xpos", "language": "en", "name": "toy"}
    old, new = tmp_path / "old.syntagma", tmp_path / "new.syntagma"
    write_container(old, header, arrays)
    changed = relearn.relearn(old, treebank, new)
    assert {name for name, _, _ in changed} <= {"inflection", "form_choice", "form_context"}
    found_header, found = read_container(new)
    assert found_header == header
    assert list(found) == list(arrays)
    for name in arrays:
        if name not in ("inflection", "form_choice", "form_context"):
            assert found[name].tobytes() == arrays[name].tobytes()
    assert found["inflection"].tobytes() != arrays["inflection"].tobytes()
    relearn.relearn(new, treebank, old)
    assert old.read_bytes() == new.read_bytes()


def test_a_model_that_only_orders_is_refused(tmp_path: Path, treebank: Path) -> None:
    path = tmp_path / "order.syntagma"
    write_container(path, {"tag_column": "xpos"}, {})
    with pytest.raises(ModelError, match="has not learned to realize"):
        relearn.relearn(path, treebank, tmp_path / "new.syntagma")


def test_a_model_of_before_learns_what_neighbouring_words_say(
    tmp_path: Path, treebank: Path
) -> None:
    realizer = toy_realizing_model().realizer
    assert realizer is not None
    arrays = realizer.to_arrays()
    del arrays["form_context"]
    old, new = tmp_path / "old.syntagma", tmp_path / "new.syntagma"
    write_container(old, {"tag_column": "xpos", "language": "en"}, arrays)
    assert ("form_context", 0) in [each[:2] for each in relearn.relearn(old, treebank, new)]
    assert "form_context" in read_container(new)[1]
