"""What a GGUF file must hold to be a judge: a model of the llama architecture with a byte-level BPE
vocabulary. Everything else is refused by name, so that no part of a model is left out unnoticed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from syntagma.errors import ModelError, shown
from syntagma.judges.gguf_file import Description, Tensor

MAX_WEIGHTS: Final = 2_000_000_000
_MAX_TOKENS: Final = 1 << 20
_DOCUMENT_END: Final = "<|endoftext|>"  # between the documents that models with this token read
PRE_TOKENIZERS: Final = ("smollm", "gpt-2")

# The fields of the architecture that are understood.
_KNOWN_FIELDS = {
    f"llama.{name}"
    for name in (
        *("block_count", "context_length", "embedding_length", "feed_forward_length"),
        *("attention.head_count", "attention.head_count_kv", "attention.key_length"),
        *("attention.value_length", "attention.layer_norm_rms_epsilon"),
        *("rope.freq_base", "rope.dimension_count", "vocab_size"),
    )
}


@dataclass(frozen=True, slots=True)
class Llama:
    """A checked model: its sizes, its vocabulary and its tensors.

    Sentences stand between `start` and `end`, as documents did when the model was trained.
    """

    layers: int
    heads: int
    kv_heads: int
    rotary_base: float
    epsilon: float
    context: int
    tokens: list[str]
    merges: list[tuple[str, str]]
    pre_tokenizer: str
    start: str
    end: str
    tensors: Mapping[str, Tensor]

    @property
    def width(self) -> int:
        """The dimensions of a token."""
        return self.tensors["token_embd.weight"].shape[1]

    @property
    def head_size(self) -> int:
        """The dimensions of a head."""
        return self.width // self.heads


def read_llama(description: Description) -> Llama:
    """Check what a file describes. Raises `ModelError`, without the file's name."""
    fields = description.fields
    _choice(fields, "general.architecture", ("llama",))
    _choice(fields, "tokenizer.ggml.model", ("gpt2",))
    unknown = [name for name in fields if name.startswith("llama.") and name not in _KNOWN_FIELDS]
    if unknown:
        raise ModelError(f"the field {shown(min(unknown))} is not supported")
    layers = _integer(fields, "llama.block_count", 1_000)
    width = _integer(fields, "llama.embedding_length", 1 << 16)
    inner = _integer(fields, "llama.feed_forward_length", 1 << 20)
    heads = _integer(fields, "llama.attention.head_count", width)
    kv_heads = _integer(fields, "llama.attention.head_count_kv", heads, default=heads)
    if width % heads or width // heads % 2 or heads % kv_heads:
        raise ModelError(
            f"{width} dimensions, {heads} heads and {kv_heads} heads of keys do not fit"
        )
    size = width // heads
    for name in ("rope.dimension_count", "attention.key_length", "attention.value_length"):
        if _integer(fields, f"llama.{name}", 1 << 16, default=size) != size:
            raise ModelError(f"the field 'llama.{name}' is not supported unless it is {size}")
    tokens, merges = _vocabulary(fields)
    if _integer(fields, "llama.vocab_size", _MAX_TOKENS, default=len(tokens)) != len(tokens):
        raise ModelError(f"the field 'llama.vocab_size' is not {len(tokens)}, the number of tokens")
    shapes = _shapes(len(tokens), layers, width, inner, kv_heads * size)
    _check_tensors(description.tensors, shapes)
    start, end = _ends(fields, tokens)
    return Llama(
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        rotary_base=_number(fields, "llama.rope.freq_base", 10_000.0),
        epsilon=_number(fields, "llama.attention.layer_norm_rms_epsilon", None),
        context=_integer(fields, "llama.context_length", 1 << 24),
        tokens=tokens,
        merges=merges,
        pre_tokenizer=_choice(fields, "tokenizer.ggml.pre", PRE_TOKENIZERS),
        start=start,
        end=end,
        tensors=description.tensors,
    )


def _shapes(
    tokens: int, layers: int, width: int, inner: int, keys: int
) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor; the output may be tied to the embeddings."""
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (tokens, width),
        "output_norm.weight": (width,),
        "output.weight": (tokens, width),
    }
    for layer in range(layers):
        shapes |= {
            f"blk.{layer}.{name}.weight": shape
            for name, shape in (
                ("attn_norm", (width,)),
                ("attn_q", (width, width)),
                ("attn_k", (keys, width)),
                ("attn_v", (keys, width)),
                ("attn_output", (width, width)),
                ("ffn_norm", (width,)),
                ("ffn_gate", (inner, width)),
                ("ffn_up", (inner, width)),
                ("ffn_down", (width, inner)),
            )
        }
    return shapes


def _check_tensors(tensors: Mapping[str, Tensor], shapes: Mapping[str, tuple[int, ...]]) -> None:
    for name in sorted(tensors.keys() - shapes.keys()):
        raise ModelError(f"the tensor {shown(name)} is not supported")
    for name in sorted(shapes.keys() - tensors.keys() - {"output.weight"}):
        raise ModelError(f"no tensor {name!r}")
    for name, tensor in tensors.items():
        if tensor.shape != shapes[name]:
            raise ModelError(
                f"the tensor {name!r} has the shape {tensor.shape}, not {shapes[name]}"
            )
    weights = sum(math.prod(shape) for shape in shapes.values())
    if weights > MAX_WEIGHTS:
        raise ModelError(f"{weights:,} weights, more than the limit of {MAX_WEIGHTS:,}")


def _vocabulary(fields: Mapping[str, Any]) -> tuple[list[str], list[tuple[str, str]]]:
    """The tokens and merges of byte-level BPE; every merge makes a token."""
    tokens = _texts(fields, "tokenizer.ggml.tokens")
    known = set(tokens)
    if len(known) != len(tokens):
        raise ModelError("the field 'tokenizer.ggml.tokens' has a token twice")
    merges = []
    for merge in _texts(fields, "tokenizer.ggml.merges"):
        left, _, right = merge.partition(" ")
        if not {left, right, left + right} <= known:
            raise ModelError(f"the merge {shown(merge)} is not of tokens")
        merges.append((left, right))
    return tokens, merges


def _ends(fields: Mapping[str, Any], tokens: list[str]) -> tuple[str, str]:
    """The tokens before and after a document."""
    if _DOCUMENT_END in tokens:
        return _DOCUMENT_END, _DOCUMENT_END
    last = len(tokens) - 1
    start, end = (
        tokens[_integer(fields, f"tokenizer.ggml.{name}_token_id", last, least=0)]
        for name in ("bos", "eos")
    )
    return start, end


def _integer(
    fields: Mapping[str, Any], name: str, most: int, *, least: int = 1, default: int | None = None
) -> int:
    value = fields.get(name, default)
    if type(value) is not int or not least <= value <= most:
        raise ModelError(f"the field {name!r} is not an integer from {least} to {most:,}")
    return value


def _number(fields: Mapping[str, Any], name: str, default: float | None) -> float:
    value = fields.get(name, default)
    if type(value) is not float or not 0 < value < 1e12:
        raise ModelError(f"the field {name!r} is not a number above 0")
    return value


def _choice(fields: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or value not in choices:
        raise ModelError(f"the field {name!r} must be {' or '.join(choices)}, not {shown(value)}")
    return value


def _texts(fields: Mapping[str, Any], name: str) -> list[str]:
    value = fields.get(name)
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise ModelError(f"the field {name!r} is not a list of strings")
    return value
