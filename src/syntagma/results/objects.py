"""Results as pictures and as objects of other packages, which are imported when they are needed.

`Exportable` has the methods; files are written in `formats`, pictures drawn in `drawing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from syntagma.errors import ArgumentError, missing_package, shown
from syntagma.problem.objects import SPACY_ROOT
from syntagma.problem.parse import UNKNOWN
from syntagma.problem.word import ROOT_LABEL, TagColumn
from syntagma.results.spelling import Columns, known

if TYPE_CHECKING:
    from conllu.models import TokenList
    from spacy.tokens import Doc
    from spacy.vocab import Vocab
    from stanza.models.common.doc import Sentence
    from udapi.core.root import Root

    from syntagma.results.drawing.svg import Panel

_FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


class Exportable:
    """A sentence with its tree, which can be an object of another package or a picture."""

    __slots__ = ()

    def _columns(self, tag_column: TagColumn) -> Columns:
        raise NotImplementedError

    def _panel(self) -> Panel:
        """What a picture shows."""
        raise NotImplementedError

    def to_conllu(self, *, tag_column: TagColumn = "xpos") -> TokenList:
        """The sentence as a `TokenList` of the package conllu.

        What the source of the problem says of each word comes back with it (`Problem.from_conllu`);
        `tag_column` is where the tags of any other problem go. A realization also has its spelling:
        spaces and multiword tokens.
        """
        return _build_conllu(self._columns(tag_column))

    def to_spacy(self, vocab: Vocab | None = None, *, tag_column: TagColumn = "xpos") -> Doc:
        """The sentence as a `Doc` of spaCy; `vocab` is that of your pipeline: `nlp.vocab`."""
        return _build_spacy(self._columns(tag_column), vocab)

    def to_stanza(self, *, tag_column: TagColumn = "xpos") -> Sentence:
        """The sentence as a `Sentence` of Stanza, in a `Document` of its own (`Sentence.doc`)."""
        return _build_stanza(self._columns(tag_column))

    def to_udapi(self, *, tag_column: TagColumn = "xpos") -> Root:
        """The sentence as a tree of udapi; `bundle.add_tree` adds it to a document."""
        return _build_udapi(self._columns(tag_column))

    def to_displacy(self) -> dict[str, Any]:
        """The tree for spaCy's `displacy.render(tree, style="dep", manual=True)`."""
        from syntagma.results.drawing.characters import runs_right_to_left

        panel = self._panel()
        arcs = [
            {
                "start": min(word, head) - 1,
                "end": max(word, head) - 1,
                "label": label,
                "dir": "left" if word < head else "right",
            }
            for word, (head, label) in enumerate(zip(panel.heads, panel.deprels, strict=True), 1)
            if head
        ]
        words = [
            {"text": word, "tag": tag} for word, tag in zip(panel.words, panel.tags, strict=True)
        ]
        settings = {"settings": {"direction": "rtl"}} if runs_right_to_left(panel.words) else {}
        return {"words": words, "arcs": arcs, **settings}

    def to_svg(self) -> str:
        """The tree as an SVG picture, or the CCG derivation if there is one; for a realization
        under the sentence.

        A notebook shows it by itself.
        """
        from syntagma.results.drawing.picture import draw_picture

        return draw_picture([self._panel()])

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        from syntagma.results.drawing.html import figure

        return figure(self._panel())


def _build_conllu(columns: Columns) -> TokenList:
    """The fields have the types that `conllu.parse` gives them."""
    try:
        from conllu.models import Metadata, Token, TokenList
    except ImportError as error:
        raise missing_package("to_conllu", "conllu", "conllu", error) from error
    values: list[tuple[Any, ...]] = []
    for position, row in enumerate(columns.rows, start=1):
        if token := columns.ranges.get(position):
            id, empty = (
                (token.first, "-", token.last),
                (UNKNOWN, UNKNOWN, None, None, None, UNKNOWN),
            )
            values.append((id, token.form, *empty, None, _pairs(token.misc)))
        tags = (row.upos, known(row.xpos), _pairs(row.features))
        arc = (row.head, row.deprel, None)
        values.append((position, row.form, row.lemma, *tags, *arc, _pairs(row.misc)))
    tokens = [Token(zip(_FIELDS, each, strict=True)) for each in values]
    metadata = Metadata()
    for comment in columns.comments:
        name, _, value = comment[1:].partition("=")
        metadata[name.strip()] = value.strip() or None
    return TokenList(tokens, metadata, default_fields=_FIELDS)


def _pairs(column: str) -> dict[str, str | None] | None:
    """Features or notes as conllu parses them; a note without a value has an empty one."""
    if column == UNKNOWN:
        return None
    pairs: dict[str, str | None] = {}
    for part in column.split("|"):
        name, equals, value = part.partition("=")
        pairs[name] = (None if value == UNKNOWN else value) if equals else ""
    return pairs


