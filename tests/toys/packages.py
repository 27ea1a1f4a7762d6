"""Toy distributions that bring models along, as pip would leave them in a folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from syntagma.models.model import save_model
from toys.models import toy_vocabulary
from toys.network import toy_header, toy_stored


def write_model(path: Path, *, lifting: bool = False, **fields: str) -> Path:
    """A neural model with random parameters."""
    header = {"language": "tlh", "licence": "CC0-1.0", "attribution": "nobody", **fields}
    stored = toy_stored(lifting=lifting)
    save_model(path, {**toy_header(lifting=lifting), **header}, toy_vocabulary(), stored)
    return path


@cache
def model_bytes() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return write_model(Path(folder, "toy"), name="tlh").read_bytes()


def install(
    folder: Path,
    distribution: str = "syntagma-tlh",
    *,
    version: str = "1.2",
    points: str = "tlh = syntagma_tlh",
    package: str | None = "syntagma_tlh",
    file: str | None = "tlh.syntagma",
    metadata: str | None = None,
) -> Path:
    """A distribution in a folder of `sys.path`; None leaves a part out."""
    about = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
    about.mkdir(parents=True)
    if metadata is None:
        metadata = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    (about / "METADATA").write_text(metadata)
    (about / "entry_points.txt").write_text(f"[syntagma.models]\n{points}\n")
    if package is not None:
        (folder / package).mkdir(exist_ok=True)
        (folder / package / "__init__.py").write_text('raise RuntimeError("imported")\n')
        if file is not None:
            (folder / package / file).write_bytes(model_bytes())
    return folder
