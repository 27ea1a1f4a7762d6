"""Writes a model as a package that can be installed: a folder that pip takes.

The folder holds pyproject.toml, the model card, the licence, and a Python package with the model
file and nothing else. `packages` finds the models of such packages.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from syntagma.errors import ArgumentError, OutputError, SyntagmaWarning, shown
from syntagma.files.paths import check_path
from syntagma.files.reading import fingerprint
from syntagma.files.writing import atomic_write
from syntagma.models.card import About, licence_id, licence_statement, model_card, read_records
from syntagma.models.header import Header
from syntagma.models.loading import load_model, model_path, shipped_models
from syntagma.models.packages import GROUP, SUFFIX

SINCE = "0.11"  # the first version of Syntagma that finds packages
MARK = "# Written by `syntagma package`"

PYPROJECT = """\
{mark}; what it says about the model is in the header of the model file.
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = {distribution}
version = {version}
description = {description}
readme = "README.md"
requires-python = ">=3.11"
{licence}license-files = [{licence_files}]
keywords = ["word ordering", "surface realisation", "syntagma"]
dependencies = [{requirement}]

[project.entry-points.{group}]
{name} = {package}

[tool.setuptools]
packages = [{package}]

[tool.setuptools.package-data]
{package} = [{files}]
"""
MODULE = '''"""A model of Syntagma: load it by `syntagma.load({name})`."""
'''


def package(
    model: str | Path,
    folder: str | Path,
    *,
    name: str | None = None,
    version: str = "1.0.0",
    figures: Sequence[Mapping[str, Any]] = (),
    licence_text: str | None = None,
) -> str:
    """Write a model as a package that pip installs, and return the name of the distribution.

    `name` is the name by which the installed model is loaded, by default that of the header; the
    distribution is called `syntagma-NAME`. The model card shows `figures`, records of `syntagma
    evaluate --json`, or else those of the header. `licence_text` is added as LICENSE.txt. Files of
    an earlier package in the folder are replaced; nothing else is.
    """
    path = model_path(model)
    check_path(folder, "folder")
    folder = Path(folder)
    loaded = load_model(path, search=None)
    called = check_name(loaded.header.get("name", "") if name is None else name)
    if not isinstance(version, str) or not re.fullmatch(r"\d+(\.\d+)*((a|b|rc)\d+)?", version):
        raise ArgumentError(f"version must be like 1.0 or 1.0rc1, not {shown(version)}")
    about = About(
        name=called,
        distribution=f"syntagma-{called}",
        header=loaded.header,
        realizes=loaded.realizer is not None,
        size=path.stat().st_size,
        sha256=fingerprint(path),
    )
    if not loaded.header.get("licence"):
        warnings.warn(
            f"{path} states no licence, so nobody else may use it: name one in training "
            "(train --licence; for train-many, `License:` in the README of the treebank)",
            SyntagmaWarning,
            stacklevel=2,
        )
    texts = package_texts(about, version, read_records(figures), licence_text)
    _check_folder(folder, texts)
    inner = folder / _module(called)
    try:
        inner.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {inner}: {error.strerror or error}") from error
    target = inner / f"{called}{SUFFIX}"
    if not (target.exists() and target.samefile(path)):
        with atomic_write(target, "wb") as stream:
            stream.write(path.read_bytes())
    for file, text in texts.items():
        with atomic_write(folder / file, "w") as page:
            page.write(text)
    return about.distribution


def package_texts(
    about: About,
    version: str,
    records: Sequence[Mapping[str, Any]] = (),
    licence_text: str | None = None,
) -> dict[str, str]:
    """All files of a package but the model, by their names in its folder."""
    texts = {
        "pyproject.toml": _pyproject(about, version, with_text=licence_text is not None),
        "README.md": model_card(about, records),
        "LICENSE.md": licence_statement(about, with_text=licence_text is not None),
        f"{_module(about.name)}/__init__.py": MODULE.format(name=f'"{about.name}"'),
    }
    return texts if licence_text is None else {**texts, "LICENSE.txt": licence_text}


def _pyproject(about: About, version: str, *, with_text: bool) -> str:
    # By name: the folder may still hold the licence text of an earlier package.
    licence_files = ["LICENSE.md", *(["LICENSE.txt"] if with_text else [])]
    licence = licence_id(about.header.get("licence", ""))
    return PYPROJECT.format(
        mark=MARK,
        distribution=_quoted(about.distribution),
        version=_quoted(version),
        description=_quoted(f"A model of {about.language} for Syntagma that {about.abilities}."),
        licence=f"license = {_quoted(licence)}\n" if licence else "",
        licence_files=", ".join(map(_quoted, licence_files)),
        requirement=_quoted(f"syntagma>={_required(about.header)}"),
        group=_quoted(GROUP),
        name=about.name,
        package=_quoted(_module(about.name)),
        files=_quoted(f"*{SUFFIX}"),
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a string of TOML as well


def _required(header: Header) -> str:
    """The oldest version of Syntagma that is sure to load the model by its name."""
    made = str(header.get("created_with", ""))
    numbers = re.fullmatch(r"\d+(\.\d+)*", made)
    return max(made, SINCE, key=_numbers) if numbers else SINCE


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _module(name: str) -> str:
    return f"syntagma_{name.replace('-', '_')}"


def check_name(name: object) -> str:
    """The name, if a packaged model can have it."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ArgumentError(
            f"{shown(name)} cannot be the name of a packaged model: give it another (name, --name) "
            "with the letters a to z, digits and -"
        )
    if name in shipped_models():
        raise ArgumentError(
            f"{shown(name)} is the name of a model that is part of Syntagma: give the packaged "
            "model another (name, --name)"
        )
    return name


def _check_folder(folder: Path, files: Iterable[str]) -> None:
    """Raise if the folder holds a project, or one of these files, that was not written here."""
    project = folder / "pyproject.toml"
    try:
        ours = project.exists() and project.read_text("utf-8").startswith(MARK)
    except (OSError, UnicodeDecodeError):
        ours = False
    foreign = [] if ours else [file for file in files if (folder / file).exists()]
    if project.name in foreign or any((folder / f"setup.{e}").exists() for e in ("py", "cfg")):
        raise OutputError(
            f"cannot write the package to {folder}: it holds another Python project; "
            "choose another folder"
        )
    if foreign:
        raise OutputError(
            f"cannot write the package to {folder}: its {foreign[0]} is not that of a package; "
            "choose another folder"
        )
