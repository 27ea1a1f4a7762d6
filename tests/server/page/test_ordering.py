"""The page orders words: at once, as a sentence, as a tree, with alternatives."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from references.visit import Route, Visit, expect

Visiting = Callable[..., Visit]
MINUS = "\N{MINUS SIGN}"
SENTENCE = "my sister wrote me a long letter yesterday ."


def test_the_page_begins_with_an_example(visit: Visit) -> None:
    visit.expect_sentence(SENTENCE)
    expect(visit.page.locator("#nothing")).to_be_hidden()


def test_typed_words_are_ordered_at_once(visit: Visit) -> None:
    visit.type("barked dog the")
    visit.expect_sentence("the dog barked")
    expect(visit.page.locator("#live")).to_have_text("the dog barked")


def test_the_tree_has_an_arc_for_each_word_in_pictures_and_in_words(visit: Visit) -> None:
    visit.type("barked dog the")
    visit.expect_sentence("the dog barked")
    expect(visit.page.locator(".tree-form")).to_have_text(["the", "dog", "barked"])
    expect(visit.page.locator(".tree-tag")).to_have_text(["DT", "NN", "VBD"])
    expect(visit.page.locator(".arc-label")).to_have_text(["root", "det", "nsubj"])
    expect(visit.page.locator("#tree-text li")).to_have_text(
        [
            "the, DT: det \N{EN DASH} determiner of dog",
            "dog, NN: nsubj \N{EN DASH} subject of barked",
            "barked, VBD: the root",
        ]
    )


def test_a_pasted_sentence_is_split_into_words_and_can_be_scrambled(visit: Visit) -> None:
    visit.type("The dog didn't bark.")
    visit.expect_sentence("The dog did n't bark .")
    visit.button("Scramble").click()
    scrambled = visit.page.locator("#text").input_value()
    assert sorted(scrambled.split()) == sorted(["The", "dog", "did", "n't", "bark", "."])
    assert scrambled != "The dog did n't bark ."
    visit.expect_sentence("The dog did n't bark .")


def test_words_can_be_taken_away_and_come_back(visit: Visit) -> None:
    visit.type("")
    expect(visit.page.locator("#nothing")).to_be_visible()
    expect(visit.page.locator("#orders li")).to_have_count(0)
    visit.type("barked dog the")
    visit.expect_sentence("the dog barked")


def test_alternatives_come_best_first_and_can_be_looked_at(visit: Visit) -> None:
    orders = visit.page.locator("#orders button")
    expect(orders).to_have_count(5)
    scores = [
        float(text.replace("score ", "").replace(MINUS, "-"))
        for text in visit.page.locator(".order-score").all_text_contents()
    ]
    assert scores == sorted(scores, reverse=True)
    texts = visit.page.locator(".order-text").all_text_contents()
    assert len(set(texts)) == 5
    orders.nth(2).click()
    expect(orders.nth(2)).to_have_attribute("aria-pressed", "true")
    expect(orders.nth(2)).to_be_focused()
    assert " ".join(visit.sentence).replace(" .", ".") == texts[2]
    forms = visit.page.locator(".tree-form").all_text_contents()
    assert forms == visit.sentence


def test_more_alternatives_and_such_as_differ_in_meaning(visit: Visit) -> None:
    visit.type("in the morning , she often says he sings .")
    expect(visit.words).to_have_count(10)
    visit.page.get_by_label("Show").select_option("10")
    expect(visit.page.locator("#orders li")).to_have_count(10)
    before = visit.page.locator(".order-text").all_text_contents()
    with visit.page.expect_response(lambda response: "v1/order" in response.url) as answer:
        visit.page.get_by_label("Prefer different meanings").check()
    asked = json.loads(answer.value.request.post_data or "")
    assert asked["options"] == {"n_best": 10, "diverse": True}
    expect(visit.page.locator(".order-text")).not_to_have_text(before)


def test_a_judge_is_asked_if_the_server_has_one(visiting: Visiting) -> None:
    """The server's model has none, so what it says of the model is made up here."""
    visit, bodies = visiting(None), list[Any]()
    words = [{"form": "it", "tag": "PRP", "head": 0, "deprel": "root", "source": 1}]
    answer = {"n_best": [{"text": "it", "score": -1.0, "words": words}]}
    judge = {"judge": "smollm2-b179c952", "judge_weight": "0.5/0.8/0.6/1.25"}
    models = {"default": "en", "models": [{"name": "en", "language": "en", "judge": judge}]}

    def order(route: Route) -> None:
        bodies.append(route.request.post_data_json)
        route.fulfill(json=answer)

    visit.page.route("**/v1/models", lambda route: route.fulfill(json=models))
    visit.page.route("**/v1/order", order)
    visit.open("#words=it")
    visit.expect_sentence("it")
    switch = visit.page.get_by_label("Second opinion of a language model")
    expect(switch).not_to_be_checked()
    with visit.page.expect_response(lambda response: "v1/order" in response.url):
        switch.check()
    assert visit.fragment["judge"] == ["yes"]
    visit.page.locator("input[value=library]").check()
    expect(visit.page.locator("#code")).to_contain_text('load("en", judge="smollm2")')
    visit.page.reload()
    expect(switch).to_be_checked()
    assert [body["options"].get("judge") for body in bodies] == [None, True, True]


def test_without_a_judge_nothing_is_said_of_it(visit: Visit) -> None:
    visit.expect_sentence(SENTENCE)
    expect(visit.page.locator("#about")).to_contain_text("Model en")
    expect(visit.page.locator("#judge-choice")).to_be_hidden()


def test_words_of_the_same_form_are_kept_apart(visit: Visit) -> None:
    visit.type("the the dog man bit .")
    expect(visit.words).to_have_count(6)
    ids = visit.words.evaluate_all("buttons => buttons.map(button => button.dataset.id)")
    assert len(set(ids)) == 6


def test_text_is_never_markup(visit: Visit) -> None:
    visit.type("<img/src=x> the <b>dog</b> barked")
    expect(visit.words).to_have_count(4)
    assert "<b>dog</b>" in visit.sentence
    assert visit.page.locator("#main img").count() == 0


def test_long_sentences_scroll_in_their_tree(visit: Visit) -> None:
    visit.type(" ".join(f"word{number}" for number in range(30)))
    expect(visit.words).to_have_count(30)
    tree = visit.page.locator("#tree")
    assert tree.evaluate("tree => tree.scrollWidth > tree.clientWidth")
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_words_from_right_to_left(visit: Visit) -> None:
    visit.type("הכלב נבח בלילה")
    expect(visit.page.locator("#sentence")).to_have_attribute("dir", "rtl")
    places = [visit.words.nth(place).bounding_box() for place in range(3)]
    xs = [box["x"] for box in places if box is not None]
    assert xs == sorted(xs, reverse=True)
