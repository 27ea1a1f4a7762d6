"""Files: CoNLL-U, JSON and text in; the problem and the result out."""

from __future__ import annotations

import json

from references.visit import Visit, expect

CONLLU = """\
# sent_id = 1
1\tbarked\tbark\tVERB\tVBD\t_\t0\troot\t_\t_
2\tdog\tdog\tNOUN\tNN\tNumber=Sing\t1\tnsubj\t_\t_
3\tthe\tthe\tDET\t_\t_\t_\t_\t_\t_

1\tsleeps\tsleep\tVERB\tVBZ\t_\t_\t_\t_\t_
2\tShe\tshe\tPRON\tPRP\t_\t_\t_\t_\t_

"""


def test_conllu_is_imported_with_what_it_says(visit: Visit) -> None:
    visit.upload("two.conllu", CONLLU)
    visit.expect_sentence("the dog barked")
    visit.expect_chips(
        *("barked is VBD", "barked is VERB", "barked is the root", "barked has no features"),
        *("dog is NN", "dog is NOUN", "dog nsubj of barked", "dog has Number=Sing"),
        *("the is DET", "the has no features"),
    )
    expect(visit.page.locator(".tree-tag.given")).to_have_text(["DET", "NN", "NOUN", "VBD", "VERB"])


def test_a_file_of_several_sentences_is_paged_through(visit: Visit) -> None:
    visit.upload("two.conllu", CONLLU)
    expect(visit.page.locator("#pager")).to_contain_text("two.conllu: 1 of 2")
    visit.page.locator("#following").click()
    visit.expect_sentence("She sleeps")
    expect(visit.page.locator("#following")).to_be_disabled()
    visit.button("Previous sentence").click()
    visit.expect_sentence("the dog barked")


def test_lemma_mode_imports_lemmas(visit: Visit) -> None:
    visit.button("Lemmas").click()
    visit.upload("two.conllu", CONLLU)
    expect(visit.page.locator("#text")).to_have_value("bark dog the")
    expect(visit.chips.filter(has_text="dog has Number=Sing")).to_have_count(1)


def test_json_is_imported_and_exported(visit: Visit) -> None:
    problem = {
        "words": [{"form": "she", "tag": "PRP"}, "slowly", "home", "walked", "."],
        "before": [[3, 4]],
        "first": 2,
        "last": 5,
    }
    visit.upload("problem.json", json.dumps(problem))
    expect(visit.chips).to_have_count(4)
    expect(visit.words.first).to_have_text("slowly")
    assert json.loads(visit.download("Problem as JSON")) == problem
    result = json.loads(visit.download("Result as JSON"))
    assert [word["form"] for word in result["words"]] == visit.sentence
    assert result["words"][0]["source"] == 2


def test_plain_text_is_imported(visit: Visit) -> None:
    visit.upload("bags.txt", "barked the dog\nin\tNew York\tlives\tshe\n")
    visit.expect_sentence("the dog barked")
    visit.page.locator("#following").click()
    visit.expect_chips("New York together")


def test_universal_tags_and_features_survive_an_export(visit: Visit) -> None:
    visit.open("#words=barked+dog&tag=1:VBD&upos=2:NOUN&features=2:Number%3DSing&features=1:_")
    visit.expect_chips(
        "barked is VBD", "barked has no features", "dog is NOUN", "dog has Number=Sing"
    )
    assert json.loads(visit.download("Problem as JSON"))["words"] == [
        {"form": "barked", "tag": "VBD", "features": ""},
        {"form": "dog", "upos": "NOUN", "features": "Number=Sing"},
    ]
    rows = [line.split("\t") for line in visit.download("CoNLL-U").splitlines()[2:] if line]
    by_form = {row[1]: row[3:6] for row in rows}
    assert by_form["barked"] == ["_", "VBD", "_"]
    assert by_form["dog"] == ["NOUN", "NN", "Number=Sing"]


def test_conllu_is_exported_and_gives_the_same_tree_again(visit: Visit) -> None:
    visit.type("barked dog the .")
    visit.expect_sentence("the dog barked .")
    text = visit.download("CoNLL-U")
    lines = text.splitlines()
    assert lines[0] == "# text = the dog barked ."
    assert lines[2].split("\t") == ["1", "the", "_", "_", "DT", "_", "2", "det", "_", "_"]
    assert text.endswith("\n\n")
    arcs = visit.page.locator("#tree-text li").all_text_contents()
    visit.upload("again.conllu", text)
    expect(visit.page.locator(".arc.given")).to_have_count(4)
    assert visit.page.locator("#tree-text li").all_text_contents() == arcs


def test_lemmas_are_exported_with_their_spelling(visit: Visit) -> None:
    visit.open("#lemmas=apple+eat+the+three+child+.")
    expect(visit.word("children")).to_be_visible()
    rows = [line.split("\t") for line in visit.download("CoNLL-U").splitlines()[2:] if line]
    assert [row[1] for row in rows] == visit.sentence
    assert {row[2] for row in rows} == {"the", "child", "eat", "three", "apple", "."}
    assert rows[-2][9] == "SpaceAfter=No"


def test_a_bad_file_is_refused_in_words_and_changes_nothing(visit: Visit) -> None:
    visit.type("barked dog the")
    visit.expect_sentence("the dog barked")
    visit.upload("bad.conllu", CONLLU.replace("\tnsubj\t_", "\tnsubj"))
    error = visit.page.locator("#text-error")
    expect(error).to_have_text("Line 3: expected 10 columns separated by tabs, found 9.")
    visit.expect_sentence("the dog barked")
    visit.type("barked the dog loudly")
    expect(error).to_be_hidden()


def test_files_can_be_dropped_on_the_page(visit: Visit) -> None:
    visit.expect_sentence("my sister wrote me a long letter yesterday .")
    visit.page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(['["barked", "the", "dog"]'], "bag.json"));
            dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }"""
    )
    visit.expect_sentence("the dog barked")
