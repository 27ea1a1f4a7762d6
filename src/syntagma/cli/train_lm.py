"""`syntagma train-lm`: trains a language model on text; `add-lm` adds it to a model."""

from pathlib import Path
from typing import Annotated

import typer

from syntagma.cli import options
from syntagma.cli.output import tell
from syntagma.cli.progress import Ticker
from syntagma.errors import TrainingError, shown
from syntagma.files.writing import check_output
from syntagma.language_model.packed import MAX_ORDER
from syntagma.language_model.settings import PRUNE, LanguageModelSettings

DEFAULTS = LanguageModelSettings()


def train_lm(
    texts: Annotated[
        list[Path],
        typer.Argument(metavar="TEXT", help="Plain text or CoNLL-U (plain, gzip or xz)."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write, in ARPA format if *.arpa.")
    ],
    order: Annotated[
        int,
        typer.Option(
            "--order",  # without the short name that it has elsewhere
            min=1,
            max=MAX_ORDER,
            help=f"Order of the model, the length of its longest n-grams, 1 to {MAX_ORDER}.",
        ),
    ] = DEFAULTS.order,
    prune: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,…",
            help="Drop n-grams seen at most this often, one threshold per order. The last one "
            "holds for all higher orders; single words are always kept. "
            f"Default: {','.join(map(str, PRUNE))}, for large texts.",
        ),
    ] = None,
    min_count: Annotated[
        int,
        typer.Option(
            min=1, help="Words seen less often are replaced by a class of their shape and ending."
        ),
    ] = DEFAULTS.min_count,
    max_ngrams: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Prune the n-grams that matter least until this many remain; one takes about 4 "
            "bytes.",
        ),
    ] = DEFAULTS.max_ngrams,
    tokenized: Annotated[
        bool,
        typer.Option(
            "--tokenized", help="The text has one sentence per line, words separated by spaces."
        ),
    ] = DEFAULTS.tokenized,
    held_out: Annotated[
        Path | None, typer.Option("--dev", help="Held-out text to measure perplexity on.")
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Train a language model on text.

    Plain text with one paragraph per line is split into sentences and words as in the English
    treebanks of Universal Dependencies. The model is an n-gram model with modified Kneser-Ney
    smoothing. Whatever the size of the text, estimation takes a few hundred megabytes of memory
    in addition to the vocabulary and the kept n-grams, and temporarily about 100 bytes of disk
    per word.

    \b
    From news and a treebank, with perplexity on held-out text:
        syntagma train-lm news.txt.xz train.conllu --output news.lm --dev dev.conllu
    In ARPA format, for KenLM, SRILM and others:
        syntagma train-lm news.txt.xz --output news.arpa
    Then add it to a model, which learns the weight of the language model:
        syntagma add-lm ./my.syntagma news.lm dev.conllu --output fluent.syntagma
    """
    from syntagma.training.language_model import (
        check_readable,
        perplexity,
        read_lm,
        read_sentence_words,
    )
    from syntagma.training.language_model import train_lm as learn

    settings = LanguageModelSettings(
        order=order,
        prune=None if prune is None else _thresholds(prune),
        min_count=min_count,
        max_ngrams=max_ngrams,
        tokenized=tokenized,
    )
    check_output(output, [*texts, held_out])
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
    tell(
        f"{output}: {ngrams} n-grams from {report.words:,} words in {report.sentences:,} sentences"
    )
    if held_out is not None:
        model, _ = read_lm(output)
        sentences = list(read_sentence_words(held_out, tokenized=tokenized))
        if not sentences:
            raise TrainingError(f"nothing to measure: no sentence in {held_out}")
        figure = perplexity(model, sentences)
        tell(f"{held_out}: perplexity {figure:.2f}")


def _thresholds(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"--prune takes numbers separated by commas, such as 0,1,1, not {shown(text)}"
        ) from None
