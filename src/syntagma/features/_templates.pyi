from collections.abc import Mapping, Sequence

class TemplateTable:
    texts: tuple[str, ...]
    def __init__(
        self,
        templates: Sequence[tuple[str, tuple[str, ...]]],
        atoms: Sequence[str],
        scopes: Mapping[str, Sequence[str]],
    ) -> None: ...
