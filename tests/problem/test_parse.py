"""Parses as problems: what is given, what is kept, and that the order of the words is not told."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st
from toys.parses import SENTENCE, WORDS, conllu_text, given, parses, permuted

from syntagma import ArgumentError, Problem, SyntagmaWarning
from syntagma.problem.parse import Annotation, Given, Parse, ParsedWord, ParseOrigin


def mappings(parse: Parse) -> list[dict[str, Any]]:
    """A sentence as the package conllu has it, without the package."""
    return [
        {
            "id": place,
            "form": word.form,
            "head": word.head,
            "deprel": word.deprel,
            **dict(zip(("lemma", "upos", "xpos", "feats", "misc"), word.annotation, strict=True)),
        }
        for place, word in enumerate(parse.words, start=1)
    ]


def word(form: str, *columns: str, head: int | None = None, deprel: str = "_") -> ParsedWord:
    return ParsedWord(form, head, deprel, Annotation(*columns))


DOGS = Parse(
    (
        word("Dogs", "dog", "NOUN", "NNS", "Number=Plur", head=2, deprel="nsubj"),
        word("bark", "bark", "VERB", "VBP", head=0, deprel="root"),
    )
)


def dogs(**options: Any) -> Problem:
    return Problem.from_conllu(mappings(DOGS), **options)


def test_everything_is_given_by_default() -> None:
    assert given(dogs()) == {"Dogs": ("bark", "nsubj", "NNS"), "bark": ("", "root", "VBP")}
    assert [each.lemma for each in dogs().words] == [None, None]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"tags": False}, ("bark", "nsubj", None)),
        ({"labels": False}, ("bark", None, "NNS")),
        ({"arcs": False}, (None, None, "NNS")),
        ({"arcs": False, "tags": False}, (None, None, None)),
        ({"tag_column": "upos"}, ("bark", "nsubj", "NOUN")),
    ],
)
def test_what_is_not_wanted_is_not_given(
    options: dict[str, Any], expected: tuple[str | None, ...]
) -> None:
    assert given(dogs(**options))["Dogs"] == expected


def test_lemmas_take_the_place_of_forms() -> None:
    words = {each.lemma: (each.form, each.features, each.tag) for each in dogs(lemmas=True).words}
    assert words == {"bark": ("", "", "VBP"), "dog": ("", "Number=Plur", "NNS")}


def test_without_a_lemma_the_form_serves_and_without_xpos_upos() -> None:
    [only] = Problem.from_conllu(
        [{"form": "Rome", "upos": "PROPN", "lemma": "_"}], lemmas=True
    ).words
    assert (only.lemma, only.tag) == ("Rome", "PROPN")


@pytest.mark.parametrize("name", ["tags", "arcs", "labels", "lemmas"])
def test_switches_are_true_or_false(name: str) -> None:
    with pytest.raises(ArgumentError, match=f"{name} must be True or False, not 'no'"):
        dogs(**{name: "no"})


def test_an_unknown_tag_column_is_refused() -> None:
    with pytest.raises(ArgumentError, match="tag_column must be upos or xpos, not 'pos'"):
        dogs(tag_column="pos")
    with pytest.raises(ArgumentError, match="tag_column must be upos or xpos"):
        dogs(tag_column=["xpos"])


def test_tags_of_the_other_column_only_are_reported() -> None:
    xpos = Parse(tuple(each._replace(annotation=Annotation(xpos="X")) for each in DOGS.words))
    with pytest.warns(SyntagmaWarning, match='has XPOS tags only.*tag_column="xpos"') as caught:
        problem = Problem.from_conllu(mappings(xpos), tag_column="upos")
    assert caught[0].filename == __file__
    assert {(each.tag, each.upos) for each in problem.words} == {(None, None)}


@pytest.mark.filterwarnings("error")
def test_there_is_no_warning_where_nothing_is_lost() -> None:
    upos = mappings(
        Parse(tuple(each._replace(annotation=Annotation(upos="X")) for each in DOGS.words))
    )
    assert Problem.from_conllu(upos, tag_column="upos").words[0].tag == "X"
    given = Problem.from_conllu(upos).words[0]
    assert (given.tag, given.upos) == (None, "X")
    assert Problem.from_conllu(upos, tags=False).words[0].upos is None
    assert Problem.from_conllu(upos, lemmas=True).words[0].tag == "X"
    assert Problem.from_conllu(upos, tags=False).words[0].tag is None
    Problem.from_conllu([{"form": "a"}])


def test_the_source_of_each_word_is_kept_with_it() -> None:
    problem = dogs(tags=False, arcs=False)
    assert isinstance(problem.origin, ParseOrigin)
    kept = {
        each.form: problem.origin.annotations[index - 1]
        for index, each in enumerate(problem.words, start=1)
    }
    assert kept == {each.form: each.annotation for each in DOGS.words}
    assert pickle.loads(pickle.dumps(problem)) == problem
    assert pickle.loads(pickle.dumps(problem)).origin == problem.origin


def test_notes_and_comments_on_the_order_do_not_travel() -> None:
    class Tokens(list[Any]):
        metadata: ClassVar = {
            "text": "dogs bark",
            "constituency": "(S dogs)",
            "translit": "x",
            "text_en": "kept",
        }

    misc = "A=1|SpaceAfter=No|start_char=3|end_char=5|TokenRange=3:5|B"
    origin = Problem.from_conllu(Tokens([{"form": "dogs", "misc": misc}])).origin
    assert isinstance(origin, ParseOrigin)
    assert origin.comments == ("# text =", "# text_en = kept")
    assert origin.annotations[0].misc == "A=1|B"


SWITCHES = st.fixed_dictionaries(
    {name: st.booleans() for name in ("tags", "arcs", "labels", "lemmas")}
)


@pytest.mark.filterwarnings("ignore")
@hypothesis_given(parses(), SWITCHES, st.data())
def test_a_problem_does_not_tell_the_order_of_the_sentence(
    parse: Parse, switches: dict[str, Any], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(parse.words))))
    problem = Problem.from_conllu(mappings(parse), **switches)
    again = Problem.from_conllu(mappings(permuted(parse, order)), **switches)
    assert again == problem
    assert again.origin == problem.origin


@hypothesis_given(parses(), st.data())
def test_arcs_lead_to_the_same_words(parse: Parse, data: st.DataObject) -> None:
    """Forms made unique, so that arcs can be compared by forms."""
    marked = Parse(
        tuple(each._replace(form=f"{place}{each.form}") for place, each in enumerate(parse.words))
    )
    found = {
        form: (head, label)
        for form, (head, label, _) in given(Problem.from_conllu(mappings(marked))).items()
    }
    assert found == {
        each.form: (marked.words[each.head - 1].form if each.head else "", each.deprel)
        for each in marked.words
    }


def test_a_given_parse_is_what_the_reader_of_files_reads(tmp_path: Any) -> None:
    from syntagma.formats.problems import read_problems

    file = tmp_path / "dogs.conllu"
    file.write_text(conllu_text(DOGS))
    [forms] = read_problems(file)
    [lemmas] = read_problems(file, lemmas="column")
    assert isinstance(forms, Problem)
    assert isinstance(lemmas, Problem)
    assert given(forms) == given(dogs())
    assert given(lemmas) == given(dogs(lemmas=True))


def test_the_switches_have_defaults() -> None:
    assert Given() == Given(True, True, True, False, "xpos")


def test_the_shared_sentence_says_what_the_table_says() -> None:
    rows = [line.split("\t") for line in SENTENCE.splitlines() if line[:1].isdigit()]
    words = [row for row in rows if row[0].isdigit()]
    forms = ["", *(row[1] for row in words)]
    table = {
        row[1]: (forms[int(row[6])], row[7], row[2], row[3], row[4], row[5].replace("_", ""))
        for row in words
    }
    assert table == WORDS
