"""Writing results to standard output or a file, in the chosen format.

Files of data are defined in `formats`, pictures in `results/drawing`.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from syntagma.cli.options import FormatName
from syntagma.errors import OutputError, as_line, brief
from syntagma.files.writing import atomic_write, check_output, check_stdout
from syntagma.formats.results import Result, Results, write_results
from syntagma.problem.word import TagColumn
from syntagma.request import SearchName
from syntagma.results.linearization import Linearization
from syntagma.results.realization import NBest, Realization

Write = Callable[[str], object]

LONGEST_CELL = 5_000  # characters: an attribution may be long
PICTURES: tuple[FormatName, ...] = ("svg", "html")


class ReaderGone(Exception):
    """The reader of standard output, such as `head`, has closed the pipe.

    Not a `BrokenPipeError`, which typer would report as a failure.
    """


def check_destination(
    output: Path | None,
    inputs: Iterable[Path | str | None],
    model: str | None,
    search: SearchName = "beam",
    judge: str | None = None,
) -> None:
    """Raise before any work if the output cannot be written, or is an input, the model or of the
    judge."""
    if judge is not None:
        from syntagma.judges.opening import judge_files

        inputs = [*inputs, *judge_files(judge)]
    if output is None:
        check_stdout(each for each in inputs if each is not None)
    else:
        from syntagma.models.loading import DEFAULT_MODELS, model_path  # not for --help

        check_output(output, [*inputs, model_path(model or DEFAULT_MODELS[search])])


@contextmanager
def open_output(path: Path | None) -> Iterator[Write]:
    """Write to standard output immediately, or to a file that appears when it is complete."""
    if path is None:
        yield write_stdout
    else:
        with atomic_write(path, "w") as file:
            yield file.write


def write_stdout(text: str) -> None:
    """Write and flush, so that the reader of a pipe gets each result immediately."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        raise OutputError(f"cannot write to standard output: {error.strerror}") from error


def say(message: str) -> None:
    """Print a message on standard error."""
    sys.stderr.write(as_line(message) + "\n")  # at once: a signal may come


def tell(message: str) -> None:
    """Print a message on standard output: what a command did, where it has no results to print."""
    write_stdout(as_line(message) + "\n")


def aligned(*rows: Sequence[str], right: bool = False) -> str:
    """Rows of cells as lines with aligned columns; with `right`, all but the first to the right."""
    rows = tuple([brief(cell, LONGEST_CELL) for cell in row] for row in rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = "<" + (">" if right else "<") * len(widths)
    lines = (
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=False)
        )
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


class Document:
    """The results of a command in one format, with what comes before and after them.

    `spell` detokenises results before they are written.
    """

    def __init__(
        self,
        format: FormatName | Literal["sr"],
        tag_column: TagColumn,
        spell: Callable[[Linearization], Realization] | None = None,
    ) -> None:
        self.format = format
        self.tag_column: TagColumn = tag_column
        self.count = 0
        self._spell = spell

    @property
    def opening(self) -> str:
        if self.format != "html":
            return ""
        from syntagma.results.drawing.html import PAGE_START

        return PAGE_START

    def add(self, result: Any, number: int = 1) -> str:
        """One result, or the n best of one problem, as text; `number` is that of the problem."""
        self.count += 1
        if self._spell is not None:
            spelled = map(self._spell, result) if isinstance(result, NBest) else None
            result = self._spell(result) if spelled is None else NBest(spelled)
        format = self.format
        if format == "text" or format == "json" or format == "conllu":
            return write_results(result, format, self.tag_column)
        if format == "svg":
            if self.count > 1:
                raise OutputError(
                    "an SVG document shows one problem, and there are more: use --format html "
                    "for a page of all"
                )
            svg: str = result.to_svg()
            return svg
        if format == "html":
            from syntagma.results.drawing.html import page_section

            return page_section(result, self.count)
        if format == "sr":
            from syntagma.evaluation.shared_task import shared_task_block

            return shared_task_block(number, " ".join(result.spelling.tokens(result.words)))
        return "".join(_draw(each, format) for each in _each(result))

    def closing(self) -> str:
        if self.format == "svg" and not self.count:
            raise OutputError("no result to draw: every problem was skipped")
        if self.format != "html":
            return ""
        from syntagma.results.drawing.html import PAGE_END

        return PAGE_END


def _each(result: Results) -> Iterable[Result]:
    return result if isinstance(result, NBest) else [result]


def _draw(result: Result, format: FormatName) -> str:
    if isinstance(result, Realization):
        result = result.linearization
    if format == "tree":
        if result.derivations:
            from syntagma.results.drawing.derivations import draw_derivation  # loads rich

            drawn = (draw_derivation(each, _terminal_width()) for each in result.derivations)
            return "\n\n".join(drawn) + "\n\n"
        from syntagma.results.drawing.tree_text import draw_tree

        return draw_tree(result, _terminal_width()) + "\n\n"
    return _render_derivations(result, format)


def _render_derivations(result: Linearization, format: FormatName) -> str:
    from syntagma.formats.auto import write_auto
    from syntagma.results.drawing.derivations import indent

    if not result.derivations:
        raise OutputError(
            f"there is no derivation to write as {format!r}: use a CCG model "
            "(--search best-first, trained with --grammar ccg) or another --format"
        )
    if format == "auto":
        return "".join(write_auto(each, result.problem.id) for each in result.derivations)
    return "".join(indent(each) + "\n" for each in result.derivations) + "\n"


def _terminal_width() -> int | None:
    if not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns
