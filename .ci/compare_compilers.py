"""Builds the core with Clang and compares its outputs with those of the core in src/, byte by byte.

Run by `make compilers`. Words, scores and trees are compared, in JSON with all digits. The kernels
alone are compared with those that are built for ARM, too, if there is a cross-compiler.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLANG = {"CC": "clang", "CXX": "clang++"}
MAIN = "from syntagma.cli import main; main()"
BAGS = "\n".join(
    (
        "barked the dog",
        "? Can me report send the you",
        ". book She read the",
        "a and are but different dogs friendly looks more nobody of or quietly the than were",
    )
)
EXAMPLES = ROOT / "examples"
PROBE = ROOT / "tests" / "neural" / "kernels_probe.cc"
FLAGS = ("-std=c++17", "-O3", "-ffp-contract=off", f"-I{ROOT / 'src' / 'syntagma' / 'neural'}")
# A compiler for another processor, and what runs its programs here.
CROSS = "aarch64-linux-gnu-g++"
EMULATOR = "qemu-aarch64"
COMMANDS = (
    ("order", "--format", "json", "--n-best", "3"),
    ("order", "--format", "json", "--search", "best-first"),
    ("order", "--format", "json", "--no-lm"),
    ("realize", "--format", "json"),
    *(
        ("order", "--format", "json", "--file", str(EXAMPLES / name), "--input-format", "conllu")
        for name in ("dev.conllu", "trees.conllu")
    ),
)


def main() -> None:
    if missing := [name for name in CLANG.values() if shutil.which(name) is None]:
        sys.exit(f"not installed: {', '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="syntagma-clang-") as name:
        tree = Path(name)
        compare_kernels(tree)
        built = shutil.ignore_patterns("*.so", "__pycache__")
        shutil.copytree(ROOT / "src", tree / "src", ignore=built)
        for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / file, tree)
        build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace", "-j", "2"]
        subprocess.run(build, cwd=tree, env=os.environ | CLANG, check=True)
        compilers = [_compiler(folder / "src") for folder in (ROOT, tree)]
        print(*compilers, sep=" and ")
        if "clang" not in compilers[1].lower():
            sys.exit("the second core has not been built by Clang")
        for command in COMMANDS:
            ours, theirs = (_output(folder / "src", command) for folder in (ROOT, tree))
            if ours != theirs:
                sys.exit(f"outputs differ: syntagma {' '.join(command)}\n{ours}\n{theirs}")
            print(f"same output, {len(ours)} bytes: syntagma {' '.join(command)}")


def compare_kernels(folder: Path) -> None:
    """The kernels of all processors that fuse multiplication and addition compute the same."""
    found = {name: _bits(name, folder) for name in ("g++", "clang++")}
    if shutil.which(CROSS) is None or shutil.which(EMULATOR) is None:
        print(f"kernels for ARM are left out: no {CROSS}, or no {EMULATOR}")
    else:
        found[CROSS] = _bits(CROSS, folder, EMULATOR)
    expected = found["g++"]
    for name, bits in found.items():
        if bits != expected:
            sys.exit(f"kernels differ: g++ and {name}\n{expected}\n{bits}")
        print(f"same kernels: {name}")


def _bits(compiler: str, folder: Path, *emulator: str) -> list[str]:
    """What the kernels compute with fused instructions, or with what there is."""
    program = str(folder / compiler)
    subprocess.run([compiler, *FLAGS, "-static", str(PROBE), "-o", program], check=True)
    result = subprocess.run([*emulator, program], check=True, stdout=subprocess.PIPE, text=True)
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    best = next(row[1] for row in rows if row[0] == "chosen")
    return [f"{kernel} {bits}" for name, kernel, bits in filter(_is_result, rows) if name == best]


def _is_result(row: list[str]) -> bool:
    return len(row) == 3


def _run(source: Path, code: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | {"PYTHONPATH": str(source)},
        input=BAGS,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    ).stdout


def _output(source: Path, command: tuple[str, ...]) -> str:
    return _run(source, MAIN, *command)


def _compiler(source: Path) -> str:
    code = "from syntagma.neural import _encoder as e; print(e.BUILT_BY, e.__file__)"
    compiler, file = _run(source, code).strip().rsplit(" ", 1)
    if not Path(file).resolve().is_relative_to(source.resolve()):
        sys.exit(f"{file} is not in {source}")
    return compiler


if __name__ == "__main__":
    main()
