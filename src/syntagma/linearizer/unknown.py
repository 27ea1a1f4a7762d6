"""Warnings about tags, features and labels that a model does not know: it orders as if they were
not given.

That they have no influence is decided in `transition/encoding.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from syntagma.errors import SyntagmaWarning, warn
from syntagma.problem.word import UPOS_TAGS, TagColumn, Word
from syntagma.transition.vocabulary import Vocabulary

_NAMED = 3  # tags or labels that a message names


class UnknownNotices:
    """The warnings of one linearizer.

    A problem with a tag that an earlier warning named gives the same warning, so that Python shows
    it once. The results depend on none of this.
    """

    def __init__(
        self, model: str, tag_column: TagColumn, vocabulary: Vocabulary, *, takes_labels: bool
    ) -> None:
        self._model = model
        self._takes_labels = takes_labels  # models without arcs reject labels
        self._column = tag_column
        self._vocabulary = vocabulary
        self._given: dict[tuple[str, str], SyntagmaWarning] = {}  # by topic and tag or label

    def check(self, words: Sequence[Word]) -> None:
        """Warn if tags, features or labels of these words are unknown."""
        if tags := self._vocabulary.unknown_tags(words):
            foreign = self._column == "xpos" and UPOS_TAGS.issuperset(tags)
            self._warn("UPOS tags" if foreign else "tags", tags)
        if upos := self._vocabulary.unknown_upos(words):
            self._warn("UPOS tags", upos)
        if features := self._vocabulary.unknown_features(words):
            self._warn("features", features)
        if self._takes_labels and (labels := self._vocabulary.unknown_labels(words)):
            self._warn("labels", labels)

    def _warn(self, topic: str, unknown: Sequence[str]) -> None:
        known = (self._given.get((topic, name)) for name in unknown)
        warning = next(filter(None, known), None)
        if warning is None:
            warning = SyntagmaWarning(self._message(topic, unknown), topic=topic)
            for name in unknown[:_NAMED]:
                self._given[topic, name] = warning
        warn(warning)

    def _message(self, topic: str, unknown: Sequence[str]) -> str:
        kind = {"labels": "label", "features": "feature"}.get(topic, "tag")
        named = ", ".join(unknown[:_NAMED])
        if len(unknown) > _NAMED:
            named += f" and {len(unknown) - _NAMED} more"
        several = len(unknown) > 1
        message = (
            f"the model {self._model} does not know the {kind}{'s' * several} {named} and orders "
            f"as if {'they were' if several else 'it was'} not given"
        )
        column = self._column.upper()
        match topic:
            case "features":
                return (
                    f"{message}: give features of its training data "
                    f"({_examples(self._vocabulary.features)}), or leave the features out"
                )
            case "UPOS tags" if self._vocabulary.upos:
                return (
                    f"{message}: it reads the UPOS tags {_examples(self._vocabulary.upos)}; give "
                    "those, or leave the tag out"
                )
            case "UPOS tags":
                return (
                    f"{message}: {unknown[0]} is a UPOS tag, but the model reads {column} tags "
                    f"({self._tags()}); give those, leave the tag out, or "
                    "train a model on UPOS tags (syntagma train --tag-column upos)"
                )
            case "labels" if self._vocabulary.unlabelled:
                return (
                    f"{message} (arcs are kept): its arcs have no labels; leave the "
                    f"label{'s' * several} out, or use a model with labelled arcs"
                )
            case "labels":
                return (
                    f"{message} (arcs are kept): give labels of its training data "
                    f"({_examples(self._vocabulary.labels)}), or leave the label out"
                )
        others = " or UPOS tags" if self._vocabulary.upos else ""
        return (
            f"{message}: it reads {column} tags ({self._tags()}){others}; give those, "
            "leave the tag out, or train a model on a treebank with your tags"
        )

    def _tags(self) -> str:
        """A few tags of the model, those of rare words first."""
        tags = self._vocabulary.tags
        frequent = [tags[number] for number in self._vocabulary.open_tags.get("", ())]
        return _examples([*dict.fromkeys((*frequent, *tags))])


def _examples(names: Sequence[str]) -> str:
    """A few of the names, words rather than punctuation."""
    chosen = [name for name in names if name.replace("=", "").isalpha()] or list(names)
    return ", ".join(chosen[:_NAMED]) + (", …" if len(names) > _NAMED else "")
