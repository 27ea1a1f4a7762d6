"""Model files with valid checksums and crafted contents are refused, with file and section.

`fuzzing/models.py` crafts them at random; here is one of each kind that was found to do harm.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fuzzing import toys
from syntagma.errors import ModelError
from syntagma.files.sections import pack_lines, unpack_lines
from syntagma.models.container import MAX_FILE, MAX_INDEX, write_container
from syntagma.models.header import FIELD_TYPES, Header, check_header
from syntagma.models.loading import load_model

Array = npt.NDArray[Any]
Change = Callable[[Array], Array]
MODELS: dict[str, Callable[[], toys.Toy]] = {
    "linear": lambda: toys.linear("p16"),
    "dependency": lambda: toys.best_first("dependency"),
    "ccg": lambda: toys.best_first("ccg"),
    "neural": toys.neural,
}
# Where two sections must fit together, either may be the one that is named.
PARTNERS = {
    "label_pool": "label_index",
    "lm.1.counts": "lm.1.backoffs",
    "fingerprints": "weights",
    "levels": "weights",
}


def put(value: Any, at: Any = 0) -> Change:
    def change(array: Array) -> Array:
        array = np.array(array)
        array[at] = value
        return array

    return change


def lines(change: Callable[[list[str]], list[str]]) -> Change:
    return lambda array: pack_lines(change(unpack_lines(array)))


def cut(array: Array) -> Array:
    return array[:-1]


def doubled(array: Array) -> Array:
    return np.concatenate([array, array])


def refused(path: Path, kind: str, section: str, change: Change) -> None:
    header, arrays = MODELS[kind]()
    write_container(
        path, header, {**arrays, section: np.ascontiguousarray(change(arrays[section]))}
    )
    names = f"{section}|{PARTNERS.get(section, section)}"
    with pytest.raises(ModelError, match=rf"^{path}: .*section '({names})'") as caught:
        load_model(path, search=None)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", MODELS)
def test_the_toy_models_are_good(tmp_path: Path, kind: str) -> None:
    header, arrays = MODELS[kind]()
    write_container(tmp_path / "toy", header, arrays)
    assert load_model(tmp_path / "toy", search=None).realizer is not None


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    ("section", "change"),
    [
        ("label_index", put((0, 10**6), (0, 0, 0))),
        ("label_index", put((10**6, 1), (0, 0, 0))),
        ("label_index", lambda array: array.reshape(-1)),
        ("label_index", lambda array: array.astype(np.int64)),
        ("label_index", lambda array: doubled(array)[:, :0]),
        ("tags", lambda array: array[:0]),
        ("tags", lines(lambda tags: [*tags, tags[0]])),
        ("tags", lines(lambda tags: [f"T{i}" for i in range(1 << 15)])),
        ("labels", lines(lambda labels: ["", *labels])),
        ("labels", put(255)),
        ("forms", lines(lambda forms: [*forms, "x", "x"])),
        ("open_tags", lines(lambda entries: [*entries, "x\t99"])),
        ("open_tags", lines(lambda entries: [*entries, "x\t-1"])),
        ("open_tags", lines(lambda entries: [*entries, "x\t"])),
        ("open_tags", lines(lambda entries: [*entries, "x"])),
        ("open_tags", lines(lambda entries: [*entries, "x\t" + "9" * 5000])),
        ("form_tags", lines(lambda entries: [*entries, "x\t1 2 x"])),
        ("form_tags", lines(lambda entries: [*entries, "x\t" + "0 " * 99 + "0"])),
        ("inflection", lambda array: array.astype(np.int32)),
        ("form_choice", lambda array: array[None]),
        ("spacing.rules", lines(lambda rules: [*rules, "kinds\ta"])),
        ("spacing.contractions", lines(lambda _: ["\t".join(["forms", *"a" * 99])])),
        ("lm.words", lambda array: array[2:]),
        ("lm.1.counts", cut),
        ("lm.2.log_probs.table", put(np.float32(-1e30))),
    ],
)
def test_sections_of_all_models(tmp_path: Path, kind: str, section: str, change: Change) -> None:
    refused(tmp_path / "toy", kind, section, change)


@pytest.mark.parametrize("kind", ["linear", "dependency", "ccg"])
@pytest.mark.parametrize(
    ("section", "change"),
    [
        ("label_index", put((2**31 - 1, 2**31 - 1), (1, 0, 1))),
        ("label_index", put(-1, (1, 1, 1, 0))),
        ("label_pool", put(-1)),
        ("label_pool", put(99)),
        ("label_pool", lambda array: array[:0]),
        ("forms", cut),  # by one byte: no longer what form_tags lists
        ("fingerprints", cut),
        ("fingerprints", put(0)),
        ("weights", cut),
        ("weights", doubled),
        ("levels", put(np.nan)),
        ("levels", put(np.inf)),
        ("levels", lambda array: array[:0]),
        ("levels", lambda array: np.zeros(1000, np.float32)),
        ("occupied", lambda array: np.full_like(array, 255)),
        ("occupied", doubled),
        ("occupied", cut),
        ("occupied", lambda array: array[:0]),
        ("occupied", lambda array: np.zeros(1 << 20, np.uint8)),
    ],
)
def test_sections_of_sparse_features(
    tmp_path: Path, kind: str, section: str, change: Change
) -> None:
    """Also of proposals of labels, which networks have none of."""
    refused(tmp_path / "toy", kind, section, change)


@pytest.mark.parametrize(
    ("section", "change"),
    [
        ("ccg_categories", lambda array: array[:0]),
        ("ccg_categories", lines(lambda names: [*names, names[0]])),
        ("ccg_binary", put(99)),
        ("ccg_binary", put(-1)),
        ("ccg_binary", put(2, (0, 3))),
        ("ccg_binary", lambda array: array[::-1]),
        ("ccg_binary", doubled),
        ("ccg_unary", put(99)),
        ("ccg_unary", lambda array: array.reshape(-1)),
        ("ccg_rare", cut),
        ("ccg_form_starts", put(10**6, -1)),
        ("ccg_form_starts", put(1)),
        ("ccg_form_starts", cut),
        ("ccg_form_leaves", put(99, (0, 0))),
        ("ccg_form_leaves", put(99, (0, 1))),
        ("ccg_tag_starts", put(0, -1)),
        ("ccg_tag_starts", put(0, 1)),
        ("ccg_tag_categories", put(99)),
    ],
)
def test_sections_of_ccg(tmp_path: Path, section: str, change: Change) -> None:
    refused(tmp_path / "toy", "ccg", section, change)


def test_a_categories_list_cut_by_a_line(tmp_path: Path) -> None:
    header, arrays = MODELS["ccg"]()
    fewer = pack_lines(unpack_lines(arrays["ccg_categories"])[:-1])
    write_container(tmp_path / "toy", header, {**arrays, "ccg_categories": fewer})
    with pytest.raises(ModelError, match="toy: damaged model: section 'ccg_"):
        load_model(tmp_path / "toy", search=None)


def test_a_run_of_occupied_slots(tmp_path: Path) -> None:
    """It would make each look-up of an absent feature walk along it."""
    header, arrays = MODELS["linear"]()
    n = 1 << 14
    crafted: dict[str, Array] = {
        "occupied": np.repeat(np.array([255, 0], np.uint8), n // 16),
        "fingerprints": np.arange(1, n // 2 + 1, dtype=np.uint32),
        "weights": np.zeros(n // 2, np.uint8),
    }
    write_container(tmp_path / "toy", header, {**arrays, **crafted})
    with pytest.raises(ModelError, match="too many slots in a row are occupied"):
        load_model(tmp_path / "toy")


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("field", FIELD_TYPES)
def test_header_fields_of_another_type(tmp_path: Path, kind: str, field: str) -> None:
    header, arrays = MODELS[kind]()
    values: tuple[Any, ...] = (None, 1.5, [], {}, "x", 1, True)
    for value in values:
        if type(value) is not FIELD_TYPES[field]:
            write_container(tmp_path / "toy", {**header, field: value}, arrays)
            with pytest.raises(ModelError, match=rf"toy: .*field '{field}'"):
                load_model(tmp_path / "toy", search=None)


def test_every_header_field_has_a_type() -> None:
    assert FIELD_TYPES.keys() == Header.__annotations__.keys()


@pytest.mark.parametrize(
    "fields",
    [{"data": [1]}, {"data": [{"sentences": "1"}]}, {"data": [{"name": 1}]}, {"templates": [1]}],
)
def test_fields_in_fields(fields: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=r"header field '(data|templates)"):
        check_header(fields)


def test_a_language_model_that_the_header_does_not_mention(tmp_path: Path) -> None:
    header, arrays = MODELS["linear"]()
    del (header := dict(header))["language_model"]
    write_container(tmp_path / "toy", header, arrays)
    with pytest.raises(ModelError, match=r"toy: .*no header field 'language_model'"):
        load_model(tmp_path / "toy")


def test_a_damaged_lexicon_is_named_with_its_file(tmp_path: Path) -> None:
    """It is unpacked when it is first used."""
    from syntagma.linearizer.linearizer import load
    from syntagma.problem.problem import Problem
    from syntagma.problem.word import Word

    header, arrays = MODELS["linear"]()
    write_container(tmp_path / "toy", header, {**arrays, "inflection": np.zeros(9, np.uint8)})
    with pytest.raises(ModelError, match=rf"^{tmp_path / 'toy'}: .*section 'inflection'"):
        load(tmp_path / "toy").realize(Problem((Word("", lemma="fox"),)))


def test_files_that_are_too_large(tmp_path: Path) -> None:
    path = tmp_path / "toy"
    write_container(path, {}, {})
    good = path.read_bytes()
    with open(path, "r+b") as file:
        file.truncate(MAX_FILE + 1)  # a hole: it takes no space
    with pytest.raises(ModelError, match="toy: a model file has at most 4 GiB"):
        load_model(path)
    path.write_bytes(good[:12] + (MAX_INDEX + 1).to_bytes(4, "little") + good[16:])
    with pytest.raises(ModelError, match=r"toy: .*header is larger than 16 MiB"):
        load_model(path)
