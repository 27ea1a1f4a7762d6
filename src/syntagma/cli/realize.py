"""`syntagma realize`: makes sentences from lemmas."""

from typing import Annotated, Literal

import typer

from syntagma.cli import options
from syntagma.cli.output import Document
from syntagma.cli.stream import bag_of_arguments, open_model, read_inputs, run_stream
from syntagma.request import DEFAULT_MAX_WORDS, Request


def realize(
    context: typer.Context,
    lemmas: Annotated[
        list[str] | None,
        typer.Argument(metavar="LEMMAS", help="Lemmas of one sentence, in any order."),
    ] = None,
    file: options.Files = None,
    input_format: options.LemmaFormat = None,
    tokenize: options.Tokenize = False,
    shared_task: Annotated[
        bool,
        typer.Option(
            "--sr",
            help="Use the formats of the shared tasks on surface realisation: CoNLL-U with lemmas"
            " in the column FORM and hints on the order (lin=+1) as input, text blocks as output.",
        ),
    ] = False,
    format: Annotated[
        Literal["text", "json", "conllu", "tree", "svg", "html", "sr"] | None,
        typer.Option(
            help="Output format; svg is a picture of one problem, html a page of pictures. "
            "Default: text, or sr with --sr."
        ),
    ] = None,
    n_best: options.NBest = None,
    diverse: options.Diverse = False,
    search: options.Search = "beam",
    beam: options.Beam = None,
    timeout: options.Timeout = None,
    expansions: options.Expansions = None,
    threads: options.Threads = 1,
    model: options.Model = None,
    no_lm: options.NoLanguageModel = False,
    judge: options.Judge = None,
    judge_weight: options.JudgeWeight = None,
    judge_errors: options.JudgeErrors = "raise",
    projective: options.Projective = False,
    output: options.Output = None,
    on_error: options.OnError = "stop",
    max_words: options.MaxWords = DEFAULT_MAX_WORDS,
    debug: options.Debug = False,
) -> None:
    """Make sentences from lemmas: inflected, ordered and detokenised.

    The lemmas come from the arguments, from files, or else from standard input: plain text (one
    sentence per line), JSON lines, or CoNLL-U, where the column LEMMA is read instead of FORM.
    Tags, morphological features, arcs and labels may be given. The form of each lemma is chosen
    together with the order. In JSON, a word that has a form keeps it. English is inflected by UPOS
    tags and features where the tags of the model are missing.

    \b
    Lemmas as arguments:
        syntagma realize she sing a song
    Alternatives that differ in meaning or emphasis:
        syntagma realize --n-best 4 --diverse dog cat the see yesterday
    A tree of lemmas, in JSON:
        echo '[{"lemma": "bark", "tag": "VBD", "head": 0}, {"lemma": "dog", "tag": "NNS",
            "head": 1, "deprel": "nsubj"}]' | tr -d '\\n' |
            syntagma realize --input-format json
    The lemmas of a treebank:
        syntagma realize --file trees.conllu
    Best-first search, with a model of your own (syntagma train --search best-first --realize):
        syntagma realize --search best-first --model edges.syntagma --file trees.conllu
    The shared task: words as it scores them, or detokenised text:
        syntagma realize --sr --file en_ewt-ud-test.T1.conllu --output test.txt
        syntagma realize --sr --file en_ewt-ud-test.T1.conllu --format text

    With --n-best, text output has lines "score TAB sentence" and an empty line after each
    problem.
    """
    if lemmas and file:
        raise typer.BadParameter("give lemmas or --file, not both")
    if shared_task and (lemmas or input_format not in (None, "conllu")):
        raise typer.BadParameter("--sr goes with CoNLL-U, from --file or standard input")
    if format == "sr" and n_best is not None:
        raise typer.BadParameter("--format sr has one sentence per problem: leave out --n-best")
    request = Request(operation="realize", search=search, **options.request_options(context))
    linearizer = open_model(context, [] if lemmas else file or ["-"])
    problems = (
        [bag_of_arguments(lemmas, lemmas=True, tokenize=tokenize)]
        if lemmas
        else read_inputs(
            file or ["-"],
            "conllu" if shared_task else input_format,
            linearizer.tag_column,
            tokenize,
            "shared task" if shared_task else "column",
        )
    )
    chosen = format or ("sr" if shared_task and n_best is None else "text")
    document = Document(chosen, linearizer.tag_column)
    run_stream(linearizer, request, problems, document, output, on_error, threads)
