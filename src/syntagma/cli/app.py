"""The table of commands, one module each; `run` runs one and reports errors."""

import contextlib
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import typer

from syntagma import __version__
from syntagma.cli.options import name_options
from syntagma.cli.output import ReaderGone, say
from syntagma.errors import ArgumentError, SyntagmaError, SyntagmaWarning, visible
from syntagma.request import DEFAULTS

# Each command is imported when it runs: importing and registering all of them takes as long as
# ordering a short bag.
COMMANDS: dict[str, Callable[[], Callable[..., None]]] = {
    "order": lambda: import_module("syntagma.cli.order").order,
    "realize": lambda: import_module("syntagma.cli.realize").realize,
    "score": lambda: import_module("syntagma.cli.score").score,
    "accept": lambda: import_module("syntagma.cli.accept").accept,
    "batch": lambda: import_module("syntagma.cli.batch").batch,
    "serve": lambda: import_module("syntagma.cli.serve").serve,
    "train": lambda: import_module("syntagma.cli.train").train,
    "train-many": lambda: import_module("syntagma.cli.train_many").train_many,
    "tune": lambda: import_module("syntagma.cli.tune").tune,
    "train-lm": lambda: import_module("syntagma.cli.train_lm").train_lm,
    "add-lm": lambda: import_module("syntagma.cli.add_lm").add_lm,
    "fit-margin": lambda: import_module("syntagma.cli.fit_margin").fit_margin,
    "fit-judge": lambda: import_module("syntagma.cli.fit_judge").fit_judge,
    "evaluate": lambda: import_module("syntagma.cli.evaluate").evaluate,
    "convert": lambda: import_module("syntagma.cli.convert").convert,
    "stats": lambda: import_module("syntagma.cli.stats").stats,
    "package": lambda: import_module("syntagma.cli.package").package,
    "info": lambda: import_module("syntagma.cli.info").info,
    "doctor": lambda: import_module("syntagma.cli.doctor").doctor,
}

COMPLETION = "_SYNTAGMA_COMPLETE"  # set by the shell when it asks for completions


def build_command_line(names: Iterable[str] = COMMANDS, *, completion: bool = True) -> typer.Typer:
    """The command line with these commands, and with the options for shell completion."""
    app = typer.Typer(
        name="syntagma",
        add_completion=completion,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 90},
    )
    app.callback()(syntagma)
    for name in names:
        command = COMMANDS[name]()
        name_options(command)
        app.command(name)(command)
    return app


@dataclass(slots=True)
class Invocation:
    """What a command tells `run`; set by `options.Debug`."""

    debug: bool = False


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"syntagma {__version__}")
        raise typer.Exit


def syntagma(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Put words in order: a bag of words in, the sentence and its dependency tree out.

    \b
    syntagma order the dog barked                 order a bag of words
    syntagma order --format tree the dog barked   and draw its tree
    syntagma order < bags.txt                     one bag per line, streaming
    syntagma realize bark dog the                 make a sentence from lemmas
    syntagma score --order "the dog barked"       score a given order
    syntagma accept --order "the dog barked"      judge a given order
    syntagma info                                 describe the shipped model

    `syntagma COMMAND --help` explains each command with examples.
    """


def _app_for(arguments: Sequence[str]) -> typer.Typer:
    """The command line with the requested command only, if there is one."""
    if arguments and arguments[0] in COMMANDS and COMPLETION not in os.environ:
        return build_command_line(arguments[:1], completion=False)
    return build_command_line()


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 2 bad input or usage, 1 a bug.

    Signals end the process from outside (`process`).
    """
    invocation = Invocation()
    app = _app_for(arguments)
    try:
        with _warnings_as_lines():
            code = app(
                args=list(arguments) or ["--help"],
                prog_name="syntagma",
                standalone_mode=False,
                obj=invocation,
            )
        return code if isinstance(code, int) else 0
    except ReaderGone:
        abandon_stdout()
        return 0
    except ArgumentError as error:
        return _report(error.renamed(_option_name), error, invocation, code=2)
    except SyntagmaError as error:
        return _report(str(error), error, invocation, code=2)
    except typer.TyperException as error:
        message = error.format_message().replace("\t", "")  # before each of its choices
        return _report(message, error, invocation, code=2)
    except OSError as error:
        # An error without a file name is one of standard output, where help is printed.
        what = error.filename or "cannot write to standard output"
        return _report(f"{what}: {error.strerror or error}", error, invocation, code=2)
    except MemoryError as error:
        message = "out of memory: take shorter inputs, a smaller beam or fewer threads"
        return _report(message, error, invocation, code=2)
    except Exception as error:
        message = f"{type(error).__name__}: {error} (a bug; --debug shows where)"
        return _report(message, error, invocation, code=1)


def _option_name(field: str) -> str:
    """The option that a field of a request, or an argument of `load`, is given by."""
    return (
        f"--{field.replace('_', '-')}"
        if field in (*DEFAULTS, "judge_weight", "judge_errors")
        else field
    )


@contextlib.contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print each distinct warning of the package, or the first on its topic, as one line on
    standard error."""
    printed: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, SyntagmaWarning):
            show_other(message, category, *place, **more)
        elif (topic := getattr(message, "topic", "") or str(message)) not in printed:
            printed.add(topic)
            say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", SyntagmaWarning)
        show_other = warnings.showwarning
        warnings.showwarning = show
        yield


def _report(message: str, error: BaseException, invocation: Invocation, code: int) -> int:
    if invocation.debug:
        lines = "".join(traceback.format_exception(error)).split("\n")
        print(*map(visible, lines), sep="\n", end="", file=sys.stderr)
    say(f"error: {message}")
    return code


def abandon_stdout() -> None:
    """Discard what is still buffered, so that the interpreter does not complain at exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
