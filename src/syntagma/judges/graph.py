"""A model of the llama architecture as graphs of ONNX, which its runtime computes: `body` reads
tokens, `head` gives the log-probabilities of what follows them. Attention, rotary embeddings and
normalisation are operators of the standard; weights and activations are multiplied in 8 bits.

The tokens that are read together form a tree: `mask` says which tokens each one follows. The inputs
`pasts` are what an earlier run gave as `news` of the tokens before them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from syntagma.errors import missing_package
from syntagma.judges.llama import Llama

BODY: Final = "body.onnx"
HEAD: Final = "head.onnx"
LONGEST: Final = 2_048  # tokens of a sentence with what stands before it

_OPSET, _IR = 23, 11
_TINY = 1e-12  # no activation is divided by less

Floats = npt.NDArray[np.float32]
Weights = Callable[[str], Floats]


def graphs(model: Llama, weights: Weights) -> list[tuple[str, bytes]]:
    """Both graphs, as their files. `weights` reads a tensor by its name."""
    try:
        return [(BODY, _body(model, weights)), (HEAD, _head(model, weights))]
    except ImportError as error:
        raise missing_package("a judge", "onnx", "judge", error) from error


def pasts(layers: int) -> list[str]:
    """The inputs that hold the keys and the values of earlier tokens."""
    return [f"{name}.{layer}" for layer in range(layers) for name in ("past_keys", "past_values")]


def news(layers: int) -> list[str]:
    """The outputs that hold those of the tokens just read, in the same order."""
    return [f"{name}.{layer}" for layer in range(layers) for name in ("keys", "values")]


def _in_8_bits(weights: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Each row with a scale of its own."""
    scales = np.maximum(np.abs(weights).max(1), _TINY) / 127
    return np.round(weights / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def _head(model: Llama, weights: Weights) -> bytes:
    graph = _Graph("hidden")
    tied = "output.weight" not in model.tensors
    rows = weights("token_embd" if tied else "output")
    logits = graph.product(graph.quantised("hidden"), "output", rows)
    scaled = graph.add("LogSoftmax", [logits], axis=-1)
    graph.add("GatherND", [scaled, "targets"], name="log_probs")
    return graph.content(
        {"hidden": ("FLOAT", ["rows", model.width]), "targets": ("INT64", ["pairs", 2])},
        {"log_probs": ("FLOAT", ["pairs"])},
    )


def _body(model: Llama, weights: Weights) -> bytes:
    rows, scales = _in_8_bits(weights("token_embd"))
    graph = _Graph("tokens")
    found = [
        graph.add("Gather", [graph.constant(name, array), "tokens"])
        for name, array in (("embeddings", rows), ("embeddings.scales", scales[:, None]))
    ]
    found[0] = graph.add("Cast", found[:1], to=graph.type("FLOAT"))
    flow = graph.add("Mul", found)
    size = model.head_size
    angles = np.arange(LONGEST)[:, None] * model.rotary_base ** -(np.arange(0, size, 2) / size)
    rotation = [
        graph.constant("cosines", np.cos(angles).astype(np.float32)),
        graph.constant("sines", np.sin(angles).astype(np.float32)),
        "positions",
    ]
    batch = graph.constant("batch", np.array([0], np.int64))  # the axis of a batch of one
    keys_size = model.kv_heads * size
    parts = graph.constant("parts", np.array([model.width, keys_size, keys_size], np.int64))
    for number in range(model.layers):
        block = f"blk.{number}"
        normal = graph.normalised(flow, f"{block}.attn_norm", weights, model.epsilon)
        joined = np.concatenate([weights(f"{block}.attn_{name}") for name in "qkv"])
        projected = graph.product(graph.quantised(normal), f"{block}.attn_qkv", joined)
        split = graph.add_all("Split", [projected, parts], 3, axis=-1)
        queries, keys = (
            graph.add(
                "RotaryEmbedding",
                [graph.add("Unsqueeze", [each, batch]), *rotation],
                num_heads=heads,
                interleaved=1,
            )
            for each, heads in zip(split, (model.heads, model.kv_heads), strict=False)
        )
        keys = graph.add("Squeeze", [keys, batch], name=f"keys.{number}")
        values = graph.add("Identity", [split[2]], name=f"values.{number}")
        known = [
            graph.add("Unsqueeze", [graph.add("Concat", [past, each], axis=0), batch])
            for past, each in ((f"past_keys.{number}", keys), (f"past_values.{number}", values))
        ]
        attended = graph.add(
            "Attention",
            [queries, *known, "mask"],
            q_num_heads=model.heads,
            kv_num_heads=model.kv_heads,
        )
        heads = graph.quantised(graph.add("Squeeze", [attended, batch]))
        output = graph.product(heads, f"{block}.attn_output", weights(f"{block}.attn_output"))
        flow = graph.add("Add", [flow, output])
        normal = graph.normalised(flow, f"{block}.ffn_norm", weights, model.epsilon)
        quantised = graph.quantised(normal)
        gate, up = (
            graph.product(quantised, name, weights(name))
            for name in (f"{block}.ffn_gate", f"{block}.ffn_up")
        )
        # With this factor it is the function that llama calls SiLU.
        gate = graph.add("QuickGelu", [gate], domain=_RUNTIME, alpha=1.0)
        inner = graph.quantised(graph.add("Mul", [gate, up]))
        down = graph.product(inner, f"{block}.ffn_down", weights(f"{block}.ffn_down"))
        flow = graph.add("Add", [flow, down])
    scale = graph.constant("output_norm", weights("output_norm"))
    graph.add("RMSNormalization", [flow, scale], name="hidden", axis=-1, epsilon=model.epsilon)
    return graph.content(
        {
            "tokens": ("INT64", ["new"]),
            "positions": ("INT64", [1, "new"]),
            "mask": ("FLOAT", ["new", "all"]),
            **{name: ("FLOAT", ["past", keys_size]) for name in pasts(model.layers)},
        },
        {
            "hidden": ("FLOAT", ["new", model.width]),
            **{name: ("FLOAT", ["new", keys_size]) for name in news(model.layers)},
        },
    )


_RUNTIME = "com.microsoft"  # operators that ONNX Runtime has besides the standard


class _Graph:
    """A graph in the making."""

    def __init__(self, rows: str) -> None:
        """`rows` is an input with as many rows as there are tokens."""
        from onnx import TensorProto, helper, numpy_helper

        self._types: Any = TensorProto
        self._helper: Any = helper
        self._to_tensor: Any = numpy_helper.from_array
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self.constant("one", np.float32(1))
        self.constant("tiny", np.float32(_TINY))
        self.constant("steps", np.float32(127))
        self.constant("middle", np.uint8(128))
        self.constant("last", np.array([-1], np.int64))
        count = self.add("Shape", [rows], start=0, end=1)
        self._middles = self.add(
            "ConstantOfShape", [count], value=self._to_tensor(np.array([128], np.uint8))
        )

    def type(self, name: str) -> int:
        """The number of a type of tensors."""
        number: int = getattr(self._types, name)
        return number

    def constant(self, name: str, array: Any) -> str:
        self._constants.append(self._to_tensor(np.asarray(array), name))
        return name

    def add(
        self,
        operator: str,
        inputs: Sequence[str],
        *,
        name: str = "",
        domain: str = "",
        **options: Any,
    ) -> str:
        """Add an operator with one output, and return the name of that."""
        name = name or f"step.{len(self._nodes)}"
        node = self._helper.make_node(operator, list(inputs), [name], domain=domain, **options)
        self._nodes.append(node)
        return name

    def add_all(
        self, operator: str, inputs: Sequence[str], outputs: int, **options: Any
    ) -> list[str]:
        names = [f"step.{len(self._nodes)}.{number}" for number in range(outputs)]
        self._nodes.append(self._helper.make_node(operator, list(inputs), names, **options))
        return names

    def normalised(self, flow: str, name: str, weights: Weights, epsilon: float) -> str:
        scale = self.constant(name, weights(name))
        return self.add("RMSNormalization", [flow, scale], axis=-1, epsilon=epsilon)

    def quantised(self, flow: str) -> tuple[str, str]:
        """Activations in 8 bits, each token with a scale of its own: what a token is multiplied to
        does not depend on the tokens that are read with it."""
        largest = self.add("ReduceMax", [self.add("Abs", [flow]), "last"], keepdims=1)
        scale = self.add("Div", [self.add("Max", [largest, "tiny"]), "steps"])
        flat = self.add("Squeeze", [scale, "last"])
        return self.add("QuantizeLinear", [flow, flat, self._middles], axis=0), scale

    def product(self, quantised: tuple[str, str], name: str, weights: Floats) -> str:
        activations, scale = quantised
        rows, scales = _in_8_bits(weights)
        stored = [
            self.constant(f"{name}.weights", np.ascontiguousarray(rows.T)),
            self.constant(f"{name}.scales", scales),
        ]
        inputs = [activations, stored[0], "one", stored[1], "middle"]
        product = self.add("MatMulIntegerToFloat", inputs, domain=_RUNTIME)
        return self.add("Mul", [product, scale])

    def content(
        self, inputs: dict[str, tuple[str, Any]], outputs: dict[str, tuple[str, Any]]
    ) -> bytes:
        """The file of the graph."""
        helper = self._helper
        ends = [
            [
                helper.make_tensor_value_info(name, self.type(kind), shape)
                for name, (kind, shape) in of.items()
            ]
            for of in (inputs, outputs)
        ]
        graph = helper.make_graph(self._nodes, "judge", *ends, self._constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR)
        content: bytes = model.SerializeToString()
        return content
