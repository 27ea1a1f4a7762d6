"""`syntagma realize`, `order --text` and `evaluate --sr`: golden outputs and errors."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toys.linearizer import FakeLinearizer, fake_load

import syntagma.linearizer.linearizer
from syntagma import __version__
from syntagma.cli.app import run
from syntagma.errors import SyntagmaError
from syntagma.problem.problem import Problem
from syntagma.realization.detokenization import Detokenizer
from syntagma.request import Request
from syntagma.results.linearization import Linearization
from syntagma.results.realization import NBest, Realization

TREEBANK = """\
# sent_id = t1
# text = Owls hoot…
1\tOwls\towl\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_
2\thoot\thoot\tVERB\tVBP\t_\t0\troot\t_\tSpaceAfter=No
3\t…\t…\tPUNCT\t.\t_\t2\tpunct\t_\t_

# sent_id = t2
# text = Foxes
1\tFoxes\tfox\tNOUN\tNNS\tNumber=Plur\t0\troot\t_\t_

"""
SHARED_TASK = """\
1\t…\t_\tPUNCT\t.\tlin=+1\t3\tpunct\t_\t_
2\towl\t_\tNOUN\tNNS\tNumber=Plur\t3\tnsubj\t_\t_
3\thoot\t_\tVERB\tVBP\t_\t0\troot\t_\t_

1\tfox\t_\tNOUN\tNNS\tNumber=Plur\t0\troot\t_\t_

