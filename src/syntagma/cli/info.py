"""`syntagma info`: describes a model by its header, or lists the models that are installed."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from syntagma.cli import options
from syntagma.cli.output import aligned, write_stdout
from syntagma.errors import as_line
from syntagma.models.languages import name_with_code

if TYPE_CHECKING:
    from syntagma.models.installed import InstalledModel


HEADINGS = (
    *("name", "language", "package", "search", "tags"),
    *("realizes", "lifting", "size", "licence", "file"),
)


def info(
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL",
            help="Name of an installed model, or a model file. Default: en.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            "-a",
            help="Without MODEL: list all models that are installed. With MODEL: print its whole "
            "header, with all data and checksums, settings, history.",
        ),
    ] = False,
    format: options.RecordFormat = "text",
    debug: options.Debug = False,
) -> None:
    """Describe a model: language, search, tags, data, figures, licence, size. Or list all.

    JSON has the whole header of the model; a list has one line per model.

    \b
    The default model, another one by its name, and a model file:
        syntagma info
        syntagma info en-best-first
        syntagma info ./my.syntagma
    Everything that the header of a model states:
        syntagma info en --all
    What is installed, as a table and as JSON:
        syntagma info --all
        syntagma info --all --format json
    """
    if model is None and everything:
        from syntagma.models.installed import installed_models

        listed = installed_models()
        write_stdout(list_as_json(listed) if format == "json" else list_as_text(listed))
        return

    from syntagma.files.reading import fingerprint
    from syntagma.linearizer.linearizer import read_info

    about = read_info("en" if model is None else model)
    digest = None if about.path is None else fingerprint(about.path)
    if format == "json":
        file = None if about.path is None else str(about.path)
        record = {"header": about.header, "file": file, "size": about.size, "sha256": digest}
        write_stdout(json.dumps(record, ensure_ascii=False) + "\n")
        return
    lines = [
        *(flatten if everything else summarize)(about.header),
        ("file", str(about.path or "-")),
        ("size", f"{about.size / 1e6:.1f} MB"),
    ]
    if digest is not None:
        lines.append(("sha256", digest))
    write_stdout(aligned(*lines))


def list_as_text(models: Sequence["InstalledModel"]) -> str:
    """A line per model; below, why some cannot be loaded."""
    rows = [
        (
            each.name,
            name_with_code(each.language) or "-",
            f"{each.distribution} {each.version}",
            each.search,
            _columns(each.tags, each.inputs) or "-",
            "yes" if each.realizes else "no",
            "yes" if each.lifting else "no",
            f"{each.size / 1e6:.1f} MB",
            each.licence or "-",
            str(each.path),
        )
        for each in models
        if not each.error
    ]
    faults = "".join(f"\nunusable: {as_line(each.error)}" for each in models if each.error)
    return aligned(HEADINGS, *rows) + (f"{faults}\n" if faults else "")


def list_as_json(models: Sequence["InstalledModel"]) -> str:
    """A line per model; one that cannot be loaded has an `error` that is not empty."""
    records = ({**asdict(each), "path": str(each.path or "")} for each in models)
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def summarize(header: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What most users want to know, in a few lines."""
    yield "name", _plain(header.get("name", ""))
    yield "language", name_with_code(_plain(header.get("language", "")))
    kind = _plain(header.get("scorer", "linear"))
    if "grammar" in header:
        kind += f", {_plain(header['grammar'])} grammar"
    networks = header.get("networks", {})
    if "bags" in networks:
        kind += ", a network for trees and one for bags and partial trees"
    if "second" in networks:
        kind += ", a second network that helps to rerank trees"
    yield "scorer", kind
    if "preset" in header:
        yield "preset", _preset(header)
    yield "search", _plain(header.get("search", "beam"))
    if "arcs" in header:
        yield "arcs", _plain(header["arcs"])
    yield "tags", _tags(header)
    settings = header.get("settings")
    if isinstance(settings, Mapping):
        yield "condition", _plain(settings.get("condition", ""))
        if header.get("scorer") in ("linear", "edges"):
            yield "learning", _learning(settings)
        yield "realizes", "lemmas" if settings.get("realize") else "-"
    if header.get("lifting") is True:
        yield "orders", "also non-projective ones of given trees"
    yield "trained on", _texts(header)
    start = header.get("start")
    if isinstance(start, Mapping):
        yield "started from", f"{_plain(start.get('name', ''))}, trained on {_texts(start)}"
    language_model = header.get("language_model")
    if isinstance(language_model, Mapping):
        yield "language model", _language_model(language_model)
    figures = header.get("figures", "")
    if isinstance(figures, Mapping) and isinstance(figures.get("dev"), Mapping):
        figures = figures["dev"]
    without = " (without the language model)" if language_model else ""
    yield "dev BLEU", f"{_plain(figures)}{without}"
    judging = language_model if isinstance(language_model, Mapping) else header
    if isinstance(judging.get("margin"), Mapping):
        yield "margin", _margin(judging["margin"])
    yield "licence", _plain(header.get("licence", ""))
    yield "attribution", _plain(header.get("attribution", ""))
    yield "created with", _plain(header.get("created_with", ""))


