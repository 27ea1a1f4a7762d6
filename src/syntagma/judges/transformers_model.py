"""A causal language model of transformers as a judge: a folder with `config.json`, weights as
safetensors and a tokeniser, run by PyTorch. GGUF files are converted and run by `causal` instead.

Nothing but the folder is read, and no code of it runs.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Final

from syntagma.errors import (
    ModelError,
    PackageError,
    ProblemError,
    brief,
    missing_package,
    one_line,
)
from syntagma.files.reading import open_regular
from syntagma.judges.settings import FILE as SETTINGS

FOLDER: Final = "hf:"  # what the name of such a judge begins with
_WEIGHTS, _INDEX = "model.safetensors", "model.safetensors.index.json"
# Of the files that a model or a tokeniser is read from; an old tokeniser has `vocab.json`,
# `merges.txt` or `tokenizer.model`.
_READ: Final = (".safetensors", ".json", ".txt", ".model")
_MOST_LOGITS: Final = 100_000_000  # at once: 400 MB
_LONGEST_REASON: Final = 300  # characters: transformers lists all models that it knows

_loading = Lock()


class TransformersModel:
    """A model of a folder, in 32 bits, on a GPU if PyTorch sees one. Safe to use from several
    threads, which wait for each other: on the CPU it computes on one thread of its own, so that
    results do not depend on how many there are.

    `digest` is the SHA-256 of the names and contents of its files but its settings as a judge.
    """

    def __init__(self, folder: Path) -> None:
        try:
            import torch
            import transformers
        except ImportError as error:
            package = error.name or "transformers"
            raise missing_package("the judge", package, "judge-torch", error) from error
        self.runtime = f"torch-{torch.__version__},transformers-{transformers.__version__}"
        self._pool, self._process = _pool(), os.getpid()
        try:
            _check_files(folder)
            self.digest = _digest(folder)
            with _quiet(transformers.logging):
                self._compute(self._load, folder)
        except (ModelError, PackageError, MemoryError):
            raise
        except OSError as error:
            reason = error.strerror or str(error)
            raise ModelError(f"{folder}: cannot be a judge: {_brief(reason)}") from error
        except Exception as error:  # whatever the packages raise
            raise ModelError(f"{folder}: cannot be a judge: {_brief(str(error))}") from error

    def log_probs(self, sentences: Sequence[str]) -> list[float]:
        """The log-probability of each sentence and of its end, if the model has a mark for it.

        Sentences with as many tokens are read together. On the CPU that takes half to two thirds of
        the time of one by one, and gives the same digits; padding changes the last ones.
        """
        return self._compute(self._read, sentences) if sentences else []

    def _compute(self, work: Any, *given: Any) -> Any:
        if self._process != os.getpid():  # a fork has no threads but the one that forked
            self._pool, self._process = _pool(), os.getpid()
        return self._pool.submit(work, *given).result()

    def _load(self, folder: Path) -> None:
        import torch
        from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

        local = {"local_files_only": True, "trust_remote_code": False}
        config = AutoConfig.from_pretrained(folder, **local)
        if getattr(config, "quantization_config", None) is not None:
            raise ModelError(f"{folder}: cannot be a judge: its weights are quantised")
        config.transformers_weights = None  # could name other files
        self._tokenizer = AutoTokenizer.from_pretrained(folder, config=config, **local)
        # Other implementations of attention than "eager" may be fetched from the hub.
        model, found = AutoModelForCausalLM.from_pretrained(
            folder,
            config=config,
            use_safetensors=True,
            dtype=torch.float32,
            attn_implementation="eager",
            output_loading_info=True,
            **local,
        )
        missing = sorted(found["missing_keys"])
        if missing:  # which would be random numbers
            raise ModelError(f"{folder}: cannot be a judge: no weights {_brief(missing[0])}")
        gpu = torch.accelerator.is_available()
        self._device = torch.accelerator.current_accelerator() if gpu else torch.device("cpu")
        self._model = model.eval().requires_grad_(False).to(self._device)
        self._model.config.use_cache = False
        mark, end = self._tokenizer.bos_token_id, self._tokenizer.eos_token_id
        self._end = [] if end is None else [end]
        self._start = self._end if mark is None else [mark]
        self._tokens = model.get_input_embeddings().weight.shape[0]
        context = getattr(model.config, "max_position_embeddings", None)
        logits = _MOST_LOGITS // self._tokens
        self._longest = min(context, logits) if isinstance(context, int) else logits
        before, also_before = self._logits([[0, 0], [0, 1]])[:, 0]
        if not torch.allclose(before, also_before, rtol=1e-4, atol=1e-5):
            raise ModelError(
                f"{folder}: cannot be a judge: a token depends on those after it, so this is no "
                "causal language model"
            )

    def _read(self, sentences: Sequence[str]) -> list[float]:
        encoded = self._tokenizer(
            list(sentences), add_special_tokens=False, split_special_tokens=True
        )
        rows = [[*self._start, *each, *self._end] for each in encoded["input_ids"]]
        longest = max(map(len, rows))
        if longest > self._longest:
            raise ProblemError(
                f"the sentence has {longest} tokens for the judge, more than its limit of "
                f"{self._longest}; order it without a judge"
            )
        if max(map(max, filter(None, rows)), default=0) >= self._tokens:
            raise ModelError("the tokeniser of the judge has more tokens than its model")
        values = [0.0] * len(rows)
        for length in sorted({len(row) for row in rows if len(row) > 1}):
            places = [place for place, row in enumerate(rows) if len(row) == length]
            most = max(1, _MOST_LOGITS // (length * self._tokens))
            for first in range(0, len(places), most):
                group = places[first : first + most]
                for place, value in zip(group, self._sums([rows[i] for i in group]), strict=True):
                    values[place] = value
        return values

    def _sums(self, rows: list[list[int]]) -> Any:
        """The log-probability of each row but its first token."""
        import torch

        logits = self._logits(rows)[:, :-1]
        chosen = torch.tensor(rows, device=self._device)[:, 1:, None]
        values = logits.gather(-1, chosen)[..., 0] - logits.logsumexp(-1)
        return values.cpu().double().sum(-1).tolist()

    def _logits(self, rows: list[list[int]]) -> Any:
        """Of rows of one length."""
        import torch

        numbers = torch.tensor(rows, device=self._device)
        with torch.no_grad():
            found = self._model(input_ids=numbers, attention_mask=torch.ones_like(numbers))
        return found.logits.float()


def _brief(reason: str) -> str:
    return brief(one_line(reason), _LONGEST_REASON)


def _check_files(folder: Path) -> None:
    """Raise unless the folder has what is needed, and names no weights elsewhere or of another
    kind: only safetensors are read, since others can run code."""
    if not folder.is_dir():
        raise ModelError(
            f"{folder}: there is no such folder: a judge is not downloaded, only read from a folder"
        )
    names = {each.name for each in folder.iterdir()}
    if "config.json" not in names:
        raise ModelError(f"{folder}: not a model of transformers: it has no config.json")
    if "adapter_config.json" in names:
        raise ModelError(f"{folder}: cannot be a judge: merge its adapter into the model first")
    if _WEIGHTS in names:
        return
    if _INDEX not in names:
        raise ModelError(
            f"{folder}: cannot be a judge: it has no {_WEIGHTS}, and no other weights are read"
        )
    with open_regular(folder / _INDEX) as file:
        parts = json.load(file)["weight_map"].values()
    for part in parts:
        if part not in names or not part.endswith(".safetensors"):
            raise ModelError(
                f"{folder}: cannot be a judge: {_INDEX} names {_brief(repr(part))}, "
                "which is no safetensors file of this folder"
            )


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in _READ and path.name != SETTINGS and path.is_file():
            with open_regular(path) as file:
                size = os.fstat(file.fileno()).st_size
                digest.update(f"{path.name}\0{size}\0".encode("utf-8", "surrogateescape"))
                while block := file.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()


def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "judge", initializer=_compute_alone)


def _compute_alone() -> None:
    """Let this thread compute without others.

    PyTorch's number of threads is that of the thread which sets it, and of all that come later: a
    second one sets back what those get.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    other = Thread(target=torch.set_num_threads, args=(before,))
    other.start()
    other.join()


@contextmanager
def _quiet(logging: Any) -> Iterator[None]:
    """Without progress bars and warnings of transformers, whose settings are global."""
    with _loading:
        verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            yield
        finally:
            logging.set_verbosity(verbosity)
            if bars:
                logging.enable_progress_bar()
