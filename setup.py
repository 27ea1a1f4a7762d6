"""Build of the compiled core; everything else is declared in pyproject.toml."""

import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

MODULES = (
    "weights",
    "templates",
    "fluency",
    "state",
    "features",
    "search",
    "linear",
    "learning",
    "neural",
    "opinion",
    "encoder",
    "grammar",
    "best_first",
    "guided_learning",
    "dependency_edges",
    "ccg_edges",
)

setup(
    ext_modules=cythonize(
        [
            Extension(
                f"syntagma.core.{name}",
                [f"src/syntagma/core/{name}.pyx"],
                language="c++",
                include_dirs=["src/syntagma/core"],
                depends=["src/syntagma/core/vectors.h"] if name in ("neural", "encoder") else [],
                # Without contraction, sums are the same with and without fused multiply-add.
                extra_compile_args=["-O3", "-std=c++17", "-ffp-contract=off", "-g0"],
                # Without symbols, which nobody reads, the core is a seventh smaller.
                extra_link_args=["-s"] if sys.platform == "linux" else [],
            )
            for name in MODULES
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
