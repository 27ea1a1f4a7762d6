"""How often `accept` accepts sentences of a treebank, and sentences with two words swapped.

    python benchmarks/acceptance.py MODEL --data TREEBANK

prints both rates by length and condition. Each sentence is judged as it is, and with two of its
words, which differ, swapped at random. `--margin` judges by another margin than the model's own.
A last table compares rules for the largest loss that is accepted: constant, or in proportion to a
function of the length. The record (`--json`) also holds every verdict.
"""

from __future__ import annotations

import argparse
import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any

import machine
from records import Table, begin, finish, treebank_options

import syntagma
from syntagma.cli.progress import Ticker
from syntagma.files.reading import fingerprint
from syntagma.training.margin import ACCEPTED, MAX_WORDS, SEED, swap
from syntagma.treebanks.conditions import CONDITIONS, MAIN_CONDITIONS, constrain, sentence_rng

LENGTHS = ((2, 3), (4, 6), (7, 9), (10, 12), (13, 16), (17, 20), (21, 30), (31, 40), (41, 10_000))
KINDS = ("attested", "swapped")
RULES: dict[str, Callable[[int], float]] = {
    "constant": lambda words: 1.0,
    "√ words": math.sqrt,
    "words": float,
    "words - 1": lambda words: words - 1.0,
}


def main() -> None:
    arguments = parse_arguments()
    linearizer = syntagma.load(arguments.model, language_model=not arguments.no_lm)
    sentences = syntagma.read_treebank(arguments.data, linearizer.tag_column)[: arguments.limit]
    record = begin(arguments)
    record["model"] = describe_model(linearizer)
    record["verdicts"] = []
    for condition in arguments.conditions:
        record["verdicts"] += judge(linearizer, sentences, condition, arguments)
    if not record["verdicts"]:
        raise SystemExit(
            f"error: {arguments.data}: no sentence of 2 to {arguments.max_words} words"
        )
    record["margin"] = record["verdicts"][0]["attested"]["margin"]
    record["signature"] = sign(record, arguments)
    record["rates"] = rates(record["verdicts"])
    record["rules"] = compare_rules(record["verdicts"])
    finish(arguments, record, tabulate(record), tabulate_faults(record), tabulate_rules(record))


def parse_arguments() -> argparse.Namespace:
    parser = treebank_options(__doc__, MAIN_CONDITIONS)
    parser.add_argument("model", metavar="MODEL", help="name or file of a model")
    parser.add_argument("--no-lm", action="store_true", help="without its language model")
    parser.add_argument("--margin", type=float, metavar="LOSS", help="instead of the model's own")
    parser.add_argument("--max-words", type=int, default=MAX_WORDS, metavar="N")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    return parser.parse_args()


def describe_model(linearizer: syntagma.Linearizer) -> dict[str, Any]:
    path = linearizer.info.path
    return {
        "name": linearizer.info.header.get("name"),
        "sha256": fingerprint(path) if path is not None else None,
        "language_model": linearizer.has_language_model,
    }


def judge(
    linearizer: syntagma.Linearizer,
    sentences: Sequence[syntagma.Sentence],
    condition: str,
    arguments: argparse.Namespace,
) -> Iterator[dict[str, Any]]:
    """The verdicts on the sentences that are short enough and have two different words."""
    items, facts = [], []
    for index, sentence in enumerate(sentences):
        swapped = swap(sentence.forms, sentence_rng(SEED, index))
        if len(sentence.forms) <= arguments.max_words and swapped is not None:
            problem = constrain(sentence, CONDITIONS[condition], sentence_rng(SEED, index))
            items += [(problem, sentence.forms), (problem, swapped)]
            pairs = zip(sentence.forms, swapped, strict=True)
            place = next(at for at, (word, other) in enumerate(pairs, start=1) if word != other)
            facts.append({"condition": condition, "words": len(swapped), "first_swapped": place})
    judged = linearizer.accept_many(items, margin=arguments.margin, threads=arguments.threads)
    with Ticker(condition, total=len(facts)) as ticker:
        for fact in facts:
            verdicts = {kind: describe(next(judged)) for kind in KINDS}
            ticker.advance()
            yield {**fact, **verdicts}


def describe(acceptance: syntagma.Acceptance | syntagma.SyntagmaError) -> dict[str, Any]:
    assert isinstance(acceptance, syntagma.Acceptance)  # errors are raised
    return {
        "verdict": acceptance.verdict,
        "loss": None if acceptance.given is None else round(acceptance.loss, 4),
        "margin": acceptance.margin,
        "share": round(acceptance.share, 4),
        "position": acceptance.position,
        "text": acceptance.text,
        "best": acceptance.best.text,
    }


def sign(record: dict[str, Any], arguments: argparse.Namespace) -> str:
    model = record["model"]
    return "|".join(
        (
            f"model:{model['name']}",
            f"lm:{'yes' if model['language_model'] else 'no'}",
            f"margin:{record['margin']:g}",
            f"words:2-{arguments.max_words}",
            f"seed:{SEED}",
            f"data:{record['data']['name']}",
            f"version:{record['syntagma']}",
        )
    )


