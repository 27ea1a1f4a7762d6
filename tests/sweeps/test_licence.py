"""The licence of a treebank, as its README states it."""

from pathlib import Path

from syntagma.sweeps.licence import Licence, read_licence

README = """\
# Summary

A treebank. License: see below.

=== Machine-readable metadata (DO NOT REMOVE!) ===
Data available since: UD v2.0
License: CC BY-SA 4.0
Contributors: Doe, Jane; Roe, Richard
===
"""


def test_the_metadata_of_the_readme(tmp_path: Path) -> None:
    assert read_licence(tmp_path) == Licence()
    (tmp_path / "README.txt").write_text(README)
    (tmp_path / "LICENSE.txt").write_text("Do what you like.")
    found = read_licence(tmp_path)
    assert found == Licence("CC BY-SA 4.0", "Doe, Jane; Roe, Richard", "Do what you like.")
    (tmp_path / "README.md").write_bytes(b"License: \xff\n")  # not UTF-8: the other one counts
    assert read_licence(tmp_path) == found
