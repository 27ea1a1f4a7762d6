"""Judges from folders of transformers: log-probabilities, what is refused, promises of ordering."""

from __future__ import annotations

import json
import math
import os
import pickle
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from references.brute_force import random_problem
from toys.models import model_of, toy_linearizer
from toys.network import in_many_shapes, toy_neural_linearizer

import syntagma
from syntagma.cli import app
from syntagma.errors import ArgumentError, ModelError, PackageError, ProblemError
from syntagma.judges.opening import open_judge
from syntagma.judges.transformers_model import TransformersModel
from syntagma.linearizer.linearizer import Linearizer
from syntagma.results.linearization import violations

REASON = "no {}: pip install 'syntagma[judge-torch]'"
torch = pytest.importorskip("torch", reason=REASON.format("torch"))
transformers = pytest.importorskip("transformers", reason=REASON.format("transformers"))
tokenizers = pytest.importorskip("tokenizers")
safetensors = pytest.importorskip("safetensors.torch")

SENTENCES = ["the dog", "dog the", "the cat barked at 10 dogs.", "é", "", "the", "dog the cat"]


def write_tokenizer(folder: Path, **marks: str) -> None:
    """Byte-level BPE with a few merges."""
    byte_level = tokenizers.pre_tokenizers.ByteLevel
    merges = [("t", "h"), ("th", "e"), ("d", "o"), ("do", "g"), ("Ġ", "the")]
    tokens = ["<s>", "</s>", *sorted(byte_level.alphabet()), *map("".join, merges)]
    numbers = {token: number for number, token in enumerate(tokens)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(numbers, merges))
    tokenizer.pre_tokenizer = byte_level(add_prefix_space=False)
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks).save_pretrained(
        folder
    )


def write_model(
    folder: Path,
    kind: str = "llama",
    marks: dict[str, str] | None = None,
    **options: Any,
) -> Path:
    """A folder as transformers writes it, with random weights."""
    config: Any = {
        "llama": lambda: transformers.LlamaConfig(
            vocab_size=263,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=64,
            initializer_range=0.5,
        ),
        "gpt2": lambda: transformers.GPT2Config(
            vocab_size=263, n_embd=32, n_layer=2, n_head=4, n_positions=64, initializer_range=0.5
        ),
        "bert": lambda: transformers.BertConfig(
            vocab_size=263,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            initializer_range=0.5,
        ),
    }[kind]()
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = transformers.AutoModelForCausalLM.from_config(config)
    model.save_pretrained(folder, **options)
    write_tokenizer(
        folder, **({"bos_token": "<s>", "eos_token": "</s>"} if marks is None else marks)
    )
    return folder


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_model(tmp_path / "tiny")


