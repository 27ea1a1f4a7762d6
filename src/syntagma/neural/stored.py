"""A network as a model file stores it, and the checks when one is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError
from syntagma.files.packing import pack_lines, unpack_lines
from syntagma.neural._action_scorer import VECTOR_MULTIPLE
from syntagma.neural.embeddings import EmbeddingTable
from syntagma.neural.lexicon import LEXICAL, SUFFIX, Lexicon
from syntagma.neural.parameters import (
    Dimensions,
    Floats,
    input_names,
    parameter_shapes,
    table_sizes,
)
from syntagma.neural.scorer import NeuralScorer
from syntagma.neural.slots import SLOTS
from syntagma.transition.budget import SearchName
from syntagma.transition.vocabulary import Vocabulary

_QUANTISED = frozenset(f"tables.{table}" for table in LEXICAL)


@dataclass(frozen=True, slots=True)
class StoredNetwork:
    """A network as a model file stores it: lexical tables in 8 bits, the rest in 16."""

    SEARCH: ClassVar[SearchName] = "beam"
    SECTIONS: ClassVar = frozenset({f"lexicon.{table}" for table in LEXICAL})

    names: Mapping[str, Sequence[str]]  # of the lexicon
    arrays: Mapping[str, npt.NDArray[Any]]

    @classmethod
    def from_parameters(cls, lexicon: Lexicon, parameters: Mapping[str, Floats]) -> StoredNetwork:
        """Round the parameters of a network to what a model file stores."""
        arrays: dict[str, npt.NDArray[Any]] = {}
        for name, parameter in parameters.items():
            if name in _QUANTISED:
                table = EmbeddingTable.quantised(parameter)
                arrays[f"network.{name}"] = table.rows
                arrays[f"network.{name}.scales"] = np.asarray(table.scales, np.float16)
            else:
                arrays[f"network.{name}"] = parameter.astype(np.float16)
        return cls(lexicon.names, arrays)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        packed = {f"lexicon.{table}": pack_lines(self.names[table]) for table in LEXICAL}
        return {**packed, **self.arrays}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> StoredNetwork:
        return cls(
            {table: unpack_lines(arrays[f"lexicon.{table}"]) for table in LEXICAL},
            {name: array for name, array in arrays.items() if name.startswith("network.")},
        )

    @classmethod
    def sections(cls, header: Mapping[str, Any]) -> frozenset[str]:
        return cls.SECTIONS

    def describe(self) -> dict[str, Any]:
        sizes = (array.size for name, array in self.arrays.items() if not name.endswith(".scales"))
        return {"parameters": int(sum(sizes))}

    def scorer(self, header: Mapping[str, Any], vocabulary: Vocabulary) -> NeuralScorer:
        """Check the network against the header of its model and build the scorer."""
        if header.get("slots") != SLOTS.to_json():
            raise ModelError(
                "the model was trained with other slots than those of this version; "
                "train it again or install the version that made it"
            )
        dimensions = _dimensions(header.get("dimensions"))
        _check_inputs(header, vocabulary)
        lexicon = Lexicon(self.names, _suffix(header))
        shapes = parameter_shapes(
            dimensions,
            SLOTS,
            table_sizes(lexicon, vocabulary),
            lifting=header.get("lifting") is True,
        )
        tables, weights = {}, {}
        for name, shape in shapes.items():
            field = name.removeprefix("tables.")
            if name in _QUANTISED:
                rows = self._array(name, np.int8, shape)
                scales = self._array(f"{name}.scales", np.float16, shape[:1])
                tables[field] = EmbeddingTable(rows, scales.astype(np.float32))
                continue
            parameter = self._array(name, np.float16, shape).astype(np.float32)
            if name.startswith("tables."):
                tables[field] = EmbeddingTable(parameter)
            else:
                weights[name] = parameter
        n_expected = len(shapes) + len(_QUANTISED)
        if len(self.arrays) != n_expected:
            raise ModelError(f"the network has {len(self.arrays)} arrays, not {n_expected}")
        return NeuralScorer(dimensions, SLOTS, lexicon, vocabulary, tables, weights)

    def _array(self, name: str, dtype: type, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """The array of a parameter, if it has this type and shape and is finite."""
        array = self.arrays.get(f"network.{name}")
        if array is None or array.shape != shape or array.dtype != dtype:
            raise ModelError(
                f"the network has no parameter {name} of shape {shape} and type {dtype.__name__}; "
                "train it again or install the version that made it"
            )
        if not np.isfinite(array).all():
            raise ModelError(f"the parameter {name} of the network is not finite")
        return array


def _dimensions(given: object) -> Dimensions:
    """The dimensions that a header states, if a network can have them."""
    if not isinstance(given, dict) or given.keys() != asdict(Dimensions()).keys():
        raise ModelError("the header does not state the dimensions of the network; train it again")
    if any(type(size) is not int or not 0 <= size <= 1 << 16 for size in given.values()):
        raise ModelError("a dimension of the network is not an integer from 0 to 65536")
    d = Dimensions(**given)
    if (
        min(d.width, d.layers, d.heads, d.hidden, d.arc_hidden, d.rank) < 1
        or d.width % d.heads
        or d.hidden % VECTOR_MULTIPLE
        or d.arc_hidden % VECTOR_MULTIPLE
        or d.guess_after >= d.layers
    ):
        raise ModelError("the dimensions of the network do not fit together")
    return d


def _check_inputs(header: Mapping[str, Any], vocabulary: Vocabulary) -> None:
    """Refuse a header that does not state what the network reads besides forms, tags and arcs."""
    stated, known = header.get("inputs", []), list(input_names(vocabulary))
    if stated != known:
        raise ModelError(
            f"the header states the inputs {stated}, but the vocabulary has {known}; train it again"
        )


def _suffix(header: Mapping[str, Any]) -> int:
    """The length of suffixes that a header states, if there can be such suffixes."""
    length = header.get("suffix_length", SUFFIX)
    if type(length) is not int or not 1 <= length <= SUFFIX:
        raise ModelError(f"the suffix_length of the header is not an integer from 1 to {SUFFIX}")
    return length


def describe_network(
    dimensions: Dimensions,
    inputs: Iterable[str] = (),
    suffix: int = SUFFIX,
    *,
    lifting: bool = True,
) -> dict[str, Any]:
    """What the header of a model file states about its network and its lexicon; `inputs` are the
    names of those of INPUTS that it reads."""
    inputs = list(inputs)
    return {
        "dimensions": asdict(dimensions),
        "slots": SLOTS.to_json(),
        **({"inputs": inputs} if inputs else {}),
        **({"suffix_length": suffix} if suffix != SUFFIX else {}),
        **({"lifting": True} if lifting else {}),
    }
