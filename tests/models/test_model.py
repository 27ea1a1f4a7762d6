"""Models: what is saved is what is loaded, up to the steps of the weights; bad ones are refused."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toys.models import bag, make_scorer, random_weights, toy_vocabulary

from syntagma.errors import ModelError
from syntagma.linear.scorer import LinearScorer, StoredLinearScorer
from syntagma.linear.templates import FEATURE_SETS, templates
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.container import read_container, write_container
from syntagma.models.loading import load_model
from syntagma.models.model import build_model, save_model
from syntagma.transition.encoding import encode
from syntagma.transition.vocabulary import Vocabulary

BAGS = [("w1", "w2"), ("w3", "w3", "w4", "new"), ("w5", "w6", "w7", "w1", "w2")]
SECTIONS = (
    *("forms", "tags", "labels", "form_tags", "open_tags", "label_index", "label_pool"),
    *("occupied", "fingerprints", "weights", "levels"),
)
Keys = npt.NDArray[np.uint64]
Values = npt.NDArray[np.float32]


def header(feature_set: str = "p16") -> dict[str, Any]:
    return {
        "name": "toy",
        "tag_column": "xpos",
        "feature_set": feature_set,
        "templates": list(templates(feature_set).texts),
    }


def weights(seed: int = 1, feature_set: str = "p16") -> tuple[Keys, Values]:
    """Random weights for the features of a few bags."""
    vocabulary = toy_vocabulary()
    encodings = [encode(bag(*forms), vocabulary) for forms in BAGS]
    drawn = random_weights(Random(seed), make_scorer(feature_set, vocabulary), encodings, walks=5)
    return np.array(list(drawn), np.uint64), np.array(list(drawn.values()), np.float32)


def toy_weights() -> StoredLinearScorer:
    return StoredLinearScorer.of(*weights(), 100)


def save(path: Path, keys: Keys, values: Values, max_features: int = 10**6) -> Path:
    save_model(path, header(), toy_vocabulary(), StoredLinearScorer.of(keys, values, max_features))
    return path


def stored_weights(path: Path) -> dict[int, float]:
    """Weight by fingerprint, the upper half of the key."""
    arrays = read_container(path)[1]
    weights = arrays["levels"][arrays["weights"]]
    return dict(zip(arrays["fingerprints"].tolist(), weights.tolist(), strict=True))


@pytest.mark.parametrize("feature_set", FEATURE_SETS)
def test_a_loaded_model_finds_what_the_built_one_finds(tmp_path: Path, feature_set: str) -> None:
    vocabulary = toy_vocabulary()
    stored = StoredLinearScorer.of(*weights(feature_set=feature_set), 10**6)
    built = Linearizer(build_model(header(feature_set), vocabulary, stored))
    save_model(tmp_path / "toy", header(feature_set), vocabulary, stored)
    loaded = Linearizer(load_model(tmp_path / "toy"))
    for forms in BAGS:
        one, other = built.order(forms, n_best=5, beam=32), loaded.order(forms, n_best=5, beam=32)
        assert one[0].score > 0
        assert [each.tokens for each in other] == [each.tokens for each in one]
        assert [each.score for each in other] == [each.score for each in one]


def test_a_loaded_model_knows_its_header_and_vocabulary(tmp_path: Path) -> None:
    keys, values = weights()
    model = load_model(save(tmp_path / "toy", keys, values))
    assert model.header == {**header(), "features": len(keys)}
    assert model.vocabulary.forms == toy_vocabulary().forms
    assert model.vocabulary.tags == toy_vocabulary().tags
    assert model.vocabulary.labels == toy_vocabulary().labels


@pytest.mark.slow
@given(
    st.lists(
        st.floats(-100, 100, width=32).filter(lambda weight: abs(weight) > 1e-3),
        min_size=1,
        max_size=200,
    )
)
@example([1.0] * 60 + [1000.0, -1000.0])
@settings(deadline=None)
def test_a_stored_weight_is_close_to_what_it_was(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[float]
) -> None:
    """Within 2% of its own size and 0.02% of the largest one's."""
    keys = np.arange(1, len(drawn) + 1, dtype=np.uint64) << np.uint64(32)
    path = save(tmp_path_factory.mktemp("model") / "toy", keys, np.array(drawn, np.float32))
    stored = stored_weights(path)
    assert len(stored) == len(drawn)
    largest = max(map(abs, drawn))
    for number, weight in enumerate(drawn, start=1):
        assert abs(stored[number] - weight) <= 0.02 * abs(weight) + 0.0002 * largest


@pytest.mark.slow
@given(
    st.lists(st.sampled_from([*range(-9, 0), *range(1, 10)]), min_size=1, max_size=60), st.data()
)
@settings(deadline=None)
def test_pruning_keeps_the_largest_weights(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[int], data: st.DataObject
) -> None:
    """Of equal ones those with the smallest keys, so that no order of the features matters."""
    limit = data.draw(st.integers(1, len(drawn)))
    numbers = data.draw(st.permutations(range(1, len(drawn) + 1)))
    weight_of = dict(zip(numbers, drawn, strict=True))
    keys = np.array(numbers, np.uint64) << np.uint64(32)
    path = save(tmp_path_factory.mktemp("model") / "toy", keys, np.array(drawn, np.float32), limit)
    largest = sorted(numbers, key=lambda number: (-abs(weight_of[number]), number))[:limit]
    assert sorted(stored_weights(path)) == sorted(largest)
    assert read_container(path)[0]["features"] == limit


