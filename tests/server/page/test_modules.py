"""The modules of the page that know no browser, tested by Node; `modules/` holds the tests."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from syntagma.formats.conllu import read_conllu, write_conllu
from syntagma.formats.jsonl import problem_from_json, write_jsonl
from syntagma.problem.problem import Problem
from syntagma.problem.word import TagColumn, Word
from syntagma.results.linearization import Linearization, Token
from syntagma.results.realization import Realization
from syntagma.results.spelling import Contraction, Spelling

PAGE = Path(__file__).parents[3] / "src/syntagma/server/page"
MODULES = Path(__file__).parent / "modules"
OLDEST = (20, 19)  # reads .js files as modules without being told


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node is not installed")
    version = subprocess.run(
        [found, "--version"], capture_output=True, text=True, check=True
    ).stdout
    major, minor = map(int, re.findall(r"\d+", version)[:2])
    if (major, minor) < OLDEST:
        pytest.skip(f"Node {version.strip()} is older than {OLDEST[0]}.{OLDEST[1]}")
    return found


def test_modules(node: str) -> None:
    ran = subprocess.run(
        [node, "--test", *map(str, sorted(MODULES.glob("*.test.js")))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-2000:]


CONLLU = """\
1\tdogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_
2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t_\tPUNCT\t_\t_\t2\t_\t_\t_

1\tYes\t_\t_\tUH\t_\t_\t_\t_\t_
2\t!\t_\tPUNCT\t_\t_\t_\t_\t_\t_

"""
ODD = CONLLU.replace("Plur", "Plur|x|Number=Sing").replace("VERB", "A B").replace("UH\t_", "UH\tx")
READ = """
import { readProblems } from %s;
import { requestOf } from %s;
const [text, tagColumn, mode] = process.argv.slice(1);
const states = readProblems("x.conllu", text, { tagColumn, mode });
console.log(JSON.stringify(states.map((state) => requestOf(state).body.words)));
"""
WRITE = """
import { writeConllu } from %s;
const [results, tagColumn] = process.argv.slice(1);
for (const [result, words] of JSON.parse(results))
  process.stdout.write(writeConllu(result, tagColumn, words));
"""


def run(node: str, script: str, *arguments: str) -> str:
    """What a script of the page's modules prints; each %s is a module."""
    modules = tuple(
        json.dumps((PAGE / name).as_uri())
        for name in (("files.js", "state.js") if script is READ else ("conllu.js",))
    )
    command = [node, "--input-type=module", "-e", script % modules, "--", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("text", "column", "lemmas"),
    [
        (CONLLU, "xpos", False),
        (CONLLU, "upos", False),
        (CONLLU, "xpos", True),
        (CONLLU, "upos", True),
        (ODD, "xpos", False),
    ],
)
def test_conllu_is_read_as_on_the_command_line(
    node: str, text: str, column: TagColumn, *, lemmas: bool
) -> None:
    mode = "lemmas" if lemmas else "words"
    read = json.loads(run(node, READ, text, column.upper(), mode))
    problems = read_conllu(text.split("\n"), "x", column, "column" if lemmas else None)
    for words, problem in zip(read, problems, strict=True):
        assert isinstance(problem, Problem)
        # What makes no difference: the command line repeats UPOS tags as tags of lemmas that have
        # no others, and may say that features are empty where no word has any.
        featured = any(word.features for word in problem.words)
        expected = [
            replace(
                word,
                tag=None if word.tag == word.upos else word.tag,
                features=word.features if featured else None,
            )
            for word in problem.words
        ]
        assert list(problem_from_json(words, lemmas=lemmas).words) == expected


def results() -> list[Linearization | Realization]:
    french = Problem(
        (
            Word(lemma="de", upos="ADP", head=3),
            Word(lemma="le", upos="DET", features="Gender=Masc"),
            Word(lemma="pain", tag="NC", head=0),
            Word(lemma="!", features=""),
        )
    )
    tokens = (
        Token("de", "P", 3, "case", 1),
        Token("le", "DET", 3, "det", 2),
        Token("pain", "NC", 0, "root", 3),
        Token("!", "PONCT", 3, "punct", 4),
    )
    spelling = Spelling((False, True, False, False), (Contraction(1, 2, "du"),))
    closed = Spelling((False, False, False, False), (Contraction(1, 2, "du"),))
    english = Problem(
        (
            Word("What", features="PronType=Int", head=3),
            Word("did", "VBD", upos="AUX", features="", head=3),
            Word("you talk", upos="VERB", head=0),
            Word("about", head=1),
        )
    )
    crossing = (
        Token("What", "WP", 3, "obl", 1),
        Token("did", "VBD", 3, "aux", 2),
        Token("you talk", "VB", 0, "root", 3),
        Token("about", "IN", 1, "case", 4),
    )
    realized = Linearization(tokens, -1.23456, french)
    return [
        Realization(realized, spelling),
        Realization(realized, closed),
        Linearization(crossing, -7.0, english, narrowed=True),
        Linearization((Token("about", "IN", 0, "root", 4),), 0.5, english, finished=False),
    ]


@pytest.mark.parametrize("column", ["xpos", "upos"])
def test_conllu_is_written_as_on_the_command_line(node: str, column: TagColumn) -> None:
    pairs, expected = [], []
    for result in results():
        tree = result.linearization if isinstance(result, Realization) else result
        spelling = result.spelling if isinstance(result, Realization) else None
        words = [{"upos": word.upos, "features": word.features} for word in tree.problem.words]
        pairs.append([json.loads(write_jsonl(result)), words])
        expected.append(write_conllu(tree, column, spelling))
    assert run(node, WRITE, json.dumps(pairs), column.upper()) == "".join(expected)


def test_the_page_names_no_other_host_and_holds_no_script_or_style_inline() -> None:
    html = (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", html)
    for path in sorted(PAGE.iterdir()):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]+\.[a-z]", text), path.name
        assert "innerHTML" not in text, path.name


def test_modules_are_small_and_every_file_is_used() -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in PAGE.iterdir()}
    reference = (PAGE.parent / "reference.py").read_text(encoding="utf-8")
    everything = "".join([*files.values(), reference])
    for name, text in files.items():
        assert len(text.splitlines()) <= (600 if name.endswith(".css") else 450), name
        assert name == "index.html" or re.search(rf'["/]{re.escape(name)}"', everything), name
