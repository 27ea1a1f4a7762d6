"""`syntagma evaluate`: measures a model on a treebank or text; figures as tables and as JSON."""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from syntagma.cli import options
from syntagma.cli.output import check_destination, write_stdout
from syntagma.cli.progress import Ticker
from syntagma.errors import as_line, brief
from syntagma.request import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from syntagma.evaluation.shared_task import SharedTaskScores
    from syntagma.linearizer.linearizer import Linearizer

BleuTokenizerName = Literal["none", "13a"]  # `BleuTokenizer`, which takes long to import


def evaluate(
    context: typer.Context,
    data: Annotated[
        list[Path],
        typer.Option(
            help="A treebank in CoNLL-U, a CCGbank (.auto), or plain English text with a sentence"
            " per line (.txt); repeatable, and a quoted pattern such as 'wsj/23/*.conllu' stands"
            " for several files."
        ),
    ],
    condition: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="What the input gives: none, pos, half, tree, labelled, or tagsT-arcsA with T"
            " and A 0, 50 or 100 (percent); repeatable. Default: the first five. Plain text, and"
            " --as-typed, have only none.",
        ),
    ] = None,
    as_typed: Annotated[
        bool,
        typer.Option(
            help="Write the words as people type: in lower case but for I, without the final mark."
        ),
    ] = False,
    search: options.Search = "beam",
    beam: options.Beam = None,
    timeout: options.Timeout = None,
    expansions: options.Expansions = None,
    threads: options.Threads = 1,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Use only the first N sentences.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Random seed of the shuffling and of what is given.")
    ] = 1,
    spans: Annotated[
        bool,
        typer.Option(
            help="Also compare the spans of the trees: precision, recall and lengths (Liu et al."
            " 2015, Table 4 and Figure 9)."
        ),
    ] = False,
    bleu_tokenize: Annotated[
        BleuTokenizerName,
        typer.Option(help="How BLEU splits words: at spaces only, or as mteval-v13a does."),
    ] = "none",
    lowercase: Annotated[
        bool, typer.Option(help="BLEU ignores case. Exact match does not.")
    ] = False,
    examples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Also show N example outputs of each length class, with their sentence BLEU (Liu"
            " et al. 2015, Table 6).",
        ),
    ] = None,
    shared_task: Annotated[
        bool,
        typer.Option(
            "--sr",
            help="Measure realisation from lemmas, with the scores of the shared tasks on surface"
            " realisation.",
        ),
    ] = False,
    input_file: Annotated[
        Path | None,
        typer.Option(
            "--input",
            help="With --sr: the input of the shared task (T1) for --data. Default: the labelled"
            " trees of --data, without hints on the order.",
        ),
    ] = None,
    no_hints: Annotated[
        bool, typer.Option(help="With --sr: ignore the hints (lin) of --input.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the figures to this file.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Name of an installed model, or a model file; repeatable: others are compared with"
            " the first. Default: en, or en-best-first.",
        ),
    ] = None,
    outputs: Annotated[
        list[Path] | None,
        typer.Option(
            help="Outputs of another system to compare with, one tokenised sentence per line in the"
            " order of --data; repeatable. Needs one --condition."
        ),
    ] = None,
    no_lm: options.NoLanguageModel = False,
    judge: options.Judge = None,
    judge_weight: options.JudgeWeight = None,
    judge_errors: options.JudgeErrors = "raise",
    projective: options.Projective = False,
    debug: options.Debug = False,
) -> None:
    """Measure a model on a treebank or on plain text.

    The words of each sentence are shuffled and ordered again; the condition determines which
    tags, arcs and labels are given. The result is compared with the original by BLEU (sacrebleu;
    cased and without tokenisation unless options say otherwise) and exact match. The signature of
    a score says how to reproduce it. CPU time per sentence length is measured with one thread only.

    \b
    The five main conditions:
        syntagma evaluate --data en_ewt-ud-test.conllu
    Plain text with a sentence per line, as people type:
        syntagma evaluate --data everyday.txt --as-typed
    Labelled trees only, the first 100 sentences, a narrow beam:
        syntagma evaluate --data test.conllu --condition labelled --limit 100 --beam 8
    The nine conditions of Liu et al. (2015), Table 3, by two of their corners:
        syntagma evaluate --data test.conllu -c tags0-arcs0 -c tags100-arcs100
    Best-first search, and the quality and length of its spans (Table 4, Figure 9):
        syntagma evaluate --data test.conllu --search best-first --timeout 1 --spans
    Two example outputs of each length class:
        syntagma evaluate --data test.conllu --condition none --examples 2
    Two models and the outputs of another system, with sacrebleu's paired bootstrap test:
        syntagma evaluate --data test.conllu -c tree --model en --model ./my.syntagma \\
            --outputs other.txt
    With a pretrained language model that chooses among the best orders:
        syntagma evaluate --data test.conllu --judge smollm2
    CCG derivations:
        syntagma evaluate --data test.auto --search best-first --model ccg.syntagma
    Realisation from lemmas: BLEU, NIST and DIST of the shared task, lower-cased; the share of
    right forms; BLEU (cased) and exact match of the detokenised sentences:
        syntagma evaluate --sr --data en_ewt-ud-dev.conllu
        syntagma evaluate --sr --data en_ewt-ud-dev.ref.conllu --input en_ewt-ud-dev.T1.conllu
    """
    request = Request(search=search, **options.request_options(context))
    from syntagma.models.loading import DEFAULT_MODELS
    from syntagma.treebanks.corpus import corpus_files
    from syntagma.treebanks.plain_text import is_plain_text

    files = corpus_files(data, "--data")
    plain = is_plain_text(files[0])
    conditions = condition or (["none"] if plain or as_typed else None)
    models = model or [DEFAULT_MODELS[search]]
    output_files = outputs or []
    systems = [*models, *map(str, output_files)]
    if json_file is not None:
        for each in models:
            check_destination(json_file, [*files, input_file, *output_files], each, search, judge)
    if len(systems) > 1 and (shared_task or spans):
        raise typer.BadParameter("--sr and --spans take one --model and no --outputs")
    if shared_task:
        if condition or spans or examples or as_typed or search != "beam":
            raise typer.BadParameter(
                "--sr takes neither --condition, --spans, --examples, --as-typed nor --search"
            )
        if plain:
            raise typer.BadParameter(f"--sr is for treebanks with lemmas, not for {files[0]}")
        if bleu_tokenize != "none" or lowercase:
            raise typer.BadParameter("--sr has scores of its own: no --bleu-tokenize, --lowercase")
        text, record = _evaluate_realization(context, files, models[0], input_file, request)
    else:
        if input_file or no_hints:
            raise typer.BadParameter("--input and --no-hints go with --sr")
        if output_files and len(conditions or ()) != 1:
            raise typer.BadParameter("--outputs belong to one condition: name it with --condition")
        for name in systems:
            if systems.count(name) > 1:
                raise typer.BadParameter(f"{name} is given twice")
        text, record = _evaluate_order(context, files, models, output_files, conditions, request)
    write_stdout(text)
    if json_file:
        from syntagma.files.writing import atomic_write

        described = [_described(file) for file in files]
        record = {
            "command": shlex.join(["syntagma", *sys.argv[1:]]),
            "data": described if len(files) > 1 else described[0],
            **record,
        }
        with atomic_write(json_file, "w") as file:
            file.write(json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def _evaluate_order(
    context: typer.Context,
    files: list[Path],
    models: list[str],
    outputs: list[Path],
    conditions: list[str] | None,
    request: Request,
) -> tuple[str, dict[str, Any]]:
    """Figures of one model, or a comparison of several systems, as text and as JSON."""
    from syntagma.evaluation.bleu import compare_systems, read_outputs
    from syntagma.evaluation.evaluate import evaluate as measure
    from syntagma.evaluation.evaluate import main_conditions
    from syntagma.evaluation.report import (
        choose_examples,
        comparison_as_dict,
        comparison_table,
        examples_as_dict,
        render_examples,
        report_as_dict,
        tables,
    )
    from syntagma.linearizer.linearizer import load
    from syntagma.models.header import heads_of
    from syntagma.treebanks.corpus import read_corpus

    given = context.params
    threads, seed = given["threads"], given["seed"]
    as_typed = given["as_typed"]
    splitting = {name: given[name] for name in ("bleu_tokenize", "lowercase")}
    # Everything is read before the first model is measured, so that faults show at once.
    judge = options.judge_options(context)
    linearizers = [
        load(each, search=request.search, language_model=not given["no_lm"], **judge)
        for each in models
    ]
    corpora = [
        read_corpus(files, each.tag_column, heads_of(each.info.header)) for each in linearizers
    ]
    others = {str(path): read_outputs(path, len(corpora[0]))[: given["limit"]] for path in outputs}
    conditions = conditions or min(map(main_conditions, linearizers), key=len)
    reports, records = {}, []
    for name, linearizer, corpus in zip(models, linearizers, corpora, strict=True):
        sentences = corpus[: given["limit"]]
        with Ticker("evaluated", total=len(sentences) * len(conditions)) as ticker:
            reports[name] = measure(
                linearizer,
                sentences,
                conditions,
                **options.request_options(context),
                **splitting,
                threads=threads,
                seed=seed,
                spans=given["spans"],
                as_typed=as_typed,
                on_sentence=ticker.advance,
            )
        budget = _budget(request, linearizer)
        records.append(
            {
                **budget,
                "threads": threads,
                "seed": seed,
                "as_typed": as_typed,
                **report_as_dict(reports[name]),
            }
        )
    first = reports[models[0]]
    subject = (
        f"on {_names(files)}{' as typed' if as_typed else ''}, {len(first.references)} sentences"
    )
    signatures = {
        name: [f"BLEU {each.bleu:.2f} {each.signature}" for each in report.figures]
        for name, report in reports.items()
    }
    named: dict[str, Sequence[str]]  # outputs by condition or system
    if len(models) + len(others) == 1:
        named = {figures.condition: figures.outputs for figures in first.figures}
        settings = ", ".join(f"{name} {value}" for name, value in budget.items())
        heading = f"model {first.model} {subject}, {settings}"
        text = _printed(heading, tables(first), signatures[models[0]])
        record = records[0]
    else:
        texts = {
            name: {**{system: reports[system][name].outputs for system in models}, **others}
            for name in conditions
        }
        comparisons = {
            name: compare_systems(by_system, first.references, **splitting)
            for name, by_system in texts.items()
        }
        named = {
            system if len(conditions) == 1 else f"{name} {system}": each
            for name, by_system in texts.items()
            for system, each in by_system.items()
        }
        text = _printed(
            f"{len(models) + len(others)} systems {subject}",
            [comparison_table(comparisons, reports)],
            [
                f"p: paired bootstrap test against {models[0]}; *: p < 0.05",
                *(f"{name} {each.signature}" for name, each in comparisons.items()),
                *(f"{name} {line}" for name, lines in signatures.items() for line in lines),
            ],
        )
        record = {
            "comparisons": [
                {"condition": name, **comparison_as_dict(each)}
                for name, each in comparisons.items()
            ],
            "models": [
                {"system": name, **each} for name, each in zip(models, records, strict=True)
            ],
            "outputs": [_described(path) for path in outputs],
        }
    if given["examples"]:
        chosen = choose_examples(first.references, named, given["examples"], **splitting)
        text += "\n" + render_examples(chosen)
        record["examples"] = examples_as_dict(chosen)
    return text, record


def _printed(heading: str, tables: "Sequence[Table]", lines: "Sequence[str]") -> str:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # do not wrap lines in a file
    with console.capture() as shown:
        console.print(as_line(heading), markup=False)
        for table in tables:
            console.print("", table)
        console.print()
        for line in lines:
            console.print(as_line(line), highlight=False, markup=False, soft_wrap=True)
    return shown.get()


def _evaluate_realization(
    context: typer.Context,
    files: list[Path],
    model: str,
    input_file: Path | None,
    request: Request,
) -> tuple[str, dict[str, Any]]:
    """Figures of the shared tasks on surface realisation, as text and as JSON."""
    from syntagma.evaluation.realization import (
        evaluate_realization,
        lemma_problems,
        pair,
        without_hints,
    )
    from syntagma.formats.problems import read_problems
    from syntagma.linearizer.linearizer import load
    from syntagma.treebanks.corpus import read_corpus

    given = context.params
    threads, seed = given["threads"], given["seed"]
    judge = options.judge_options(context)
    linearizer = load(model, language_model=not given["no_lm"], **judge)
    sentences = read_corpus(files, linearizer.tag_column)
    if input_file is None:
        problems = lemma_problems(sentences, seed)
    else:
        read = read_problems(input_file, "conllu", linearizer.tag_column, "shared task")
        problems = pair(list(read), sentences)
    if given["no_hints"]:
        problems = [without_hints(problem) for problem in problems]
    problems, sentences = problems[: given["limit"]], sentences[: given["limit"]]
    with Ticker("realized", total=len(sentences)) as ticker:
        figures = evaluate_realization(
            linearizer,
            problems,
            sentences,
            beam=request.beam,
            timeout=request.timeout,
            projective=request.projective,
            threads=threads,
            seed=seed,
            on_sentence=ticker.advance,
        )
    hints = any(problem.before for problem in problems)
    scores = figures.scores
    tokens = ""
    if figures.token_scores is not None:
        found = _described_scores(figures.token_scores)
        tokens = f"contractions as one token, as the shared task scored: {found}\n"
    written = "as written: unknown, because the treebank does not say where spaces are\n"
    if figures.written_bleu is not None:
        written = (
            f"as written: BLEU {figures.written_bleu:.2f}, exact {figures.exact:.1f}%   "
            f"{figures.signature}\n"
        )
    name = linearizer.info.name
    text = (
        f"model {brief(name)} on {brief(_names(files))}, {scores.sentences} sentences, "
        f"{'with' if hints else 'without'} hints on the order\n\n"
        f"{_described_scores(scores)}   {figures.scores_signature}\n"
        f"{tokens}right forms {figures.forms:.2f}%\n"
        f"{written}{figures.cpu_ms:.1f} ms CPU per sentence\n"
    )
    record = {
        "model": name,
        **_budget(request, linearizer),
        "threads": threads,
        "seed": seed,
        "hints": hints,
        **figures.to_json(),
    }
    if input_file:
        record["input"] = _described(input_file)
    return text, record


def _described_scores(scores: "SharedTaskScores") -> str:
    return f"BLEU {scores.bleu:.2f}, NIST {scores.nist:.2f}, DIST {scores.dist:.2f}"


def _budget(request: Request, linearizer: "Linearizer") -> dict[str, Any]:
    projective = {"orders": "projective"} if request.projective and linearizer.lifts else {}
    judge = linearizer.judge.about if linearizer.judge else {}
    return {**request.describe_budget(), **projective, **judge}


def _names(files: list[Path]) -> str:
    """
    >>> _names([Path("a/b.conllu")]), _names([Path("a"), Path("b"), Path("c")])
    ('b.conllu', 'a and 2 more files')
    """
    first, *others = files
    more = f" and {len(others)} more file{'s' if len(others) > 1 else ''}" if others else ""
    return first.name + more


def _described(path: Path) -> dict[str, str]:
    from syntagma.files.reading import fingerprint

    return {"name": path.name, "sha256": fingerprint(path)}
