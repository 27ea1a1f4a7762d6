"""What is installed: the models that are shipped, and those of other distributions.

A distribution announces a model by an entry point of the group `syntagma.models`. The name of the
entry point is that of the model, its value the package that holds the file `NAME.syntagma`:

    [project.entry-points."syntagma.models"]
    fr = "syntagma_fr"

No code of the package is run. `packaging` writes such distributions. Looking through everything
that is installed takes tens of milliseconds, so it is only done for names that are not shipped. Of
the models only headers are read; a model is checked when it is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from syntagma import __version__
from syntagma.errors import ModelError, shown
from syntagma.models.container import read_header
from syntagma.models.header import check_header
from syntagma.models.languages import LANGUAGES
from syntagma.realization.realizer import Realizer

if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUP = "syntagma.models"
SUFFIX = ".syntagma"
SHIPPED = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Announcement:
    """A model as a distribution announces it; whether it is there shows when it is located."""

    name: str
    distribution: str
    version: str
    package: str
    fault: str = ""  # why the distribution's entry points cannot be read, if they cannot

    @property
    def source(self) -> str:
        """The distribution as messages name it."""
        return f"{self.distribution} {self.version}".rstrip()

    def locate(self) -> Path:
        """The model file. Raises `ModelError` if the package is broken.

        Packages around it are not imported.
        """
        from importlib.util import find_spec

        if self.fault:
            raise ModelError(f"{self.source}: {self.fault}; reinstall it")
        if not is_name(self.name):
            raise ModelError(
                f"{self.source} announces a model under the name {shown(self.name)}: a name has "
                "letters, digits, _ and - only"
            )
        announces = f"{self.source} announces the model {shown(self.name)}"
        file = f"{self.name}{SUFFIX}"
        if not re.fullmatch(r"\w+(\.\w+)*", self.package):
            raise ModelError(
                f"{announces} by {shown(self.package)}, which is not the name of a package with "
                f"the file {file}"
            )
        outermost, *inner = self.package.split(".")
        try:
            found = find_spec(outermost)
        except Exception as error:  # whatever a foreign finder raises
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise ModelError(
                f"{announces}, but its package {self.package} cannot be found ({reason}); "
                "reinstall it"
            ) from error
        folders = list(found.submodule_search_locations or ()) if found else []
        if not folders:
            raise ModelError(f"{announces}, but there is no package {outermost}; reinstall it")
        places = [Path(folder, *inner, file) for folder in folders]
        for place in places:
            if place.is_file():
                return place
        raise ModelError(f"{announces}, but its file is missing ({places[0]}); reinstall it")


def is_name(model: object) -> TypeGuard[str]:
    """Whether this is the name of a model, not its path."""
    return isinstance(model, str) and re.fullmatch(r"[\w-]+", model) is not None


def announcements() -> list[Announcement]:
    """All models that installed distributions announce, sorted by name."""
    from importlib.metadata import distributions  # not for shipped models: it takes time

    found: dict[Announcement, None] = {}
    seen: set[str] = set()
    for distribution in distributions():
        announced = list(_announced(distribution))
        # The same distribution may be installed in several folders: the first one counts.
        name = re.sub(r"[-_.]+", "-", announced[0].distribution).lower() if announced else ""
        if name not in seen:
            found.update(dict.fromkeys(announced))
        if announced:
            seen.add(name)
    return sorted(found, key=lambda each: (each.name, each.distribution))


def _announced(distribution: Distribution) -> Iterator[Announcement]:
    try:
        text = distribution.read_text("entry_points.txt") or ""
    except Exception:  # an unreadable file of any distribution whatsoever
        return
    if GROUP not in text:
        return
    try:
        name, version = str(distribution.metadata["Name"]), str(distribution.version)
    except Exception:
        name, version = "a distribution without metadata", ""
    try:
        points = [point for point in distribution.entry_points if point.group == GROUP]
    except Exception:
        yield Announcement("", name, version, "", "its entry points are malformed")
        return
    for point in points:
        yield Announcement(point.name, name, version, point.value)


def shipped_models() -> dict[str, Path]:
    """The files of the models that are part of Syntagma, by their names."""
    files = sorted(SHIPPED.glob(f"*{SUFFIX}"), key=lambda file: file.stem)
    return {file.stem: file for file in files}


def find_installed(name: str) -> Path:
    """The file of a model, by its name. Raises `ModelError` if neither Syntagma nor another
    distribution has it, if two others have, or if the one that has it is broken."""
    shipped = shipped_models()
    if name in shipped:
        return shipped[name]
    announced = announcements()
    found = [each for each in announced if each.name == name]
    if len(found) > 1:
        sources = " and ".join(each.source for each in found)
        raise ModelError(
            f"several packages have a model named {shown(name)}: {sources}; uninstall all but one"
        )
    if found:
        return found[0].locate()
    for each in announced:
        if each.fault:  # it may have been the one
            each.locate()
    if name in LANGUAGES:
        raise ModelError(
            f"the model {shown(name)} ({LANGUAGES[name]}) is not installed: "
            f"in a checkout of Syntagma, pip install languages/{name} (if it is not there, "
            f"make languages LANGUAGES={name} trains it)"
        )
    installed = ", ".join([*shipped, *dict.fromkeys(each.name for each in announced)])
    languages = ", ".join(f"{code} ({language})" for code, language in LANGUAGES.items())
    raise ModelError(
        f"no model named {shown(name)} is installed (installed: {installed or 'none'}; "
        f"languages with a package: {languages}); "
        "a model file of your own is given by its path, as in ./my.syntagma"
    )


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
    shipped = shipped_models()
    found = [_read(name, "syntagma", __version__, path) for name, path in shipped.items()]
    announced = announcements()
    names = [each.name for each in announced]
    for each in announced:
        origin = (each.name, each.distribution, each.version)
        if each.name in shipped:
            hidden = "hidden by the model of this name that is part of Syntagma"
            found.append(InstalledModel(*origin, error=f"{each.source}: {hidden}"))
        elif each.name and names.count(each.name) > 1:
            several = f"several packages have a model named {shown(each.name)}; uninstall all but"
            found.append(InstalledModel(*origin, error=f"{each.source}: {several} one"))
        else:
            try:
                found.append(_read(*origin, each.locate()))
            except ModelError as error:
                found.append(InstalledModel(*origin, error=str(error)))
    return found


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
