"""`syntagma train-lm`: a language model from text."""

from pathlib import Path
from typing import Annotated

import typer

from syntagma.cli import options
from syntagma.cli.output import write_stdout
from syntagma.cli.progress import Ticker
from syntagma.errors import TrainingError


def train_lm(
    texts: Annotated[
        list[Path],
        typer.Argument(metavar="TEXT", help="Plain text or CoNLL-U, also gzip or xz."),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write; in ARPA format if *.arpa."
        ),
    ],
    order: Annotated[
        int,
        typer.Option("--order", min=1, max=5, metavar="N", help="Longest n-grams, 1 to 5."),
    ] = 4,
    prune: Annotated[
        str | None,
        typer.Option(
            "--prune",
            metavar="N,N,…",
            help="Leave out n-grams seen so often or less, by order; the last number holds for "
            "all higher orders, the first, of words, for none: they stay. Default: 0,1,1,2, "
            "for much text.",
        ),
    ] = None,
    min_count: Annotated[
        int,
        typer.Option(
            "--min-count", min=1, metavar="N", help="Rarer words go by their shape and ending."
        ),
    ] = 5,
    max_ngrams: Annotated[
        int | None,
        typer.Option(
            "--max-ngrams",
            min=1,
            metavar="N",
            help="Leave out what changes the model least until so many n-grams remain; one takes "
            "about 4 bytes.",
        ),
    ] = None,
    tokenized: Annotated[
        bool,
        typer.Option(
            "--tokenized", help="The text has a sentence a line, words separated by spaces."
        ),
    ] = False,
    held_out: Annotated[
        Path | None,
        typer.Option("--dev", metavar="FILE", help="Text whose perplexity is shown in the end."),
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Learn a language model from text.

    Plain text, a paragraph a line, is split into sentences and words as the English treebanks of
    Universal Dependencies have them. The model is an n-gram model with modified Kneser-Ney
    smoothing. However much text there is, it takes a few hundred megabytes of memory, besides
    the vocabulary and the n-grams that are kept, and for a while about 100 bytes of disk for
    each word.

    \b
    From news and a treebank, with perplexity on other text:
        syntagma train-lm news.txt.xz train.conllu --output news.lm --dev dev.conllu
    For KenLM, SRILM and others:
        syntagma train-lm news.txt.xz --output news.arpa
    Then give it to a model, which learns how much to listen to it:
        syntagma add-lm en news.lm dev.conllu --output my.syntagma
    """
    from syntagma.language_model.settings import LanguageModelSettings
    from syntagma.training.language_model import check_readable, perplexity, read_lm, read_text
    from syntagma.training.language_model import train_lm as learn

    settings = LanguageModelSettings(
        order=order,
        prune=None if prune is None else _thresholds(prune),
        min_count=min_count,
        max_ngrams=max_ngrams,
        tokenized=tokenized,
    )
    if held_out is not None:
        check_readable(held_out)
    with Ticker("sentences read") as ticker:

        def show(stage: str, done: float) -> None:
            if stage != "reading":
                ticker.relabel(f"sentences read, {stage} n-grams")

        report = learn(
            texts, output, settings=settings, on_sentence=ticker.advance, on_progress=show
        )
    ngrams = " + ".join(f"{count:,}" for count in report.ngrams)
    write_stdout(
        f"{output}: {ngrams} n-grams from {report.words:,} words "
        f"in {report.sentences:,} sentences\n"
    )
    if held_out is not None:
        model, _ = read_lm(output)
        sentences = list(read_text(held_out, tokenized=tokenized))
        if not sentences:
            raise TrainingError(f"nothing to measure: no sentence in {held_out}")
        figure = perplexity(model, sentences)
        write_stdout(f"{held_out}: perplexity {figure:.2f}\n")


def _thresholds(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"--prune takes numbers and commas, as 0,1,1, not {text!r}"
        ) from None
