"""Inputs and outputs anywhere that fsspec reaches; Parquet."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from toys.batches import contents, save_toy_model, without_processes, write_problems

import syntagma
from syntagma import FormatError, OutputError
from syntagma.batches.storage import find_inputs
from syntagma.batches.writers import COLUMNS


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_toy_model(tmp_path_factory.mktemp("model") / "toy.syntagma")


def test_folders_and_patterns(tmp_path: Path) -> None:
    for name in ("b/2.txt", "b/a/1.conllu.gz", "b/_x.txt", "b/.y.txt", "b/note.doc", "c/3.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    def found(*inputs: str, **options: Any) -> list[str]:
        files = find_inputs([tmp_path / each for each in inputs], str(tmp_path / "out"), **options)
        assert all(address == name for name, address in files)
        return [str(Path(name).relative_to(tmp_path)) for name, _ in files]

    assert found("b") == ["b/2.txt", "b/a/1.conllu.gz"]
    assert found("b", any_extension=True) == ["b/2.txt", "b/a/1.conllu.gz", "b/note.doc"]
    assert found("c/3.json", "?/*.txt", "b/2.txt", "c") == ["c/3.json", "b/2.txt", "b/_x.txt"]
    assert found("b/note.doc") == ["b/note.doc"]
    assert found("*") == ["b/2.txt", "b/a/1.conllu.gz", "c/3.json"]
    (tmp_path / "out").mkdir()  # after a first run
    (tmp_path / "out" / "part-00000.txt").touch()
    assert found("*", "") == ["b/2.txt", "b/a/1.conllu.gz", "c/3.json"]
    for within in ("out", "out/part-00000.txt", "out/*.txt"):
        with pytest.raises(OutputError, match=r"part-00000.txt lies within the output folder"):
            found(within)
    with pytest.raises(FormatError, match="no file or folder matches"):
        found("d/*")


def test_a_job_in_memory_is_that_of_a_folder(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsspec = pytest.importorskip("fsspec", reason="no fsspec: pip install 'syntagma[batch]'")
    solved = without_processes(monkeypatch)
    problems = write_problems(tmp_path / "1.jsonl", 7, bad=[3])
    more = tmp_path / "2.jsonl.gz"
    more.write_bytes(gzip.compress(problems.read_bytes()))
    memory = fsspec.filesystem("memory")
    for path in (problems, more):
        memory.pipe_file(f"/batch-in/{path.name}", path.read_bytes())
    settings: dict[str, Any] = {"model": model, "shard_size": 2, "format": "json"}
    report = syntagma.batch("order", "memory://batch-in", "memory://batch-out", **settings)
    assert (report.results, report.rejected) == (12, 2)
    syntagma.batch("order", [f"file://{problems}", more], f"file://{tmp_path}/out", **settings)
    expected = contents(tmp_path / "out")
    remote = {
        name.removeprefix("/batch-out/"): memory.cat_file(name)
        for name in memory.find("/batch-out")
    }
    assert remote.keys() == expected.keys()
    parts = [name for name in expected if name.startswith("part-")]
    assert [remote[name] for name in parts] == [expected[name] for name in parts]
    memory.rm_file(f"/batch-out/{parts[1]}")
    solved.clear()
    doubly = ["memory://batch-in/*", "memory://batch-in/1.jsonl", "memory:///batch-in/"]
    syntagma.batch("order", doubly, "memory://batch-out", **settings)
    assert solved == [1]
    assert memory.cat_file(f"/batch-out/{parts[1]}") == expected[parts[1]]
    with pytest.raises(OutputError, match="lies within the output folder"):
        syntagma.batch("order", "memory://batch-in", "memory://batch-in", **settings)
    with pytest.raises(FormatError, match="no file matches"):
        syntagma.batch("order", "memory://batch-in/*.txt", "memory://other", **settings)
    with pytest.raises(FormatError, match="not an address that fsspec knows"):
        syntagma.batch("order", "nowhere://x", tmp_path / "other", **settings)


def test_parquet_holds_what_json_holds(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="no pyarrow: pip install 'syntagma[batch]'"
    )
    without_processes(monkeypatch)
    problems = write_problems(tmp_path / "problems.jsonl", 5, bad=[1])
    settings: dict[str, Any] = {"model": model, "shard_size": 3, "n_best": 2}
    syntagma.batch("order", problems, tmp_path / "out", format="parquet", **settings)
    rows = parquet.read_table(tmp_path / "out").to_pylist()  # passes over the other files
    assert [*rows[0]] == [*COLUMNS]
    linearizer = syntagma.load(model)
    expected = []
    for number in (0, 2, 3, 4):
        words = [f"w{number % 7}", f"w{number % 5}", f"n{number}"]
        for rank, each in enumerate(linearizer.order(words, n_best=2), start=1):
            tree = (list(each.words), list(each.tags), list(each.heads), list(each.order))
            expected.append((f"p{number}", number + 1, rank, each.text, each.score, *tree))
    names = ("id", "line", "rank", "text", "score", "forms", "tags", "heads", "order")
    assert [tuple(row[name] for name in names) for row in rows] == expected
    assert {row["source"] for row in rows} == {str(problems)}
    assert {row["space_after"] for row in rows} == {None}
    written = parquet.ParquetFile(tmp_path / "out" / "part-00000.parquet")
    assert written.metadata.num_rows == 4
