from collections.abc import Sequence

from syntagma.features._sparse import TemplateTable

ATOM_NAMES: tuple[str, ...]
SCOPE_NAMES: tuple[str, ...]

class Templates(TemplateTable):
    def __init__(self, templates: Sequence[tuple[str, tuple[str, ...]]], atomic: bool) -> None: ...
