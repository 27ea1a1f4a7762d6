"""CoNLL-U: what is read, what is carried over to the output, faults with their lines."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys.strategies import trees

from syntagma.errors import FormatError, SyntagmaWarning
from syntagma.formats.conllu import Block, Lemmas, read_blocks, read_conllu, write_conllu
from syntagma.problem.problem import Problem
from syntagma.problem.trees import lift
from syntagma.problem.word import TagColumn, Word
from syntagma.results.linearization import Linearization, Token
from syntagma.results.spelling import Contraction, Spelling

CATS = """\
# newdoc
# sent_id = cats
# text = ?
# text_fr = Les chats dorment.
1\t.\t.\tPUNCT\t_\t_\t_\tpunct\t_\t_
2-3\tCatssleep\t_\t_\t_\t_\t_\t_\t_\t_
2\tCats\tcat\tNOUN\tNNS\tNumber=Plur\t3\t_\t3:nsubj\tGloss=chats
3\tsleep\tsleep\tVERB\t_\tTense=Pres\t0\t_\t_\t_
3.1\tsoundly\t_\tADV\t_\t_\t_\t_\t_\t_
"""


def read(text: str, tag_column: TagColumn = "xpos") -> list[Problem | FormatError]:
    return list(read_conllu(text.split("\n"), "f.conllu", tag_column))


def test_xpos_tags_only_for_a_model_that_reads_upos() -> None:
    """One warning at the end of the file; none if any word has a tag, or none has."""
    rows = [line.split("\t") for line in CATS.splitlines()]
    for row in rows:
        if len(row) == 10:
            row[3], row[4] = ("_", "_") if row[4] == "_" else ("X", "X")
    untagged = "\n".join("\t".join(row) for row in rows)
    assert "\tX\tX\t" in untagged
    foreign = untagged.replace("\tX\tX\t", "\t_\tX\t")
    with pytest.warns(SyntagmaWarning) as found:
        problems = read(f"{foreign}\n\n{foreign}\n", "upos")
    [message] = [str(each.message) for each in found]
    assert message.startswith("f.conllu: the model reads UPOS tags, but the file has")
    assert "use a model that reads XPOS tags" in message
    for problem in problems:
        assert isinstance(problem, Problem)
        assert {(word.tag, word.upos) for word in problem.words} == {(None, None)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(f"{foreign}\n\n{untagged}\n", "upos")
        read(untagged.replace("\tX\tX\t", "\t_\t_\t"), "upos")
        read(untagged.replace("\tX\tX\t", "\tX\t_\t"), "xpos")  # UPOS tags are given to any


@pytest.mark.parametrize("odd", ["_", "", "a b", "x" * 20_000])
def test_what_is_no_tag_or_feature_does_not_matter_to_order(odd: str) -> None:
    """These columns were not read before there were models to read them."""
    features = f"Number=Plur|{odd}|Number=Sing|Tense=|=b|lin=+1|Case=Nom"
    text = row(1, "Cats", "cat", odd, "NNS", features, 0, "root", "_", "_")
    [word] = read_one(text).words
    assert (word.form, word.tag, word.upos) == ("Cats", "NNS", None)
    assert word.features == ("" if len(odd) > 10_000 else "Number=Plur|lin=+1|Case=Nom")


def read_one(text: str, tag_column: TagColumn = "xpos") -> Problem:
    (problem,) = read(text, tag_column)
    assert isinstance(problem, Problem)
    return problem


def row(*columns: object) -> str:
    return "\t".join(map(str, columns)) + "\n"


def test_reads_what_is_given() -> None:
    problem = read_one(CATS)
    assert problem.id == "cats"
    assert problem.words == (
        Word(".", deprel="punct", features="", upos="PUNCT"),
        Word("Cats", tag="NNS", head=3, features="Number=Plur", upos="NOUN"),
        Word("sleep", head=0, features="Tense=Pres", upos="VERB"),
    )
    assert read_one(CATS, "upos").words[2] == Word("sleep", "VERB", 0, features="Tense=Pres")
    bare = CATS.replace("Number=Plur", "_").replace("Tense=Pres", "_")
    assert {word.features for word in read_one(bare).words} == {None}


def test_the_final_blank_line_may_be_missing() -> None:
    assert (
        read(CATS) == read(CATS + "\n") == read(CATS.rstrip("\n")) == read("\n\n" + CATS + "\n\n")
    )


def test_words_may_hold_spaces() -> None:
    assert read_one(row(1, "New York", *"________")).words == (Word("New York"),)


def test_writes_results() -> None:
    tokens = (
        Token("Cats", "NNS", 2, "nsubj", 2),
        Token("sleep", "VBP", 0, "root", 3),
        Token(".", ".", 2, "punct", 1),
    )
    assert (
        write_conllu(Linearization(tokens, -2.5, read_one(CATS)))
        == """\
