"""The command line: golden outputs, errors and streaming, with a linearizer that needs no model."""

import errno
import io
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from toys.linearizer import FakeLinearizer, fake_load
from typer.main import get_command

import syntagma.linearizer.linearizer
from syntagma.cli.app import build_command_line, run
from syntagma.cli.info import summarize
from syntagma.cli.stream import PLACES_SHOWN
from syntagma.errors import SyntagmaError, SyntagmaWarning
from syntagma.request import OPTIONS, Operation
from syntagma.training.run import Epoch

Stdin = Callable[[str | bytes], None]

NEURAL = ["train", "a", "b", "-o", "c"]
LINEAR = [*NEURAL, "--scorer", "linear"]

TREEBANK = """\
# sent_id = t1
1\tOwls\t_\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\thoot\t_\tVERB\tVBP\t_\t0\troot\t_\t_

# sent_id = t2
1\tA\t_\tDET\tDT\t_\t2\tdet\t_\t_
2\tfox\t_\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\truns\t_\tVERB\tVBZ\t_\t0\troot\t_\t_

"""


@pytest.fixture(autouse=True)
def linearizer(monkeypatch: pytest.MonkeyPatch) -> FakeLinearizer:
    fake = FakeLinearizer()
    monkeypatch.setattr(syntagma.linearizer.linearizer, "load", fake_load(fake))
    monkeypatch.setattr(syntagma.linearizer.linearizer, "read_info", lambda name: fake.info)
    return fake


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Stdin:
    def feed(content: str | bytes) -> None:
        data = content.encode() if isinstance(content, str) else content
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return feed


# order


@pytest.mark.slow
def test_words_as_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", "the", "dog", "barked"]) == 0
    assert capsys.readouterr().out == "barked dog the\n"


