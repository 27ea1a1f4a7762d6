"""Notes on workers that died: which deaths count against a problem."""

from pathlib import Path

from syntagma.batches.solving import CAREFUL_AFTER, MAX_DEATHS, STRIKES, Tries
from syntagma.batches.storage import LocalFolder


def die(folder: Path, run: str, record: int | None = None) -> Tries:
    """A worker begins a shard, takes up a record, and is never heard of again."""
    tries = Tries.begin(LocalFolder(folder), run, 0)
    if record is not None:
        tries.note(record)
    return tries


def test_deaths_that_the_driver_survives_count(tmp_path: Path) -> None:
    for deaths in range(CAREFUL_AFTER):
        assert not die(tmp_path, "a").careful, deaths
    for strikes in range(STRIKES):
        tries = die(tmp_path, "a", record=7)
        assert tries.careful
        assert not tries.is_deadly(7), strikes
    assert die(tmp_path, "a").is_deadly(7)
    assert die(tmp_path, "b").is_deadly(7)  # the next run of the job knows it
    assert not die(tmp_path, "b").is_deadly(6)
    for _ in range(MAX_DEATHS):
        die(tmp_path, "b")
    assert die(tmp_path, "b").hopeless


def test_a_job_that_is_stopped_again_and_again_blames_no_problem(tmp_path: Path) -> None:
    for run in range(MAX_DEATHS + 1):
        tries = die(tmp_path, str(run), record=7)
        assert (tries.deaths, tries.strikes) == (0, {})


def test_a_worker_that_lives_leaves_no_note(tmp_path: Path) -> None:
    die(tmp_path, "a", record=7)
    Tries.begin(LocalFolder(tmp_path), "a", 0).end()
    assert die(tmp_path, "a").deaths == 0


def test_a_note_that_is_cut_off_counts_once(tmp_path: Path) -> None:
    die(tmp_path, "a", record=7)
    [note] = tmp_path.rglob("*.json")
    note.write_bytes(note.read_bytes()[:9])
    assert die(tmp_path, "a").deaths == 1