def change(path: Path, **fields: object) -> None:
    """Set fields of a JSON file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, **fields}), encoding="utf-8")


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
@pytest.mark.parametrize(
    ("marks", "start", "end"),
    [
        ({"bos_token": "<s>", "eos_token": "</s>"}, [0], [1]),
        ({"eos_token": "</s>"}, [1], [1]),
        ({"bos_token": "<s>"}, [0], []),
        ({}, [], []),
    ],
)
def test_log_probs_are_those_of_the_model(
    tmp_path: Path, kind: str, marks: dict[str, str], start: list[int], end: list[int]
) -> None:
    folder = write_model(tmp_path / kind, kind, marks)
    found = TransformersModel(folder).log_probs(SENTENCES)
    reference = transformers.AutoModelForCausalLM.from_pretrained(folder).double().eval()
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    for sentence, value in zip(SENTENCES, found, strict=True):
        row, expected = [*start, *tokenizer.encode(sentence).ids, *end], 0.0
        for place in range(1, len(row)):
            with torch.no_grad():
                logits = reference(input_ids=torch.tensor([row[:place]])).logits[0, -1]
            expected += float(logits.log_softmax(-1)[row[place]])
        assert value == pytest.approx(expected, abs=1e-4)


def test_what_is_read_together_makes_no_difference(tiny: Path) -> None:
    model, rng = TransformersModel(tiny), Random(1)
    words = ["the", "dog", "barked", "at", "cats", "é"]
    sentences = [" ".join(rng.sample(words, rng.randint(1, 6))) for _ in range(40)]
    alone = [model.log_probs([each])[0] for each in sentences]
    assert model.log_probs(sentences) == pytest.approx(alone, abs=1e-4)
    assert model.log_probs(sentences[::-1]) == pytest.approx(alone[::-1], abs=1e-4)
    assert model.log_probs([]) == []


def read_by(model: TransformersModel, monkeypatch: pytest.MonkeyPatch) -> list[list[list[int]]]:
    """The rows of tokens that the model will have read together."""
    groups: list[list[list[int]]] = []
    sums = model._sums

    def read(rows: list[list[int]]) -> Any:
        groups.append(rows)
        return sums(rows)

    monkeypatch.setattr(model, "_sums", read)
    return groups


def test_groups_are_limited(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = TransformersModel(tiny).log_probs(SENTENCES)
    monkeypatch.setattr("syntagma.judges.transformers_model._MOST_LOGITS", 64 * 263)
    model = TransformersModel(tiny)
    rows = read_by(model, monkeypatch)
    assert model.log_probs(SENTENCES * 20) == pytest.approx(expected * 20, abs=1e-4)
    assert 1 < max(map(len, rows)) <= 32


def test_marks_in_a_sentence_are_text(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = TransformersModel(tiny)
    groups = read_by(model, monkeypatch)
    model.log_probs(["the</s>"])
    [[row]] = groups
    assert row[-1] == 1
    assert 1 not in row[:-1]


def test_a_judge_by_its_folder(tiny: Path) -> None:
    english = syntagma.load("en", judge=f"hf:{tiny}", judge_weight=0.3)
    found = english.order(["the", "dog", "barked"], n_best=3)
    assert all(each.parts["judge"] < 0 for each in found)
    assert english.judge is not None
    model = english.judge.model
    assert isinstance(model, TransformersModel)
    assert english.judge.about == {
        "judge": f"tiny-{model.digest[:8]}",
        "judge_weight": "0.3",
        "runtime": f"torch-{torch.__version__},transformers-{transformers.__version__}",
    }
    again = pickle.loads(pickle.dumps(english))
    assert again.order(["the", "dog", "barked"], n_best=3) == found
    many = english.order_many([["the", "dog", "barked"]] * 5, n_best=3, threads=3)
    assert list(many) == [found] * 5


@pytest.mark.parametrize("make", [toy_linearizer, toy_neural_linearizer])
def test_every_promise_holds(tiny: Path, make: Callable[[], Linearizer]) -> None:
    linearizer, rng = Linearizer(model_of(make()), None, open_judge(f"hf:{tiny}", 3.0)), Random(1)
    problems = [in_many_shapes(rng, random_problem(rng, 7, "exact")) for _ in range(15)]
    alone = [linearizer.order(problem, n_best=4) for problem in problems]
    for results in alone:
        for each in results:
            assert violations(each) == []
            assert sum(each.parts.values()) == pytest.approx(each.score)
    assert list(linearizer.order_many(problems[::-1], n_best=4, threads=2)) == alone[::-1]


def test_on_the_command_line(tiny: Path, capfd: pytest.CaptureFixture[str]) -> None:
    options = ["--judge", f"hf:{tiny}", "--judge-weight", "0.3", "--format", "json"]
    assert app.run(["order", *options, "the", "dog", "barked"]) == 0
    captured = capfd.readouterr()
    assert "judge" in json.loads(captured.out)["parts"]
    assert captured.err == ""  # no progress bars
    for name in ("hf:", f"hf:{tiny}/nowhere"):
        assert app.run(["order", "--judge", name, "dog"]) == 2
        assert capfd.readouterr().err.count("\n") == 1


def test_no_output_replaces_a_file_of_the_judge(
    tiny: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    content = {each: each.read_bytes() for each in tiny.iterdir()}
    data = Path(__file__).parents[2] / "examples" / "dev.conllu"
    for command in (["order", "dog", "--output"], ["evaluate", "--data", str(data), "--json"]):
        for name in ("model.safetensors", "tokenizer.json"):
            assert app.run([*command, str(tiny / name), "--judge", f"hf:{tiny}"]) == 2
            assert "it is also an input" in capfd.readouterr().err
    assert {each: each.read_bytes() for each in tiny.iterdir()} == content
    assert app.run(["order", "dog", "--output", str(tiny.parent / "x"), "--judge", "hf:no"]) == 2
    assert "no: there is no such folder" in capfd.readouterr().err


def test_the_digest_is_that_of_the_files(tiny: Path) -> None:
    digest = TransformersModel(tiny).digest
    assert len(digest) == 64
    (tiny / "README.md").write_text("A model.")
    (tiny / "pytorch_model.bin").write_bytes(b"")
    assert TransformersModel(tiny.rename(tiny.with_name("other"))).digest == digest
    change(tiny.with_name("other") / "config.json", rms_norm_eps=1e-5)
    assert TransformersModel(tiny.with_name("other")).digest != digest


def test_weights_in_parts(tmp_path: Path) -> None:
    whole = write_model(tmp_path / "whole")
    parts = write_model(tmp_path / "parts", max_shard_size="20KB")
    assert len(list(parts.glob("*.safetensors"))) > 1
    models = TransformersModel(whole), TransformersModel(parts)
    assert models[0].log_probs(SENTENCES) == models[1].log_probs(SENTENCES)
    assert models[0].digest != models[1].digest


def test_the_state_of_pytorch_stays(tiny: Path) -> None:
    def later() -> int:
        found: list[int] = []
        thread = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
        thread.start()
        thread.join()
        return found[0]

    def state() -> tuple[object, ...]:
        logging = transformers.logging
        bars = logging.is_progress_bar_enabled()
        here = torch.get_num_threads()
        return here, later(), logging.get_verbosity(), bars, torch.is_grad_enabled()

    random, before = torch.get_rng_state(), state()
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        within = state()
        model = TransformersModel(tiny)
        model.log_probs(SENTENCES)
        assert state() == within
        assert model._compute(torch.get_num_threads) == 1
    finally:
        torch.set_num_threads(threads)
    assert state() == before
    assert torch.equal(torch.get_rng_state(), random)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_computes_too(tiny: Path) -> None:
    # In a process of its own: a fork of the tests would have their files and threads.
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from syntagma.judges.transformers_model import TransformersModel\n"
        "model = TransformersModel(Path(sys.argv[1]))\n"
        "expected = model.log_probs(['the dog'])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(model.log_probs(['the dog']) != expected)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tiny)], check=True, timeout=300)


def test_nothing_is_fetched(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object, **options: object) -> None:
        raise AssertionError(f"network: {given}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert open_judge(f"hf:{tiny}").model.log_probs(["the dog"])
    with pytest.raises(ModelError, match=r"there is no such folder: a judge is not downloaded"):
        open_judge("hf:gpt2")


def test_code_of_the_folder_never_runs(tiny: Path) -> None:
    ran = tiny / "ran"
    code = f"open({str(ran)!r}, 'w')\nfrom transformers import LlamaConfig as Odd\n"
    (tiny / "odd.py").write_text(code, encoding="utf-8")
    names = ("AutoConfig", "AutoModelForCausalLM")
    change(tiny / "config.json", auto_map=dict.fromkeys(names, "odd.Odd"))
    change(tiny / "tokenizer_config.json", auto_map={"AutoTokenizer": ["odd.Odd", "odd.Odd"]})
    assert TransformersModel(tiny).log_probs(["the dog"])  # llama needs no code
    change(tiny / "config.json", model_type="odd")
    with pytest.raises(ModelError, match="cannot be a judge: "):
        TransformersModel(tiny)
    assert not ran.exists()


class Hostile:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.path), "w")


def only_pickles(folder: Path) -> None:
    torch.save(Hostile(folder / "ran"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def index_of_pickles(folder: Path) -> None:
    only_pickles(folder)
    index = {"metadata": {}, "weight_map": {"model.norm.weight": "pytorch_model.bin"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def index_of_others(folder: Path) -> None:
    index_of_pickles(folder)
    change(
        folder / "model.safetensors.index.json",
        weight_map={"model.norm.weight": "../x.safetensors"},
    )


def odd_index(folder: Path) -> None:
    index_of_pickles(folder)
    change(folder / "model.safetensors.index.json", weight_map=[1])


def other_weights(folder: Path) -> None:
    """The file that `config.json` names is not read."""
    only_pickles(folder)
    (folder / "pytorch_model.bin").rename(folder / "adapter_model.bin")
    change(folder / "config.json", transformers_weights="adapter_model.bin")


def without_weights_of_a_layer(folder: Path) -> None:
    weights = safetensors.load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    safetensors.save_file(weights, folder / "model.safetensors", {"format": "pt"})


def of_another_shape(folder: Path) -> None:
    change(folder / "config.json", hidden_size=64)


def truncated(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def no_tokenizer(folder: Path) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()


def other_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("[]")


def an_encoder(folder: Path) -> None:
    shutil.rmtree(folder)
    write_model(folder, "bert")


def a_pipe(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    os.mkfifo(folder / "model.safetensors")


BAD: list[tuple[Callable[[Path], object], str]] = [
    (shutil.rmtree, "there is no such folder"),
    (lambda folder: (folder / "config.json").unlink(), "it has no config.json"),
    (lambda folder: (folder / "config.json").write_text("{"), "cannot be a judge: "),
    (lambda folder: (folder / "config.json").write_text("[]"), "cannot be a judge: "),
    (lambda folder: change(folder / "config.json", model_type="t5"), "cannot be a judge: "),
    (lambda folder: change(folder / "config.json", hidden_size="x"), "cannot be a judge: "),
    (
        lambda folder: change(folder / "config.json", quantization_config={"quant_method": "fp8"}),
        "its weights are quantised",
    ),
    (lambda folder: (folder / "adapter_config.json").write_text("{}"), "merge its adapter"),
    (lambda folder: (folder / "model.safetensors").unlink(), "it has no model.safetensors, and"),
    (only_pickles, "it has no model.safetensors, and no other weights are read"),
    (other_weights, "it has no model.safetensors, and no other weights are read"),
    (index_of_pickles, "names 'pytorch_model.bin', which is no safetensors file of this folder"),
    (index_of_others, r"names '\.\./x\.safetensors', which is no safetensors file"),
    (odd_index, "cannot be a judge: "),
    (without_weights_of_a_layer, r"no weights model\.layers\.1\.mlp\.up_proj\.weight"),
    (of_another_shape, "cannot be a judge: "),
    (truncated, "cannot be a judge: "),
    (no_tokenizer, "cannot be a judge: "),
    (other_tokenizer, "cannot be a judge: "),
    (an_encoder, "this is no causal language model"),
    *([(a_pipe, "cannot be a judge: ")] if hasattr(os, "mkfifo") else []),
]


@pytest.mark.parametrize(("spoil", "message"), BAD)
def test_folders_that_are_refused(
    tiny: Path,
    spoil: Callable[[Path], object],
    message: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    spoil(tiny)
    capfd.readouterr()
    with pytest.raises(ModelError, match=message) as caught:
        open_judge(f"hf:{tiny}")
    assert str(caught.value).startswith(f"{tiny}: ")
    assert len(str(caught.value)) < 600
    assert capfd.readouterr().err == ""
    assert not (tiny / "ran").exists()


def test_what_is_no_folder(tiny: Path) -> None:
    with pytest.raises(ModelError, match="there is no such folder"):
        open_judge(f"hf:{tiny / 'config.json'}")
    for name, message in (("hf:", "judge hf: names no folder"), ("hf:a\0b", "cannot be one")):
        with pytest.raises(ArgumentError, match=message):
            open_judge(name)


def test_a_sentence_that_is_too_long(tiny: Path) -> None:
    english = syntagma.load("en", judge=f"hf:{tiny}")
    with pytest.raises(ProblemError, match="tokens for the judge, more than its limit of 64"):
        english.order(["x" * 100, "y"])


def test_a_tokenizer_of_another_model(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "tiny")
    with torch.random.fork_rng():
        model = transformers.AutoModelForCausalLM.from_pretrained(folder)
        model.resize_token_embeddings(100)
    model.save_pretrained(folder)
    english = syntagma.load("en", judge=f"hf:{folder}")
    with pytest.raises(ModelError, match="the tokeniser of the judge has more tokens than its"):
        english.order(["the", "dog", "zzz"])


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_missing_packages(tiny: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    message = rf"the judge needs the package {missing}, .*pip install 'syntagma\[judge-torch\]'"
    with pytest.raises(PackageError, match=message):
        open_judge(f"hf:{tiny}")


def test_numbers_are_finite(tiny: Path) -> None:
    assert all(math.isfinite(each) for each in TransformersModel(tiny).log_probs(SENTENCES))
