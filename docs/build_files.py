"""Writes docs/reference/files.md, the list of all files, from the files themselves: `make docs`.

The line of a file is the first sentence of its docstring or first comment, or the first heading of
a page. A test fails when the page is stale, or when a file does not describe itself.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "reference" / "files.md"
FOLDERS = ("src", "tests", "docs")
HEADING = """\
# Files

Every file of `src`, `tests` and `docs` with the first sentence of its docstring, written by
`make docs`. [Architecture](../architecture.md) explains how the parts work together.

"""
WIDTH, COLUMN = 118, 40

LISTED = {
    ".py",
    ".pyx",
    ".h",
    ".md",
    ".svg",
    ".png",
    ".html",
    ".css",
    ".js",
    ".syntagma",
    ".typed",
}  # .pxd, .pyi: with their .pyx
DOCSTRING = re.compile(r'\s*r?"""(.*?)"""', re.DOTALL)
COMMENT = re.compile(r"\s*/\*+(.*?)\*/", re.DOTALL)  # of JavaScript and CSS
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")

# What has no docstring and no heading.
DESCRIPTIONS = {
    "src/": "",
    "docs/": "",
    "docs/guide/": "How to use Syntagma, one task a page.",
    "docs/reference/": "Every command, every public name, every file.",
    "docs/lab/": "How every figure was made, and what was tried.",
    "docs/theme/": "How the website looks.",
    "docs/theme/site.css": "Style sheet: wider pages for wide tables.",
    "docs/images/": "Plots and drawings, readable on light and dark backgrounds.",
    "docs/images/time.svg": "Plot: time against sentence length.",
    "docs/images/fluency.svg": "Plot: BLEU against beam width, with and without language model.",
    "docs/images/searches.svg": "Plot: coverage and phrase lengths of the two searches.",
    "docs/images/guidance.svg": "Plot: best-first learning, BLEU and time by epoch.",
    "docs/images/judges.svg": "Plot: BLEU against time, by how much a judge reads.",
    "docs/images/order.svg": "Picture of a result: a dependency tree.",
    "docs/images/n-best.svg": "Picture of results: two trees with their scores.",
    "docs/images/derivation.svg": "Picture of a result: a CCG derivation.",
    "docs/images/page.png": "Picture of the page, made by its tests.",
    "src/syntagma/server/page/": "The page: HTML, style sheets and JavaScript modules.",
    "src/syntagma/server/page/index.html": "The document.",
    "src/syntagma/server/page/icon.svg": "The icon.",
    "docs/images/rooms.svg": "Drawing: the rooms and the direction of imports.",
    "src/syntagma/py.typed": "Marks the package as typed (PEP 561).",
    "src/syntagma/compiler.h": "What the core needs beyond standard C++, for each compiler.",
    "src/syntagma/neural/unplaced.h": "Pair scores of words with all unplaced words, in C++.",
    "src/syntagma/transition/search.h": "Candidates and derivations of a beam search, in C++.",
    "src/syntagma/neural/kernels.h": "Vector kernels of the neural scorer, in C++.",
    "src/syntagma/neural/vectors.h": "Chooses the kernels for the instructions of the processor.",
    "src/syntagma/models/en.syntagma": "The shipped English model.",
    "src/syntagma/models/en-best-first.syntagma": "The shipped model of best-first search.",
    "tests/": "Tests mirror the rooms.",
    "tests/results/drawing/bark.svg": "A picture that must not change unnoticed.",
}


def listing() -> str:
    """The tree of the folders, a line or more for each file, as a code block."""
    lines: list[str] = []
    for name in FOLDERS:
        lines.append(f"{name}/")
        lines.extend(_branch(ROOT / name, ""))
    return "\n".join(["```text", *lines, "```"])


def _branch(folder: Path, margin: str) -> Iterator[str]:
    entries = sorted(filter(_is_listed, folder.iterdir()), key=lambda path: (path.is_dir(), path))
    for entry in entries:
        is_last = entry is entries[-1]
        name = entry.name + "/" * entry.is_dir()
        inner = margin + ("    " if is_last else "│   ")
        sentence = wrap(_sentence(entry), WIDTH - COLUMN, break_on_hyphens=False)
        head, *rest = sentence or [""]
        yield (
            f"{margin}{'└── ' if is_last else '├── '}{name}".ljust(COLUMN - 1) + f" {head}".rstrip()
        )
        below = inner + ("│" if entry.is_dir() else "")
        yield from (below.ljust(COLUMN) + line for line in rest)
        if entry.is_dir():
            yield from _branch(entry, inner)


def _is_listed(path: Path) -> bool:
    if path.is_dir():
        hidden = path.name == "__pycache__" or path.suffix == ".egg-info"
        return not hidden and any(filter(_is_listed, path.iterdir()))
    return path.suffix in LISTED | {""} and path.name != "__init__.py" and path.name[0] != "."


def _sentence(path: Path) -> str:
    """What a file or a folder says about itself."""
    name = path.relative_to(ROOT).as_posix() + "/" * path.is_dir()
    if name in DESCRIPTIONS:
        return DESCRIPTIONS[name]
    if path.is_dir():
        package = path / "__init__.py"
        if package.exists() and DOCSTRING.match(package.read_text(encoding="utf-8")):
            return _sentence(package)
        if path.parts[len(ROOT.parts)] == "tests":
            return f"Tests of {path.name.replace('_', ' ')}."
    elif path.suffix == ".md":
        heading = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        if heading:
            return heading[1]
    elif path.suffix in {".py", ".pyx"}:
        docstring = DOCSTRING.match(path.read_text(encoding="utf-8"))
        if docstring:
            paragraph = " ".join(docstring[1].strip().partition("\n\n")[0].split())
            return SENTENCE_END.split(paragraph)[0]
    elif name.startswith("docs/images/papers-"):
        paper, *figure = path.stem.removeprefix("papers-").split("-")
        return f"Plot: {paper.upper()}, {' '.join(figure)}, with our systems."
    elif path.name.endswith(".test.js"):
        return f"Tests of {path.name.replace('.test', '')}, run by Node."
    elif path.suffix in {".js", ".css"}:
        comment = COMMENT.match(path.read_text(encoding="utf-8"))
        if comment:
            text = re.sub(r"^ \*", "", comment[1], flags=re.MULTILINE)
            paragraph = " ".join(text.strip().partition("\n\n")[0].split())
            return SENTENCE_END.split(paragraph)[0]
    raise ValueError(f"{name} has no description: give it a docstring, or a line in {__file__}")


def page() -> str:
    return f"{HEADING}{listing()}\n"


if __name__ == "__main__":
    TARGET.write_text(HEADING, encoding="utf-8")  # it lists itself
    TARGET.write_text(page(), encoding="utf-8")
