"""Adapts SmolLM2 to the sentences that people write and type: a low-rank adaptation, as the judge
`smollm2` brings it.

    python benchmarks/tune_judge.py --folder runs/judge --output smollm2.adapter.gguf

Needs PyTorch, transformers and peft. A run that was stopped goes on from its last checkpoint in
`--folder`, with the same result as if it had not been stopped.
"""

from __future__ import annotations

import argparse
import lzma
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from shared_data import DATA, UD
from torch.nn.functional import cross_entropy

import syntagma
from syntagma.formats.tokenization import split_sentences, words
from syntagma.judges.adapter import ALPHA as ALPHA_FIELD
from syntagma.judges.adapter import LARGEST, LARGEST_BEFORE
from syntagma.judges.opening import smollm2_file

RANK: Final = 16
ALPHA: Final = 32
LEARNING_RATE: Final = 5e-4
TOKENS: Final = 1_000  # of a step, about
LONGEST: Final = 100  # tokens of a sentence
CALIBRATION: Final = 40  # batches from which the size of activations is known
AS_TYPED: Final = 0.2  # the share of sentences in lower case, without the final mark

# The linear parts of a layer, as transformers and GGUF files name them.
PARTS: Final = {
    **{f"{name}_proj": f"attn_{name}" for name in "qkv"},
    **{"o_proj": "attn_output", "gate_proj": "ffn_gate"},
    **{"up_proj": "ffn_up", "down_proj": "ffn_down"},
}
FIRST_LAYER: Final = 4  # below it, nothing is adapted, which saves their backward pass

