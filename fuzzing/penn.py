"""Mutated files of Penn-style trees: what can be read becomes a treebank that says the same."""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path
from random import Random

from fuzzing.formats import MAX_MUTATIONS, MAX_READ, MAX_SIZE, check_message, mutated
from syntagma.errors import FormatError
from syntagma.files.reading import open_text
from syntagma.formats.penn import read_penn, without_traces
from syntagma.problem.limits import MAX_CHARACTERS
from syntagma.problem.trees import is_projective
from syntagma.treebanks.penn2malt import Dependency, conllu, dependencies
from syntagma.treebanks.treebank import read_treebank

MAX_CONVERTED = 20  # trees of a file that are converted
SEEDS = (
    "( (S (NP-SBJ (DT The) (NN bird))\n    (VP (VBD sang) (NP (-NONE- *T*-1)))\n    (. .)) )",
    "(S (NP-SBJ-1 (-NONE- *)) (VP (VB Run) (PRT|ADVP (RP off)) (PP=2 (IN to) (NP (NNP Bo)))))",
    "(TOP (PRN (-LRB- -LRB-) (NP (PRP$ our) (NN owl)) (-RRB- -RRB-)))",
)


class PennFiles:
    """Mutated files of bracketed trees."""

    def case(self, rng: Random) -> bytes:
        data = "\n".join(rng.choices(SEEDS, k=rng.randint(1, 4))).encode()
        for _ in range(rng.randint(1, MAX_MUTATIONS)):
            data = mutated(rng, data)[:MAX_SIZE]
        return data

    def run(self, data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "input"
            path.write_bytes(data)
            sentences: list[list[Dependency]] = []
            try:
                for tree in islice(read_penn(open_text(path), str(path)), MAX_READ):
                    if isinstance(tree, FormatError):
                        check_message(str(tree), str(path))
                    elif len(sentences) < MAX_CONVERTED:
                        for base in (False, True):
                            root = without_traces(tree.root, base_noun_phrases=base)
                            words = [] if root is None else dependencies(root)
                            longest = max((len(word.form) for word in words), default=0)
                            if words and longest <= MAX_CHARACTERS:
                                sentences.append(words)
            except FormatError as error:  # a tree that is too large
                check_message(str(error), str(path))
            if not sentences:
                return
            path.write_text("".join(conllu(each, "x") for each in sentences), encoding="utf-8")
            for sentence, words in zip(read_treebank(path), sentences, strict=True):
                assert sentence.forms == tuple(word.form for word in words)
                assert sentence.heads == tuple(word.head for word in words)
                assert sentence.heads.count(0) == 1
                assert is_projective(sentence.heads)
