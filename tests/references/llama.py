"""A slow reference of the llama architecture (Touvron et al. 2023), in NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def log_prob(
    numbers: Sequence[int],
    weights: Mapping[str, Array],
    *,
    layers: int,
    heads: int,
    kv_heads: int,
    base: float,
    epsilon: float,
) -> float:
    """The log-probability of tokens after the first, by weights as a GGUF file has them."""
    x = weights["token_embd.weight"][list(numbers)]
    length, width = x.shape
    size = width // heads
    for layer in range(layers):
        of = {
            name: weights[f"blk.{layer}.{name}.weight"]
            for name in ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output")
        }
        inner = {
            name: weights[f"blk.{layer}.{name}.weight"]
            for name in ("ffn_norm", "ffn_gate", "ffn_up", "ffn_down")
        }
        y = _norm(x, of["attn_norm"], epsilon)
        q, k, v = (
            (y @ of[name].T).reshape(length, -1, size) for name in ("attn_q", "attn_k", "attn_v")
        )
        q, k = _rotate(q, base), _rotate(k, base)
        mixed = np.zeros((length, heads, size))
        for head in range(heads):
            group = head // (heads // kv_heads)
            scores = q[:, head] @ k[:, group].T / np.sqrt(size)
            scores[np.triu_indices(length, 1)] = -np.inf
            mixed[:, head] = np.exp(_log_softmax(scores)) @ v[:, group]
        x = x + mixed.reshape(length, width) @ of["attn_output"].T
        y = _norm(x, inner["ffn_norm"], epsilon)
        gate = y @ inner["ffn_gate"].T
        hidden = gate / (1 + np.exp(-gate)) * (y @ inner["ffn_up"].T)
        x = x + hidden @ inner["ffn_down"].T
    output = weights.get("output.weight", weights["token_embd.weight"])
    logs = _log_softmax(_norm(x, weights["output_norm.weight"], epsilon) @ output.T)
    return float(sum(logs[place, number] for place, number in enumerate(numbers[1:])))


def _norm(x: Array, weight: Array, epsilon: float) -> Array:
    normed: Array = x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * weight
    return normed


def _rotate(x: Array, base: float) -> Array:
    """Rotary embeddings of interleaved pairs."""
    size = x.shape[-1]
    angles = np.outer(np.arange(len(x)), base ** (-np.arange(0, size, 2) / size))[:, None]
    turned = np.empty_like(x)
    turned[..., ::2] = x[..., ::2] * np.cos(angles) - x[..., 1::2] * np.sin(angles)
    turned[..., 1::2] = x[..., ::2] * np.sin(angles) + x[..., 1::2] * np.cos(angles)
    return turned


def _log_softmax(x: Array) -> Array:
    shifted = x - x.max(-1, keepdims=True)
    found: Array = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return found