def _build_spacy(columns: Columns, vocab: Vocab | None) -> Doc:
    """spaCy has no multiword tokens: the words of one are separate tokens."""
    try:
        from spacy.language import BaseDefaults
        from spacy.parts_of_speech import IDS
        from spacy.tokens import Doc
        from spacy.vocab import Vocab, create_vocab
    except ImportError as error:
        raise missing_package("to_spacy", "spacy", "spacy", error) from error
    if vocab is None:
        vocab = create_vocab(None, BaseDefaults)
    elif not isinstance(vocab, Vocab):
        raise ArgumentError(f"vocab must be a Vocab, such as nlp.vocab, not {shown(vocab)}")
    found = columns.rows
    return Doc(
        vocab,
        words=[row.form for row in found],
        spaces=_spaces(columns),
        tags=[known(row.xpos) or "" for row in found],
        pos=[row.upos if row.upos in IDS else "" for row in found],
        morphs=[known(row.features) or "" for row in found],
        lemmas=["" if row.lemma == UNKNOWN != row.form else row.lemma for row in found],
        heads=[row.head - 1 if row.head else place for place, row in enumerate(found)],
        deps=[
            SPACY_ROOT if row.head == 0 and row.deprel == ROOT_LABEL else row.deprel
            for row in found
        ],
    )


def _spaces(columns: Columns) -> list[bool]:
    """Whether a space follows each word. Words that do not spell their contraction when they are
    joined, as *de* and *le* do not spell *du*, are written apart."""
    forms, spelling = [row.form for row in columns.rows], columns.spelling
    if spelling is None:
        return [True] * (len(forms) - 1) + [False]
    spaces = list(spelling.spaces)
    for each in spelling.contractions:
        if "".join(forms[each.first - 1 : each.last]) != each.text:
            spaces[each.first - 1 : each.last - 1] = [True] * (each.last - each.first)
    return spaces


def _build_stanza(columns: Columns) -> Sentence:
    """The sentence belongs to a `Document` of its own (`Sentence.doc`), whose text is the sentence:
    Stanza reads the spaces off the text."""
    try:
        from stanza.models.common.doc import Document
    except ImportError as error:
        raise missing_package("to_stanza", "stanza", "stanza", error) from error
    text = columns.text
    entries: list[dict[str, Any]] = []
    start = end = last = 0
    for position, row in enumerate(columns.rows, start=1):
        if token := columns.ranges.get(position):
            start, last = text.index(token.form, end), token.last
            end = start + len(token.form)
            extent = {"start_char": start, "end_char": end}
            entries.append({"id": (token.first, token.last), "text": token.form, **extent})
        entry: dict[str, Any] = {
            "id": position,
            "text": row.form,
            "lemma": None if row.lemma == UNKNOWN != row.form else row.lemma,
            "upos": known(row.upos),
            "xpos": known(row.xpos),
            "feats": known(row.features),
            "head": row.head,
            "deprel": row.deprel,
            "misc": known(row.misc),
        }
        if position > last:  # Stanza knows the places of tokens only
            start = text.index(row.form, end)
            end = start + len(row.form)
            entry |= {"start_char": start, "end_char": end}
        entries.append({name: value for name, value in entry.items() if value is not None})
    document = Document([entries], text=text, comments=[columns.comments])
    sentence: Sentence = document.sentences[0]
    return sentence


def _build_udapi(columns: Columns) -> Root:
    """The tree belongs to no document yet: `Bundle.add_tree` adds it to one."""
    try:
        from udapi.core.root import Root
    except ImportError as error:
        raise missing_package("to_udapi", "udapi", "udapi", error) from error
    root = Root(text=columns.text)
    nodes = [root]
    for row in columns.rows:
        node = root.create_child(
            form=row.form,
            lemma=row.lemma,
            upos=known(row.upos),
            xpos=known(row.xpos),
            feats=row.features,
            deprel=row.deprel,
            misc=row.misc,
        )
        nodes.append(node)
    for row, node in zip(columns.rows, nodes[1:], strict=True):
        node.parent = nodes[row.head]
    for each in columns.ranges.values():
        root.create_multiword_token(nodes[each.first : each.last + 1], each.form, misc=each.misc)
    for comment in columns.comments:
        _add_comment(root, comment)
    return root


def _add_comment(root: Root, comment: str) -> None:
    """udapi keeps some comments as attributes, and marks the places of the id and the text."""
    name, equals, value = (part.strip() for part in comment[1:].partition("="))
    match name:
        case "sent_id":
            root.sent_id = value
        case "text":
            pass
        case "newdoc" | "newdoc id" | "newpar" | "newpar id":
            setattr(root, name.split()[0], value if equals else True)
        case _:
            root.comment += f"{comment[1:]}\n"
