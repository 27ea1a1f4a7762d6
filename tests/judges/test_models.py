"""Judges from GGUF files: conversion, the cache, log-probabilities, files that are refused."""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from references.llama import log_prob
from toys import gguf_files
from toys.gguf_files import tensors, tokens, write_adapter, write_gguf

import syntagma
from syntagma.cli import app
from syntagma.errors import ModelError, OutputError, PackageError, ProblemError, SyntagmaError
from syntagma.judges.causal import CausalLanguageModel
from syntagma.judges.conversion import cache_folder, converted
from syntagma.judges.opening import open_judge

for package in ("gguf", "onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(package, reason=f"no {package}: pip install 'syntagma[judge]'")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "tiny.gguf")


@pytest.mark.parametrize("tied", [True, False])
def test_log_probs_are_those_of_the_architecture(tmp_path: Path, tied: bool) -> None:
    weights = tensors()
    if not tied:
        weights["output.weight"] = tensors(2)["token_embd.weight"]
    path = write_gguf(tmp_path / "tiny.gguf", weights=weights)
    model = CausalLanguageModel(converted(path).folder)
    rows = {
        "the dog": ["<s>", "the", "Ġ", "dog", "</s>"],
        "dog the 10": ["<s>", "dog", "Ġthe", "Ġ", "1", "0", "</s>"],
    }
    expected = [reference(row, weights) for row in rows.values()]
    # Weights and activations have 8 bits.
    assert model.log_probs([*rows]) == pytest.approx(expected, rel=0.03)


def reference(row: list[str], weights: dict[str, Any]) -> float:
    known = tokens()
    return log_prob(
        [known.index(token) for token in row],
        weights,
        layers=gguf_files.LAYERS,
        heads=gguf_files.HEADS,
        kv_heads=gguf_files.KV_HEADS,
        base=10_000.0,
        epsilon=1e-5,
    )


def test_an_adapter_changes_the_weights(tiny: Path, tmp_path: Path) -> None:
    adapter, added = write_adapter(tmp_path / "adapter.gguf")
    model = CausalLanguageModel(converted(tiny, adapter=adapter).folder)
    merged = {name: each + added.get(name, 0) for name, each in tensors().items()}
    row = ["<s>", "the", "Ġ", "dog", "</s>"]
    assert model.log_probs(["the dog"]) == pytest.approx([reference(row, merged)], rel=0.03)
    assert abs(reference(row, merged) - reference(row, tensors())) > 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "model"}, "'general.type' must be adapter, not 'model'"),
        ({"alpha": -1.0}, "'adapter.lora.alpha' is not a number above 0"),
        ({"without": "blk.0.attn_q.weight.lora_b"}, "'blk.0.attn_q.weight.lora_b' is not there"),
        ({"without": "blk.1.ffn_down.largest"}, "'blk.1.ffn_down.largest' is not there"),
        ({"more": "blk.7.attn_q.weight.lora_a"}, "'blk.7.attn_q.weight.lora_a' is not supported"),
    ],
)
def test_adapters_that_are_refused(
    tiny: Path, tmp_path: Path, cache: Path, options: dict[str, Any], message: str
) -> None:
    path, _ = write_adapter(tmp_path / "adapter.gguf", **options)
    with pytest.raises(ModelError, match=message) as caught:
        converted(tiny, adapter=path)
    assert str(caught.value).startswith(f"{path}: cannot be a judge: ")
    assert not cache.exists()


SENTENCES = ["the dog", "dog the", "the dog the 10", "the the dog", "", "10 the dog the dog"]


def test_sentences_can_be_read_a_few_at_a_time(tiny: Path) -> None:
    model = CausalLanguageModel(converted(tiny).folder)
    expected = model.log_probs(SENTENCES)
    reading = model.open(SENTENCES)
    for rows in ([3], [0, 1], [0, 5], [2, 4], []):
        reading.read(rows)
    # Activations have 8 bits: what is read together changes the last ones.
    assert reading.log_probs(range(6)) == pytest.approx(expected, rel=0.02)
    assert reading.guesses() == reading.log_probs(range(6))
    alone = [model.log_probs([each])[0] for each in SENTENCES]
    assert alone == pytest.approx(expected, rel=0.02)


def test_what_is_not_read_is_guessed(tiny: Path) -> None:
    model = CausalLanguageModel(converted(tiny).folder)
    reading = model.open(["the dog the", "the dog", "dog the"])
    reading.read([0])
    [read, begun, other] = reading.guesses()
    assert read == reading.log_probs([0])[0]
    # Its words are known from the first one, its end is not.
    assert begun < reading.log_probs([0])[0] - model.log_probs(["the dog the"])[0] + 1
    assert math.isfinite(other)
    reading.read([1])
    assert reading.guesses()[1] == reading.log_probs([1])[0]


