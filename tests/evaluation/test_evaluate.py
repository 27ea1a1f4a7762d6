"""Evaluation: figures and signatures, on a linearizer whose output is known."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console
from sacrebleu.metrics.bleu import BLEU
from toys.sentences import permuted, random_sentences, write_sentences

from syntagma.errors import SyntagmaError
from syntagma.evaluation.bleu import bleu
from syntagma.evaluation.evaluate import Report, evaluate
from syntagma.evaluation.report import (
    choose_examples,
    examples_as_dict,
    render_examples,
    report_as_dict,
    tables,
)
from syntagma.problem.problem import Problem
from syntagma.request import Request
from syntagma.results.linearization import Linearization, Token
from syntagma.treebanks.treebank import Sentence, read_treebank

if TYPE_CHECKING:
    from syntagma.linearizer.linearizer import Linearizer


def sentence(text: str) -> Sentence:
    """A sentence whose first word is the head of all others."""
    forms = tuple(text.split())
    others = len(forms) - 1
    return Sentence(
        forms,
        ("X",) * len(forms),
        (0,) + (1,) * others,
        ("root",) + ("dep",) * others,
    )


SENTENCES = [
    sentence("no"),
    sentence("quiet rivers carry old boats"),
    sentence("we saw nine small foxes cross one long bridge before the cold rain began again"),
    sentence(" ".join(f"w{number}" for number in range(45))),
]


@dataclass
class FakeInfo:
    header: dict[str, Any]
    path: Path | None = None
    size: int = 0
    name: str = "fake"


class FakeLinearizer:
    """Finds the gold order of every sentence that it knows, and lists the others backwards."""

    def __init__(self, known: Iterable[Sentence]) -> None:
        self.known = {tuple(sorted(gold.forms)): gold for gold in known}
        self.info = FakeInfo({"name": "fake"})
        self.beam = 64
        self.max_words = 700
        self.lifts = False
        self.judge = None
        self.search = "beam"
        self.beams: set[int | None] = set()

    def order(
        self, problem: Problem, *, beam: int | None = None, max_words: int = 512
    ) -> Linearization:
        assert len(problem.words) <= max_words
        self.beams.add(beam)
        forms = [word.form for word in problem.words]
        gold = self.known.get(tuple(sorted(forms)))
        target = gold.forms if gold else sorted(forms, reverse=True)
        tokens = tuple(
            Token(form, "X", min(place, 1), "root" if place == 0 else "dep", forms.index(form) + 1)
            for place, form in enumerate(target)
        )
        return Linearization(tokens, 0.0, problem)

    def solve(
        self, problems: Iterable[Problem], request: Request, *, threads: int = 1
    ) -> Iterator[Linearization]:
        for problem in problems:
            yield self.order(problem, beam=request.beam, max_words=request.max_words)


def fake(known: Iterable[Sentence] = SENTENCES) -> "Linearizer":
    return cast("Linearizer", FakeLinearizer(known))


class HastyLinearizer(FakeLinearizer):
    """Runs out of time with more than ten words: only the first ten of them come out, unjoined."""

    def order(
        self, problem: Problem, *, beam: int | None = None, max_words: int = 512
    ) -> Linearization:
        result = super().order(problem, beam=beam, max_words=max_words)
        if len(result.tokens) <= 10:
            return result
        tokens = (replace(token, head=0, deprel="root") for token in result.tokens[:10])
        return replace(result, tokens=tuple(tokens), finished=False)


class _Lowering(FakeLinearizer):
    """Forgets case."""

    def order(self, problem: Problem, **given: Any) -> Linearization:
        result = super().order(problem, **given)
        order = sorted(result.tokens, key=lambda token: token.form.lower())
        tokens = tuple(replace(token, form=token.form.lower()) for token in order)
        return replace(result, tokens=tokens)


def hasty() -> "Linearizer":
    return cast("Linearizer", HastyLinearizer(SENTENCES))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_sentence_may_be_as_long_as_the_model_can_order(threads: int) -> None:
    long = sentence(" ".join(f"w{number}" for number in range(600)))
    linearizer = cast("Linearizer", FakeLinearizer([long]))
    [figures] = evaluate(linearizer, [long], ["tree"], threads=threads).figures
    assert figures.bleu == pytest.approx(100)


def test_a_perfect_system() -> None:
    report = evaluate(fake(), SENTENCES, ["none", "labelled"], beam=8)
    assert [figures.condition for figures in report.figures] == ["none", "labelled"]
    for figures in report.figures:
        assert figures.bleu == pytest.approx(100)
        assert figures.exact == 100
        assert figures.sentences == 4
        assert figures.violations == 0
        assert figures.coverage == 100
        assert figures.unfinished == 0
        assert figures.outputs == report.references
        assert figures.cpu_ms > 0


def test_figures_by_length() -> None:
    figures = evaluate(fake(SENTENCES[:3]), SENTENCES, ["tree"])["tree"]
    assert [(row.length, row.sentences) for row in figures.lengths] == [
        ("1-10", 2),
        ("11-20", 1),
        ("21-30", 0),
        ("31-40", 0),
        ("41+", 1),
    ]
    assert [row.exact for row in figures.lengths] == [100, 100, None, None, 0]
    assert figures.exact == 75
    assert figures.lengths[1].bleu == pytest.approx(100)
    assert figures.lengths[2].bleu is None
    assert figures.lengths[4].bleu is not None
    assert figures.lengths[4].bleu < 5
    # The unknown sentence came out backwards: its tree is not the given one.
    assert figures.violations > 0


@pytest.mark.parametrize("threads", [1, 2])
def test_what_an_unfinished_result_leaves_out(threads: int) -> None:
    figures = evaluate(hasty(), SENTENCES, ["labelled"], threads=threads)["labelled"]
    assert figures.unfinished == 2
    # 1, 5, 15 and 45 words, of which ten come out at most.
    assert figures.coverage == pytest.approx(100 * (1 + 5 + 10 + 10) / (1 + 5 + 15 + 45))
    assert [row.coverage for row in figures.lengths] == [
        100,
        pytest.approx(100 * 10 / 15),
        None,
        None,
        pytest.approx(100 * 10 / 45),
    ]
    assert figures.violations == 0


def test_threads_give_the_same_figures_without_time_by_length() -> None:
    one = evaluate(fake(SENTENCES[:2]), SENTENCES, ["pos"])["pos"]
    two = evaluate(fake(SENTENCES[:2]), SENTENCES, ["pos"], threads=2)["pos"]
    assert (one.bleu, one.exact, one.outputs) == (two.bleu, two.exact, two.outputs)
    assert one.signature == two.signature
    assert all(row.cpu_ms is None for row in two.lengths)


def test_the_signature_says_everything_that_matters(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.write_bytes(b"some model")
    linearizer = fake()
    cast(Any, linearizer).info.path = model
    signature = evaluate(linearizer, SENTENCES, ["half"], beam=16, seed=3)["half"].signature
    parts = dict(part.split(":", 1) for part in signature.split("|"))
    assert parts["tok"] == "none"
    assert parts["case"] == "mixed"
    assert parts["condition"] == "half"
    assert parts["beam"] == "16"
    assert parts["seed"] == "3"
    assert parts["n"] == "4"
    assert parts["model"] == "39739859"  # sha256 of "some model"
    assert len(parts["data"]) == 8
    assert "syntagma" in parts
    changed = [*SENTENCES[:3], replace(SENTENCES[3], tags=("Y",) * 45)]
    other = evaluate(linearizer, changed, ["half"], beam=16, seed=3)["half"].signature
    assert other != signature


def test_how_bleu_counts_is_an_option_and_in_the_signature() -> None:
    gold = sentence("The fox-like dog ran off")
    backwards = fake(known=[])  # ran off fox-like dog The
    by_default = evaluate(backwards, [gold], ["none"])["none"]
    others = evaluate(backwards, [gold], ["none"], bleu_tokenize="13a", lowercase=True)["none"]
    assert others.outputs == by_default.outputs == ("ran off fox-like dog The",)
    metric = BLEU(tokenize="13a", lowercase=True, force=True)
    assert others.bleu == metric.corpus_score(others.outputs, [[gold.text]]).score
    assert others.lengths[0].bleu == others.bleu
    assert "|case:mixed|eff:no|tok:none|" in by_default.signature
    assert "|case:lc|eff:no|tok:13a|" in others.signature
    mixed = sentence("A B c D e")
    cased, caseless = (
        evaluate(cast("Linearizer", _Lowering([])), [mixed], ["none"], lowercase=lowercase)["none"]
        for lowercase in (False, True)
    )
    assert cased.bleu < caseless.bleu == pytest.approx(100)
    assert cased.exact == caseless.exact == 0


def test_sentences_without_trees() -> None:
    plain = [Sentence(gold.forms) for gold in SENTENCES]
    bags, annotated = evaluate(fake(), plain, "none"), evaluate(fake(), SENTENCES, "none")
    assert bags["none"].outputs == annotated["none"].outputs
    assert bags["none"].lengths[1].sentences == annotated["none"].lengths[1].sentences
    digests = [each["none"].signature.split("|data:")[1][:8] for each in (bags, annotated)]
    assert digests[0] != digests[1]
    with pytest.raises(SyntagmaError, match="the condition must be none, not tree"):
        evaluate(fake(), [SENTENCES[0], plain[1]], ["none", "tree"])
    with pytest.raises(SyntagmaError, match="no trees: there are no spans to compare"):
        evaluate(fake(), plain, "none", spans=True)


def test_words_as_people_type_them() -> None:
    gold = sentence("Am I late ?")
    typed = fake([Sentence(("am", "I", "late"))])
    report = evaluate(typed, [gold], "none", as_typed=True)
    assert report.references == report["none"].outputs == ("am I late",)
    signature = report["none"].signature
    as_written = evaluate(typed, [gold], "none")["none"].signature
    assert signature.replace("|words:as typed|", "|") == as_written
    with pytest.raises(SyntagmaError, match="the condition must be none, not pos"):
        evaluate(typed, [gold], "pos", as_typed=True)


def test_phrases_are_counted_word_by_word() -> None:
    """A base NP is one word of the bag, and BLEU and coverage count its words."""
    one = Sentence(("the old boat", "sank"), ("NP", "VBD"), (2, 0), ("nsubj", "root"))
    two = replace(one, forms=("sank", "the old boat"), heads=(0, 1))
    right = evaluate(fake([one]), [one], ["none"])["none"]
    assert right.bleu == pytest.approx(100)  # four words; of two words there are no 4-grams
    wrong = evaluate(fake([two]), [one], ["none"])["none"]
    assert wrong.outputs == ("sank the old boat",)
    assert wrong.bleu == bleu(["sank the old boat"], ["the old boat sank"])
    assert right.lengths[0].sentences == 1

    class Cut(FakeLinearizer):
        def order(self, problem: Problem, **given: Any) -> Linearization:
            result = super().order(problem, **given)
            kept = replace(result.tokens[0], head=0)
            return replace(result, tokens=(kept,), finished=False)

    cut = evaluate(cast("Linearizer", Cut([one])), [one], ["none"])["none"]
    assert cut.coverage == cut.lengths[0].coverage == 75


def test_examples_by_length() -> None:
    many = [*SENTENCES, *(sentence(f"s{number} t u v") for number in range(8))]
    report = evaluate(fake(SENTENCES), many, ["none", "tree"])
    outputs = {figures.condition: figures.outputs for figures in report.figures}
    chosen = choose_examples(report.references, outputs, 3)
    # "1-10": sentences 1, 2 and 5 to 12, of which every third; then one each of the others.
    assert [(each.number, each.length) for each in chosen.examples] == [
        *((1, "1-10"), (6, "1-10"), (9, "1-10"), (3, "11-20"), (4, "41+")),
    ]
    for each in chosen.examples:
        assert each.reference == report.references[each.number - 1]
        assert [output.name for output in each.outputs] == ["none", "tree"]
        for output, figures in zip(each.outputs, report.figures, strict=True):
            assert output.text == figures.outputs[each.number - 1]
            assert (output.bleu == pytest.approx(100)) == (output.text == each.reference)
    assert "|eff:yes|" in chosen.signature
    text = render_examples(chosen)
    assert text.startswith("1-10 words\n\nreference         no\nnone       100.0  no\n")
    assert text.count(" words\n") == 3
    data = examples_as_dict(chosen)
    assert json.loads(json.dumps(data)) == data
    assert data["sentences"][1]["outputs"][0]["text"] == "v u t s1"
    assert len(choose_examples(report.references, outputs, 99).examples) == len(many)
    for count in (0, -1, 1.5):
        with pytest.raises(SyntagmaError, match="at least 1"):
            choose_examples(report.references, outputs, cast(int, count))


@pytest.mark.parametrize("threads", [1, 2])
def test_spans_on_request(threads: int) -> None:
    assert evaluate(fake(), SENTENCES, ["none"], threads=threads)["none"].spans is None
    report = evaluate(hasty(), SENTENCES, ["none", "tree"], threads=threads, spans=True)
    for figures in report.figures:
        assert figures.spans is not None
        # One span of each sentence but the first, which is a single word; two are unfinished.
        whole = figures.spans.scores[-1]
        assert (whole.output, whole.gold, whole.right) == (1, 3, 1)
    data = report_as_dict(report)
    assert json.loads(json.dumps(data)) == data
    assert data["conditions"][1]["spans"]["scores"][1] == {
        "length": "<10",
        "output": 1,
        "gold": 1,
        "right": 1,
        "precision": 100.0,
        "recall": 100.0,
        "f": 100.0,
    }
    assert data["conditions"][1]["spans"]["distribution"][3] == {
        "length": "5",
        "output": 1,
        "gold": 1,
        "output_share": 100.0,
        "gold_share": 33.33,
    }


class Listener(FakeLinearizer):
    """Keeps the problems that it is given."""

    def __init__(self) -> None:
        super().__init__([])
        self.problems: list[Problem] = []

    def order(
        self, problem: Problem, *, beam: int | None = None, max_words: int = 512
    ) -> Linearization:
        self.problems.append(problem)
        return super().order(problem, beam=beam, max_words=max_words)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random_sentences(), st.data())
def test_arcs_are_given_as_annotated_whatever_the_order(
    tmp_path: Path, sentence: Sentence, data: st.DataObject
) -> None:
    other = permuted(sentence, data.draw(st.permutations(range(len(sentence)))))
    heads = dict(zip(sentence.forms, sentence.heads, strict=True))
    whole = ["none", "pos", "tree", "labelled", "tags0-arcs100"]
    given = []
    for each in (sentence, other):
        [read] = read_treebank(write_sentences(tmp_path / "toy.conllu", [each]))
        listener = Listener()
        evaluate(cast("Linearizer", listener), [read], [*whole, "half"])
        *full, half = listener.problems
        for problem in (*full, half):
            for word in problem.words:
                if word.head is not None:
                    head = heads[word.form]
                    assert (problem.words[word.head - 1].form if word.head else "") == (
                        sentence.forms[head - 1] if head else ""
                    )
        assert all(word.head is not None for problem in full[2:] for word in problem.words)
        given.append(
            [
                sorted((w.form, w.tag or "", w.deprel or "") for w in problem.words)
                for problem in full
            ]
        )
    assert given[0] == given[1]


def test_limit_and_progress() -> None:
    ticks: list[None] = []
    report = evaluate(
        fake(), SENTENCES, ["none", "pos"], limit=2, on_sentence=lambda: ticks.append(None)
    )
    assert report["pos"].sentences == 2
    assert len(ticks) == 4


def test_bad_requests() -> None:
    with pytest.raises(SyntagmaError, match="unknown condition 'some': choose from none, pos"):
        evaluate(fake(), SENTENCES, ["some"])
    with pytest.raises(SyntagmaError, match="no sentences"):
        evaluate(fake(), [])
    with pytest.raises(SyntagmaError, match="bleu_tokenize must be none or 13a, not 'zh'"):
        evaluate(fake(), SENTENCES, bleu_tokenize=cast(Any, "zh"))
    with pytest.raises(SyntagmaError, match="lowercase must be True or False, not 1"):
        evaluate(fake(), SENTENCES, lowercase=cast(Any, 1))
    with pytest.raises(SyntagmaError, match="as_typed must be True or False, not None"):
        evaluate(fake(), SENTENCES, as_typed=cast(Any, None))


def test_report_as_json() -> None:
    data = report_as_dict(evaluate(fake(), SENTENCES, ["tree"]))
    assert json.loads(json.dumps(data)) == data
    assert data["model"] == "fake"
    (figures,) = data["conditions"]
    assert figures["bleu"] == 100.0
    assert figures["coverage"] == 100.0
    assert figures["unfinished"] == 0
    assert "spans" not in figures
    assert figures["lengths"][2] == {
        "length": "21-30",
        "sentences": 0,
        "bleu": None,
        "exact": None,
        "coverage": None,
        "cpu_ms": None,
    }


def shown(report: Report) -> str:
    """The tables of a report as they are printed, with made-up times."""
    still = replace(
        report,
        figures=tuple(
            replace(
                figures,
                cpu_ms=1.5,
                seconds=2.0,
                lengths=tuple(replace(row, cpu_ms=2.25) for row in figures.lengths),
            )
            for figures in report.figures
        ),
    )
    console = Console(width=100)
    with console.capture() as capture:
        console.print(*tables(still), sep="\n")
    lines = [line.rstrip() for line in capture.get().splitlines()]
    return "\n".join(lines).strip()


def test_report_as_tables() -> None:
    assert shown(evaluate(fake(), SENTENCES, ["none", "tree"])) == GOLDEN.strip()


def test_report_of_unfinished_results_as_tables() -> None:
    [none] = evaluate(fake(), SENTENCES, ["none"]).figures
    report = evaluate(hasty(), SENTENCES, ["tree"])
    report = replace(report, figures=(none, *report.figures))
    assert shown(report) == GOLDEN_UNFINISHED.strip()


GOLDEN = """
condition     BLEU   exact %   CPU ms   sent./s   violations
────────────────────────────────────────────────────────────
none        100.00     100.0     1.50         2            0
tree        100.00     100.0     1.50         2            0
                             none            tree
words   sentences    BLEU      ms    BLEU      ms
─────────────────────────────────────────────────
1-10            2   100.0    2.25   100.0    2.25
11-20           1   100.0    2.25   100.0    2.25
41+             1   100.0    2.25   100.0    2.25
"""

# What comes out is right, so BLEU is the penalty for brevity: exp(1 - 66/26), exp(1 - 15/10) ...
GOLDEN_UNFINISHED = """
condition     BLEU   exact %   coverage %   unfinished   CPU ms   sent./s   violations
──────────────────────────────────────────────────────────────────────────────────────
none        100.00     100.0        100.0            0     1.50         2            0
tree         21.47      50.0         39.4            2     1.50         2            0
                             none            tree
words   sentences    BLEU      ms    BLEU      ms
─────────────────────────────────────────────────
1-10            2   100.0    2.25   100.0    2.25
11-20           1   100.0    2.25    60.7    2.25
41+             1   100.0    2.25     3.0    2.25
                          none         tree
words   sentences   coverage %   coverage %
───────────────────────────────────────────
1-10            2        100.0        100.0
11-20           1        100.0         66.7
41+             1        100.0         22.2
"""
