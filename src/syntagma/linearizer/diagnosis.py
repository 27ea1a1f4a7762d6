"""What a bug report needs: versions, machine, packages, and whether the installed models work.

Nothing here raises, and nothing is imported before it is needed: it must work where the rest of the
package does not. No network is used, and the home folder is written as `~`.
"""

from __future__ import annotations

import locale
import os
import platform
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from syntagma import __version__

if TYPE_CHECKING:
    from syntagma.models.installed import InstalledModel

# What must come out of the words of a sentence, by the name of the model.
SENTENCES = dict.fromkeys(("en", "en-best-first"), "Can you send me the report ?")
# Sentences with the heads of their words, for models of other languages. Only the words must come
# back: somebody's own model may have learned another order.
TREES = {
    "fr": ("Le chat dort .", (2, 3, 0, 3)),
    "id": ("Saya membaca buku itu .", (2, 0, 2, 3, 2)),
    "ko": ("나는 밥을 먹었다 .", (3, 3, 0, 3)),
    "pt": ("O menino lê o livro .", (2, 3, 0, 5, 3, 3)),
    "ru": ("Я читаю книгу .", (2, 0, 2, 2)),
    "vi": ("Tôi đọc sách .", (2, 0, 2, 2)),
    "zh": ("他 是 學生", (3, 3, 0)),
}
ANY_WORDS = "a b c"  # for all other models

# Extras for the development of Syntagma.
_OURS = frozenset({"benchmarks", "dev", "docs", "release", "server-tests"})


@dataclass(frozen=True, slots=True)
class Package:
    """A package that Syntagma needs, or can use; `version` is None if it is not installed.

    `extra` is the extra of Syntagma that installs it, or empty if all of Syntagma needs it.
    """

    name: str
    version: str | None
    needed: str
    extra: str

    @property
    def problem(self) -> str:
        """What is wrong with it, and what to do; or nothing."""
        if self.version is None:
            missing = f"{self.name} is not installed: pip install {self._requirement}"
            return "" if self.extra else missing
        if satisfies(self.version, self.needed):
            return ""
        return f"{self.name} {self.version} is not supported: pip install {self._requirement}"

    @property
    def _requirement(self) -> str:
        return (
            f"--upgrade 'syntagma[{self.extra}]'" if self.extra else f"'{self.name}{self.needed}'"
        )


@dataclass(frozen=True, slots=True)
class Environment:
    """What Syntagma runs on. `core` is None if the compiled modules cannot be loaded."""

    version: str
    folder: str
    installed: str
    core: dict[str, str] | None
    python: str
    executable: str
    platform: str
    processor: str
    processors: int
    memory: int | None
    encodings: dict[str, str]
    packages: list[Package]
    problems: list[str]


@dataclass(frozen=True, slots=True)
class CheckedModel:
    """A model that is installed, and what became of the words of a sentence.

    `right` says whether the sentence came out; None if another order may be right as well.
    """

    name: str = ""
    package: str = ""
    size: int = 0
    sha256: str = ""
    output: str = ""
    right: bool | None = None
    problem: str = ""


def environment() -> Environment:
    """The versions and the machine, without the models."""
    problems: list[str] = []
    core = _core(problems)
    packages = _packages()
    problems.extend(package.problem for package in packages if package.problem)
    return Environment(
        version=__version__,
        folder=shorten(str(Path(__file__).parents[1])),
        installed=_how_installed(problems),
        core=core,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        executable=shorten(sys.executable or "unknown"),
        platform=platform.platform(),
        processor=_processor(),
        processors=_usable_processors(),
        memory=_memory(),
        encodings={
            "files": sys.getfilesystemencoding(),
            "locale": locale.getpreferredencoding(False),
            "output": getattr(sys.stdout, "encoding", None) or "unknown",
        },
        packages=packages,
        problems=problems,
    )


def check_models() -> Iterator[CheckedModel]:
    """Load each installed model and let it order a sentence."""
    try:
        from syntagma.models.installed import installed_models

        models = installed_models()
    except Exception as error:
        problem = f"the installed models cannot be listed: {_told(error)}"
        yield CheckedModel(problem=problem)
        return
    for model in models:
        yield _check(model)


