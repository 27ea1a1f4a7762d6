"""Lists of strings as arrays of bytes, for the sections of a model file."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt


def pack_lines(lines: Iterable[str]) -> npt.NDArray[np.uint8]:
    """Pack strings without line ends into an array of bytes."""
    return np.frombuffer("\n".join(lines).encode("utf-8", "surrogatepass"), np.uint8)


def unpack_lines(array: npt.NDArray[Any]) -> list[str]:
    """The strings that `pack_lines` packed."""
    text = array.tobytes().decode("utf-8", "surrogatepass")
    return text.split("\n") if text else []
