"""Lists of strings as arrays of bytes, as sections of a model file hold them."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt


def pack_lines(lines: Iterable[str]) -> npt.NDArray[np.uint8]:
    """Lines as an array of a model file."""
    return np.frombuffer("\n".join(lines).encode("utf-8", "surrogatepass"), np.uint8)


def unpack_lines(array: npt.NDArray[Any]) -> list[str]:
    text = array.tobytes().decode("utf-8", "surrogatepass")
    return text.split("\n") if text else []
