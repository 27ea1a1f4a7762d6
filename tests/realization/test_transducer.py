"""The transducer: learns the inflection of a made-up language and applies it to unseen lemmas."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syntagma.errors import ModelError
from syntagma.realization.inflection import Inflector
from syntagma.realization.letters import END, MAX_LETTERS
from syntagma.realization.lexicon import Seen, find_edit
from syntagma.realization.transducer import (
    PREFIX,
    TABLE,
    Lexeme,
    Sibling,
    Transducer,
    morphs_of,
    nearest,
)
from syntagma.realization.transducer_training import MIN_INFLECTED, learn_transducer

pytest.importorskip("torch")

SINGULAR, PLURAL = "Number=Sing", "Number=Plur"
GENITIVE, DATIVE = "Case=Gen", "Case=Dat"


def stems(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    return sorted(
        {
            "".join(rng.choice("bdgklmnprt") + rng.choice("aeiou") for _ in range(2))
            + rng.choice("bdgkt")
            for _ in range(count)
        }
    )


def forms(stem: str, seed: int = 0) -> Iterator[tuple[str, str, str, str]]:
    """Lemma, tag, features and form: nouns in *-a* with plurals in *-i*; verbs whose participle has
    a prefix; and nouns in *-os* whose stem ends in *-er-* or *-or-*, as it happens."""
    yield stem + "a", "N", SINGULAR, stem + "a"
    yield stem + "a", "N", PLURAL, stem + "i"
    yield stem + "en", "V", "VerbForm=Part", f"ge{stem}t"
    vowel = random.Random(stem).choice("eo")
    yield stem + "os", "N", GENITIVE, f"{stem}{vowel}ris"
    yield stem + "os", "N", DATIVE, f"{stem}{vowel}ri"


def lexicon(known: list[str]) -> dict[str, list[Seen]]:
    found: dict[str, list[Seen]] = {}
    for stem in known:
        for lemma, tag, features, form in forms(stem):
            found.setdefault(lemma, []).append(Seen(tag, features, form, 1, find_edit(lemma, form)))
    return found


LEXICON = lexicon(stems(1, 90))


@pytest.fixture(scope="module")
def transducer() -> Transducer:
    learned = learn_transducer(LEXICON)
    assert learned is not None
    return learned


def test_unseen_lemmas_are_inflected(transducer: Transducer) -> None:
    for stem in stems(2, 20):
        assert transducer.inflect(stem + "a", "N", PLURAL) == stem + "i"
        assert transducer.inflect(stem + "a", "N", SINGULAR) == stem + "a"
        assert transducer.inflect(stem + "en", "V", "VerbForm=Part") == f"ge{stem}t"


def test_other_forms_of_the_lemma_tell_its_stem(transducer: Transducer) -> None:
    """Nothing else does: without them, half of the guesses would be wrong."""
    wanted, found = [], []
    for stem, vowel in product(stems(3, 20), "eo"):
        changes = transducer.align(stem + "os", f"{stem}{vowel}ri")
        assert changes is not None
        sibling = Sibling(morphs_of("N", DATIVE), changes)
        wanted.append(f"{stem}{vowel}ris")
        found.append(transducer.inflect(stem + "os", "N", GENITIVE, [sibling]))
    assert sum(map(str.__eq__, wanted, found)) >= 0.9 * len(wanted)


def test_letters_of_other_scripts_are_kept(transducer: Transducer) -> None:
    assert transducer.inflect("жbadaжa", "N", PLURAL) == "жbadaжi"
    assert transducer.inflect("$5", "SYM", "") == "$5"
    long = "ab" * MAX_LETTERS
    assert transducer.inflect(long, "N", PLURAL) == long


def test_inflector_asks_it_for_what_was_not_seen(transducer: Transducer) -> None:
    inflector = Inflector(
        {**LEXICON, "Tubos": [Seen("N", DATIVE, "Tuberi", 1, find_edit("tubos", "tuberi"))]},
        transducer=transducer,
    )
    assert inflector.likeliest("Tubos", "N", GENITIVE) == "Tuberis"
    assert inflector.likeliest("Tubos", "N", DATIVE) == "Tuberi"
    assert inflector.likeliest("Rogida", "N", PLURAL) == "Rogidi"
    assert inflector.likeliest("rogida", None, None) == "rogida"


def test_stored_and_loaded_it_inflects_the_same(transducer: Transducer) -> None:
    inflector = Inflector(LEXICON, transducer=transducer)
    loaded = Inflector.from_arrays(inflector.to_arrays())
    for stem in stems(4, 5):
        for lemma, tag, features, _ in forms(stem):
            assert loaded.forms(lemma, tag, features) == inflector.forms(lemma, tag, features)


def test_learning_is_deterministic(transducer: Transducer) -> None:
    again = learn_transducer(dict(reversed(LEXICON.items())))
    assert again is not None
    for name, array in transducer.to_arrays().items():
        assert np.array_equal(array, again.to_arrays()[name]), name


def test_a_language_without_inflection_has_none() -> None:
    few = {lemma: LEXICON[lemma] for lemma in sorted(LEXICON)[: MIN_INFLECTED // 4]}
    assert learn_transducer(few) is None
    assert learn_transducer({}) is None
    assert Transducer.from_arrays(Inflector(few).to_arrays()) is None


@settings(max_examples=30)
@given(st.text(max_size=6), st.sampled_from([None, "N", "?"]), st.sampled_from([None, "", "A=B"]))
def test_anything_can_be_inflected(
    transducer: Transducer, lemma: str, tag: str | None, features: str | None
) -> None:
    assert isinstance(transducer.inflect(lemma, tag, features), str)


@pytest.mark.parametrize("name", [section.name for section in TABLE])
def test_weights_must_fit(transducer: Transducer, name: str) -> None:
    arrays = transducer.to_arrays()
    with pytest.raises(ModelError, match="a length is"):
        Transducer.from_arrays({**arrays, name: arrays[name][..., :-1]})
    with pytest.raises(ModelError, match=name):
        Transducer.from_arrays({**arrays, name: np.full(arrays[name].shape, np.inf, np.float16)})
    with pytest.raises(ModelError, match=name):
        Transducer.from_arrays({key: value for key, value in arrays.items() if key != name})


@pytest.mark.parametrize(
    ("name", "line"),
    [("changes", "s"), ("costs", "a\tb"), ("costs", "a\tb\tx"), ("costs", "a\tb\t-1")],
)
def test_damaged_lines_are_found(transducer: Transducer, name: str, line: str) -> None:
    arrays = transducer.to_arrays()
    lines = arrays[PREFIX + name].tobytes().split(b"\n")
    lines[-1] = line.encode()
    damaged = np.frombuffer(b"\n".join(lines), np.uint8)
    with pytest.raises(ModelError, match=name):
        Transducer.from_arrays({**arrays, PREFIX + name: damaged})


# What the network sees


def test_nearest_siblings_come_first() -> None:
    siblings = [Sibling(morphs_of("N", each), ()) for each in ("A=1|B=1", "A=2|B=2", "A=1|B=2")]
    found = nearest(morphs_of("N", "A=2|B=2|C=1"), siblings)
    assert found == (siblings[1], siblings[2])


def test_parts_of_korean_words_have_tags_of_their_own() -> None:
    lexeme = Lexeme("a+b", "X+Y", morphs_of("X+Y", None))
    parts = [[name for name in row if name[0] == "p"] for row in lexeme.static_inputs()]
    assert parts == [["p0 X", "p1 Y"]] * 2 + [["p0 Y", f"p1 {END}"]] * 3
    uneven = Lexeme("ab", "X+Y", morphs_of("X+Y", None))
    assert not any(name[0] == "p" for row in uneven.static_inputs() for name in row)
