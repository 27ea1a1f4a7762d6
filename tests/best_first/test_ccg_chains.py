r"""Unary rules on top of unary rules, as CCGbank has for every type-raised bare noun
(N -> NP -> S/(S\NP)), and heads as the file names them: from the file to the search's results.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from references.best_first import all_edges
from references.cases import ccg_case, ccg_nodes
from references.ccg_rules import broken_rules
from toys import ccgbank
from toys.ccg import DERIVATIONS, node, toy_grammar, word

from syntagma.best_first._guided_learning import GuidedSearch
from syntagma.best_first._search import best_first_search
from syntagma.best_first.ccg_grammar import CcgGrammar
from syntagma.best_first.settings import BestFirstSettings
from syntagma.best_first.training import (
    count_unreachable,
    extract_grammar,
    is_derivable,
)
from syntagma.ccg.derivation import Derivation
from syntagma.cli.app import run as command
from syntagma.errors import SyntagmaWarning
from syntagma.features._sparse import TrainingWeights
from syntagma.formats.auto import parse_auto, write_auto
from syntagma.linearizer.linearizer import load
from syntagma.models.container import read_container
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.training.train import train
from syntagma.transition.training import encode_training, learn_vocabulary
from syntagma.transition.vocabulary import Vocabulary
from syntagma.treebanks.corpus import CcgSentence, read_ccgbank

CHAINED = [name for name, each in ccgbank.SENTENCES.items() if each.chains]


def grammar_of(*derivations: Derivation) -> tuple[CcgGrammar, Vocabulary]:
    vocabulary = learn_vocabulary(CcgSentence(None, each).sentence for each in derivations)
    return extract_grammar(derivations, vocabulary), vocabulary


def without_chains(grammar: CcgGrammar) -> CcgGrammar:
    arrays = grammar.to_arrays()
    del arrays["ccg_chains"]
    return CcgGrammar.from_arrays(arrays)


def finds_gold(derivation: Derivation, grammar: CcgGrammar, vocabulary: Vocabulary) -> bool:
    """Whether guided learning, which keeps gold edges, reaches the gold derivation."""
    sentence = CcgSentence(None, derivation).sentence
    problem = Problem.of(map(Word, sentence.forms, sentence.tags))
    _, reference = encode_training(sentence, problem, vocabulary)
    gold = ccg_nodes(derivation, reference.order.tolist(), grammar, vocabulary)
    edges = ccg_case(problem, vocabulary, grammar).make()
    settings = BestFirstSettings(chart=10_000)
    return GuidedSearch(edges, TrainingWeights(), gold, settings).learn(20_000)


# ---- which chains there are ------------------------------------------------------------------


def test_a_grammar_has_chains_if_its_derivations_have() -> None:
    assert not toy_grammar().chains
    assert not grammar_of(ccgbank.derivation("bare"))[0].chains
    for name in CHAINED:
        assert grammar_of(ccgbank.derivation(name))[0].chains


def test_a_file_says_whether_there_are_chains() -> None:
    """Without the section, as in older files, there are none."""
    grammar, _ = grammar_of(ccgbank.derivation("relative"))
    assert CcgGrammar.from_arrays(grammar.to_arrays()).chains
    assert not without_chains(grammar).chains
    assert "ccg_chains" not in toy_grammar().to_arrays()


@pytest.mark.parametrize("name", CHAINED)
def test_gold_with_chains_is_reachable(name: str) -> None:
    gold = ccgbank.derivation(name)
    grammar, vocabulary = grammar_of(gold)
    assert is_derivable(gold, grammar)
    assert broken_rules(gold, grammar, vocabulary) == []
    assert finds_gold(gold, grammar, vocabulary)
    before = without_chains(grammar)
    assert not is_derivable(gold, before)
    assert any(fault.startswith("no chain") for fault in broken_rules(gold, before, vocabulary))
    assert not finds_gold(gold, before, vocabulary)


def test_chains_of_rules_that_were_not_seen_together() -> None:
    """Any chain is allowed as soon as one was seen."""
    seen = [ccgbank.derivation(name) for name in ("reduced", "gerund")]
    grammar, vocabulary = grammar_of(*seen)
    clause = parse_auto(ccgbank.seen(ccgbank.raised(ccgbank.bare("foxes"))), "file")
    assert is_derivable(clause, grammar)
    pears = parse_auto(ccgbank.seen(ccgbank.raised(ccgbank.bare("Pears"))), "file")
    assert finds_gold(pears, grammar, vocabulary)


def cyclic() -> tuple[CcgGrammar, Vocabulary]:
    """A -> B -> C -> A, and A -> A."""
    leaf = Derivation("A", form="x", tag="T")
    tree = node("A", node("C", node("B", leaf)))
    return grammar_of(tree, node("A", leaf), node("S", leaf, leaf))


def test_a_chain_does_not_return() -> None:
    grammar, vocabulary = cyclic()
    case = ccg_case(Problem.of([Word("x"), Word("x")]), vocabulary, grammar)
    found: set[tuple[int, ...]] = set()
    for edge in all_edges(case.plain, lambda key: 0.0).values():
        chain = [edge.label]
        while edge.left is not None and edge.right is None:
            edge = edge.left
            chain.append(edge.label)
        if len(edge.leaves) == 1:
            found.add(tuple(reversed(chain)))
    names = {"".join(grammar.categories[category] for category in chain) for chain in found}
    assert names == {"A", "AA", "AB", "ABC", "AAB", "AABC"}
    search = case.core_search({}, 10**6, False)
    best_first_search(search, 10**6)
    assert search.exhausted


def test_unreachable_gold_is_counted() -> None:
    leaf = Derivation("A", form="x", tag="T")
    returning = node("A", node("C", node("B", leaf)))
    pair = node("S", returning, leaf)
    trees = [CcgSentence("a-1", node("S", leaf, leaf)), CcgSentence("a-2", pair)]
    grammar, vocabulary = grammar_of(*(each.derivation for each in trees))
    assert not finds_gold(pair, grammar, vocabulary)
    with pytest.warns(SyntagmaWarning, match=r"^1 of 2 gold derivations are unreachable.*: a-2$"):
        assert count_unreachable([each.sentence for each in trees], grammar) == 1
    assert count_unreachable([trees[0].sentence], grammar) == 0
    assert is_derivable(node("A", leaf), cyclic()[0])  # one rule is no chain


# ---- heads -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ccgbank.SENTENCES)
def test_heads_are_those_of_the_file(name: str) -> None:
    line, heads, _ = ccgbank.SENTENCES[name]
    assert parse_auto(line, "file").heads() == heads
    assert parse_auto(line, "rule").heads() == heads  # the rules know features


def test_a_file_may_disagree_with_the_rule() -> None:
    line = r"(<T S[dcl] 0 2> (<L NP A A we NP>) (<L S[dcl]\NP B B ran S[dcl]\NP>) )"
    assert parse_auto(line, "file").heads() == (0, 1)
    assert parse_auto(line).heads() == (2, 0)
    assert parse_auto(line, "file") != parse_auto(line)
    assert write_auto(parse_auto(line, "file"), None).splitlines()[1] == line


def test_a_rule_with_both_heads_is_two_rules() -> None:
    left = Derivation("S", (word("we"), word("ran")), head=0)
    right = replace(left, head=1)
    grammar, vocabulary = grammar_of(left, right, left)
    assert grammar.binary[:, 3].tolist() == [0, 1]
    assert len({tuple(row) for row in grammar.binary[:, :3].tolist()}) == 1
    again = CcgGrammar.from_arrays(grammar.to_arrays())
    for each in (left, right):
        assert broken_rules(each, again, vocabulary) == []
        assert finds_gold(each, again, vocabulary)
    assert broken_rules(right, grammar_of(left)[0], vocabulary) != []


# ---- the whole way ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ccgbank.write_ccgbank(tmp_path_factory.mktemp("ccgbank") / "toy.auto")


def test_the_reader_recognises_ccgbank(data: Path, tmp_path: Path) -> None:
    """All derivations of a file have the heads of the file, also those without any feature."""
    for each, expected in zip(read_ccgbank(data), ccgbank.SENTENCES.values(), strict=True):
        assert each.sentence.heads == expected.heads
        assert each.derivation.has_given_heads
    assert not any(each.derivation.has_given_heads for each in read_ccgbank(data, "rule"))
    plain = tmp_path / "plain.auto"
    plain.write_text("".join(write_auto(each, None) for each in DERIVATIONS.values()), "utf-8")
    assert not any(each.derivation.has_given_heads for each in read_ccgbank(plain))
    assert any(each.derivation.has_given_heads for each in read_ccgbank(plain, "file"))


def test_a_model_learns_chains_and_heads(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "model"
    settings = BestFirstSettings(grammar="ccg", condition="pos", epochs=6)
    report = train(data, data, output, settings=settings)
    assert report.epochs[-1].figures["found"] == 1.0
    header = read_container(output)[0]
    assert (header["heads"], header["unreachable"]) == ("file", 0)
    model = load(output, search="best-first")
    for name in CHAINED:
        gold = ccgbank.derivation(name)
        result = model.order(list(map(Word, gold.forms, gold.tags)), expansions=5000)
        assert result.finished
        assert result.heads == ccgbank.SENTENCES[name].heads
        assert [leaf.category for leaf in result.derivations[0].leaves] == [
            leaf.category for leaf in gold.leaves
        ]
    arguments = ["evaluate", "--data", str(data), "--model", str(output), "--search", "best-first"]
    assert command([*arguments, "--expansions", "2000", "--condition", "pos"]) == 0
    assert "100.0" in capsys.readouterr().out


def test_unreachable_gold_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leaf = Derivation("A", form="x", tag="T")
    pair = node("S", node("A", node("B", leaf)), Derivation("A", form="y", tag="T"))
    path = tmp_path / "cyclic.auto"
    path.write_text(write_auto(pair, "a-1"), "utf-8")
    arguments = ["train", str(path), str(path), "-o", str(tmp_path / "model"), "--epochs", "1"]
    assert command([*arguments, "--search", "best-first", "--grammar", "ccg"]) == 0
    shown = capsys.readouterr().err
    assert "warning: 1 of 1 gold derivations are unreachable" in shown
    assert "unreachable 1," in shown
    header = read_container(tmp_path / "model")[0]
    assert (header["heads"], header["unreachable"]) == ("rule", 1)


def test_heads_by_command(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--heads rule` is kept in the header, and the sides of the grammar's rules follow it."""
    odd = tmp_path / "odd.auto"
    line = r"(<T S[dcl] 0 2> (<L NP A A we NP>) (<L S[dcl]\NP B B ran S[dcl]\NP>) )"
    odd.write_text(f"ID=a\n{line}\n", "utf-8")
    for heads, expected in (("file", (0, 1)), ("rule", (2, 0))):
        output = tmp_path / heads
        arguments = ["train", str(odd), str(odd), "-o", str(output), "--epochs", "2"]
        best_first = ["--search", "best-first", "--grammar", "ccg"]
        assert command([*arguments, *best_first, "--heads", heads]) == 0
        assert read_container(output)[0]["heads"] == heads
        model = load(output, search="best-first")
        result = model.order(["ran", "we"], expansions=100)
        assert (result.text, result.heads) == ("we ran", expected)
    capsys.readouterr()
    assert command([*arguments, "--search", "best-first", "--heads", "file"]) == 2
    assert "heads are a setting of the grammar ccg" in capsys.readouterr().err
    assert command([*arguments, "--heads", "file"]) == 2
    assert "--heads goes with --search best-first" in capsys.readouterr().err


def test_the_benchmark_of_reachable_derivations(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    import_module("derivability").main([str(data), str(data)])
    row = "| toy.auto | 13 | 30.77% | 69.23% | 100.00% | 100.00% |"
    assert capsys.readouterr().out.count(row) == 2