"""


class FakeRealizer(FakeLinearizer):
    """Plurals have a capital and end in s."""

    def solve(
        self, problems: Iterable[Problem | SyntagmaError], request: Request, **options: Any
    ) -> Iterator[Any]:
        if request.operation == "order":
            yield from super().solve(problems, request, **options)
            return
        solved = super().solve(map(inflected, problems), request, **options)
        for result in solved:
            if isinstance(result, SyntagmaError):
                yield result
            elif isinstance(result, list):
                yield NBest(self.spell(each) for each in result)
            else:
                yield self.spell(result)

    def spell(self, linearization: Linearization) -> Realization:
        return Realization(linearization, Detokenizer().spell(linearization.words))


def inflected(problem: Problem | SyntagmaError) -> Problem | SyntagmaError:
    if isinstance(problem, SyntagmaError):
        return problem
    words = []
    for word in problem.words:
        lemma = word.lemma or ""
        form = lemma.title() + "s" if word.features == "Number=Plur" else lemma
        words.append(replace(word, form=word.form or form))
    return replace(problem, words=tuple(words))


@pytest.fixture(autouse=True)
def linearizer(monkeypatch: pytest.MonkeyPatch) -> FakeRealizer:
    fake = FakeRealizer()
    monkeypatch.setattr(syntagma.linearizer.linearizer, "load", fake_load(fake))
    return fake


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# realize


@pytest.mark.slow
def test_lemmas_as_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["realize", "the", "dog", "bark", ","]) == 0
    assert capsys.readouterr().out == ", bark dog the\n"


@pytest.mark.slow
def test_the_column_of_lemmas_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "trees.conllu", TREEBANK)
    assert run(["realize", "--file", str(path)]) == 0
    assert capsys.readouterr().out == "Owls hoot…\nFoxs\n"


@pytest.mark.slow
def test_the_input_and_output_of_the_shared_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "T1.conllu", SHARED_TASK)
    assert run(["realize", "--sr", "--file", str(path)]) == 0
    assert capsys.readouterr().out == (
        "# sent_id = 1\n# text = Owls hoot …\n\n# sent_id = 2\n# text = Foxs\n\n"
    )
    assert run(["realize", "--sr", "--file", str(path), "--format", "text"]) == 0
    assert capsys.readouterr().out == "Owls hoot…\nFoxs\n"


@pytest.mark.slow
def test_conllu_has_lemmas_features_and_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "T1.conllu", SHARED_TASK)
    assert run(["realize", "--sr", "--file", str(path), "--format", "conllu"]) == 0
    first = capsys.readouterr().out.split("\n\n")[0].splitlines()
    assert first[0] == "# text = Owls hoot…"
    assert [line.split("\t")[1:3] for line in first[2:]] == [
        ["Owls", "owl"],
        ["hoot", "hoot"],
        ["…", "…"],
    ]
    assert first[2].split("\t")[5] == "Number=Plur"
    assert first[3].split("\t")[9] == "SpaceAfter=No"
    assert "lin=" not in "".join(first)


@pytest.mark.slow
def test_json_with_features_in_and_spaces_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = {"words": [{"lemma": "owl", "features": {"Number": "Plur"}}, "hoot"], "id": "s1"}
    feed(monkeypatch, json.dumps(problem))
    assert run(["realize", "--input-format", "json", "--format", "json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (result["id"], result["text"]) == ("s1", "Owls hoot")
    assert [word["lemma"] for word in result["words"]] == ["owl", "hoot"]
    assert [word["space_after"] for word in result["words"]] == [True, False]


@pytest.mark.slow
def test_several_results_and_a_drawn_tree(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["realize", "b", "a", "--n-best", "2"]) == 0
    assert capsys.readouterr().out == "-1.0000\ta b\n-1.0000\tb a\n\n"
    assert run(["realize", "b", "a", "c", "--n-best", "2", "--diverse"]) == 0
    assert capsys.readouterr().out == "-3.0000\tc a b\n-3.0000\tb a c\n\n"
    assert run(["realize", "b", "a", "--format", "tree"]) == 0
    assert "a" in capsys.readouterr().out


@pytest.mark.slow
def test_bad_problems_are_reported_with_their_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "T1.conllu", SHARED_TASK.replace("lin=+1", "lin=1"))
    assert run(["realize", "--sr", "--file", str(path)]) == 2
    assert f"{path}:1: 'lin=1', where lin=+1 or lin=-2" in capsys.readouterr().err
    assert run(["realize", "--sr", "--file", str(path), "--on-error", "skip"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "# sent_id = 2\n# text = Foxs\n\n"
    assert "skipped 1 of 2 problems" in captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "--file", "b"], "give lemmas or --file, not both"),
        (["a", "--sr"], "--sr goes with CoNLL-U"),
        (["--sr", "--input-format", "json"], "--sr goes with CoNLL-U"),
        (["--sr", "--format", "sr", "--n-best", "2"], "--format sr has one sentence per problem"),
        (["a", "--diverse"], "--diverse chooses among several results: set --n-best"),
        (["--format", "auto", "a"], "'auto' is not one of"),
    ],
)
def test_options_that_do_not_go_together(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["realize", *arguments]) == 2
    assert message in capsys.readouterr().err


# order --text


@pytest.mark.slow
def test_an_order_as_people_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", "--text", "a", "…"]) == 0
    assert capsys.readouterr().out == "a…\n"
    assert run(["order", "--text", "a", "…", "--n-best", "1"]) == 0
    assert capsys.readouterr().out == "-1.0000\ta…\n\n"


def test_text_goes_with_text_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", "--text", "--format", "conllu", "a"]) == 2
    assert "--text goes with --format text, not with conllu" in capsys.readouterr().err


# evaluate --sr


@pytest.mark.slow
def test_the_scores_of_the_shared_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write(tmp_path, "ref.conllu", TREEBANK)
    given = write(tmp_path, "T1.conllu", SHARED_TASK)
    record = tmp_path / "figures.json"
    arguments = ["evaluate", "--sr", "--data", str(data), "--input", str(given)]
    assert run([*arguments, "--json", str(record)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("model fake on ref.conllu, 2 sentences, with hints on the order\n")
    assert "right forms 75.00%\n" in out
    assert "as written: BLEU" in out
    assert "exact 50.0%" in out
    assert "SR19|sentences:2|" in out
    assert out.count("|hints:yes|model:unsaved|") == 2
    assert out.count(f"|seed:1|syntagma:{__version__}\n") == 2
    figures = json.loads(record.read_text(encoding="utf-8"))
    assert figures["forms"] == 75.0
    assert figures["hints"] is True
    assert len(figures["signatures"]) == 2
    assert figures["input"]["name"] == "T1.conllu"
    assert run([*arguments, "--no-hints", "--limit", "1"]) == 0
    assert "1 sentences, without hints on the order" in capsys.readouterr().out


@pytest.mark.slow
def test_without_inputs_they_are_made_of_the_treebank(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path, "ref.conllu", TREEBANK)
    assert run(["evaluate", "--sr", "--data", str(data)]) == 0
    assert "2 sentences, without hints" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (SHARED_TASK.split("\n\n")[1] + "\n", "problem 1 has 1 words, but its sentence 't1' has 3"),
        (SHARED_TASK.split("\n\n")[0] + "\n", "the input has 1 problems, but the treebank"),
        (SHARED_TASK.replace("lin=+1", "lin=x"), "T1.conllu:1: 'lin=x', where"),
    ],
)
def test_inputs_that_do_not_belong_to_the_treebank(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str, message: str
) -> None:
    data = write(tmp_path, "ref.conllu", TREEBANK)
    path = write(tmp_path, "T1.conllu", given)
    assert run(["evaluate", "--sr", "--data", str(data), "--input", str(path)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sr", "--spans"], "--sr takes neither"),
        (["--sr", "--condition", "none"], "--sr takes neither"),
        (["--sr", "--search", "best-first"], "--sr takes neither"),
        (["--input", "a"], "--input and --no-hints go with --sr"),
        (["--no-hints"], "--input and --no-hints go with --sr"),
    ],
)
def test_options_of_evaluate_that_do_not_go_together(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", "--data", "a", *arguments]) == 2
    assert message in capsys.readouterr().err
