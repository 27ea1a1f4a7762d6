"""The command line of fuzzing: `python -m fuzzing --help`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from fuzzing.findings import Finding, replay_command, save, target_of
from fuzzing.supervision import MEGABYTES, Campaign, Limits, Worker
from fuzzing.targets import TARGETS, Target, case_of, create, names_of


def main(arguments: list[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    limits = Limits(given.limit, given.megabytes)
    if given.replay is not None:
        return _replay(given.replay, limits)
    names = list(dict.fromkeys(each for group in given.target or [TARGETS] for each in group))
    seconds = None if given.minutes is None else 60 * given.minutes / len(names)
    count = given.count if seconds is not None or given.count is not None else 1000
    total = found = 0
    for name in names:
        begun = time.monotonic()
        try:
            target = create(name)
        except ImportError as error:  # of an optional package
            print(f"{name}: left out, {error}", flush=True)
            continue

        def report(finding: Finding, target: Target = target) -> None:
            data = case_of(target, finding.target, finding.seed, finding.number)
            place = save(finding, data, given.findings)
            print(f"{finding.target} {finding.number}: {finding.what}", flush=True)
            print(f"    {replay_command(place)}", flush=True)

        campaign = Campaign(name, given.seed, count, seconds, limits, report)
        campaign.run(given.jobs)
        taken = time.monotonic() - begun
        print(
            f"{name}: seed {given.seed}, {campaign.cases} cases, {campaign.findings} findings,"
            f" {taken:.0f} s",
            flush=True,
        )
        total += campaign.cases
        found += campaign.findings
    print(f"all: {total} cases, {found} findings")
    return 1 if found else 0


def _replay(place: Path, limits: Limits) -> int:
    worker = Worker(target_of(place), limits)
    try:
        happened = worker.ask(f"file {(place / 'input').resolve()}")
    finally:
        worker.stop()
    if happened is None:
        print("not a finding any more")
        return 0
    what, printed = happened
    print(f"{printed}{what}")
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m fuzzing",
        description="Run Syntagma on random and hostile inputs. Exit code 1: something broke.",
    )
    parser.add_argument(
        "--target",
        action="append",
        type=_targets,
        metavar="TARGET",
        help=f"what to fuzz; may be repeated (default: everything): {', '.join(_groups())}",
    )
    parser.add_argument("--seed", type=int, default=1, help="other seeds, other inputs")
    parser.add_argument("--count", type=int, help="cases of each target (default: 1000)")
    parser.add_argument(
        "--minutes", type=float, help="time of all targets together, instead of --count"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="worker processes (default: cores)"
    )
    parser.add_argument(
        "--limit", type=float, default=20.0, help="seconds of processor time of a case"
    )
    parser.add_argument(
        "--megabytes", type=int, default=MEGABYTES, help="address space of a worker"
    )
    parser.add_argument(
        "--findings",
        type=Path,
        default=Path("fuzzing-findings"),
        help="folder for inputs that broke something",
    )
    parser.add_argument("--replay", type=Path, help="run the input of a saved finding again")
    return parser


def _targets(name: str) -> list[str]:
    found = names_of(name)
    if not found:
        raise argparse.ArgumentTypeError(f"no target {name!r}; there are {', '.join(_groups())}")
    return found


def _groups() -> list[str]:
    """The names of all targets and of their groups."""
    return list(dict.fromkeys(each for name in TARGETS for each in (name.split("/")[0], name)))


if __name__ == "__main__":
    sys.exit(main())
