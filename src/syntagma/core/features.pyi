from collections.abc import Sequence

ATOM_NAMES: tuple[str, ...]
SCOPE_NAMES: tuple[str, ...]

class Templates:
    texts: tuple[str, ...]
    def __init__(self, templates: Sequence[tuple[str, tuple[str, ...]]], atomic: bool) -> None: ...
