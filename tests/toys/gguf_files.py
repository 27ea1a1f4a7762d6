"""Tiny GGUF files of the llama architecture and of an adapter, with random weights; written by the
package gguf."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

WIDTH, HEADS, KV_HEADS, INNER, LAYERS = 32, 4, 2, 64, 2
MERGES = ["t h", "th e", "Ġ the", "d o", "do g"]
FIELDS: dict[str, Any] = {
    "llama.block_count": LAYERS,
    "llama.context_length": 256,
    "llama.embedding_length": WIDTH,
    "llama.feed_forward_length": INNER,
    "llama.attention.head_count": HEADS,
    "llama.attention.head_count_kv": KV_HEADS,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "llama.rope.freq_base": 10_000.0,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.bos_token_id": 0,
    "tokenizer.ggml.eos_token_id": 1,
}


def tokens() -> list[str]:
    """Two ends of documents, the bytes as byte-level BPE writes them, and what merges make."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    characters = [chr(byte if byte in printable else next(others)) for byte in range(256)]
    return ["<s>", "</s>", *characters, *(merge.replace(" ", "") for merge in MERGES)]


def tensors(seed: int = 1) -> dict[str, np.ndarray[Any, Any]]:
    """Random weights, with the output tied to the embeddings."""
    rng = np.random.default_rng(seed)
    keys = WIDTH // HEADS * KV_HEADS
    shapes: dict[str, tuple[int, ...]] = {"token_embd": (len(tokens()), WIDTH)}
    for layer in range(LAYERS):
        shapes |= {
            f"blk.{layer}.attn_q": (WIDTH, WIDTH),
            f"blk.{layer}.attn_k": (keys, WIDTH),
            f"blk.{layer}.attn_v": (keys, WIDTH),
            f"blk.{layer}.attn_output": (WIDTH, WIDTH),
            f"blk.{layer}.ffn_gate": (INNER, WIDTH),
            f"blk.{layer}.ffn_up": (INNER, WIDTH),
            f"blk.{layer}.ffn_down": (WIDTH, INNER),
        }
    found = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    norms = ["output_norm", *(f"blk.{i}.{x}_norm" for i in range(LAYERS) for x in ("attn", "ffn"))]
    found |= {name: rng.normal(1, 0.1, WIDTH).astype(np.float32) for name in norms}
    return {f"{name}.weight": array for name, array in found.items()}


def write_gguf(
    path: Path,
    fields: dict[str, Any] | None = None,
    weights: dict[str, np.ndarray[Any, Any]] | None = None,
    *,
    architecture: str = "llama",
    words: list[str] | None = None,
) -> Path:
    """Write a model; `fields` replace those of the toy, or with None leave them out."""
    from gguf import GGUFWriter

    writer = GGUFWriter(path, architecture)
    for name, value in {**FIELDS, **(fields or {})}.items():
        if isinstance(value, str):
            writer.add_string(name, value)
        elif isinstance(value, float):
            writer.add_float32(name, value)
        elif value is not None:
            writer.add_uint32(name, value)
    writer.add_token_list(words or tokens())
    writer.add_token_merges(MERGES)
    for name, array in (weights or tensors()).items():
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write_adapter(
    path: Path,
    *,
    kind: str = "adapter",
    alpha: float = 4.0,
    without: str = "",
    more: str = "",
) -> tuple[Path, dict[str, np.ndarray[Any, Any]]]:
    """Write an adapter of the toy model, and return what it adds to the weights."""
    from gguf import GGUFWriter

    rng, rank, added = np.random.default_rng(5), 2, {}
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for name, weight in tensors().items():
        block, _, part = name.removesuffix(".weight").rpartition(".")
        if block and "norm" not in part:
            first, second = (
                rng.normal(0, 0.3, shape).astype(np.float32)
                for shape in ((rank, weight.shape[1]), (weight.shape[0], rank))
            )
            arrays |= {f"{name}.lora_a": first, f"{name}.lora_b": second}
            added[name] = alpha / rank * second @ first
        if part in ("attn_q", "attn_output", "ffn_gate", "ffn_down"):
            largest = rng.uniform(0.1, 10, weight.shape[1]).astype(np.float32)
            arrays[f"{block}.{part}.largest"] = largest
    arrays = {name: array for name, array in arrays.items() if name != without}
    if more:
        arrays[more] = np.ones((2, 2), np.float32)
    writer = GGUFWriter(path, "llama")
    writer.add_type(kind)
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for name, array in arrays.items():
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path, added
