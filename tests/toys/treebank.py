"""A made-up treebank of a few sentences, small enough to train a model on in a test."""

from pathlib import Path

# form/tag/head/deprel
SENTENCES = """
The/DT/2/det cook/NN/3/nsubj hid/VBD/0/root a/DT/5/det pear/NN/3/obj ././3/punct
A/DT/2/det fox/NN/3/nsubj saw/VBD/0/root the/DT/6/det old/JJ/6/amod cook/NN/3/obj ././3/punct
Foxes/NNS/2/nsubj run/VBP/0/root fast/RB/2/advmod ././2/punct
The/DT/3/det old/JJ/3/amod boat/NN/4/nsubj sank/VBD/0/root slowly/RB/4/advmod ././4/punct
We/PRP/2/nsubj saw/VBD/0/root two/CD/4/nummod boats/NNS/2/obj at/IN/6/case sea/NN/2/obl ././2/punct
She/PRP/2/nsubj sang/VBD/0/root ././2/punct
The/DT/2/det cook/NN/3/nsubj ran/VBD/0/root to/IN/6/case the/DT/6/det bridge/NN/3/obl ././3/punct
Run/VB/0/root !/./1/punct
A/DT/2/det fox/NN/3/nsubj hid/VBD/0/root near/IN/6/case the/DT/6/det boat/NN/3/obl ././3/punct
We/PRP/2/nsubj ran/VBD/0/root fast/RB/2/advmod ././2/punct
"""


# UPOS tag and features of each tag.
UNIVERSAL = {
    **{"DT": ("DET", "Definite=Def|PronType=Art"), "NN": ("NOUN", "Number=Sing")},
    **{"NNS": ("NOUN", "Number=Plur"), "VBD": ("VERB", "Tense=Past|VerbForm=Fin")},
    **{"VBP": ("VERB", "Tense=Pres|VerbForm=Fin"), "VB": ("VERB", "VerbForm=Inf")},
    **{"PRP": ("PRON", "Case=Nom|Number=Sing|PronType=Prs"), "JJ": ("ADJ", "Degree=Pos")},
    **{"RB": ("ADV", "_"), "CD": ("NUM", "NumType=Card"), "IN": ("ADP", "_"), ".": ("PUNCT", "_")},
}


def write_treebank(path: Path, *, universal: bool = False) -> Path:
    """Write the sentences as CoNLL-U, with `universal` also their UPOS tags and features."""
    blocks = []
    for number, line in enumerate(SENTENCES.strip().splitlines(), start=1):
        rows = [f"# sent_id = toy-{number}"]
        for place, token in enumerate(line.split(), start=1):
            form, tag, head, deprel = token.rsplit("/", 3)
            upos, features = UNIVERSAL[tag] if universal else ("_", "_")
            rows.append(f"{place}\t{form}\t_\t{upos}\t{tag}\t{features}\t{head}\t{deprel}\t_\t_")
        blocks.append("\n".join(rows) + "\n\n")
    path.write_text("".join(blocks), encoding="utf-8")
    return path