def test_threads_and_what_was_read_before_make_no_difference(tiny: Path) -> None:
    model = CausalLanguageModel(converted(tiny).folder)
    expected = model.log_probs(SENTENCES)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(model.log_probs, [SENTENCES] * 8):
            assert found == expected


def test_a_judge_by_its_file(tiny: Path) -> None:
    english = syntagma.load("en", judge=tiny, judge_weight=0.3)
    found = english.order(["the", "dog", "barked"], n_best=3)
    assert all(each.parts["judge"] < 0 for each in found)
    assert english.judge is not None
    assert english.judge.about["judge"].startswith("tiny-")
    assert english.judge.about["runtime"].startswith("onnxruntime-")
    again = pickle.loads(pickle.dumps(english))
    assert again.order(["the", "dog", "barked"], n_best=3) == found
    assert (
        list(english.order_many([["the", "dog", "barked"]] * 5, n_best=3, threads=3)) == [found] * 5
    )


def test_on_the_command_line(tiny: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["the", "dog", "barked"]
    options = ["--judge", str(tiny), "--judge-weight", "0.3", "--format", "json"]
    assert app.run(["order", *options, *words]) == 0
    assert "judge" in json.loads(capfd.readouterr().out)["parts"]
    assert app.run(["realize", *options, *words]) == 0
    assert "judge" in json.loads(capfd.readouterr().out)["parts"]
    assert app.run(["order", "--judge", "nobody", *words]) == 2
    assert "there is no judge 'nobody'" in capfd.readouterr().err
    assert app.run(["order", "--judge-weight", "1", *words]) == 2
    assert "--judge-weight goes with a judge: name one" in capfd.readouterr().err
    data = Path(__file__).parents[2] / "examples" / "dev.conllu"
    evaluate = ["evaluate", "--data", str(data), "-c", "labelled", "--limit", "3"]
    assert app.run([*evaluate, "--judge", str(tiny)]) == 0
    out = capfd.readouterr().out
    assert "|judge:tiny-" in out
    assert "|judge_weight:0.5|runtime:onnxruntime-" in out


def test_no_output_replaces_the_judge(tiny: Path, capfd: pytest.CaptureFixture[str]) -> None:
    content = tiny.read_bytes()
    data = Path(__file__).parents[2] / "examples" / "dev.conllu"
    for command in (["order", "dog", "--output"], ["evaluate", "--data", str(data), "--json"]):
        assert app.run([*command, str(tiny), "--judge", str(tiny)]) == 2
        assert "it is also an input" in capfd.readouterr().err
    assert tiny.read_bytes() == content


def test_a_file_is_converted_once(tiny: Path, cache: Path) -> None:
    assert cache_folder() == cache
    first = converted(tiny)
    assert [each.name for each in cache.iterdir()] == [f"{first.digest}-2"]
    made = (first.folder / "body.onnx").stat().st_mtime_ns
    assert converted(tiny.rename(tiny.with_name("other.gguf"))) == first
    assert (first.folder / "body.onnx").stat().st_mtime_ns == made


def test_several_at_once_convert_a_file(tiny: Path, cache: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert len({each.folder for each in pool.map(converted, [tiny] * 4)}) == 1
    assert len(list(cache.iterdir())) == 1
    assert CausalLanguageModel(converted(tiny).folder).log_probs(["the dog"])


def test_a_cache_that_cannot_be_written(tiny: Path, cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("")
    with pytest.raises(OutputError, match="XDG_CACHE_HOME can name another folder"):
        converted(tiny)


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(OutputError, match="name one by XDG_CACHE_HOME"):
        cache_folder()


def test_a_damaged_cache(tiny: Path) -> None:
    folder = converted(tiny).folder
    (folder / "body.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match=r"not a converted judge .*; delete this folder"):
        open_judge(tiny)


def test_the_digest_is_checked(tiny: Path) -> None:
    with pytest.raises(ModelError, match=r"its SHA-256 is \w+, not 0+: install its package again"):
        converted(tiny, "0" * 64)


def test_a_sentence_that_is_too_long(tiny: Path) -> None:
    english = syntagma.load("en", judge=tiny)
    with pytest.raises(ProblemError, match="tokens for the judge, more than its limit of 256"):
        english.order(["x" * 300, "y"])


def test_a_missing_runtime(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(PackageError, match=r"onnx, .*pip install 'syntagma\[judge\]'"):
        open_judge(tiny)


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in tensors().items() if key != name}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"architecture": "qwen2"}, "'general.architecture' must be llama, not 'qwen2'"),
        (
            {"fields": {"tokenizer.ggml.model": "llama"}},
            "'tokenizer.ggml.model' must be gpt2, not 'llama'",
        ),
        ({"fields": {"tokenizer.ggml.pre": "qwen2"}}, "must be smollm or gpt-2, not 'qwen2'"),
        ({"fields": {"llama.expert_count": 8}}, "'llama.expert_count' is not supported"),
        ({"fields": {"llama.block_count": 3}}, "no tensor 'blk.2.attn_k.weight'"),
        ({"fields": {"llama.block_count": 1}}, "'blk.1.attn_k.weight' is not supported"),
        ({"fields": {"llama.block_count": None}}, "'llama.block_count' is not an integer"),
        ({"fields": {"llama.attention.head_count": 5}}, "5 heads and 2 heads of keys do not fit"),
        ({"fields": {"llama.embedding_length": 64}}, "has the shape"),
        ({"fields": {"llama.rope.dimension_count": 4}}, "not supported unless it is 8"),
        ({"fields": {"llama.rope.freq_base": -1.0}}, "'llama.rope.freq_base' is not a number"),
        ({"fields": {"llama.vocab_size": 7}}, "'llama.vocab_size' is not 263"),
        ({"fields": {"tokenizer.ggml.eos_token_id": 263}}, "is not an integer from 0 to 262"),
        ({"words": ["<s>", *tokens()[:-1]]}, "has a token twice"),
        ({"words": [*tokens()[:-1], "cat"]}, "the merge 'do g' is not of tokens"),
        ({"weights": without("output_norm.weight")}, "no tensor 'output_norm.weight'"),
        (
            {"weights": {**tensors(), "rope_freqs.weight": np.ones(4, np.float32)}},
            "the tensor 'rope_freqs.weight' is not supported",
        ),
        (
            {"weights": {**tensors(), "output_norm.weight": np.full(32, np.nan, np.float32)}},
            "has numbers that are not finite",
        ),
    ],
)
def test_models_that_are_refused(
    tmp_path: Path, cache: Path, options: dict[str, Any], message: str
) -> None:
    path = write_gguf(tmp_path / "odd.gguf", **options)
    with pytest.raises(ModelError, match=message) as caught:
        open_judge(path)
    assert str(caught.value).startswith(f"{path}: cannot be a judge: ")
    assert not cache.exists()


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.gguf"):
        with pytest.raises(ModelError, match="cannot be read"):
            open_judge(path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.gguf")
        with pytest.raises(ModelError, match="not a regular file"):
            open_judge(tmp_path / "pipe.gguf")


# In a process of its own, which a fault of the runtime would end.
DAMAGE = """
import sys
from pathlib import Path
from random import Random
from syntagma.errors import SyntagmaError
from syntagma.judges.opening import open_judge
from syntagma.linearizer.linearizer import load

path, damaged, rng = Path(sys.argv[1]), Path(sys.argv[2]), Random(1)
content = path.read_bytes()
start = content.index(b"token_embd") + 4_000  # where the description has ended
counts = {"refused": 0, "usable": 0}

def attempt(data):
    damaged.write_bytes(data)
    try:
        judge = open_judge(damaged)
        judge.model.log_probs(["the dog", "dog the"])
        counts["usable"] += 1
    except SyntagmaError as error:
        assert "\\n" not in str(error) and len(str(error)) < 2_000, error
        counts["refused"] += 1

for case in range(200):
    data = bytearray(content)
    place = rng.randrange(start if case % 4 else len(data))
    data[place] = rng.choice([0, 255, data[place] ^ 1 << rng.randrange(8), rng.randrange(256)])
    attempt(bytes(data))
assert counts["usable"] > 10 and counts["refused"] > 10, counts
usable = counts["usable"]
for case in range(60):
    attempt(content[: rng.randrange(start if case % 2 else len(content))])
assert counts["usable"] == usable, counts
"""


@pytest.mark.slow
def test_damaged_files_end_in_one_clear_error(tiny: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", DAMAGE, str(tiny), str(tmp_path / "damaged.gguf")]
    subprocess.run(command, check=True, timeout=600)


def test_smollm2_prefers_sentences() -> None:
    try:
        judge = open_judge("smollm2")
    except SyntagmaError as error:
        pytest.skip(str(error))
    good, bad = judge.model.log_probs(["Why is the sky blue?", "Why is the blue sky?"])
    assert good > bad + 5
    english = syntagma.load("en", judge="smollm2")
    found = english.order(["barked", "the", "at", "man", "dog", "old", "the", "."])
    assert found.text == "the dog barked at the old man ."