def test_a_model_without_features_orders_all_the_same(tmp_path: Path) -> None:
    path = save(tmp_path / "toy", np.array([], np.uint64), np.array([], np.float32))
    found = Linearizer(load_model(path)).order(["w1", "w2", "new"])
    assert sorted(found.words) == ["new", "w1", "w2"]
    assert found.score == 0


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    keys, values = weights()
    one, other = save(tmp_path / "one", keys, values), save(tmp_path / "other", keys, values)
    assert one.read_bytes() == other.read_bytes()


def test_there_are_no_other_sections(tmp_path: Path) -> None:
    """So that the next test leaves none out."""
    assert sorted(read_container(save(tmp_path / "toy", *weights()))[1]) == sorted(SECTIONS)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_missing_section(tmp_path: Path, section: str) -> None:
    path = save(tmp_path / "toy", *weights())
    found, arrays = read_container(path)
    write_container(
        path, found, {name: np.array(arrays[name]) for name in arrays if name != section}
    )
    with pytest.raises(ModelError, match=f"toy: not a model .*no section '{section}'"):
        load_model(path)


@pytest.mark.parametrize("change", [{"feature_set": "p17"}, {"feature_set": "None"}])
def test_an_unknown_feature_set(tmp_path: Path, change: dict[str, Any]) -> None:
    path = save(tmp_path / "toy", *weights())
    found, arrays = read_container(path)
    write_container(path, {**found, **change}, {name: np.array(a) for name, a in arrays.items()})
    with pytest.raises(ModelError, match=r"toy: not a model .*unknown feature set"):
        load_model(path)


@pytest.mark.parametrize(("arcs", "lazy"), [(None, False), ("eager", False), ("lazy", True)])
def test_a_model_searches_with_its_order_of_arcs(
    tmp_path: Path, arcs: str | None, lazy: bool
) -> None:
    path = save(tmp_path / "toy", *weights())
    found, arrays = read_container(path)
    stated = {} if arcs is None else {"arcs": arcs}
    write_container(path, {**found, **stated}, {name: np.array(a) for name, a in arrays.items()})
    scorer = load_model(path).scorer
    assert isinstance(scorer, LinearScorer)
    assert scorer.lazy == lazy


@pytest.mark.parametrize(
    ("arcs", "message"), [("late", "unknown order of arcs"), (1, "'arcs' is not a string")]
)
def test_an_unknown_order_of_arcs(tmp_path: Path, arcs: Any, message: str) -> None:
    path = save(tmp_path / "toy", *weights())
    found, arrays = read_container(path)
    copied = {name: np.array(array) for name, array in arrays.items()}
    write_container(path, {**found, "arcs": arcs}, copied)
    with pytest.raises(ModelError, match=f"toy: .*{message}"):
        load_model(path)


def test_a_model_is_linear_unless_it_says_otherwise(tmp_path: Path) -> None:
    path = save(tmp_path / "toy", *weights())
    found, arrays = read_container(path)
    copied = {name: np.array(array) for name, array in arrays.items()}
    assert "scorer" not in found
    write_container(path, {**found, "scorer": "linear"}, copied)
    assert isinstance(load_model(path).scorer, LinearScorer)
    write_container(path, {**found, "scorer": "cubic"}, copied)
    with pytest.raises(ModelError, match=r"toy: this version .* does not know the scorer 'cubic'"):
        load_model(path)


@pytest.mark.parametrize("tag_column", [None, "pos"])
def test_a_header_without_a_known_tag_column(tmp_path: Path, tag_column: str | None) -> None:
    path = save(tmp_path / "toy", *weights())
    found, arrays = read_container(path)
    found = {**found, "tag_column": tag_column}
    if tag_column is None:
        del found["tag_column"]
    write_container(path, found, {name: np.array(a) for name, a in arrays.items()})
    with pytest.raises(ModelError, match=r"toy: not a model .*no tag column"):
        load_model(path)


@pytest.mark.parametrize("change", ["one fewer", "other order", "renamed"])
def test_other_templates_than_those_of_this_version(tmp_path: Path, change: str) -> None:
    texts = header()["templates"]
    other = {
        "one fewer": texts[:-1],
        "other order": [texts[1], texts[0], *texts[2:]],
        "renamed": ["S9w", *texts[1:]],
    }
    path = tmp_path / "toy"
    save_model(path, {**header(), "templates": other[change]}, toy_vocabulary(), toy_weights())
    with pytest.raises(ModelError, match="trained with other feature templates"):
        load_model(path)


def test_a_vocabulary_with_odd_forms_goes_through_a_file(tmp_path: Path) -> None:
    forms = {"🦊": 1, "ספינה": 2, "a\x07b": 3, "New York": 4, "a\u2028b": 5}
    plain = toy_vocabulary()
    odd = Vocabulary(
        forms,
        plain.tags,
        plain.labels,
        dict.fromkeys(forms, (0,)),
        plain.open_tags,
        plain.label_index,
        plain.label_pool,
    )
    save_model(tmp_path / "toy", header(), odd, toy_weights())
    loaded = load_model(tmp_path / "toy")
    assert loaded.vocabulary.forms == forms
    assert set(Linearizer(loaded).order(list(forms)).words) == set(forms)
