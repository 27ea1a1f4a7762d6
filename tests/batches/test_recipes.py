"""The recipes in `examples`: a SLURM array, played in a shell, and Spark in local mode."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from toys.batches import ROOT, finish, save_toy_model, start

pytestmark = pytest.mark.slow


def test_a_slurm_array_makes_one_folder(tmp_path: Path) -> None:
    save_toy_model(tmp_path / "toy.syntagma")
    (tmp_path / "bags.txt").write_text("w1 w2 w3\nw3 w1\n")
    program = tmp_path / "syntagma"
    program.write_text(
        f"#!/bin/sh\nexec {sys.executable} -c 'from syntagma.cli import main; main()' "
        '"$@" --shard-size 1 --model toy.syntagma\n'
    )
    program.chmod(0o755)
    recipe = ["sh", str(ROOT / "examples" / "batch_slurm.sh"), "bags.txt", "out"]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    array = {"SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "1"}
    printed = []
    for task in ("2", ""):
        more = {**array, "SLURM_ARRAY_TASK_ID": task} if task else {}
        code, line, errors = finish(start(recipe, environment | more, folder=tmp_path))
        assert code == 0, errors
        printed.append(line)
    assert printed == [
        "out: 1 result, 0 rejected; 1 shard; 1 shard left to other parts\n",
        "out: 2 results, 0 rejected; 1 shard (1 done before)\n",
    ]
    assert json.loads((tmp_path / "out" / "_manifest.json").read_text())["totals"]["results"] == 2


def test_spark_orders_a_column(tmp_path: Path) -> None:
    for package in ("pyspark", "pandas", "pyarrow"):
        pytest.importorskip(package, reason=f"no {package}: pip install pyspark pandas pyarrow")
    if shutil.which("java") is None:
        pytest.skip("no Java, which Spark needs")
    from pyarrow.parquet import read_table

    bags = [["dog", "the", "barked"], [], ["her", "saw", "she"]]
    rows = [json.dumps({"id": number, "words": words}) for number, words in enumerate(bags)]
    (tmp_path / "bags.jsonl").write_text("\n".join(rows) + "\n")
    arguments = "--master local[1] --conf spark.ui.enabled=false pyspark-shell"
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_SUBMIT_ARGS": arguments,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    recipe = [sys.executable, str(ROOT / "examples" / "batch_spark.py"), "bags.jsonl", "ordered"]
    code, _, errors = finish(start(recipe, environment, folder=tmp_path))
    assert code == 0, errors
    found = read_table(tmp_path / "ordered").to_pylist()
    assert [(row["id"], row["text"]) for row in found] == [
        (0, "the dog barked"),
        (1, None),
        (2, "she saw her"),
    ]
    assert found[0]["error"] is None
    assert "empty bag" in found[1]["error"]