def _check(model: InstalledModel) -> CheckedModel:
    package = f"{model.distribution} {model.version}".rstrip()
    if model.error or model.path is None:
        return CheckedModel(model.name, package, problem=shorten(model.error))
    digest, output, right = "", "", None
    try:
        from syntagma.files.reading import fingerprint
        from syntagma.linearizer.linearizer import Linearizer
        from syntagma.models.loading import load_model
        from syntagma.problem.word import Word

        digest = fingerprint(model.path)
        # By its file: the name of a broken package may stand for another one.
        linearizer = Linearizer(load_model(model.path, search=None), model.path)
        sentence, heads = TREES.get(model.language, (ANY_WORDS, ()))
        sentence = SENTENCES.get(model.name, sentence)
        words: Sequence[Word | str] = sorted(sentence.split())
        if heads and linearizer.takes_arcs:
            words = [
                Word(form, head=head) for form, head in zip(sentence.split(), heads, strict=True)
            ]
        result = linearizer.order(words)
        output, problem = result.text, ""
        if model.name in SENTENCES:
            right = output == sentence
            problem = "" if right else f"it orders {output!r}, where {sentence!r} is right"
        elif sorted(output.split()) != sorted(sentence.split()):
            problem = f"it makes {output!r} of the words {sentence!r}"
        elif heads and output == sentence:
            right = True
        if not isfinite(result.score):
            problem = problem or f"its score of {output!r} is {result.score}"
    except Exception as error:
        problem = _told(error)
    return CheckedModel(model.name, package, model.size, digest, output, right, problem)


def shorten(text: str) -> str:
    """The text with the home folder written as `~`."""
    home = os.path.expanduser("~").rstrip("/\\")
    if not os.path.isabs(home):  # unknown, or the root
        return text
    return re.sub(rf"(?<![\w.-]){re.escape(home)}(?![\w.-])", "~", text)


def satisfies(version: str, needed: str) -> bool:
    """Whether a version is within bounds such as `>=1.26,<3`; what is not understood is."""
    own = _release(version)
    bounds = re.findall(r"(>=|<)(?!=)\s*([^,]+)", needed)
    return not own or all(
        own >= _release(limit) if operator == ">=" else own < _release(limit)
        for operator, limit in bounds
    )


def _release(version: str) -> list[int]:
    """The numbers of a version without zeros at the end: of `2.13.0+cpu` 2 and 13."""
    match = re.match(r"\d+(\.\d+)*", version)
    return list(map(int, re.sub(r"(\.0+)+$", "", match[0]).split("."))) if match else []


def _told(error: Exception) -> str:
    """An error as one line; those of Syntagma speak for themselves."""
    from syntagma.errors import SyntagmaError

    text = " ".join(str(error).split())
    return shorten(text if isinstance(error, SyntagmaError) else f"{type(error).__name__}: {text}")


def _core(problems: list[str]) -> dict[str, str] | None:
    """The compiler of the compiled modules, and the instructions that they use here."""
    try:
        from syntagma.neural._encoder import BUILT_BY, INSTRUCTIONS
    except Exception as error:
        problems.append(
            f"the compiled modules cannot be loaded ({_told(error)}): install Syntagma again, or "
            "in a clone: make build"
        )
        return None
    return {"compiler": BUILT_BY, "instructions": INSTRUCTIONS}


def _how_installed(problems: list[str]) -> str:
    """As a wheel, editable, or not at all; and whether the metadata belong to this code."""
    try:
        distribution = metadata.distribution("syntagma")
        origin = distribution.read_text("direct_url.json") or ""
        version = distribution.version
    except metadata.PackageNotFoundError:
        return "not as a distribution"
    except Exception as error:
        problems.append(f"the metadata of the distribution cannot be read: {_told(error)}")
        return "unknown"
    if re.search(r'"editable"\s*:\s*true', origin):
        return "editable"
    if version != __version__:
        problems.append(
            f"the code is of version {__version__}, but version {version} is installed: pip "
            "uninstall syntagma, and install it again"
        )
    return "from a file or folder" if origin else "from an index"


def _packages() -> list[Package]:
    """What the metadata of the distribution require, those that all of Syntagma needs first."""
    try:
        required = metadata.requires("syntagma") or []
    except Exception:
        return []
    found: dict[str, Package] = {}
    for line in required:
        match = re.fullmatch(r"([\w.-]+)(?:\[[^]]*\])?\s*([^;]*?)\s*(?:;\s*(.*))?", line)
        extra = re.search(r"""extra\s*==\s*["']([^"']+)""", line)
        if match is None or (extra and extra[1] in _OURS) or match[1] in found:
            continue
        name, bounds = match[1], match[2].strip("()").replace(" ", "").split(",")
        needed = ",".join(sorted(bounds, key=lambda bound: bound.startswith("<")))
        try:
            version = metadata.version(name)
        except Exception:
            version = None
        found[name] = Package(name, version, needed, extra[1] if extra else "")
    return sorted(found.values(), key=lambda package: (package.extra, package.name))


def _processor() -> str:
    """The processor by its name, where the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"


def _usable_processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS, not on Windows
        return os.cpu_count() or 1


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
