"""A realization: lemmas inflected, in order and detokenised; made by `linearizer`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from syntagma.problem.word import TagColumn
from syntagma.results.linearization import Linearization
from syntagma.results.spelling import Spelling

if TYPE_CHECKING:
    from conllu.models import TokenList
    from spacy.tokens import Doc
    from spacy.vocab import Vocab
    from stanza.models.common.doc import Sentence
    from udapi.core.root import Root

    from syntagma.results.drawing.panel import Panel


@dataclass(frozen=True, slots=True)
class Realization:
    """Lemmas inflected and in order, and how they are written."""

    linearization: Linearization
    spelling: Spelling

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The sentence, detokenised."""
        return self.spelling.text(self.words)

    @property
    def words(self) -> tuple[str, ...]:
        """The forms in order."""
        return self.linearization.words

    @property
    def score(self) -> float:
        return self.linearization.score

    @property
    def narrowed(self) -> bool:
        """Whether a time limit made the beam search consider less than it would have."""
        return self.linearization.narrowed

    @property
    def projective(self) -> bool:
        """Whether the words of every subtree stand together, so that no two arcs cross."""
        return self.linearization.projective

    def to_conllu(self, *, tag_column: TagColumn = "xpos") -> TokenList:
        """The sentence as a `TokenList` of the package conllu.

        As `Linearization.to_conllu`, with the spelling: spaces and multiword tokens.
        """
        from syntagma.results.objects.conllu import build_conllu

        return build_conllu(self.linearization, self.spelling, tag_column)

    def to_spacy(self, vocab: Vocab | None = None, *, tag_column: TagColumn = "xpos") -> Doc:
        """The sentence as a `Doc` of spaCy; `vocab` is that of your pipeline: `nlp.vocab`."""
        from syntagma.results.objects.spacy import build_spacy

        return build_spacy(self.linearization, self.spelling, tag_column, vocab)

    def to_stanza(self, *, tag_column: TagColumn = "xpos") -> Sentence:
        """The sentence as a `Sentence` of Stanza, in a `Document` of its own (`Sentence.doc`)."""
        from syntagma.results.objects.stanza import build_stanza

        return build_stanza(self.linearization, self.spelling, tag_column)

    def to_udapi(self, *, tag_column: TagColumn = "xpos") -> Root:
        """The sentence as a tree of udapi; `bundle.add_tree` adds it to a document."""
        from syntagma.results.objects.udapi import build_udapi

        return build_udapi(self.linearization, self.spelling, tag_column)

    def to_svg(self) -> str:
        """The tree as an SVG picture under the sentence.

        A notebook shows it by itself.
        """
        from syntagma.results.drawing.picture import draw_picture

        return draw_picture([self._panel()])

    def to_displacy(self) -> dict[str, Any]:
        """The tree for spaCy's `displacy.render(tree, style="dep", manual=True)`."""
        return self.linearization.to_displacy()

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        from syntagma.results.drawing.html import figure

        return figure(self._panel())

    def _panel(self) -> Panel:
        """What is drawn."""
        return replace(self.linearization._panel(), text=self.text, caption=self.text)
