"""Options and arguments that several commands share, and the request that they amount to.

Limits and defaults are defined with the settings and the search budget, not here.
"""

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from typer.models import OptionInfo

from syntagma.problem.word import TagColumn
from syntagma.request import (
    DEFAULT_TIMEOUT,
    DEFAULTS,
    MAX_BEAM,
    MAX_EXPANSIONS,
    MAX_THREADS,
    MAX_TIMEOUT,
    SearchName,
)

VALUE_NAMES = {int: "N", float: "X", str: "TEXT", Path: "FILE"}
SHORT_NAMES = {
    **{"beam": "-b", "condition": "-c", "data": "-d", "file": "-i", "format": "-f", "jobs": "-j"},
    **{"model": "-m", "n_best": "-n", "order": "-r", "output": "-o", "threads": "-t"},
}

InputFormatName = Literal["text", "json", "conllu"]
LemmaFormatName = Literal["text", "json", "conllu", "sr11"]
FormatName = Literal["text", "json", "conllu", "tree", "svg", "html", "auto", "indented"]

MIN_TIMEOUT = 0.001  # seconds: typer can only check bounds that are allowed themselves


def name_options(command: Callable[..., None]) -> None:
    """Give the options of a command the names, and the `metavar`, that they leave open. An option
    that commands share has the same name in all of them."""
    for name, parameter in signature(command).parameters.items():
        for option in getattr(parameter.annotation, "__metadata__", ()):
            option.metavar = option.metavar or _value_name(parameter.annotation.__origin__)
            if isinstance(option, OptionInfo) and option.default is ... and not option.param_decls:
                names = (f"--{name.replace('_', '-')}", SHORT_NAMES.get(name))
                option.param_decls = tuple(filter(None, names))


def _value_name(kind: Any) -> str | None:
    """How help shows the values of an option of this type.

    >>> _value_name(list[Path] | None), _value_name(Literal["beam", "best-first"])
    ('FILE', 'beam|best-first')
    """
    inner = get_args(kind)
    if get_origin(kind) is Literal:
        return "|".join(inner)
    return _value_name(inner[0]) if inner else VALUE_NAMES.get(kind)


def request_options(context: typer.Context) -> dict[str, Any]:
    """What the options of a command say of a request, but for its operation and search: the
    parameters that are named as fields of `Request`, which no command reads itself. `--judge` is
    not one: it names what `load` opens."""
    given = context.params
    return {name: given[name] for name in DEFAULTS if name in given and name != "judge"}


def judge_options(context: typer.Context) -> dict[str, Any]:
    """The judge that the options of a command name, as `load` takes it, if it has such options."""
    names = ("judge", "judge_weight", "judge_errors")
    return {name: context.params[name] for name in names if name in context.params}


def _remember_debug(context: typer.Context, value: bool) -> bool:
    context.obj.debug = value
    return value


Debug = Annotated[
    bool,
    typer.Option(
        "--debug", callback=_remember_debug, is_eager=True, help="Show a traceback on errors."
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Name of an installed model, or a model file. Default: en, or en-best-first.",
    ),
]
Search = Annotated[
    SearchName, typer.Option(help="Search strategy; each model is made for one of the two.")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        min=MIN_TIMEOUT,
        max=MAX_TIMEOUT,
        metavar="SECONDS",
        help="Time limit per problem. A beam is narrowed to keep it. Default: none; best-first: "
        f"{DEFAULT_TIMEOUT:g}, or none with --expansions.",
    ),
]
Expansions = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MAX_EXPANSIONS,
        help="Best-first: maximum number of expanded edges per problem. Unlike --timeout, it gives "
        "the same result on any machine.",
    ),
]
Projective = Annotated[
    bool,
    typer.Option(
        help="Keep subtrees of given arcs contiguous, even if the model has learned otherwise."
    ),
]
NoLanguageModel = Annotated[
    bool, typer.Option("--no-lm", help="Ignore the model's language model.")
]
Judge = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE|hf:FOLDER",
        help="Let a pretrained language model choose among the best orders: smollm2, a GGUF file"
        " (both need the extra judge), or a folder of transformers (extra judge-torch).",
    ),
]
JudgeWeight = Annotated[
    float | None,
    typer.Option(
        min=0, help="Weight of the judge. Default: by the judge and by what a problem gives."
    ),
]
JudgeErrors = Annotated[
    Literal["raise", "warn"],
    typer.Option(
        help="Where the judge fails: stop with an error, or warn and give the result that is not"
        " judged."
    ),
]
Beam = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MAX_BEAM,
        help=f"Beam: beam width, 1 to {MAX_BEAM}. Default: chosen by the model for each problem.",
    ),
]
Threads = Annotated[
    int,
    typer.Option(
        min=1, max=MAX_THREADS, help="Number of threads; each works on one problem at a time."
    ),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="WORDS",
        help="Words of one bag; an argument with spaces is a phrase that is kept together.",
    ),
]
Orders = Annotated[
    list[str],
    typer.Option(metavar="TEXT", help="An order of the words, separated by spaces; repeatable."),
]
Tokenize = Annotated[
    bool,
    typer.Option(help="Split raw English text into words and punctuation first; one bag per line."),
]
Files = Annotated[
    list[Path] | None,
    typer.Option(help="Read problems from this file (plain, gzip or xz); repeatable."),
]
NBest = Annotated[
    int | None,
    typer.Option(min=1, max=MAX_BEAM, help="Print up to N different results per problem."),
]
Diverse = Annotated[
    bool, typer.Option(help="With --n-best: prefer results that differ in meaning or emphasis.")
]
OnError = Annotated[
    Literal["stop", "skip"], typer.Option(help="Whether to stop at a bad problem or to skip it.")
]
InputFormat = Annotated[
    InputFormatName | None,
    typer.Option(help="Input format. Default: by the extension of the file name, else text."),
]
LemmaFormat = Annotated[
    LemmaFormatName | None,
    typer.Option(
        help="Input format; sr11 is that of the shared task of 2011. Default: by the extension of "
        "the file name (.hfg: sr11), else text."
    ),
]
Format = Annotated[
    FormatName,
    typer.Option(
        help="Output format; svg is a picture of one problem, html a page of pictures; auto and "
        "indented are for CCG derivations."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        help="Write to this file, which appears only when it is complete. Default: standard output."
    ),
]
MaxWords = Annotated[
    int, typer.Option(min=1, help="Reject bags with more words; the model sets the maximum.")
]


ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="Name of an installed model, or a model file.")
]
ModelOutput = Annotated[Path, typer.Option(help="The model file to write.")]
RecordFormat = Annotated[Literal["text", "json"], typer.Option(help="Output format.")]

# For the header of a trained model.
ModelName = Annotated[
    str, typer.Option(metavar="TEXT", help="Name of the model. Default: the file name.")
]
Licence = Annotated[str, typer.Option(metavar="TEXT", help="Licence of the model, for the header.")]
Attribution = Annotated[
    str, typer.Option(metavar="TEXT", help="Authors of the data, for the header.")
]

# Of many trainings.
AlsoRealize = Annotated[
    bool | None,
    typer.Option(
        "--realize/--no-realize",
        show_default=False,
        help="Also learn to realize lemmas. Default: yes.",
    ),
]
TrainedTagColumn = Annotated[
    TagColumn | None,
    typer.Option(help="Column of CoNLL-U that serves as the tag. Default: by the treebank."),
]
