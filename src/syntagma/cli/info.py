"""`syntagma info`: describes a model by its header."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from syntagma.cli import options
from syntagma.cli.output import write_stdout


def info(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="Name of a shipped model, or a model file.")
    ] = "en",
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            "-a",
            help="Print the whole header: all data with checksums, settings, history.",
        ),
    ] = False,
    debug: options.Debug = False,
) -> None:
    """Describe a model: language, search, tags, data, figures, licence, size.

    \b
    The default model, another shipped model, and a model file:
        syntagma info
        syntagma info en-best-first
        syntagma info ./my.syntagma
    Everything that the header of a model states:
        syntagma info --all
    """
    from syntagma.files.fingerprint import fingerprint
    from syntagma.linearizer.linearizer import read_info

    about = read_info(model)
    lines = [
        *(describe if everything else summarize)(about.header),
        ("file", str(about.path or "-")),
        ("size", f"{about.size / 1e6:.1f} MB"),
    ]
    if about.path is not None:
        lines.append(("sha256", fingerprint(about.path)))
    width = max(len(name) for name, _ in lines)
    write_stdout("".join(f"{name:<{width}}  {value}\n" for name, value in lines))


def summarize(header: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What most users want to know, in a few lines."""
    yield "name", _plain(header.get("name", ""))
    yield "language", _plain(header.get("language", ""))
    kind = _plain(header.get("scorer", "linear"))
    if "grammar" in header:
        kind += f", {_plain(header['grammar'])} grammar"
    yield "scorer", kind
    if "preset" in header:
        yield "preset", _preset(header)
    yield "search", _plain(header.get("search", "beam"))
    if "arcs" in header:
        yield "arcs", _plain(header["arcs"])
    yield "tags", _plain(header.get("tag_column", "")).upper()
    settings = header.get("settings")
    if isinstance(settings, Mapping):
        yield "condition", _plain(settings.get("condition", ""))
        if header.get("scorer") in ("linear", "edges"):
            yield "learning", _learning(settings)
        yield "realizes", "lemmas" if settings.get("realize") else "-"
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


def describe(header: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The header as pairs of name and value: one per key, or per member of a list of objects. The
    model that training started from and the language model are described by their own keys."""
    for key, value in header.items():
        name = key.replace("_", " ")
        if key == "templates":
            yield name, str(len(value))
        elif key in ("start", "language_model"):
            yield from ((f"{name} {inner}", text) for inner, text in describe(value))
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
