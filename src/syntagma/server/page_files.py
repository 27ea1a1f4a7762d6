"""The files of the page, read when the server starts: no path of a request reaches the disk."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "page"
CONTENT_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}


@dataclass(frozen=True, slots=True)
class PageFile:
    content: bytes
    content_type: str
    etag: str


def read_page(folder: Path = FOLDER) -> dict[str, PageFile]:
    """All files by their path below the folder, as in `js/tree.js`; others than those of known
    types are left out."""
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in CONTENT_TYPES:
            content = path.read_bytes()
            etag = f'"{sha256(content).hexdigest()[:32]}"'
            name = path.relative_to(folder).as_posix()
            files[name] = PageFile(content, CONTENT_TYPES[path.suffix], etag)
    return files