# newdoc
# sent_id = cats
# text = Cats sleep .
# text_fr = Les chats dorment.
# score = -2.5000
1\tCats\tcat\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\tGloss=chats
2\tsleep\tsleep\tVERB\tVBP\tTense=Pres\t0\troot\t_\t_
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
    )


def test_writes_problems_that_come_from_elsewhere() -> None:
    problem = Problem.of(["go"], id="s1")
    result = Linearization((Token("go", "VERB", 0, "root", 1),), 1, problem)
    head = "# sent_id = s1\n# text = go\n# score = 1.0000\n"
    assert (
        write_conllu(result) == head + row(1, "go", "_", "_", "VERB", "_", 0, "root", *"__") + "\n"
    )
    assert (
        write_conllu(result, "upos")
        == head + row(1, "go", "_", "VERB", "_", "_", 0, "root", *"__") + "\n"
    )


def test_an_unfinished_result_says_how_much_is_left_out() -> None:
    problem = Problem.of(["go", "home", "now"])
    go, home = Token("go", "VB", 0, "root", 1), Token("home", "RB", 0, "root", 2)
    pieces = write_conllu(Linearization((go, home), 1, problem, finished=False))
    assert pieces.startswith(
        "# text = go home\n# score = 1.0000\n# unfinished = 1 words left out\n1\t"
    )


def test_what_was_said_of_an_earlier_search_is_not_carried_over() -> None:
    words = row(1, "go", *"________") + row(2, "home", *"________")
    problem = read_one("# unfinished = 7 words left out\n" + words)
    go, home = Token("go", "VB", 0, "root", 1), Token("home", "RB", 1, "advmod", 2)
    again = write_conllu(Linearization((go,), 1, problem, finished=False))
    assert again.startswith("# unfinished = 1 words left out\n# text = go\n# score = 1.0000\n1\t")
    assert "unfinished" not in write_conllu(Linearization((go, home), 1, problem))


def test_output_can_be_put_in_again() -> None:
    problem = read_one("# score = 3\n" + row(1, "go", *"________"))
    tokens = (Token("go", "VB", 0, "root", 1),)
    once = write_conllu(Linearization(tokens, 1, problem))
    assert once.count("# score") == once.count("# text") == 1
    assert write_conllu(Linearization(tokens, 1, read_one(once))) == once


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param(row(1, "a", "_"), 1, "3 columns instead of 10", id="3 columns"),
        pytest.param("word\n", 1, "1 column instead of 10", id="no tabs"),
        pytest.param(row(*"1a________") + row(*"3b________"), 2, "ID is '3' where 2", id="id gap"),
        pytest.param(row(*"0a________"), 1, "ID is '0' where 1", id="id 0"),
        pytest.param(row(*"xa________"), 1, "ID is 'x' where 1", id="id no number"),
        pytest.param(row("2-1", *"a________"), 1, "runs backwards", id="range backwards"),
        pytest.param(row(*"1a____x___"), 1, "HEAD is 'x'", id="head no number"),
        pytest.param(row(*"1a____", -1, *"___"), 1, "HEAD is '-1'", id="head negative"),
        pytest.param(row(*"1a____", "9" * 5000, *"___"), 1, "HEAD is '9", id="head long"),
        pytest.param(row(*"1a____2___"), 1, "out of range", id="head out of range"),
        pytest.param(row(*"1a____1___"), 1, "own head", id="self-loop"),
        pytest.param(row(1, "", *"________"), 1, "form of word 1 is empty", id="empty form"),
        pytest.param(row(*"1a_", "", "", *"_____"), 1, "leave it out", id="empty tag"),
        pytest.param("# text = a\n", 1, "comments without a sentence", id="comments only"),
        pytest.param("# text = a\n\n", 1, "comments without a sentence", id="comments, blank"),
        pytest.param(row(*"1a________") + "# x\n", 2, "comment inside", id="late comment"),
        pytest.param("# sent_id = s\nword\n", 2, "1 column instead", id="no tabs, with an id"),
        pytest.param("# sent_id = s\n", 1, "comments without a sentence", id="an id only"),
        pytest.param("# sent_id = s\n" + row(*"1a____x___"), 2, "HEAD is 'x'", id="head, id"),
        pytest.param(
            "# sent_id = s\n" + row(*"1a____0___") + row(*"2b____0___"),
            2,
            "sentence s: 2 words are given as the root",
            id="two roots",
        ),
    ],
)
def test_faults_do_not_stop_the_batch(text: str, line: int, message: str) -> None:
    error, problem = read(text + "\n" + row(*"1a________"))
    assert isinstance(error, FormatError)
    assert error.line == line
    assert error.id == ("s" if "sent_id = s\n" in text else None)
    assert message in str(error)
    assert str(error).startswith(f"f.conllu:{line}: ")
    assert "\n" not in str(error)
    assert isinstance(problem, Problem)
    assert [str(result) for result in read(text.rstrip("\n"))] == [str(error)]


