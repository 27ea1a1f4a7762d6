"""A network as a model file stores it, and the checks when one is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError, shown
from syntagma.files.sections import pack_lines, unpack_lines
from syntagma.neural._action_scorer import VECTOR_MULTIPLE
from syntagma.neural.lexicon import LEXICAL, SUFFIX, Lexicon
from syntagma.neural.parameters import (
    SHARED,
    SLOTS,
    Dimensions,
    EmbeddingTable,
    Floats,
    input_names,
    parameter_shapes,
    table_sizes,
)
from syntagma.neural.scorer import NeuralScorer, join_networks
from syntagma.request import SearchName
from syntagma.transition.vocabulary import Vocabulary

# Of the names of parameters: the one network, or that for trees; further ones (`scorer`).
_PREFIXES = {"trees": "network.", "bags": "bags.", "second": "second."}
_MATRIX = re.compile(r"(backward\.)?(slots|pairs)\.|layers\.\d+\.(qkv|out|up|down)\.weight")


@dataclass(frozen=True, slots=True)
class StoredNetwork:
    """A network as a model file stores it: lexical tables in 8 bits, the rest in 16.

    Further ones, for bags or for reranking, have no lexical tables of their own, and then all have
    their large matrices in 8 bits, too: a file with two networks is no larger than one with one.
    """

    SEARCH: ClassVar[SearchName] = "beam"
    SECTIONS: ClassVar = frozenset({f"lexicon.{table}" for table in LEXICAL})

    names: Mapping[str, Sequence[str]]  # of the lexicon
    arrays: Mapping[str, npt.NDArray[Any]]

    @classmethod
    def from_parameters(
        cls,
        lexicon: Lexicon,
        parameters: Mapping[str, Floats],
        further: Mapping[str, Mapping[str, Floats]] = MappingProxyType({}),
    ) -> StoredNetwork:
        """Round the parameters of a network to what a model file stores.

        `further` are those of other networks with the same lexical tables, by what they are
        specialised in.
        """
        arrays: dict[str, npt.NDArray[Any]] = {}
        for kind, of_network in {"trees": parameters, **further}.items():
            prefix = _PREFIXES[kind]
            for name, parameter in of_network.items():
                if name in SHARED and kind != "trees":
                    continue
                if _is_quantised(name, alone=not further):
                    table = EmbeddingTable.quantised(parameter)
                    arrays[f"{prefix}{name}"] = table.rows
                    arrays[f"{prefix}{name}.scales"] = np.asarray(table.scales, np.float16)
                else:
                    arrays[f"{prefix}{name}"] = parameter.astype(np.float16)
        return cls(lexicon.names, arrays)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        packed = {f"lexicon.{table}": pack_lines(self.names[table]) for table in LEXICAL}
        return {**packed, **self.arrays}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> StoredNetwork:
        return cls(
            {table: unpack_lines(arrays[f"lexicon.{table}"]) for table in LEXICAL},
            {
                name: each
                for name, each in arrays.items()
                if name.startswith(tuple(_PREFIXES.values()))
            },
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
        stated, known = header.get("inputs", []), list(input_names(vocabulary))
        if stated != known:
            raise ModelError(
                f"the header states the inputs {stated}, but the vocabulary has {known}; "
                "train it again"
            )
        suffix = header.get("suffix_length", SUFFIX)
        if type(suffix) is not int or not 1 <= suffix <= SUFFIX:
            raise ModelError(
                f"the suffix_length of the header is not an integer from 1 to {SUFFIX}"
            )
        lexicon = Lexicon(self.names, suffix)
        sizes = table_sizes(lexicon, vocabulary)
        lifting = header.get("lifting") is True
        dimensions = {"trees": header.get("dimensions"), **header.get("networks", {})}
        networks: dict[str, NeuralScorer] = {}
        shared: dict[str, EmbeddingTable] = {}
        n_arrays = 0
        for kind, given in dimensions.items():
            if kind not in _PREFIXES or (kind == "trees" and "trees" in header.get("networks", {})):
                raise ModelError(f"the header states an unknown network, {shown(kind)}")
            d = _dimensions(given)
            if any(each.dimensions.width != d.width for each in networks.values()):
                raise ModelError("the networks share tables of words, but differ in width")
            tables, weights = {}, {}
            for name, shape in parameter_shapes(d, sizes, lifting=lifting).items():
                if name in shared:
                    parameter = shared[name]
                else:
                    quantised = _is_quantised(name, alone=len(dimensions) == 1)
                    parameter = self._table(f"{_PREFIXES[kind]}{name}", shape, quantised=quantised)
                    n_arrays += 1 + quantised
                if name in SHARED:
                    shared[name] = parameter
                if name.startswith("tables."):
                    tables[name.removeprefix("tables.")] = parameter
                else:
                    weights[name] = parameter.as_floats()
            networks[kind] = NeuralScorer(d, lexicon, vocabulary, tables, weights)
        if len(self.arrays) != n_arrays:
            raise ModelError(f"the network has {len(self.arrays)} arrays, not {n_arrays}")
        return join_networks(networks)

    def _table(self, name: str, shape: tuple[int, ...], *, quantised: bool) -> EmbeddingTable:
        """The rows of a parameter, with their scales if it is quantised."""
        if not quantised:
            return EmbeddingTable(self._array(name, np.float16, shape).astype(np.float32))
        scales = self._array(f"{name}.scales", np.float16, shape[:1]).astype(np.float32)
        return EmbeddingTable(self._array(name, np.int8, shape), scales)

    def _array(self, name: str, dtype: type, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """The array of a parameter, if it has this type and shape and is finite."""
        array = self.arrays.get(name)
        known_as = name.removeprefix(_PREFIXES["trees"])
        if array is None or array.shape != shape or array.dtype != dtype:
            raise ModelError(
                f"the network has no parameter {known_as} of shape {shape} and "
                f"type {dtype.__name__}; train it again or install the version that made it"
            )
        if not np.isfinite(array).all():
            raise ModelError(f"the parameter {known_as} of the network is not finite")
        return array


def _is_quantised(name: str, *, alone: bool) -> bool:
    """Whether a parameter is stored in 8 bits; `alone`: in a file with one network."""
    return name in SHARED or (not alone and _MATRIX.match(name) is not None)


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


def describe_network(
    dimensions: Dimensions,
    inputs: Iterable[str] = (),
    suffix: int = SUFFIX,
    *,
    lifting: bool = True,
    further: Mapping[str, Dimensions] = MappingProxyType({}),
) -> dict[str, Any]:
    """What the header of a model file states about its network and its lexicon; `inputs` are the
    names of those of INPUTS that it reads, `further` the dimensions of other networks, by what they
    are specialised in."""
    described = {
        "dimensions": asdict(dimensions),
        "slots": SLOTS.to_json(),
        "inputs": list(inputs),
        "suffix_length": suffix if suffix != SUFFIX else None,
        "lifting": lifting,
        "networks": {kind: asdict(each) for kind, each in further.items()},
    }
    return {name: value for name, value in described.items() if value}
