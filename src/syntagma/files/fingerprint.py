"""The checksum that identifies a file in signatures and headers."""

import hashlib
from pathlib import Path

from syntagma.errors import ModelError


def fingerprint(path: str | Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
