"""The network as a model file stores it, and the checks when one is loaded."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from references.brute_force import random_problem
from toys.models import toy_vocabulary
from toys.network import (
    SMALL,
    encodings_of_all_sizes,
    in_many_shapes,
    shown,
    toy_header,
    toy_lexicon,
    toy_parameters,
    toy_scorer,
    toy_stored,
    universal_vocabulary,
    with_universal_tags,
)

from syntagma.errors import ModelError
from syntagma.files.sections import pack_lines
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.container import read_container, write_container
from syntagma.models.loading import load_model
from syntagma.models.model import build_model, save_model
from syntagma.neural.lexicon import LEXICAL
from syntagma.neural.parameters import (
    Dimensions,
    parameter_shapes,
    table_sizes,
)
from syntagma.neural.scorer import NeuralScorer
from syntagma.neural.stored import StoredNetwork

SHAPES = parameter_shapes(SMALL, table_sizes(toy_lexicon(), toy_vocabulary()))
PARAMETERS = list(SHAPES)


def save(path: Path, stored: StoredNetwork | None = None) -> Path:
    save_model(path, toy_header(), toy_vocabulary(), stored or toy_stored())
    return path


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    stored = toy_stored()
    header, sections = read_container(save(tmp_path / "toy"))
    assert header["parameters"] == sum(map(math.prod, SHAPES.values()))
    again = StoredNetwork.from_arrays(sections)
    assert again.names == stored.names
    assert again.arrays.keys() == stored.arrays.keys()
    for name, array in stored.arrays.items():
        assert again.arrays[name].dtype == array.dtype
        assert again.arrays[name].tobytes() == array.tobytes()
    save_model(tmp_path / "again", toy_header(), toy_vocabulary(), again)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "toy").read_bytes()


def test_a_header_states_whether_the_network_lifts(tmp_path: Path) -> None:
    stored, header = toy_stored(lifting=True), toy_header(lifting=True)
    save_model(tmp_path / "lifts", header, toy_vocabulary(), stored)
    assert Linearizer(load_model(tmp_path / "lifts")).lifts
    assert not Linearizer(load_model(save(tmp_path / "toy"))).lifts
    with pytest.raises(ModelError, match=r"no parameter tables\.lifted"):
        build_model(header, toy_vocabulary(), toy_stored())
    with pytest.raises(ModelError, match=r"the network has \d+ arrays, not \d+"):
        build_model(toy_header(), toy_vocabulary(), stored)


def test_a_loaded_model_finds_what_the_built_one_finds(tmp_path: Path) -> None:
    rng = Random(9)
    built = Linearizer(build_model(toy_header(), toy_vocabulary(), toy_stored()))
    loaded = Linearizer(load_model(save(tmp_path / "toy")))
    for _ in range(20):
        problem = in_many_shapes(rng, random_problem(rng, 12))
        expected = [shown(each) for each in built.order(problem, n_best=5)]
        assert [shown(each) for each in loaded.order(problem, n_best=5)] == expected


def test_a_stored_network_is_close_to_the_one_it_was_made_of() -> None:
    vocabulary = toy_vocabulary()
    rounded = toy_stored().scorer(toy_header(), vocabulary)
    assert isinstance(rounded, NeuralScorer)
    encodings = encodings_of_all_sizes(6, 20)
    for one, other in zip(
        toy_scorer().encoder.encode(encodings), rounded.encoder.encode(encodings), strict=True
    ):
        assert np.abs(one.vectors - other.vectors).mean() < 0.05
        assert not np.array_equal(one.vectors, other.vectors)


def test_other_parameters_are_rounded_to_16_bits() -> None:
    parameters = toy_parameters(toy_lexicon(), toy_vocabulary())
    stored = toy_stored()
    quantised = {f"tables.{name}" for name in LEXICAL}
    assert set(stored.arrays) == {
        *(f"network.{name}" for name in parameters),
        *(f"network.{name}.scales" for name in quantised),
    }
    for name, parameter in parameters.items():
        array = stored.arrays[f"network.{name}"]
        assert array.shape == parameter.shape
        if name not in quantised:
            assert array.dtype == np.float16
            error = np.abs(array.astype(np.float64) - parameter)
            assert (error <= np.abs(parameter) * 2.0**-11 + 2.0**-25).all()


@pytest.mark.parametrize("inputs", [("upos",), ("features",), ("upos", "features")])
def test_a_model_that_reads_upos_tags_and_features(tmp_path: Path, inputs: list[str]) -> None:
    lexicon, known = toy_lexicon(), universal_vocabulary()
    vocabulary = toy_vocabulary().with_inputs(
        known.upos if "upos" in inputs else (), known.features if "features" in inputs else ()
    )
    stored = StoredNetwork.from_parameters(lexicon, toy_parameters(lexicon, vocabulary))
    save_model(tmp_path / "toy", toy_header(inputs), vocabulary, stored)
    built = Linearizer(build_model(toy_header(inputs), vocabulary, stored))
    loaded = Linearizer(load_model(tmp_path / "toy"))
    assert loaded.info.header["inputs"] == list(inputs)
    rng = Random(8)
    for _ in range(10):
        problem = with_universal_tags(rng, in_many_shapes(rng, random_problem(rng, 9)))
        assert shown(loaded.order(problem)) == shown(built.order(problem))
    header, sections = read_container(tmp_path / "toy")
    for name in inputs:
        fewer = {k: v for k, v in sections.items() if k != f"network.tables.{name}"}
        assert f"no parameter tables.{name} of" in refused(tmp_path / "bad", header, fewer)
    for stated in ([], ["upos", "features", "more"], ["features", "upos"], [1]):
        message = refused(tmp_path / "bad", {**header, "inputs": stated}, sections)
        assert f"the header states the inputs {stated}, but the vocabulary has" in message
    for section in {"upos_tags", "feature_values"} & sections.keys():
        fewer = {key: array for key, array in sections.items() if key != section}
        assert "states the inputs" in refused(tmp_path / "bad", header, fewer)
        twice = {**sections, section: pack_lines(["a", "a"])}
        assert f"'{section}'" in refused(tmp_path / "bad", header, twice)


# ---- what is refused -------------------------------------------------------------------------


def refused(path: Path, header: dict[str, Any], sections: dict[str, npt.NDArray[Any]]) -> str:
    """The one line that is said of a bad model."""
    write_container(path, header, sections)
    with pytest.raises(ModelError) as caught:
        load_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.count(str(path)) == 1
    assert "\n" not in message
    return message


@pytest.mark.slow
def test_a_model_without_one_of_its_parameters(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    for name in PARAMETERS:
        fewer = {key: array for key, array in sections.items() if key != f"network.{name}"}
        assert f"no parameter {name} of shape" in refused(tmp_path / "bad", header, fewer)
    for name in LEXICAL:
        fewer = {key: array for key, array in sections.items() if not key.endswith(".scales")}
        assert "no parameter tables.form.scales of" in refused(tmp_path / "bad", header, fewer)
        fewer = {key: array for key, array in sections.items() if key != f"lexicon.{name}"}
        assert f"no section 'lexicon.{name}'" in refused(tmp_path / "bad", header, fewer)


@pytest.mark.slow
def test_a_model_with_a_parameter_of_another_shape(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    for name in PARAMETERS:
        array = sections[f"network.{name}"]
        larger = np.concatenate([array, array[-1:]])
        if array.shape[-1] != array.size:
            assert name in refused(
                tmp_path / "bad", header, {**sections, f"network.{name}": array.reshape(-1)}
            )
        assert f"no parameter {name} of shape {array.shape}" in refused(
            tmp_path / "bad", header, {**sections, f"network.{name}": larger}
        )


def test_a_model_with_scales_where_none_belong(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    scales = np.ones(len(sections["network.special"]), np.float16)
    message = refused(tmp_path / "bad", header, {**sections, "network.special.scales": scales})
    assert f"the network has {len(PARAMETERS) + 5} arrays, not {len(PARAMETERS) + 4}" in message


def test_a_model_with_scales_of_another_length(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    short = sections["network.tables.lower.scales"][:-1]
    message = refused(tmp_path / "bad", header, {**sections, "network.tables.lower.scales": short})
    assert "no parameter tables.lower.scales of shape" in message


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_model_with_a_parameter_that_is_no_number(tmp_path: Path, bad: float) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    array = np.array(sections["network.slots.arc"])
    array[1, 2] = bad
    message = refused(tmp_path / "bad", header, {**sections, "network.slots.arc": array})
    assert "the parameter slots.arc of the network is not finite" in message


def test_a_model_with_a_parameter_of_another_type(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    wide = sections["network.tables.form"].astype(np.int16)
    message = refused(tmp_path / "bad", header, {**sections, "network.tables.form": wide})
    assert "no parameter tables.form of shape" in message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dimensions": None}, "'dimensions' is not an object"),
        ({"dimensions": [1, 2]}, "'dimensions' is not an object"),
        ({"dimensions": {"width": 24}}, "does not state the dimensions"),
        ({"heads": 0}, "do not fit together"),
        ({"heads": 5}, "do not fit together"),
        ({"hidden": 33}, "do not fit together"),
        ({"guess_after": 3}, "do not fit together"),
        ({"guess_after": -1}, "not an integer from 0 to 65536"),
        ({"width": 1.5}, "not an integer from 0 to 65536"),
        ({"width": True}, "not an integer from 0 to 65536"),
    ],
)
def test_a_header_with_other_dimensions(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    if "dimensions" not in changes:
        changes = {"dimensions": {**header["dimensions"], **changes}}
    assert message in refused(tmp_path / "bad", {**header, **changes}, sections)


def test_a_model_with_words_that_are_no_text(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    noise = np.array([0xFF, 0xFE], np.uint8)
    message = refused(tmp_path / "bad", header, {**sections, "lexicon.lower": noise})
    assert "a list of words is not UTF-8" in message


def test_a_model_with_other_words_than_its_tables_have(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    for name in (*(f"lexicon.{table}" for table in LEXICAL), "tags", "labels"):
        more = np.concatenate([sections[name], np.frombuffer(b"\nanother", np.uint8)])
        assert "no parameter" in refused(tmp_path / "bad", header, {**sections, name: more})


def test_a_model_with_other_slots(tmp_path: Path) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    for part, names in header["slots"].items():
        for other in (names[:-1], [*names[1:], names[0]]):
            changed = {**header, "slots": {**header["slots"], part: other}}
            message = refused(tmp_path / "bad", changed, sections)
            assert "other slots than those of this version; train it again" in message


@pytest.mark.parametrize("name", [n for n in Dimensions.__dataclass_fields__ if n != "guess_after"])
def test_a_model_with_other_dimensions(tmp_path: Path, name: str) -> None:
    header, sections = read_container(save(tmp_path / "toy"))
    sizes = header["dimensions"]
    changed = {**header, "dimensions": {**sizes, name: 2 * sizes[name]}}
    message = refused(tmp_path / "bad", changed, sections)
    assert "the network has no parameter" in message or "do not fit together" in message