def test_bad_bytes_spoil_their_sentence_only() -> None:
    good, bad = row(*"1a________").rstrip(), FormatError("not UTF-8", "f", 4)
    lines: list[str | FormatError] = [
        good,
        "",
        good,
        bad,
        FormatError("not UTF-8", "f", 5),
        "",
        good,
    ]
    first, second, third = read_conllu(lines, "f")
    assert isinstance(first, Problem)
    assert second is bad
    assert isinstance(third, Problem)


def test_a_cut_after_another_fault_is_reported_too() -> None:
    cut = FormatError("cut off", "f", 2)
    fault, last = read_conllu(["1\ttwo columns", cut], "f")
    assert "2 columns" in str(fault)
    assert last is cut


def test_what_is_said_of_spaces_is_not_carried_over() -> None:
    """It speaks of neighbours that the word no longer has."""
    rows = ["1\tsail\t_\t_\tVB\t_\t0\troot\t_\tGloss=segeln|SpaceAfter=No|x", "2\t!\t_" + "\t_" * 6]
    problem = read_one("\n".join([*rows]) + "\tSpaceAfter=No\n")
    tokens = (Token("sail", "VB", 0, "root", 1), Token("!", ".", 1, "punct", 2))
    lines = write_conllu(Linearization(tokens, 0, problem)).split("\n")
    assert [line.split("\t")[9] for line in lines if "\t" in line] == ["Gloss=segeln|x", "_"]


# No tab, no line end, no surrogate; and not the "_" that stands for nothing.
CELLS = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\t\n\r_"), min_size=1
)
MISC = CELLS.filter(lambda text: "Space" not in text)
FORMS = CELLS.map(lambda text: " ".join(text.split(" ")).strip()).filter(
    lambda form: form != "" and "  " not in form and not form.isspace()
)


@pytest.mark.slow
@given(trees(), st.data())
def test_a_round_trip_keeps_every_column(heads: list[int], data: st.DataObject) -> None:
    tags = st.text("NVPX", min_size=1, max_size=3)
    rows = [
        [
            str(index),
            data.draw(FORMS),
            *data.draw(st.tuples(CELLS, CELLS)),
            data.draw(tags),
            data.draw(CELLS),
            str(head),
            data.draw(tags) if head else "root",
            "_",
            data.draw(MISC),
        ]
        for index, head in enumerate(lift(heads), start=1)
    ]
    text = "".join("\t".join(columns) + "\n" for columns in rows)
    problem = read_one(text)
    order = data.draw(st.permutations(range(1, len(rows) + 1)))
    place = {source: position for position, source in enumerate(order, start=1)}
    tokens = tuple(
        Token(word.form, word.tag or "", place.get(word.head or 0, 0), word.deprel or "", source)
        for source, word in ((source, problem.words[source - 1]) for source in order)
    )
    written = write_conllu(Linearization(tokens, 0, problem))
    read_back = [line.split("\t") for line in written.split("\n") if line and line[0] != "#"]
    for columns in read_back:
        source = order[int(columns[0]) - 1]
        original = rows[source - 1]
        assert columns[1:6] == original[1:6]
        assert columns[7:] == original[7:]
        head = int(columns[6])
        assert (order[head - 1] if head else 0) == int(original[6])


# Lemmas

SHARED_TASK = """\
1\tsleep\t_\tVERB\tVBP\tlin=+9\t0\troot\t_\t_
2\tcat\t_\tNOUN\tNNS\tNumber=Plur|lin=-1\t1\tnsubj\t_\t_
3\t.\t_\tPUNCT\t.\tlin=+2\t1\tpunct\t_\t_
4\tand\t_\tCCONJ\tCC\tlin=-2\t1\tcc\t_\t_
5\tsnore\t_\tVERB\tVBP\tA=b|lin=+1\t1\tconj\t_\t_
"""


def read_lemmas(text: str, lemmas: Lemmas) -> Problem | FormatError:
    (problem,) = read_conllu(text.split("\n"), "f.conllu", "xpos", lemmas)
    return problem


