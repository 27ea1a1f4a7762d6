"""A network as a model file stores it, and the checks when one is loaded."""

from __future__ import annotations

import re
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
from syntagma.neural.specialists import SHARED, Specialists, own_parameters
from syntagma.transition.budget import SearchName
from syntagma.transition.vocabulary import Vocabulary

# The one network, or that for trees; that for bags; the one that helps to rerank trees.
_NETWORK, _BAGS, _SECOND = _PREFIXES = "network.", "bags.", "second."
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
        bags: Mapping[str, Floats] | None = None,
        second: Mapping[str, Floats] | None = None,
    ) -> StoredNetwork:
        """Round the parameters of a network to what a model file stores.

        `bags` and `second` are those of a network for bags and of one that helps to rerank, with
        the same lexical tables.
        """
        arrays: dict[str, npt.NDArray[Any]] = {}
        networks = {
            _NETWORK: parameters,
            _BAGS: own_parameters(bags or {}),
            _SECOND: own_parameters(second or {}),
        }
        alone = bags is None and second is None
        for prefix, of_network in networks.items():
            for name, parameter in of_network.items():
                if _is_quantised(name, alone=alone):
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
            {name: each for name, each in arrays.items() if name.startswith(_PREFIXES)},
        )

    @classmethod
    def sections(cls, header: Mapping[str, Any]) -> frozenset[str]:
        return cls.SECTIONS

    def describe(self) -> dict[str, Any]:
        sizes = (array.size for name, array in self.arrays.items() if not name.endswith(".scales"))
        return {"parameters": int(sum(sizes))}

    def scorer(
        self, header: Mapping[str, Any], vocabulary: Vocabulary
    ) -> NeuralScorer | Specialists:
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
        own = [name for name in shapes if name not in SHARED]
        networks = {_NETWORK: list(shapes)}
        if header.get("specialists") is True:
            networks[_BAGS] = own
        if header.get("second_network") is True:
            networks[_SECOND] = own
        parameters: dict[str, EmbeddingTable] = {}
        n_arrays = 0
        for prefix, names in networks.items():
            for name in names:
                quantised = _is_quantised(name, alone=len(networks) == 1)
                parameters[f"{prefix}{name}"] = self._table(
                    f"{prefix}{name}", shapes[name], quantised=quantised
                )
                n_arrays += 1 + quantised
        if len(self.arrays) != n_arrays:
            raise ModelError(f"the network has {len(self.arrays)} arrays, not {n_arrays}")

        def network(prefix: str, second: NeuralScorer | None = None) -> NeuralScorer:
            tables, weights = {}, {}
            for name in shapes:
                parameter = parameters[f"{_NETWORK if name in SHARED else prefix}{name}"]
                if name.startswith("tables."):
                    tables[name.removeprefix("tables.")] = parameter
                else:
                    weights[name] = parameter.as_floats()
            return NeuralScorer(dimensions, SLOTS, lexicon, vocabulary, tables, weights, second)

        trees = network(_NETWORK, network(_SECOND) if _SECOND in networks else None)
        return Specialists(trees, network(_BAGS)) if _BAGS in networks else trees

    def _table(self, name: str, shape: tuple[int, ...], *, quantised: bool) -> EmbeddingTable:
        """The rows of a parameter, with their scales if it is quantised."""
        if not quantised:
            return EmbeddingTable(self._array(name, np.float16, shape).astype(np.float32))
        scales = self._array(f"{name}.scales", np.float16, shape[:1]).astype(np.float32)
        return EmbeddingTable(self._array(name, np.int8, shape), scales)

    def _array(self, name: str, dtype: type, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """The array of a parameter, if it has this type and shape and is finite."""
        array = self.arrays.get(name)
        if array is None or array.shape != shape or array.dtype != dtype:
            raise ModelError(
                f"the network has no parameter {name.removeprefix(_NETWORK)} of shape {shape} and "
                f"type {dtype.__name__}; train it again or install the version that made it"
            )
        if not np.isfinite(array).all():
            raise ModelError(
                f"the parameter {name.removeprefix(_NETWORK)} of the network is not finite"
            )
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
    specialists: bool = False,
    second_network: bool = False,
) -> dict[str, Any]:
    """What the header of a model file states about its network and its lexicon; `inputs` are the
    names of those of INPUTS that it reads. `specialists`: whether there is a network for bags
    beside that for trees. `second_network`: whether there is one that helps to rerank trees."""
    inputs = list(inputs)
    return {
        "dimensions": asdict(dimensions),
        "slots": SLOTS.to_json(),
        **({"inputs": inputs} if inputs else {}),
        **({"suffix_length": suffix} if suffix != SUFFIX else {}),
        **({"lifting": True} if lifting else {}),
        **({"specialists": True} if specialists else {}),
        **({"second_network": True} if second_network else {}),
    }
