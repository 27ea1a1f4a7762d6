"""`syntagma evaluate`: BLEU, exact match and time on a treebank, as tables and as JSON."""

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from syntagma.cli import options
from syntagma.cli.output import write_stdout
from syntagma.cli.progress import Ticker


def evaluate(
    data: Annotated[
        Path,
        typer.Option(
            "--data", "-d", metavar="FILE", help="A treebank in CoNLL-U, or a CCGbank (.auto)."
        ),
    ],
    condition: Annotated[
        list[str] | None,
        typer.Option(
            "--condition",
            "-c",
            metavar="NAME",
            help="What is given: none, pos, half, tree, labelled, or tagsT-arcsA with T and A"
            " 0, 50 or 100 (percent); repeatable. Default: the first five.",
        ),
    ] = None,
    search: options.Search = "beam",
    beam: options.Beam = None,
    timeout: options.Timeout = None,
    expansions: options.Expansions = None,
    threads: options.Threads = 1,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, metavar="N", help="Take the first N sentences only."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of the shuffling and of what is given.")
    ] = 1,
    spans: Annotated[
        bool,
        typer.Option(
            "--spans",
            help="Compare the spans of the trees, too: precision and recall by length, and how"
            " long they are (Liu et al. 2015, Table 4 and Figure 9).",
        ),
    ] = False,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the figures to this file, too."),
    ] = None,
    model: options.Model = None,
    no_lm: options.NoLanguageModel = False,
    debug: options.Debug = False,
) -> None:
    """Measure a model on a treebank.

    The words of each sentence are shuffled and ordered again, with as much given as the
    condition says; the result is compared with the original by BLEU (sacrebleu, cased, words as
    they are) and exact match. Every score has a signature that says how to get it again. CPU
    time per sentence is measured with one thread.

    \b
    The five main conditions:
        syntagma evaluate --data en_ewt-ud-test.conllu
    Labelled trees only, the first 100 sentences, a narrow beam:
        syntagma evaluate --data test.conllu --condition labelled --limit 100 --beam 8
    The nine conditions of Liu et al. (2015), Table 3, by two of their corners:
        syntagma evaluate --data test.conllu -c tags0-arcs0 -c tags100-arcs100
    Best-first search, and how good and how long its phrases are (Table 4, Figure 9):
        syntagma evaluate --data test.conllu --search best-first --timeout 1 --spans
    CCG derivations:
        syntagma evaluate --data test.auto --search best-first --model ccg.syntagma
    """
    options.refuse_effort_of_other_search(search, beam, timeout, expansions)
    from syntagma import load
    from syntagma.ccgbank import read_sentences
    from syntagma.evaluation import evaluate as measure
    from syntagma.strategy import Effort

    linearizer = load(model, search=search, language_model=not no_lm)
    sentences = read_sentences(data, linearizer.tag_column)[:limit]
    conditions = condition or list(linearizer.conditions)
    effort = linearizer.describe_effort(Effort(beam, timeout, expansions))
    with Ticker("evaluated", total=len(sentences) * len(conditions)) as ticker:
        report = measure(
            linearizer,
            sentences,
            conditions,
            beam=beam,
            timeout=timeout,
            expansions=expansions,
            threads=threads,
            seed=seed,
            spans=spans,
            on_sentence=ticker.advance,
        )

    from rich.console import Console

    from syntagma.report import as_dict, tables

    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # a file has no edge to wrap at
    with console.capture() as shown:
        console.print(
            f"model {report.model} on {data.name}, {len(sentences)} sentences, "
            + ", ".join(f"{name} {value}" for name, value in effort.items())
        )
        for table in tables(report):
            console.print("", table)
        console.print()
        for figures in report.figures:
            console.print(
                f"BLEU {figures.bleu:.2f} {figures.signature}",
                highlight=False,
                markup=False,
                soft_wrap=True,
            )
    write_stdout(shown.get())
    if json_file:
        from syntagma.formats.files import atomic_write
        from syntagma.model_file import fingerprint

        record = {
            "command": shlex.join(["syntagma", *sys.argv[1:]]),
            "data": {"name": data.name, "sha256": fingerprint(data)},
            **effort,
            "threads": threads,
            "seed": seed,
            **as_dict(report),
        }
        with atomic_write(json_file, "w") as file:
            file.write(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
