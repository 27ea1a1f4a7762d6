"""Writes a model as a package that can be installed: a folder that pip takes.

The folder holds pyproject.toml, the model card, the statement of the licence, and a Python package
with the model file and nothing else. `installed` finds the models of such packages. Card and
statement are made from the header of the model and from records of evaluations.
"""

from __future__ import annotations

import json
import re
import textwrap
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syntagma.errors import ArgumentError, OutputError, SyntagmaWarning, shown, visible
from syntagma.files.paths import check_path
from syntagma.files.reading import fingerprint
from syntagma.files.writing import atomic_write
from syntagma.models.header import Header
from syntagma.models.installed import GROUP, SUFFIX, shipped_models
from syntagma.models.languages import name_of, name_with_code
from syntagma.models.loading import load_model, model_path

SINCE = "0.11"  # the first version of Syntagma that finds packages
WIDTH = 118  # of the pages
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
    records = list(figures)
    for record in records:
        if not isinstance(record, Mapping):
            raise ArgumentError(
                "figures must be records that `syntagma evaluate --json` has written, not "
                f"{shown(record)}"
            )
    texts = package_texts(about, version, records, licence_text)
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
    licence_files = ["LICENSE.md", "LICENSE.txt"] if with_text else ["LICENSE.md"]
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
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6}){0,5}", made):
        return SINCE
    return max(made, SINCE, key=lambda version: [*map(int, version.split("."))])


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
        why = "it holds another Python project"
    elif foreign:
        why = f"its {foreign[0]} is not that of a package"
    else:
        return
    raise OutputError(f"cannot write the package to {folder}: {why}; choose another folder")


