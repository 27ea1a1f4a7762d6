"""From a GGUF file to what ONNX Runtime reads, in a cache folder: the weights in 8 bits, and the
tokeniser. A file is converted once; its SHA-256 names the folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from syntagma.errors import ModelError, OutputError, PackageError, missing_package
from syntagma.files import temporary
from syntagma.files.reading import open_regular
from syntagma.judges.adapter import adapted, read_adapter
from syntagma.judges.gguf_file import MAX_FILE, TENSOR_TYPES, Tensor, read_description
from syntagma.judges.graph import Floats, Weights, graphs
from syntagma.judges.llama import Llama, read_llama

CONVERSION: Final = 2  # in the name of the folder: raised when the conversion changes
ABOUT: Final = "judge.json"
TOKENIZER: Final = "tokenizer.json"


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


def converted(path: Path, digest: str | None = None, adapter: Path | None = None) -> Converted:
    """The converted model of a GGUF file, from the cache if it is there.

    With `digest`, the file must have this SHA-256. With `adapter`, its weights are adapted.
    Raises `ModelError` for a file that is not a model that can be a judge, `OutputError` if the
    cache cannot be written.
    """
    with _opened(path) as source:
        if digest not in (None, source.digest):
            raise ModelError(
                f"{path}: its SHA-256 is {source.digest}, not {digest}: install its package again"
            )
        if adapter is None:
            folder = cache_folder() / f"{source.digest}-{CONVERSION}"
            if not (folder / ABOUT).is_file():
                _convert(source, None, folder)
            return Converted(folder, source.digest)
        with _opened(adapter) as added:
            folder = cache_folder() / f"{source.digest}-{added.digest}-{CONVERSION}"
            if not (folder / ABOUT).is_file():
                _convert(source, added, folder)
            return Converted(folder, added.digest)


@dataclass(frozen=True, slots=True)
class _Source:
    """A file that is open, with its SHA-256."""

    path: Path
    file: BinaryIO
    size: int
    digest: str


@contextmanager
def _opened(path: Path) -> Iterator[_Source]:
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_FILE:
                raise ModelError(f"{path}: {size:,} bytes, more than the limit of {MAX_FILE:,}")
            yield _Source(path, file, size, _digest(file))
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from error


def _digest(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def _convert(source: _Source, added: _Source | None, folder: Path) -> None:
    """Write the folder under another name, and rename it: of two processes that do this at once,
    one comes second, and uses what the other has written."""
    try:
        source.file.seek(0)
        model = read_llama(read_description(source.file, source.size))
        weights = _tensors(model.tensors, source.file, ".weight")
        if added is not None:
            added.file.seek(0)
            adapter = read_adapter(read_description(added.file, added.size), model)
            weights = adapted(weights, adapter, _tensors(adapter.tensors, added.file), model)
        tokenizer, models = _tokenizer(model), graphs(model, weights)
    except (PackageError, OSError, MemoryError):
        raise
    except Exception as error:  # also of the packages that convert
        raise ModelError(f"{(added or source).path}: cannot be a judge: {error}") from error
    about = {
        "start": model.start,
        "end": model.end,
        "context": model.context,
        "layers": model.layers,
        "width": model.width,
        "state": model.kv_heads * model.head_size,
    }
    made = temporary.unused_name(folder.parent)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with temporary.undisturbed:
            made.mkdir()
            temporary.note(made)
        tokenizer.save(str(made / TOKENIZER))
        for name, content in models:
            (made / name).write_bytes(content)
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


def _tensors(tensors: Mapping[str, Tensor], file: BinaryIO, ending: str = "") -> Weights:
    """Reads a tensor by its name without the ending."""
    try:
        from gguf import GGMLQuantizationType
        from gguf.quants import dequantize
    except ImportError as error:
        raise missing_package("a judge", "gguf", "judge", error) from error

    def read(name: str) -> Floats:
        tensor = tensors[name + ending]
        file.seek(tensor.offset)
        content = bytearray(file.read(tensor.size))  # weights that need no conversion are changed
        stored = np.frombuffer(content, np.uint8).reshape(tensor.stored_shape)
        with np.errstate(all="ignore"):  # what is not finite is found below
            weights = dequantize(stored, GGMLQuantizationType[TENSOR_TYPES[tensor.type][0]])
        if not np.isfinite(weights).all():
            raise ModelError(f"the tensor {name + ending!r} has numbers that are not finite")
        return np.ascontiguousarray(weights, np.float32)

    return read