def rates(verdicts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The share of accepted orders, and of best ones, by condition and length; lengths are
    classes, and all together."""
    found = []
    for condition, group in groupby(verdicts, key=lambda each: each["condition"]):
        members = list(group)
        for low, high in (*LENGTHS, (LENGTHS[0][0], LENGTHS[-1][1])):
            chosen = [each for each in members if low <= each["words"] <= high]
            if chosen:
                found.append({"condition": condition, "lengths": (low, high), **_rates(chosen)})
    return found


def _rates(verdicts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {"sentences": len(verdicts)}
    for kind in KINDS:
        judged = [each[kind] for each in verdicts]
        found[kind] = fmean(each["verdict"] != "worse" for each in judged)
        found[f"{kind}_same"] = fmean(each["verdict"] == "same" for each in judged)
        worse = [each for each in judged if each["verdict"] == "worse"]
        found[f"{kind}_share"] = fmean(each["share"] for each in worse) if worse else None
    rejected = [each for each in verdicts if each["swapped"]["verdict"] == "worse"]
    faults = [each["swapped"]["position"] == each["first_swapped"] for each in rejected]
    found["faults_found"] = fmean(faults) if faults else None
    return found


def tabulate(record: dict[str, Any]) -> Table:
    conditions = list(dict.fromkeys(each["condition"] for each in record["rates"]))
    table = Table(
        f"Accepted orders in % ({record['model']['name']}, {record['data']['name']}): "
        "of the treebank, and with two words swapped",
        "words",
        [("", ["sentences"]), *((condition, KINDS) for condition in conditions)],
    )
    by_lengths = sorted(
        record["rates"], key=lambda each: (each["lengths"] == _ALL, each["lengths"])
    )
    for lengths, group in groupby(by_lengths, key=lambda each: each["lengths"]):
        rows = {each["condition"]: each for each in group}
        sentences = max(each["sentences"] for each in rows.values())
        cells = [f"{100 * rows[condition][kind]:.1f}" for condition in conditions for kind in KINDS]
        table.rows.append([_name(lengths), str(sentences), *cells])
    table.notes.append(record["signature"])
    return table


def tabulate_faults(record: dict[str, Any]) -> Table:
    """How many orders are the best one itself, what is right in those that are worse, and how often
    the fault is the first of two swapped words."""
    table = Table(
        "Best orders in %; right adjacencies of worse ones; faults at the first swapped word in %",
        "condition",
        [("same", KINDS), ("share", KINDS), ("fault", ["found"])],
    )
    for each in record["rates"]:
        if each["lengths"] == _ALL:
            shares = [each[f"{kind}_share"] for kind in KINDS]
            found = each["faults_found"]
            table.rows.append(
                [
                    each["condition"],
                    *(f"{100 * each[f'{kind}_same']:.1f}" for kind in KINDS),
                    *("-" if share is None else f"{share:.2f}" for share in shares),
                    "-" if found is None else f"{100 * found:.1f}",
                ]
            )
    return table


def compare_rules(verdicts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """By condition and rule, the share of swapped orders that are accepted if the limit is the
    least that accepts the wanted share of attested ones."""
    found = []
    for condition, group in groupby(verdicts, key=lambda each: each["condition"]):
        members = list(group)
        for rule, scale in RULES.items():
            attested, swapped = (
                sorted(_loss(each[kind]) / scale(each["words"]) for each in members)
                for kind in KINDS
            )
            limit = attested[math.ceil(ACCEPTED * len(attested)) - 1]
            rate = bisect_right(swapped, limit) / len(swapped)
            found.append({"condition": condition, "rule": rule, "limit": limit, "swapped": rate})
    return found


def _loss(judged: dict[str, Any]) -> float:
    return math.inf if judged["loss"] is None else max(judged["loss"], 0.0)


def tabulate_rules(record: dict[str, Any]) -> Table:
    conditions = list(dict.fromkeys(each["condition"] for each in record["rules"]))
    table = Table(
        f"Accepted swaps in % if {ACCEPTED:.0%} of attested orders are accepted: the limit of the "
        "loss grows with …",
        "rule",
        [("", conditions)],
    )
    for rule in RULES:
        rates = [each["swapped"] for each in record["rules"] if each["rule"] == rule]
        table.rows.append([rule, *(f"{100 * rate:.1f}" for rate in rates)])
    return table


_ALL = (LENGTHS[0][0], LENGTHS[-1][1])


def _name(lengths: tuple[int, int]) -> str:
    if lengths == _ALL:
        return "all"
    return f"{lengths[0]}+" if lengths == LENGTHS[-1] else f"{lengths[0]}-{lengths[1]}"


if __name__ == "__main__":
    machine.start(main)
