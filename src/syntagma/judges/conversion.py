"""From a GGUF file to what CTranslate2 reads, in a cache folder: the weights in 8 bits, and the
tokeniser. A file is converted once; its SHA-256 names the folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from syntagma.errors import ModelError, OutputError, PackageError, missing_package
from syntagma.files import temporary
from syntagma.files.reading import open_regular
from syntagma.judges.gguf_file import MAX_FILE, TENSOR_TYPES, read_description
from syntagma.judges.llama import Llama, read_llama

CONVERSION: Final = 1  # in the name of the folder: raised when the conversion changes
ABOUT: Final = "judge.json"
TOKENIZER: Final = "tokenizer.json"

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted model, and the SHA-256 of the file that it was made from."""

    folder: Path
    digest: str


def cache_folder() -> Path:
    """Where converted models are kept."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(stated):
        return Path(stated) / "syntagma" / "judges"
    try:
        base = Path.home() / ".cache"
    except RuntimeError as error:
        raise OutputError(
            f"there is no folder for converted judges ({error}): name one by XDG_CACHE_HOME"
        ) from error
    return base / "syntagma" / "judges"


def converted(path: Path, digest: str | None = None) -> Converted:
    """The converted model of a GGUF file, from the cache if it is there.

    With `digest`, the file must have this SHA-256. Raises `ModelError` for a file that is not a
    model that can be a judge, `OutputError` if the cache cannot be written.
    """
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_FILE:
                raise ModelError(f"{path}: {size:,} bytes, more than the limit of {MAX_FILE:,}")
            found = _digest(file)
            if digest not in (None, found):
                raise ModelError(
                    f"{path}: its SHA-256 is {found}, not {digest}: install its package again"
                )
            folder = cache_folder() / f"{found}-{CONVERSION}"
            if not (folder / ABOUT).is_file():
                _convert(path, file, size, folder)
            return Converted(folder, found)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from error


def _digest(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def _convert(path: Path, file: BinaryIO, size: int, folder: Path) -> None:
    """Write the folder under another name, and rename it: of two processes that do this at once,
    one comes second, and uses what the other has written."""
    try:
        file.seek(0)
        model = read_llama(read_description(file, size))
        tokenizer, spec = _tokenizer(model), _specification(model, file)
    except (PackageError, OSError, MemoryError):
        raise
    except Exception as error:  # also of the packages that convert
        raise ModelError(f"{path}: cannot be a judge: {error}") from error
    about = {
        "start": model.start,
        "end": model.end,
        "context": model.context,
        "tokens": len(model.tokens),
    }
    made = temporary.unused_name(folder.parent)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with temporary.undisturbed:
            made.mkdir()
            temporary.note(made)
        tokenizer.save(str(made / TOKENIZER))
        spec.save(str(made))
        (made / ABOUT).write_text(json.dumps(about), encoding="utf-8")
        try:
            made.rename(folder)
        except OSError:
            if not (folder / ABOUT).is_file():
                raise
    except Exception as error:  # the packages raise errors of their own
        reason = getattr(error, "strerror", None) or error
        raise OutputError(
            f"cannot write the converted judge to {folder}: {reason}; "
            "XDG_CACHE_HOME can name another folder"
        ) from error
    finally:
        temporary.remove(made)


def _tokenizer(model: Llama) -> Any:
    """Byte-level BPE, as the model was trained with."""
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers
    except ImportError as error:
        raise missing_package("a judge", "tokenizers", "judge", error) from error
    numbers = {token: number for number, token in enumerate(model.tokens)}
    # Vocabularies may lack some bytes, which are rare: they count as the end, and are not dropped.
    tokenizer = Tokenizer(models.BPE(numbers, model.merges, unk_token=model.end))
    steps: list[Any] = [pre_tokenizers.ByteLevel(add_prefix_space=False)]
    if model.pre_tokenizer == "smollm":
        steps.insert(0, pre_tokenizers.Digits(individual_digits=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    return tokenizer


def _specification(model: Llama, file: BinaryIO) -> Any:
    """The model as CTranslate2 describes it, with weights in 8 bits.

    GGUF files of llama have the rows of queries and keys in an order that makes rotary embeddings
    interleaved.
    """
    try:
        from ctranslate2.specs import TransformerDecoderModelSpec
        from ctranslate2.specs.common_spec import Activation
    except ImportError as error:
        raise missing_package("a judge", "ctranslate2", "judge", error) from error
    weights = _weights(model, file)
    spec = TransformerDecoderModelSpec.from_config(
        model.layers,
        model.heads,
        activation=Activation.SWISH,
        pre_norm=True,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=0,
        rotary_interleave=True,
        rotary_base=model.rotary_base,
        num_heads_kv=model.kv_heads,
    )
    decoder = spec.decoder
    decoder.scale_embeddings = False
    decoder.embeddings.weight = weights("token_embd")
    tied = "output.weight" not in model.tensors
    decoder.projection.weight = decoder.embeddings.weight if tied else weights("output")
    decoder.layer_norm.gamma = weights("output_norm")
    for number, layer in enumerate(decoder.layer):
        block = f"blk.{number}"
        attention, inner = layer.self_attention, layer.ffn
        attention.layer_norm.gamma = weights(f"{block}.attn_norm")
        attention.linear[0].weight = np.concatenate(
            [weights(f"{block}.attn_{name}") for name in "qkv"]
        )
        attention.linear[1].weight = weights(f"{block}.attn_output")
        inner.layer_norm.gamma = weights(f"{block}.ffn_norm")
        inner.linear_0.weight = weights(f"{block}.ffn_gate")
        inner.linear_0_noact.weight = weights(f"{block}.ffn_up")
        inner.linear_1.weight = weights(f"{block}.ffn_down")
    spec.register_vocabulary(model.tokens)
    spec.config.bos_token, spec.config.eos_token = model.start, model.end
    spec.config.unk_token = model.end
    spec.config.layer_norm_epsilon = model.epsilon
    spec.validate()
    spec.optimize(quantization="int8")
    return spec


def _weights(model: Llama, file: BinaryIO) -> Callable[[str], Floats]:
    """Reads a tensor by its name."""
    try:
        from gguf import GGMLQuantizationType
        from gguf.quants import dequantize
    except ImportError as error:
        raise missing_package("a judge", "gguf", "judge", error) from error

    def read(name: str) -> Floats:
        tensor = model.tensors[f"{name}.weight"]
        file.seek(tensor.offset)
        content = bytearray(file.read(tensor.size))  # weights that need no conversion are changed
        stored = np.frombuffer(content, np.uint8).reshape(tensor.stored_shape)
        with np.errstate(all="ignore"):  # what is not finite is found below
            weights = dequantize(stored, GGMLQuantizationType[TENSOR_TYPES[tensor.type][0]])
        if not np.isfinite(weights).all():
            raise ModelError(f"the tensor '{name}.weight' has numbers that are not finite")
        return np.ascontiguousarray(weights, np.float32)

    return read
