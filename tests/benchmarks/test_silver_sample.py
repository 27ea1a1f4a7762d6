"""The sample of machine-parsed text for pre-training: confident sentences, evenly spaced."""

import lzma
from pathlib import Path

import pytest
from recipes import silver_sample
from toys.benchmark_runs import call


def block(name: str, confidence: float, words: int) -> str:
    rows = "".join(f"{i}\t{name}\t_\tX\tX\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, words + 1))
    return f"# confidence = {confidence}\n{rows}\n"


def test_confident_sentences_are_taken_evenly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = [block(f"s{i}", -0.05, 5) for i in range(8)]
    others = [block("unsure", -0.3, 5), block("short", -0.01, 3)]
    treebank = tmp_path / "a.conllu.xz"
    treebank.write_bytes(lzma.compress("".join([*others, *sure]).encode()))
    output = tmp_path / "sample.conllu"
    call(monkeypatch, "silver_sample.py", treebank, "--words", 20, "--output", output)
    silver_sample.main()
    assert output.read_text() == "".join(sure[::2])


def test_a_second_sample_is_dealt_to_two_files_without_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [block(f"s{i}", -0.05, 5) for i in range(8)]
    treebank = tmp_path / "a.conllu.xz"
    treebank.write_bytes(lzma.compress("".join(sentences).encode()))
    first, left, right = (tmp_path / name for name in ("first", "left", "right"))
    call(monkeypatch, "silver_sample.py", treebank, "--words", 20, "--output", first)
    silver_sample.main()
    outputs = ("--without", first, "--output", left, "--output", right)
    call(monkeypatch, "silver_sample.py", treebank, "--words", 100, *outputs)
    silver_sample.main()
    assert left.read_text() == sentences[1] + sentences[5]
    assert right.read_text() == sentences[3] + sentences[7]
