"""Options and arguments that several commands share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

InputFormatName = Literal["text", "json", "conllu"]
FormatName = Literal["text", "json", "conllu", "tree", "auto", "indented"]
SearchName = Literal["beam", "best-first"]


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
        "--model",
        "-m",
        metavar="NAME",
        help="The name of a shipped model, or a model file. Default: en, or en-best-first.",
    ),
]
Search = Annotated[
    SearchName,
    typer.Option(
        "--search",
        metavar="beam|best-first",
        help="How to search; a model is made for one of the two.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        min=0.001,
        max=86400,
        metavar="SECONDS",
        help="Best-first: time for a problem. Default: 5, or none with --expansions.",
    ),
]
Expansions = Annotated[
    int | None,
    typer.Option(
        "--expansions",
        min=1,
        max=1_000_000_000,
        metavar="N",
        help="Best-first: edges to expand for a problem; the same result on any machine.",
    ),
]
NoLanguageModel = Annotated[
    bool, typer.Option("--no-lm", help="Leave out the language model that the model may have.")
]
Beam = Annotated[
    int | None,
    typer.Option(
        "--beam",
        "-b",
        min=1,
        max=1024,
        metavar="N",
        help="Beam: width, 1 to 1024. Default: 64, or 16 for a network and all arcs given.",
    ),
]
Threads = Annotated[
    int,
    typer.Option("--threads", "-t", min=1, max=256, metavar="N", help="Problems ordered at once."),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="WORDS", help="Words of one bag; an argument with spaces is a phrase kept together."
    ),
]
Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--file",
        "-i",
        metavar="FILE",
        help="Read problems from this file (plain, gzip or xz); repeatable.",
    ),
]
NBest = Annotated[
    int | None,
    typer.Option(
        "--n-best",
        "-n",
        min=1,
        max=1024,
        metavar="N",
        help="Print up to N different results for each problem.",
    ),
]
OnError = Annotated[
    Literal["stop", "skip"],
    typer.Option(
        "--on-error", metavar="stop|skip", help="What to do when a problem of the input is bad."
    ),
]
InputFormat = Annotated[
    InputFormatName | None,
    typer.Option(
        "--input-format",
        metavar="text|json|conllu",
        help="Format of the input. Default: by file name, else text.",
    ),
]
Format = Annotated[
    FormatName,
    typer.Option(
        "--format",
        "-f",
        metavar="text|json|conllu|tree|auto|indented",
        help="Format of the output; the last two are for CCG derivations.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write here, all or nothing. Default: standard output.",
    ),
]
MaxWords = Annotated[
    int,
    typer.Option(
        "--max-words",
        min=1,
        metavar="N",
        help="Refuse bags with more words; 2000 at most, 10000 if the model is linear.",
    ),
]


def refuse_budget_of_other_search(
    search: SearchName, beam: int | None, timeout: float | None, expansions: int | None
) -> None:
    if search == "best-first" and beam is not None:
        raise typer.BadParameter("--beam goes with --search beam")
    for option, given in (("--timeout", timeout), ("--expansions", expansions)):
        if search == "beam" and given is not None:
            raise typer.BadParameter(f"{option} goes with --search best-first")
