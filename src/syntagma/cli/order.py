"""`syntagma order`: orders bags of words from arguments, files or standard input."""

from typing import Annotated

import typer

from syntagma.cli import options
from syntagma.cli.output import Document
from syntagma.cli.stream import bag_of_arguments, open_model, read_inputs, run_stream
from syntagma.request import DEFAULT_MAX_WORDS, Request


def order(
    context: typer.Context,
    words: options.Words = None,
    file: options.Files = None,
    input_format: options.InputFormat = None,
    tokenize: options.Tokenize = False,
    format: options.Format = "text",
    written: Annotated[
        bool, typer.Option("--text", help="Detokenise sentences: natural spacing and contractions.")
    ] = False,
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
    """Put bags of words in order.

    The words come from the arguments, from files, or else from standard input: plain text (one
    bag per line), JSON lines or CoNLL-U. The output keeps all tags, arcs, labels and order
    constraints that the input gives. Results are written as soon as they are found.

    \b
    Order the arguments; quotes make a phrase:
        syntagma order dog the barked
        syntagma order "New York" in lives she
    Raw text, split into words and punctuation first:
        syntagma order --tokenize "bark. The dog didn't"
    Detokenise the sentence:
        syntagma order --text do "n't" bark , cats .
    Draw the tree, or print the five best orders:
        syntagma order --format tree dog the barked
        syntagma order --format svg dog the barked > tree.svg
        syntagma order --n-best 5 dog the barked
    Alternatives that differ in meaning or emphasis:
        syntagma order --n-best 5 --diverse dog the man the bit .
    One bag per line, from a pipe:
        zcat bags.txt.gz | syntagma order | head -1
    Order constraints in JSON (word 2 comes first):
        echo '{"words": ["barked", "the", "dog"], "first": 2}' |
            syntagma order --input-format json
    A treebank, with "_" in the columns that are not known:
        syntagma order --file trees.conllu --format conllu --output ordered.conllu
    A batch that does not stop at a bad line:
        syntagma order --file bags.txt --on-error skip --threads 4 > sentences.txt
    A pretrained language model chooses among the best orders:
        syntagma order --judge smollm2 dog the barked
    Best-first search, and a CCG derivation found by it:
        syntagma order --search best-first --timeout 1 dog the barked
        syntagma order --search best-first --model ccg.syntagma --format tree dog the barked

    With --n-best, text output has lines "score TAB sentence" and an empty line after each bag.

    A beam search uses every word. With --timeout its beam becomes narrower when time is short,
    which it reports. A best-first search may exhaust its budget: then it prints an unfinished
    result, which may lack words, and reports it.
    """
    if words and file:
        raise typer.BadParameter("give words or --file, not both")
    if written and format != "text":
        raise typer.BadParameter(f"--text goes with --format text, not with {format}")
    request = Request(operation="order", search=search, **options.request_options(context))
    linearizer = open_model(context, [] if words else file or ["-"])
    problems = (
        [bag_of_arguments(words, tokenize=tokenize)]
        if words
        else read_inputs(file or ["-"], input_format, linearizer.tag_column, tokenize)
    )
    document = Document(format, linearizer.tag_column, linearizer.spell if written else None)
    run_stream(linearizer, request, problems, document, output, on_error, threads)
