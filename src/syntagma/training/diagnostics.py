"""What makes a treebank, or the outcome of training, doubtful: warnings that say what to look at.

Faults that make training impossible are errors, raised where the data are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from syntagma.errors import TrainingError, counted, shown
from syntagma.training.data import MIN_LEMMAS, lemma_share
from syntagma.training.run import TrainingReport
from syntagma.treebanks.treebank import Sentence

FEW_SENTENCES = 200  # to learn from
FEW_TO_MEASURE = 50
OVERLAP = 0.3  # share of sentences of DEV, of LONG words and more, that are in TRAIN
LONG = 5
FEW_LEMMAS = 0.5  # share of words with a lemma
KNOWN_WORDS = 0.2  # share of words of DEV that are in TRAIN
KNOWN_LABELS = 0.8
PLACEHOLDERS = 0.9  # share of sentences of LONG words and more with the same simple tree
MORE_DATA = (
    "machine-made trees help (--pretrain), or a model of the same language to start from (--start)"
)
LOW_BLEU = {"labelled": 30.0, "tree": 25.0}


def check_orders(sentences: Sequence[Sentence], name: str) -> None:
    """Raise if no sentence has an order to learn."""
    if all(len(sentence) < 2 for sentence in sentences):
        raise TrainingError(
            f"{name}: every sentence has only one word, so there is no order to learn; check how "
            "the file is cut into sentences (an empty line ends one)"
        )


def doubts_of_data(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    names: tuple[str, str],
    *,
    pretrains: bool,
) -> Iterator[str]:
    """What is odd about a treebank and its development set; `names` are those of the files, and
    `pretrains` says whether the learner can learn from other data, too."""
    if len(train) < FEW_SENTENCES:
        yield (
            f"{names[0]}: only {counted(len(train), 'sentence')} to learn from, so expect poor "
            "orders" + f"; {MORE_DATA}" * pretrains
        )
    yield from _doubts_of_trees(train, names[0])
    if len(dev) < FEW_TO_MEASURE:
        yield (
            f"{names[1]}: only {counted(len(dev), 'sentence')}, so the best epoch is chosen and "
            "measured by chance; a development set has some hundreds"
        )
    yield from _doubts_of_pair(train, dev, names)


def _doubts_of_trees(train: Sequence[Sentence], name: str) -> Iterator[str]:
    longer = [sentence for sentence in train if len(sentence) >= LONG]
    flat = sum(max(Counter(each.heads).values()) >= len(each) - 1 for each in longer)
    if longer and flat >= PLACEHOLDERS * len(longer):
        yield (
            f"{name}: in {_percent(flat, longer)} of the sentences all words depend on one word; "
            "from such trees little can be learned: check the HEAD column"
        )
    chains = sum(_is_chain(each.heads) for each in longer)
    if longer and chains >= PLACEHOLDERS * len(longer):
        yield (
            f"{name}: in {_percent(chains, longer)} of the sentences each word depends on its "
            "neighbour, which looks like a placeholder for a tree: check the HEAD column"
        )
    labels = {label for sentence in train for label in sentence.deprels} - {"root"}
    if longer and len(labels) == 1:
        yield f"{name}: all arcs have the label {shown(min(labels))}: check the DEPREL column"


def _is_chain(heads: Sequence[int]) -> bool:
    onwards = all(head == place for place, head in enumerate(heads))
    return onwards or all(head == place for place, head in enumerate(heads[:-1], start=2))


def _doubts_of_pair(
    train: Sequence[Sentence], dev: Sequence[Sentence], names: tuple[str, str]
) -> Iterator[str]:
    seen = {sentence.forms for sentence in train}
    longer = [sentence for sentence in dev if len(sentence) >= LONG]
    repeated = sum(sentence.forms in seen for sentence in longer)
    if repeated > OVERLAP * len(longer):
        yield (
            f"{names[1]}: {_percent(repeated, longer)} of the sentences are also in {names[0]}, so "
            "dev BLEU says little about new sentences, and the last epoch tends to look best"
        )
    words = {form.lower() for sentence in train for form in sentence.forms}
    forms = [form.lower() for sentence in dev for form in sentence.forms]
    known = sum(form in words for form in forms)
    if known < KNOWN_WORDS * len(forms):
        yield (
            f"{names[1]}: only {_percent(known, forms)} of the words are in {names[0]}; "
            "are both of the same language and script?"
        )
    labels = {label for sentence in train for label in sentence.deprels}
    arcs = [label for sentence in dev for label in sentence.deprels]
    known = sum(label in labels for label in arcs)
    if known < KNOWN_LABELS * len(arcs):
        yield (
            f"{names[1]}: only {_percent(known, arcs)} of the arcs have a label that {names[0]} "
            "has; are both annotated in the same way?"
        )


def doubts_of_lemmas(sentences: Sequence[Sentence], name: str) -> Iterator[str]:
    """What is odd about the lemmas that realisation is learned from."""
    leave_out = "(to leave realisation out: --no-realize)"
    share = lemma_share(sentences)
    if share < MIN_LEMMAS:
        yield (
            f"{name} has no lemmas{' to speak of' * (share > 0)}: the model realizes words as they "
            f"are given, it cannot inflect them {leave_out}"
        )
    elif share < FEW_LEMMAS:
        yield (
            f"{name}: only {share:.0%} of the words have a lemma; the model learns to inflect from "
            f"those {leave_out}"
        )
    elif all(sentence.lemmas == sentence.forms for sentence in sentences):
        yield (
            f"{name}: all lemmas are copies of the forms: the model cannot inflect words that do "
            f"inflect {leave_out}"
        )


def doubts_of_result(report: TrainingReport, sentences: int) -> Iterator[str]:
    """What is odd about the figures of a trained model."""
    best = report.epochs[report.best - 1]
    for condition, low in LOW_BLEU.items():
        found = best.bleu.get(condition)
        if found is not None and found < low:
            yield (
                f"dev BLEU {condition} is only {found:.1f}: orders from this model will be poor; "
                f"look at the number of sentences ({sentences:,}; some thousands are usual) and of "
                f"epochs ({len(report.epochs)}), and whether TRAIN and DEV are alike"
            )
            return


def _percent(count: int, of: Sequence[object]) -> str:
    return f"{count / max(len(of), 1):.0%}"
