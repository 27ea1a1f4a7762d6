"""The texts of a model package: the model card and the statement of the licence.

Both are made from the header of the model and from records of evaluations; `packaging` writes them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from syntagma.errors import ArgumentError, shown
from syntagma.models.header import Header
from syntagma.models.packages import LANGUAGES, SUFFIX

WIDTH = 118

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
        stated = one_line(self.header.get("language", "")) or "an unnamed language"
        return LANGUAGES.get(stated, stated)

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
        f"language: {one_line(header.get('language', '')) or '-'}",
        f"learned from {_data(header)}",
        f"tags: {tags}{_inputs(header)}, as the treebank has them",
        "orders: those that are not projective, too"
        if header.get("lifting")
        else "orders: projective ones",
        f"file: `{about.name}{SUFFIX}`, {about.size / 1e6:.1f} MB, made with Syntagma"
        f" {one_line(header.get('created_with', '-'))}, SHA-256 `{about.sha256}`",
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
    parts = [
        "# Licence of the model\n",
        _wrapped(
            f"`{about.name}{SUFFIX}` was learned from {_data(header)}. {_licence(header)}"
            + (" `LICENSE.txt` is its text." if with_text else "")
        ),
        _wrapped(f"Attribution: {_attribution(header)}"),
        _wrapped(
            "Changes: the file holds the parameters of a model, lists of word forms and tags"
            + (
                ", lemmas with the forms that each was seen with, rules of spacing"
                if about.realizes
                else ""
            )
            + " and, if it has a language model, probabilities of short sequences of words. It"
            " holds no sentences."
        ),
    ]
    return "\n".join(parts)


def one_line(text: object) -> str:
    """A text of a header as a part of a line, whatever it holds."""
    return " ".join(str(text).split())


def _data(header: Header) -> str:
    entries = [
        f"`{one_line(entry.get('name', '-'))}`"
        + (f" ({entry['sentences']:,} sentences)" if "sentences" in entry else "")
        for entry in header.get("data", [])
    ]
    return ", ".join(entries) or "data that the file does not name"


def _inputs(header: Header) -> str:
    """What the model reads besides tags."""
    names = {"upos": "UPOS", "features": "morphological features"}
    return "".join(f", {names.get(each, one_line(each))}" for each in header.get("inputs", []))


def _licence(header: Header) -> str:
    stated = one_line(header.get("licence", ""))
    if not stated:
        return "No licence is stated: ask its author before you use it."
    name, text = LICENCES.get(licence_id(stated), (stated, ""))
    return f"The model is available under this licence: {name}" + (f", <{text}>." if text else ".")


def _attribution(header: Header) -> str:
    return one_line(header.get("attribution", "")) or "none is stated."


def _figures(record: Mapping[str, Any]) -> str:
    """The figures of one evaluation."""
    data = record.get("data")
    name = one_line(data.get("name", "-")) if isinstance(data, Mapping) else "several files"
    version = f"Syntagma {one_line(record['syntagma'])}" if "syntagma" in record else "Syntagma"
    try:
        if "conditions" in record:
            rows = [
                f"| {one_line(each['condition'])} | {each['bleu']:.2f} | {each['exact']:.1f} |\n"
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
    shown_figures = ", ".join(f"{one_line(name)} {bleu}" for name, bleu in measured.items())
    return _wrapped(f"BLEU on the development set, as measured in training: {shown_figures}.")


def _wrapped(text: str, bullet: str = "") -> str:
    wrapper = textwrap.TextWrapper(
        WIDTH, bullet, " " * len(bullet), break_long_words=False, break_on_hyphens=False
    )
    return wrapper.fill(text) + "\n"


def read_records(figures: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Check that these are records of evaluations."""
    records = list(figures)
    for record in records:
        if not isinstance(record, Mapping):
            raise ArgumentError(
                f"figures must be records that `syntagma evaluate --json` has written, not "
                f"{shown(record)}"
            )
    return records
