"""Fuzzing: a short run of every target finds nothing; what breaks is reported with its input."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzzing.__main__ import main
from fuzzing.faults import FAULTS
from fuzzing.findings import Finding
from fuzzing.supervision import Campaign, Limits
from fuzzing.targets import TARGETS, case_of, create, names_of

EXPECTED = {
    b"exception": "ValueError: raised on purpose",
    b"exit": "the process ended with code 3",
    b"SIGSEGV": "SIGSEGV",
    b"hang": "no answer after 0.5 s",
    b"memory": "MemoryError: ",
}


@pytest.mark.slow
def test_each_kind_of_fault_is_a_finding_of_its_own_case() -> None:
    findings: dict[int, Finding] = {}
    campaign = Campaign(
        "faults", 1, 20, None, Limits(seconds=0.5), lambda one: findings.update({one.number: one})
    )
    campaign.run(2)
    target = create("faults")
    drawn = [case_of(target, "faults", 1, number) for number in range(20)]
    assert set(drawn) == set(FAULTS)
    assert campaign.cases == 20
    assert {number: one.what for number, one in findings.items()} == {
        number: EXPECTED[fault] for number, fault in enumerate(drawn) if fault in EXPECTED
    }
    hanging = findings[drawn.index(b"hang")]
    assert "faults.py" in hanging.printed


@pytest.mark.slow
def test_a_finding_is_saved_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(TARGETS, "faults", lambda: create("faults"))
    arguments = [
        "--target",
        "faults",
        "--count",
        "8",
        "--findings",
        str(tmp_path),
        "--limit",
        "0.5",
    ]
    assert main(arguments) == 1
    printed = capsys.readouterr().out
    saved = sorted(tmp_path.iterdir())
    assert f"faults: seed 1, 8 cases, {len(saved)} findings" in printed
    for place in saved:
        assert f"-m fuzzing --replay {place}\n" in printed
        fault = (place / "input").read_bytes()
        assert main(["--replay", str(place), "--limit", "0.5"]) == 1
        assert EXPECTED[fault] in capsys.readouterr().out
    (saved[0] / "input").write_bytes(b"nothing")
    assert main(["--replay", str(saved[0])]) == 0


@pytest.fixture(params=TARGETS)
def name(request: pytest.FixtureRequest) -> str:
    """Each target whose packages are there."""
    if request.param.startswith("server/"):
        pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
    return str(request.param)


def test_cases_depend_on_seed_and_number_only(name: str) -> None:
    one, other = create(name), create(name)
    cases = [case_of(one, name, 1, number) for number in range(5)]
    assert [case_of(other, name, 1, number) for number in reversed(range(5))] == cases[::-1]
    assert len(set(cases)) > 1


def test_a_group_of_targets() -> None:
    assert names_of("models") == [name for name in TARGETS if name.startswith("models/")]
    assert names_of("models/ccg") == ["models/ccg"]
    assert names_of("nothing") == []


def test_an_unknown_target(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--target", "nothing"])
    assert "no target 'nothing'; there are problems" in capsys.readouterr().err


@pytest.mark.slow
def test_a_short_run_finds_nothing(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--target", name, "--count", "60", "--findings", str(tmp_path)]) == 0, (
        capsys.readouterr().out
    )
