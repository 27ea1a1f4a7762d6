"""The models that a server offers, by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from syntagma.errors import ArgumentError, ModelError, shown
from syntagma.judges.judging import JudgeErrors
from syntagma.linearizer.linearizer import Linearizer
from syntagma.models.languages import name_with_code
from syntagma.models.loading import load_model, model_path
from syntagma.request import Operation
from syntagma.server.faults import Fault


@dataclass(frozen=True, slots=True)
class Served:
    """A model under the name by which requests choose it."""

    name: str
    linearizer: Linearizer

    @property
    def operations(self) -> tuple[Operation, ...]:
        """What the model can do."""
        beam = self.linearizer.search == "beam"
        return (
            "order",
            *(("realize",) if beam and self.linearizer.realizes else ()),
            *(("score", "accept") if beam else ()),
        )

    def check(self, operation: str) -> None:
        """Raise `Fault` if the model cannot do this."""
        if operation not in self.operations:
            message = f"the model {self.name} cannot {operation}: take another"
            raise Fault("invalid", message, "options.model")

    def describe(self) -> dict[str, object]:
        """What `/v1/models` says about it."""
        linearizer, header = self.linearizer, self.linearizer.info.header
        return {
            "name": self.name,
            "language": header.get("language", ""),
            "language_name": name_with_code(header.get("language", "")),
            "search": linearizer.search,
            "operations": self.operations,
            "realizes": "realize" in self.operations,
            "language_model": linearizer.has_language_model,
            "judge": linearizer.judge.about if linearizer.judge else None,
            "takes_arcs": linearizer.takes_arcs,
            "lifts": linearizer.lifts,
            "tag_column": linearizer.tag_column,
            "tags": linearizer.tags,
            "labels": linearizer.labels,
            **({"upos": linearizer.upos} if linearizer.upos else {}),
            **({"features": linearizer.features} if linearizer.features else {}),
            "licence": header.get("licence", ""),
            "attribution": header.get("attribution", ""),
        }


class Models(dict[str, Served]):
    """All models of a server by name; the first is the default."""

    @property
    def default(self) -> str:
        return next(iter(self))

    def choose(self, name: object) -> Served:
        """The model of this name, or the default if None. Raises `Fault` if there is none."""
        name = self.default if name is None else name
        if not isinstance(name, str) or name not in self:
            message = f"no model named {shown(name)} (available: {', '.join(self)})"
            raise Fault("invalid", message, "options.model")
        return self[name]

    def describe(self) -> dict[str, object]:
        return {"default": self.default, "models": [each.describe() for each in self.values()]}


def load_models(
    names: Iterable[str],
    judge: str | None = None,
    judge_weight: float | None = None,
    judge_errors: JudgeErrors = "raise",
) -> Models:
    """Load shipped models by name, and others by path: those are called as their files. Those for
    beam search share the judge."""
    models, opened = Models(), None
    if judge is not None:
        from syntagma.judges.opening import open_judge

        opened = open_judge(judge, judge_weight, judge_errors)
    elif judge_weight is not None:
        raise ArgumentError("judge_weight goes with a judge: name one", field="judge_weight")
    elif judge_errors != "raise":
        raise ArgumentError("judge_errors goes with a judge: name one", field="judge_errors")
    for name in names:
        path = model_path(name)
        model = load_model(path, search=None)
        linearizer = Linearizer(model, path, opened if model.search == "beam" else None)
        called = name if path != Path(name) else path.name.removesuffix(".syntagma")
        if called in models:
            raise ModelError(f"two models are called {shown(called)}: rename one of the files")
        models[called] = Served(called, linearizer)
    if opened and not any(each.linearizer.judge for each in models.values()):
        raise ArgumentError("a judge goes with beam search", field="judge")
    return models
