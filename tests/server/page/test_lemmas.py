"""Lemma mode: lemmas in, an inflected sentence out."""

from __future__ import annotations

from references.visit import Visit, expect


def test_lemmas_are_inflected_ordered_and_spelled(visit: Visit) -> None:
    visit.button("Lemmas").click()
    expect(visit.page.get_by_label("Lemmas, in any order")).to_have_value(
        "cake eat the two child ."
    )
    visit.expect_chips("eat is VBD", "child has Number=Plur")
    expect(visit.word("children")).to_be_visible()
    expect(visit.word("ate")).to_be_visible()
    assert visit.sentence[0][0].isupper()
    assert (
        visit.page.locator("#orders .order-text").first.inner_text() == "Two children ate the cake."
    )


def test_tags_and_features_steer_the_inflection(visit: Visit) -> None:
    visit.open("#lemmas=dog+the+bark+.")
    expect(visit.words).to_have_count(4)
    visit.open("#lemmas=dog+the+bark+.&tag=3:VBD")
    expect(visit.word("barked")).to_be_visible()
    visit.word("dog").click()
    visit.control("Features").fill("Number=Plur")
    visit.press("Enter", "Escape")
    visit.expect_chips("dog has Number=Plur", "bark is VBD")
    expect(visit.word("dogs")).to_be_visible()
    visit.remove_chip("dog has Number=Plur")
    visit.expect_chips("bark is VBD")
    visit.remove_chip("bark is VBD")
    visit.expect_chips()


def test_arcs_and_order_hold_among_lemmas(visit: Visit) -> None:
    visit.open("#lemmas=child+eat+apple&head=3:2:nsubj&head=1:2:obj&before=1-3")
    expect(visit.page.locator(".arc.given")).to_have_count(2)
    texts = [text.lower() for text in visit.sentence]
    assert texts.index(next(text for text in texts if text.startswith("child"))) < texts.index(
        next(text for text in texts if text.startswith("apple"))
    )


def test_each_mode_keeps_its_words(visit: Visit) -> None:
    visit.type("barked dog the")
    visit.expect_sentence("the dog barked")
    visit.button("Lemmas").click()
    expect(visit.word("children")).to_be_visible()
    visit.button("Words").click()
    visit.expect_sentence("the dog barked")
    expect(visit.button("Words")).to_have_attribute("aria-current", "page")
