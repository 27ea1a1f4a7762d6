"""The `options` of a request: what the options of the command line are there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from syntagma.errors import shown
from syntagma.server.faults import Fault
from syntagma.server.limits import Limits

# Which options each operation takes.
TAKEN: Final[Mapping[str, tuple[str, ...]]] = {
    "order": ("model", "n_best", "diverse", "beam", "timeout", "projective", "text"),
    "realize": ("model", "n_best", "diverse", "beam", "timeout", "projective"),
    "score": ("model", "beam", "timeout", "projective"),
    "accept": ("model", "margin", "beam", "timeout", "projective"),
}


def options_models(limits: Limits) -> dict[str, type[BaseModel]]:
    """The options of each operation, within the limits of a server."""
    fields: dict[str, Any] = {
        "model": Annotated[
            str | None, Field(None, description="name of a model; by default that of the server")
        ],
        "n_best": Annotated[
            int | None,
            Field(None, ge=1, le=limits.n_best, description="up to so many different results"),
        ],
        "diverse": Annotated[
            bool,
            Field(False, description="with n_best: results that differ in meaning or emphasis"),
        ],
        "beam": Annotated[
            int | None,
            Field(None, ge=1, le=limits.beam, description="beam width; by default the model's"),
        ],
        "timeout": Annotated[
            float | None,
            Field(
                None,
                gt=0,
                le=limits.seconds,
                description="seconds per problem; the beam is narrowed to keep them",
            ),
        ],
        "projective": Annotated[
            bool, Field(False, description="never tear subtrees of given arcs apart")
        ],
        "text": Annotated[bool, Field(False, description="detokenise: natural spacing")],
        "margin": Annotated[
            float | None,
            Field(None, ge=0, description="loss per pair of neighbours that is accepted"),
        ],
    }
    config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    return {
        operation: create_model(
            f"{operation.capitalize()}Options",
            __config__=config,
            **{name: fields[name] for name in taken},
        )
        for operation, taken in TAKEN.items()
    }


def read_options(model: type[BaseModel], value: object) -> dict[str, Any]:
    """The options of a request, all of them. Raises `Fault` at the first that is wrong."""
    if not isinstance(value, dict):
        raise Fault("invalid", "options: expected an object", "options")
    for name in value:
        if name not in model.model_fields:
            known = ", ".join(model.model_fields)
            raise Fault(
                "invalid",
                f"options: unknown option {shown(name)}; known are {known}",
                f"options.{name}" if name.isidentifier() else f"options[{shown(name)}]",
            )
    try:
        options = model.model_validate(value, strict=True).model_dump()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(["options", *map(str, first["loc"])])
        message = first["msg"][:1].lower() + first["msg"][1:]
        raise Fault("invalid", f"{field}: {message}", field) from None
    if options.get("diverse") and options["n_best"] is None:
        raise Fault(
            "invalid",
            "options.diverse: chooses among several results: set options.n_best to how many",
            "options.diverse",
        )
    return options
