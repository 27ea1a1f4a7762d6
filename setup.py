"""Build of the compiled core; everything else is declared in pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

ROOT = Path("src")
MODULES = sorted(ROOT.rglob("*.pyx"))  # each in the room that it serves
HEADERS = sorted(map(str, ROOT.rglob("*.h")))

# Without contraction, sums are the same with and without fused multiply-add.
if sys.platform == "win32":
    COMPILING = ["/O2", "/std:c++17", "/fp:precise", "/utf-8"]
else:
    COMPILING = ["-std=c++17", "-ffp-contract=off", "-g0"]
    if "-O" not in os.environ.get("CXXFLAGS", ""):  # packagers, and quick checks, set their own
        COMPILING.append("-O3")

setup(
    options={"build_ext": {"parallel": 2}},
    ext_modules=cythonize(
        [
            Extension(
                ".".join(module.relative_to(ROOT).with_suffix("").parts),
                [str(module)],
                language="c++",
                include_dirs=["src/syntagma", "src/syntagma/neural"],
                depends=HEADERS,
                extra_compile_args=COMPILING,
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
    ),
)
