"""The kernels in C++: all compilers and sets of instructions compute the same, bit for bit."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from syntagma.neural import _encoder

PROBE = Path(__file__).with_name("kernels_probe.cc")
PACKAGE = Path(__file__).parents[2] / "src" / "syntagma"
FLAGS = ("-std=c++17", "-O3", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")

Bits = dict[str, list[str]]


def compiler(name: str) -> str:
    if sys.platform == "win32":
        pytest.skip("the core is built by MSVC here")
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name}: apt-get install {name.replace('clang++', 'clang')}")
    return found


def compute(name: str, folder: Path, *flags: str) -> tuple[dict[str, str], dict[str, Bits]]:
    """What the probe says of itself, and the bits of each kernel by set of instructions."""
    program = folder / name
    command = [compiler(name), *FLAGS, *flags, f"-I{PACKAGE / 'neural'}", str(PROBE)]
    subprocess.run([*command, "-o", str(program)], check=True)
    rows = [
        line.split("\t")
        for line in subprocess.run(
            [program], check=True, stdout=subprocess.PIPE, encoding="utf-8"
        ).stdout.splitlines()
    ]
    about = {row[0]: row[1] for row in rows if len(row) == 2}
    bits: dict[str, Bits] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if len(row) == 3:
            bits[row[0]][row[1]].append(row[2])
    return about, bits


def test_instructions_compute_the_same(tmp_path: Path) -> None:
    about, bits = compute("g++", tmp_path)
    assert about["chosen"] == list(bits)[-1] == _encoder.INSTRUCTIONS
    plain, *wider = bits.values()
    assert len(plain) == 8
    for each in wider:
        # Only the matrix product fuses multiplication and addition.
        assert {name for name in plain if plain[name] != each[name]} == {"multiply"}
        assert each == wider[0]


@pytest.mark.slow
def test_clang_computes_the_same(tmp_path: Path) -> None:
    compiler("clang++")
    about, bits = compute("clang++", tmp_path)
    assert "Clang" in about["compiler"]
    expected, expected_bits = compute("g++", tmp_path)
    assert expected["compiler"].startswith("GCC ")
    assert bits == expected_bits


# MSVC's <intrin.h>, as far as it is used, for GCC.
INTRIN = """
#pragma once
#include <immintrin.h>
#define __cpuid cpuid_of_gcc
#define __cpuidex cpuidex_of_gcc
#include <cpuid.h>
#undef __cpuid
#undef __cpuidex
static inline void __cpuidex(int* x, int leaf, int part) {
    unsigned* to = (unsigned*)x;
    __get_cpuid_count(leaf, part, to, to + 1, to + 2, to + 3);
}
static inline void __cpuid(int* x, int leaf) { __cpuidex(x, leaf, 0); }
static inline void _BitScanForward64(unsigned long* to, uint64_t x) { *to = __builtin_ctzll(x); }
"""
COUNTING = """
#include "compiler.h"
int main() {
    uint64_t x = 1;
    for (int i = 0; i < 1000; i++, x = x * 6364136223846793005u + (i & 1 ? x >> 32 : 1)) {
        if (count_bits(x) != __builtin_popcountll(x)) return 1;
        if (x && lowest_bit(x) != __builtin_ctzll(x)) return 2;
    }
    return count_bits(0) || count_bits(~(uint64_t)0) != 64;
}
"""

WIDE = [f"avx512{part}" for part in ("f", "bw", "cd", "dq", "vl")]


@pytest.mark.slow
@pytest.mark.skipif(
    not _encoder.INSTRUCTIONS.startswith("AVX-512"), reason="GCC may use AVX-512 in all of it"
)
def test_what_is_written_for_msvc_computes_the_same(tmp_path: Path) -> None:
    """Compiled by GCC, which takes MSVC's branches of the headers."""
    for header in (PACKAGE / "compiler.h", *(PACKAGE / "neural").glob("*.h")):
        text = header.read_text("utf-8")
        for other in ("defined(__GNUC__) || defined(__clang__)", "defined(__GNUC__)"):
            text = text.replace(f"if {other}", "if 0")
        text = re.sub(r"#(el)?if defined\(_MSC_VER\).*", r"#\1if 1", text)
        (tmp_path / header.name).write_text(text, "utf-8")
    (tmp_path / "intrin.h").write_text(INTRIN)
    flags = (f"-I{tmp_path}", "-D_MSC_FULL_VER=193000000")
    instructions = [f"-m{each}" for each in ("avx2", "fma", "xsave", *WIDE)]
    folder = tmp_path / "msvc"
    folder.mkdir()
    about, bits = compute("g++", folder, *flags, *instructions)
    assert about["compiler"] == "MSVC 193000000"
    _, expected = compute("g++", tmp_path)
    assert bits == expected

    (tmp_path / "counting.cc").write_text(COUNTING)
    command = [compiler("g++"), *FLAGS, *flags, "-mxsave", str(tmp_path / "counting.cc")]
    subprocess.run([*command, "-o", str(tmp_path / "counting")], check=True)
    subprocess.run([tmp_path / "counting"], check=True)


@pytest.mark.parametrize("header", ["compiler.h", "neural/vectors.h"])
def test_an_unknown_compiler_is_refused(header: str) -> None:
    """Instead of a slower core that nobody asked for."""
    macros = ("__GNUC__", "__clang__", "_MSC_VER")
    command = [compiler("g++"), "-E", "-x", "c++", *(f"-U{each}" for each in macros)]
    result = subprocess.run(
        [*command, "-"],
        input=f'#include "{PACKAGE / header}"\n',
        capture_output=True,
        encoding="utf-8",
    )
    assert result.returncode
    assert f"add this compiler to {Path(header).name}" in result.stderr


def test_extensions_of_compilers_have_one_place() -> None:
    """All else is standard C++, so that these two headers tell whether a compiler can build it."""
    extension = re.compile(r"__builtin_|__attribute__|__asm|#\s*pragma (?!once)|_Pragma|__GNUC__")
    places = {
        path.name
        for path in PACKAGE.rglob("*")
        if path.suffix in (".pyx", ".pxd", ".h") and extension.search(path.read_text("utf-8"))
    }
    assert places == {"compiler.h", "vectors.h"}


def test_the_core_says_how_it_was_built() -> None:
    assert re.match(r"(GCC|.*[Cc]lang|MSVC) .*\d", _encoder.BUILT_BY)
