"""The slots of the neural scorer: which words of a state and of a candidate it looks at.

They are data, like the templates of the linear scorer. `_action_scorer.pxd` defines what the names
mean; `ActionScorer` checks them.
"""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class SlotTable:
    """Addresses that feed the hidden layers, and pairs of addresses that are scored directly.

    `state` and `candidate` addresses and the `sets` feed the hidden layer of SHIFTs, `arc`
    addresses that of arcs. `pairs` add to the scores of SHIFTs.
    """

    state: tuple[str, ...]
    arc: tuple[str, ...]
    candidate: tuple[str, ...]
    sets: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, list[str]]:
        """For the header of a model file."""
        names = {**asdict(self), "pairs": map(" ".join, self.pairs)}
        return {part: list(each) for part, each in names.items()}


SLOTS = SlotTable(
    state=(
        *("S0", "S1", "S2", "S3", "S0l", "S0l2", "S0r", "S0r2", "S1l", "S1r"),
        *("w0", "w-1", "w-2", "S0h", "inner"),
    ),
    arc=("S0", "S1", "S2", "S0l", "S0r", "S1l", "S1r", "w0", "S0h", "inner"),
    candidate=("L", "Lh", "A", "Ah", "Ap", "B"),
    sets=("unplaced", "family", "dependents", "path"),
    pairs=(
        ("L", "w0"),
        ("L", "w-1"),
        ("L", "S0"),
        ("A", "Ap"),
        ("A", "S0"),
        ("A", "S1"),
        ("A", "family"),
        ("L", "dependents"),
        ("L", "unplaced"),
    ),
)
