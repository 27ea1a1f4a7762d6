"""A damaged file of a packed language model is refused, or does no harm."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys.text import large_model, model_of_many, small_model

from syntagma.errors import ModelError
from syntagma.language_model.arpa import read_arpa
from syntagma.language_model.packed import MAX_ORDER, LanguageModel

Array = npt.NDArray[Any]
Arrays = dict[str, Array]

MANY = 255  # from this many on, the file stores the number of continuations elsewhere


@cache
def good() -> LanguageModel:
    return LanguageModel.of(model_of_many())


SECTIONS = (
    "lm.words",
    "lm.1.log_probs",
    *(
        f"lm.{i}.{name}"
        for i in (2, 3)
        for name in ("log_probs", "log_probs.table", "words", "high_bits")
    ),
    *(f"lm.{i}.{name}" for i in (1, 2) for name in ("contexts", "backoffs", "counts", "many")),
    "lm.2.backoffs.table",
)
TABLES = tuple(name for name in SECTIONS if name.endswith(".table"))
FLOATS = ("lm.1.log_probs", "lm.1.backoffs")


def damaged(name: str, damage: Callable[[Array], Array]) -> Arrays:
    arrays = {each: np.array(array) for each, array in good().to_arrays().items()}
    return {**arrays, name: damage(arrays[name])}


def refuse(arrays: Arrays, message: str = "language model|section 'lm") -> None:
    with pytest.raises(ModelError, match=message) as caught:
        LanguageModel.from_arrays(arrays)
    assert "\n" not in str(caught.value)


def test_there_are_no_other_sections() -> None:
    """So that the next tests cover all of them."""
    assert sorted(good().to_arrays()) == sorted(SECTIONS)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_missing_section(name: str) -> None:
    arrays = good().to_arrays()
    del arrays[name]
    refuse(arrays)


@pytest.mark.parametrize(
    "name",
    [
        "lm.more",
        "lm.0.words",
        "lm.1.words",
        "lm.1.high_bits",
        "lm.1.log_probs.table",
        "lm.1.backoffs.table",
        "lm.2.more",
        "lm.3.backoffs",
        "lm.3.counts",
        "lm.4.log_probs",
        "lm.4.words",
        "lm.5.words",
    ],
)
def test_a_strange_section(name: str) -> None:
    assert name not in SECTIONS
    for array in (np.empty(0, np.uint8), good().to_arrays()["lm.3.words"]):
        refuse({**good().to_arrays(), name: array}, "unknown section|it is missing")


def test_other_sections_belong_to_others() -> None:
    arrays = {**good().to_arrays(), "weights": np.zeros(3), "lmwords": np.zeros(3)}
    assert LanguageModel.from_arrays(arrays).words == good().words


@pytest.mark.parametrize("i", [2, 3])
def test_codes_without_a_table_and_values_with_one(i: int) -> None:
    arrays = good().to_arrays()
    values = arrays[f"lm.{i}.log_probs.table"][arrays[f"lm.{i}.log_probs"]]
    refuse({**arrays, f"lm.{i}.log_probs": values})
    del arrays[f"lm.{i}.log_probs.table"]
    refuse({**arrays, f"lm.{i}.log_probs": values})


@pytest.mark.parametrize("name", SECTIONS)
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float64, np.bool_, ">u2", ">f4"])
def test_a_section_of_another_type(name: str, dtype: npt.DTypeLike) -> None:
    refuse(damaged(name, lambda array: array.astype(dtype)), name)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_with_two_dimensions(name: str) -> None:
    refuse(damaged(name, lambda array: array[:, None]), name)


@pytest.mark.parametrize("name", sorted({*SECTIONS} - {"lm.words"}))
@pytest.mark.parametrize("length", ["none", "shorter", "longer"])
def test_a_section_of_another_length(name: str, length: str) -> None:
    array = good().to_arrays()[name]
    if not len(array) and length != "longer":
        assert name.endswith("high_bits")
        return
    other = {"none": array[:0], "shorter": array[:-1], "longer": np.append(array, array[:1])}
    other["longer"].resize(len(array) + 1, refcheck=False)
    refuse(damaged(name, lambda _: other[length]))


@pytest.mark.parametrize("text", ["", "<unk>", "<s>\n<unk>\n</s>", "<unk>\n<s>\n</s>\na\nb"])
def test_other_words_than_those_of_the_ngrams(text: str) -> None:
    refuse(damaged("lm.words", lambda _: np.frombuffer(text.encode(), np.uint8)))


def test_words_that_are_not_utf_8() -> None:
    refuse(damaged("lm.words", lambda array: np.append(array, np.uint8(0xFF))))


@pytest.mark.parametrize("name", ["lm.2.words", "lm.3.words"])
def test_a_word_number_that_is_too_large(name: str) -> None:
    for number in (len(good().words), 0xFFFF):

        def enlarge(array: Array, number: int = number) -> Array:
            array[-1] = number
            return array

        refuse(damaged(name, enlarge))


@pytest.mark.parametrize("name", ["lm.2.words", "lm.3.words"])
@pytest.mark.parametrize("fault", ["swapped", "twice"])
def test_words_that_are_not_in_order(name: str, fault: str) -> None:
    order = good().orders[int(name[3]) - 2]
    start = int(order.starts[np.argmax(np.diff(order.starts))])  # of a context with many

    def damage(array: Array) -> Array:
        pair = array[start : start + 2]
        pair[:] = pair[::-1] if fault == "swapped" else pair[0]
        return array

    refuse(damaged(name, damage), f"order {int(name[3]) - 1} .*damaged")


@pytest.mark.parametrize("i", [1, 2])
def test_counts_that_do_not_add_up(i: int) -> None:
    small = int(np.argmax(good().to_arrays()[f"lm.{i}.counts"] < MANY - 1))

    def setting(at: int, value: int) -> Callable[[Array], Array]:
        def put(array: Array) -> Array:
            assert array[at] != value
            array[at] = value
            return array

        return put

    counts, many = (good().to_arrays()[f"lm.{i}.{name}"] for name in ("counts", "many"))
    refuse(damaged(f"lm.{i}.counts", setting(small, int(counts[small]) + 1)))
    refuse(damaged(f"lm.{i}.counts", setting(small, MANY)))
    for value in (0, MANY, int(many[0]) - 1, int(many[0]) + 1, 2**32 - 1):
        refuse(damaged(f"lm.{i}.many", setting(0, value)))
    refuse(damaged(f"lm.{i}.counts", lambda array: np.full_like(array, MANY)))
    refuse(damaged(f"lm.{i}.counts", np.zeros_like))


@pytest.mark.parametrize("i", [1, 2])
def test_contexts_that_are_too_few_or_too_many(i: int) -> None:
    for bit in range(16):

        def flip(array: Array, bit: int = bit) -> Array:
            array[bit >> 3] ^= 128 >> (bit & 7)
            return array

        refuse(damaged(f"lm.{i}.contexts", flip), f"contexts of order {i} .*damaged")


@pytest.mark.parametrize("name", [*TABLES, *FLOATS])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite(name: str, value: float) -> None:
    section = name.removesuffix(".table")
    at = -1 if name in FLOATS else good().to_arrays()[section][-1]

    def spoil(array: Array) -> Array:
        array[at] = value
        return array

    refuse(damaged(name, spoil), f"'{name}': .*not finite")
    refuse(damaged(name, lambda array: np.full_like(array, value)), f"'{name}': .*not finite")


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_no_code_stands_for_is_noticed_or_does_no_harm(
    name: str, value: float
) -> None:
    assert 255 not in good().to_arrays()[name.removesuffix(".table")]

    def spoil(array: Array) -> Array:
        array[-1] = value
        return array

    try:
        found = LanguageModel.from_arrays(damaged(name, spoil))
    except ModelError:
        return
    for sentence in (["a", "v1", "b"], ["b", "a", "v299"], ["v7", "never"], []):
        assert found.score(sentence) == good().score(sentence)


def test_high_bits_that_do_not_fit() -> None:
    arrays = LanguageModel.of(large_model()).to_arrays()
    bits = arrays["lm.2.high_bits"]
    assert len(bits)
    for other in (bits[:0], bits[:-1], np.append(bits, bits[:1])):
        refuse({**arrays, "lm.2.high_bits": other})
    refuse({**arrays, "lm.2.high_bits": np.full_like(bits, 255)})


def test_too_high_an_order() -> None:
    arrays = LanguageModel.of(small_model(MAX_ORDER)).to_arrays()
    # Valid but for its order: the fifth order has no continuations, and the sixth is empty.
    size = len(arrays[f"lm.{MAX_ORDER}.words"])
    arrays[f"lm.{MAX_ORDER}.contexts"] = np.zeros(-(-size // 8), np.uint8)
    for name, dtype in (("backoffs", np.uint8), ("counts", np.uint8), ("many", np.uint32)):
        arrays[f"lm.{MAX_ORDER}.{name}"] = np.empty(0, dtype)
    arrays[f"lm.{MAX_ORDER}.backoffs.table"] = np.zeros(256, np.float32)
    for name in ("words", "high_bits", "log_probs"):
        arrays[f"lm.{MAX_ORDER + 1}.{name}"] = arrays[f"lm.{MAX_ORDER}.{name}"][:0]
    arrays[f"lm.{MAX_ORDER + 1}.log_probs.table"] = arrays[f"lm.{MAX_ORDER}.log_probs.table"]
    refuse(arrays, f"order {MAX_ORDER + 1}, more than {MAX_ORDER}")


def test_a_model_of_too_high_an_order_cannot_be_packed(tmp_path: Path) -> None:
    """Files of other programs may have any order."""
    sizes = "".join(f"ngram {k}={3 if k == 1 else 0}\n" for k in range(1, 7))
    sections = "".join(f"\\{k}-grams:\n\n" for k in range(2, 7))
    path = tmp_path / "six.arpa"
    path.write_text(
        f"\\data\\\n{sizes}\n\\1-grams:\n-1\t<s>\n-1\t</s>\n-1\ta\n\n{sections}\\end\\\n"
    )
    with pytest.raises(ModelError, match="order"):
        LanguageModel.of(read_arpa(path))


@pytest.mark.slow
@given(st.data())
@settings(deadline=None, max_examples=200)
def test_flipped_bits_are_noticed_or_do_no_harm(data: st.DataObject) -> None:
    """There is no checksum here: damage that goes unnoticed changes scores, but never crashes."""
    name = data.draw(st.sampled_from(sorted({*SECTIONS} - {"lm.words"})))
    array = good().to_arrays()[name]
    flips = data.draw(st.lists(st.integers(0, max(array.nbytes * 8 - 1, 0)), max_size=4))

    def flip(array: Array) -> Array:
        raw = bytearray(array.tobytes())
        for bit in flips if raw else ():
            raw[bit >> 3] ^= 1 << (bit & 7)
        return np.frombuffer(bytes(raw), array.dtype)

    try:
        found = LanguageModel.from_arrays(damaged(name, flip))
    except ModelError:
        return
    for sentence in (["a", "v1", "b"], ["b", "a", "v299"], ["v7", "never"], []):
        scores = found.score(sentence)
        assert len(scores) == len(sentence) + 1
        assert all(map(math.isfinite, scores))