# How many sentences of each source are seen, in all.
MIXTURE: Final = {
    "en_ewt": 25_000,
    "en_gum": 6_500,
    "en_tatoeba": 30_000,
    "en_wikinews": 700,
    "en_standardebooks": 700,
    "en_openstax": 500,
}


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence: its words and how it is written."""

    words: tuple[str, ...]
    text: str


def treebank_examples(name: str) -> list[Example]:
    sentences = syntagma.read_treebank(next((UD / name).glob("*-train.conllu")), "xpos")
    return [Example(each.forms, each.written) for each in sentences if each.written]


def text_examples(name: str, count: int, rng: random.Random) -> list[Example]:
    """Sentences of a text, evenly spread."""
    with lzma.open(DATA / "text" / f"{name}.txt.xz", "rt", encoding="utf-8") as file:
        lines = [line.strip() for line in islice(file, 2_000_000)]
    found = []
    for line in rng.sample(lines, min(len(lines), 3 * count)):
        sentences = split_sentences(line)
        text = rng.choice([" ".join(each) for each in sentences] or [""])
        bag = tuple(words(text))
        if 2 <= len(bag) <= 60:
            found.append(Example(bag, text))
    return found[:count]


def as_typed(example: Example) -> Example:
    """In lower case but for *I*, without the final mark."""
    bag, text = list(example.words), example.text
    if len(bag) > 1 and bag[-1] in (".", "?", "!") and text.endswith(bag[-1]):
        text = text[: -len(bag.pop())].rstrip()
    lower = [word if word == "I" else word.lower() for word in bag]
    typed = " ".join(
        word if word == "I" or word.startswith("I'") else word.lower() for word in text.split()
    )
    return Example(tuple(lower), typed)


def draw(seed: int) -> list[str]:
    """The sentences of a run in their order."""
    rng = random.Random(seed)
    drawn: list[Example] = []
    for name, count in MIXTURE.items():
        found = (
            treebank_examples(name)
            if (UD / name).is_dir()
            else text_examples(name, count, random.Random(f"{seed}:{name}"))
        )
        while count > 0:
            rng.shuffle(found)
            drawn += found[:count]
            count -= len(found)
    rng.shuffle(drawn)
    return [(as_typed(each) if rng.random() < AS_TYPED else each).text for each in drawn]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, required=True, help="for checkpoints")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, help="end after so many: for a test")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    model, tokenizer = load()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    train(model, tokenizer, arguments)
    some = batches(tokenizer, arguments.seed)[:CALIBRATION]
    write_adapter(model, arguments.output, largest_activations(model, some))


def load() -> tuple[Any, Any]:
    """SmolLM2 with the weights of its GGUF file, and with an adapter that changes nothing yet."""
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    path = smollm2_file()
    options = {"gguf_file": path.name}
    torch.manual_seed(1)
    base = AutoModelForCausalLM.from_pretrained(
        path.parent,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
        attn_implementation="eager",
        **options,
    )
    config = LoraConfig(
        r=RANK,
        lora_alpha=ALPHA,
        target_modules=list(PARTS),
        layers_to_transform=list(range(FIRST_LAYER, base.config.num_hidden_layers)),
    )
    model = get_peft_model(base, config, autocast_adapter_dtype=False)
    return model, AutoTokenizer.from_pretrained(path.parent, **options)


def batches(tokenizer: Any, seed: int) -> list[list[list[int]]]:
    """The tokens of sentences in batches of like length, each between two ends."""
    end = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    texts = (tokenizer.encode(text, add_special_tokens=False) for text in draw(seed))
    encoded = [[end, *text, end] for text in texts if len(text) <= LONGEST]
    rng, made = random.Random(seed), []
    pool = 2_000  # sorted together
    for start in range(0, len(encoded), pool):
        group, batch = sorted(encoded[start : start + pool], key=len), list[list[int]]()
        for each in group:
            if batch and (len(batch) + 1) * len(each) > TOKENS:
                made.append(batch)
                batch = []
            batch.append(each)
        made.append(batch)
    rng.shuffle(made)
    return made


def train(model: Any, tokenizer: Any, arguments: argparse.Namespace) -> None:
    plan = batches(tokenizer, arguments.seed)[: arguments.steps]
    adapted = [each for each in model.parameters() if each.requires_grad]
    weights = [each.detach().float() for each in adapted]  # what the optimizer changes
    optimizer = torch.optim.AdamW(weights, LEARNING_RATE, weight_decay=0.0, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, len(plan)))
    checkpoint, first = arguments.folder / "checkpoint.pt", 0
    if checkpoint.exists():
        kept = torch.load(checkpoint, weights_only=True)
        first = kept["step"]
        for weight, value in zip(weights, kept["weights"], strict=True):
            weight.copy_(value)
        optimizer.load_state_dict(kept["optimizer"])
        schedule.load_state_dict(kept["schedule"])
    print(f"{len(plan)} steps, from {first}; {sum(each.numel() for each in weights):,} weights")
    started, seen, losses = time.monotonic(), 0, list[float]()
    for step in range(first, len(plan)):
        with torch.no_grad():
            for each, weight in zip(adapted, weights, strict=True):
                each.copy_(weight)
        loss = batch_loss(model, plan[step])
        loss.backward()  # type: ignore[no-untyped-call]
        for each, weight in zip(adapted, weights, strict=True):
            weight.grad, each.grad = each.grad.float(), None
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        seen += sum(map(len, plan[step]))
        if (step + 1) % 20 == 0:
            pace = seen / (time.monotonic() - started)
            print(f"{step + 1} loss {np.mean(losses[-100:]):.4f} {pace:.0f} tokens/s", flush=True)
        if (step + 1) % 100 == 0 or step + 1 == len(plan):
            kept = {
                "step": step + 1,
                "weights": weights,
                "optimizer": optimizer.state_dict(),
                "schedule": schedule.state_dict(),
            }
            torch.save(kept, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").replace(checkpoint)
    with torch.no_grad():
        for each, weight in zip(adapted, weights, strict=True):
            each.copy_(weight)


def rate(step: int, steps: int) -> float:
    """Warm-up, then a cosine down to a twentieth."""
    warm = max(1, steps // 40)
    if step < warm:
        return (step + 1) / warm
    return 0.05 + 0.95 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm))) / 2


def batch_loss(model: Any, batch: Sequence[Sequence[int]]) -> torch.Tensor:
    """The mean negative log-probability of the tokens of sentences and of their ends."""
    rows = torch.zeros(len(batch), max(map(len, batch)), dtype=torch.long)
    counted = torch.zeros(rows.shape, dtype=torch.bool)
    for row, tokens in enumerate(batch):
        rows[row, : len(tokens)] = torch.tensor(tokens)
        counted[row, : len(tokens) - 1] = True  # where the next token counts
    # Padding stands behind the tokens, which do not look ahead: it needs no mask.
    hidden = model.base_model.model.model(rows, use_cache=False).last_hidden_state[counted]
    logits = model.base_model.model.lm_head(hidden)
    return cross_entropy(logits.float(), torch.roll(rows, -1, 1)[counted])


def largest_activations(
    model: Any, plan: Sequence[Sequence[Sequence[int]]]
) -> dict[str, npt.NDArray[np.float32]]:
    """How large the activations before each linear part are, by channel."""
    found: dict[str, torch.Tensor] = {}

    def note(name: str) -> Any:
        def hook(_module: Any, inputs: tuple[torch.Tensor, ...]) -> None:
            most = inputs[0].detach().float().abs().flatten(0, -2).amax(0)
            found[name] = torch.maximum(found[name], most) if name in found else most

        return hook

    handles = [
        module.register_forward_pre_hook(note(f"blk.{number}.{PARTS[theirs]}"))
        for number, layer in enumerate(model.base_model.model.model.layers)
        for name, module in layer.named_modules()
        if (theirs := name.rpartition(".")[2]) in PARTS and PARTS[theirs] in LARGEST_BEFORE
    ]
    with torch.no_grad():
        for batch in plan:
            batch_loss(model, batch)
    for handle in handles:
        handle.remove()
    return {name: each.numpy() for name, each in found.items()}


def write_adapter(model: Any, path: Path, largest: dict[str, npt.NDArray[np.float32]]) -> None:
    """Write the adapter as llama.cpp does: GGUF, with the rows of queries and keys in its order;
    and how large the activations are."""
    from gguf import GGMLQuantizationType, GGUFWriter
    from gguf.quants import quantize

    config = model.base_model.model.config
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    writer = GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32(ALPHA_FIELD, float(ALPHA))
    for name, channels in sorted(largest.items()):
        writer.add_tensor(f"{name}.{LARGEST}", np.minimum(channels, 60_000).astype(np.float16))
    for number, layer in enumerate(model.base_model.model.model.layers):
        if number < FIRST_LAYER:
            continue
        for theirs, ours in PARTS.items():
            part = next(each for name, each in layer.named_modules() if name.endswith(theirs))
            first, second = (
                each["default"].weight.detach().float().numpy()
                for each in (part.lora_A, part.lora_B)
            )
            if ours in heads:
                shape = (heads[ours], 2, -1, second.shape[1])
                second = second.reshape(shape).swapaxes(1, 2).reshape(second.shape)
            name, kind = f"blk.{number}.{ours}.weight", GGMLQuantizationType.Q8_0
            writer.add_tensor(f"{name}.lora_a", quantize(first, kind), raw_dtype=kind)
            writer.add_tensor(f"{name}.lora_b", second.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