def test_an_argument_with_a_space_is_a_phrase(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", "old", "New York", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [word["form"] for word in result["words"]] == ["New York", "old"]


def test_words_that_look_like_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", "--", "b", "--help", "-a"]) == 0
    assert capsys.readouterr().out == "--help -a b\n"


def test_control_characters_emoji_and_right_to_left(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", "שלום", "🦊", "a\x07b"]) == 0
    assert capsys.readouterr().out == "a\x07b שלום 🦊\n"


def test_stdin_when_there_are_no_words(stdin: Stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin("b a\nd c\n")
    assert run(["order"]) == 0
    assert capsys.readouterr().out == "a b\nc d\n"


def test_json_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", "ox", "an", "--format", "json"]) == 0
    assert capsys.readouterr().out == (
        '{"id": null, "text": "an ox", "score": -2.0, "words": ['
        '{"form": "an", "tag": "X", "head": 2, "deprel": "dep", "source": 2}, '
        '{"form": "ox", "tag": "X", "head": 0, "deprel": "root", "source": 1}]}\n'
    )


def test_conllu_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", "ox", "an", "--format", "conllu"]) == 0
    assert capsys.readouterr().out == (
        "# text = an ox\n# score = -2.0000\n"
        "1\tan\t_\t_\tX\t_\t2\tdep\t_\t_\n"
        "2\tox\t_\t_\tX\t_\t0\troot\t_\t_\n\n"
    )


def test_tree_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", "sleep", "young", "foxes", "--format", "tree"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-3:] for line in lines] == [
        ["foxes", "X", "dep"],
        ["sleep", "X", "dep"],
        ["young", "X", "root"],
        [],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("format", ["text", "json", "conllu", "tree"])
def test_n_best(format: str, stdin: Stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin("b a\nc\n")
    assert run(["order", "--n-best", "5", "--format", format]) == 0
    out = capsys.readouterr().out
    if format == "text":
        assert out == "-1.0000\ta b\n-1.0000\tb a\n\n0.0000\tc\n\n".replace(
            "0.0000\tc", "-0.0000\tc"
        )
    elif format == "json":
        first, second = map(json.loads, out.splitlines())
        assert [each["text"] for each in first["n_best"]] == ["a b", "b a"]
        assert [each["text"] for each in second["n_best"]] == ["c"]
    else:
        assert out.count("\n\n") == 3


def test_alternatives_that_differ(stdin: Stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin("b a c\nd\n")
    assert run(["order", "--n-best", "2", "--diverse"]) == 0
    assert capsys.readouterr().out == "-3.0000\tc a b\n-3.0000\tb a c\n\n-0.0000\td\n\n"


def test_files_of_every_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "bags.txt"
    text.write_text("b a\n")
    lines = tmp_path / "bags.jsonl"
    lines.write_text('{"words": ["d", "c"], "id": "s1"}\n')
    trees = tmp_path / "bags.conllu"
    trees.write_text(TREEBANK)
    files = [f"--file={path}" for path in (text, lines, trees)]
    assert run(["order", *files]) == 0
    assert capsys.readouterr().out == "a b\nc d\nOwls hoot\nA fox runs\n"


def test_input_format(stdin: Stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin('["b", "a c"]\n')
    assert run(["order", "--input-format", "json"]) == 0
    assert capsys.readouterr().out == "a c b\n"


@pytest.mark.slow
def test_output_file_appears_whole_or_not_at_all(
    tmp_path: Path, stdin: Stdin, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old\n")
    stdin("b a\n\n")
    assert run(["order", "--output", str(target)]) == 2
    assert target.read_text() == "old\n"
    stdin("b a\n")
    assert run(["order", "--output", str(target)]) == 0
    assert target.read_text() == "a b\n"
    assert capsys.readouterr().out == ""
    assert list(tmp_path.iterdir()) == [target]


def test_streaming_pulls_no_more_than_needed(
    linearizer: FakeLinearizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
            buffer[:4] = b"b a\n"
            return 4

    class Impatient(io.StringIO):
        """A pipe whose reader leaves after the first line, as `head -1` does."""

        def write(self, text: str) -> int:
            if self.tell():
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
            return super().write(text)

    out = Impatient()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    monkeypatch.setattr(sys, "stdout", out)
    assert run(["order"]) == 0
    assert out.getvalue() == "a b\n"
    assert linearizer.pulled == 2


def test_a_full_disk_behind_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(sys, "stdout", Full())
    assert run(["order", "b", "a"]) == 2
    assert capsys.readouterr().err == (
        "error: cannot write to standard output: No space left on device\n"
    )


# Errors


BAD_LINES = b"b a\n\nd c\n\xff\nf e\n"


def test_stop_at_the_first_bad_problem(stdin: Stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin(BAD_LINES)
    assert run(["order"]) == 2
    out, err = capsys.readouterr()
    assert out == "a b\n"
    assert err.startswith("error: <stdin>:2: ")
    assert err.count("\n") == 1


def test_skip_reports_every_place(stdin: Stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin(BAD_LINES)
    assert run(["order", "--on-error", "skip"]) == 0
    out, err = capsys.readouterr()
    assert out == "a b\nc d\ne f\n"
    first, second, last = err.splitlines()
    assert first.startswith("skipped: <stdin>:2: ")
    assert second.startswith("skipped: <stdin>:4: not UTF-8")
    assert last == "skipped 2 of 5 problems: <stdin>:2, <stdin>:4"


def test_what_is_beyond_a_limit_does_not_end_a_batch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    word, rest = "1\tw", "\t_" * 8
    path = tmp_path / "bags.conllu"
    ranges = "1-" + "9" * 5_000 + f"\tw{rest}\n{word}{rest}\n\n"
    path.write_text(f"{word}{rest}\n\n{ranges}{word}{'x' * 9_000_000}{rest}\n\n{word}{rest}\n")
    assert run(["order", "--file", str(path), "--on-error", "skip"]) == 0
    out, err = capsys.readouterr()
    assert out == "w\nw\n"
    first, second, last = err.splitlines()
    assert first.startswith(f"skipped: {path}:3: ID is '1-9999")
    assert second == f"skipped: {path}:6: the line is longer than the limit of 8 MiB"
    assert last == f"skipped 2 of 4 problems: {path}:3, {path}:6"


def test_a_long_list_of_places_is_cut(stdin: Stdin, capsys: pytest.CaptureFixture[str]) -> None:
    stdin("\n" * (PLACES_SHOWN + 3))
    assert run(["order", "--on-error", "skip"]) == 0
    err = capsys.readouterr().err.splitlines()
    assert len(err) == PLACES_SHOWN + 4
    assert err[-1].startswith("skipped 13 of 13 problems: <stdin>:1, ")
    assert err[-1].endswith(" and 3 more")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("bags.txt", "b a\n" + "w " * 30, ":2: "),
        ("bags.jsonl", '["a"]\n["b"]\n' + json.dumps(["w"] * 30), ":3: "),
        (
            "bags.conllu",
            TREEBANK + "".join(f"{n}\tw\t" + "_\t" * 7 + "_\n" for n in range(1, 31)),
            ":10: ",
        ),
    ],
)
def test_errors_of_the_search_have_a_place(
    name: str, content: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert run(["order", "--max-words", "20", "--file", str(path)]) == 2
    assert f"error: {path}{place}30 words, but at most 20\n" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["order", "a", ""], "word 2"),
        (["order", "a  b"], "space"),
        (["order", "a", "\udcff"], "word 2 is not valid UTF-8: '\\udcff'"),
        (["order", "--file", "/nowhere/bags.txt"], "/nowhere/bags.txt: cannot read the file"),
        (["order", "a", "--output", "/nowhere/out"], "cannot write /nowhere/out"),
        (["order", "a", "--file", "b"], "give words or --file, not both"),
        (["order", "a", "--beam", "0"], "--beam"),
        (["order", "a", "--beam", "1025"], "--beam"),
        (["order", "a", "--beam", "many"], "--beam"),
        (["order", "a", "--n-best", "0"], "--n-best"),
        (["order", "a", "--n-best", "1025"], "--n-best"),
        (["order", "a", "--diverse"], "--diverse chooses among several results: set --n-best"),
        (
            ["order", "a", "--n-best", "2", "--diverse", "--search", "best-first"],
            "--diverse goes with a model for beam search",
        ),
        (["order", "a", "--threads", "0"], "--threads"),
        (["order", "a", "--threads", "257"], "--threads"),
        (["order", "a", "--format", "xml"], "xml"),
        (["order", "a", "--colour"], "--colour"),
        (["arrange", "a"], "arrange"),
        (["score", "a"], "give at least one order"),
        (["score", "a", "--order", "b"], "does not have the words"),
        (["evaluate"], "--data"),
        (["evaluate", "--data", "/nowhere/t.conllu"], "/nowhere/t.conllu: cannot read the file"),
        (["train", "a"], "--output"),
        (["train", "a", "b", "-o", "c", "--scorer", "cubic"], "cubic"),
        ([*NEURAL, "--features", "l15"], "--features goes with --scorer linear, not with neural"),
        ([*NEURAL, "--update", "early"], "--update goes with --scorer linear"),
        ([*NEURAL, "--arcs", "lazy"], "--arcs goes with --scorer linear, not with neural"),
        ([*NEURAL, "-b", "16"], "--beam goes with --scorer linear"),
        ([*LINEAR, "--pretrain", "d"], "--pretrain goes with --scorer neural"),
        ([*LINEAR, "--start", "en"], "--start goes with --scorer neural"),
        ([*NEURAL, "--start", "en", "--min-count", "3"], "--min-count goes with a new model"),
        ([*LINEAR, "--batch-words", "9"], "--batch-words goes with --scorer neural"),
    ],
)
def test_every_error_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


def test_an_epoch_is_shown_with_the_figures_of_its_learner() -> None:
    bleu = {"none": 1.0, "tree": 90.125}
    assert Epoch(3, bleu, {"correct": 0.25}, 7.6).line() == (
        "epoch 3: dev BLEU none 1.00, tree 90.12; 25.0% without update, 8 s CPU"
    )
    assert Epoch(3, {"none": 1.0}, {"loss": 0.123456}, 7.6).line() == (
        "epoch 3: dev BLEU none 1.00; loss 0.1235, 8 s CPU"
    )


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", "a", "", "--debug"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback")
    assert err.splitlines()[-1].startswith("error: ")


def test_a_bug_is_called_a_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(name: str, **options: object) -> Iterator[None]:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(syntagma.linearizer.linearizer, "load", broken)
    assert run(["order", "a"]) == 1
    assert capsys.readouterr().err == (
        "error: ZeroDivisionError: oh (a bug; --debug shows where)\n"
    )


def test_one_warning_on_a_topic_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def doubtful(name: str, **options: object) -> Iterator[None]:
        for message, topic in (("A", "tags"), ("B", "tags"), ("C", "labels"), ("A", "tags")):
            warnings.warn(SyntagmaWarning(message, topic=topic), stacklevel=2)
        raise SyntagmaError("then refused")

    monkeypatch.setattr(syntagma.linearizer.linearizer, "load", doubtful)
    assert run(["order", "a"]) == 2
    assert capsys.readouterr().err == "warning: A\nwarning: C\nerror: then refused\n"


def test_each_warning_is_printed_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def doubtful(name: str, **options: object) -> Iterator[None]:
        for message in ("first\nof two lines", "second", "first\nof two lines"):
            warnings.warn(message, SyntagmaWarning, stacklevel=2)
        raise SyntagmaError("then refused")

    monkeypatch.setattr(syntagma.linearizer.linearizer, "load", doubtful)
    assert run(["order", "a"]) == 2
    assert capsys.readouterr().err == (
        "warning: first of two lines\nwarning: second\nerror: then refused\n"
    )


# The other commands


@pytest.mark.slow
def test_score_ranks_orders(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "--order", "a dog barked", "--order", "barked dog a"]) == 0
    assert capsys.readouterr().out == "-5.0000\tbarked dog a\n-15.0000\ta dog barked\n"


def test_score_keeps_phrases_of_the_bag_together(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["score", "New York", "York", "is", "--order", "York is New York"]
    assert run([*arguments, "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [word["form"] for word in result["words"]] == ["York", "is", "New York"]


@pytest.mark.slow
def test_orders_are_split_as_bags_are(capsys: pytest.CaptureFixture[str]) -> None:
    """At spaces and not at other white space, which may be part of a word."""
    word = "20\u202f000"
    assert run(["order", word, "a\x1cb", "--format", "json"]) == 0
    ordered = json.loads(capsys.readouterr().out)["words"]
    assert run(["score", "--order", f"{word} a\x1cb", "--format", "json"]) == 0
    scored = json.loads(capsys.readouterr().out)["words"]
    assert {each["form"] for each in scored} == {each["form"] for each in ordered}


@pytest.mark.slow
def test_score_with_a_problem_from_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "problem.json"
    path.write_text('{"words": ["ox", {"form": "an", "tag": "DT"}], "id": "p"}\n')
    assert run(["score", "--file", str(path), "--order", "an ox", "--format", "conllu"]) == 0
    assert "1\tan\t_\t_\tDT\t" in capsys.readouterr().out
    path.write_text('["a"]\n["b"]\n')
    assert run(["score", "--file", str(path), "--order", "a"]) == 2
    assert "more than one problem" in capsys.readouterr().err


@pytest.mark.slow
def test_evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    treebank = tmp_path / "toy.conllu"
    treebank.write_text(TREEBANK)
    record = tmp_path / "figures.json"
    arguments = ["evaluate", "--data", str(treebank), "--json", str(record)]
    assert run([*arguments, "--condition", "none", "-c", "pos"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("model fake on toy.conllu, 2 sentences, beam auto\n")
    assert "tok:none" in out
    data = json.loads(record.read_text())
    assert [each["condition"] for each in data["conditions"]] == ["none", "pos"]
    assert data["conditions"][0]["exact"] == 100.0
    assert data["data"]["name"] == "toy.conllu"
    assert data["seed"] == 1


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["info", "en", "--all"]) == 0
    assert capsys.readouterr().out == INFO
    assert run(["info"]) == 0
    assert capsys.readouterr().out == SHORT_INFO


def test_info_is_short(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.undo()
    for model in ("en", "en-best-first"):
        assert run(["info", model]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) < 20
        assert max(map(len, lines)) < 200
        assert {"language", "licence", "tags", "search"} <= {line.split()[0] for line in lines}


def test_info_says_that_there_are_two_networks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.undo()
    assert run(["info", "en"]) == 0
    shown = capsys.readouterr().out
    assert "a network for trees and one for bags and partial trees" in shown
    assert "second network" not in shown
    header = {"scorer": "neural", "networks": {"second": {}}}
    assert ("scorer", "neural, a second network that helps to rerank trees") in summarize(header)


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"data": 3, "figures": 4, "settings": [], "language_model": "x", "start": None},
        {"data": [1, {"words": "a"}], "figures": {"dev": 1}, "settings": {}, "language_model": {}},
        {"preset": "l15", "preset_changes": {"{x}": 1, "x{}": [], "beam": {}, "scaled": None}},
    ],
)
def test_info_of_an_odd_header(
    linearizer: FakeLinearizer, odd: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    linearizer.info.header = odd
    assert run(["info"]) == 0
    assert "licence" in capsys.readouterr().out


SHORT_INFO = """\
name          fake
language      English (en)
scorer        linear
search        beam
tags          XPOS
trained on    toy.conllu (17 words)
started from  older, trained on toy.conllu (17 words)
dev BLEU      none 12.5, labelled 80
licence       CC0
attribution   nobody
created with  -
file          -
size          2.5 MB
"""


INFO = """\
name         fake
language     en
licence      CC0
attribution  nobody
data         name toy.conllu, sha256 00ff, sentences 3, words 17
start name   older
start data   name toy.conllu, words 17
tag column   xpos
templates    2
figures      none 12.5, labelled 80
file         -
size         2.5 MB
"""


@pytest.mark.parametrize("operation", ["order", "realize", "accept"])
def test_commands_have_an_option_for_each_field_of_their_request(operation: Operation) -> None:
    """Parameters reach the request by their names alone (`request_options`)."""
    command = get_command(build_command_line()).commands[operation]  # type: ignore[attr-defined]
    assert {parameter.name for parameter in command.params} >= {*OPTIONS[operation]}