def test_lemmas_have_a_column_of_their_own_and_features() -> None:
    problem = read_lemmas(CATS, "column")
    assert isinstance(problem, Problem)
    assert problem.words == (
        Word(lemma=".", tag="PUNCT", deprel="punct", features="", upos="PUNCT"),
        Word(lemma="cat", tag="NNS", head=3, features="Number=Plur", upos="NOUN"),
        Word(lemma="sleep", tag="VERB", head=0, features="Tense=Pres", upos="VERB"),
    )


def test_the_places_in_training_sets_of_the_shared_task_are_no_features() -> None:
    text = "1\tcat\tcats\tNOUN\tNNS\tNumber=Plur|lin=-1|original_id=3\t2\tdep\t_\t_\n"
    text += "2\tsleep\t_\tVERB\tVB\toriginal_id=4\t0\troot\t_\t_"
    problem = read_lemmas(text, "shared task")
    assert isinstance(problem, Problem)
    found = [(word.lemma, word.features) for word in problem.words]
    assert found == [("cat", "Number=Plur"), ("sleep", "")]


@pytest.mark.parametrize("features", ["_|lin=+1", "lin=+1|_", "Number=Plur|_"])
def test_no_features_beside_features_of_a_lemma_are_refused(features: str) -> None:
    text = f"1\tcat\tcat\tNOUN\tNN\t{features}\t0\troot\t_\t_"
    fault = read_lemmas(text, "column")
    assert isinstance(fault, FormatError)
    assert "'_' in the features of word 1 'cat' is not of the form Name=Value" in str(fault)


def test_upos_serves_where_a_lemma_has_no_xpos() -> None:
    text = "1\tdogs\tdog\tNOUN\t_\tNumber=Plur\t0\troot\t_\t_"
    problem = read_lemmas(text, "column")
    assert isinstance(problem, Problem)
    assert [word.tag for word in problem.words] == ["NOUN"]
    (ordered,) = read_conllu([text], "f.conllu", "xpos")
    assert isinstance(ordered, Problem)
    assert [(word.tag, word.upos) for word in ordered.words] == [(None, "NOUN")]


def test_a_word_without_a_lemma_is_its_own() -> None:
    problem = read_lemmas(row(1, "Rex", "_", "_", "_", "_", "_", "_", "_", "_"), "column")
    assert isinstance(problem, Problem)
    assert problem.words == (Word(lemma="Rex", features=""),)


def test_a_lemma_without_a_form_is_no_underscore() -> None:
    """It has no form, so `order` refuses it; an underscore has itself as lemma, or none."""
    text = row(1, "_", "eat", "VERB", "VB", *"_____") + row(2, *"_________")
    (problem,) = read(text)
    assert isinstance(problem, Problem)
    assert [(word.form, word.lemma) for word in problem.words] == [("", "eat"), ("_", None)]
    (block,) = read_blocks(text.split("\n"), "f.conllu")
    assert isinstance(block, Block)
    with pytest.raises(FormatError, match=r"f.conllu:1: the word 'eat' has a lemma but no FORM"):
        block.check_forms()


def test_hints_of_the_shared_task_are_order_constraints() -> None:
    """The sign is the side of the head, the number the distance among those that are marked."""
    text = SHARED_TASK.replace("lin=+9", "_")
    problem = read_lemmas(text, "shared task")
    assert isinstance(problem, Problem)
    assert [word.lemma for word in problem.words] == ["sleep", "cat", ".", "and", "snore"]
    assert [word.features for word in problem.words] == ["", "Number=Plur", "", "", "A=b"]
    # and … cat … sleep … snore … .
    assert set(problem.before) == {(2, 1), (4, 2), (1, 5), (5, 3)}
    assert problem.predecessors == (0b01010, 0b01000, 0b11011, 0, 0b01011)
    unmarked = read_lemmas(text, "column")
    assert isinstance(unmarked, Problem)
    assert unmarked.before == ()


def test_words_of_the_same_rank_are_not_ordered_among_each_other() -> None:
    text = SHARED_TASK.replace("lin=+9", "_").replace("lin=+2", "lin=+1")
    problem = read_lemmas(text, "shared task")
    assert isinstance(problem, Problem)
    assert not {(3, 5), (5, 3)} & set(problem.before)


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("lin=+9", "f.conllu:1: 'lin=+9' of a word without a head"),
        ("lin=1", "f.conllu:1: 'lin=1', where lin=+1 or lin=-2 is expected"),
        ("lin=+0", "f.conllu:1: 'lin=+0', where"),
        ("lin=-x", "f.conllu:1: 'lin=-x', where"),
    ],
)
def test_bad_hints(hint: str, message: str) -> None:
    problem = read_lemmas(SHARED_TASK.replace("lin=+9", hint), "shared task")
    assert isinstance(problem, FormatError)
    assert str(problem).startswith(message)


