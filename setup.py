"""Build of the compiled core; everything else is declared in pyproject.toml."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

ROOT = Path("src")
MODULES = sorted(ROOT.rglob("*.pyx"))  # each in the room that it serves
KERNELS = "src/syntagma/neural/vectors.h"

setup(
    ext_modules=cythonize(
        [
            Extension(
                ".".join(module.relative_to(ROOT).with_suffix("").parts),
                [str(module)],
                language="c++",
                include_dirs=["src/syntagma/neural"],
                depends=[KERNELS] if module.parent.name == "neural" else [],
                # Without contraction, sums are the same with and without fused multiply-add.
                extra_compile_args=["-O3", "-std=c++17", "-ffp-contract=off", "-g0"],
                # Without symbols, which nobody reads, the core is a seventh smaller.
                extra_link_args=["-s"] if sys.platform == "linux" else [],
            )
            for module in MODULES
        ],
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "embedsignature": True,
        },
    )
)
