"""Runs the notebooks from top to bottom and writes their outputs: `make notebooks`.

`tests/test_notebooks.py` runs them too and fails if the outputs have changed.
"""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
VERSION = 4  # of the file format


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=VERSION)


def execute(path: Path) -> nbformat.NotebookNode:
    """The notebook with the outputs of a new run."""
    notebook = read(path)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    keep_pictures(notebook)
    return notebook


def keep_pictures(notebook: nbformat.NotebookNode) -> None:
    """Leave out the HTML of what is also a picture: GitHub and nbviewer would prefer it, but remove
    the SVG from it."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "image/svg+xml" in output.get("data", ()):
                output.data.pop("text/html", None)


def main() -> None:
    for path in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(execute(path), path)
        print(f"{path.relative_to(FOLDER.parent)}: executed")


if __name__ == "__main__":
    main()
