from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

TemplateRow = tuple[str, tuple[str, ...]]

def read_table(scope: str, table: str) -> Iterator[TemplateRow]: ...
def check_templates(header: Mapping[str, Any], *tables: TemplateTable) -> None: ...

class TemplateTable:
    texts: tuple[str, ...]
    def __init__(
        self,
        templates: Sequence[TemplateRow],
        atoms: Sequence[str],
        scopes: Mapping[str, Sequence[str]],
    ) -> None: ...

class Weights:
    def __init__(
        self, fingerprints: npt.NDArray[np.uint32], weights: npt.NDArray[np.float32]
    ) -> None: ...
    def __len__(self) -> int: ...

class TrainingWeights:
    used: int
    steps: int
    def averaged(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]: ...
    def final(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]: ...
    def state(self) -> dict[str, npt.NDArray[Any]]: ...
    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None: ...

def build_columns(
    keys: npt.NDArray[np.uint64], values: npt.NDArray[np.float32], load: float = ...
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]: ...
