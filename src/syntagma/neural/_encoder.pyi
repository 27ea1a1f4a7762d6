import numpy as np
import numpy.typing as npt

from syntagma.transition._clock import NO_LIMIT, Clock
from syntagma.transition._state import SearchTask

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

BUILT_BY: str
INSTRUCTIONS: str
RELATION_NAMES: tuple[str, ...]
GIVEN_FIELDS: tuple[str, ...]
HEAD_STATES: int

def read_given(task: SearchTask, n_tags: int, n_labels: int, /) -> tuple[Ints, Ints]: ...

class Matrix:
    before: int
    after: int
    def __init__(self, weights: Floats, bias: Floats | None = None) -> None: ...
    def __call__(self, x: Floats, clock: Clock = NO_LIMIT) -> Floats: ...

def add_rows(out: Floats, table: Floats, numbers: Ints) -> None: ...
def add_byte_rows(
    out: Floats, table: npt.NDArray[np.int8], scales: Floats, numbers: Ints
) -> None: ...
def add_bags(out: Floats, table: Floats, numbers: Ints) -> None: ...
def normalise(x: Floats, weight: Floats, bias: Floats) -> Floats: ...
def attend(
    qkv: Floats,
    relations: Ints,
    bias: Floats,
    starts: Ints,
    lengths: Ints,
    clock: Clock = NO_LIMIT,
) -> Floats: ...
def pair_tables(both: Floats, tables: int, clock: Clock = NO_LIMIT) -> Floats: ...