# Licences of treebanks: identifiers of SPDX, names and texts.
LICENCES = {
    **{
        f"CC-{terms}-{version}": (
            f"Creative Commons {terms} {version}",
            f"https://creativecommons.org/licenses/{terms.lower()}/{version}/",
        )
        for version in ("2.5", "3.0", "4.0")
        for terms in ("BY", "BY-SA", "BY-NC", "BY-NC-SA")
    },
    "CC0-1.0": ("CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "LGPLLR": (
        "Lesser General Public License For Linguistic Resources",
        "https://spdx.org/licenses/LGPLLR.html",
    ),
    "MIT": ("MIT License", "https://opensource.org/license/mit"),
    "Apache-2.0": ("Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
}


@dataclass(frozen=True, slots=True)
class About:
    """What the texts are about: a model and the distribution that installs it."""

    name: str  # of the model
    distribution: str
    header: Header
    realizes: bool
    size: int
    sha256: str

    @property
    def language(self) -> str:
        """The language in English, as far as it is known."""
        stated = on_a_line(self.header.get("language", "")) or "an unnamed language"
        return name_of(stated)

    @property
    def abilities(self) -> str:
        return "orders words and realizes lemmas" if self.realizes else "orders words"


def licence_id(licence: str) -> str:
    """The identifier of a licence for the metadata of a package; empty if none is stated.

    >>> licence_id("CC BY-SA 4.0"), licence_id("LGPL-LR"), licence_id("Ask us!")
    ('CC-BY-SA-4.0', 'LGPLLR', 'LicenseRef-Ask-us')
    """
    dashed = re.sub(r"[^A-Za-z0-9.]+", "-", licence).strip("-.")
    known = {"".join(name.lower().split("-")): name for name in LICENCES}
    return known.get(dashed.replace("-", "").lower(), f"LicenseRef-{dashed}" if dashed else "")


def model_card(about: About, records: Sequence[Mapping[str, Any]] = ()) -> str:
    """The page that describes a model: use, data, figures, limits, licence.

    `records` are those that `syntagma evaluate --json` writes. Without any, the figures are those
    of the header.
    """
    header = about.header
    tags = str(header.get("tag_column", "")).upper()
    best_first = header.get("search") == "best-first"
    option, argument = (" --search best-first", ', search="best-first"') if best_first else ("", "")
    facts = [
        f"language: {name_with_code(on_a_line(header.get('language', ''))) or '-'}",
        f"learned from {_data(header)}",
        f"tags: {tags}{_inputs(header)}, as the treebank has them",
        "orders: those that are not projective, too"
        if header.get("lifting")
        else "orders: projective ones",
        f"file: `{about.name}{SUFFIX}`, {about.size / 1e6:.1f} MB, made with Syntagma"
        f" {on_a_line(header.get('created_with', '-'))}, SHA-256 `{about.sha256}`",
    ]
    if header.get("language_model"):
        facts.insert(2, "language model: included")
    parts = [
        f"# {about.distribution}\n",
        _wrapped(
            f"A model of {about.language} for Syntagma, which puts words in order. It"
            f" {about.abilities}."
        ),
        "<!-- Written by `syntagma package`. -->\n",
        f"```console\n$ pip install {about.distribution}\n$ syntagma order --model {about.name}"
        f"{option} WORDS\n```\n",
        f'```python\nimport syntagma\n\nmodel = syntagma.load("{about.name}"{argument})\n```\n',
        "## The model\n",
        "".join(_wrapped(fact, "- ") for fact in facts),
        "## Figures\n",
        *(map(_figures, records) if records else [_training_figures(header)]),
        "## Limits\n",
        _wrapped(
            "The model knows one kind of annotation, that of its treebank: give it tags, labels and"
            " words as that treebank has them. It has learned from the data above alone: rare words"
            " are placed by their endings and tags, and other kinds of text are ordered less well"
            " than the figures say."
        ),
        "## Licence\n",
        _wrapped(_licence(header)),
        _wrapped(f"Attribution: {_attribution(header)}"),
        _wrapped("`LICENSE.md` says what the file holds."),
    ]
    return "\n".join(parts)


def licence_statement(about: About, *, with_text: bool) -> str:
    """The page that says under which licence the model is, whom to name, and what was changed."""
    header = about.header
    lemmas = ", lemmas with the forms that each was seen with, rules of spacing"
    parts = [
        "# Licence of the model\n",
        _wrapped(
            f"`{about.name}{SUFFIX}` was learned from {_data(header)}. {_licence(header)}"
            f"{' `LICENSE.txt` is its text.' if with_text else ''}"
        ),
        _wrapped(f"Attribution: {_attribution(header)}"),
        _wrapped(
            "Changes: the file holds the parameters of a model, lists of word forms and tags"
            f"{lemmas if about.realizes else ''}"
            " and, if it has a language model, probabilities of short sequences of words. It"
            " holds no sentences."
        ),
    ]
    return "\n".join(parts)


def on_a_line(text: object) -> str:
    """A text of a header as a part of a line, whatever it holds."""
    return visible(" ".join(str(text).split()))


def _data(header: Header) -> str:
    entries = [
        f"`{on_a_line(entry.get('name', '-'))}`"
        + (f" ({entry['sentences']:,} sentences)" if "sentences" in entry else "")
        for entry in header.get("data", [])
    ]
    return ", ".join(entries) or "data that the file does not name"


def _inputs(header: Header) -> str:
    """What the model reads besides tags."""
    names = {"upos": "UPOS", "features": "morphological features"}
    return "".join(f", {names.get(each, on_a_line(each))}" for each in header.get("inputs", []))


def _licence(header: Header) -> str:
    stated = on_a_line(header.get("licence", ""))
    if not stated:
        return "No licence is stated: ask its author before you use it."
    name, text = LICENCES.get(licence_id(stated), (stated, ""))
    return f"The model is available under this licence: {name}" + (f", <{text}>." if text else ".")


def _attribution(header: Header) -> str:
    return on_a_line(header.get("attribution", "")) or "none is stated."


def _figures(record: Mapping[str, Any]) -> str:
    """The figures of one evaluation."""
    data = record.get("data")
    name = on_a_line(data.get("name", "-")) if isinstance(data, Mapping) else "several files"
    version = f"Syntagma {on_a_line(record['syntagma'])}" if "syntagma" in record else "Syntagma"
    try:
        if "conditions" in record:
            rows = [
                f"| {on_a_line(each['condition'])} | {each['bleu']:.2f} | {each['exact']:.1f} |\n"
                for each in record["conditions"]
            ]
            count = record["conditions"][0]["sentences"]
            table = "| given | BLEU | exact % |\n|---|---|---|\n" + "".join(rows)
            return (
                _wrapped(f"Words of `{name}` ({count:,} sentences) ordered, {version}:")
                + "\n"
                + table
            )
        written = "; the treebank does not say how sentences are written."
        if record["written_bleu"] is not None:
            written = (
                f", BLEU of sentences as written {record['written_bleu']:.2f},"
                f" {record['exact']:.1f}% of them exact."
            )
        return _wrapped(
            f"Labelled trees of lemmas of `{name}` realized, {version}: right forms"
            f" {record['forms']:.1f}%, BLEU of words {record['bleu']:.2f} (shared task)" + written
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ArgumentError(
            f"figures must be a record that `syntagma evaluate --json` has written, not "
            f"{shown(dict(record))}"
        ) from error


def _training_figures(header: Header) -> str:
    figures = header.get("figures", {})
    measured = figures.get("dev") if isinstance(figures, Mapping) else None
    if not isinstance(measured, Mapping) or not measured:
        return "None are stated.\n"
    shown_figures = ", ".join(f"{on_a_line(name)} {bleu}" for name, bleu in measured.items())
    return _wrapped(f"BLEU on the development set, as measured in training: {shown_figures}.")


def _wrapped(text: str, bullet: str = "") -> str:
    wrapper = textwrap.TextWrapper(
        WIDTH, bullet, " " * len(bullet), break_long_words=False, break_on_hyphens=False
    )
    return wrapper.fill(text) + "\n"