def _tags(header: Mapping[str, Any]) -> str:
    """The tags and features that the model reads, as columns of CoNLL-U."""
    inputs = header.get("inputs")
    further = list(map(_plain, inputs)) if isinstance(inputs, list) else []
    return _columns(_plain(header.get("tag_column", "")), further)


def _columns(tag_column: str, inputs: Iterable[str]) -> str:
    columns = (tag_column, *inputs)
    return ", ".join("FEATS" if each == "features" else each.upper() for each in columns)


def _preset(header: Mapping[str, Any]) -> str:
    """The published system that a model repeats, and the settings that differ from it."""
    changes = header.get("preset_changes")
    if not isinstance(changes, Mapping) or not changes:
        return _plain(header["preset"])
    told = ", ".join(_setting(name, value) for name, value in changes.items())
    return f"{_plain(header['preset'])}, with {told}"


# The settings of models of sparse features, in the order in which they are told: on and off.
_NUMBERS = {"update": "{} update", "beam": "beam {}", "chart": "chart {}", "batch": "batches of {}"}
_SWITCHES = {
    "scaled": ("scaled scores", "unscaled scores"),
    "negatives": ("negatives expanded", "only gold edges expanded"),
    "first_update": ("one update per sentence", "all updates of a sentence"),
    "averaged": ("averaged weights", "final weights"),
    "chart_by_size": ("a chart for each number of words", "one chart"),
    "unlabelled": ("unlabelled arcs", "labelled arcs"),
    "quantized": ("8-bit weights", "unquantized weights"),
}


def _learning(settings: Mapping[str, Any]) -> str:
    """How a model of sparse features was trained."""
    known = [name for name in (*_NUMBERS, *_SWITCHES) if name in settings]
    return ", ".join(_setting(name, settings[name]) for name in known) or "-"


def _setting(name: str, value: object) -> str:
    """A setting in words: `beam 16`, `unscaled scores`, `not merging`."""
    if isinstance(value, bool):
        words = name.replace("_", " ")
        return _SWITCHES.get(name, (words, f"not {words}"))[not value]
    if name in _NUMBERS:
        return _NUMBERS[name].format(_plain(value))
    return f"{name.replace('_', ' ')} {_plain(value)}"


def _texts(header: Mapping[str, Any]) -> str:
    """The files that a model was trained on, in short."""
    data = header.get("data")
    entries = [each for each in data if isinstance(each, Mapping)] if isinstance(data, list) else []
    names = [_plain(each.get("name", "")) for each in entries]
    if len(names) > 3:
        names[2:] = [f"{len(names) - 2} more files"]
    counts = [each.get("words") for each in entries]
    words = sum(each for each in counts if isinstance(each, int))
    return f"{', '.join(names) or '-'}" + (f" ({words:,} words)" if words else "")


def _language_model(about: Mapping[str, Any]) -> str:
    settings, words = about.get("settings"), about.get("words")
    order = settings.get("order") if isinstance(settings, Mapping) else None
    parts = [f"{order}-grams"] if isinstance(order, int) else []
    parts += [f"{words:,} words"] if isinstance(words, int) else []
    return ", ".join([*parts, _texts(about)])


def _margin(about: Mapping[str, Any]) -> str:
    rates = [about.get(name) for name in ("attested", "swapped")]
    shares = [f"{rate:.1%}" if isinstance(rate, float) else "-" for rate in rates]
    return (
        f"{_plain(about.get('loss', ''))} (accepts {shares[0]} of attested orders, {shares[1]} "
        f"with two words swapped; up to {_plain(about.get('max_words', ''))} words)"
    )


def flatten(header: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The header as pairs of name and value: one per key, or per member of a list of objects. The
    model that training started from and the language model are described by their own keys."""
    for key, value in header.items():
        name = key.replace("_", " ")
        if key == "templates" and isinstance(value, list):
            yield name, str(len(value))
        elif key in ("start", "language_model") and isinstance(value, Mapping):
            yield from ((f"{name} {inner}", text) for inner, text in flatten(value))
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            for entry in value:
                yield name, _plain(entry)
        else:
            yield name, _plain(value)


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        between = "; " if any(isinstance(each, list) for each in value.values()) else ", "
        return between.join(f"{key} {_plain(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) or "-"
