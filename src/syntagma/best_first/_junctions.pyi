from collections.abc import Iterable, Sequence

from syntagma.language_model._ngrams import NGrams

class Junctions:
    def __init__(
        self, model: NGrams, units: Iterable[tuple[Sequence[int], Sequence[int], bool]]
    ) -> None: ...
