"""The modules of the page that know no browser, tested by Node; `modules/` holds the tests."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "src/syntagma/server/page"
MODULES = Path(__file__).parent / "modules"
OLDEST = (20, 19)  # reads .js files as modules without being told


def test_modules() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    major, minor = map(int, re.findall(r"\d+", version)[:2])
    if (major, minor) < OLDEST:
        pytest.skip(f"Node {version.strip()} is older than {OLDEST[0]}.{OLDEST[1]}")
    ran = subprocess.run(
        [node, "--test", *map(str, sorted(MODULES.glob("*.test.js")))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-2000:]


def test_the_page_names_no_other_host_and_holds_no_script_or_style_inline() -> None:
    html = (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", html)
    for path in sorted(PAGE.iterdir()):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]+\.[a-z]", text), path.name
        assert "innerHTML" not in text, path.name


def test_modules_are_small_and_every_file_is_used() -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in PAGE.iterdir()}
    everything = "".join(files.values())
    for name, text in files.items():
        assert len(text.splitlines()) <= 600 if name.endswith(".css") else 450, name
        assert name == "index.html" or re.search(rf'["/]{re.escape(name)}"', everything), name
