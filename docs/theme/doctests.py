"""Marks the doctests in docstrings as code for `make site`; they would be read as quotations."""

import re

from griffe import Extension, Object

# A doctest in the text of a docstring: its prompts, and the output up to the next empty line.
DOCTEST = re.compile(r"^>>> .*\n?(?:.+\n?)*", re.MULTILINE)


class Doctests(Extension):
    """Turns each doctest into a fenced block of Python."""

    def on_object(self, *, obj: Object, **_: object) -> None:
        """Called once for each name, after its docstring has been read."""
        if obj.docstring:
            obj.docstring.value = DOCTEST.sub(self._fence, obj.docstring.value)

    @staticmethod
    def _fence(doctest: re.Match[str]) -> str:
        return f"```pycon\n{doctest[0].rstrip()}\n```\n"
