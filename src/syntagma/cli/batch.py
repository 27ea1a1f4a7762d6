"""`syntagma batch`: orders, realizes or scores whole corpora into a folder of shards."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from syntagma.batches.job import DEFAULT_SHARD_SIZE, MAX_SHARD_SIZE
from syntagma.cli import options, process
from syntagma.cli.output import say, tell
from syntagma.cli.progress import Ticker
from syntagma.engines import MAX_JOBS
from syntagma.errors import brief, counted
from syntagma.problem.limits import MAX_DIGITS
from syntagma.request import DEFAULT_MAX_WORDS

if TYPE_CHECKING:
    from syntagma.batches.batch import BatchReport


def batch(
    context: typer.Context,
    task: Annotated[
        Literal["order", "realize", "score"],
        typer.Argument(help="Operation to run; score takes sentences in order."),
    ],
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...",
            help="Files (plain, gzip or xz), folders, patterns in quotes, or addresses such as "
            "s3://bucket/folder (extra: batch).",
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            metavar="FOLDER",
            help="Folder for the results, or an address; a job that was stopped is continued.",
        ),
    ],
    input_format: options.InputFormat = None,
    tokenize: options.Tokenize = False,
    format: Annotated[
        Literal["text", "json", "conllu", "parquet"],
        typer.Option(help="Output format; parquet needs the extra batch."),
    ] = "text",
    gzip: Annotated[bool, typer.Option(help="Compress the results; not for parquet.")] = False,
    written: Annotated[
        bool, typer.Option("--text", help="Order: detokenise sentences (formats text and parquet).")
    ] = False,
    shard_size: Annotated[
        int,
        typer.Option(
            min=1,
            max=MAX_SHARD_SIZE,
            help="Problems per shard: a stopped job loses at most the shards under way.",
        ),
    ] = DEFAULT_SHARD_SIZE,
    engine: Annotated[
        Literal["processes", "ray"],
        typer.Option(help="Worker processes on this machine, or Ray Data (extra: ray)."),
    ] = "processes",
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Ray: the cluster, such as auto or ray://head:10001. Default: this machine.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_JOBS,
            help="Worker processes, or most actors of Ray. Default: one per core, on a cluster as "
            "many as it has room for.",
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Do only the I-th of N parts of the shards, for job arrays; run once more "
            "without it to complete the folder.",
        ),
    ] = None,
    n_best: options.NBest = None,
    diverse: options.Diverse = False,
    search: options.Search = "beam",
    beam: options.Beam = None,
    timeout: options.Timeout = None,
    expansions: options.Expansions = None,
    model: options.Model = None,
    no_lm: options.NoLanguageModel = False,
    judge: options.Judge = None,
    judge_weight: options.JudgeWeight = None,
    judge_errors: options.JudgeErrors = "raise",
    projective: options.Projective = False,
    max_words: options.MaxWords = DEFAULT_MAX_WORDS,
    debug: options.Debug = False,
) -> None:
    """Order, realize or score whole corpora: shards in, shards out, each written exactly once.

    The inputs are cut into shards, which workers solve. A shard appears in the output folder when
    it is complete. Stop the job, or let it be killed, and run the same command again: only what is
    missing is done, and shards that are damaged are replaced. Problems without a result do not stop
    it: `_rejected.jsonl` lists them with place and reason. `_manifest.json`, written last, has
    settings, checksums and counts. A folder that was made with other settings or inputs is refused.

    \b
    Order bags of words on all cores:
        syntagma batch order bags.txt.gz --output ordered
    Trees of many files, as Parquet:
        syntagma batch order "trees/*.conllu" --format parquet --output ordered
    Sentences from lemmas, as JSON lines, compressed:
        syntagma batch realize lemmas/ --format json --gzip --output sentences
    A pretrained language model chooses among the best orders:
        syntagma batch order bags.txt --judge smollm2 --output ordered
    Score sentences as they are:
        syntagma batch score corpus.txt --tokenize --output scores
    On a Ray cluster, in a bucket:
        syntagma batch order s3://corpus/trees --engine ray --address auto \\
            --output s3://corpus/ordered
    The third of eight jobs of an array:
        syntagma batch order trees/ --part 3/8 --output ordered

    The exit code is 0 even if problems were rejected, and 2 if shards could not be done.
    """
    from syntagma.batches.batch import batch as run

    process.farewell = lambda: "stopped; the same command continues the job"
    with Ticker("done") as ticker:
        report = run(
            task,
            inputs,
            output,
            format=format,
            gzip=gzip,
            input_format="jsonl" if input_format == "json" else input_format,
            tokenize=tokenize,
            text=written,
            model=model,
            language_model=not no_lm,
            search=search,
            **options.request_options(context),
            **options.judge_options(context),
            shard_size=shard_size,
            part=_part(part),
            engine=engine,
            address=address,
            jobs=jobs,
            progress=ticker.reach,
        )
    for source in report.damaged:
        say(f"{source}: damaged; the records before the damage were read")
    tell(_summary(output, report))
    for count, what in (
        (report.unfinished, " unfinished: words are left out"),
        (report.narrowed, " from a narrowed beam"),
    ):
        if count:
            say(counted(count, "result") + what)


def _summary(output: str, report: "BatchReport") -> str:
    new = counted(report.shards_done - report.shards_before, "shard")
    line = f"{output}: {counted(report.results, 'result')}, {report.rejected:,} rejected; {new}"
    if report.shards_before:
        line += f" ({report.shards_before:,} done before)"
    left = report.shards - report.shards_done
    if left:
        line += f"; {counted(left, 'shard')} left to other parts"
    elif not report.complete:
        line += "; run once more without --part to complete the folder"
    return line


def _part(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    number, slash, parts = text.partition("/")
    counts = [each for each in (number, parts) if each.isdecimal() and len(each) <= MAX_DIGITS]
    if not slash or len(counts) < 2 or not 1 <= int(number) <= int(parts):
        expected = "where 1/8 to 8/8 is expected, for example"
        raise typer.BadParameter(f"--part is {brief(text)}, {expected}")
    return int(number), int(parts)
