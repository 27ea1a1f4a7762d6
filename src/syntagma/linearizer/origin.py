"""Where the model of a linearizer comes from: enough to load it again in another process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from syntagma.errors import ModelError
from syntagma.models.container import content_mark
from syntagma.models.loading import SHIPPED


@dataclass(frozen=True, slots=True)
class Origin:
    """A model file as it was when it was loaded.

    A shipped model is known by its name, so that it is found wherever the package is installed.
    """

    name: str  # of a shipped model, or ""
    path: str  # absolute, or "" for a shipped model
    mark: str

    @classmethod
    def of(cls, path: Path) -> Origin:
        path = path.absolute()
        mark = content_mark(path)
        if path.parent == SHIPPED and path.suffix == ".syntagma":
            return cls(path.stem, "", mark)
        return cls("", str(path), mark)

    @property
    def file(self) -> Path:
        return SHIPPED / f"{self.name}.syntagma" if self.name else Path(self.path)

    def check(self) -> None:
        """Raise `ModelError` if the file is no longer the one that was loaded."""
        if content_mark(self.file) != self.mark:
            raise ModelError(
                f"{self.file}: not the model that the linearizer was loaded from: "
                "the file has changed since; load it again"
            )