# Spelling


def test_the_spelling_of_a_block() -> None:
    text = (
        row("1-2", "Du", *"_______", "_")
        + row(1, "De", *"________")
        + row(2, "le", *"_______", "SpaceAfter=No")
        + row(3, "pain", *"_______", "Gloss=bread|SpaceAfter=No")
        + row(4, "!", *"_______", "SpaceAfter=No")
    )
    (block,) = read_blocks(text.split("\n"), "f.conllu")
    assert isinstance(block, Block)
    spelling = block.spelling
    assert spelling == Spelling((False, True, False, False), (Contraction(1, 2, "Du"),))
    assert spelling.text(["De", "le", "pain", "!"]) == "Du pain!"


def test_a_range_that_leaves_the_sentence_is_left_aside() -> None:
    text = row(1, "a", *"________") + row("1-2", "ab", *"________")
    (block,) = read_blocks(text.split("\n"), "f.conllu")
    assert isinstance(block, Block)
    assert block.spelling == Spelling((False,))


def test_a_range_that_overlaps_another_is_left_aside() -> None:
    rows = [f"{i}\t{form}" + "\t_" * 8 for i, form in enumerate("abcd", start=1)]
    ranges = [f"{first}-{last}\tx" + "\t_" * 8 for first, last in ((1, 3), (2, 4), (4, 4))]
    (block,) = read_blocks([*ranges, *rows], "f.conllu")
    assert isinstance(block, Block)
    assert [(each.first, each.last) for each in block.spelling.contractions] == [(1, 3), (4, 4)]
    assert block.spelling.text("abcd") == "x x"


def test_a_realization_is_written_with_lemmas_and_spelling() -> None:
    problem = Problem.of(
        [
            Word("le", "DET", 3, "det", "le", "Number=Sing"),
            Word("de", "ADP", 3, "case", "de"),
            Word("pain", "NOUN", 0, "root", "pain", ""),
            Word("!", "PUNCT", 3, "punct", "!"),
        ]
    )
    tokens = (
        Token("de", "ADP", 3, "case", 2),
        Token("le", "DET", 3, "det", 1),
        Token("pain", "NOUN", 0, "root", 3),
        Token("!", "PUNCT", 3, "punct", 4),
    )
    spelling = Spelling((False, True, False, False), (Contraction(1, 2, "du"),))
    written = write_conllu(Linearization(tokens, -1.0, problem), "upos", spelling)
    assert written == (
        "# text = du pain!\n# score = -1.0000\n"
        + row("1-2", "du", *"________")
        + row(1, "de", "de", "ADP", "_", "_", 3, "case", "_", "_")
        + row(2, "le", "le", "DET", "_", "Number=Sing", 3, "det", "_", "_")
        + row(3, "pain", "pain", "NOUN", "_", "_", 0, "root", "_", "SpaceAfter=No")
        + row(4, "!", "!", "PUNCT", "_", "_", 3, "punct", "_", "_")
        + "\n"
    )


@given(st.data())
def test_what_is_written_with_a_spelling_says_the_same_when_it_is_read(data: st.DataObject) -> None:
    """Detokenised, and split again by `SpaceAfter`: the same words, the same text."""
    size = data.draw(st.integers(1, 6))
    forms = data.draw(st.lists(st.text("ab'.", min_size=1), min_size=size, max_size=size))
    spaces = [data.draw(st.booleans()) for _ in range(size - 1)] + [False]
    contractions = []
    if size > 2 and data.draw(st.booleans()):
        first = data.draw(st.integers(1, size - 1))
        spaces[first - 1] = False
        contractions.append(Contraction(first, first + 1, "xy"))
    spelling = Spelling(tuple(spaces), tuple(contractions))
    tokens = tuple(
        Token(form, "T", 0 if i == 1 else 1, "root" if i == 1 else "dep", i)
        for i, form in enumerate(forms, start=1)
    )
    linearization = Linearization(tokens, 0.0, Problem.of(forms))
    text = write_conllu(linearization, "xpos", spelling)
    (block,) = read_blocks(text.split("\n"), "f.conllu")
    assert isinstance(block, Block)
    assert [line[1] for line in block.rows] == forms
    assert block.spelling == spelling
    assert block.text == spelling.text(forms).strip() or not spelling.text(forms).strip()
