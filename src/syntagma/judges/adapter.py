"""A low-rank adaptation of a model, as a GGUF file: what it adds to the weights, and how large the
activations are that the weights are multiplied by.

With the latter, activations lose less in 8 bits: channels with large activations become smaller,
and their weights larger (SmoothQuant, Xiao et al. 2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from syntagma.errors import ModelError, shown
from syntagma.judges.gguf_file import Description, Tensor
from syntagma.judges.graph import Floats, Weights
from syntagma.judges.llama import Llama

ALPHA: Final = "adapter.lora.alpha"
LARGEST: Final = "largest"  # the largest activation of each channel, before these weights
LARGEST_BEFORE: Final = ("attn_q", "attn_output", "ffn_gate", "ffn_down")
_ADAPTED = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
_MAX_RANK = 1_024


@dataclass(frozen=True, slots=True)
class Adapter:
    """A checked adaptation of one model."""

    alpha: float
    tensors: Mapping[str, Tensor]


def read_adapter(description: Description, model: Llama) -> Adapter:
    """Check what a file describes. Raises `ModelError`, without the file's name."""
    fields = description.fields
    for name, value in (("general.type", "adapter"), ("adapter.type", "lora")):
        if fields.get(name) != value:
            raise ModelError(f"the field {name!r} must be {value}, not {shown(fields.get(name))}")
    alpha = fields.get(ALPHA)
    if type(alpha) is not float or not 0 < alpha < 1e6:
        raise ModelError(f"the field {ALPHA!r} is not a number above 0")
    shapes = dict[str, tuple[int, ...]]()
    for layer in range(model.layers):
        for part in _ADAPTED:
            name = f"blk.{layer}.{part}.weight"
            rows, columns = model.tensors[name].shape
            if (first := description.tensors.get(f"{name}.lora_a")) is not None:
                rank = first.shape[0] if 1 <= first.shape[0] <= _MAX_RANK else 0
                shapes |= {f"{name}.lora_a": (rank, columns), f"{name}.lora_b": (rows, rank)}
            if part in LARGEST_BEFORE:
                shapes[f"blk.{layer}.{part}.{LARGEST}"] = (columns,)
    for name, shape in shapes.items():
        tensor = description.tensors.get(name)
        if tensor is None or tensor.shape != shape:
            raise ModelError(f"the tensor {name!r} is not there, or not of shape {shape}")
    for name in sorted(description.tensors.keys() - shapes.keys()):
        raise ModelError(f"the tensor {shown(name)} is not supported")
    return Adapter(alpha, description.tensors)


def adapted(weights: Weights, adapter: Adapter, read: Weights, model: Llama) -> Weights:
    """The weights of a model with those of its adapter, smoothed. `read` reads a tensor of the
    adapter by its whole name."""

    def added(name: str) -> Floats:
        found = weights(name)
        part = f"{name}.weight.lora_a"
        if part in adapter.tensors:
            first, second = read(part), read(f"{name}.weight.lora_b")
            found = found + (adapter.alpha / len(first)) * (second @ first)
        return found

    def factors(block: str, before: str, *names: str) -> Floats:
        """By how much the channels of the activations before some weights become smaller."""
        activations = read(f"{block}.{before}.{LARGEST}")
        columns = np.max([np.abs(added(f"{block}.{name}")).max(0) for name in names], axis=0)
        if before == "attn_output":  # the heads that share values have the same channels
            activations, columns = (_shared(each, model) for each in (activations, columns))
        found: Floats = np.sqrt(np.maximum(activations, 1e-5) / np.maximum(columns, 1e-5))
        return found

    def smoothed(name: str) -> Floats:
        block, _, part = name.rpartition(".")
        found = added(name) if part in _ADAPTED else weights(name)
        if part in ("attn_norm", "attn_q", "attn_k", "attn_v"):
            channels = factors(block, "attn_q", "attn_q", "attn_k", "attn_v")
            found = found / channels if part == "attn_norm" else found * channels
        if part in ("ffn_norm", "ffn_gate", "ffn_up"):
            channels = factors(block, "ffn_gate", "ffn_gate", "ffn_up")
            found = found / channels if part == "ffn_norm" else found * channels
        if part in ("ffn_up", "ffn_down"):
            channels = factors(block, "ffn_down", "ffn_down")
            found = found / channels[:, None] if part == "ffn_up" else found * channels
        if part in ("attn_v", "attn_output"):
            channels = factors(block, "attn_output", "attn_output")
            heads = channels.reshape(model.kv_heads, 1, -1)
            repeated = np.broadcast_to(
                heads, (model.kv_heads, model.heads // model.kv_heads, model.head_size)
            )
            found = found / channels[:, None] if part == "attn_v" else found * repeated.ravel()
        return np.ascontiguousarray(found, np.float32)

    return smoothed


def _shared(channels: Floats, model: Llama) -> Floats:
    """The largest of the channels of all heads that share values."""
    found: Floats = channels.reshape(model.kv_heads, -1, model.head_size).max(1).ravel()
    return found
