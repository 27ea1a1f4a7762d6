"""How large treebanks are, and how projective: the figures of ZC15, Table 3 and §5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from syntagma.errors import FormatError
from syntagma.files.reading import source_name
from syntagma.formats.penn import NOUN_PHRASE
from syntagma.problem.trees import count_nonprojective
from syntagma.treebanks.corpus import corpus_files, is_ccgbank, read_ccgbank
from syntagma.treebanks.treebank import Sentence, iterate_sentences, treebank_blocks


@dataclass(slots=True)
class TreebankStatistics:
    """Counts of a treebank. A base noun phrase (tag NP) is one unit of one or more words.

    An arc is one between two words; it is non-projective if a word between them does not descend
    from its head.
    """

    sentences: int = 0
    words: int = 0
    units: int = 0
    longest: int = 0  # in words
    base_noun_phrases: int = 0
    base_noun_phrase_words: int = 0
    arcs: int = 0
    nonprojective_arcs: int = 0
    nonprojective_sentences: int = 0

    @property
    def words_per_sentence(self) -> float:
        return self.words / max(self.sentences, 1)

    @property
    def base_noun_phrases_per_sentence(self) -> float:
        return self.base_noun_phrases / max(self.sentences, 1)

    @property
    def base_noun_phrase_size(self) -> float:
        """Words per base noun phrase."""
        return self.base_noun_phrase_words / max(self.base_noun_phrases, 1)

    @property
    def nonprojective_arc_share(self) -> float:
        return self.nonprojective_arcs / max(self.arcs, 1)

    @property
    def nonprojective_sentence_share(self) -> float:
        return self.nonprojective_sentences / max(self.sentences, 1)

    def add(self, sentence: Sentence) -> None:
        """Count a sentence."""
        sizes = [form.count(" ") + 1 for form in sentence.forms]
        phrases = [
            size for size, tag in zip(sizes, sentence.tags, strict=True) if tag == NOUN_PHRASE
        ]
        nonprojective = count_nonprojective(sentence.heads)
        self.sentences += 1
        self.words += sum(sizes)
        self.units += len(sizes)
        self.longest = max(self.longest, sum(sizes))
        self.base_noun_phrases += len(phrases)
        self.base_noun_phrase_words += sum(phrases)
        self.arcs += sum(head != 0 for head in sentence.heads)
        self.nonprojective_arcs += nonprojective
        self.nonprojective_sentences += nonprojective > 0

    def __add__(self, other: TreebankStatistics) -> TreebankStatistics:
        """The counts of both treebanks together."""
        counts = {name: getattr(self, name) + getattr(other, name) for name in self.__slots__}
        return TreebankStatistics(**{**counts, "longest": max(self.longest, other.longest)})


def stats(paths: str | Path | Sequence[str | Path]) -> TreebankStatistics:
    """Count what a treebank holds, given by files or patterns: CoNLL-U, or CCGbank (.auto).

    The first faulty sentence, or a file without sentences, raises `FormatError`.
    """
    found = TreebankStatistics()
    for path in corpus_files(paths):
        before = found.sentences
        for sentence in _sentences(path):
            found.add(sentence)
        if found.sentences == before:
            raise FormatError("no sentences to count", source_name(path))
    return found


def _sentences(path: Path) -> Iterator[Sentence]:
    if is_ccgbank(path):
        yield from (each.sentence for each in read_ccgbank(path))
        return
    for sentence in iterate_sentences(treebank_blocks(path)):
        if isinstance(sentence, FormatError):
            raise sentence
        yield sentence
