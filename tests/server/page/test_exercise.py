"""Exercise mode: a teacher makes a link, a learner puts the words in order."""

from __future__ import annotations

import re
from urllib.parse import unquote_plus, urlencode

from references.visit import Visit, expect


def exercise(*items: str, title: str = "") -> str:
    """The fragment of an exercise; its checksum is no order's."""
    return "#" + urlencode([("exercise", title), *(("item", f"none {item}") for item in items)])


def tiles(visit: Visit) -> list[str]:
    return visit.page.locator("#tiles .tile").all_text_contents()


def move(visit: Visit, word: str, place: int) -> None:
    """Bring a word to a place, by keyboard alone: the focus is in the line of words."""
    visit.press("Home", *["ArrowRight"] * tiles(visit).index(word))
    current = tiles(visit).index(word)
    steps = place - current
    visit.press("Space", *["ArrowRight" if steps > 0 else "ArrowLeft"] * abs(steps), "Space")
    assert tiles(visit)[place] == word


def arrange(visit: Visit, *words: str) -> None:
    for place, word in enumerate(words):
        move(visit, word, place)
    assert tiles(visit) == list(words)


def test_a_teacher_shares_an_exercise_and_a_learner_solves_it_by_keyboard(visit: Visit) -> None:
    visit.button("Exercise").click()
    visit.page.get_by_label("Title or instruction").fill("Letters")
    visit.page.get_by_label("Sentences, one per line").fill(
        "My sister didn't write me a long letter.\nShe walked home."
    )
    expect(visit.page.locator(".item")).to_have_count(2)
    expect(visit.page.locator(".item-words").nth(1)).to_contain_text("home")
    expect(visit.page.locator(".item-note").nth(1)).to_have_text(
        "The model orders it the same way."
    )
    link = visit.page.locator("#exercise-link")
    expect(link).to_have_value(re.compile("item=.*item="))
    address = link.input_value()
    assert "sister didn" not in unquote_plus(address)

    visit.page.goto("about:blank")
    visit.page.goto(address)
    expect(visit.page.locator("#learner-title")).to_have_text("Letters")
    expect(visit.page.locator("#progress")).to_have_text("Sentence 1 of 2")
    expect(visit.page.locator("#end")).to_have_text(".")
    expect(visit.page.locator("#tiles [tabindex='0']")).to_be_focused()
    arrange(visit, "my", "sister", "didn't", "write", "me", "a", "long", "letter")
    visit.press("Tab")
    expect(visit.button("Check")).to_be_focused()
    visit.press("Enter")
    expect(visit.page.locator("#feedback")).to_have_text("Right.")
    expect(visit.button("Next sentence")).to_be_focused()
    visit.press("Enter")
    expect(visit.page.locator("#progress")).to_have_text("Sentence 2 of 2")
    arrange(visit, "she", "walked", "home")
    visit.press("Tab", "Enter")
    expect(visit.page.locator("#feedback")).to_have_text("Right.")
    expect(visit.button("Once more")).to_be_focused()


def test_a_wrong_order_is_told_where_it_goes_wrong(visit: Visit) -> None:
    visit.open(exercise("barked the dog ."))
    expect(visit.page.locator("#tiles .tile")).to_have_text(["barked", "the", "dog"])
    visit.button("Check").click()
    feedback = visit.page.locator("#feedback")
    expect(feedback).to_contain_text("Not yet: look at “barked” at the beginning.")
    expect(visit.page.locator(".tile.suspect")).to_have_text(["barked"])
    visit.page.locator("#tiles .tile").first.focus()
    arrange(visit, "the", "dog", "barked")
    expect(feedback).to_be_empty()
    visit.button("Check").click()
    expect(feedback).to_have_text("Right.")
    expect(visit.page.locator(".tile.right")).to_have_count(3)
    expect(visit.button("Check")).to_be_hidden()


def test_another_good_order_is_right_too(visit: Visit) -> None:
    visit.open(exercise("Yesterday she read the book ."))
    visit.button("Check").click()
    expect(visit.page.locator("#feedback")).to_contain_text("Right.")


def test_hints_lead_to_the_solution(visit: Visit) -> None:
    visit.open(exercise("letter a wrote sister my ."))
    feedback = visit.page.locator("#feedback")
    for _ in range(5):
        visit.button("Hint").click()
        expect(feedback).not_to_be_empty()
        if "right already" in (feedback.text_content() or ""):
            break
        settled = visit.page.locator(".tile.settled").count()
        following = visit.page.locator(".tile.suspect").text_content() or ""
        visit.page.locator("#tiles .tile").first.focus()
        visit.page.locator("#tiles [tabindex='0']").focus()
        move(visit, following, settled)
    visit.button("Check").click()
    expect(feedback).to_contain_text("Right.")


def test_words_are_dragged(visit: Visit) -> None:
    visit.open(exercise("barked the dog ."))
    tile = visit.page.locator("#tiles .tile")
    visit.drag(tile.nth(0), tile.nth(2), 0.8)
    expect(tile).to_have_text(["the", "dog", "barked"])
    visit.button("Check").click()
    expect(visit.page.locator("#feedback")).to_have_text("Right.")


def test_escape_puts_a_word_back_and_every_move_is_announced(visit: Visit) -> None:
    visit.open(exercise("barked the dog ."))
    live = visit.page.locator("#live")
    visit.page.locator("#tiles .tile").first.focus()
    visit.press("Space")
    expect(live).to_contain_text("barked picked up")
    visit.press("ArrowRight")
    expect(live).to_have_text("barked: place 2 of 3.")
    visit.press("Escape")
    expect(live).to_have_text("barked is back at place 1.")
    assert tiles(visit) == ["barked", "the", "dog"]
    visit.press("Space", "End", "Space")
    expect(live).to_have_text("barked put down at place 3 of 3.")
    assert tiles(visit) == ["the", "dog", "barked"]


def test_a_sentence_that_is_no_exercise_is_named(visit: Visit) -> None:
    visit.open("#mode=exercise&sentences=Once.%0AShe+walked+home.")
    expect(visit.page.locator(".item.wrong")).to_contain_text("at least two words")
    expect(visit.page.locator(".item")).to_have_count(2)
    visit.page.get_by_role("link", name="Try it").click()
    expect(visit.page.locator("#tiles .tile")).to_have_count(3)


def test_the_choice_of_the_model_is_written_as_a_sentence(visit: Visit) -> None:
    visit.button("Exercise").click()
    sentences = visit.page.get_by_label("Sentences, one per line")
    sentences.fill("Bark didn't dog the.")
    note = visit.page.locator(".item-note")
    expect(note).to_have_text(re.compile(r"The model prefers “[^”]*didn't[^”]*\w\.”$"))
