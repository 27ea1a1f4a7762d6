"""What is installed: the models that are shipped, and those of other distributions.

Only headers are read, so that a listing is quick; a model is checked when it is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from syntagma import __version__
from syntagma.errors import ModelError, shown
from syntagma.models.container import read_header
from syntagma.models.header import check_header
from syntagma.models.loading import shipped_models
from syntagma.models.packages import announcements
from syntagma.realization.realizer import Realizer


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that can be loaded by its name; if not, `error` says why, and what to do.

    `distribution` and `version` are those of the package that installed it. `search` is `beam` or
    `best-first`, `tags` the column of CoNLL-U that holds the tags, `inputs` what else the model
    reads: `upos`, `features`. `realizes` says whether it realizes lemmas, `lifting` whether it
    writes non-projective orders. `size` is in bytes.
    """

    name: str
    distribution: str
    version: str
    language: str = ""
    search: str = ""
    tags: str = ""
    realizes: bool = False
    lifting: bool = False
    size: int = 0
    licence: str = ""
    attribution: str = ""
    path: Path | None = None
    error: str = ""
    inputs: tuple[str, ...] = ()


def installed_models() -> list[InstalledModel]:
    """All models that are installed: those that are part of Syntagma first, each group by name.

    >>> import syntagma
    >>> [model.name for model in syntagma.installed_models() if model.distribution == "syntagma"]
    ['en', 'en-best-first']
    """
    shipped = shipped_models().items()
    return [*(_read(name, "syntagma", __version__, path) for name, path in shipped), *_packaged()]


def _packaged() -> Iterator[InstalledModel]:
    announced = announcements()
    names = [each.name for each in announced]
    shipped = shipped_models()
    for each in announced:
        origin = (each.name, each.distribution, each.version)
        if each.name in shipped:
            hidden = "hidden by the model of this name that is part of Syntagma"
            yield InstalledModel(*origin, error=f"{each.source}: {hidden}")
        elif each.name and names.count(each.name) > 1:
            several = f"several packages have a model named {shown(each.name)}; uninstall all but"
            yield InstalledModel(*origin, error=f"{each.source}: {several} one")
        else:
            try:
                path = each.locate()
            except ModelError as error:
                yield InstalledModel(*origin, error=str(error))
            else:
                yield _read(*origin, path)


def _read(name: str, distribution: str, version: str, path: Path) -> InstalledModel:
    try:
        header, sections = read_header(path)
        check_header(header)
        return InstalledModel(
            name,
            distribution,
            version,
            language=header.get("language", ""),
            search=header.get("search", "beam"),
            tags=header.get("tag_column", ""),
            realizes=bool(sections & Realizer.SECTIONS),
            lifting=header.get("lifting") is True,
            size=path.stat().st_size,
            licence=header.get("licence", ""),
            attribution=header.get("attribution", ""),
            path=path,
            inputs=tuple(map(str, header.get("inputs", ()))),
        )
    except ModelError as error:
        return InstalledModel(name, distribution, version, path=path, error=str(error))
